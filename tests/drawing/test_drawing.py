from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gambol.drawing.camera import Camera
from gambol.drawing.film import Film
from gambol.drawing.stage_bar import STAGE_COLORS
from gambol.drawing.strip import save_strip
from gambol.drawing.video import save_film
from gambol.fit.physics import Physics, estimate_physics
from gambol.io import samples
from gambol.motion.figure import COLORS
from gambol.motion.motion import Motion
from gambol.motion.rig import rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from tests.motion.bodies import person, standing


@pytest.fixture
def motion() -> Motion:
    skeleton = person()
    return replace(standing(skeleton), rig=rig_from_mapping(skeleton, {p: p for p in BODY_PARTS}))


def painted(image: np.ndarray, side: int) -> np.ndarray:
    """Where a picture shows the colour of a side of the body, whatever its shade."""
    color = np.array(COLORS[side])
    pixels = image[..., :3] / 255.0
    along = pixels @ color / np.linalg.norm(color)
    off = np.linalg.norm(pixels - along[..., None] * color / np.linalg.norm(color), axis=-1)
    return (off < 0.06) & (along > 0.3)


def test_strip_shows_every_pose_on_both_sides(tmp_path: Path, motion: Motion) -> None:
    save_strip([motion], tmp_path / "strip.png", poses=5)
    image = np.asarray(Image.open(tmp_path / "strip.png"))
    assert image.shape[1] > image.shape[0]
    for side in (1, -1):
        columns = painted(image, side).any(axis=0)
        starts = np.flatnonzero(np.diff(columns.astype(int)) == 1)
        assert 5 <= len(starts) <= 15


def test_camera_is_orthonormal_and_sees_forward_to_the_right() -> None:
    camera = Camera.beside(np.array([0.6, 0.8, 0.0]))
    frame = np.stack((camera.right, camera.up, camera.toward))
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(frame) > 0.99
    assert camera.right @ [0.6, 0.8, 0.0] > 0.8
    assert camera.up[2] > 0.9


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_film_moves_and_has_its_length(tmp_path: Path, motion: Motion, suffix: str) -> None:
    q = motion.q.copy()
    arm = next(c for c, d in enumerate(motion.skeleton.dofs) if motion.skeleton.names[d.joint] == "left_upper_arm")
    q[:, arm + 2] += np.linspace(0.0, 2.0, len(q))
    moving = replace(motion, q=q)[::3]
    path = tmp_path / f"film{suffix}"
    pictures = Film([moving])
    save_film(pictures, 30.0, path, suffix)
    if suffix == ".gif":
        with Image.open(path) as film:
            frames = film.n_frames
            first = np.asarray(film.convert("RGB"), dtype=float)
            film.seek(frames - 1)
            last = np.asarray(film.convert("RGB"), dtype=float)
    else:
        import av

        with av.open(str(path)) as film:
            images = [f.to_ndarray(format="rgb24").astype(float) for f in film.decode(video=0)]
        frames, first, last = len(images), images[0], images[-1]
    assert frames == len(pictures)
    assert np.abs(first - last).mean() > 0.3


def test_a_picture_of_a_film_does_not_show_those_before_it(motion: Motion) -> None:
    """An arm is raised and lowered again: the last picture is the first."""
    q = np.repeat(motion.q[:1], 3, axis=0)
    q[1, motion.skeleton.columns(motion.skeleton.index("left_upper_arm"), "turn")] += 1.0
    first, raised, last = Film([replace(motion, q=q, frame_time=1.0 / 30.0)])
    np.testing.assert_array_equal(last, first)
    assert np.abs(raised.astype(float) - first).mean() > 0.3


def test_a_skeleton_that_is_no_person_is_drawn_too(tmp_path: Path, motion: Motion) -> None:
    save_strip([replace(motion, rig=None)], tmp_path / "strip.png", poses=3)
    image = np.asarray(Image.open(tmp_path / "strip.png"))
    assert painted(image, 0).sum() > 1000


