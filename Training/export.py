"""Writes the trained network as ONNX: `python export.py --weights run/weights.pt --out ../models/matting.onnx`.

Height and width stay free. Weights are kept with 16 bits, which the runtime widens when it loads them.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from network import MattingNetwork


def folded(network):
    """The network with each normalisation folded into the convolution before it."""
    for module in network.modules():
        if isinstance(module, torch.nn.Sequential):
            for index in range(len(module) - 1):
                if isinstance(module[index], torch.nn.Conv2d) and isinstance(module[index + 1], torch.nn.BatchNorm2d):
                    module[index] = torch.nn.utils.fuse_conv_bn_eval(module[index], module[index + 1])
                    module[index + 1] = torch.nn.Identity()
    return network


def halved(model):
    """The model with its larger weights stored in 16 bits."""
    kept, casts = [], []
    for weight in model.graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < 64:
            kept.append(weight)
            continue
        name = weight.name + "_half"
        kept.append(numpy_helper.from_array(values.astype(np.float16), name))
        casts.append(helper.make_node("Cast", [name], [weight.name], to=onnx.TensorProto.FLOAT))
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    nodes = casts + list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()

    network = MattingNetwork.trained(arguments.weights)
    torch.onnx.export(
        folded(network), (torch.rand(1, 5, 288, 512),), arguments.out, input_names=["input"], output_names=["alpha"],
        dynamic_axes={"input": {2: "height", 3: "width"}, "alpha": {2: "height", 3: "width"}}, opset_version=17,
        dynamo=False)
    model = halved(onnx.load(arguments.out))
    del model.metadata_props[:]
    for node in model.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]
    onnx.checker.check_model(model)
    onnx.save(model, arguments.out)


if __name__ == "__main__":
    main()
