"""Makes shards of what the segmentation network takes for people: `python make_candidates.py --corpus … --models … --out … --seed 0`.

A candidate is a part of a scene, stretched to 96 by 96 pixels of 4 bytes (red, green, blue, the coarse mask), and whether
it shows people. Half of them do; the others are things, animals and places that fool the network. `--stamps` is a
folder of cut-out animals and things (`stamps.py`).
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from coarse import CoarseNetwork
from corpus import Corpus
from scene import SIZES, Camera, Lens, SceneMaker
from stamps import ANIMALS, THINGS, stamps

SIDE, CANDIDATES = 96, 2000


class CandidateMaker:
    """Makes candidates of a corpus's scenes, with `animals` and `things` in them; every choice comes from `random`."""

    def __init__(self, corpus, animals, things, network, random):
        self.decoys, self.network, self.random = (animals, things, corpus.things), network, random
        # Furniture stands about in more rooms than animals do.
        corpus.things = 4 * corpus.things + 2 * animals + things
        self.scenes = SceneMaker(corpus, random)

    def make(self, shows_people):
        """A candidate (SIDE, SIDE, 4) and whether it shows people; None where the network sees nothing, or nobody can tell."""
        picture, alpha = self._scene(shows_people)
        view = self._view(alpha.shape)
        picture, alpha = picture[view], alpha[view]
        mask = self.network.mask(picture)
        part = self._part(mask)
        if part is None:
            return None
        # A closer look shows the network the part alone.
        seen = mask[part] if self.random.random() < 0.4 else self.network.mask(picture[part])
        layers = (picture[part], seen, alpha[part])
        color, seen, truth = (cv2.resize(layer, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for layer in layers)
        label = self._label(seen > 0.5, truth > 0.5)
        if label is None:
            return None
        candidate = np.dstack([color, seen])
        return (candidate.clip(0, 1) * 255).round().astype(np.uint8), label

    def _scene(self, shows_people):
        chance = self.random.random()
        if not shows_people:
            picture, alpha = self.scenes._empty()
            if self.random.random() < 0.8:
                for _ in range(self.random.choice([1, 2], p=[0.75, 0.25])):
                    self._add_decoy(picture)
        elif chance < 0.2:
            picture, alpha = self.scenes._photograph(SIZES[self.random.integers(len(SIZES))])
        else:
            picture, alpha = self.scenes._composition()
        lens, camera = Lens(self.random), Camera(self.random)
        return camera.take(lens.picture(picture)), lens.alpha(alpha)

    def _add_decoy(self, picture):
        """An animal or a thing as large as people are."""
        kind = self.decoys[self.random.choice(3, p=[0.55, 0.315, 0.135])]
        decoy = kind[self.random.integers(len(kind))]
        color, cover = self.scenes._mirrored(decoy.color.astype(np.float32) / 255, decoy.alpha.astype(np.float32) / 255)
        height, width = picture.shape[:2]
        scale = min(self.random.uniform(0.35, 1.5) * height / cover.shape[0], 1.3 * width / cover.shape[1])
        across, down = cover.shape[1] * scale, cover.shape[0] * scale
        x = self.random.uniform(-0.3, 1) * width - 0.2 * across
        # Half of them stand on the picture's lower edge, or beyond it.
        lowest = height - down if self.random.random() < 0.5 else 0
        y = max(self.random.uniform(0, 0.6) * height, lowest)
        self.scenes._place(self.scenes._relit(color, 0.2), cover, picture, None, (scale, int(x), int(y)))

    def _view(self, shape):
        """All of a scene, or a window in it, as somebody is searched for."""
        height, width = shape
        if self.random.random() < 0.4:
            return np.s_[:, :]
        side, aspect = self.random.uniform(0.4, 1) * min(height, width), np.exp(self.random.normal(0, 0.25))
        across = int(np.clip(side * aspect, 48, width))
        down = int(np.clip(side / aspect, 48, height))
        x, y = self.random.integers(0, width - across + 1), self.random.integers(0, height - down + 1)
        return np.s_[y : y + down, x : x + across]

    def _part(self, mask):
        """Around a part of what a mask shows, mostly the largest, or all of the view."""
        count, _, boxes, _ = cv2.connectedComponentsWithStats((mask > 0.5).astype(np.uint8))
        if count < 2 or np.mean(mask > 0.5) < 0.01:
            return None
        if self.random.random() < 0.15:
            return np.s_[:, :]
        largest = 1 + int(np.argmax(boxes[1:, cv2.CC_STAT_AREA]))
        x, y, width, height, area = boxes[largest if self.random.random() < 0.75 else self.random.integers(1, count)]
        if area < 0.006 * mask.size:
            return None
        margin = round(self.random.uniform(0.08, 0.2) * max(width, height))
        part = np.s_[max(0, y - margin) : y + height + margin, max(0, x - margin) : x + width + margin]
        return part if min(mask[part].shape) >= 24 else None

    @staticmethod
    def _label(mask, person):
        if mask.sum() < 90:
            return None
        share = person[mask].mean()
        if share >= 0.6 and (mask & person).sum() > 0.3 * person.sum() and person.mean() > 0.03:
            return 1
        return 0 if share < 0.12 and person.mean() < 0.08 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--stamps", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--validation", action="store_true")
    parser.add_argument("--rights", choices=["clear", "all"], default="clear")
    arguments = parser.parse_args()

    cv2.setNumThreads(1)
    random = np.random.default_rng(arguments.seed)
    corpus = Corpus(arguments.corpus, clear_only=arguments.rights == "clear", validation=arguments.validation)
    animals, things = (stamps(arguments.stamps, kinds) for kinds in (ANIMALS, THINGS))
    maker = CandidateMaker(corpus, animals, things, CoarseNetwork(arguments.models), random)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for index in range(arguments.shards):
        made = {0: [], 1: []}
        while any(len(candidates) < arguments.candidates // 2 for candidates in made.values()):
            wanted = int(len(made[1]) < len(made[0]) or len(made[0]) >= arguments.candidates // 2)
            candidate, label = maker.make(wanted) or (None, None)
            if label is not None and len(made[label]) < arguments.candidates // 2:
                made[label].append(candidate)
        path = arguments.out / f"{arguments.seed:03}-{index:03}.npz"
        labels = np.repeat([0, 1], [len(made[0]), len(made[1])]).astype(np.uint8)
        np.savez(path.with_suffix(".part.npz"), candidates=np.array(made[0] + made[1]), labels=labels)
        path.with_suffix(".part.npz").rename(path)
        print(path, flush=True)


if __name__ == "__main__":
    main()
