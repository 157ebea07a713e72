"""Parts that carry, and the bodies of L05's sketches: people, children, a creature on three legs."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.child import make_child_build
from gambol.body.dynamics import Dynamics
from gambol.body.human import make_human
from gambol.body.soles import find_soles
from gambol.body.tripod import make_tripod
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place


@pytest.fixture(scope="module")
def man() -> Character:
    return make_human(make_average_build(1.75), 70.0)


def at_rest(character: Character) -> Array:
    """Positions (joints, 3) with all coordinates at nothing."""
    return place(character.skeleton, np.zeros((1, len(character.skeleton.dofs)))).positions[0]


class TestSoles:
    def test_feet_and_hands_carry(self, man: Character) -> None:
        assert set(find_soles(man)) == {"left foot", "right foot", "left hand", "right hand"}

    def test_a_foot_is_flat_below_its_ankle_longer_than_wide_and_ends_at_heel_and_toes(self, man: Character) -> None:
        sole, skeleton = find_soles(man)["left foot"], man.skeleton
        assert sole.body == "left_foot"
        assert np.ptp(sole.corners[:, 2]) == pytest.approx(0.0)
        heel, toe = (skeleton.offsets[skeleton.index(f"left_{tip}_tip")] for tip in ("heel", "toe"))
        np.testing.assert_allclose(sole.back.mean(axis=0), heel)
        np.testing.assert_allclose(sole.front.mean(axis=0), toe)
        length, width = np.ptp(sole.corners[:, 0]), np.ptp(sole.corners[:, 1])
        assert 0.2 < width / length < 0.5
        np.testing.assert_allclose(sole.middle, sole.corners.mean(axis=0))

    def test_corners_go_along_the_sole_first(self, man: Character) -> None:
        for sole in find_soles(man).values():
            along, across = sole.corners[1] - sole.corners[0], sole.corners[2] - sole.corners[0]
            assert np.linalg.norm(along) > 2.0 * np.linalg.norm(across)
            assert along @ across == pytest.approx(0.0, abs=1e-12)
            assert abs(along @ sole.normal) + abs(across @ sole.normal) == pytest.approx(0.0, abs=1e-12)

    def test_toes_that_turn_do_not_carry_with_the_foot(self) -> None:
        whole, split = (make_human(make_average_build(1.75), 70.0, toes=toes) for toes in (False, True))
        assert np.ptp(find_soles(split)["left foot"].corners[:, 0]) < 0.8 * np.ptp(
            find_soles(whole)["left foot"].corners[:, 0]
        )

    def test_palms_face_in_when_arms_hang(self, man: Character) -> None:
        assert find_soles(man)["left hand"].normal == pytest.approx([0.0, 1.0, 0.0])
        assert find_soles(man)["right hand"].normal == pytest.approx([0.0, -1.0, 0.0])


class TestChild:
    def test_has_the_given_height_with_shorter_limbs_and_a_larger_trunk_and_head(self) -> None:
        child, small = make_child_build(1.1), make_average_build(1.1)
        assert child.height == pytest.approx(1.1)
        for part in ("left_forearm", "right_hand", "left_shank", "left_foot"):
            assert np.linalg.norm(child.offsets[part]) < np.linalg.norm(small.offsets[part])
        for part in ("chest", "head"):
            assert child.offsets[part][2] > small.offsets[part][2]
        assert child.tips["head"][2] > 1.2 * small.tips["head"][2]

    def test_is_the_same_on_both_sides_and_carries_its_mass(self) -> None:
        child = make_child_build(1.1)
        for name, way in child.offsets.items():
            if name.startswith("left_"):
                np.testing.assert_allclose(child.offsets[name.replace("left", "right")], way * [1.0, -1.0, 1.0])
        body = make_human(child, 18.5)
        assert body.mass == pytest.approx(18.5)
        assert set(find_soles(body)) == {"left foot", "right foot", "left hand", "right hand"}


class TestTripod:
    def test_stands_on_three_tips_around_its_middle(self) -> None:
        body = make_tripod(1.2, 60.0)
        assert set(find_soles(body)) == {"front foot", "left foot", "right foot"}
        placed, skeleton = at_rest(body), body.skeleton
        tips = np.array([placed[skeleton.index(f"{leg}_foot_tip")] for leg in ("front", "left", "right")])
        assert np.ptp(tips[:, 2]) == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.norm(tips[:, :2], axis=1) == pytest.approx(np.full(3, np.linalg.norm(tips[0, :2])))
        assert tips[:, :2].sum(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
        assert tips[0, 0] > 0.1
        assert tips[1, 1] > 0.1
        assert tips[2, 1] < -0.1

    def test_has_the_given_mass_and_about_the_given_height_and_its_centre_over_its_legs(self) -> None:
        body = make_tripod(1.5, 80.0)
        assert body.mass == pytest.approx(80.0)
        placed = at_rest(body)
        assert np.ptp(placed[:, 2]) == pytest.approx(1.5, rel=0.25)
        centre = Dynamics(body).center_of_mass(np.zeros(len(body.skeleton.dofs)))
        assert centre[:2] == pytest.approx([0.0, 0.0], abs=1e-9)

    def test_masses_and_inertias_are_of_real_bodies(self) -> None:
        body = make_tripod()
        for mass, inertia in zip(body.masses, body.inertias, strict=True):
            if mass > 0.0:
                low, middle, high = np.linalg.eigvalsh(inertia)
                assert low > 0.0
                assert high <= low + middle + 1e-12

    def test_a_tip_is_one_point(self) -> None:
        sole = find_soles(make_tripod())["front foot"]
        assert sole.corners.shape == (1, 3)
        np.testing.assert_allclose(sole.middle, sole.corners[0])

    @pytest.mark.parametrize(("height", "mass"), [(0.1, 60.0), (9.0, 60.0), (1.2, 0.0), (1.2, float("nan"))])
    def test_creatures_that_cannot_be_are_refused(self, height: float, mass: float) -> None:
        with pytest.raises(InputError, match="out of range"):
            make_tripod(height, mass)
