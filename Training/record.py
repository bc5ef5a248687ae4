"""Records what the exported network makes of a test picture: `python record.py --network … --fixtures ../Tests/Fixtures`.

The test of the Swift side compares with it. ONNX's own reference, slow and exact, does the arithmetic.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from onnx.reference import ReferenceEvaluator
from torch.nn import functional as F

from network import alpha_of, logits_of


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--fixtures", type=Path, required=True)
    arguments = parser.parse_args()

    picture = cv2.imread(str(arguments.fixtures / "anna_048.png"))[:288, :512, ::-1].astype(np.float32) / 255
    layers = [torch.from_numpy(picture.copy()).permute(2, 0, 1)[None]]
    mask = cv2.imread(str(arguments.fixtures / "anna_048_selfie.png"), cv2.IMREAD_UNCHANGED).astype(np.float32) / 65535
    mask = F.interpolate(torch.from_numpy(mask)[None, None], size=(288, 512), mode="bilinear", align_corners=False)
    layers += [mask, mask]
    x = torch.cat(layers, 1) - 0.5
    correction = torch.from_numpy(ReferenceEvaluator(str(arguments.network)).run(None, {"input": x.numpy()})[0])
    alpha = alpha_of(logits_of(correction, x))[0, 0].numpy()
    cv2.imwrite(str(arguments.fixtures / "anna_048_matting.png"), (alpha * 65535).round().astype(np.uint16))


if __name__ == "__main__":
    main()
