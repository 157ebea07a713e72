"""Results as users ask for them, verb by verb, to be judged as they are written (`reproduce.written`).

Recordings are of people and clips on which no verb was developed, as far as there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

import gambol as gb
from gambol.clips.result import Result
from gambol.geometry.arrays import Array
from gambol.interaction.model import InteractionModel
from gambol_evidence.reproduce.fix.damages import DAMAGES
from gambol_evidence.reproduce.interaction.real_pairs import HANDSHAKES, load_pair
from gambol_evidence.reproduce.recordings import load_cmu_clip
from gambol_evidence.reproduce.written import Cases

_WALKS = ("02_02", "07_06", "16_33", "35_03")
_RUN, _TURN = "16_45", "16_13"
_JUMPS = ("13_32", "118_01", "02_04")
_PUSHES = {
    "side": ("chest", (0.0, 150.0, 0.0)),
    "back": ("chest", (-150.0, 0.0, 0.0)),
    "head": ("head", (60.0, 0.0, 0.0)),
    "arm": ("left_forearm", (60.0, 0.0, 0.0)),
}
"""Body and force (N), for 0.2 s."""
_EDITS: dict[str, list[dict[str, object]]] = {
    "farther": [{"stage": "ground 2", "forward": 0.3}],
    "higher": [{"stage": "flight 1", "higher": 0.15}],
    "turn": [{"stage": "ground 2", "turn": 60}],
}
_TASKS: dict[str, dict[str, object]] = {
    "recorded": {},
    "load": {"load": {"left_hand": 10.0}},
    "uphill": {"slope": 8.0},
    "curve": {"curve": 60.0},
}
_DAMAGES = ("noise", "slide", "drift", "lost", "skate", "float")
_SKETCHES = ("broad_jump", "handspring", "hopscotch", "karate_kick", "running", "side_jump", "twist_jumps")
_SCENES = ("carry", "cross-the-room", "hand-in-hand", "round-trip", "run-to-stop", "tackle", "walk-to-run")
_CROWDS = ("crossing", "doorway", "poles")
_PLACES = (("jvrc1", 2.0, 0.5), ("jvrc1", 1.0, -1.0))
"""A robot, and where it walks to (m)."""


def push_walks(data: Path, method: gb.PushMethod, names: Sequence[str] = (*_WALKS, _RUN, _TURN)) -> Cases:
    """Push recorded walks, a run and a turn in the middle, by a method."""
    return {f"{name}-{push}": partial(_push, data, name, push, method) for name in names for push in _PUSHES}


def _push(data: Path, name: str, push: str, method: gb.PushMethod) -> Result:
    clip, (body, force) = load_cmu_clip(data, name), _PUSHES[push]
    return gb.push(clip, [gb.Push(body, force, 0.5 * clip.duration)], method=method)


def repair_recordings(data: Path) -> Cases:
    """Repair damaged walks and a jump, and recordings that are sound."""
    cases: dict[str, partial[Result]] = {}
    for number, name in enumerate((*_WALKS[:2], _RUN, _JUMPS[0])):
        cases[f"{name}-sound"] = partial(_fix, data, name, "", number)
        cases |= {f"{name}-{damage}": partial(_fix, data, name, damage, number) for damage in _DAMAGES}
    return cases


def _fix(data: Path, name: str, damage: str, seed: int) -> Result:
    clip = load_cmu_clip(data, name)
    return gb.fix(DAMAGES[damage](clip, np.random.default_rng(seed)) if damage else clip)


def edit_jumps(data: Path) -> Cases:
    """Edit recorded jumps."""
    return {
        f"{name}-{word}": partial(_edit, data, name, changes) for name in _JUMPS for word, changes in _EDITS.items()
    }


def _edit(data: Path, name: str, changes: list[dict[str, object]]) -> Result:
    return gb.edit(load_cmu_clip(data, name), changes=changes)


def solve_sketches(data: Path) -> Cases:
    """Solve sketches that come with gambol; no recording is needed."""
    return {name: partial(gb.sketch, name) for name in _SKETCHES}


def compose_scenes(data: Path) -> Cases:
    """Compose scenes that come with gambol; no recording is needed."""
    return {name: partial(gb.compose, name) for name in _SCENES}


def play_gaits(data: Path) -> Cases:
    """Learn a walk and a run of one subject as primitives, and play one and the way to the other."""
    return {"walk": partial(_play, data, "walk", None), "walk-to-run": partial(_play, data, "walk", "run")}


def _play(data: Path, style: str, to: str | None) -> Result:
    clips = {"walk": load_cmu_clip(data, "35_03"), "run": load_cmu_clip(data, _RUN)}
    model = gb.learn_primitives(clips).model
    return gb.play_primitives(model, style=style, to=to, seconds=6.0)


def walk_in_crowds(data: Path) -> Cases:
    """Walk in crowds by recorded walks."""
    walks = (None, *_WALKS[:2])
    return {
        f"{scene}-{name or 'built-in'}": partial(_crowd, data, scene, name)
        for scene, name in zip(_CROWDS, walks, strict=True)
    }


def _crowd(data: Path, scene: str, name: str | None) -> Result:
    return gb.crowd(scene, walk="walk" if name is None else load_cmu_clip(data, name), seconds=8.0)


def walk_in_styles(data: Path) -> Cases:
    """Learn the styles of two recorded walks, and do tasks in them."""
    return {f"{name}-{task}": partial(_apply, data, name, task) for name in ("07_06", "35_03") for task in _TASKS}


def _apply(data: Path, name: str, task: str) -> Result:
    clip = load_cmu_clip(data, name)
    middle = 0.5 * clip.duration
    model = gb.learn_style(clip, start=middle - 0.75, end=middle + 0.75).model
    return gb.apply_style(model, _TASKS[task], clip=clip)


def shake_hands(data: Path) -> Cases:
    """Learn one handshake; generate it, and react to the hand of another, as recorded and changed."""

    @cache
    def learn() -> InteractionModel:
        one, two = (load_cmu_clip(data, name) for name in HANDSHAKES[0])
        return gb.learn_interaction([(one, two)]).model

    def react(change: Callable[[Array], Array]) -> Result:
        shown = load_pair(data, HANDSHAKES[1])
        return gb.react(learn(), change(shown.paths[1]), fps=1.0 / shown.frame_time)

    paths = {f"hand-{word}": partial(react, change) for word, change in _HANDS.items()}
    return {"generated": lambda: gb.generate_interaction(learn()), **paths}


def _turn_back(path: Array) -> Array:
    """Return a path (frames, 3) that goes back from 65 % of its length."""
    there = path[: round(0.65 * len(path))]
    return np.concatenate((there, there[::-1]))


def _stop(path: Array) -> Array:
    """Return a path (frames, 3) that stays where it is at a third of its length."""
    return path[np.minimum(np.arange(len(path)), len(path) // 3)]


def _leave_gap(path: Array) -> Array:
    """Return a path (frames, 3) without samples in a tenth of it, in the middle."""
    gap = path.copy()
    gap[round(0.45 * len(path)) : round(0.55 * len(path))] = np.nan
    return gap


_HANDS: dict[str, Callable[[Array], Array]] = {
    "recorded": lambda path: path,
    "stopped": _stop,
    "fast": lambda path: path[::2],
    "aside": lambda path: path + (0.0, 0.3, 0.0),
    "below": lambda path: path - (0.0, 0.0, 0.6),
    "back": _turn_back,
    "gap": _leave_gap,
}
"""What is done to the path (frames, 3) of a hand."""


def push_learned_walker(data: Path) -> Cases:
    """Push a walker that was learned from a recorded walk."""

    @cache
    def learn() -> gb.Learned:
        return gb.Learned(gb.learn_walker(load_cmu_clip(data, _WALKS[1]), phases=4).model)

    def push(name: str) -> Result:
        return _push(data, _WALKS[1], name, learn())

    return {f"{_WALKS[1]}-{name}": partial(push, name) for name in _PUSHES}


def walk_robots(data: Path) -> Cases:
    """Let simulated robots walk to places; no recording is needed."""
    return {f"{robot}-{x:g}-{y:g}": partial(gb.walk_humanoid, (x, y), robot=robot) for robot, x, y in _PLACES}


def retarget_to_robot(data: Path) -> Cases:
    """Bring recorded walks, a run and a jump onto a robot, by poses alone and with forces."""
    names = (*_WALKS[:2], _RUN, _JUMPS[0])
    return {
        f"{name}-{'fast' if fast else 'forces'}": partial(_retarget, data, name, fast)
        for name in names
        for fast in (True, False)
    }


def _retarget(data: Path, name: str, fast: bool) -> Result:
    return gb.retarget(load_cmu_clip(data, name), "jvrc1", fast=fast)


CASES: dict[str, Callable[[Path], Cases]] = {
    "near-unactuated": partial(push_walks, method=gb.NearUnactuated()),
    "recovery": partial(push_walks, method=gb.Replan(), names=_WALKS),
    "responsive": push_learned_walker,
    "fix": repair_recordings,
    "edit": edit_jumps,
    "sketch": solve_sketches,
    "compose": compose_scenes,
    "primitives": play_gaits,
    "crowd": walk_in_crowds,
    "style": walk_in_styles,
    "interaction": shake_hands,
    "humanoid": walk_robots,
    "robots": retarget_to_robot,
}
"""By suite; the others make no motion."""
