"""Records what the trained network makes of a test picture: `python record.py --weights … --fixtures ../Tests/Fixtures`.

The test of the Swift side compares with it.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional as F

from network import MattingNetwork


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--fixtures", type=Path, required=True)
    arguments = parser.parse_args()

    network = MattingNetwork.trained(arguments.weights)
    picture = cv2.imread(str(arguments.fixtures / "anna_048.png"))[:288, :512, ::-1].astype(np.float32) / 255
    layers = [torch.from_numpy(picture.copy()).permute(2, 0, 1)[None]]
    for name in ("anna_048_selfie.png", "anna_048_selfie_landscape.png"):
        mask = cv2.imread(str(arguments.fixtures / name), cv2.IMREAD_UNCHANGED).astype(np.float32) / 65535
        mask = torch.from_numpy(mask)[None, None]
        layers.append(F.interpolate(mask, size=(288, 512), mode="bilinear", align_corners=False))
    with torch.no_grad():
        alpha = network(torch.cat(layers, 1))[0, 0].numpy()
    cv2.imwrite(str(arguments.fixtures / "anna_048_matting.png"), (alpha * 65535).round().astype(np.uint16))


if __name__ == "__main__":
    main()
