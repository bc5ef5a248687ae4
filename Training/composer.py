"""Scenes with exact alpha, composed in batches by PyTorch, on a GPU where there is one: what the person segmentation network learns from."""

import math

import cv2
import numpy as np
import torch
from torch.nn import functional as F

from corpus import Corpus, straight_color
from stamps import ANIMALS, THINGS, stamps

# Pictures are kept stretched to squares of this side; what they are stretched from is kept beside them.
SIDE, BACKGROUND_SIDE = 256, 288
# The corpus has more faces that fill the picture than people in front of a camera, and few groups.
PORTIONS = {"face": 0.4, "multi": 3.0}


def square(picture, side=SIDE):
    shrinks = max(picture.shape[:2]) > side
    return cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def stacked(pictures, device):
    return torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).to(device)


def each(values):
    """One number for each picture of a batch, against its planes."""
    return values[:, None, None, None]


class Layers:
    """Cut-outs on the device: straight colour and alpha, at two sizes against aliasing, and as they are photographed."""

    def __init__(self, cutouts, device, weights=None):
        straight = [straight_color(c.color, c.alpha) if c.is_photograph else c.color for c in cutouts]
        self.cut = self._sizes([np.dstack([square(s), square(c.alpha)]) for s, c in zip(straight, cutouts)], device)
        self.photographed = self._sizes([np.dstack([square(c.color), square(c.alpha)]) for c in cutouts], device)
        measures = torch.tensor([self._measures(c.alpha) for c in cutouts], device=device)
        self.width, self.height, self.tall = measures[:, 0], measures[:, 1], measures[:, 2]
        # Whether it is cut off at its top, bottom, left and right edge.
        self.is_cut = measures[:, 3:] > 0
        self.weights = torch.tensor(weights or [PORTIONS.get(c.kind, 1.0) for c in cutouts], device=device)

    @staticmethod
    def _sizes(pictures, device):
        full = stacked(pictures, device)
        return full, F.avg_pool2d(full.half(), 2).round().to(torch.uint8)

    @staticmethod
    def _measures(alpha):
        edges = [float(line.mean() > 10) for line in (alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1])]
        rows = np.flatnonzero(alpha.max(1) > 127)
        tall = rows[-1] - rows[0] + 1 if len(rows) else len(alpha)
        return [float(alpha.shape[1]), float(alpha.shape[0]), float(tall), *edges]


