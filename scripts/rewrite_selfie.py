"""Rewrites the selfie network such that the runtime takes it, and takes it fast; what it computes stays the same.

MediaPipe's own operator, Convolution2DTransposeBias (data, kernel, bias), has a kernel of 2x2 pixels and moves by 2: each
pixel becomes four that have nothing to do with each other. That is a convolution of one pixel with four results, and
DEPTH_TO_SPACE. Where a picture is enlarged and a convolution of one pixel follows, they change places: enlarging mixes
pixels of one channel, such a convolution the channels of one pixel, and there is less to convolve.

A TensorFlow Lite file is a FlatBuffer, in which references only point forward: what leads to a changed operator is
written anew in front of the old file, and refers to everything else where it was. Field numbers are those of
TensorFlow Lite's schema.fbs.
"""

import struct
from typing import NamedTuple

CUSTOM_OPERATOR = b"Convolution2DTransposeBias"
SAME_PADDING_STRIDE_2 = struct.pack("<3i", 1, 2, 2)
CONV_2D, DEPTH_TO_SPACE, RESIZE_BILINEAR = 3, 5, 23
CONV_2D_OPTIONS, DEPTH_TO_SPACE_OPTIONS = 1, 94


class Old(NamedTuple):
    """An object at this position of the old file."""

    position: int


class Network:
    """A TensorFlow Lite file: its tensors, operators, codes of operators, and buffers, to be changed and written."""

    def __init__(self, old: bytes):
        self.old = old
        self.model = self.table(self.target(0))
        (graph,) = self.vector(self.model[2])
        self.graph = self.table(self.target(graph))
        self.codes = self.targets(self.model[1])
        self.buffers = self.targets(self.model[4])
        self.tensors = self.targets(self.graph[0])
        self.operators = [self.operator(self.table(object)) for object in self.targets(self.graph[3])]

    # What stands in the old file

    def integer(self, position, format="<i"):
        """The integer at `position`; 0, the default of every field used here, where the field is absent."""
        return 0 if position is None else struct.unpack_from(format, self.old, position)[0]

    def target(self, position):
        return Old(position + self.integer(position))

    def table(self, object):
        """The positions of a table's fields, by number."""
        vtable = object.position - self.integer(object.position)
        entries = range(vtable + 4, vtable + self.integer(vtable, "<H"), 2)
        offsets = [self.integer(entry, "<H") for entry in entries]
        return {number: object.position + offset for number, offset in enumerate(offsets) if offset}

    def vector(self, position):
        """The positions of a vector's items."""
        start = self.target(position).position
        return range(start + 4, start + 4 + 4 * self.integer(start), 4)

    def targets(self, position):
        return [self.target(item) for item in self.vector(position)]

    def integers(self, position):
        return [self.integer(item) for item in self.vector(position)]

    def bytes_of(self, object):
        start = object.position + 4
        return self.old[start : start + self.integer(object.position)]

    def operator(self, fields):
        """An operator with its code, its inputs and outputs to be changed."""
        options = {number: self.target(fields[number]) for number in (4, 5) if number in fields}
        kind = self.integer(fields.get(3), "<b")
        return {0: self.integer(fields.get(0)), 1: self.integers(fields[1]), 2: self.integers(fields[2]), 3: kind} | options

    def code(self, number):
        """Which operator stands behind a code; nothing for those that are changed."""
        code = self.codes[number]
        return self.integer(self.table(code).get(3)) if isinstance(code, Old) else None

    def custom_name(self, number):
        fields = self.table(self.codes[number])
        return self.bytes_of(self.target(fields[1])) if 1 in fields else None

    def shape(self, tensor):
        tensor = self.tensors[tensor]
        return tensor[0] if isinstance(tensor, dict) else self.integers(self.table(tensor)[0])

    def is_plain_convolution(self, operator):
        """Whether it is one of one pixel, that moves by one, and leaves its result as it is."""
        if self.code(operator[0]) != CONV_2D or self.shape(operator[1][1])[1:3] != [1, 1]:
            return False
        options = self.table(operator[4])
        strides = [self.integer(options.get(number)) for number in (1, 2)]
        return strides == [1, 1] and self.integer(options.get(3), "<b") == 0

    # What changes

    def add_tensor(self, shape, name):
        """A new tensor of 32-bit floating-point numbers."""
        self.tensors.append({0: shape, 3: name})
        return len(self.tensors) - 1

    def change_constant(self, tensor, shape, copies=1):
        """Gives a constant, and what it is widened from, another shape, and its numbers so many times over."""
        (widening,) = (operator for operator in self.operators if operator[2] == [tensor])
        for index in (tensor, *widening[1]):
            fields = self.table(self.tensors[index])
            type, buffer = self.integer(fields.get(1), "<b"), self.integer(fields.get(2))
            contents = self.table(self.buffers[buffer])
            if copies > 1 and 0 in contents:
                self.buffers[buffer] = {0: self.bytes_of(self.target(contents[0])) * copies}
            self.tensors[index] = {0: shape, 1: type, 2: buffer, 3: self.target(fields[3])}

    def written(self) -> bytes:
        graph = {number: self.target(position) for number, position in self.graph.items()}
        graph |= {0: self.tensors, 3: self.operators}
        model = {number: self.target(position) for number, position in self.model.items() if number > 0}
        version = self.integer(self.model.get(0))
        return in_front(model | {0: version, 1: self.codes, 2: [graph], 4: self.buffers}, self.old)


