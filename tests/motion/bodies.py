"""Small skeletons and a stick person for tests that need no recording."""

from __future__ import annotations

import numpy as np

from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

# part, parent part, offset in metres (x forward, y left, z up), of a person in T-pose
PERSON: list[tuple[str, str, tuple[float, float, float]]] = [
    ("pelvis", "", (0.0, 0.0, 0.0)),
    ("spine", "pelvis", (0.0, 0.0, 0.10)),
    ("chest", "spine", (0.0, 0.0, 0.22)),
    ("neck", "chest", (0.0, 0.0, 0.22)),
    ("head", "neck", (0.0, 0.0, 0.10)),
    *(
        row
        for side, sign in (("left", 1.0), ("right", -1.0))
        for row in (
            (f"{side}_collar", "chest", (0.0, sign * 0.04, 0.18)),
            (f"{side}_upper_arm", f"{side}_collar", (0.0, sign * 0.14, 0.0)),
            (f"{side}_forearm", f"{side}_upper_arm", (0.0, sign * 0.30, 0.0)),
            (f"{side}_hand", f"{side}_forearm", (0.0, sign * 0.26, 0.0)),
        )
    ),
    *(
        row
        for side, sign in (("left", 1.0), ("right", -1.0))
        for row in (
            (f"{side}_thigh", "pelvis", (0.0, sign * 0.09, -0.03)),
            (f"{side}_shank", f"{side}_thigh", (0.0, 0.0, -0.43)),
            (f"{side}_foot", f"{side}_shank", (0.0, 0.0, -0.43)),
            (f"{side}_toes", f"{side}_foot", (0.13, 0.0, -0.05)),
        )
    ),
]
TIPS = {
    "head": (0.0, 0.0, 0.18), "left_hand": (0.0, 0.18, 0.0), "right_hand": (0.0, -0.18, 0.0),
    "left_toes": (0.07, 0.0, 0.0), "right_toes": (0.07, 0.0, 0.0),
}  # fmt: skip


def person(names: dict[str, str] | None = None, scale: float = 1.0) -> Skeleton:
    """A person with the given joint names (by part; parts without a name are left out of the tree's leaves)."""
    order: list[str] = []
    children: dict[str, list[str]] = {}
    rows = {part: (parent, offset) for part, parent, offset in PERSON if names is None or part in names}
    for part, (parent, _) in rows.items():
        while parent and parent not in rows:
            parent = {p: q for p, q, _ in PERSON}[parent]
        children.setdefault(parent, []).append(part)

    def walk(part: str) -> None:
        order.append(part)
        for child in children.get(part, []):
            walk(child)

    walk("pelvis")
    labels, parents, offsets, ends = [], [], [], set()
    index: dict[str, int] = {}
    for part in order:
        index[part] = len(labels)
        parent, offset = rows[part]
        while parent and parent not in rows:
            parent = {p: q for p, q, _ in PERSON}[parent]
        labels.append(part if names is None else names[part])
        parents.append(index[parent] if parent else -1)
        offsets.append(offset)
        if part in TIPS:
            ends.add(len(labels))
            labels.append(f"{labels[-1]}_end")
            parents.append(index[part])
            offsets.append(TIPS[part])
    dofs = [Dof(0, "slide", axis) for axis in (X, Y, Z)]
    dofs += [Dof(j, "turn", axis) for j in range(len(labels)) if j not in ends for axis in (Z, Y, X)]
    return Skeleton(tuple(labels), tuple(parents), scale * np.array(offsets), tuple(dofs), ends=frozenset(ends))


def standing(skeleton: Skeleton, frames: int = 40, scale: float = 1.0) -> Motion:
    """The person stands with arms hanging and sways a little."""
    q = np.zeros((frames, len(skeleton.dofs)))
    time = np.linspace(0.0, 1.0, frames)
    q[:, 0] = scale * 0.05 * time
    q[:, 2] = scale * 0.94
    sway = 0.05 * np.sin(2 * np.pi * time)
    for column, dof in enumerate(skeleton.dofs):
        name = skeleton.names[dof.joint].lower()
        if dof.kind == "turn" and dof.axis == X and name in ("left_upper_arm", "right_upper_arm"):
            q[:, column] = (-1.3 if name.startswith("left") else 1.3) + sway
    return Motion(skeleton, q, 1.0 / 60.0)


def random_skeleton(rng: np.random.Generator, joints: int = 8) -> Skeleton:
    """A tree with any rest orientations and any mixture of degrees of freedom."""
    parents = [-1]
    for joint in range(1, joints):
        path = [joint - 1]
        while parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
        parents.append(int(rng.choice(path)))
    rests = rng.normal(size=(joints, 4))
    dofs = []
    for joint in range(joints):
        for kind in rng.choice(["slide", "turn"], size=rng.integers(0, 5)):
            axis = rng.normal(size=3)
            dofs.append(Dof(joint, str(kind), tuple(axis / np.linalg.norm(axis))))  # type: ignore[arg-type]
    return Skeleton(
        tuple(f"j{n}" for n in range(joints)),
        tuple(parents),
        rng.normal(size=(joints, 3)),
        tuple(dofs),
        rests=rests / np.linalg.norm(rests, axis=1, keepdims=True),
    )
