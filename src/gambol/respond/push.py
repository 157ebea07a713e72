"""`push` and `push_map`: how a clip answers pushes, one or a thousand of them (YL08)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol.clips.result import Result
from gambol.drawing.forces import Arrow
from gambol.errors import InputError, StrPath
from gambol.fit.load import Source, as_motion
from gambol.geometry import quaternions as quat
from gambol.io.output import write_text
from gambol.judge.judgement import Original
from gambol.motion.cycles import choose_cycle, repeat_for
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import place
from gambol.motion.pushes import Load, Platform, Push
from gambol.progress import Progress, silent
from gambol.respond import push_map_page, push_report
from gambol.respond.method import FrameMethod, PushMethod, PushTask, check_method, make_responder
from gambol.respond.methods import NearUnactuated
from gambol.respond.push_map import BODIES, PushMap, PushPlan, sample_pushes
from gambol.respond.push_response import PushResponse
from gambol.stages.balance import OUTCOMES


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
    method: PushMethod = NearUnactuated(),
    loads: Sequence[Load] = (),
    platform: Platform | None = None,
    loop: float | None = None,
    cycle: tuple[float, float] | None = None,
    mass: float | None = None,
    per_kg: bool = False,
    progress: Progress = silent,
) -> PushResult:
    """Push a clip; the answer is on the same rig.

    `method` is how it answers: `NearUnactuated` gives way and keeps the feet, in real time; `Replan` replans the whole
    body, which takes steps, in seconds per push; `Learned` walks and answers by a model that `learn_walker` made of
    a walk on this rig. Each has its own options. `loads` are carried and a `platform` moves the ground. `loop` repeats
    the clip's cycle for that many seconds first. `cycle` (start and end in s) is the gait cycle to learn from and to
    repeat; by default all cycles count. With `per_kg` forces are in newtons per kilogram of body mass.

    >>> pushed = gb.push("walk", [gb.Push("left_upper_arm", force=(0.0, 60.0, 0.0), start=1.0)])
    >>> pushed.summary.partition(";")[0]
    'largest deviation 13.5 degrees (left upper arm) at 1.23 s, recovered 0.40 s after the push'
    >>> gb.push("walk", pushed.response.pushes, method=gb.NearUnactuated(free=4)).save("pushed.bvh")  # doctest: +SKIP
    """
    motion = as_motion(clip)
    if not pushes and not loads and platform is None:
        raise InputError("nothing pushes", fix="give pushes, loads or a platform")
    chosen = None if cycle is None else choose_cycle(motion, *cycle)
    if loop is not None:
        motion, chosen = repeat_for(motion, loop, chosen), chosen and slice(0, chosen.stop - chosen.start)
    if platform is not None and platform.start >= motion.duration:
        raise InputError(
            f"the platform moves at {platform.start:g} s, after the clip", fix="move it earlier, or loop the clip"
        )
    task = PushTask(
        clip=motion,
        pushes=tuple(pushes),
        loads=tuple(loads),
        platform=platform,
        cycle=chosen,
        mass=mass,
        per_kg=per_kg,
        progress=progress,
    )
    found = check_method(method).respond(task)
    starts = [*(one.start for one in pushes), *(0.0 for _ in loads), *([] if platform is None else [platform.start])]
    before = slice(round(min(starts) / motion.frame_time))
    return PushResult(
        motions=as_ensemble(found.motion),
        figures=found.figures,
        notes=found.notes,
        sources=(motion,),
        originals=(Original(found.motion[before], motion[before]),) if before.stop > 1 else (),
        response=found,
    )


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
    method: FrameMethod = NearUnactuated(),
    cycle: tuple[float, float] | None = None,
    seed: int = 0,
    mass: float | None = None,
    progress: Progress = silent,
) -> PushMapResult:
    """Push a clip about `pushes` times: every body, direction, phase of the cycle and force up to the strongest.

    `strongest` is in body weights, `duration` in seconds. `cycle` (start and end in s) is the gait cycle that is
    pushed. The seed draws the moments and directions. `method` is `NearUnactuated` or `Learned`, whose walker is pushed
    instead of the clip.

    >>> found = gb.push_map("walk", pushes=64, bodies=("head", "chest"))
    >>> found.figures["pushes"]
    64
    >>> found.save("map.html")  # doctest: +SKIP
    """
    motion = as_motion(clip)
    plan = PushPlan(pushes, strongest, duration, tuple(dict.fromkeys(bodies)), seed)
    chosen = None if cycle is None else choose_cycle(motion, *cycle)
    task = PushTask(clip=motion, cycle=chosen, mass=mass, progress=progress)
    found = sample_pushes(make_responder(method, task, machine_code=True), plan, progress)
    return PushMapResult(
        motions=as_ensemble(motion),
        figures={
            "pushes": plan.total,
            "lost_pushes": int(found.lost.sum()),
            **{f"person_{name}_pushes": int((found.outcomes == n).sum()) for n, name in enumerate(OUTCOMES)},
        },
        sources=(motion,),
        push_map=found,
    )
