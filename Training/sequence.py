"""Sequences of pictures of people before something else, with exact alpha: stills whose parts move, turn and bend."""

from dataclasses import dataclass

import cv2
import numpy as np

from scene import Camera, Lens, SceneMaker

# What lies beyond the picture's edges and may come in.
MARGIN = 20


class Motion:
    """Where each pixel of a moving layer comes from, frame by frame."""

    def __init__(self, random, width, height, speed, bend):
        turn = random.uniform(0, 2 * np.pi)
        self.velocity = speed * np.array([np.cos(turn), 0.5 * np.sin(turn)])
        self.sway = random.normal(0, speed, 2)
        self.turn = random.normal(0, 0.012) * min(1, speed)
        self.zoom = random.normal(0, 0.006) * min(1, speed)
        self.pace, self.phase = random.uniform(0.2, 0.9), random.uniform(0, 2 * np.pi)
        self.center = np.array([width / 2, height / 2])
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        self.grid = np.stack([x, y])
        bends = random.normal(0, bend, (2, 5, 5, 2)).astype(np.float32)
        self.bends = [
            cv2.resize(bend, (width, height), interpolation=cv2.INTER_CUBIC).transpose(2, 0, 1) for bend in bends]

    def map(self, time):
        """The columns and rows of a layer with margins that the picture's pixels show at `time`, in frames."""
        swing = self.pace * time + self.phase
        away = self.velocity * time + self.sway * np.sin(swing)
        away = MARGIN * np.tanh(away / MARGIN)
        angle, scale = self.turn * np.sin(swing), 1 + self.zoom * np.sin(swing)
        x, y = self.grid[0] - self.center[0], self.grid[1] - self.center[1]
        cosine, sine = scale * np.cos(angle), scale * np.sin(angle)
        bend = self.bends[0] * np.sin(swing) + self.bends[1] * np.cos(swing)
        return (
            (cosine * x - sine * y + bend[0] + self.center[0] + away[0] + MARGIN).astype(np.float32),
            (sine * x + cosine * y + bend[1] + self.center[1] + away[1] + MARGIN).astype(np.float32),
        )


@dataclass
class Layer:
    """A picture with margins, multiplied by how much of it covers what is behind; the people in it; how it moves."""

    color: np.ndarray
    cover: np.ndarray
    alpha: np.ndarray
    motion: Motion
    # How long the shutter is open, in frames.
    exposure: float = 0

    def at(self, time):
        """`color`, `cover` and `alpha` as the picture shows them."""
        moments = [time] if self.exposure == 0 else time + self.exposure * np.array([-0.33, 0, 0.33])
        maps = [self.motion.map(moment) for moment in moments]

        def moved(plane):
            shots = [cv2.remap(plane, *map, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for map in maps]
            return sum(shots) / len(shots)

        return moved(self.color), moved(self.cover), moved(self.alpha)


class SequenceMaker(SceneMaker):
    """Composes sequences as `SceneMaker` composes pictures."""

    def make_sequence(self, frames):
        """Pictures (height, width, 3) and their alpha (height, width), both 0…1."""
        width, height = self._pick(self.sizes)
        chance = self.random.random()
        # A camera on its stand, in the hand, or on its way.
        camera_speed = self.random.choice([0, 0.4, 2.5], p=[0.6, 0.25, 0.15])
        if chance < 0.14:
            layers = [self._photograph_layer(width, height, max(camera_speed, 0.4))]
        else:
            count = 0 if chance < 0.2 else self.random.choice([1, 2, 3], p=[0.82, 0.14, 0.04])
            layers = [self._background_layer(width, height, camera_speed)]
            layers += [self._person_layer(width, height, count) for _ in range(count)]
        lens, camera = Lens(self.random), Camera(self.random)
        for time in range(frames):
            picture = np.zeros((height, width, 3), np.float32)
            alpha = np.zeros((height, width), np.float32)
            for layer in layers:
                color, cover, people = layer.at(time)
                picture = picture * (1 - cover[..., None]) + color
                alpha = alpha * (1 - cover) + people
            yield camera.take(lens.picture(picture)), lens.alpha(alpha)

    def _photograph_layer(self, width, height, speed):
        size = (width + 2 * MARGIN, height + 2 * MARGIN)
        picture, alpha = self._photograph(size)
        return Layer(picture, np.ones_like(alpha), alpha, Motion(self.random, width, height, speed, 0))

    def _background_layer(self, width, height, speed):
        picture = self._scenery(width + 2 * MARGIN, height + 2 * MARGIN)
        cover = np.ones(picture.shape[:2], np.float32)
        return Layer(picture, cover, np.zeros_like(cover), Motion(self.random, width, height, speed, 0))

    def _person_layer(self, width, height, count):
        picture = np.zeros((height + 2 * MARGIN, width + 2 * MARGIN, 3), np.float32)
        alpha = np.zeros(picture.shape[:2], np.float32)
        color, cover = self._person()
        box = self._person_box(cover, picture.shape[1], picture.shape[0], count)
        self._place(self._relit(color, 0.2), cover, picture, alpha, box)
        speed = self.random.choice([0.1, 0.7, 2, 6], p=[0.25, 0.35, 0.25, 0.15])
        motion = Motion(self.random, width, height, speed, min(2.5, 1.2 * speed))
        exposure = self.random.uniform(0, 0.6) if speed > 1 and self.random.random() < 0.5 else 0
        return Layer(picture, alpha, alpha, motion, exposure)
