"""`push` and `push_map`: how a clip answers pushes, one or a thousand of them (YL08)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.clips.result import Result
from gambol.drawing.forces import Arrow
from gambol.errors import InputError
from gambol.fit.load import Source, StrPath, as_motion
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.io.output import write_text
from gambol.io.yamls import check_choice
from gambol.legs.character import LEG_PARTS
from gambol.motion.cycles import choose_cycle, close_cycle, find_cycle, repeat_cycle
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load, Platform, Push
from gambol.progress import Progress, silent
from gambol.respond import push_map_page, push_report
from gambol.respond.actuation import compute_actuation, has_cycle
from gambol.respond.balance import OUTCOMES
from gambol.respond.clips import respond_to_pushes
from gambol.respond.model import DEFAULT_FREE
from gambol.respond.near_unactuated import NearUnactuated
from gambol.respond.printed import respond_to_pushes_as_printed
from gambol.respond.push_map import BODIES, PushMap, PushPlan, sample_pushes
from gambol.respond.push_response import PushResponse
from gambol.respond.responder import Responder
from gambol.respond.whole_body import respond_with_steps

if TYPE_CHECKING:
    from gambol.respond.latent.responder import LatentWalker

_STRONGEST = 1e6
"""Largest force (N) that may act: hundreds of times what throws a person; numbers overflow with much larger ones."""

Method = Literal["near-unactuated", "spacetime", "gp", "printed", "printed-norms"]


@dataclass(frozen=True, eq=False, kw_only=True)
class PushResult(Result):
    """A pushed clip."""

    response: PushResponse

    @property
    def summary(self) -> str:
        """What a person would do, how far off the clip it was, when it was back, and what the feet did, in one line."""
        found = self.response
        degrees, second = found.peak
        back = "" if found.recovery is None else f", recovered {found.recovery:.2f} s after the push"
        if not found.pushes and found.platform is None:
            back = ""
        elif found.recovery is None:
            back = f", not recovered when the clip ends{found.loop_advice}"
        return (
            f"{found.advice}{found.advice and '; '}largest deviation {degrees:.1f} degrees "
            f"({found.weakest.replace('_', ' ')}) at {second:.2f} s{back}; {found.footwork}"
        )

    @property
    def arrows(self) -> tuple[Arrow, ...]:
        """The pushes, for films."""
        character = self.response.fitted.character
        placed = place(character.skeleton, self.response.poses)
        arrows = []
        for one in self.response.pushes:
            body = character.body(one.body)
            point = character.centers[body] if one.point is None else np.array(one.point)
            turns = placed.rotations[:, body]
            forces = np.tile(one.force, (len(turns), 1))
            if one.axes == "body":
                forces = quat.rotate(turns, forces)
            arrows.append(Arrow(one.start, one.end, placed.positions[:, body] + quat.rotate(turns, point), forces))
        return tuple(arrows)

    def report(self, path: StrPath, *, overwrite: bool = True) -> Path:
        """Write an HTML page: how far, how long, which parts."""
        return write_text(Path(path), push_report.push_report_html(self.response), overwrite)


def push(
    clip: Source,
    pushes: Sequence[Push] = (),
    *,
    free: int = DEFAULT_FREE,
    method: Method = "near-unactuated",
    model: LatentWalker | StrPath | None = None,
    like: Source | None = None,
    loads: Sequence[Load] = (),
    platform: Platform | None = None,
    loop: float | None = None,
    cycle: tuple[float, float] | None = None,
    mass: float | None = None,
    per_kg: bool = False,
    progress: Progress = silent,
) -> PushResult:
    """Push a clip; the answer is on the same rig.

    `free` is the number of near-unactuated coordinates: the more, the more compliant. `method` "spacetime" answers with
    the whole body, which takes steps, in seconds per push; "gp" walks and answers by a `model` that `learn_responder`
    made of a walk on this rig; "printed" is the near-unactuated form of the paper with
    squared objectives, "printed-norms" with norms as in its equation 6; both diverge on real clips. `like`
    takes the actuation from another clip. `loads` are carried and a `platform` moves the ground. `loop` repeats the
    clip's cycle for that many seconds first. `cycle` (start and end in s) is the gait cycle to learn from and to
    repeat; by default all cycles count. With `per_kg` forces are in newtons per kilogram of body mass.

    >>> pushed = gb.push("walk", [gb.Push("left_upper_arm", force=(0.0, 60.0, 0.0), start=1.0)])
    >>> pushed.summary.partition(";")[0]
    'largest deviation 6.2 degrees (left collar) at 1.22 s, recovered 0.37 s after the push'
    >>> pushed.save("pushed.bvh")  # doctest: +SKIP
    """
    motion = as_motion(clip)
    if not pushes and not loads and platform is None:
        raise InputError("nothing pushes", fix="give pushes, loads or a platform")
    check_choice(method, "method", get_args(Method))
    if like is not None and cycle is not None:
        raise InputError("both a cycle and another clip to learn from are given", fix="choose one of them")
    chosen = None if cycle is None else choose_cycle(motion, *cycle)
    if loop is not None:
        motion, chosen = _repeat_for(motion, loop, chosen)
    if platform is not None and platform.start >= motion.duration:
        raise InputError(
            f"the platform moves at {platform.start:g} s, after the clip", fix="move it earlier, or loop the clip"
        )
    walker = None
    if (method == "gp") != (model is not None):
        raise InputError("the method gp and a model belong together", fix="give both, or neither")
    if model is not None:
        if loads or platform is not None or like is not None or cycle is not None or mass is not None or not pushes:
            raise InputError(
                "a learned walker answers pushes alone", fix="leave out loads, platform, other clip, cycle and mass"
            )
        # Imported where it is needed, here and below: scikit-learn takes half a second.
        from gambol.respond.latent.response import load_walker_of

        walker = load_walker_of(model, motion)
    character = Character.from_motion(motion, mass) if walker is None else walker.character
    pushes = [replace(one, body=character.find_body(one.body)) for one in pushes]
    loads = [replace(load, body=character.find_body(load.body)) for load in loads]
    if per_kg:
        pushes = [one.scaled(character.mass) for one in pushes]
    _check_strength(character, pushes, loads, platform)
    if method == "spacetime" and (loads or platform is not None or like is not None or not pushes):
        raise InputError("steps answer pushes alone", fix="leave out loads, the platform and the other clip")
    other = None if like is None else as_motion(like)
    centred = method in ("printed", "printed-norms")
    basis = (
        None if other is None else compute_actuation(fit(Character.from_motion(other, mass), other), centred=centred)
    )
    notes: tuple[str, ...] = ()
    found: PushResponse
    progress("answering the pushes", 0, None)
    if walker is not None:
        from gambol.respond.latent.response import respond_with_walker

        found = respond_with_walker(walker, motion, pushes)
    elif method == "near-unactuated":
        found = respond_to_pushes(
            character, motion, pushes, free, actuation=basis, loads=loads, platform=platform, cycle=chosen
        )
    elif method == "spacetime":
        found = respond_with_steps(
            character, motion, pushes, free, cycle=chosen, tell=lambda text: progress(text, 0, None)
        )
    else:
        found = respond_to_pushes_as_printed(
            character,
            motion,
            pushes,
            free,
            squared=method == "printed",
            actuation=basis,
            loads=loads,
            platform=platform,
            cycle=chosen,
        )
    if walker is None and basis is None and chosen is None and not has_cycle(found.fitted):
        notes = ("no cycle found: the free coordinates are learned from the whole clip",)
    if method == "near-unactuated" and (legs := [one.body for one in pushes if one.body.endswith(LEG_PARTS)]):
        notes += (f"a push on the {legs[0].replace('_', ' ')} acts on the pelvis: legs have no dynamics of their own",)
    return PushResult(motions=as_ensemble(found.motion), figures=found.figures, notes=notes, response=found)


def _check_strength(
    character: Character, pushes: Sequence[Push], loads: Sequence[Load], platform: Platform | None
) -> None:
    """Refuse forces that are so large that numbers would overflow."""
    forces = [math.hypot(*one.force) for one in pushes] + [GRAVITY * load.mass for load in loads]
    forces += [] if platform is None else [character.mass * math.hypot(*platform.acceleration)]
    if max(forces) > _STRONGEST:
        raise InputError(f"a force of {max(forces):.3g} N would act", fix=f"give at most {_STRONGEST:.0e} N")


@dataclass(frozen=True, eq=False, kw_only=True)
class PushMapResult(Result):
    """Which pushes throw a clip off; its motion is the clip."""

    push_map: PushMap

    @property
    def verdict(self) -> str:
        """Where the clip is weak, in one line."""
        return push_map_page.summarise_push_map(self.push_map)

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Write the map as an HTML page."""
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise InputError(f"a push map is an HTML page, not '{Path(path).suffix}'", fix="name it .html")
        return [write_text(Path(path), push_map_page.push_map_html(self.push_map), overwrite)]

    def facts(self) -> dict[str, Any]:
        """The numbers of every push."""
        return self.push_map.facts()


