"""Gives a trained network a memory: `python train_memory.py --start weights.pt --shards … --validation … --out run`.

The shards hold sequences (`make_shards.py --frames 8`). The encoder stays as it is; the memory and the decoder learn.
"""

import argparse
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from network import MattingNetwork, RecurrentMattingNetwork, alpha_of, logits_of
from train import Patches, loss, pyramid


def prepared(batch, random=None):
    """A batch of sequences (N, T, H, W, 6) as the network's inputs (T, N, 5, H, W) and the true alphas (T, N, 1, H, W)."""
    x = torch.from_numpy(batch).permute(1, 0, 4, 2, 3).float().div_(255)
    if random is not None:
        if random.random() < 0.5:
            x = x.flip(4)
        # The same backwards is as likely.
        if random.random() < 0.5:
            x = x.flip(0)
        for i in range(x.shape[1]):
            choice = random.random()
            if choice < 0.3:
                x[:, i, 4] = x[:, i, 3]
            elif choice < 0.6:
                x[:, i, 3] = x[:, i, 4]
        gain = torch.from_numpy(np.exp(random.normal(0, 0.08, (1, x.shape[1], 3, 1, 1))).astype(np.float32))
        x[:, :, :3] = (x[:, :, :3] * gain).clamp_(0, 1)
    return x[:, :, :5] - 0.5, x[:, :, 5:6]


def logits_of_sequences(network, x, forget=False):
    """Logits of a batch of sequences; with `forget` as if each picture were the first."""
    frames, count, _, height, width = x.shape
    with torch.no_grad():
        features = network.encode(x.flatten(0, 1).contiguous(memory_format=torch.channels_last))
    features = [feature.unflatten(0, (frames, count)) for feature in features]
    states, logits = network.states(count, height, width), []
    for frame in range(frames):
        correction, after = network.decode([feature[frame] for feature in features], states)
        states = states if forget else after
        logits.append(logits_of(correction.float(), x[frame]))
    return torch.stack(logits)


def measures(alpha, truth):
    """Mean absolute difference, that of the finest level of the pyramid, and of the changes, x 1000."""
    error = alpha - truth
    detail = next(pyramid(error.flatten(0, 1)))
    return np.array([value.abs().mean().item() * 1e3 for value in (error, detail, error[1:] - error[:-1])])


@torch.no_grad()
def validate(network, start, batches):
    rows = np.zeros((3, 3))
    for x, truth in batches:
        part = slice(3, None)
        rows[0] += measures(alpha_of(logits_of_sequences(network, x))[part], truth[part])
        rows[1] += measures(alpha_of(logits_of_sequences(network, x, forget=True))[part], truth[part])
        once = torch.stack([start.alpha(picture) for picture in x])
        rows[2] += measures(once[part], truth[part])
    return rows / len(batches)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--validation", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    patches = Patches(arguments.shards, random)
    judge = Patches(arguments.validation, np.random.default_rng(0))
    judge.refresh()
    judged = [prepared(judge.batch(8)) for _ in range(10)]
    start = MattingNetwork.trained(arguments.start)
    network = RecurrentMattingNetwork(start.widths)
    network.load_state_dict(start.state_dict(), strict=False)
    # What the normalisations learned of many scenes is better than what a few sequences say.
    network.eval().to(memory_format=torch.channels_last)
    average = {name: value.clone() for name, value in network.state_dict().items()}
    memory = [p for name, p in network.named_parameters() if name.startswith("memory")]
    decoder = [p for name, p in network.named_parameters() if name.startswith(("up", "correction"))]
    optimizer = torch.optim.AdamW(
        [{"params": memory, "part": 1.0}, {"params": decoder, "part": 0.15}], lr=arguments.rate, weight_decay=1e-4)

    def batch():
        patches.refresh()
        return prepared(patches.batch(arguments.batch), random)

    arguments.out.mkdir(parents=True, exist_ok=True)
    background = ThreadPoolExecutor(1)
    next_batch = background.submit(batch)
    step, begin, limit, running, spent = 0, time.monotonic(), arguments.minutes * 60, None, 0
    while spent < limit:
        rate = arguments.rate * min(1, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * min(spent / limit, 1)))
        for group in optimizer.param_groups:
            group["lr"] = rate * group["part"]
        x, truth = next_batch.result()
        next_batch = background.submit(batch)
        with torch.autocast("cpu", torch.bfloat16):
            logits = logits_of_sequences(network, x)
        alpha = alpha_of(logits)
        error = alpha - truth
        flicker = (error[1:] - error[:-1]).abs().mean()
        value = loss(logits.flatten(0, 1), truth.flatten(0, 1)) + 2 * flicker
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(memory + decoder, 1.0)
        optimizer.step()
        with torch.no_grad():
            keep = min(0.998, step / (step + 20))
            for name, now in network.state_dict().items():
                if now.dtype.is_floating_point:
                    average[name].lerp_(now, 1 - keep)
        running = value.item() if running is None else running * 0.99 + value.item() * 0.01
        step += 1
        spent = time.monotonic() - begin
        if step % 500 == 0 or step == 50:
            mean = RecurrentMattingNetwork(start.widths).eval()
            mean.load_state_dict(average)
            rows = validate(mean, start, judged)
            print(f"{step} {spent / 60:.1f} min, loss {running:.4f}; " + "; ".join(
                f"{name} " + " ".join(f"{v:.2f}" for v in row)
                for name, row in zip(("memory", "forgetting", "before"), rows)), flush=True)
            torch.save(average, arguments.out / "weights.pt")
    torch.save(average, arguments.out / "weights.pt")


if __name__ == "__main__":
    main()
