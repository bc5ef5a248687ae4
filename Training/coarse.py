"""The masks of the person segmentation network, which the matting network refines and the verifier judges."""

import cv2
import numpy as np
import openvino


class CoarseNetwork:
    """`person_segmentation`, in OpenVINO on one thread."""

    def __init__(self, models):
        options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        self.network = openvino.Core().compile_model(f"{models}/person_segmentation.onnx", "CPU", options)

    def mask(self, picture):
        """The probability map (0…1) of a picture (height, width, 3; 0…1), stretched to its size."""
        height, width = picture.shape[:2]
        _, _, rows, columns = self.network.input(0).shape
        shrinks = width > columns or height > rows
        seen = cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        planes = np.ascontiguousarray(seen.transpose(2, 0, 1)[None] * 2 - 1, np.float32)
        mask = self.network(planes)[self.network.output(0)].reshape(rows, columns)
        return cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR).clip(0, 1)
