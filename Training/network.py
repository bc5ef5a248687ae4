"""The network: a small U-Net that sees the picture and a coarse mask, and gives alpha."""

import torch
from torch import nn
from torch.nn import functional as F


def convolution(inputs, outputs, stride=1):
    # The normalisation is folded into the convolution when the network is exported.
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = convolution(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return F.relu(x + self.second(self.first(x)))


class Up(nn.Module):
    """Brings `inputs` channels to twice the size and joins them with the encoder's."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.narrow = nn.Conv2d(inputs, outputs, 1)
        self.join = convolution(outputs, outputs)

    def forward(self, x, skip):
        return self.join(F.interpolate(self.narrow(x), scale_factor=2, mode="bilinear", align_corners=False) + skip)


LEVELS = ("stem", "down4", "down8", "down16")


# What an exported network adds to alpha's logits: on the quality suite's clips, other than on patches, alpha comes out a little small.
CALIBRATION = 0.3


class MattingNetwork(nn.Module):
    """Red, green, blue and a coarse mask (N, 4, H, W; -0.5…0.5) to alpha's logits.

    H and W are multiples of 16. The finest features live at half the size; four of them, the network's output
    (N, 4, H/2, W/2), belong to the four pixels under each (sub-pixel convolution: Shi et al., 2016) and tell by how much alpha's
    logit differs from what the coarse mask says. Widths of 16 and multiples cost a vector CPU no more than those
    just below.
    """

    def __init__(self, widths=(16, 16, 32, 64)):
        super().__init__()
        a, b, c, d = widths
        self.stem = nn.Sequential(nn.Conv2d(4, a, 4, 2, 1, bias=False), nn.BatchNorm2d(a), nn.ReLU(inplace=True))
        self.down4 = nn.Sequential(convolution(a, b, 2), Residual(b))
        self.down8 = nn.Sequential(convolution(b, c, 2), Residual(c), Residual(c))
        self.down16 = nn.Sequential(convolution(c, d, 2), Residual(d), Residual(d))
        self.up8, self.up4, self.up2 = Up(d, c), Up(c, b), Up(b, a)
        self.correction = nn.Conv2d(a, 4, 3, 1, 1)

    def encode(self, x):
        """The features at a half, a quarter, an eighth and a sixteenth of the size."""
        x2 = self.stem(x)
        x4 = self.down4(x2)
        x8 = self.down8(x4)
        return x2, x4, x8, self.down16(x8)

    def forward(self, x):
        x2, x4, x8, x16 = self.encode(x)
        return self.correction(self.up2(self.up4(self.up8(x16, x8), x4), x2))

    def logits(self, x):
        return logits_of(self(x), x)

    def alpha(self, x):
        return alpha_of(self.logits(x))

    @property
    def widths(self):
        return [self.stem[0].out_channels, *(block[0][0].out_channels for block in (self.down4, self.down8, self.down16))]

    @staticmethod
    def trained(weights):
        """The network with the weights, or the checkpoint, in a file, ready to be used."""
        state = torch.load(weights, weights_only=True)
        state = state.get("average", state)
        widths = [state[f"{name}.0.weight" if name == "stem" else f"{name}.0.0.weight"].shape[0] for name in LEVELS]
        remembers = "memory8.recall.weight" in state
        network = (RecurrentMattingNetwork if remembers else MattingNetwork)(widths).eval()
        network.load_state_dict(state)
        return network

    @torch.no_grad()
    def widen(self, smaller):
        """Takes the weights of a network of smaller widths, such that both give the same (Net2Net: Chen et al., 2016).

        A channel that there are more of stands for the same feature again; a little noise lets the copies part.
        """
        weights = smaller.state_dict()
        for name, target in self.state_dict().items():
            source = weights[name]
            if source.dim() == 0:
                continue
            rows = torch.arange(target.shape[0]) % source.shape[0]
            value = source[rows]
            if source.dim() == 4:
                columns = torch.arange(target.shape[1]) % source.shape[1]
                value = value[:, columns] / columns.bincount()[columns][None, :, None, None]
                value = value * (1 + 0.1 * torch.randn_like(value) * (target.shape != source.shape))
            target.copy_(value)


def logits_of(correction, x):
    """Alpha's logits (N, 1, H, W) from the network's output and input; the coarse mask's own goes from -3 to 3."""
    return F.pixel_shuffle(correction, 2) + x[:, 3:] * 6


def alpha_of(logits):
    """Alpha that reaches 0 and 1, which a sigmoid never does."""
    return (torch.sigmoid(logits) * 1.06 - 0.03).clamp(0, 1)


class Memory(nn.Module):
    """A convolutional gated recurrent unit whose state is added to the features.

    Ballas et al., "Delving Deeper into Convolutional Networks for Learning Video Representations", 2016. A new one changes
    nothing.
    """

    def __init__(self, features, channels):
        super().__init__()
        self.channels = channels
        self.gates = nn.Conv2d(features + channels, 2 * channels, 3, 1, 1)
        self.candidate = nn.Conv2d(features + channels, channels, 3, 1, 1)
        self.recall = nn.Conv2d(channels, features, 1)
        nn.init.zeros_(self.recall.weight)
        nn.init.zeros_(self.recall.bias)

    def forward(self, x, state):
        keep, reset = torch.sigmoid(self.gates(torch.cat((x, state), 1))).chunk(2, 1)
        candidate = torch.tanh(self.candidate(torch.cat((x, reset * state), 1)))
        state = keep * state + (1 - keep) * candidate
        return x + self.recall(state), state


class RecurrentMattingNetwork(MattingNetwork):
    """A `MattingNetwork` that remembers the pictures before, at an eighth and a sixteenth of their size."""

    def __init__(self, widths=(16, 16, 32, 64), channels=(16, 32)):
        super().__init__(widths)
        self.memory8, self.memory16 = Memory(widths[2], channels[0]), Memory(widths[3], channels[1])

    def decode(self, features, states):
        x2, x4, x8, x16 = features
        x16, state16 = self.memory16(x16, states[1])
        y8, state8 = self.memory8(self.up8(x16, x8), states[0])
        return self.correction(self.up2(self.up4(y8, x4), x2)), (state8, state16)

    def states(self, count, height, width):
        """Those before the first picture."""
        return tuple(
            torch.zeros(count, memory.channels, height // step, width // step)
            for memory, step in ((self.memory8, 8), (self.memory16, 16)))

    def forward(self, x, state8, state16):
        correction, states = self.decode(self.encode(x), (state8, state16))
        return correction, *states
