"""Writes a smaller corpus, to be carried to a machine with a GPU: pictures no longer than the composer keeps them.

python pack_corpus.py --corpus ../../shared/corpus --stamps … --out packed
"""

import argparse
import io
import shutil
import tarfile
from pathlib import Path

import cv2
import numpy as np

from composer import BACKGROUND_SIDE, SIDE
from stamps import ANIMALS, THINGS, named_stamps

QUALITY = 80


def shortened(picture, longest):
    scale = longest / max(picture.shape[:2])
    return picture if scale >= 1 else cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def packed(name, data, longest):
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None:
        return data
    if name.endswith(".png"):
        return cv2.imencode(".png", shortened(picture, longest), [cv2.IMWRITE_PNG_COMPRESSION, 9])[1].tobytes()
    return photograph(shortened(picture, longest))


def photograph(picture):
    # WebP under names that tell of another format, which readers go by the contents to know.
    return cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])[1].tobytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--stamps", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    corpus, cut = arguments.out / "corpus", arguments.out / "stamps"
    corpus.mkdir(parents=True)
    for path in sorted(arguments.corpus.glob("*.csv")):
        shutil.copy(path, corpus)
    for path in sorted(arguments.corpus.glob("*.tar")):
        longest = BACKGROUND_SIDE if path.name.startswith("backgrounds") else SIDE
        with tarfile.open(path) as source, tarfile.open(corpus / path.name, "w") as target:
            for member in source:
                if member.isfile():
                    data = packed(member.name, source.extractfile(member).read(), longest)
                    entry = tarfile.TarInfo(member.name)
                    entry.size = len(data)
                    target.addfile(entry, io.BytesIO(data))
    for name, stamp in named_stamps(arguments.stamps, ANIMALS + THINGS):
        picture = np.dstack([stamp.color[:, :, ::-1], stamp.alpha])
        target = cut / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(photograph(shortened(picture, SIDE)))


if __name__ == "__main__":
    main()
