"""Cut-out photographs of animals and things: the stamps of Tux Paint, as Debian's tuxpaint-stamps-default has them."""

from pathlib import Path

import cv2
import numpy as np

from corpus import Cutout

ANIMALS = ("animals/",)
# Not those that are drawn, and none with people.
THINGS = (
    "food/", "hobbies/", "household/", "medical/", "military/vehicles/", "plants/", "sports/", "town/houses/",
    "town/monuments/", "vehicles/")
LONGEST, SHORTEST = 400, 40


def stamps(folder, kinds):
    """The stamps below `folder` of some kinds, at most `LONGEST` pixels long."""
    return [cutout for _, cutout in named_stamps(folder, kinds)]


def named_stamps(folder, kinds):
    """The same, each with its path below `folder`."""
    folder = Path(folder)
    for path in sorted(folder.rglob("*.png")):
        name = str(path.relative_to(folder))
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        if not name.startswith(kinds) or "cartoon" in name or picture.ndim != 3 or picture.shape[2] != 4:
            continue
        scale = LONGEST / max(picture.shape[:2])
        if scale < 1:
            picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if min(picture.shape[:2]) >= SHORTEST:
            color, alpha = picture[:, :, 2::-1], picture[:, :, 3]
            yield name, Cutout(np.ascontiguousarray(color), np.ascontiguousarray(alpha), "thing", False)
