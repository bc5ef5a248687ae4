"""The person verifier, its training, and its ONNX: `python verifier.py --shards … --validation … --out run --onnx ../models/person_verifier.onnx`.

Resumes from the last checkpoint in `--out`.
"""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

from exported import unfolded
from run import Run, arguments_of, seeded


class Block(nn.Module):
    """Two convolutions and a shorter way past them (He et al., "Deep Residual Learning", 2016), to half the size."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, 2, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.past = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.layers(x) + self.past(x))


class Verifier(nn.Module):
    """Red, green, blue and a coarse mask (N, 4, 96, 96; -0.5…0.5) to the logarithmic odds (N, 1) of their showing people.

    Plain convolutions of widths that are multiples of 16: on a CPU these train three times as fast as inverted residuals.
    """

    def __init__(self, widths=(16, 32, 48, 64, 80)):
        super().__init__()
        stem = [nn.Conv2d(4, widths[0], 3, 2, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True)]
        self.features = nn.Sequential(*stem, *[Block(*pair) for pair in zip(widths, widths[1:])])
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
    """The batch turned, moved, relit and partly covered."""
    count = len(x)

    def some(share):
        return torch.from_numpy(random.random(count) < share)

    def factors(spread, channels):
        return torch.from_numpy(np.exp(random.normal(0, spread, (count, channels, 1, 1)))).float()

    flip = some(0.5)
    x[flip] = x[flip].flip(3)
    gain = torch.from_numpy(random.uniform(0.75, 1.25, (count, 1, 1, 1))).float()
    shift = torch.from_numpy(random.uniform(-0.08, 0.08, (count, 3, 1, 1))).float()
    x[:, :3] = (x[:, :3] * gain + shift).clamp(0, 1)
    tinted, dimmed, grey = some(0.25), some(0.2), some(0.1)
    x[tinted, :3] = (x[tinted, :3] * factors(0.2, 3)[tinted]).clamp(0, 1)
    x[dimmed, :3] = x[dimmed, :3].clamp(1e-4, 1) ** factors(0.35, 1)[dimmed]
    x[grey, :3] = x[grey, :3].mean(1, keepdim=True)
    angle, scale = random.uniform(-0.175, 0.175, count), random.uniform(0.88, 1.12, count)
    tall = scale * random.uniform(0.9, 1.1, count)
    move = np.stack([
        np.stack([scale * np.cos(angle), -np.sin(angle), random.uniform(-0.08, 0.08, count)], 1),
        np.stack([np.sin(angle), tall * np.cos(angle), random.uniform(-0.08, 0.08, count)], 1)], 1)
    moved = some(0.7)
    grid = F.affine_grid(torch.from_numpy(move).float()[moved], x[moved].shape, align_corners=False)
    x[moved] = F.grid_sample(x[moved], grid, padding_mode="border", align_corners=False)
    covered, patched = some(0.25), some(0.1)
    for i in range(count):
        left, top = random.integers(0, 76, 2)
        width, height = random.integers(12, 48, 2)
        part = np.s_[:3, top : top + height, left : left + width]
        if covered[i]:
            x[i][part] = torch.from_numpy(random.random((3, 1, 1))).float()
        elif patched[i]:
            x[i][part] = x[random.integers(count)][part]
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
        network.eval(), (torch.rand(1, 4, 96, 96) - 0.5,), path, input_names=["input"], output_names=["presence"],
        opset_version=17, dynamo=False)
    print(f"for the test of the Swift side: {reference(network):.5f}")


@torch.no_grad()
def read(path, pictures):
    """The verifier in the ONNX file that `export` wrote, which has its normalisations folded in; `pictures` are candidates."""
    graph = onnx.load(path).graph
    stored = {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in graph.initializer}
    network = Verifier()
    convolutions, normalisations = (
        [module for module in network.modules() if isinstance(module, kind)] for kind in (nn.Conv2d, nn.BatchNorm2d))
    folded = [[stored[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"]
    for (weight, bias), convolution, normalisation in zip(folded, convolutions, normalisations, strict=True):
        convolution.weight.copy_(weight)
        normalisation.bias.copy_(bias)
    network.odds.weight.copy_(stored["odds.weight"])
    network.odds.bias.copy_(stored["odds.bias"])
    return unfolded(network, pictures)


@torch.no_grad()
def reference(network):
    """What the network makes of a pattern that the test makes as well."""
    y, x = np.mgrid[:96, :96]
    picture = np.stack([(7 * x + 3 * y) % 256, (5 * x + 11 * y) % 256, (x * y) % 256]) / 255
    mask = (x - 48) ** 2 + (y - 56) ** 2 < 30**2
    return network(torch.from_numpy(np.concatenate([picture, [mask]])[None]).float() - 0.5).item()


def main():
    parser = arguments_of(__doc__, minutes=20, batch=64, rate=3e-3)
    parser.add_argument("--start", type=Path, help="the weights of a run, or what it exported (.onnx), to go on from")
    parser.add_argument("--onnx", type=Path, required=True)
    arguments = parser.parse_args()

    random = seeded(arguments)
    candidates = Candidates(arguments.shards, random)
    judge = Candidates(arguments.validation, np.random.default_rng(0))
    judged = [judge.batch(128) for _ in range(10)]
    network = Verifier()
    if arguments.start and arguments.start.suffix == ".onnx":
        network = read(arguments.start, candidates.batch(512)[0] - 0.5)
    elif arguments.start:
        network.load_state_dict(torch.load(arguments.start, weights_only=True))
    network = network.to(memory_format=torch.channels_last)
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
