"""Pictures of people before something else, with exact alpha: what the network learns from."""

import cv2
import numpy as np

from corpus import straight_color

# Width and height of whole pictures: the shapes and sizes at which the network works.
SIZES = [(320, 192), (384, 216), (448, 256), (512, 288), (320, 240), (400, 304), (256, 256), (256, 416)]

# The corpus has more faces that fill the picture than people in front of a camera, and few groups.
PORTIONS = {"face": 0.15, "upper": 0.5, "multi": 1.0}


class Light:
    """A little more or less of it, and of each colour."""

    def __init__(self, random, amount):
        self.exponent = np.exp(random.normal(0, amount))
        self.gains = np.exp(random.normal(0, 0.05, 3)) * np.exp(random.normal(0, 0.08))

    def on(self, picture):
        return np.clip(picture**self.exponent * self.gains, 0, 1).astype(np.float32)


class Lens:
    """Blur and ringing; the alpha shares the blur, since it is what the picture shows."""

    def __init__(self, random):
        self.blur = random.uniform(0.3, 1.3) if random.random() < 0.35 else 0
        self.ringing = random.uniform(0.2, 1.0) if random.random() < 0.15 else 0

    def alpha(self, alpha):
        return cv2.GaussianBlur(alpha, (0, 0), self.blur) if self.blur else alpha

    def picture(self, picture):
        if self.blur:
            picture = cv2.GaussianBlur(picture, (0, 0), self.blur)
        if self.ringing:
            picture = picture + (picture - cv2.GaussianBlur(picture, (0, 0), 1.0)) * self.ringing
        return picture


class Camera:
    """Light, noise and compression; the noise is another one in each picture."""

    def __init__(self, random):
        self.random = random
        self.light = Light(random, 0.12)
        self.gain = random.uniform(0.3, 0.8) if random.random() < 0.15 else 1
        self.noise = abs(random.normal(0, 0.025)) if random.random() < 0.45 else 0
        self.is_noise_soft = random.random() < 0.3
        self.quality = int(random.integers(25, 96)) if random.random() < 0.6 else None

    def take(self, picture):
        picture = self.light.on(np.clip(picture, 0, 1)) * self.gain
        if self.noise:
            noise = self.noise * self.random.standard_normal(picture.shape, np.float32)
            picture = picture + (cv2.GaussianBlur(noise, (0, 0), 0.7) * 1.8 if self.is_noise_soft else noise)
        picture = np.clip(picture, 0, 1)
        if self.quality:
            settings = [cv2.IMWRITE_JPEG_QUALITY, self.quality]
            data = cv2.imencode(".jpg", (picture * 255).astype(np.uint8), settings)[1]
            picture = cv2.imdecode(data, cv2.IMREAD_COLOR).astype(np.float32) / 255
        return picture.astype(np.float32)


