"""Rewrites MediaPipe's own operator in the selfie networks as one of TensorFlow Lite's.

Convolution2DTransposeBias (data, kernel, bias) is TRANSPOSE_CONV (shape, kernel, data, bias) with SAME padding and
stride 2. A TensorFlow Lite file is a FlatBuffer, in which references only point forward: what leads to the operator is
written anew in front of the old file, and refers to everything else where it was. Field numbers are those of
TensorFlow Lite's schema.fbs.
"""

import struct
from typing import NamedTuple

CUSTOM_OPERATOR = b"Convolution2DTransposeBias"
SAME_PADDING_STRIDE_2 = struct.pack("<3i", 1, 2, 2)
TRANSPOSE_CONV, TRANSPOSE_CONV_OPTIONS, INT32 = 67, 49, 2


class Old(NamedTuple):
    """An object at this position of the old file."""

    position: int


def rewrite(old: bytes) -> bytes:
    """Returns the network `old` with its Convolution2DTransposeBias replaced."""

    def integer(position, format="<i"):
        """The integer at `position`; 0, the default of every field used here, where the field is absent."""
        return 0 if position is None else struct.unpack_from(format, old, position)[0]

    def target(position):
        return Old(position + integer(position))

    def table(object):
        """The positions of a table's fields, by number."""
        vtable = object.position - integer(object.position)
        offsets = [integer(entry, "<H") for entry in range(vtable + 4, vtable + integer(vtable, "<H"), 2)]
        return {number: object.position + offset for number, offset in enumerate(offsets) if offset}

    def vector(position):
        """The positions of a vector's items."""
        start = target(position).position
        return range(start + 4, start + 4 + 4 * integer(start), 4)

    def bytes_at(position):
        start = target(position).position
        return old[start + 4 : start + 4 + integer(start)]

    model = table(target(0))
    (graph,) = (table(target(position)) for position in vector(model[2]))
    codes = [target(position) for position in vector(model[1])]
    buffers = [target(position) for position in vector(model[4])]
    tensors = [target(position) for position in vector(graph[0])]
    operators = [target(position) for position in vector(graph[3])]

    (code,) = (n for n, code in enumerate(codes) if 1 in table(code) and bytes_at(table(code)[1]) == CUSTOM_OPERATOR)
    (operator,) = (n for n, operator in enumerate(operators) if integer(table(operator).get(0)) == code)
    fields = table(operators[operator])
    if bytes_at(fields[5]) != SAME_PADDING_STRIDE_2:
        raise ValueError("Convolution2DTransposeBias is expected to have SAME padding and stride 2")
    data, kernel, bias = map(integer, vector(fields[1]))
    (output,) = map(integer, vector(fields[2]))
    shape = table(tensors[output])[0]
    dimensions = old[vector(shape).start : vector(shape).stop]

    codes[code] = {0: TRANSPOSE_CONV, 2: 3, 3: TRANSPOSE_CONV}
    operators[operator] = {
        0: code,
        1: [len(tensors), kernel, data, bias],
        2: [output],
        3: TRANSPOSE_CONV_OPTIONS,
        4: {0: 0, 1: 2, 2: 2},
    }
    tensors.append({0: [4], 1: INT32, 2: len(buffers), 3: CUSTOM_OPERATOR + b"/shape"})
    buffers.append({0: dimensions})

    graph = {number: target(position) for number, position in graph.items()} | {0: tensors, 3: operators}
    version = integer(model.get(0))
    model = {number: target(position) for number, position in model.items()}
    return in_front(model | {0: version, 1: codes, 2: [graph], 4: buffers}, old)


def in_front(root: dict, old: bytes) -> bytes:
    """Returns a FlatBuffer of `root` followed by `old`.

    A table is a dictionary from field number to value, a vector is a list, and bytes are bytes; a value that is an
    integer takes 32 bits in place, and any other is referred to.
    """
    new = bytearray(struct.pack("<i4s", 0, b"TFL3"))
    references = [(0, root)]

    def append(value):
        if not isinstance(value, int):
            references.append((len(new), value))
            value = 0
        new.extend(struct.pack("<i", value))

    for reference, value in references:
        start = len(new)
        if isinstance(value, Old):
            continue
        elif isinstance(value, dict):
            numbers = sorted(value)
            offsets = [4 + 4 * numbers.index(n) if n in value else 0 for n in range(numbers[-1] + 1)]
            new += struct.pack(f"<{2 + len(offsets)}H", 4 + 2 * len(offsets), 4 + 4 * len(numbers), *offsets)
            new += bytes(-len(new) % 4)
            start, vtable = len(new), start
            append(start - vtable)
            for number in numbers:
                append(value[number])
        elif isinstance(value, list):
            append(len(value))
            for item in value:
                append(item)
        else:
            append(len(value))
            new += value + bytes(4 - len(value) % 4)
        struct.pack_into("<i", new, reference, start - reference)

    new += bytes(-len(new) % 16)
    for reference, value in references:
        if isinstance(value, Old):
            struct.pack_into("<i", new, reference, len(new) + value.position - reference)
    return bytes(new) + old
