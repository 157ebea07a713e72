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

`changes` are those of `gambol edit`; `from` and `to` (s) cut the clip first. The draft that they make, the recorded
poses with the root along the new path, is where the search begins (L05 section 5.7.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.lumped import add_loads
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.io.yamls import check_flag, check_list, check_mapping, check_number, read_yaml
from gambol.legs.foot_contacts import Floor
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load
from gambol.spacetime.contact_plan import ContactPlan
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Change, Edit, parse_change
from gambol.spacetime.edits.parts import EditableClip, Part
from gambol.stages.feet import SIDES
from gambol.styles.scene import STYLE_RATE, StyleScene
from gambol.styles.style import name_joints
from gambol.terms.contacts import Clearance, ContactConstraint, Separation

_KEYS = ("clip", "from", "to", "stride", "curve", "slope", "skate", "changes", "load", "shoes", "lock", "cycle")
_SOFTEST, _HEAVIEST = 25.0, 3.0
"""Least stiffness of shoes (kN/m), and largest force on a foot (body weights) for which they have room."""
_HIP = 0.07
"""Metres to the side of a hip joint from which a wrist does not touch it."""
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
    start, end = (check_number(given[key], key, 1e4) if key in given else None for key in ("from", "to"))
    stride = check_number(given.get("stride", 1.0), "stride", 3.0)
    if stride < 0.2:
        raise InputError(f"stride must be 0.2 to 3, not {stride:g}", fix="1 keeps the recorded steps")
    curve = check_number(given.get("curve", 0.0), "curve", 360.0)
    slope = check_number(given.get("slope", 0.0), "slope", 30.0)
    changes = tuple(parse_change(entry) for entry in check_list(given.get("changes", []), "changes"))
    load = _read_numbers(given.get("load", {}), "load", 200.0)
    lock = _read_numbers(given.get("lock", {}), "lock", 180.0)
    skate = check_flag(given.get("skate", False), "skate")
    shoes = check_number(given["shoes"], "shoes", 1e4) if "shoes" in given else None
    if shoes is not None and shoes < _SOFTEST:
        raise InputError(f"shoes must have at least {_SOFTEST:g} kN/m, not {shoes:g}", fix="40 is very springy")
    cycle = check_flag(given.get("cycle", False), "cycle")
    return StyleTask(
        str(given.get("clip", "")), start, end, stride, curve, slope, skate, changes, load, shoes, lock, cycle
    )


def _read_numbers(content: Any, what: str, most: float) -> tuple[tuple[str, float], ...]:
    given = check_mapping(content, what, None)
    return tuple((str(name), check_number(value, f"{what} of '{name}'", most)) for name, value in given.items())


def draft_task(clip: EditableClip, task: StyleTask) -> Draft:
    """Return the clip with its steps where the task wants them, on the ground it wants, before physics."""
    return change_ground(draft_steps(clip, task), task)


def draft_steps(clip: EditableClip, task: StyleTask, rate: float = STYLE_RATE) -> Draft:
    """Return the clip with its steps where the task wants them, at a frame rate; the ground is that of the clip."""
    if clip.contact_plan.unseen_support.any():
        when = clip.frame_time * float(np.flatnonzero(clip.contact_plan.unseen_support)[0])
        raise InputError(
            f"at {when:.2f} s the body is held by something other than feet and hands",
            file=clip.fitted.source.name,
            fix="cut the clip to a part on the ground with --from and --to",
        )
    changes = _find_changes(clip, task)
    draft = draft_edit(clip, Edit("task", changes), rate)
    character = _lock_joints(_load_body(draft.character, task.load), task.lock)
    draft = replace(draft, character=character, reference=replace(draft.reference, skeleton=character.skeleton))
    _check_reach(clip, draft)
    return draft


def change_ground(draft: Draft, task: StyleTask) -> Draft:
    """Return a draft whose feet slide, sink into springs, or walk up a slope, as the task wants."""
    if task.skate:
        draft = replace(draft, contact_plan=_skate(draft.contact_plan))
    if task.shoes is not None:
        draft = replace(draft, contact_plan=_sink(draft.contact_plan, find_shoe_give(task, draft.character)))
    return _tilt(draft, np.tan(np.radians(task.slope))) if task.slope else draft


def make_scene(draft: Draft) -> StyleScene:
    """Return footprints and poses of a recording, whose first and last poses are kept."""
    return StyleScene(draft.character, draft.reference.frame_time, draft.contact_plan, draft.reference.q)


def make_task_scene(draft: Draft, task: StyleTask) -> StyleScene:
    """Return footprints and poses of the draft of a task, with arms beside the body."""
    give, apart = find_shoe_give(task, draft.character), tuple(_separate_arms(draft.reference))
    return replace(make_scene(draft), exact=False, shoe_give=give, separations=apart)


def find_shoe_give(task: StyleTask, character: Character) -> float:
    """Return by how much (m) the springs of a task's shoes yield to one body weight."""
    return 0.0 if task.shoes is None else GRAVITY * character.mass / (1000.0 * task.shoes)


def _sink(plan: ContactPlan, give: float) -> ContactPlan:
    """Return contacts whose feet may sink into the springs of their shoes."""
    deepest = _HEAVIEST * give

    def lower(one: Clearance) -> Clearance:
        mine = [contact for contact in plan.constraints if contact.body == one.body]
        standing = [any(contact.is_active(frame) for contact in mine) for frame in one.frames]
        return replace(one, height=one.height - deepest * np.array(standing))

    return replace(
        plan,
        foot_contacts=tuple(replace(one, fixed=False, place=one.place - deepest * UP) for one in plan.foot_contacts),
        clearances=tuple(lower(one) for one in plan.clearances),
        floor=replace(plan.floor, height=plan.floor.height - deepest),
    )


def _separate_arms(reference: Motion) -> Iterator[Separation]:
    """Keep wrists that are beside the pelvis in a draft outside of the hips."""
    index, places = reference.skeleton.index, reference.placement.positions
    across = (places[:, index("left_thigh")] - places[:, index("right_thigh")]) * [1.0, 1.0, 0.0]
    across /= np.linalg.norm(across, axis=1)[:, None]
    for side, outward in zip(SIDES, (across, -across), strict=True):
        hand, thigh = (
            np.sum((places[:, index(f"{side}_{part}")] - places[:, index("pelvis")]) * outward, axis=1)
            for part in ("hand", "thigh")
        )
        frames = np.flatnonzero(hand > thigh)
        if len(frames):
            least = np.minimum(hand, thigh + _HIP)[frames]
            yield Separation((f"{side}_hand", "pelvis"), np.zeros((2, 3)), frames, outward[frames], least)


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
    contacts = draft.contact_plan.foot_contacts
    places = []
    for step in _list_steps(clip):
        names = {contact.point.name for contact in step.contacts}
        middle = 0.5 * (step.first + step.last) * clip.frame_time / draft.reference.frame_time
        mine = [one.place for one in contacts if one.point.name in names and one.first - 2 <= middle <= one.last + 2]
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


def _skate(plan: ContactPlan) -> ContactPlan:
    """Return contacts that slide along the feet."""
    contacts = plan.foot_contacts

    def slide(one: ContactConstraint) -> ContactConstraint:
        near = min(contacts, key=lambda foot: (foot.point.body != one.body, abs(foot.first - one.first)))
        return replace(one, slide=near.forward)

    return replace(
        plan,
        foot_contacts=tuple(replace(one, fixed=False) for one in contacts),
        constraints=tuple(slide(one) for one in plan.constraints),
        force_contacts=tuple(slide(one) for one in plan.force_contacts),
    )


def _tilt(draft: Draft, rise: float) -> Draft:
    """Return a draft whose ground rises by this much per metre, along the way."""
    places = np.array([contact.place for contact in draft.contact_plan.foot_contacts])
    path = draft.reference.placement.positions[[0, -1], 0]
    ahead = (path[1] - path[0])[:2]
    slope = rise * ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    origin = places[0, :2]

    def lift(at: Array) -> Array:
        return np.asarray(at + np.multiply.outer((at[..., :2] - origin) @ slope, [0.0, 0.0, 1.0]))

    normal = np.append(-slope, 1.0) / np.sqrt(1.0 + slope @ slope)
    plan, reference = draft.contact_plan, draft.reference
    q = reference.q.copy()
    height = lift(reference.placement.positions[:, 0])[:, 2] - reference.placement.positions[:, 0, 2]
    slides = reference.skeleton.columns(0, "slide")
    q[:, slides] += np.outer(height, [reference.skeleton.dofs[column].axis[2] for column in slides])
    tilted = ContactPlan(
        tuple(replace(one, place=lift(one.place)) for one in plan.foot_contacts),
        tuple(_tilt_contact(one, lift(one.places), normal) for one in plan.constraints),
        tuple(_tilt_contact(one, lift(one.places), normal) for one in plan.force_contacts),
        tuple(_tilt_clearance(one, reference, slope, origin) for one in plan.clearances),
        Floor(plan.floor.height - float(origin @ slope), (float(slope[0]), float(slope[1]))),
        plan.flight,
        plan.unseen_support,
    )
    return replace(draft, contact_plan=tilted, reference=replace(reference, q=q))


def _tilt_contact(contact: ContactConstraint, places: Array, normal: Array) -> ContactConstraint:
    return replace(contact, places=places, normal=normal)


def _tilt_clearance(clearance: Clearance, reference: Motion, slope: Array, origin: Array) -> Clearance:
    """Return a clearance from a sloping ground, below where the point is in the reference."""
    joint, placement = reference.skeleton.index(clearance.body), reference.placement
    at = (
        placement.positions[clearance.frames, joint, :2]
        + quat.rotate(placement.rotations[clearance.frames, joint], clearance.point)[:, :2]
    )
    return replace(clearance, height=np.asarray(clearance.height) + (at - origin) @ slope)


def describe_task(task: StyleTask) -> Mapping[str, Any]:
    """Return what a task changes, for the record of a motion."""
    plain = StyleTask()
    return {key: value for key in vars(plain) if (value := getattr(task, key)) != getattr(plain, key)}
