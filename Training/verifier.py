"""The person verifier, its training, and its ONNX: `python verifier.py --shards … --validation … --out run --onnx ../models/person_verifier.onnx`.

Resumes from the last checkpoint in `--out`.
"""

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from run import Run, arguments_of, seeded


class Bottleneck(nn.Module):
    """An inverted residual (Sandler et al., "MobileNetV2", 2018)."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        wide = 3 * inputs
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.goes_on = inputs == outputs and stride == 1

    def forward(self, x):
        return x + self.layers(x) if self.goes_on else self.layers(x)


class Verifier(nn.Module):
    """Red, green, blue and two coarse masks (N, 5, 96, 96; -0.5…0.5) to the logarithmic odds (N, 1) of their showing people."""

    def __init__(self, widths=(16, 24, 40, 64, 96)):
        super().__init__()
        layers = [nn.Conv2d(5, widths[0], 3, 2, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU6(inplace=True)]
        for inputs, outputs in zip(widths, widths[1:]):
            layers += [Bottleneck(inputs, outputs, 2), Bottleneck(outputs, outputs)]
        self.features = nn.Sequential(*layers)
        self.dropout = nn.Dropout(0.3)
        self.odds = nn.Linear(2 * widths[-1], 1)

    def forward(self, x):
        x = self.features(x)
        return self.odds(self.dropout(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)))


class Candidates:
    """Random batches of candidates, half of them people."""

    def __init__(self, folder, random):
        shards = [np.load(path) for path in sorted(Path(folder).glob("*.npz")) if not path.name.endswith(".part.npz")]
        self.candidates = np.concatenate([shard["candidates"] for shard in shards])
        labels = np.concatenate([shard["labels"] for shard in shards])
        self.kinds, self.random = [np.flatnonzero(labels == kind) for kind in (0, 1)], random

    def batch(self, size):
        chosen = np.concatenate([self.random.choice(kind, size // 2) for kind in self.kinds])
        x = torch.from_numpy(self.candidates[chosen]).permute(0, 3, 1, 2).float() / 255
        return x, torch.arange(2).repeat_interleave(size // 2).float()[:, None]


def varied(x, random):
    """The batch turned, moved, relit, partly covered, and with either mask in the other's place."""
    count = len(x)
    flip = torch.from_numpy(random.random(count) < 0.5)
    x[flip] = x[flip].flip(3)
    gain = random.uniform(0.75, 1.25, (count, 1, 1, 1)) + np.zeros((count, 3, 1, 1))
    shift = random.uniform(-0.08, 0.08, (count, 3, 1, 1))
    x[:, :3] = (x[:, :3] * torch.from_numpy(gain).float() + torch.from_numpy(shift).float()).clamp(0, 1)
    grey = torch.from_numpy(random.random(count) < 0.1)
    x[grey, :3] = x[grey, :3].mean(1, keepdim=True)
    angle, scale = random.uniform(-0.175, 0.175, count), random.uniform(0.88, 1.12, count)
    tall = scale * random.uniform(0.9, 1.1, count)
    move = np.stack([
        np.stack([scale * np.cos(angle), -np.sin(angle), random.uniform(-0.08, 0.08, count)], 1),
        np.stack([np.sin(angle), tall * np.cos(angle), random.uniform(-0.08, 0.08, count)], 1)], 1)
    moved = torch.from_numpy(random.random(count) < 0.7)
    grid = F.affine_grid(torch.from_numpy(move).float()[moved], x[moved].shape, align_corners=False)
    x[moved] = F.grid_sample(x[moved], grid, padding_mode="border", align_corners=False)
    for i in np.flatnonzero(random.random(count) < 0.25):
        left, top = random.integers(0, 84, 2)
        width, height = random.integers(12, 44, 2)
        x[i, :3, top : top + height, left : left + width] = torch.from_numpy(random.random((3, 1, 1))).float()
    for i in range(count):
        choice = random.random()
        if choice < 0.1:
            x[i, 3] = x[i, 4]
        elif choice < 0.2:
            x[i, 4] = x[i, 3]
        elif choice < 0.6:
            x[i, 3:5] = x[i, 3:5].flip(0)
    return x


@torch.no_grad()
def rates(network, batches):
    """Which share of the people pass where 1, 2, 5 and 10 of 100 of all else do."""
    odds = [network(x - 0.5)[:, 0].split(len(x) // 2) for x, _ in batches]
    others, people = (torch.cat(kind) for kind in zip(*odds))
    return " ".join(f"{(people > others.quantile(1 - share)).float().mean():.3f}" for share in (0.01, 0.02, 0.05, 0.1))


def export(weights, path):
    network = Verifier()
    network.load_state_dict(torch.load(weights, weights_only=True))
    torch.onnx.export(
        network.eval(), (torch.rand(1, 5, 96, 96) - 0.5,), path, input_names=["input"], output_names=["presence"],
        opset_version=17, dynamo=False)
    print(f"for the test of the Swift side: {reference(network):.5f}")


@torch.no_grad()
def reference(network):
    """What the network makes of a pattern that the test makes as well."""
    y, x = np.mgrid[:96, :96]
    picture = np.stack([(7 * x + 3 * y) % 256, (5 * x + 11 * y) % 256, (x * y) % 256]) / 255
    masks = [(x - 48) ** 2 + (y - 56) ** 2 < radius**2 for radius in (30, 36)]
    return network(torch.from_numpy(np.concatenate([picture, masks])[None]).float() - 0.5).item()


def main():
    parser = arguments_of(__doc__, minutes=20, batch=64, rate=3e-3)
    parser.add_argument("--onnx", type=Path, required=True)
    arguments = parser.parse_args()

    random = seeded(arguments)
    candidates = Candidates(arguments.shards, random)
    judge = Candidates(arguments.validation, np.random.default_rng(0))
    judged = [judge.batch(128) for _ in range(10)]
    network = Verifier().to(memory_format=torch.channels_last)
    mean = Verifier().to(memory_format=torch.channels_last).eval()

    def varied_batch():
        x, labels = candidates.batch(arguments.batch)
        return (varied(x, random) - 0.5).contiguous(memory_format=torch.channels_last), labels

    def loss_of(x, labels):
        return F.binary_cross_entropy_with_logits(network(x), labels * 0.96 + 0.02)

    def judgement(average):
        mean.load_state_dict(average)
        return f"people who pass where 1, 2, 5, 10 % of all else do: {rates(mean, judged)}"

    run = Run(arguments.out, network, [(list(network.parameters()), 1)], arguments.rate, arguments.minutes)
    run.go(varied_batch, loss_of, judgement, every=250)
    export(arguments.out / "weights.pt", arguments.onnx)


if __name__ == "__main__":
    main()
