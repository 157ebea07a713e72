"""A made-up biped of any size, for tests of robots other than JVRC-1."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped

LEG = {"hip_yaw": "0 0 1", "hip_roll": "1 0 0", "hip": "0 1 0", "knee": "0 1 0", "pitch": "0 1 0", "roll": "1 0 0"}
"""Joints of a leg and their axes."""
BOXES = {
    "trunk": (26.0, (0.0, 0.0, 0.3), (0.2, 0.3, 0.55)),
    "hip_yaw": (1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
    "hip_roll": (1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
    "hip": (6.0, (0.0, 0.0, -0.18), (0.12, 0.12, 0.36)),
    "knee": (3.0, (0.0, 0.0, -0.18), (0.1, 0.1, 0.36)),
    "pitch": (0.4, (0.0, 0.0, 0.0), (0.06, 0.06, 0.06)),
    "roll": (1.0, (0.03, 0.0, -0.07), (0.24, 0.1, 0.04)),
    "arm": (4.0, (0.0, 0.0, -0.28), (0.08, 0.08, 0.5)),
}
"""Mass (kg), centre and edges (m) of segments at full size."""


def make_biped(folder: Path, size: float) -> Biped:
    """Write and load a biped whose lengths are `size` times those of one with legs of 0.72 m and 58.8 kg."""
    links, joints = [_write_link("trunk", "trunk", size)], []
    for side, left in (("left", 1.0), ("right", -1.0)):
        parent = "trunk"
        for name, axis in LEG.items():
            place = {"hip_yaw": (0.0, 0.1 * left, 0.0), "knee": (0.0, 0.0, -0.36), "pitch": (0.0, 0.0, -0.36)}.get(name)
            links.append(_write_link(f"{side}_{name}", name, size))
            joints.append(_write_joint(f"{side}_{name}", parent, axis, place or (0.0, 0.0, 0.0), size))
            parent = f"{side}_{name}"
        links.append(_write_link(f"{side}_arm", "arm", size))
        joints.append(_write_joint(f"{side}_arm", "trunk", "0 1 0", (0.0, 0.22 * left, 0.5), size))
    (folder / "biped.urdf").write_text("\n".join(['<robot name="biped">', *links, *joints, "</robot>"]))
    (folder / "biped.yaml").write_text(_write_robot_file(size))
    return load_biped(str(folder / "biped.yaml"))


def _write_link(name: str, kind: str, size: float) -> str:
    mass, center, edges = BOXES[kind]
    heavy, sides = mass * size**3, np.square(np.array(edges) * size)
    xx, yy, zz = heavy / 12.0 * (sides.sum() - sides)
    return (
        f'<link name="{name}"><inertial><origin xyz="{_write(center, size)}"/><mass value="{heavy}"/>'
        f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial></link>'
    )


def _write_joint(child: str, parent: str, axis: str, place: tuple[float, float, float], size: float) -> str:
    return (
        f'<joint name="{child}_joint" type="revolute"><origin xyz="{_write(place, size)}"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/>'
        f'<limit lower="-2" upper="2" velocity="10" effort="{200.0 * size**4}"/></joint>'
    )


def _write(place: tuple[float, float, float], size: float) -> str:
    return " ".join(str(size * value) for value in place)


def _write_robot_file(size: float) -> str:
    sides, bent = ("left", "right"), {"hip": -0.43, "knee": 0.85, "pitch": -0.42}
    sole = size * np.array([[-0.09, 0.05, -0.09], [-0.09, -0.05, -0.09], [0.15, 0.05, -0.09], [0.15, -0.05, -0.09]])
    return "\n".join(
        [
            "robot: biped.urdf",
            *(f"{side}_sole: {sole.tolist()}" for side in sides),
            "walking:",
            "  posture:",
            *(f"    {side}_{name}_joint: {angle}" for side in sides for name, angle in bent.items()),
            f"  stiffness: {{arm: {800.0 * size**4}, pitch: {3000.0 * size**4}, default: {6000.0 * size**4}}}",
            f"  armature: {0.05 * size**5}",
            f"  step: {{length: {0.35 * size}, seconds: {round(0.7 * size**0.5, 1)}}}",
        ]
    )
