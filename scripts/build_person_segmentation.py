"""Builds the person segmentation network in ONNX: features of EfficientNet-Lite0, which set-up fetches, adapted, under a decoder of our own.

EfficientNet-Lite0 (Tan and Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks", 2019, without
squeeze-and-excitation and with ReLU6) was trained to classify photographs; its blocks at a quarter, an eighth, a sixteenth and a
thirty-second of the picture's size feed the decoder (`Training/segmenter.py`). The network takes `picture` (1, 3, H, W; RGB, -1…1), H and W
multiples of 32 and fixed, which the runtime is faster with, and gives `alpha` (1, 1, H, W).

Most of its convolutions are of 8 bits (Jacob et al., "Quantization and Training of Neural Networks", 2018): weights by output channel, what
goes in by the range that it has on pictures. The first few, and those of one channel each, are not: there it costs more than it saves.
"""

import io
import json
import math
import pickle
import struct
import zlib
from collections import OrderedDict

from onnx_graph import FLOAT, HALF, INT8, UINT8, Graph

# Of each stage: how often its block is repeated, the kernel's side, the first block's stride, and by how much a block widens.
STAGES = [(1, 3, 1, 1), (2, 3, 2, 6), (2, 5, 2, 6), (3, 3, 2, 6), (3, 5, 1, 6), (4, 5, 2, 6), (1, 3, 1, 6)]
# The stages that feed the decoder.
TAPPED = (1, 2, 4, 6)
EPSILON = 1e-3


class Checkpoint(pickle.Unpickler):
    """Reads what PyTorch wrote before its version 1.6: pickled descriptions of tensors, followed by their numbers."""

    def find_class(self, module, name):
        if name == "OrderedDict":
            return OrderedDict
        # A tensor is its storage, its shape and its strides; a storage's type stays a name.
        return (lambda storage, offset, *view: (storage, *view[:2])) if name == "_rebuild_tensor_v2" else name

    def persistent_load(self, identity):
        return identity[2], {"FloatStorage": 4, "LongStorage": 8}[identity[1]]


def tensors(checkpoint):
    """The shape and the bytes of each tensor of a checkpoint, by name."""
    file = io.BytesIO(checkpoint)
    # A magic number, the format's version, and what the machine was like.
    for _ in range(3):
        Checkpoint(file).load()
    described = Checkpoint(file).load()
    sizes = dict(storage for storage, *_ in described.values())
    contents = {}
    for key in Checkpoint(file).load():
        (count,) = struct.unpack("<q", file.read(8))
        contents[key] = file.read(count * sizes[key])
    return {
        name: (list(shape), rows_first(contents[key], shape, strides, size))
        for name, ((key, size), shape, strides) in described.items()}


def rows_first(data, shape, strides, size):
    """A tensor's numbers of `size` bytes in the order of its dimensions, in which they need not lie in its storage."""
    places = [0]
    for length, stride in zip(shape, strides):
        places = [place + index * stride for place in places for index in range(length)]
    return b"".join(data[place * size : (place + 1) * size] for place in places)


