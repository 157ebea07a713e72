"""What somebody is to do in a style, read from YAML (L05 section 5.7.4)::

    clip: walk.bvh                  # whose footprints; without it, those of the clip the style was learned from
    stride: 1.2                     # steps longer by this factor
    curve: 60                       # degrees to the left over the whole way
    slope: 6                        # degrees uphill; negative downhill
    skate: true                     # feet slide along their direction, without friction
    changes: [{stage: left step 2, left: 0.1}]
    load: {right_hand: 3}           # kg
    shoes: 40                       # kN/m: springs under the soles
    cycle: true                     # one stride that loops
    lock: {left_shank flexion: 10}  # degrees

`changes` are those of `gambol edit`; `start` and `end` (s) cut the clip first. The draft that they make, the recorded
poses with the root along the new path, is where the search begins (L05 section 5.7.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.lumped import add_loads
from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts, Floor, mark_frames
from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import UP
from gambol.io.yamls import check_flag, check_list, check_mapping, check_number, read_yaml
from gambol.judge.finding import name_limb
from gambol.motion.cycles import LONGEST_REPEAT
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load
from gambol.motion.skeleton import Skeleton
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Change, Edit, parse_change
from gambol.spacetime.edits.parts import EditableClip, Part
from gambol.stages.feet import SIDES, track_point
from gambol.styles.scene import STYLE_FPS, StyleScene
from gambol.styles.style import name_joints
from gambol.terms.contacts import Separation

_KEYS = (
    "clip",
    "start",
    "end",
    "stride",
    "curve",
    "slope",
    "skate",
    "changes",
    "load",
    "shoes",
    "lock",
    "cycle",
    "loop",
)
_SOFTEST, _HEAVIEST = 25.0, 3.0
"""Least stiffness of shoes (kN/m), and largest force on a foot (body weights) for which they have room."""
_HIP = 0.07
"""Metres to the side of a hip joint from which a wrist does not touch it."""
_PASS, _KEPT = 0.1, 0.8
"""Metres from which knees and ankles of legs that pass each other do not touch, and the share that is kept of less."""
_LIMBS, _TRUNK = 1e-5, 1e-3
"""Costs per (rad/s²)² and second of accelerations that a draft does not have: what a task changes, such as a lean, it
changes slowly, and the more so in the trunk. A limb that carries a load is free."""
_LEGS, _PITCH = 1.0, 20.0
"""Costs per square radian and second of leaving the draft: in the joints of the legs, and, on a slope, in the pitch of
the pelvis."""
_UPHILL, _DOWNHILL = 0.44, 0.12
"""Degrees by which people lean ahead, per degree of slope: five recordings of stairs and uneven ground (CMU 03_01,
03_02, 36_01, 141_07, 141_08), and of three of them without boxes."""
_BACK, _GAZE = 0.5, 0.7
"""Share of a lean that is in the back and not in the hips, and share that the head undoes."""
_ROOM = np.radians(0.5)
"""How far a locked joint still moves (rad) to either side."""
_FARTHEST, _LONGER = 1.5, 1.3
"""Longest step, relative to the length of a leg, or to the recorded one where that is longer, as in a run."""


@dataclass(frozen=True)
class StyleTask:
    """A task; without anything, what was recorded."""

    clip: str = ""
    start: float | None = None
    end: float | None = None
    """Seconds."""
    stride: float = 1.0
    curve: float = 0.0
    slope: float = 0.0
    """Degrees."""
    skate: bool = False
    changes: tuple[Change, ...] = ()
    load: tuple[tuple[str, float], ...] = ()
    """Parts of the body and kilograms."""
    shoes: float | None = None
    """Stiffness (kN/m) of the springs under each sole; None for hard soles."""
    lock: tuple[tuple[str, float], ...] = ()
    """Degrees of freedom and degrees."""
    cycle: bool = False
    """Whether one stride is made that is followed by itself."""
    loop: float = 0.0
    """Seconds for which the cycle of the clip is repeated before; 0: the clip is taken as it is."""

    def __post_init__(self) -> None:
        other = next((key for key in ("curve", "slope", "changes") if getattr(self, key)), None)
        if self.cycle and other is not None:
            raise InputError(
                f"a cycle goes straight ahead on level ground, without '{other}'", fix=f"leave out '{other}'"
            )


def read_task(path: Path) -> StyleTask:
    """Read a task from a YAML file; the path of its clip is relative to that of the file."""
    try:
        task = parse_task(read_yaml(path))
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None
    return replace(task, clip=str(path.parent / task.clip)) if task.clip else task


def parse_task(content: Any) -> StyleTask:
    """Make a task from parsed YAML."""
    given = check_mapping(content or {}, "a task", _KEYS)
    start, end = (check_number(given[key], key, 1e4) if key in given else None for key in ("start", "end"))
    stride = check_number(given.get("stride", 1.0), "stride", 3.0)
    if stride < 0.2:
        raise InputError(f"stride must be 0.2 to 3, not {stride:g}", fix="1 keeps the recorded steps")
    curve = check_number(given.get("curve", 0.0), "curve", 360.0)
    slope = check_number(given.get("slope", 0.0), "slope", 30.0)
    changes = tuple(parse_change(entry) for entry in check_list(given.get("changes", []), "changes"))
    load = _read_numbers(given.get("load", {}), "load", 200.0)
    lock = _read_numbers(given.get("lock", {}), "lock", 180.0)
    skate = check_flag(given.get("skate", False), "skate")
    loop = check_number(given.get("loop", 0.0), "loop", LONGEST_REPEAT)
    if loop < 0.0 or (loop and given.get("cycle")):
        raise InputError("'loop' is a number of seconds, without 'cycle'", fix="loop: 12 repeats the cycle for 12 s")
    shoes = check_number(given["shoes"], "shoes", 1e4) if "shoes" in given else None
    if shoes is not None and shoes < _SOFTEST:
        raise InputError(f"shoes must have at least {_SOFTEST:g} kN/m, not {shoes:g}", fix="40 is very springy")
    cycle = check_flag(given.get("cycle", False), "cycle")
    return StyleTask(
        str(given.get("clip", "")), start, end, stride, curve, slope, skate, changes, load, shoes, lock, cycle, loop
    )


def _read_numbers(content: Any, what: str, most: float) -> tuple[tuple[str, float], ...]:
    given = check_mapping(content, what, None)
    return tuple((str(name), check_number(value, f"{what} of '{name}'", most)) for name, value in given.items())


def draft_task(clip: EditableClip, task: StyleTask) -> Draft:
    """Return the clip with its steps where the task wants them, on the ground it wants, before physics."""
    return change_ground(draft_steps(clip, task), task)


def draft_steps(clip: EditableClip, task: StyleTask, fps: float = STYLE_FPS) -> Draft:
    """Return the clip with its steps where the task wants them, at a frame rate; the ground is that of the clip."""
    if clip.contacts.unseen.any():
        when = clip.frame_time * float(np.flatnonzero(clip.contacts.unseen)[0])
        raise InputError(
            f"at {when:.2f} s the body is held by something other than feet and hands",
            file=clip.fitted.source.name,
            fix="cut the clip to a part on the ground with --start and --end",
        )
    changes = _find_changes(clip, task)
    draft = draft_edit(clip, Edit("task", changes), fps)
    character = _lock_joints(_load_body(draft.character, task.load), task.lock)
    draft = replace(draft, character=character, reference=replace(draft.reference, skeleton=character.skeleton))
    _check_reach(clip, draft)
    return draft


def change_ground(draft: Draft, task: StyleTask) -> Draft:
    """Return a draft whose feet slide, or walk up a slope, as the task wants."""
    if task.skate:
        draft = replace(draft, contacts=_skate(draft.contacts))
    return _tilt(draft, np.tan(np.radians(task.slope))) if task.slope else draft


def make_scene(draft: Draft) -> StyleScene:
    """Return footprints and poses of a recording, whose first and last poses are kept."""
    return StyleScene(draft.character, draft.reference.frame_time, draft.contacts, draft.reference.q)


def make_task_scene(draft: Draft, task: StyleTask) -> StyleScene:
    """Return footprints and poses of the draft of a task, with arms beside the body."""
    give, apart = find_shoe_give(task, draft.character), tuple(_separate_limbs(draft.reference))
    scene = make_scene(replace(draft, contacts=_lower_ground(draft.contacts, give)))
    change, pose = _price_changes(draft.character.skeleton, task)
    return replace(
        scene,
        exact=(False, False),
        strides=find_end_strides(draft.contacts),
        change_cost=change,
        pose_cost=pose,
        shoe_give=give,
        separations=apart,
    )


def _price_changes(skeleton: Skeleton, task: StyleTask) -> tuple[Array, Array]:
    """Return costs (dofs,) of accelerations and of poses that a draft does not have."""
    change, pose = np.zeros((2, len(skeleton.dofs)))
    loaded = {name_limb(body) for body, _ in task.load}
    for column, dof in enumerate(skeleton.dofs):
        if dof.kind == "turn":
            part = skeleton.names[dof.joint]
            limb = name_limb(part)
            change[column] = _LIMBS if limb else _TRUNK
            pose[column] = _LEGS if limb.endswith("leg") else 0.0
            if limb in loaded:
                change[column] = pose[column] = 0.0
    if task.slope:
        pose[_find_pitch(skeleton, 0)] = _PITCH
    return change, pose


def _find_pitch(skeleton: Skeleton, joint: int) -> int:
    """Return the column of the turn of a joint about the axis to the side."""
    return max(skeleton.columns(joint, "turn"), key=lambda column: abs(skeleton.dofs[column].axis[1]))


def find_end_strides(contacts: Contacts) -> tuple[int, int] | None:
    """Return the frames of the first and of the last stride, by strikes of one foot; None if no foot strikes twice."""
    found = []
    for body in {one.body for one in contacts.items if one.body.endswith("foot")}:
        stands = mark_frames([one for one in contacts.items if one.body == body], contacts.frames)
        strikes = np.array([first for first, _ in find_runs(stands) if first > 0])
        found += list(zip(strikes[:-1].tolist(), np.diff(strikes).tolist(), strict=True))
    inside = sorted(one for one in found if one[1] < contacts.frames - 4)
    return (inside[0][1], inside[-1][1]) if inside else None


def find_shoe_give(task: StyleTask, character: Character) -> float:
    """Return by how much (m) the springs of a task's shoes yield to one body weight."""
    return 0.0 if task.shoes is None else GRAVITY * character.mass / (1000.0 * task.shoes)


