from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.errors import InputError
from gambol.fit.load import load

LOWER = (
    "pelvis",
    "spine",
    "chest",
    *(f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "toes")),
)
UPPER = (
    "neck",
    "head",
    "left_upper_arm",
    "left_forearm",
    "left_hand",
    "right_upper_arm",
    "right_forearm",
    "right_hand",
)


@pytest.mark.parametrize("clip", ["02_01", "35_01"])
def test_amc_and_bvh_of_one_recording_agree(data: Path, clip: str) -> None:
    """Hips, legs and lower spine to 0.01 mm; the upper body is off by the thorax that the BVH lacks."""
    amc = load(data / "cmu_asf_amc" / f"{clip}.amc")
    bvh = load(data / "cmu_bvh" / "walk" / f"{clip}.bvh")
    assert len(amc) == len(bvh)

    def apart(part: str) -> np.ndarray:
        ours, theirs = (m.placement.positions[:, m.rig.parts[part]] for m in (amc, bvh))
        return np.linalg.norm(ours - theirs, axis=1)

    assert max(apart(part).max() for part in LOWER) < 1e-5
    for part in UPPER:
        assert apart(part).min() > 0.115
        assert apart(part).max() < 0.118
    assert any("thorax" in note for note in bvh.notes)
    assert not any("thorax" in note for note in amc.notes)


def test_every_amc_loads_with_its_skeleton(data: Path) -> None:
    for path in sorted((data / "cmu_asf_amc").glob("*.amc")):
        motion = load(path)
        assert len(motion.skeleton.dofs) == 62
        assert motion.rig.kind == "CMU (ASF)"
        assert 0.7 < motion.placement.positions[:, 0, 2].mean() < 1.2


def test_limits_are_read_in_radians(data: Path) -> None:
    motion = load(data / "cmu_asf_amc" / "02_01.amc")
    knee = [d for d in motion.skeleton.dofs if motion.skeleton.names[d.joint] == "ltibia"]
    assert len(knee) == 1
    np.testing.assert_allclose(np.degrees([knee[0].lower, knee[0].upper]), [-10, 170])


def test_a_missing_or_ambiguous_skeleton_is_named(tmp_path: Path) -> None:
    amc = tmp_path / "walk.amc"
    amc.write_text(":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n")
    with pytest.raises(InputError, match="--skeleton"):
        load(amc)
    for name in ("a.asf", "b.asf"):
        (tmp_path / name).write_text(":version 1.10\n")
    with pytest.raises(InputError, match=r"a\.asf, b\.asf"):
        load(amc)


@settings(max_examples=60)
@given(data_=st.data())
def test_damaged_files_give_a_motion_or_one_clear_error(data: Path, tmp_path_factory, data_) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    asf = bytearray((data / "cmu_asf_amc" / "02.asf").read_bytes())
    amc = bytearray((data / "cmu_asf_amc" / "02_01.amc").read_bytes()[:4000])
    for raw in (asf, amc):
        for _ in range(data_.draw(st.integers(0, 3))):
            at = data_.draw(st.integers(0, len(raw) - 1))
            if data_.draw(st.booleans()):
                raw[at] = data_.draw(st.integers(0, 255))
            else:
                del raw[at : at + data_.draw(st.integers(1, 400))]
    (folder / "02.asf").write_bytes(asf)
    (folder / "02_01.amc").write_bytes(amc)
    try:
        motion = load(folder / "02_01.amc")
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(motion.placement.positions).all()
