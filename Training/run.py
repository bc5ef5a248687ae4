"""A run of training, which ends when it is planned to, whatever else the machine does, and goes on where it was cut off."""

import argparse
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch


def arguments_of(description, **defaults):
    """A parser of what every run is told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--validation", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--bfloat16", action="store_true", help="convolutions in 16 bits: faster where the CPU has AVX-512 BF16 or AMX")
    parser.set_defaults(**defaults)
    return parser


def seeded(arguments):
    """Torch's threads and seed set; what else is random comes of the generator."""
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    return np.random.default_rng(arguments.seed)


class Run:
    """Trains `network` by AdamW and keeps the running mean of its weights, `average`, which is what counts.

    The learning rate follows the time that was given. `parts` are groups of parameters with the share of the rate that
    each learns with; nothing else learns. The checkpoint lies in `folder`, and holds all but the random numbers.
    """

    def __init__(self, folder, network, parts, rate, minutes):
        self.folder, self.network, self.rate, self.limit = folder, network, rate, minutes * 60
        self.learned = [parameter for parameters, _ in parts for parameter in parameters]
        self.optimizer = torch.optim.AdamW(
            [{"params": parameters, "share": share} for parameters, share in parts], lr=rate, weight_decay=1e-4)
        self.average = {name: value.clone() for name, value in network.state_dict().items()}
        self.step, self.spent = 0, 0.0
        folder.mkdir(parents=True, exist_ok=True)
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True)
            network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.average, self.step, self.spent = state["average"], state["step"], state["spent"]

    @property
    def checkpoint(self):
        return self.folder / "checkpoint.pt"

    def save(self):
        state = {
            "network": self.network.state_dict(), "average": self.average, "optimizer": self.optimizer.state_dict(),
            "step": self.step, "spent": self.spent,
        }
        torch.save(state, self.checkpoint.with_suffix(".part"))
        self.checkpoint.with_suffix(".part").rename(self.checkpoint)

    def go(self, batch, loss, judgement, every):
        """Trains to the end of the time: `loss` of each `batch`, and each so many steps the `judgement` of the mean."""
        background = ThreadPoolExecutor(1)
        following = background.submit(batch)
        running, begin = None, time.monotonic() - self.spent
        while self.spent < self.limit:
            rate = self.rate * min(1, self.step / 200) * (0.5 + 0.5 * math.cos(math.pi * self.spent / self.limit))
            for group in self.optimizer.param_groups:
                group["lr"] = rate * group["share"]
            inputs = following.result()
            following = background.submit(batch)
            value = loss(*inputs)
            self.optimizer.zero_grad(set_to_none=True)
            value.backward()
            torch.nn.utils.clip_grad_norm_(self.learned, 1.0)
            self.optimizer.step()
            self.follow()
            value = value.detach()
            running = value if running is None else running.lerp(value, 0.01)
            self.step += 1
            self.spent = time.monotonic() - begin
            if self.step % every == 0:
                print(f"{self.step} {self.spent / 60:.1f} min, loss {running:.4f}, {judgement(self.average)}", flush=True)
                self.save()
        self.save()
        torch.save(self.average, self.folder / "weights.pt")

    @torch.no_grad()
    def follow(self):
        keep = min(0.998, self.step / (self.step + 20))
        followed, now = [], []
        for name, value in self.network.state_dict().items():
            if value.dtype.is_floating_point:
                followed.append(self.average[name])
                now.append(value)
            else:
                self.average[name].copy_(value)
        torch._foreach_lerp_(followed, now, 1 - keep)
