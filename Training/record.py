"""Records what two exported networks make of a test picture: `python record.py --models ../models --fixtures ../Tests/Fixtures`.

The tests of the Swift side compare with it. ONNX's own reference, slow and exact, does the arithmetic.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from onnx.reference import ReferenceEvaluator
from torch.nn import functional as F

from network import alpha_of, logits_of


def output_of(network, name, x):
    return ReferenceEvaluator(str(network)).run(None, {name: x.numpy()})[0]


def recorded(values, path):
    cv2.imwrite(str(path), (values * 65535).round().astype(np.uint16))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--fixtures", type=Path, required=True)
    arguments = parser.parse_args()

    picture = cv2.imread(str(arguments.fixtures / "anna_048.png"))[:, :, ::-1].astype(np.float32) / 255
    picture = torch.from_numpy(picture.copy()).permute(2, 0, 1)[None]
    for name, part in (("person", picture[:, :, 40:232, 160:416]), ("person_turned", picture[:, :, 40:296, 160:352])):
        mask = output_of(arguments.models / "person_segmentation.onnx", "picture", 2 * part - 1)
        recorded(mask[0, 0], arguments.fixtures / f"anna_048_{name}.png")

    mask = cv2.imread(str(arguments.fixtures / "anna_048_selfie.png"), cv2.IMREAD_UNCHANGED).astype(np.float32) / 65535
    mask = F.interpolate(torch.from_numpy(mask)[None, None], size=(288, 512), mode="bilinear", align_corners=False)
    x = torch.cat((picture[:, :, :288, :512], mask), 1) - 0.5
    correction = torch.from_numpy(output_of(arguments.models / "matting.onnx", "input", x))
    recorded(alpha_of(logits_of(correction, x))[0, 0].numpy(), arguments.fixtures / "anna_048_matting.png")


if __name__ == "__main__":
    main()