def sink_feet(draft: Draft, task: StyleTask) -> Draft:
    """Return the draft that is returned to the rig: feet in shoes with springs may sink, and none is planted."""
    if task.shoes is None:
        return draft
    deepest, contacts = _HEAVIEST * find_shoe_give(task, draft.character), draft.contacts
    sunk = contacts.change(lambda one: replace(one, fixed=False, places=one.places - deepest * UP))
    floor = replace(contacts.floor, height=contacts.floor.height - deepest)
    return replace(draft, contacts=replace(sunk, floor=floor))


def _lower_ground(contacts: Contacts, give: float) -> Contacts:
    """Return contacts with lower ground below feet that stand: springs of shoes yield."""
    standing = {body: mark_frames(_list_fixed(contacts, body), contacts.frames) for _, body, _ in contacts.points}
    lower = np.array([_HEAVIEST * give * standing[point.body] for point in contacts.points])
    return replace(contacts, ground=contacts.ground - lower)


def _list_fixed(contacts: Contacts, body: str) -> list[Contact]:
    return [one for one in contacts.items if one.fixed and one.body == body]


def _separate_limbs(reference: Motion) -> Iterator[Separation]:
    """Keep wrists that are beside the pelvis in a draft outside of the hips, and legs that pass each other apart."""
    index, places = reference.skeleton.index, reference.placement.positions
    across = (places[:, index("left_thigh")] - places[:, index("right_thigh")]) * [1.0, 1.0, 0.0]
    across /= np.linalg.norm(across, axis=1)[:, None]
    for side, outward in zip(SIDES, (across, -across), strict=True):
        hand, thigh = (
            np.sum((places[:, index(f"{side}_{part}")] - places[:, index("pelvis")]) * outward, axis=1)
            for part in ("hand", "thigh")
        )
        yield from _separate((f"{side}_hand", "pelvis"), hand > thigh, np.minimum(hand, thigh + _HIP), outward)
    for part in ("shank", "foot"):
        pair = (f"left_{part}", f"right_{part}")
        apart = np.sum((places[:, index(pair[0])] - places[:, index(pair[1])]) * across, axis=1)
        yield from _separate(pair, apart > 0.0, _KEPT * np.minimum(apart, _PASS), across)


