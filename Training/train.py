"""Trains the network on shards: `python train.py --shards … --validation … --out run --minutes 90`.

Resumes from the last checkpoint in `--out`.
"""

from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from exported import read
from network import MattingNetwork, alpha_of, logits_of
from run import Run, arguments_of, seeded


class Patches:
    """Random batches of patches; shards that appear while training are taken in."""

    def __init__(self, folder, random):
        self.folder, self.random, self.shards = Path(folder), random, {}

    def refresh(self):
        for path in sorted(self.folder.glob("*.npy")):
            if path not in self.shards and not path.name.endswith(".part.npy"):
                self.shards[path] = np.load(path, mmap_mode="r")

    def batch(self, size):
        shards = list(self.shards.values())
        batch = []
        while len(batch) < size:
            shard = shards[self.random.integers(len(shards))]
            patch = shard[self.random.integers(len(shard))]
            # Patches on which the coarse mask is lost are common in composed scenes and rare in front of a camera.
            coarse, alpha = patch[..., ::4, ::4, 3].astype(np.float32), patch[..., ::4, ::4, 4]
            lost = np.abs(coarse - alpha).mean() > 20
            if not lost or self.random.random() < 0.1:
                batch.append(patch)
        return np.stack(batch)


def prepared(batch, random=None):
    """A batch as the network's input and the true alpha, varied where `random` is given."""
    x = torch.from_numpy(batch).permute(0, 3, 1, 2).float().div_(255)
    if random is not None:
        if random.random() < 0.5:
            x = x.flip(3)
        count = len(x)
        for i in range(count):
            if random.random() < 0.15:
                shift = tuple(int(s) for s in random.integers(-3, 4, 2))
                x[i, 3] = x[i, 3].roll(shift, (0, 1))
        gain = torch.from_numpy(np.exp(random.normal(0, 0.08, (count, 3, 1, 1))).astype(np.float32))
        x[:, :3] = (x[:, :3] * gain).clamp_(0, 1)
    return (x[:, :4] - 0.5).contiguous(memory_format=torch.channels_last), x[:, 4:]


def pyramid(x, levels=4):
    for _ in range(levels):
        smaller = F.avg_pool2d(x, 2)
        yield x - F.interpolate(smaller, scale_factor=2, mode="bilinear", align_corners=False)
        x = smaller


def loss(logits, truth):
    alpha = alpha_of(logits)
    difference = (alpha - truth).abs().mean()
    bands = list(pyramid(alpha - truth))
    details = sum(band.abs().mean() for band in bands)
    # Where the place of an edge can't be told, a soft one costs least.
    edges = sum(band.square().mean() for band in bands)
    # The other terms have no slope where the network is sure and wrong.
    doubt = F.binary_cross_entropy_with_logits(logits, truth)
    return difference + 1.5 * details + 3 * edges + 0.1 * doubt


@torch.no_grad()
def validate(network, batches):
    """Mean absolute difference x 1000 of the network and of the coarse mask, and of their gradients."""
    sums = np.zeros(4)
    for x, truth in batches:
        for offset, alpha in ((0, network.alpha(x)), (1, x[:, 3:] + 0.5)):
            sums[offset] += (alpha - truth).abs().mean().item() * 1e3
            sums[offset + 2] += next(pyramid(alpha - truth)).abs().mean().item() * 1e3
    return sums / len(batches)


def main():
    parser = arguments_of(__doc__, minutes=90, batch=16, rate=3e-3)
    parser.add_argument("--widths", type=int, nargs=4, default=[16, 16, 32, 64])
    parser.add_argument("--start", type=Path, help="weights, or exported ONNX, of a network of at most these widths, to start from")
    arguments = parser.parse_args()

    random = seeded(arguments)
    patches = Patches(arguments.shards, random)
    judge = Patches(arguments.validation, np.random.default_rng(0))
    judge.refresh()
    judged = [prepared(judge.batch(16)) for _ in range(12)]
    network = MattingNetwork(arguments.widths).to(memory_format=torch.channels_last)
    mean = MattingNetwork(arguments.widths).to(memory_format=torch.channels_last).eval()
    if arguments.start:
        is_exported = arguments.start.suffix == ".onnx"
        network.widen(read(arguments.start, judged[0][0]) if is_exported else MattingNetwork.trained(arguments.start))

    def varied_batch():
        patches.refresh()
        return prepared(patches.batch(arguments.batch), random)

    def loss_of(x, truth):
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bfloat16):
            correction = network(x)
        return loss(logits_of(correction.float(), x), truth)

    def judgement(average):
        mean.load_state_dict(average)
        mad, coarse, detail, coarse_detail = validate(mean, judged)
        return f"MAD {mad:.2f} (coarse {coarse:.2f}), detail {detail:.2f} ({coarse_detail:.2f})"

    run = Run(arguments.out, network, [(list(network.parameters()), 1)], arguments.rate, arguments.minutes)
    run.go(varied_batch, loss_of, judgement, every=250)


if __name__ == "__main__":
    main()
