"""The masks of the fetched networks, which the network refines."""

import cv2
import numpy as np
import openvino


class CoarseNetworks:
    """selfie_segmentation (256x256) and its landscape sibling (256x144), in OpenVINO on one thread."""

    def __init__(self, models):
        core = openvino.Core()
        options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        names = ["selfie_segmentation", "selfie_segmentation_landscape"]
        self.networks = [core.compile_model(f"{models}/{name}.tflite", "CPU", options) for name in names]

    def masks(self, picture):
        """The probability maps (0…1) of a picture (height, width, 3; 0…1), stretched to its size."""
        height, width = picture.shape[:2]
        masks = []
        for network in self.networks:
            _, rows, columns, _ = network.input(0).shape
            seen = cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA)
            mask = network(seen[None])[network.output(0)].reshape(rows, columns)
            masks.append(cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR).clip(0, 1))
        return masks
