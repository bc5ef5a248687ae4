"""Puts a colour behind the people in a video, as one writes it in Python: OpenCV decodes, MediaPipe's selfie segmentation
makes the mask, NumPy mixes, and ffmpeg encodes. What `matte --background '#808080'` is measured against.

    python3 mediapipe_pipeline.py in.mp4 out.mp4 [FRAMES]

The model is MediaPipe's for pictures wider than high (model_selection=1, 144x256), which stretches its mask to the
frame. Says at the end how many frames it made and in how many seconds, start and imports left out.
"""

import subprocess
import sys
import time

import cv2
import mediapipe as mp
import numpy as np

COLOR = np.array([64, 177, 0], np.float32)  # blue, green, red


def main():
    source, target = sys.argv[1:3]
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize
    capture = cv2.VideoCapture(source)
    width = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH))
    height = int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    rate = capture.get(cv2.CAP_PROP_FPS)
    segmentation = mp.solutions.selfie_segmentation.SelfieSegmentation(model_selection=1)
    encoder = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}",
         "-r", str(rate), "-i", "-", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-crf", "18",
         target],
        stdin=subprocess.PIPE)

    start = time.perf_counter()
    count = 0
    while count < limit:
        ok, frame = capture.read()
        if not ok:
            break
        mask = segmentation.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).segmentation_mask
        alpha = mask[:, :, None]
        result = frame * alpha + COLOR * (1 - alpha)
        encoder.stdin.write(result.astype(np.uint8).tobytes())
        count += 1
    encoder.stdin.close()
    if encoder.wait() != 0:
        sys.exit("ffmpeg failed")
    print(f"{count} frames in {time.perf_counter() - start:.3f} seconds", file=sys.stderr)


main()
