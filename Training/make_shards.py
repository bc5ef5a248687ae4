"""Makes shards of training patches: `python make_shards.py --corpus … --models … --out … --seed 0 --shards 10`.

A patch is 192 rows of 256 pixels of 5 bytes: red, green, blue, the coarse mask, alpha. With `--frames` it is a
sequence of as many of these.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from coarse import CoarseNetwork
from corpus import Corpus
from sequence import SequenceMaker

ROWS, COLUMNS, PATCHES = 192, 256, 1000


def window(alpha, random):
    """A part of a scene, mostly one with an edge of a person in it."""
    height, width = alpha.shape
    best, most = None, -1.0
    for _ in range(4):
        y, x = random.integers(0, height - ROWS + 1), random.integers(0, width - COLUMNS + 1)
        part = np.s_[y : y + ROWS, x : x + COLUMNS]
        share = np.mean((alpha[part] > 0.02) & (alpha[part] < 0.98))
        if share > most:
            best, most = part, share
        if random.random() < 0.2:
            break
    return best


def look(part, shape, random):
    """What the segmentation network sees at once: all of a picture, or, as in a close-up, what is around a part of it."""
    if random.random() < 0.5:
        return np.s_[:, :]
    sides = []
    for side, length in zip(part, shape):
        room = random.uniform(0, 1)
        sides.append(slice(round(side.start * room), round(length - (length - side.stop) * room)))
    return tuple(sides)


def patch(picture, mask, alpha, part):
    layers = [picture[part], mask[part][..., None], alpha[part][..., None]]
    return (np.concatenate(layers, 2) * 255).round().astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--patches", type=int, default=PATCHES)
    parser.add_argument("--validation", action="store_true")
    parser.add_argument("--rights", choices=["clear", "all"], default="clear")
    arguments = parser.parse_args()

    cv2.setNumThreads(1)
    random = np.random.default_rng(arguments.seed)
    corpus = Corpus(arguments.corpus, clear_only=arguments.rights == "clear", validation=arguments.validation)
    maker = SequenceMaker(corpus, random)
    network = CoarseNetwork(arguments.models)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for index in range(arguments.shards):
        patches = np.empty((arguments.patches, arguments.frames, ROWS, COLUMNS, 5), np.uint8)
        for i in range(arguments.patches):
            scenes = [maker.make()] if arguments.frames == 1 else list(maker.make_sequence(arguments.frames))
            part = window(scenes[len(scenes) // 2][1], random)
            seen = look(part, scenes[0][1].shape, random)
            for frame, (picture, alpha) in enumerate(scenes):
                mask = np.zeros_like(alpha)
                mask[seen] = network.mask(picture[seen])
                patches[i, frame] = patch(picture, mask, alpha, part)
        path = arguments.out / f"{arguments.seed:03}-{index:03}.npy"
        np.save(path.with_suffix(".part.npy"), patches[:, 0] if arguments.frames == 1 else patches)
        path.with_suffix(".part.npy").rename(path)
        print(path, flush=True)


if __name__ == "__main__":
    main()
