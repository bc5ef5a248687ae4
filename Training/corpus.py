"""The corpus of people and backgrounds: pictures in memory, by part and by split."""

import csv
import hashlib
import tarfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

# What the index says of pictures whose own rights are stated and free.
CLEAR_SOURCES = {
    "Hossein88-eng/gender-classification-doe",
    "intel-iot-devkit/sample-videos",
    "SubhiH/HandsDataset",
    "emrecandir9/custom-gesture-dataset",
    "datitran/raccoon_dataset",
    "yuhonas/free-exercise-db",
    "Volcomix/virtual-background",
}


@dataclass
class Cutout:
    """A person, or a thing: straight colour (height, width, 3) and alpha (height, width), 8 bits each."""

    color: np.ndarray
    alpha: np.ndarray
    kind: str
    # Whether `color` is a photograph with its own background in it, which may be used as it is.
    is_photograph: bool


def _rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def _picture(data, flags=cv2.IMREAD_COLOR):
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    return picture[:, :, ::-1].copy() if picture.ndim == 3 else picture


def _files(path):
    with tarfile.open(path) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def is_validation(group):
    """Whether a group (a person, a source picture) is kept for validation: one in twelve, by its name's hash."""
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % 12 == 0


def straight_color(picture, alpha):
    """The foreground's colour without the background (Forte, "Approximate Fast Foreground Colour Estimation", 2021)."""
    image = picture.astype(np.float32)
    a = alpha.astype(np.float32)[..., None] / 255
    foreground, background = image, image
    for radius in (45, 7):
        size = (2 * radius + 1, 2 * radius + 1)
        weight = cv2.blur(a, size)[..., None]
        near = cv2.blur(foreground * a, size) / (weight + 1e-5)
        far = cv2.blur(background * (1 - a), size) / (1 - weight + 1e-5)
        foreground = np.clip(near + a * (image - a * near - (1 - a) * far), 0, 255)
        background = far
    return foreground.round().astype(np.uint8)


class Corpus:
    """Everything of one split that may be used: `people`, `rendered`, `things`, `backgrounds`."""

    def __init__(self, folder, clear_only=True, validation=False):
        folder = Path(folder)
        self.people, self.rendered, self.things, self.backgrounds = [], [], [], []
        wanted = lambda group: is_validation(group) == validation

        shards = {}
        for row in _rows(folder / "people.csv"):
            if clear_only and row["source"] not in CLEAR_SOURCES or not wanted(row["id"]):
                continue
            files = shards.setdefault(row["shard"], None) or _files(folder / row["shard"])
            shards[row["shard"]] = files
            color = _picture(files[row["id"] + ".jpg"])
            alpha = _picture(files[row["id"] + ".png"], cv2.IMREAD_GRAYSCALE)
            if row["kind"] == "negative":
                self.backgrounds.append(color)
            else:
                self.people.append(Cutout(color, alpha, row["kind"], True))

        files = _files(folder / "synth-00.tar")
        for row in _rows(folder / "synth.csv"):
            if wanted(row["id"].split("_")[0]):
                color = _picture(files[row["id"] + "_fg.jpg"])
                alpha = _picture(files[row["id"] + "_a.png"], cv2.IMREAD_GRAYSCALE)
                self.rendered.append(Cutout(color, alpha, row["framing"], False))

        files = _files(folder / "props-00.tar")
        for name in sorted(files):
            if name.endswith("_fg.jpg") and wanted(name):
                alpha = _picture(files[name.replace("_fg.jpg", "_a.png")], cv2.IMREAD_GRAYSCALE)
                self.things.append(Cutout(_picture(files[name]), alpha, "thing", False))

        files = _files(folder / "backgrounds-00.tar")
        for row in _rows(folder / "backgrounds.csv"):
            if wanted(row["id"]) and (row["tier"] == "A" or not clear_only):
                self.backgrounds.append(_picture(files[row["id"] + ".jpg"]))
