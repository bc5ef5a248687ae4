"""Measures programs on clips of the corpus's people: `python judge.py --corpus … --clips run/clips --models ../models PROGRAM …`.

The clips are sequences of people who move before something else, with exact alpha, made once and kept. The sheet shows those on
which the last program differs most from the first, or is worst: a frame, its alpha, and what each program makes of it.
"""

import argparse
import json
import subprocess
from pathlib import Path

import cv2
import numpy as np

from corpus import Corpus
from sequence import SequenceMaker

WIDTH, HEIGHT, FRAMES = 640, 360, 10


def ffmpeg(*arguments, **pipes):
    return subprocess.Popen(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], **pipes)


def make_clip(corpus, seed, video, alpha):
    maker = SequenceMaker(corpus, np.random.default_rng(seed), sizes=[(WIDTH, HEIGHT)])
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", 30, "-i", "-"]
    codec = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-crf", 14]
    encoder = ffmpeg(*raw, *codec, video, stdin=subprocess.PIPE)
    alphas = []
    for picture, truth in maker.make_sequence(FRAMES):
        encoder.stdin.write((picture.clip(0, 1) * 255).round().astype(np.uint8).tobytes())
        alphas.append((truth.clip(0, 1) * 255).round().astype(np.uint8))
    encoder.stdin.close()
    if encoder.wait():
        raise SystemExit(f"ffmpeg can't write '{video}'")
    # Written last: a clip that has it is whole.
    np.savez_compressed(alpha, alpha=np.stack(alphas))


def read(path, format, channels):
    data = ffmpeg("-i", path, "-f", "rawvideo", "-pix_fmt", format, "-", stdout=subprocess.PIPE).communicate()[0]
    return np.frombuffer(data, np.uint8).reshape(-1, HEIGHT, WIDTH, *channels)


def truth_of(video):
    return np.load(video.with_suffix(".npz"))["alpha"]


def masks_of(program, quality, models, videos, out):
    """The program's masks of all `videos`, as files in `out`."""
    options = ["--output-kind", "mask", "--codec", "ffv1", "--output-extension", "mkv", "--overwrite", "--quiet"]
    subprocess.run(
        [program, "--models", models, "--quality", quality, *options, "--output-dir", out, *videos], check=True)
    return {video.stem: next(out.glob(video.stem + ".*")) for video in videos}


def scores(mask, truth):
    """MAD and dtSSD as the quality suite has them, and how much of MAD is background taken for people, and people missed."""
    error = mask.astype(np.float32) / 255 - truth.astype(np.float32) / 255
    return {
        "MAD": 1000 * float(np.abs(error).mean()),
        "dtSSD": 100 * float(np.sqrt((np.diff(error, axis=0) ** 2).mean((1, 2))).mean()),
        "over": 1000 * float(error.clip(0, 1).mean()),
        "under": 1000 * float((-error).clip(0, 1).mean()),
    }


def sheet(videos, masks):
    rows = []
    for video in videos:
        cells = [read(video, "bgr24", (3,))[-1], truth_of(video)[-1]]
        cells += [read(found[video.stem], "gray", ())[-1] for found in masks]
        cells = [cell if cell.ndim == 3 else cv2.cvtColor(cell, cv2.COLOR_GRAY2BGR) for cell in cells]
        row = np.hstack([cv2.resize(cell, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA) for cell in cells])
        cv2.putText(row, video.stem, (4, 24), 0, 0.8, (0, 255, 255), 2)
        rows.append(row)
    return np.vstack(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--clips", type=Path, required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--quality", default="balanced")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rows", type=int, default=12, help="how many clips the sheet shows")
    parser.add_argument("--rights", choices=["clear", "all"], default="all")
    parser.add_argument("--validation", action="store_true", help="people who are kept apart alone")
    arguments = parser.parse_args()

    cv2.setNumThreads(1)
    arguments.clips.mkdir(parents=True, exist_ok=True)
    videos = [arguments.clips / f"{seed:04}.mp4" for seed in range(arguments.first, arguments.first + arguments.count)]
    missing = [video for video in videos if not video.with_suffix(".npz").exists()]
    if missing:
        corpus = Corpus(arguments.corpus, clear_only=arguments.rights == "clear", validation=arguments.validation)
        for video in missing:
            make_clip(corpus, int(video.stem), video, video.with_suffix(".npz"))

    masks, results = [], []
    for index, program in enumerate(arguments.programs):
        out = arguments.clips / f"{index}-{program.name}-{arguments.quality}"
        masks.append(masks_of(program, arguments.quality, arguments.models, videos, out))
        results.append({v.stem: scores(read(masks[-1][v.stem], "gray", ()), truth_of(v)) for v in videos})
        kinds = {kind: [result[kind] for result in results[-1].values()] for kind in ("MAD", "dtSSD", "over", "under")}
        means = ", ".join(f"{kind} {np.mean(values):.2f}" for kind, values in kinds.items())
        print(f"{program.name}: {means}, median of MAD {np.median(kinds['MAD']):.2f}", flush=True)

    def difference(video):
        first, last = (result[video.stem]["MAD"] for result in (results[0], results[-1]))
        return abs(last - first) if len(results) > 1 else last

    videos.sort(key=difference, reverse=True)
    for video in videos[: arguments.rows]:
        print(video.stem, " ".join(f"{result[video.stem]['MAD']:.1f}" for result in results))
    cv2.imwrite(str(arguments.clips / f"{arguments.quality}.png"), sheet(videos[: arguments.rows], masks))
    (arguments.clips / f"{arguments.quality}.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
