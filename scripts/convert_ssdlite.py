"""Converts a frozen TensorFlow graph of SSDLite with MobileNetV2, of one class, to ONNX, with outputs like those of MediaPipe's detectors.

What is kept leads from the normalised picture to the box encodings and the classes' logits (Liu et al., "SSD: Single Shot MultiBox
Detector", 2016; Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018). A box encoding is relative to its
anchor, whose centre is that of a cell; instead, the converted network gives `regressors`, 4 numbers for each anchor: where the box's
centre lies from the cell's, and the box's size, across before down, in pixels; and `classificators`, the logarithmic odds that it is a
person. Field numbers are those of TensorFlow's graph.proto.
"""

import struct

from onnx_graph import FLOAT, HALF, Graph, fields, halved, integers

SIDE = 300
# The cells along a side of each layer, and the scales of its anchors' boxes, of which the last is mixed with the next one.
CELLS = (19, 10, 5, 3, 2, 1)
SCALES = [0.2 + 0.15 * layer for layer in range(6)] + [1.0]


class Node:
    """A node of the frozen graph: its operation, the names of its inputs, and its attributes."""

    def __init__(self, data):
        self.inputs, self.attributes = [], {}
        for field, value in fields(data):
            if field == 1:
                self.name = value.decode()
            elif field == 2:
                self.operation = value.decode()
            elif field == 3:
                self.inputs.append(value.decode())
            elif field == 5:
                pair = dict(fields(value))
                self.attributes[pair[1].decode()] = dict(fields(pair[2]))

    @property
    def strides(self):
        return list(integers(dict(fields(self.attributes["strides"][1]))[3]))[1:3]

    @property
    def padding(self):
        return {b"SAME": "SAME_UPPER", b"VALID": "VALID"}[self.attributes["padding"][2]]

    @property
    def epsilon(self):
        return struct.unpack("<f", self.attributes["epsilon"][4])[0]

    @property
    def constant(self):
        """The shape and the bytes of a constant's 32-bit floating-point numbers."""
        parts = dict(fields(self.attributes["value"][8]))
        dimensions = [dict(fields(value))[1] for field, value in fields(parts[2]) if field == 2]
        if parts[1] != FLOAT or 4 not in parts:
            raise ValueError(f"{self.name} is expected to be a tensor of 32-bit floating-point numbers")
        return dimensions, parts[4]


def convert(frozen: bytes) -> bytes:
    """Returns the network in ONNX."""
    nodes = {node.name: node for node in (Node(value) for field, value in fields(frozen) if field == 1)}
    graph = Graph("ssdlite")
    done = {}
    graph.numbers("zero", [], [0.0])
    graph.numbers("six", [], [6.0])

    def constant(name):
        node = nodes[name]
        return constant(node.inputs[0]) if node.operation == "Identity" else node.constant

    def vector(name, *more):
        shape, data = constant(name)
        return graph.constant(name, shape + list(more), data)

    def convolve(node, perm, is_depthwise):
        shape, data = constant(node.inputs[1])
        kernel = graph.constant(node.inputs[1], shape, halved(data), HALF)
        kernel = graph.add("Cast", [kernel], f"{kernel}/wide", to=FLOAT)
        kernel = graph.add("Transpose", [kernel], f"{kernel}/first", perm=perm)
        return graph.add(
            "Conv", [value(node.inputs[0]), kernel], node.name, strides=node.strides, auto_pad=node.padding,
            group=shape[2] if is_depthwise else 1)

    def made(node):
        if node.name.startswith("Preprocessor/"):
            return graph.add("Transpose", ["input"], "picture", perm=[0, 3, 1, 2])
        first = node.inputs[0]
        if node.operation == "Identity":
            return value(first)
        if node.operation == "Conv2D":
            return convolve(node, [3, 2, 0, 1], is_depthwise=False)
        if node.operation == "DepthwiseConv2dNative":
            return convolve(node, [2, 3, 0, 1], is_depthwise=True)
        if node.operation == "FusedBatchNorm":
            inputs = [value(first)] + [vector(name) for name in node.inputs[1:]]
            return graph.add("BatchNormalization", inputs, node.name, epsilon=node.epsilon)
        if node.operation == "BiasAdd":
            return graph.add("Add", [value(first), vector(node.inputs[1], 1, 1)], node.name)
        if node.operation == "Add":
            return graph.add("Add", [value(first), value(node.inputs[1])], node.name)
        if node.operation == "Relu6":
            return graph.add("Clip", [value(first), "zero", "six"], node.name)
        raise ValueError(f"{node.name} is not expected to be a {node.operation}")

    def value(name):
        if name not in done:
            done[name] = made(nodes[name])
        return done[name]

    def joined(predictor, count):
        """What a predictor says of all layers, `count` numbers for each anchor."""
        shape = graph.whole_numbers(f"{predictor}/shape", [1, -1, count])
        layers = []
        for layer in range(len(CELLS)):
            name = f"BoxPredictor_{layer}/{predictor}/BiasAdd"
            last = graph.add("Transpose", [value(name)], f"{name}/last", perm=[0, 2, 3, 1])
            layers.append(graph.add("Reshape", [last, shape], f"{name}/anchors"))
        return graph.add("Concat", layers, predictor, axis=1)

    encodings = joined("BoxEncodingPredictor", 4)
    logits = joined("ClassPredictor", 2)
    sizes = [SIDE * side for layer in range(len(CELLS)) for size in layer_sizes(layer) for side in size]
    count = len(sizes) // 2
    anchors = graph.numbers("anchors", [1, count, 2], sizes)

    def column(data, *indices):
        name = f"{data}/{indices[0]}"
        return graph.add("Gather", [data, graph.whole_numbers(f"{name}/index", indices)], f"{name}/picked", axis=2)

    def scaled(data, factor):
        return graph.add("Mul", [data, graph.numbers(f"{data}/factor", [], [factor])], f"{data}/scaled")

    # An encoding is centre and size, down before across; centres are told in tenths of the anchor, sizes' logarithms in fifths.
    center = graph.add("Mul", [scaled(column(encodings, 1, 0), 0.1), anchors], "center")
    growth = graph.add("Exp", [scaled(column(encodings, 3, 2), 0.2)], "growth")
    size = graph.add("Mul", [growth, anchors], "size")
    graph.add("Concat", [center, size], "regressors", axis=2)
    graph.add("Identity", [column(logits, 1)], "classificators")
    return graph.written(
        [("input", [1, SIDE, SIDE, 3])], [("regressors", [1, count, 4]), ("classificators", [1, count, 1])])


def layer_sizes(layer):
    """Width and height of each anchor's box in a layer, in 0…1 of the picture."""
    scale = SCALES[layer]
    if layer == 0:
        boxes = [(0.1, 1), (scale, 2), (scale, 0.5)]
    else:
        boxes = [(scale, ratio) for ratio in (1, 2, 0.5, 3, 1 / 3)] + [((scale * SCALES[layer + 1]) ** 0.5, 1)]
    return [(scale * ratio**0.5, scale / ratio**0.5) for scale, ratio in boxes] * CELLS[layer] ** 2