def push_map(
    clip: Source,
    *,
    pushes: int = 1000,
    strongest: float = 1.0,
    duration: float = 0.2,
    bodies: Sequence[str] = BODIES,
    free: int = DEFAULT_FREE,
    cycle: tuple[float, float] | None = None,
    model: LatentWalker | StrPath | None = None,
    seed: int = 0,
    mass: float | None = None,
    progress: Progress = silent,
) -> PushMapResult:
    """Push a clip about `pushes` times: every body, direction, phase of the cycle and force up to the strongest.

    `strongest` is in body weights, `duration` in seconds. `cycle` (start and end in s) is the gait cycle that is
    pushed. The seed draws the moments and directions. `model` is a walker that `learn_responder` made of this rig,
    which is pushed instead of the clip.

    >>> found = gb.push_map("walk", pushes=64, bodies=("head", "chest"))
    >>> found.figures["pushes"]
    64
    >>> found.save("map.html")  # doctest: +SKIP
    """
    motion = as_motion(clip)
    plan = PushPlan(pushes, strongest, duration, tuple(dict.fromkeys(bodies)), seed)
    done = 0

    def advanced(count: int) -> None:
        nonlocal done
        done += count
        progress("pushing", done, plan.total)

    responder: NearUnactuated | LatentWalker
    if model is not None:
        from gambol.respond.latent.response import load_walker_of

        responder = load_walker_of(model, motion)
    else:
        chosen = None if cycle is None else choose_cycle(motion, *cycle)
        fitted = fit(Character.from_motion(motion, mass), motion)
        responder = NearUnactuated.learn(
            fitted, free, cycle=chosen, machine_code=True, tell=lambda text: progress(text, 0, None)
        )
    found = sample_pushes(cast(Responder[Any], responder), plan, advanced)
    return PushMapResult(
        motions=as_ensemble(motion),
        figures={
            "pushes": plan.total,
            "lost": int(found.lost.sum()),
            **{f"person_{name}": int((found.outcomes == n).sum()) for n, name in enumerate(OUTCOMES)},
        },
        push_map=found,
    )


def _repeat_for(motion: Motion, seconds: float, chosen: slice | None) -> tuple[Motion, slice | None]:
    """Repeat the clip's cycle, or the chosen one, for some seconds at least; also return where that one is then."""
    if not 0.0 < seconds <= 600.0:
        raise InputError(f"a clip cannot be looped for {seconds:g} s", fix="give seconds, up to 600")
    cycle = find_cycle(motion) if chosen is None else chosen
    frames = cycle.stop - cycle.start
    repeated = repeat_cycle(close_cycle(motion, cycle), max(1, math.ceil(seconds / (frames * motion.frame_time))))
    return repeated, None if chosen is None else slice(0, frames)