def rewrite(old: bytes) -> bytes:
    """Returns the network `old` as the runtime likes it."""
    network = Network(old)
    replace_custom_operator(network)
    convolve_before_enlarging(network)
    return network.written()


def replace_custom_operator(network):
    """A transposed convolution of 2x2 pixels that moves by 2: a convolution of one pixel, whose four results are four pixels."""
    (custom,) = (number for number in range(len(network.codes)) if network.custom_name(number) == CUSTOM_OPERATOR)
    convolution = next(number for number in range(len(network.codes)) if network.code(number) == CONV_2D)
    (index,) = (index for index, operator in enumerate(network.operators) if operator[0] == custom)
    operator = network.operators[index]
    (data, kernel, bias), (output,) = operator[1], operator[2]
    count, rows, columns, channels = network.shape(kernel)
    if network.bytes_of(operator[5]) != SAME_PADDING_STRIDE_2 or (count, rows, columns) != (1, 2, 2):
        raise ValueError(f"{CUSTOM_OPERATOR.decode()} is expected to have SAME padding, stride 2 and a kernel of 2x2 pixels")
    network.change_constant(kernel, [4, 1, 1, channels])
    network.change_constant(bias, [4], copies=4)
    four = network.add_tensor(network.shape(data)[:3] + [4], CUSTOM_OPERATOR + b"/four")
    network.codes[custom] = {0: DEPTH_TO_SPACE, 2: 1, 3: DEPTH_TO_SPACE}
    network.operators[index : index + 1] = [
        {0: convolution, 1: [data, kernel, bias], 2: [four], 3: CONV_2D_OPTIONS, 4: {0: 0, 1: 1, 2: 1}},
        {0: custom, 1: [four], 2: [output], 3: DEPTH_TO_SPACE_OPTIONS, 4: {0: 2}},
    ]


def convolve_before_enlarging(network):
    """Lets enlargements and the convolutions of one pixel that follow them change places."""
    for enlargement in [operator for operator in network.operators if network.code(operator[0]) == RESIZE_BILINEAR]:
        (data, size), (enlarged,) = enlargement[1], enlargement[2]
        users = [operator for operator in network.operators if enlarged in operator[1]]
        if len(users) != 1 or not network.is_plain_convolution(users[0]):
            continue
        (convolution,) = users
        (output,) = convolution[2]
        channels = network.shape(output)[3]
        small = network.add_tensor(network.shape(data)[:3] + [channels], b"small/%d" % output)
        convolution[1], convolution[2] = [data, *convolution[1][1:]], [small]
        enlargement[1], enlargement[2] = [small, size], [output]
        network.operators.remove(enlargement)
        network.operators.insert(network.operators.index(convolution) + 1, enlargement)


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