def _separate(bodies: tuple[str, str], chosen: NDArray[np.bool_], least: Array, outward: Array) -> Iterator[Separation]:
    """Keep two bodies `least` (frames,) metres apart along a direction (frames, 3) in chosen frames, if any."""
    frames = np.flatnonzero(chosen)
    if len(frames):
        yield Separation(bodies, np.zeros((2, 3)), frames, outward[frames], least[frames])


def _list_steps(clip: EditableClip) -> list[Part]:
    return sorted((part for part in clip.parts if part.kind == "step"), key=lambda part: part.first)


def _find_changes(clip: EditableClip, task: StyleTask) -> tuple[Change, ...]:
    """Return the changes of the task, and those of single steps that make it longer and bend its way."""
    steps = _list_steps(clip)
    if task.stride == 1.0 and not task.curve:
        return task.changes
    made = []
    turn = task.curve / max(len(steps) - 1, 1)
    for before, step in pairwise(steps):
        heading = clip.heading(step)
        way = (clip.position(step) - clip.position(before))[:2] @ [np.cos(heading), np.sin(heading)]
        about = before.name if turn else ""
        made.append(Change(step.name, forward=(task.stride - 1.0) * float(way), turn=turn, about=about))
    return (*made, *task.changes)


def _check_reach(clip: EditableClip, draft: Draft) -> None:
    """Refuse steps that no leg reaches."""
    leg = draft.character.leg_length
    contacts = draft.contacts.items
    places = []
    for step in _list_steps(clip):
        names = {contact.part for contact in step.contacts}
        middle = 0.5 * (step.first + step.last) * clip.frame_time / draft.reference.frame_time
        mine = [one.place for one in contacts if one.part in names and one.first - 2 <= middle <= one.last + 2]
        if mine:
            places.append((step, np.mean(mine, axis=0)))
    for (before, one), (step, two) in pairwise(places):
        far = float(np.linalg.norm(two - one))
        recorded = float(np.linalg.norm(clip.position(step) - clip.position(before)))
        if far > max(_FARTHEST * leg, _LONGER * recorded):
            raise InputError(
                f"'{step.name}' is {far:.2f} m from the step before, and the legs are {leg:.2f} m long",
                fix="ask for less, or move the steps before it too",
            )


