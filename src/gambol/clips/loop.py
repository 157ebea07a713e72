"""`loop`: find the best cycle of a clip, close it and repeat it."""

from __future__ import annotations

from dataclasses import replace

from gambol.clips.result import Result
from gambol.errors import InputError
from gambol.fit.load import Source, as_motion
from gambol.judge.judgement import Original
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.ensemble import as_ensemble

_MOST = 1000


def loop(clip: Source, *, times: int = 1, in_place: bool = False) -> Result:
    """Cut out the best cycle of a clip, close its seam and repeat it.

    `in_place` removes the travel. Figures: where the cycle starts and ends in the clip (s).

    >>> gb.loop("walk", times=10).motion
    Motion('walk', 640 frames, 10.65 s, MotionBuilder)
    >>> gb.loop("walk", in_place=True).save("in_place.bvh")  # doctest: +SKIP
    """
    if not 1 <= times <= _MOST:
        raise InputError(f"times must be 1 to {_MOST}, not {times}")
    motion = as_motion(clip)
    cycle = find_cycle(motion)
    looped = repeat_cycle(close_cycle(motion, cycle, in_place), times)
    start, stop = cycle.start * motion.frame_time, cycle.stop * motion.frame_time
    made = {"verb": "loop", "times": times, "in_place": in_place}
    return Result(
        motions=as_ensemble(replace(looped, made={**looped.made, **made})),
        figures={"start_s": start, "end_s": stop},
        sources=(motion, motion[cycle]),
        originals=() if in_place else (Original(looped[: cycle.stop - cycle.start], motion[cycle]),),
        excerpt=looped[: 2 * (cycle.stop - cycle.start) + 1] if times > 2 else None,
        notes=(f"cycle from {start:.2f} to {stop:.2f} s ({cycle.stop - cycle.start} frames)",),
    )
