"""Gives a trained network a memory: `python train_memory.py --start weights.pt --shards … --validation … --out run`.

The shards hold sequences (`make_shards.py --frames 8`). The encoder stays as it is; the memory and the decoder learn.
Resumes from the last checkpoint in `--out`.
"""

from pathlib import Path

import numpy as np
import torch

from network import MattingNetwork, RecurrentMattingNetwork, alpha_of, logits_of
from run import Run, arguments_of, seeded
from train import Patches, loss, pyramid


def prepared(batch, random=None):
    """A batch of sequences (N, T, H, W, 5) as the network's inputs (T, N, 4, H, W) and the true alphas (T, N, 1, H, W)."""
    x = torch.from_numpy(batch).permute(1, 0, 4, 2, 3).float().div_(255)
    if random is not None:
        if random.random() < 0.5:
            x = x.flip(4)
        # The same backwards is as likely.
        if random.random() < 0.5:
            x = x.flip(0)
        gain = torch.from_numpy(np.exp(random.normal(0, 0.08, (1, x.shape[1], 3, 1, 1))).astype(np.float32))
        x[:, :, :3] = (x[:, :, :3] * gain).clamp_(0, 1)
    return x[:, :, :4] - 0.5, x[:, :, 4:]


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
    parser = arguments_of(__doc__, minutes=60, batch=4, rate=2e-3)
    parser.add_argument("--start", type=Path, required=True)
    arguments = parser.parse_args()

    random = seeded(arguments)
    patches = Patches(arguments.shards, random)
    judge = Patches(arguments.validation, np.random.default_rng(0))
    judge.refresh()
    judged = [prepared(judge.batch(8)) for _ in range(10)]
    start = MattingNetwork.trained(arguments.start)
    network = RecurrentMattingNetwork(start.widths)
    network.load_state_dict(start.state_dict(), strict=False)
    # What the normalisations learned of many scenes is better than what a few sequences say.
    network.eval().to(memory_format=torch.channels_last)
    mean = RecurrentMattingNetwork(start.widths).eval()
    memory = [p for name, p in network.named_parameters() if name.startswith("memory")]
    decoder = [p for name, p in network.named_parameters() if name.startswith(("up", "correction"))]

    def varied_batch():
        patches.refresh()
        return prepared(patches.batch(arguments.batch), random)

    def loss_of(x, truth):
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bfloat16):
            logits = logits_of_sequences(network, x)
        error = alpha_of(logits) - truth
        flicker = (error[1:] - error[:-1]).abs().mean()
        return loss(logits.flatten(0, 1), truth.flatten(0, 1)) + 2 * flicker

    def judgement(average):
        mean.load_state_dict(average)
        return "; ".join(
            f"{name} " + " ".join(f"{value:.2f}" for value in row)
            for name, row in zip(("memory", "forgetting", "before"), validate(mean, start, judged)))

    run = Run(arguments.out, network, [(memory, 1), (decoder, 0.15)], arguments.rate, arguments.minutes)
    run.go(varied_batch, loss_of, judgement, every=500)


if __name__ == "__main__":
    main()