def _load_body(character: Character, load: tuple[tuple[str, float], ...]) -> Character:
    loads = []
    for body, mass in load:
        if body not in character.bodies:
            raise InputError(f"no part of the body is called '{body}'", fix=f"one of {', '.join(character.bodies)}")
        if mass <= 0.0:
            raise InputError(f"the load of '{body}' must weigh something, not {mass:g} kg")
        loads.append(Load(body, mass))
    return add_loads(character, loads)


def _lock_joints(character: Character, lock: tuple[tuple[str, float], ...]) -> Character:
    if not lock:
        return character
    names, angles = name_joints(character.skeleton), dict(lock)
    unknown = next((name for name in angles if name not in names), None)
    if unknown is not None:
        raise InputError(f"no joint moves by '{unknown}'", fix=f"one of {', '.join(names)}")
    dofs, rest = list(character.skeleton.dofs), iter(names)
    for column, dof in enumerate(dofs):
        name = next(rest) if dof.joint else ""
        if name in angles:
            angle = np.radians(angles[name])
            dofs[column] = replace(dof, lower=angle - _ROOM, upper=angle + _ROOM)
    return replace(character, skeleton=replace(character.skeleton, dofs=tuple(dofs)))


def _skate(contacts: Contacts) -> Contacts:
    """Return contacts that slide along the feet."""
    return contacts.change(lambda one: replace(one, slide=one.forward))


def _tilt(draft: Draft, rise: float) -> Draft:
    """Return a draft whose ground rises by this much per metre, along the way."""
    places = np.array([contact.place for contact in draft.contacts.items])
    path = draft.reference.placement.positions[[0, -1], 0]
    ahead = (path[1] - path[0])[:2]
    slope = rise * ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    origin = places[0, :2]

    def lift(at: Array) -> Array:
        return np.asarray(at + np.multiply.outer((at[..., :2] - origin) @ slope, [0.0, 0.0, 1.0]))

    normal = np.append(-slope, 1.0) / np.sqrt(1.0 + slope @ slope)
    contacts, reference = draft.contacts, draft.reference
    q = reference.q.copy()
    height = lift(reference.placement.positions[:, 0])[:, 2] - reference.placement.positions[:, 0, 2]
    slides = reference.skeleton.columns(0, "slide")
    q[:, slides] += np.outer(height, [reference.skeleton.dofs[column].axis[2] for column in slides])
    floor = Floor(contacts.floor.height - float(origin @ slope), (float(slope[0]), float(slope[1])))
    ground = contacts.ground.copy()
    for n, point in enumerate(contacts.points):
        ground[n] += (track_point(reference, point)[:, :2] - origin) @ slope
    _lean(reference.skeleton, q, _UPHILL * np.arctan(rise) if rise > 0.0 else _DOWNHILL * np.arctan(rise))
    tilted = contacts.change(lambda one: replace(one, places=lift(one.places), normal=normal))
    return replace(draft, contacts=replace(tilted, floor=floor, ground=ground), reference=replace(reference, q=q))


def _lean(skeleton: Skeleton, q: Array, angle: float) -> None:
    """Let the trunk of poses (frames, dofs) lean ahead by an angle (rad); legs and gaze stay, but for a share."""
    hips = 1.0 - _BACK
    shares = {"pelvis": hips, "spine": _BACK, "head": -_GAZE, "left_thigh": -hips, "right_thigh": -hips}
    for part, share in shares.items():
        column = _find_pitch(skeleton, skeleton.index(part))
        q[:, column] += share * angle * np.sign(skeleton.dofs[column].axis[1])


def describe_task(task: StyleTask) -> Mapping[str, Any]:
    """Return what a task changes, for the record of a motion."""
    plain = StyleTask()
    return {key: value for key in vars(plain) if (value := getattr(task, key)) != getattr(plain, key)}
