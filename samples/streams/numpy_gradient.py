"""Puts a gradient behind the people of a video, mixed by NumPy: numpy_gradient.py in.mp4 out.mp4"""

import json
import subprocess
import sys

import numpy as np

source, target = sys.argv[1:]

(video,) = json.loads(subprocess.check_output(
    ["ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "json",
     "-show_entries", "stream=width,height,r_frame_rate:stream_side_data=rotation", source]))["streams"]
width, height, rate = video["width"], video["height"], video["r_frame_rate"]
# Raw frames come out upright.
if any(side.get("rotation", 0) % 180 for side in video.get("side_data_list", [])):
    width, height = height, width

# The people with straight alpha, as raw frames.
matte = subprocess.Popen(
    ["matte", "--quiet", "--output-kind", "foreground", "--output-format", "rawvideo", "--output-pix-fmt", "rgba",
     source, "-"], stdout=subprocess.PIPE)
encoder = subprocess.Popen(
    ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", rate,
     "-i", "-", "-pix_fmt", "yuv420p", target], stdin=subprocess.PIPE)

down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
background = (1 - down) * np.float32([40, 70, 160]) + down * np.float32([230, 140, 90])

while frame := matte.stdout.read(width * height * 4):
    pixels = np.frombuffer(frame, np.uint8).reshape(height, width, 4).astype(np.float32)
    alpha = pixels[..., 3:] / 255
    mixed = pixels[..., :3] * alpha + background * (1 - alpha)
    encoder.stdin.write(mixed.round().astype(np.uint8).tobytes())

encoder.stdin.close()
sys.exit(matte.wait() or encoder.wait())