def test_real_clips_fill_the_picture(tmp_path: Path, data: Path) -> None:
    """Figures stand on the floor and inside the picture, whatever they do."""
    from gambol.fit.load import load

    for clip in ("jump_hop_leap/13_11", "acrobatics/87_03", "fall_stumble_slip/90_16"):
        save_strip([load(data / "cmu_bvh" / f"{clip}.bvh")], tmp_path / "strip.png")
        image = np.asarray(Image.open(tmp_path / "strip.png"))
        body = painted(image, 1) | painted(image, -1)
        assert body[2:-2, 2:-2].sum() == body.sum() > 5000


@pytest.fixture(scope="module")
def jump() -> Physics:
    return estimate_physics(samples.jump())


def near(image: np.ndarray, color: tuple[float, float, float]) -> np.ndarray:
    return np.abs(image[..., :3] / 255.0 - color).max(axis=-1) < 0.03


def test_a_strip_with_physics_has_forces_and_a_bar_that_says_what_carries(tmp_path: Path, jump: Physics) -> None:
    """The blocks of the bar, from left to right, are the stages of the poses above them."""
    save_strip([jump.motion], tmp_path / "plain.png", poses=7)
    save_strip([jump.motion], tmp_path / "strip.png", poses=7, physics=[jump])
    plain, image = (np.asarray(Image.open(tmp_path / name)) for name in ("plain.png", "strip.png"))
    green = (0.16, 0.56, 0.30)
    assert near(image, green).sum() > 500 > near(plain, green).sum() * 100
    flying, standing_ = (near(image, STAGE_COLORS[name]) for name in ("flight", "both feet"))
    row = int(np.argmax((flying | standing_).sum(axis=1)))
    width = (flying | standing_)[row].sum()
    assert width > 0.85 * image.shape[1]
    assert 1 / 7 * 0.5 < flying[row].sum() / width < 3 / 7
    assert np.flatnonzero(standing_[row]).min() < np.flatnonzero(flying[row]).min()
    assert np.flatnonzero(standing_[row]).max() > np.flatnonzero(flying[row]).max()


def test_the_bar_of_a_film_has_the_shares_of_the_stages_and_a_needle_that_moves(jump: Physics) -> None:
    flying = sum(len(s) for s in jump.supports if s.name == "flight") / len(jump.motion)
    film = Film([jump.motion], physics=[jump])
    needles = []
    for number in (4, len(film) // 2, len(film) - 4):
        image = film[number][..., :3]
        air, ground = near(image, STAGE_COLORS["flight"]), near(image, STAGE_COLORS["both feet"])
        row = int(np.argmax((air | ground).sum(axis=1)))
        assert air[row].sum() / (air | ground)[row].sum() == pytest.approx(flying, abs=0.06)
        span = np.flatnonzero((air | ground)[row])
        dark = (image[row, span.min() : span.max()].max(axis=-1) < 60).nonzero()[0]
        needles.append(float(np.median(dark)) / len(span))
    assert needles == sorted(needles)
    assert needles[-1] - needles[0] > 0.6


def test_moments_show_everybody_and_what_stands_there(tmp_path: Path) -> None:
    from gambol.drawing.moments import save_moments
    from gambol.motion.ensemble import Ensemble

    walk = samples.walk()[:120]
    aside = np.eye(len(walk.skeleton.dofs))[walk.skeleton.columns(0, "slide")[0]]
    people = [replace(walk, q=walk.q + metres * aside) for metres in (0.0, 3.0, 6.0)]
    alone, things = tmp_path / "alone.png", tmp_path / "things.png"
    poles, walls = np.array([[1.0, 1.0, 0.3]]), np.array([[0.0, -1.0, 2.0, -1.0]])
    save_moments(Ensemble(tuple(people)), alone, 2)
    save_moments(Ensemble(tuple(people), poles=poles, walls=walls), things, 2)
    images = [np.asarray(Image.open(path).convert("RGB")) for path in (alone, things)]
    half = painted(images[0], 1)[:, : images[0].shape[1] // 2].any(axis=0)
    runs = np.flatnonzero(np.diff(half.astype(int)) == 1)
    assert len(runs) >= 3
    stone = [np.ptp(picture.astype(int), axis=2) < 8 for picture in images]
    dark = [(flat & (picture.mean(axis=2) < 120)).mean() for flat, picture in zip(stone, images, strict=True)]
    assert dark[1] > 5.0 * dark[0] + 0.001