def learned_weights(packed):
    """The shape, the weights and the biases of all that was learned, by name; and the lowest and highest value of what is rounded to 8 bits.

    A line of JSON names them and tells their shapes, and those values; for each follow a scale for each output channel, which is the upper
    half of a number of 32 bits, as many biases of 16 bits, and weights of 8 bits, to be multiplied by their channel's scale. All of it
    is compressed by zlib.
    """
    header, _, data = zlib.decompress(packed).partition(b"\n")
    header = json.loads(header)
    layers, at = {}, 0
    for name, shape in header["layers"]:
        channels, size = shape[0], shape[1] * shape[2] * shape[3]
        scales = [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(at, at + 2 * channels, 2)]
        biases = struct.unpack_from(f"<{channels}e", data, at + 2 * channels)
        steps = struct.unpack_from(f"{channels * size}b", data, at + 4 * channels)
        at += (4 + size) * channels
        layers[name] = (shape, [value * scales[index // size] for index, value in enumerate(steps)], list(biases))
    return layers, header["ranges"]


class Features:
    """The convolutions of EfficientNet-Lite0, normalisation folded in, with what was learned added."""

    def __init__(self, checkpoint, learned):
        self.fetched, self.learned = tensors(checkpoint), learned

    def convolution(self, name, normalisation):
        """Its shape, weights and biases."""
        shape, weights = self.numbers(f"{name}.weight")
        gains, biases, means, variances = (
            self.numbers(f"{normalisation}.{part}")[1] for part in ("weight", "bias", "running_mean", "running_var"))
        scales = [gain / math.sqrt(variance + EPSILON) for gain, variance in zip(gains, variances)]
        size = len(weights) // len(scales)
        added, shifts = self.added(name)
        folded = [weight * scales[index // size] + more for index, (weight, more) in enumerate(zip(weights, added))]
        return shape, folded, [
            bias - mean * scale + shift for bias, mean, scale, shift in zip(biases, means, scales, shifts)]

    def numbers(self, name):
        shape, data = self.fetched[name]
        return shape, struct.unpack(f"<{len(data) // 4}f", data)

    def added(self, name):
        """What is added to its weights and to its biases: to weights of one pixel a product of two narrow matrices."""
        if f"{name}/change" in self.learned:
            return self.learned[f"{name}/change"][1:]
        (rank, inputs, _, _), inner, _ = self.learned[f"{name}/inner"]
        (outputs, _, _, _), outer, shifts = self.learned[f"{name}/outer"]
        product = []
        for output in range(outputs):
            row = [0.0] * inputs
            for index in range(rank):
                factor = outer[output * rank + index]
                row = [total + factor * value for total, value in zip(row, inner[index * inputs : (index + 1) * inputs])]
            product += row
        return product, shifts


class Builder:
    """The network's graph; each method adds to it, and returns the name of what comes out."""

    # CPUs without VNNI add products in pairs of 16 bits, which 8 bits by 8 bits would overflow.
    TOP = 63

    def __init__(self, features, learned, ranges):
        self.graph, self.fetched, self.learned, self.ranges = Graph("person_segmentation", 19), features, learned, ranges
        self.rounded = {}
        self.graph.numbers("zero", [], [0.0])
        self.graph.numbers("one", [], [1.0])
        self.graph.numbers("six", [], [6.0])
        self.graph.numbers("twice", [4], [1.0, 1.0, 2.0, 2.0])

    def convolved(self, x, output, parameters, **attributes):
        shape, weights, biases = parameters
        kernel = self.kernel(output, shape, weights) if x not in self.ranges else self.rounded_kernel(output, shape, weights)
        biases = self.graph.numbers(f"{output}.bias", shape[:1], biases)
        return self.graph.add("Conv", [self.rounded_values(x), kernel, biases], output, **attributes)

    def kernel(self, name, shape, weights):
        """A kernel that is kept in 16 bits."""
        kernel = self.graph.constant(f"{name}.weight", shape, struct.pack(f"<{len(weights)}e", *weights), HALF)
        return self.graph.add("Cast", [kernel], f"{kernel}/wide", to=FLOAT)

    def rounded_kernel(self, name, shape, weights):
        """A kernel of 8 bits."""
        size = len(weights) // shape[0]
        channels = [weights[at : at + size] for at in range(0, len(weights), size)]
        scales = [max(1e-12, *(abs(weight) for weight in channel)) / self.TOP for channel in channels]
        steps = [round(weight / scale) for channel, scale in zip(channels, scales) for weight in channel]
        kernel = self.graph.constant(f"{name}.weight", shape, struct.pack(f"{len(steps)}b", *steps), INT8)
        grid = [
            self.graph.numbers(f"{kernel}.scale", shape[:1], scales),
            self.graph.constant(f"{kernel}.zero", shape[:1], bytes(shape[0]), INT8)]
        return self.graph.add("DequantizeLinear", [kernel, *grid], f"{kernel}/wide", axis=0)

    def rounded_values(self, x):
        """What the runtime is to keep in 8 bits, where its range is known."""
        if x not in self.ranges or x in self.rounded:
            return self.rounded.get(x, x)
        low, high = self.ranges[x]
        scale = (high - low) / 255
        grid = [
            self.graph.numbers(f"{x}.scale", [], [scale]),
            self.graph.constant(f"{x}.zero", [], bytes([round(-low / scale)]), UINT8)]
        steps = self.graph.add("QuantizeLinear", [x, *grid], f"{x}/steps")
        self.rounded[x] = self.graph.add("DequantizeLinear", [steps, *grid], f"{x}/rounded")
        return self.rounded[x]

    # EfficientNet-Lite0

    def adapted(self, x, name, normalisation, stride=1, is_clipped=True):
        parameters = self.fetched.convolution(name, normalisation)
        outputs, inputs = parameters[0][:2]
        x = self.convolved(
            x, f"{name}/out", parameters, strides=[stride, stride], auto_pad="SAME_UPPER", group=outputs if inputs == 1 else 1)
        return self.graph.add("Clip", [x, "zero", "six"], f"{name}/clipped") if is_clipped else x

    def block(self, x, index, stride, widening):
        name, y = f"_blocks.{index}.", x
        if widening > 1:
            y = self.adapted(y, f"{name}_expand_conv", f"{name}_bn0")
        y = self.adapted(y, f"{name}_depthwise_conv", f"{name}_bn1", stride)
        return self.adapted(y, f"{name}_project_conv", f"{name}_bn2", is_clipped=False)

    def features(self, picture):
        """Those at a quarter, an eighth, a sixteenth and a thirty-second of the size."""
        x = self.adapted(picture, "_conv_stem", "_bn0", 2)
        index, tapped = 0, []
        for stage, (repeats, _, stride, widening) in enumerate(STAGES):
            for repeat in range(repeats):
                y = self.block(x, index, stride if repeat == 0 else 1, widening)
                x = y if repeat == 0 else self.graph.add("Add", [x, y], f"_blocks.{index}/sum")
                index += 1
            if stage in TAPPED:
                tapped.append(x)
        return tapped

    # The decoder

    def convolution(self, x, name, stride=1, is_relu=False):
        parameters = self.learned[name]
        pad = (parameters[0][2] - 1) // 2
        x = self.convolved(x, name, parameters, strides=[stride, stride], pads=[pad] * 4)
        return self.relu(x) if is_relu else x

    def relu(self, x):
        return self.graph.add("Relu", [x], f"{x}/relu")

    def sum(self, x, y):
        return self.graph.add("Add", [x, y], f"{x}+{y}")

    def residual(self, x, name):
        x = self.relu(x)
        y = self.convolution(x, f"{name}.first", is_relu=True)
        return self.relu(self.sum(x, self.convolution(y, f"{name}.second")))

    def enlarged(self, x, name):
        x = self.convolution(x, name)
        return self.graph.add("Resize", [x, "", "twice"], f"{name}/enlarged", mode="linear")

    def alpha(self, picture):
        quarter, eighth, sixteenth, thirtysecond = self.features(picture)
        detail = self.convolution(self.convolution(picture, "stem", 2, is_relu=True), "down4", 2, is_relu=True)
        x = self.convolution(thirtysecond, "p32", is_relu=True)
        x = self.residual(self.sum(self.enlarged(x, "n32"), self.convolution(sixteenth, "p16")), "r16")
        x = self.residual(self.sum(self.enlarged(x, "n16"), self.convolution(eighth, "p8")), "r8")
        x = self.sum(self.enlarged(x, "n8"), self.convolution(quarter, "p4"))
        x = self.residual(self.sum(x, detail), "r4")
        x = self.graph.add("DepthToSpace", [self.convolution(x, "out")], "logits", blocksize=4, mode="CRD")
        # Alpha reaches 0 and 1, which a sigmoid never does.
        x = self.graph.add("Sigmoid", [x], "probability")
        x = self.graph.add("Mul", [x, self.graph.numbers("stretch", [], [1.06])], "stretched")
        x = self.graph.add("Sub", [x, self.graph.numbers("shift", [], [0.03])], "shifted")
        return self.graph.add("Clip", [x, "zero", "one"], "alpha")


def build(checkpoint: bytes, learned: bytes, width: int, height: int) -> bytes:
    """Returns the network in ONNX, for pictures of one size."""
    layers, ranges = learned_weights(learned)
    builder = Builder(Features(checkpoint, layers), layers, ranges)
    builder.alpha("picture")
    return builder.graph.written([("picture", [1, 3, height, width])], [("alpha", [1, 1, height, width])])
