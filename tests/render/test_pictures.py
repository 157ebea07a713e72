from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gambol.motion.figure import COLORS
from gambol.motion.motion import Motion
from gambol.motion.rig import from_mapping
from gambol.motion.rig_names import PARTS
from gambol.render.film import picture_count, pictures, save_film
from gambol.render.painter import Camera
from gambol.render.strip import save_strip
from tests.motion.bodies import person, standing


@pytest.fixture
def motion() -> Motion:
    skeleton = person()
    return replace(standing(skeleton), rig=from_mapping(skeleton, {p: p for p in PARTS}))


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
    save_film(pictures([moving]), path, suffix)
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
    assert frames == picture_count([moving])
    assert np.abs(first - last).mean() > 0.3


def test_a_skeleton_that_is_no_person_is_drawn_too(tmp_path: Path, motion: Motion) -> None:
    save_strip([replace(motion, rig=None)], tmp_path / "strip.png", poses=3)
    image = np.asarray(Image.open(tmp_path / "strip.png"))
    assert painted(image, 0).sum() > 1000


def test_real_clips_fill_the_picture(tmp_path: Path, data: Path) -> None:
    """Figures stand on the floor and inside the picture, whatever they do."""
    from gambol.io import load

    for clip in ("jump_hop_leap/13_11", "acrobatics/87_03", "fall_stumble_slip/90_16"):
        save_strip([load(data / "cmu_bvh" / f"{clip}.bvh")], tmp_path / "strip.png")
        image = np.asarray(Image.open(tmp_path / "strip.png"))
        body = painted(image, 1) | painted(image, -1)
        assert body[2:-2, 2:-2].sum() == body.sum() > 5000
