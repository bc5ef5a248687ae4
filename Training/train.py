"""Trains the network on shards: `python train.py --shards … --validation … --out run --minutes 90`.

Resumes from the last checkpoint in `--out`. The learning rate follows the time that was given, so that a run ends when it is
planned to, whatever else the machine does.
"""

import argparse
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from network import MattingNetwork, alpha_of, logits_of


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
            # Patches on which the coarse masks are lost are common in composed scenes and rare in front of a camera.
            coarse, alpha = patch[..., ::4, ::4, 3:5].astype(np.float32).mean(-1), patch[..., ::4, ::4, 5]
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
        # Either coarse mask may stand for both: a level may run only one of the networks.
        for i in range(count):
            choice = random.random()
            if choice < 0.25:
                x[i, 4] = x[i, 3]
            elif choice < 0.5:
                x[i, 3] = x[i, 4]
            if random.random() < 0.15:
                shift = tuple(int(s) for s in random.integers(-3, 4, 2))
                x[i, 3:5] = x[i, 3:5].roll(shift, (1, 2))
        gain = torch.from_numpy(np.exp(random.normal(0, 0.08, (count, 3, 1, 1))).astype(np.float32))
        x[:, :3] = (x[:, :3] * gain).clamp_(0, 1)
    return (x[:, :5] - 0.5).contiguous(memory_format=torch.channels_last), x[:, 5:6]


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
    """Mean absolute difference x 1000 of the network and of the mean of the coarse masks, and of their gradients."""
    network.eval()
    sums = np.zeros(4)
    for x, truth in batches:
        for offset, alpha in ((0, network.alpha(x)), (1, x[:, 3:5].mean(1, keepdim=True) + 0.5)):
            sums[offset] += (alpha - truth).abs().mean().item() * 1e3
            sums[offset + 2] += next(pyramid(alpha - truth)).abs().mean().item() * 1e3
    network.train()
    return sums / len(batches)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--validation", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--widths", type=int, nargs=4, default=[16, 16, 32, 64])
    parser.add_argument("--start", type=Path, help="weights of a network of at most these widths, to start from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--bfloat16", action="store_true", help="convolutions in 16 bits: faster where the CPU has AVX-512 BF16 or AMX")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    random = np.random.default_rng(arguments.seed)
    patches = Patches(arguments.shards, random)
    judge = Patches(arguments.validation, np.random.default_rng(0))
    judge.refresh()
    judged = [prepared(judge.batch(16)) for _ in range(12)]

    network = MattingNetwork(arguments.widths).to(memory_format=torch.channels_last)
    if arguments.start:
        network.widen(MattingNetwork.trained(arguments.start))
    average = MattingNetwork(arguments.widths).to(memory_format=torch.channels_last)
    average.load_state_dict(network.state_dict())
    optimizer = torch.optim.AdamW(network.parameters(), lr=arguments.rate, weight_decay=1e-4)
    arguments.out.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.out / "checkpoint.pt"
    step, spent, limit = 0, 0.0, arguments.minutes * 60
    if checkpoint.exists():
        state = torch.load(checkpoint)
        network.load_state_dict(state["network"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        step, spent = state["step"], state["spent"]

    def save():
        state = {
            "network": network.state_dict(), "average": average.state_dict(), "optimizer": optimizer.state_dict(),
            "step": step, "spent": spent,
        }
        torch.save(state, checkpoint.with_suffix(".part"))
        checkpoint.with_suffix(".part").rename(checkpoint)

    def varied_batch():
        patches.refresh()
        return prepared(patches.batch(arguments.batch), random)

    background = ThreadPoolExecutor(1)
    next_batch = background.submit(varied_batch)
    running, start = None, time.monotonic() - spent
    while spent < limit:
        part = spent / limit
        rate = arguments.rate * min(1, step / 200) * (0.5 + 0.5 * math.cos(math.pi * min(part, 1)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        x, truth = next_batch.result()
        next_batch = background.submit(varied_batch)
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bfloat16):
            correction = network(x)
        value = loss(logits_of(correction.float(), x), truth)
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            keep = min(0.998, step / (step + 20))
            for mean, now in zip(average.state_dict().values(), network.state_dict().values()):
                if mean.dtype.is_floating_point:
                    mean.lerp_(now, 1 - keep)
                else:
                    mean.copy_(now)
        running = value.item() if running is None else running * 0.99 + value.item() * 0.01
        step += 1
        spent = time.monotonic() - start
        if step % 250 == 0:
            mad, coarse, detail, coarse_detail = validate(average, judged)
            print(
                f"{step} {spent / 60:.1f} min, loss {running:.4f}, MAD {mad:.2f} (coarse {coarse:.2f}), "
                f"detail {detail:.2f} ({coarse_detail:.2f})", flush=True)
            save()
    save()
    torch.save(average.state_dict(), arguments.out / "weights.pt")


if __name__ == "__main__":
    main()
