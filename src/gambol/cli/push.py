"""`gambol push`: a clip answers pushes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import (
    Asf,
    Fps,
    Mass,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    apart,
    fresh_output,
    load_clip,
    page_output,
)
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion
    from gambol.respond.answer import Answer

Three = tuple[float, float, float]
Clip = Annotated[
    Path, typer.Argument(help="A motion file, or a built-in motion: stand, walk, run, jump.", show_default=False)
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False)]
Body = Annotated[str | None, typer.Option(help="What is pushed: left_upper_arm, head, chest, pelvis, right_shank ...")]
ForceVector = Annotated[
    Three | None, typer.Option("--force", help="Newtons along x, y and z (z is up), or newtons a kilogram.")
]
At = Annotated[float, typer.Option(help="Second at which the push begins.")]
For = Annotated[float, typer.Option("--for", help="Seconds that it lasts.")]
Point = Annotated[Three | None, typer.Option(help="Where on the body, metres in its frame; else its centre of mass.")]
Axes = Annotated[str, typer.Option(help="Axes of forces: world, or body, turning with it.")]
PerKg = Annotated[bool, typer.Option("--per-kg", help="Forces are newtons for every kilogram of the body.")]
More = Annotated[
    list[str] | None, typer.Option("--push", help="One more push: 'BODY FX FY FZ at SECOND for SECONDS'; repeatable.")
]
File = Annotated[Path | None, typer.Option("--pushes", help="YAML list of pushes: body, force, at, for, point, axes.")]
Free = Annotated[int, typer.Option("--k", help="Near-unactuated coordinates: the more, the more compliant.")]
Method = Annotated[str, typer.Option(help="implicit (ours) or printed (as in the paper: it runs away).")]
Like = Annotated[Path | None, typer.Option(help="Take the actuation from this clip, perhaps another person's.")]
LoadOption = Annotated[list[str] | None, typer.Option("--load", help="Something carried: BODY=KILOGRAMS; repeatable.")]
Shove = Annotated[
    str | None, typer.Option("--platform", help="Ground that moves: 'AX AY AZ at SECOND for SECONDS', in m/s².")
]
Loop = Annotated[float | None, typer.Option(help="Repeat the clip's cycle for so many seconds first.")]
Report = Annotated[Path | None, typer.Option(help="HTML page to write: how far, how long, which parts.")]
Live = Annotated[bool, typer.Option("--live", help="In the browser: it walks on, you pull and hit it.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of --live.")]
OpenBrowser = Annotated[bool, typer.Option("--open/--no-open", help="Open the page of --live.")]


def push(
    clip: Clip,
    output: Output = None,
    body: Body = None,
    force: ForceVector = None,
    at: At = 1.0,
    for_: For = 0.2,
    point: Point = None,
    axes: Axes = "world",
    per_kg: PerKg = False,
    more: More = None,
    pushes: File = None,
    k: Free = 10,
    method: Method = "implicit",
    like: Like = None,
    load: LoadOption = None,
    platform: Shove = None,
    loop: Loop = None,
    mass: Mass = None,
    report: Report = None,
    live: Live = False,
    port: Port = 8080,
    open_browser: OpenBrowser = True,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Push a clip and take the answer home on the same rig.

    Example: gambol push walk.bvh --body left_upper_arm --force 0 60 0 --at 1.0 --for 0.2 -o pushed.glb
    """
    from gambol.body.character import Character
    from gambol.cli.push_specs import load_spec, platform_spec, push_file, push_spec
    from gambol.io.formats import writable_format
    from gambol.motion.pushes import Push

    if not live and output is None and report is None:
        raise InputError("nowhere to write to", fix="add -o FILE, --report FILE.html, or --live")
    if method not in ("implicit", "printed"):
        raise InputError(f"no method '{method}'", fix="there are implicit and printed")
    if live and any(given is not None for given in (output, report, body, more, pushes, load, platform)):
        raise InputError("--live takes no pushes and writes no files", fix="leave them out, or leave --live out")
    if method == "printed" and any(given is not None for given in (like, load, platform)):
        raise InputError("the printed form knows no --like, --load or --platform", fix="leave --method out")
    apart(output, report)
    if output is not None:
        writable_format(output)
    if report is not None:
        page_output(report)
    for target in filter(None, (output, report)):
        fresh_output(target, overwrite, [clip])
    wanted = [push_spec(text, axes) for text in more or ()]
    wanted += push_file(pushes) if pushes is not None else []
    if (body is None) != (force is None):
        raise InputError("a push needs a body and a force", fix="give --body and --force, or --push, or --pushes")
    if body is not None and force is not None:
        wanted.append(Push(body, force, at, for_, point, axes))  # type: ignore[arg-type]
    overrides = Overrides(scale, up, fps, rig, skeleton)
    motion = load_clip(clip, overrides)
    if loop is not None:
        motion = _looped(motion, loop)
    character = Character.from_motion(motion, mass)
    if per_kg:
        wanted = [one.scaled(character.mass) for one in wanted]
    if live:
        from gambol.fit.rig import fit
        from gambol.respond.clip_responder import NearUnactuated
        from gambol.studio.live import Knob, LivePush

        responder = NearUnactuated.learn(fit(character, motion), k)
        hint = "near-unactuated coordinates"
        shown = LivePush(responder, Knob("Free (k)", hint, responder.most_free, k, responder.with_free), port=port)
        typer.echo(f"{shown.url}  (Ctrl-C stops)")
        if open_browser:
            typer.launch(shown.url)
        shown.run()
        return
    loads = [load_spec(text) for text in load or ()]
    shove = platform_spec(platform) if platform is not None else None
    if shove is not None and shove.start >= motion.duration:
        raise InputError(f"the platform moves at {shove.start:g} s, after the clip", fix="move it earlier, or --loop")
    if not wanted and not loads and shove is None:
        raise InputError("nothing pushes", fix="give --body and --force, --push, --pushes, --load or --platform")
    if method == "printed":
        from gambol.respond.printed import answer_as_printed

        found = answer_as_printed(character, motion, wanted, k)
    else:
        from gambol.fit.rig import fit
        from gambol.respond.actuation import actuation_of, has_cycle
        from gambol.respond.clips import answer

        other = load_clip(like, overrides) if like is not None else None
        basis = None if other is None else actuation_of(fit(Character.from_motion(other, mass), other))
        found = answer(character, motion, wanted, k, actuation=basis, loads=loads, platform=shove)
        if basis is None and not has_cycle(found.fitted):
            typer.echo(f"{clip.name}: no cycle: what swings freely is learnt from the whole clip", err=True)
    _write(found, output, report)


