"""The physical style of a person: what muscles prefer, how stiff joints are, and where they rest (L05 section 5.5).

A style is saved as JSON with units, one entry per degree of freedom::

    {"name": "walk", "joints": {"left_thigh flexion": {"cost": 0.02, "stiffness_above": 0.3, ...}}}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import InputError, StrPath
from gambol.geometry.arrays import Array, summarise_fields
from gambol.io.archive import hash_file
from gambol.io.models import ModelKind, is_sample, register
from gambol.io.yamls import check_mapping, check_number
from gambol.motion.skeleton import Skeleton
from gambol.terms.muscle import IS_REST

STYLE_UNITS = {
    "cost": "1/(N m/kg)^2/s",
    "stiffness_above": "N m/rad/kg",
    "stiffness_below": "N m/rad/kg",
    "damping": "N m s/rad/kg",
    "smoothness": "1/(rad/s^2)^2/s",
    "posture": "1/rad^2/s",
    "rest": "rad",
}
"""Of the numbers of a degree of freedom, those of `terms.muscle`; smoothness is the cost of squared accelerations."""
DETERMINED = 0.5
"""Standard error of a logarithm, or of an angle in units of 0.2 rad, below which the clip determines a number."""
_MOTIONS = {0: "tilt", 1: "flexion", 2: "twist"}
"""Names of turns about axes that point ahead, to the side, and up when the body stands."""
_MOST = 1e12


@dataclass(frozen=True, eq=False)
class PhysicalStyle:
    """A style."""

    __repr__ = summarise_fields

    name: str
    joints: tuple[str, ...]
    """Names of the degrees of freedom, without the root's."""
    values: Array
    """(joints, 7) in the order and in the units of `STYLE_UNITS`."""
    uncertainty: Array
    """(joints, 7) standard errors: of logarithms, and of the rest angle (rad)."""
    clip: str = ""
    """File from which it was learned: its path, or the name of one that was not beside the style's file."""
    part: tuple[float, float] = (0.0, 0.0)
    """Seconds between which."""
    digest: str = ""
    """SHA-256 hash of the clip; empty where it is not known."""

    def blend(self, other: PhysicalStyle, share: float) -> PhysicalStyle:
        """Return a style between this one (share 0) and another (1): logarithms and angles are interpolated."""
        if other.joints != self.joints:
            raise InputError(f"'{self.name}' and '{other.name}' have different joints", fix="blend styles of people")
        if not 0.0 <= share <= 1.0:
            raise InputError(f"the share of '{other.name}' must be 0 to 1, not {share:g}")
        values = blend_parameters([self.values, other.values], np.array([1.0 - share, share]))
        return PhysicalStyle(
            f"{self.name}-{other.name}",
            self.joints,
            values,
            np.maximum(self.uncertainty, other.uncertainty),
            self.clip,
            self.part,
            self.digest,
        )


StyleSource = PhysicalStyle | StrPath
"""A style, or the file of one."""


def blend_parameters(parameters: Sequence[Array], shares: Array) -> Array:
    """Return parameters (..., joints, 7) with shares (..., n) of several (joints, 7); all but angles by logarithms."""
    return _from_free(np.tensordot(shares, np.array([_to_free(one) for one in parameters]), axes=1))


def compare_numbers(one: PhysicalStyle, two: PhysicalStyle) -> Array:
    """Return by how much (joints, 7) logarithms and rest angles (rad) of the second style are larger."""
    return _to_free(two.values) - _to_free(one.values)


def name_joints(skeleton: Skeleton) -> tuple[str, ...]:
    """Return names of the degrees of freedom without the root's, such as "left_thigh flexion"."""
    names = []
    for dof in skeleton.dofs:
        if dof.joint:
            names.append(f"{skeleton.names[dof.joint]} {_MOTIONS[int(np.argmax(np.abs(dof.axis)))]}")
    return tuple(names)


def find_style_rows(style: PhysicalStyle, skeleton: Skeleton) -> Array:
    """Return the values (joint dofs, 7) of a style in the order of a skeleton."""
    order = {name: row for row, name in enumerate(style.joints)}
    names = name_joints(skeleton)
    missing = next((name for name in names if name not in order), None)
    if missing is not None:
        raise InputError(f"the style '{style.name}' has no joint '{missing}'", fix="learn it from a clip of a person")
    return style.values[[order[name] for name in names]]


def _pack(style: PhysicalStyle) -> dict[str, Any]:
    """Return the content of a style's file, with the name and a hash of its clip."""
    keys = tuple(STYLE_UNITS)
    joints = {
        name: {
            **{key: float(f"{value:.6g}") for key, value in zip(keys, values, strict=True)},
            "uncertainty": {key: float(f"{value:.3g}") for key, value in zip(keys, errors, strict=True)},
        }
        for name, values, errors in zip(style.joints, style.values, style.uncertainty, strict=True)
    }
    about = {"name": style.name, "clip": Path(style.clip).name}
    if not is_sample(style.clip):
        about["sha256"] = style.digest or hash_file(Path(style.clip))
    return {**about, "start": style.part[0], "end": style.part[1], "units": STYLE_UNITS, "joints": joints}


def _unpack(values: dict[str, Any]) -> PhysicalStyle:
    given = check_mapping(values, "a style", ("name", "clip", "sha256", "start", "end", "units", "joints"))
    if not isinstance(given.get("joints"), dict) or not given["joints"]:
        raise InputError("not a style")
    rows, errors = [], []
    for name, joint in given["joints"].items():
        entry = check_mapping(joint, f"joint '{name}'", (*STYLE_UNITS, "uncertainty"))
        if missing := [key for key in STYLE_UNITS if key not in entry]:
            raise InputError(f"joint '{name}' has no {missing[0]}")
        numbers = [check_number(entry[key], f"{key} of '{name}'", _MOST) for key in STYLE_UNITS]
        if min(np.array(numbers)[~IS_REST]) <= 0.0:
            raise InputError(f"joint '{name}': all numbers but 'rest' must be positive")
        stated = check_mapping(entry.get("uncertainty", {}), f"uncertainty of '{name}'", tuple(STYLE_UNITS))
        rows.append(numbers)
        errors.append([check_number(stated.get(key, _MOST), "uncertainty", _MOST) for key in STYLE_UNITS])
    name, clip, digest = (str(given.get(key, "")) for key in ("name", "clip", "sha256"))
    begin, end = (check_number(given.get(key, 0.0), key, 1e6) for key in ("start", "end"))
    return PhysicalStyle(name, tuple(given["joints"]), np.array(rows), np.array(errors), clip, (begin, end), digest)


def _to_free(values: Array) -> Array:
    """Return logarithms of all numbers but the rest angles."""
    return np.where(IS_REST, values, np.log(np.maximum(values, 1e-300)))


def _from_free(values: Array) -> Array:
    return np.where(IS_REST, values, np.exp(np.where(IS_REST, 0.0, values)))


_FIX = "give a file that 'gambol style learn' wrote"
register(ModelKind(PhysicalStyle, "style", 1, _FIX, pack=_pack, unpack=_unpack, text=True))
