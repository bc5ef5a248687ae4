"""Writes the trained network as ONNX: `python export.py --weights run/weights.pt --patches run/shards --out ../models/matting.onnx`.

Weights and activations are quantised to 8 bits after the training (Jacob et al., "Quantization and Training of Neural
Networks", 2018): weights by output channel, activations by the ranges that they have on patches. Height and width stay free.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from network import CALIBRATION, MattingNetwork, RecurrentMattingNetwork
from quantization import ranges
from train import Patches, prepared
from train_memory import prepared as prepared_sequences


def calibrated(network):
    with torch.no_grad():
        network.correction.bias += CALIBRATION
    return network


def folded(network):
    """The network with each normalisation folded into the convolution before it."""
    for module in network.modules():
        if isinstance(module, torch.nn.Sequential):
            for index in range(len(module) - 1):
                if isinstance(module[index], torch.nn.Conv2d) and isinstance(module[index + 1], torch.nn.BatchNorm2d):
                    module[index] = torch.nn.utils.fuse_conv_bn_eval(module[index], module[index + 1])
                    module[index + 1] = torch.nn.Identity()
    return network


@torch.no_grad()
def inputs_of(network, patches, count):
    """What goes into the network, picture by picture."""
    if not isinstance(network, RecurrentMattingNetwork):
        return [(prepared(patches.batch(1))[0].numpy(),) for _ in range(count)]
    inputs = []
    while len(inputs) < count:
        pictures = prepared_sequences(patches.batch(1))[0]
        states = network.states(1, *pictures.shape[3:])
        for picture in pictures:
            inputs.append((picture.numpy(), *(state.numpy() for state in states)))
            states = network(picture, *states)[1:]
    return inputs


def quantized(model, ranges):
    """The model with 8-bit weights, and its convolutions' inputs rounded to 8 bits."""
    weights = {weight.name: numpy_helper.to_array(weight) for weight in model.graph.initializer}
    initializers, nodes, renamed = [], [], {}
    first = model.graph.node[0].input[1]

    def constant(name, value):
        initializers.append(numpy_helper.from_array(value, name))
        return name

    def rounded(name):
        low, high = ranges[name]
        scale = (high - low) / 255
        grid = [
            constant(name + "_scale", np.float32(scale).reshape(())),
            constant(name + "_zero", np.uint8(round(-low / scale)).reshape(())),
        ]
        nodes.append(helper.make_node("QuantizeLinear", [name, *grid], [name + "_8"]))
        nodes.append(helper.make_node("DequantizeLinear", [name + "_8", *grid], [name + "_rounded"]))
        return name + "_rounded"

    renamed["input"] = rounded("input")
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = renamed.get(name, name)
        if node.op_type == "Conv":
            name = node.input[1]
            weight = weights.pop(name)
            # CPUs without VNNI add products in pairs of 16 bits, which pixels at their largest would overflow.
            limit = 63 if name == first else 127
            scale = np.abs(weight).max((1, 2, 3)).astype(np.float32) / limit
            values = np.round(weight / scale[:, None, None, None]).astype(np.int8)
            grid = [constant(name + "_scale", scale), constant(name + "_zero", np.zeros(len(scale), np.int8))]
            nodes.append(
                helper.make_node("DequantizeLinear", [constant(name + "_8", values), *grid], [name + "_wide"], axis=0))
            node.input[1] = name + "_wide"
        nodes.append(node)
        if node.output[0] in ranges:
            renamed[node.output[0]] = rounded(node.output[0])
    initializers.extend(numpy_helper.from_array(value, name) for name, value in weights.items())
    graph = helper.make_graph(nodes, "matting", model.graph.input, model.graph.output, initializers)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--patches", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()

    network = folded(calibrated(MattingNetwork.trained(arguments.weights)))
    example, names = [torch.rand(1, 4, 288, 512) - 0.5], ["input"]
    outputs, free = ["correction"], {"input": {2: "height", 3: "width"}, "correction": {2: "rows", 3: "columns"}}
    if isinstance(network, RecurrentMattingNetwork):
        example += network.states(1, 288, 512)
        for name in ("state8", "state16"):
            names.append(name)
            outputs.append(name + "_after")
            free[name] = free[name + "_after"] = {2: name + "_rows", 3: name + "_columns"}
    torch.onnx.export(
        network, tuple(example), arguments.out, input_names=names, output_names=outputs, dynamic_axes=free,
        opset_version=19, dynamo=False)
    model = onnx.load(arguments.out)
    patches = Patches(arguments.patches, np.random.default_rng(0))
    patches.refresh()
    # What goes into convolutions and enlargements.
    names = {node.input[0] for node in model.graph.node if node.op_type in ("Conv", "Resize")} - {"input"}
    inner = ranges(model, sorted(names), inputs_of(network, patches, 200))
    model = quantized(model, inner | {"input": (-0.5, 0.5)})
    onnx.checker.check_model(model)
    onnx.save(model, arguments.out)


if __name__ == "__main__":
    main()
