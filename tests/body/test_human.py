from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.body.anthropometry import TABLES, Anthropometry, SegmentShares
from gambol.body.build import make_average_build, scale_build
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.human import make_human
from gambol.body.measure import measure_build, restore_thorax
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.motion.kinematics import place

UPPER = ("spine", "chest", "head", "collar", "upper_arm", "forearm", "hand")
LOWER = ("thigh", "shank", "foot")


def test_eighteen_bodies_and_forty_two_degrees_of_freedom() -> None:
    character = make_human(make_average_build(1.75), 80.0)
    assert len(character.bodies) == 18
    names = [
        character.skeleton.names[d.joint].removeprefix("left_").removeprefix("right_") for d in character.skeleton.dofs
    ]
    counts = [sum(n in group for n in names) for group in (("pelvis",), UPPER, LOWER)]
    assert counts == [6, 24, 12]
    assert [len(character.skeleton.columns(character.body(f"left_{p}"))) for p in LOWER] == [3, 1, 2]
    assert len(make_human(make_average_build(1.75), 80.0, toes=True).skeleton.dofs) == 44


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
@pytest.mark.parametrize("height", [1.1, 1.5, 1.95])
def test_mass_height_and_balance_of_a_standing_person(table: Anthropometry, height: float) -> None:
    build = make_average_build(height)
    character = make_human(build, 70.0, table)
    assert build.height == pytest.approx(height)
    assert character.mass == pytest.approx(70.0)
    placed = place(character.skeleton, np.zeros((1, 42))).positions[0]
    sole = placed[:, 2].min()
    center = Dynamics(character).center_of_mass(np.zeros(42))
    assert 0.53 < (center[2] - sole) / height < 0.60
    assert abs(center[1]) < 1e-12
    assert abs(center[0]) < 0.02


def test_tables_add_up_to_a_whole_body() -> None:
    for table in (TABLES["male"], TABLES["female"]):
        sides = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")
        total = sum(share.mass * (2 if name in sides else 1) for name, share in table.shares.items())
        assert total == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_tables_agree_with_the_published_files(data: Path, sex: str) -> None:
    """De Leva's men and women, segment by segment, as another laboratory typed them in."""
    rows = {
        r.split("\t")[0].strip(): [float(x) for x in r.split("\t")[2:]]
        for r in (data / "anthropometry" / f"BSP{sex}_ZdeLeva.txt").read_text().splitlines()[1:]
    }
    ours = TABLES[sex].shares
    theirs = {"hand": "Hand 2", "spine": "Middle trunk", "pelvis": "Lower trunk", "chest": "Upper trunk 2"}
    theirs |= {name: name.replace("_", " ").capitalize() for name in ("upper_arm", "forearm", "thigh", "shank", "foot")}
    for name, row in theirs.items():
        share = ours[name]
        found = [share.mass, share.center, share.sagittal, share.transverse, share.longitudinal]
        np.testing.assert_allclose(found, rows[row], atol=1e-9)


@pytest.mark.parametrize(("sex", "thigh", "trunk"), [("male", -0.041, -0.036), ("female", -0.077, -0.016)])
def test_legs_and_trunk_weigh_behind_their_joints(sex: str, thigh: float, trunk: float) -> None:
    build = make_average_build(1.75)
    character = make_human(build, 80.0, TABLES[sex])
    for side in ("left", "right"):
        length = -build.offsets[f"{side}_shank"][2]
        assert character.centers[character.body(f"{side}_thigh")][0] == pytest.approx(thigh * length)
    way = build.offsets["chest"][2] + build.offsets["head"][2]
    for part in ("spine", "chest"):
        assert character.centers[character.body(part)][0] == pytest.approx(trunk * way)
    assert character.centers[character.body("pelvis")][0] == 0.0


def test_toes_do_not_change_the_foot_as_a_whole() -> None:
    """Mass and centre of foot and toes together are those of the foot in one piece."""
    build = make_average_build(1.75)
    centers = [
        Dynamics(make_human(build, 80.0, toes=toes)).center_of_mass(np.zeros(44 if toes else 42))
        for toes in (False, True)
    ]
    np.testing.assert_allclose(centers[0], centers[1], atol=1e-9)


@pytest.mark.parametrize("mass", [0.0, -5.0, 1e4, float("nan")])
def test_masses_out_of_range_are_refused(mass: float) -> None:
    with pytest.raises(InputError, match="kg"):
        make_human(make_average_build(1.75), mass)


def test_heights_out_of_range_and_unknown_tables_are_refused() -> None:
    with pytest.raises(InputError, match=r"height 9\.0 m is outside"):
        make_average_build(9.0)
    with pytest.raises(InputError, match="unknown table 'elf'"):
        Character.from_motion(None, table="elf")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="positive"):
        Anthropometry("odd", {"head": SegmentShares(-0.1, 0.5, 0.3, 0.3, 0.3)})


def test_unknown_bodies_list_the_known() -> None:
    with pytest.raises(InputError, match="head, left_ or right_collar, upper_arm"):
        make_human(make_average_build(1.75), 80.0).body("tail")


def test_scaling_keeps_proportions() -> None:
    build = make_average_build(1.75)
    assert scale_build(build, 1.2).height == pytest.approx(1.2)


@pytest.mark.parametrize("clip", ["02_01", "35_01"])
def test_the_missing_thorax_is_put_back(data: Path, clip: str) -> None:
    """Against the AMC of the same recording, where the bone is still there: 117 mm become less than 10."""
    amc = load(data / "cmu_asf_amc" / f"{clip}.amc")
    bvh = restore_thorax(load(data / "cmu_bvh" / "walk" / f"{clip}.bvh"))
    for part in ("neck", "head", "left_upper_arm", "right_hand"):
        off = amc.placement.positions[:, amc.rig.parts[part]] - bvh.placement.positions[:, bvh.rig.parts[part]]
        assert np.linalg.norm(off, axis=1).max() < 0.01
    assert measure_build(bvh).height == pytest.approx(measure_build(amc).height, rel=0.01)
    assert restore_thorax(amc) is amc
