"""Reads and writes Protocol Buffers, and writes ONNX with them; field numbers are those of onnx.proto."""

import struct

FLOAT, UINT8, INT8, INT64, HALF = 1, 2, 3, 7, 10


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


class Graph:
    """An ONNX graph in the making, of the operations of one version of ONNX's set."""

    def __init__(self, name, operations=13):
        self.name, self.operations, self.nodes, self.constants = name, operations, [], []

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
        graph = message(*self.nodes, (2, self.name), *self.constants, *ports)
        return message((1, 8 if self.operations < 19 else 9), (7, graph), (8, message((1, ""), (2, self.operations))))


def halved(numbers: bytes) -> bytes:
    """The same numbers, of half as many bits."""
    return struct.pack(f"<{len(numbers) // 4}e", *memoryview(numbers).cast("f"))
