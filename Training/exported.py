"""Reads a network back from the ONNX file that `export.py` wrote, for it to go on learning."""

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from network import CALIBRATION, LEVELS, MattingNetwork


@torch.no_grad()
def unfolded(network, pictures):
    """The network with normalisations that change nothing: by the mean and the variance that each sees on `pictures`."""

    def normalise(module, inputs):
        mean, variance = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3), unbiased=False)
        module.running_mean.copy_(mean)
        module.running_var.copy_(variance)
        module.weight.copy_((variance + module.eps).sqrt())
        module.bias.add_(mean)

    hooks = [
        module.register_forward_pre_hook(normalise)
        for module in network.modules() if isinstance(module, torch.nn.BatchNorm2d)
    ]
    network.eval()(pictures)
    for hook in hooks:
        hook.remove()
    return network


def read(path, pictures):
    """The matting network in the file, its weights as they were rounded; `pictures` (N, 4, H, W) are patches like those it learned on."""
    stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
    weights = {
        name.removesuffix("_8"): values.astype(np.float32) * stored[name.removesuffix("_8") + "_scale"][:, None, None, None]
        for name, values in stored.items() if name.endswith(".weight_8")
    }
    widths = [len(weights[f"{name}.0.weight" if name == "stem" else f"{name}.0.0.weight"]) for name in LEVELS]
    network = MattingNetwork(widths)
    state = network.state_dict()
    for name, weight in weights.items():
        state[name].copy_(torch.from_numpy(weight))
        bias = name.removesuffix("weight") + "bias"
        # A convolution without a bias is followed by the normalisation that had it.
        target = bias if bias in state else f"{name.removesuffix('0.weight')}1.bias"
        state[target].copy_(torch.from_numpy(stored[bias].copy()))
    state["correction.bias"].sub_(CALIBRATION)
    return unfolded(network, pictures)