class SceneMaker:
    """Composes scenes from a corpus; every choice comes from `random`."""

    def __init__(self, corpus, random, sizes=SIZES):
        self.corpus, self.random, self.sizes = corpus, random, sizes
        self.straight = {}

    def make(self):
        """A picture (height, width, 3) and its alpha (height, width), both 0…1."""
        chance = self.random.random()
        if chance < 0.14:
            picture, alpha = self._photograph(self._pick(self.sizes))
        elif chance < 0.2:
            picture, alpha = self._empty()
        else:
            picture, alpha = self._composition()
        lens, camera = Lens(self.random), Camera(self.random)
        return camera.take(lens.picture(picture)), lens.alpha(alpha)

    # The kinds of scenes

    def _photograph(self, size):
        person = self._photographed_person()
        width, height = size
        rows, columns = person.alpha.shape
        scale = max(width / columns, height / rows) * self.random.uniform(1, 1.25)
        picture = self._scaled(person.color, scale)
        alpha = self._scaled(person.alpha, scale)
        x = self.random.integers(0, max(1, picture.shape[1] - width + 1))
        y = self.random.integers(0, max(1, picture.shape[0] - height + 1))
        part = np.s_[y : y + height, x : x + width]
        return self._mirrored(self._resized(picture[part], (width, height)), self._resized(alpha[part], (width, height)))

    def _empty(self):
        width, height = self._pick(self.sizes)
        background = self._background(width, height)
        self._furnish(background)
        return background, np.zeros((height, width), np.float32)

    def _composition(self):
        width, height = self._pick(self.sizes)
        picture = self._scenery(width, height)
        alpha = np.zeros((height, width), np.float32)
        count = self.random.choice([1, 2, 3], p=[0.82, 0.14, 0.04])
        for _ in range(count):
            color, cover = self._person()
            color = self._relit(color, 0.2)
            if self.random.random() < 0.08:
                color, cover = self._moved(color, cover)
            self._place(color, cover, picture, alpha, self._person_box(cover, width, height, count))
        return picture, alpha

    def _scenery(self, width, height):
        """What is behind people, sometimes out of focus."""
        picture = self._background(width, height)
        self._furnish(picture)
        if self.random.random() < 0.25:
            picture = cv2.GaussianBlur(picture, (0, 0), self.random.uniform(0.8, 6))
        return picture

    def _person(self):
        person = self._pick(self.corpus.rendered) if self.random.random() < 0.45 else self._photographed_person()
        color = person.color
        # Keyed footage often keeps a line of the colour that it was taken before.
        if person.is_photograph and self.random.random() < 0.8:
            if id(person) not in self.straight:
                self.straight[id(person)] = straight_color(person.color, person.alpha)
            color = self.straight[id(person)]
        color, cover = self._mirrored(color.astype(np.float32) / 255, person.alpha.astype(np.float32) / 255)
        # A person who is whole in the picture may be tilted; one that is cut off by its edge would show the cut.
        if self.random.random() < 0.3 and not any(self._touches(cover)):
            color, cover = self._turned(color, cover, self.random.uniform(-25, 25))
        return color, cover

    def _photographed_person(self):
        while True:
            person = self._pick(self.corpus.people)
            if self.random.random() < PORTIONS.get(person.kind, 0.25):
                return person

    def _person_box(self, cover, width, height, count):
        """Scale and place of a cut-out such that an edge at which it is cut off lies at or beyond the picture's."""
        rows, columns = cover.shape
        top, bottom, left, right = self._touches(cover)
        rows_used = np.flatnonzero(cover.max(1) > 0.5)
        tall = (rows_used[-1] - rows_used[0] + 1) if len(rows_used) else rows
        scale = self.random.uniform(0.45, 1.15 if count == 1 else 0.9) * height / tall
        if left and right:
            scale = max(scale, width / columns)
        if top and bottom:
            scale = max(scale, height / rows)
        scale = min(scale, 2.0)
        across, down = columns * scale, rows * scale
        x = -0.25 * across + self.random.random() * (width - 0.5 * across)
        y = -0.1 * down + self.random.random() * (height - 0.5 * down)
        if left:
            x = min(x, 0)
        if right:
            x = max(x, width - across) if not left else -self.random.random() * max(0, across - width)
        if bottom:
            y = max(y, height - down)
        if top:
            y = min(y, 0)
        return scale, int(round(x)), int(round(y))

    def _furnish(self, picture):
        height, width = picture.shape[:2]
        while self.corpus.things and self.random.random() < 0.3:
            thing = self._pick(self.corpus.things)
            color, cover = self._mirrored(thing.color.astype(np.float32) / 255, thing.alpha.astype(np.float32) / 255)
            scale = self.random.uniform(0.3, 1.1) * height / cover.shape[0]
            x = int(self.random.uniform(-0.3, 0.9) * width)
            y = int(self.random.uniform(0, 0.7) * height)
            self._place(self._relit(color, 0.2), cover, picture, None, (scale, x, y))

    def _background(self, width, height):
        if self.random.random() < 0.08:
            return self._plain(width, height)
        background = self._pick(self.corpus.backgrounds)
        rows, columns = background.shape[:2]
        scale = max(width / columns, height / rows) * self.random.uniform(1, 1.6)
        picture = self._scaled(background, scale)
        x = self.random.integers(0, max(1, picture.shape[1] - width + 1))
        y = self.random.integers(0, max(1, picture.shape[0] - height + 1))
        picture = self._resized(picture[y : y + height, x : x + width], (width, height))
        if self.random.random() < 0.5:
            picture = picture[:, ::-1].copy()
        return self._relit(picture, 0.2)

    def _plain(self, width, height):
        """A wall: one colour fading into another."""
        corners = self.random.random((2, 2, 3)).astype(np.float32) * 0.35 + self.random.random(3) * 0.65
        return cv2.resize(corners.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)

    # What is done to pictures

    def _place(self, color, cover, picture, alpha, box):
        scale, x, y = box
        size = (max(1, round(cover.shape[1] * scale)), max(1, round(cover.shape[0] * scale)))
        color, cover = self._resized(color, size), self._resized(cover, size)
        # Enlarged pictures have softer edges than a camera's.
        if self.random.random() < 0.6:
            cover = ((cover - 0.5) * self.random.uniform(1, 1 + 1.5 * scale) + 0.5).clip(0, 1)
        height, width = picture.shape[:2]
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + size[0], width), min(y + size[1], height)
        if x0 >= x1 or y0 >= y1:
            return
        source, target = np.s_[y0 - y : y1 - y, x0 - x : x1 - x], np.s_[y0:y1, x0:x1]
        a = cover[source][..., None]
        picture[target] = picture[target] * (1 - a) + color[source] * a
        if alpha is not None:
            alpha[target] += (1 - alpha[target]) * cover[source]

    def _relit(self, picture, amount):
        return Light(self.random, amount).on(picture)

    def _moved(self, color, cover):
        length = int(self.random.integers(3, 12))
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2] = 1 / length
        turn = cv2.getRotationMatrix2D(((length - 1) / 2, (length - 1) / 2), self.random.uniform(0, 180), 1)
        kernel = cv2.warpAffine(kernel, turn, (length, length))
        kernel /= max(kernel.sum(), 1e-6)
        weight = cv2.filter2D(cover, -1, kernel, borderType=cv2.BORDER_REPLICATE)
        return cv2.filter2D(color, -1, kernel), weight

    def _turned(self, color, cover, angle):
        rows, columns = cover.shape
        turn = cv2.getRotationMatrix2D((columns / 2, rows / 2), angle, 0.85)
        size = (columns, rows)
        return (
            cv2.warpAffine(color, turn, size, borderMode=cv2.BORDER_REPLICATE),
            cv2.warpAffine(cover, turn, size, borderMode=cv2.BORDER_CONSTANT),
        )

    # Small matters

    def _pick(self, sequence):
        return sequence[int(self.random.integers(len(sequence)))]

    def _mirrored(self, color, cover):
        if self.random.random() < 0.5:
            return color, cover
        return np.ascontiguousarray(color[:, ::-1]), np.ascontiguousarray(cover[:, ::-1])

    @staticmethod
    def _touches(cover):
        """Whether the cut-out is cut off at its top, bottom, left and right edge."""
        return [bool(line.mean() > 0.04) for line in (cover[0], cover[-1], cover[:, 0], cover[:, -1])]

    @staticmethod
    def _scaled(picture, scale):
        size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
        return SceneMaker._resized(picture.astype(np.float32) / 255, size)

    @staticmethod
    def _resized(picture, size):
        if (picture.shape[1], picture.shape[0]) == tuple(size):
            return picture
        shrinks = size[0] < picture.shape[1]
        return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC).clip(0, 1)
