"""What `push` returns besides the motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gambol as gb

HITS = [
    gb.Push("head", (0.0, 60.0, 0.0), 1.0, 0.2),
    gb.Push("chest", (30.0, 0.0, 0.0), 1.5, 0.1, (0.1, 0.0, 0.2), "body"),
]


@pytest.fixture(scope="module")
def pushed():
    return gb.push("walk", HITS)


def test_arrows_are_where_the_pushes_act(pushed) -> None:
    head, chest = pushed.arrows
    character = pushed.response.fitted.character
    assert (head.start, head.end) == (1.0, pytest.approx(1.2))
    np.testing.assert_array_equal(head.forces, np.tile([0.0, 60.0, 0.0], (len(pushed.motion), 1)))
    placed = gb.Motion(character.skeleton, pushed.response.poses, pushed.motion.frame_time).placement
    for arrow, body, local in (
        (head, "head", character.centers[character.body("head")]),
        (chest, "chest", HITS[1].point),
    ):
        joint = character.body(body)
        reach = np.linalg.norm(arrow.points - placed.positions[:, joint], axis=1)
        np.testing.assert_allclose(reach, np.linalg.norm(local), atol=1e-9)
    turned = Rotation.from_quat(placed.rotations[:, character.body("chest")].copy(), scalar_first=True)
    np.testing.assert_allclose(chest.forces, turned.apply(HITS[1].force), atol=1e-9)
    assert np.ptp(chest.forces[:, 1]) > 1.0, "a force in the axes of the body turns with it"


def test_a_chosen_cycle_is_what_is_learned_from() -> None:
    """The answer with a chosen cycle is that of a model learned from its frames alone."""
    from gambol.respond.clips import respond_to_pushes

    clip, hit, cycle = gb.load("walk")[:100], [gb.Push("head", (0.0, 60.0, 0.0), 0.2, 0.2)], (0.5, 1.6)
    found = gb.push(clip, hit, cycle=cycle).response
    fitted, frames = found.fitted, slice(30, 96)
    own = respond_to_pushes(fitted.character, clip, hit, cycle=frames)
    np.testing.assert_array_equal(found.poses, own.poses)
    assert np.abs(found.poses - gb.push(clip, hit).response.poses).max() > 1e-3


def test_a_push_map_of_a_chosen_cycle_has_its_period() -> None:
    found = gb.push_map("walk", pushes=8, bodies=["head"], cycle=(0.5, 1.6)).push_map
    assert found.seconds == pytest.approx(1.1)


def test_figures_are_those_of_the_response(pushed) -> None:
    peak, second = pushed.response.peak
    assert pushed.figures["peak_deg"] == peak > 5.0
    assert pushed.figures["peak_time_s"] == second
    assert 1.0 < second < 2.0
    assert f"{peak:.1f} degrees" in pushed.summary


def test_quiet_prints_nothing_but_files_and_json_is_alone_on_standard_output(gambol, tmp_path) -> None:
    import json

    gb.save(gb.load("walk")[:80], tmp_path / "walk.bvh")
    words = ("push", tmp_path / "walk.bvh", "--body", "head", "--force", 0, 60, 0, "--start", 0.5)
    code, out, err = gambol(*words, "-o", tmp_path / "a.bvh", "--quiet")
    assert (code, out, err) == (0, f"{tmp_path / 'a.bvh'}\n", "")
    code, out, err = gambol(*words, "-o", tmp_path / "b.bvh", "--json", "-")
    assert code == 0
    assert json.loads(out)["figures"]["peak_deg"] > 5.0
    assert str(tmp_path / "b.bvh") in err


def test_a_looped_clip_lasts_as_long_as_asked_and_forces_may_be_per_kilogram() -> None:
    per_kilogram = [gb.Push("chest", (0.0, 0.5, 0.0), 0.5, 0.25)]
    found = gb.push("walk", per_kilogram, loop=5.0, mass=50.0, per_kg=True)
    assert 5.0 <= len(found.motion) * found.motion.frame_time < 5.0 + 1.2
    assert found.response.pushes[0].force == pytest.approx((0.0, 25.0, 0.0))
    assert found.figures["foot_slide_mm"] == pytest.approx(1000.0 * found.response.slide)
    for seconds in (0.0, 601.0):
        with pytest.raises(gb.InputError, match="looped"):
            gb.push("walk", per_kilogram, loop=seconds)