class Composer:
    """Composes batches of scenes from a corpus; every choice comes from one generator."""

    def __init__(self, corpus, stamps_folder, device, seed, clear_only=True, validation=False):
        parts = Corpus(corpus, clear_only=clear_only, validation=validation)
        cut = [c for i, c in enumerate(stamps(stamps_folder, ANIMALS + THINGS)) if (i % 12 == 0) == validation]
        self.device = device
        self.generator = torch.Generator(device).manual_seed(seed)
        self.people, self.rendered = Layers(parts.people, device), Layers(parts.rendered, device)
        weights = [1 / len(group) for group in (parts.things, cut) for _ in group]
        self.things = Layers(parts.things + cut, device, weights)
        self.backgrounds = stacked([square(b, BACKGROUND_SIDE) for b in parts.backgrounds], device)
        self.aspects = torch.tensor([b.shape[1] / b.shape[0] for b in parts.backgrounds], device=device)
        self.stretch = 1.0

    @staticmethod
    def parts(count):
        """How many of a batch's scenes are photographs as they are, the first; and how many after them show nobody."""
        photographs = int(count * 0.36)
        return photographs, int((count - photographs) * 0.2)

    def batch(self, count, height, width, stretch=1.0):
        """Pictures (count, 3, height, width; 0…1), all of them `stretch` times as wide as they should be, and their alpha (count, 1, …)."""
        self.stretch = stretch
        photographs, empty = self.parts(count)
        scenery = self._furnished(self._backgrounds(count - photographs, height, width))
        scene = torch.cat((self._photographs(photographs, height, width), scenery))
        index = torch.arange(count, device=self.device)
        composed = index >= photographs + empty
        first = composed | (index < photographs) & self._chance(count, 0.08)
        for shown in (first, composed & self._chance(count, 0.2)):
            is_real = self._chance(count, 0.55)
            scene = self._with(scene, self.people, shown & is_real)
            scene = self._with(scene, self.rendered, shown & ~is_real)
        # What is held up, furniture, plants.
        scene = self._with(scene, self.things, self._chance(count, 0.03), is_person=False, is_small=True)
        scene = self._some(scene, self._chance(count, 0.06), self._occluded)
        scene = self._some(scene, self._chance(count, 0.1), self._at_a_desk)
        scene = self._some(scene, self._chance(count, 0.12), self._worn)
        if height == width:
            scene = self._some(scene, self._chance(count, 0.04), lambda some: some.rot90(1, (2, 3)))
        scene = self._some(scene, self._chance(count, 0.3), lambda some: self._blurred(some, 0.4, 1.6))
        return self._taken(scene[:, :3]), scene[:, 3:].clamp(0, 1)

    # Random numbers

    def _uniform(self, count, low=0.0, high=1.0):
        return torch.rand(count, device=self.device, generator=self.generator) * (high - low) + low

    def _normal(self, *shape):
        return torch.randn(*shape, device=self.device, generator=self.generator)

    def _chance(self, count, probability):
        return self._uniform(count) < probability

    def _some(self, x, chosen, change):
        """A batch, of which those that are `chosen` are changed."""
        index = chosen.nonzero().flatten()
        if len(index) == 0:
            return x
        x = x.clone()
        x[index] = change(x[index])
        return x

    # Sampling

    def _grid(self, height, width, left, top, across, down, is_mirrored, angle):
        """Where in a layer of `across` by `down` pixels at `left` and `top`, turned about its middle, each pixel lies."""
        y, x = torch.meshgrid(
            torch.arange(height, device=self.device) + 0.5, torch.arange(width, device=self.device) + 0.5, indexing="ij")
        plane = lambda values: values[:, None, None]
        dx, dy = x[None] - plane(left + across / 2), y[None] - plane(top + down / 2)
        cosine, sine = plane(angle.cos()), plane(angle.sin())
        gx = 2 * (cosine * dx + sine * dy) / plane(across) * plane(torch.where(is_mirrored, -1.0, 1.0))
        return torch.stack((gx, 2 * (cosine * dy - sine * dx) / plane(down)), -1)

    def _sampled(self, sizes, index, grid, scale, padding="zeros"):
        full, half = sizes
        out = torch.empty(len(index), full.shape[1], *grid.shape[1:3], device=self.device)
        for chosen, level in ((scale >= 0.6, full), (scale < 0.6, half)):
            some = chosen.nonzero().flatten()
            if len(some):
                pictures = level[index[some]].float() / 255
                out[some] = F.grid_sample(pictures, grid[some], padding_mode=padding, align_corners=False)
        return out

    # The parts of scenes, as planes of red, green, blue and alpha

    def _photographs(self, count, height, width):
        layers = self.people
        index = torch.multinomial(layers.weights, count, True, generator=self.generator)
        zoom = torch.where(self._chance(count, 0.25), self._uniform(count, 1, 2.4), self._uniform(count, 1, 1.3))
        wide = layers.width[index] * self.stretch
        scale = torch.maximum(width / wide, height / layers.height[index]) * zoom
        across, down = wide * scale, layers.height[index] * scale
        left, top = -(across - width) * self._uniform(count), -(down - height) * self._uniform(count)
        angle = self._normal(count) * 0.15 * self._chance(count, 0.25)
        grid = self._grid(height, width, left, top, across, down, self._chance(count, 0.5), angle)
        return self._sampled(layers.photographed, index, grid, scale, "border")

    def _backgrounds(self, count, height, width):
        index = torch.randint(len(self.backgrounds), (count,), device=self.device, generator=self.generator)
        aspect = self.aspects[index] * self.stretch
        down = torch.maximum(width / aspect, torch.full_like(aspect, height)) * self._uniform(count, 1, 1.9)
        across = down * aspect
        left, top = -(across - width) * self._uniform(count), -(down - height) * self._uniform(count)
        straight = torch.zeros(count, device=self.device)
        grid = self._grid(height, width, left, top, across, down, self._chance(count, 0.5), straight)
        pictures = self.backgrounds[index].float() / 255
        pictures = F.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
        # Some are walls.
        is_wall = each(self._chance(count, 0.08))
        pictures = self._relit(torch.where(is_wall, self._plain(count, height, width), pictures), 0.25)
        return torch.cat((pictures, torch.zeros(count, 1, height, width, device=self.device)), 1)

    def _plain(self, count, height, width):
        """One colour fading into another."""
        corners = self._uniform(count * 12).view(count, 3, 2, 2) * 0.35 + self._uniform(count * 3).view(count, 3, 1, 1) * 0.65
        return F.interpolate(corners, (height, width), mode="bilinear", align_corners=True)

    def _furnished(self, scene):
        count = len(scene)
        scene = self._with(scene, self.things, self._chance(count, 0.35), is_person=False)
        return self._some(scene, self._chance(count, 0.25), lambda some: self._blurred(some, 0.8, 6))

    def _with(self, scene, layers, chosen, is_person=True, is_small=False):
        """The scene with a cut-out of `layers` before each that is chosen."""

        def placed(some):
            layer = self._placed(layers, len(some), *some.shape[2:], is_small)
            alpha = layer[:, 3:]
            color = some[:, :3] * (1 - alpha) + layer[:, :3] * alpha
            return torch.cat((color, some[:, 3:] * (1 - alpha) + alpha * is_person), 1)

        return self._some(scene, chosen, placed)

    def _placed(self, layers, count, height, width, is_small):
        index = torch.multinomial(layers.weights, count, True, generator=self.generator)
        is_cut = layers.is_cut[index]
        top_cut, bottom_cut, left_cut, right_cut = is_cut.unbind(1)
        scale = self._scale(count, is_small) * height / layers.tall[index]
        wide = layers.width[index] * self.stretch
        scale = torch.where(left_cut & right_cut, torch.maximum(scale, width / wide), scale)
        scale = torch.where(top_cut & bottom_cut, torch.maximum(scale, height / layers.height[index]), scale)
        across = wide * scale * (self._normal(count) * 0.08).exp()
        down = layers.height[index] * scale
        # An edge at which it is cut off lies at or beyond the picture's.
        left = -0.3 * across + self._uniform(count) * (width - 0.4 * across)
        # Some are only just coming in.
        coming = -0.85 * across + self._uniform(count) * (width + 0.7 * across)
        left = torch.where(self._chance(count, 0.15), coming, left)
        is_large = (down > 1.1 * height) & self._chance(count, 0.5)
        top = torch.where(
            is_large, -self._uniform(count) * (down - 0.5 * height),
            -0.1 * down + self._uniform(count) * (height - 0.4 * down))
        left = torch.where(left_cut, left.clamp(max=0), left)
        left = torch.where(right_cut & ~left_cut, torch.maximum(left, width - across), left)
        left = torch.where(right_cut & left_cut, -self._uniform(count) * (across - width).clamp(min=0), left)
        top = torch.where(bottom_cut, torch.maximum(top, height - down), top)
        top = torch.where(top_cut, top.clamp(max=0), top)
        is_mirrored = self._chance(count, 0.5)
        left = torch.where(is_mirrored & (left_cut ^ right_cut), width - across - left, left)
        # Who is whole in the picture may lie or hang.
        turned = torch.where(self._chance(count, 0.3), self._uniform(count, -math.pi, math.pi), self._normal(count) * 0.25)
        tilted = self._normal(count) * 0.12 * self._chance(count, 0.15)
        angle = torch.where(~is_cut.any(1) & self._chance(count, 0.5), turned, tilted)
        grid = self._grid(height, width, left, top, across, down, is_mirrored, angle)
        layer = self._sampled(layers.cut, index, grid, scale)
        # Enlarged pictures have softer edges than a camera's.
        steeper = (1 + 1.5 * scale * self._uniform(count) * self._chance(count, 0.6)).clamp(max=4)
        alpha = ((layer[:, 3:] - 0.5) * each(steeper) + 0.5).clamp(0, 1) * (layer[:, 3:] > 0)
        return torch.cat((self._relit(layer[:, :3], 0.25), alpha), 1)

    def _scale(self, count, is_small):
        """How tall cut-outs are, in heights of the picture: some far away, most as before a camera, some very near."""
        kind = self._uniform(count)
        low = torch.where(kind < 0.2, 0.15, torch.where(kind < 0.8, 0.45, 1.2))
        high = torch.where(kind < 0.2, 0.45, torch.where(kind < 0.8, 1.2, 2.6))
        if is_small:
            low, high = low.clamp(max=0.5), high.clamp(max=1)
        return low + (high - low) * self._uniform(count)

    def _occluded(self, scene):
        """A smooth shape of another picture before people."""
        cover = self._shape(scene, 4, 5)
        return scene * (1 - cover) + self._backgrounds(len(scene), *scene.shape[2:]) * cover

    def _at_a_desk(self, scene):
        """A flat top before people, which their arms may rest on."""
        count, _, height, width = scene.shape
        y, x = torch.meshgrid(
            torch.linspace(0, 1, height, device=self.device), torch.linspace(0, 1, width, device=self.device), indexing="ij")
        # From its rear edge on; at each side its end, which comes nearer to the middle further back.
        depth = y - self._edges(count, 0.4, 0.95) - self._edges(count, -0.12, 0.12) * (x - 0.5)
        left, right = self._edges(count, -0.7, 0.5), self._edges(count, 0.6, 1.7)
        ahead = depth * self._edges(count, 0, 1.2)
        inside = torch.stack((depth, x - left + ahead, right + ahead - x, self._edges(count, 0.08, 1.2) - depth)).amin(0)
        cover = (inside * height).clamp(0, 1)
        # As far in as arms reach, they lie on it.
        resting = ((self._edges(count, -0.25, 0.3) - depth) * height).clamp(0, 1)
        cover = (cover * (1 - resting * scene[:, 3]))[:, None]
        light = self._uniform(count, 0, 0.7).view(count, 1, 1, 1)
        top = self._plain(count, height, width) * (1 - light) + light * self._uniform(count, 0.6, 1).view(count, 1, 1, 1)
        return torch.cat((scene[:, :3] * (1 - cover) + top * cover, scene[:, 3:] * (1 - cover)), 1)

    def _edges(self, count, low, high):
        return self._uniform(count, low, high)[:, None, None]

    def _worn(self, scene):
        """Patches on people, plain ones and of another picture, which are theirs: face masks, prints, clothes of two colours."""
        count, _, height, width = scene.shape
        plain = self._uniform(count * 3).view(count, 3, 1, 1).expand(-1, -1, height, width)
        picture = self._backgrounds(count, height, width)[:, :3]
        patch = torch.where(each(self._chance(count, 0.6)), plain, picture)
        colour, alpha = scene[:, :3], scene[:, 3:]
        # Some of the light and of the folds beneath stay.
        cover = self._shape(scene, 5, 6) * alpha * each(self._uniform(count, 0.75, 1))
        return torch.cat((colour * (1 - cover) + patch * cover, alpha), 1)

    def _shape(self, scene, rows, columns):
        """Smooth shapes, by as much noise as there are rows and columns (count, 1, height, width; 0…1)."""
        noise = F.interpolate(self._normal(len(scene), 1, rows, columns), scene.shape[2:], mode="bicubic", align_corners=True)
        return ((noise - each(self._uniform(len(scene), 0.8, 2))) * 12).clamp(0, 1)

    # What light, lens and camera do

    def _relit(self, pictures, amount):
        count = len(pictures)
        exponent = (self._normal(count, 1, 1, 1) * amount).exp()
        gains = (self._normal(count, 3, 1, 1) * 0.06 + self._normal(count, 1, 1, 1) * 0.08).exp()
        return (pictures.clamp(1e-4, 1) ** exponent * gains).clamp(0, 1)

    def _blurred(self, scene, low, high):
        return self._gaussian(scene, float(self._uniform(1, low, high)))

    def _gaussian(self, x, sigma):
        reach, planes = max(1, int(2.5 * sigma)), x.shape[1]
        kernel = torch.exp(-torch.arange(-reach, reach + 1, device=self.device).float() ** 2 / (2 * sigma * sigma))
        kernel = kernel / kernel.sum()
        across, down = kernel.view(1, 1, 1, -1).expand(planes, 1, 1, -1), kernel.view(1, 1, -1, 1).expand(planes, 1, -1, 1)
        x = F.conv2d(F.pad(x, (reach, reach, 0, 0), mode="replicate"), across, groups=planes)
        return F.conv2d(F.pad(x, (0, 0, reach, reach), mode="replicate"), down, groups=planes)

    def _taken(self, pictures):
        count, _, height, width = pictures.shape
        pictures = self._relit(pictures, 0.15)
        gain = torch.where(self._chance(count, 0.18), self._uniform(count, 0.15, 0.8), torch.ones(count, device=self.device))
        pictures = pictures * each(gain)
        pictures = self._some(pictures, self._chance(count, 0.04), lambda some: some.mean(1, keepdim=True).expand_as(some))
        # Some are faded: into black, into white, in haze.
        is_faded = self._chance(count, 0.06)
        contrast = torch.where(is_faded, self._uniform(count, 0.2, 0.7), (self._normal(count) * 0.12).exp())
        level = each(torch.where(is_faded, self._uniform(count), torch.full_like(contrast, 0.5)))
        pictures = (pictures - level) * each(contrast) + level
        pictures = self._some(pictures, self._chance(count, 0.45), self._noisy).clamp(0, 1)
        pictures = self._some(pictures, self._chance(count, 0.55), self._compressed)

        def coarse(some):
            small = F.interpolate(some, scale_factor=0.5, mode="area")
            return F.interpolate(small, (height, width), mode="bilinear", align_corners=False)

        return self._some(pictures, self._chance(count, 0.08), coarse).clamp(0, 1)

    def _noisy(self, pictures):
        count = len(pictures)
        noise = self._normal(*pictures.shape)
        noise = self._some(noise, self._chance(count, 0.3), lambda some: self._gaussian(some, 0.7) * 1.8)
        return pictures + each((self._normal(count) * 0.03).abs()) * noise

    def _compressed(self, pictures):
        """Blocks' cosine transform, quantised more coarsely at higher frequencies and in colour, as JPEG does."""
        count, _, height, width = pictures.shape
        index = torch.arange(8, device=self.device).float()
        transform = torch.cos((2 * index[None] + 1) * index[:, None] * math.pi / 16) / 2
        transform[0] /= math.sqrt(2)
        frequency = index[:, None] + index[None]
        table = torch.stack((1 + frequency / 2, 1.5 + frequency, 1.5 + frequency))[None, :, None, None]
        step = torch.exp(self._uniform(count, math.log(0.006), math.log(0.09))).view(-1, 1, 1, 1, 1, 1) * table
        to_luma = torch.tensor(
            [[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]], device=self.device)
        blocks = torch.einsum("ij,njhw->nihw", to_luma, pictures).reshape(count, 3, height // 8, 8, width // 8, 8)
        blocks = transform @ blocks.permute(0, 1, 2, 4, 3, 5) @ transform.T
        blocks = transform.T @ ((blocks / step).round() * step) @ transform
        planes = blocks.permute(0, 1, 2, 4, 3, 5).reshape(count, 3, height, width)
        return torch.einsum("ij,njhw->nihw", torch.linalg.inv(to_luma), planes).clamp(0, 1)