def _looped(motion: Motion, seconds: float) -> Motion:
    from gambol.motion.cycles import closed, find_cycle, repeat

    cycle = find_cycle(motion)
    length = (cycle.stop - cycle.start) * motion.frame_time
    if not 0.0 < seconds <= 600.0:
        raise InputError(f"a clip cannot be looped for {seconds:g} s", fix="give seconds, up to 600")
    return repeat(closed(motion, cycle), max(1, math.ceil(seconds / length)))


def _write(found: Answer, output: Path | None, report: Path | None) -> None:
    from gambol.io import save
    from gambol.io.output import replacing

    degrees, second = found.peak
    typer.echo(
        f"farthest off {degrees:.1f} degrees ({found.weakest.replace('_', ' ')}) at {second:.2f} s{_back(found)}; "
        f"feet leave their path by {1000.0 * found.slide:.1f} mm",
        err=True,
    )
    if output is not None:
        for written in save(found.motion, output):
            typer.echo(written)
    if report is not None:
        from gambol.studio.push_report import to_page

        with replacing(report) as temporary:
            temporary.write_text(to_page(found), encoding="utf-8")
        typer.echo(report)


def _back(found: Answer) -> str:
    if not found.pushes and found.platform is None:
        return ""
    return (
        ", the clip ends before it is back"
        if found.recovery is None
        else f", back {found.recovery:.2f} s after the push"
    )
