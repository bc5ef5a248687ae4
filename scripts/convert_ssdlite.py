"""Converts a frozen TensorFlow graph of SSDLite with MobileNetV2, of one class, to ONNX, with outputs like those of MediaPipe's detectors.

What is kept leads from the normalised picture to the box encodings and the classes' logits (Liu et al., "SSD: Single Shot MultiBox
Detector", 2016; Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018). A box encoding is relative to its
anchor, whose centre is that of a cell; instead, the converted network gives `regressors`, 4 numbers for each anchor: where the box's
centre lies from the cell's, and the box's size, across before down, in pixels; and `classificators`, the logarithmic odds that it is a
person. Both formats are Protocol Buffers; field numbers are those of TensorFlow's graph.proto and of ONNX's onnx.proto.
"""

import struct

SIDE = 300
# The cells along a side of each layer, and the scales of its anchors' boxes, of which the last is mixed with the next one.
CELLS = (19, 10, 5, 3, 2, 1)
SCALES = [0.2 + 0.15 * layer for layer in range(6)] + [1.0]
FLOAT, INT64, HALF = 1, 7, 10


# Protocol Buffers


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data):
    """The numbers and contents of a message's fields; a content is an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        size = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
            continue
        if size is None:
            size, at = varint(data, at)
        yield key >> 3, bytes(data[at : at + size])
        at += size


def integers(packed):
    at = 0
    while at < len(packed):
        value, at = varint(packed, at)
        yield value


def message(*pairs):
    """A message of pairs of a field's number and its content: an integer, a float, text, or bytes."""

    def number(value):
        out = bytearray()
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        return bytes(out + bytes([value]))

    out = []
    for field, value in pairs:
        if isinstance(value, int):
            out += [number(field << 3), number(value)]
        elif isinstance(value, float):
            out += [number(field << 3 | 5), struct.pack("<f", value)]
        else:
            value = value.encode() if isinstance(value, str) else value
            out += [number(field << 3 | 2), number(len(value)), value]
    return b"".join(out)


# The frozen graph


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


# The converted one


class Graph:
    """An ONNX graph in the making."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def add(self, operation, inputs, output, **attributes):
        pairs = [(1, name) for name in inputs] + [(2, output), (4, operation)]
        for name, value in attributes.items():
            if isinstance(value, list):
                pairs.append((5, message((1, name), *((8, item) for item in value), (20, 7))))
            else:
                field, kind = {int: (3, 2), float: (2, 1), str: (4, 3)}[type(value)]
                pairs.append((5, message((1, name), (field, value), (20, kind))))
        self.nodes.append((1, message(*pairs)))
        return output

    def constant(self, name, shape, data, kind=FLOAT):
        self.constants.append((5, message(*((1, size) for size in shape), (2, kind), (8, name), (9, data))))
        return name

    def numbers(self, name, shape, values):
        return self.constant(name, shape, struct.pack(f"<{len(values)}f", *values))

    def whole_numbers(self, name, values):
        return self.constant(name, [len(values)], struct.pack(f"<{len(values)}q", *values), INT64)

    def written(self, inputs, outputs) -> bytes:
        def port(name, shape):
            dimensions = message(*((1, message((1, size))) for size in shape))
            return message((1, name), (2, message((1, message((1, FLOAT), (2, dimensions))))))

        ports = [(11, port(*item)) for item in inputs] + [(12, port(*item)) for item in outputs]
        graph = message(*self.nodes, (2, "ssdlite"), *self.constants, *ports)
        return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))


def convert(frozen: bytes) -> bytes:
    """Returns the network in ONNX."""
    nodes = {node.name: node for node in (Node(value) for field, value in fields(frozen) if field == 1)}
    graph = Graph()
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


def halved(numbers: bytes) -> bytes:
    """The same numbers, of half as many bits."""
    return struct.pack(f"<{len(numbers) // 4}e", *memoryview(numbers).cast("f"))


def layer_sizes(layer):
    """Width and height of each anchor's box in a layer, in 0…1 of the picture."""
    scale = SCALES[layer]
    if layer == 0:
        boxes = [(0.1, 1), (scale, 2), (scale, 0.5)]
    else:
        boxes = [(scale, ratio) for ratio in (1, 2, 0.5, 3, 1 / 3)] + [((scale * SCALES[layer + 1]) ** 0.5, 1)]
    return [(scale * ratio**0.5, scale / ratio**0.5) for scale, ratio in boxes] * CELLS[layer] ** 2
