"""`gambol push`: a clip answers pushes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gambol.cli.console import check_page
from gambol.cli.methods import Method, take_method
from gambol.cli.options import Clip, Filming, Mass, MaybeOutput, Reading, Report, Saving, Serving
from gambol.errors import InputError

Three = tuple[float, float, float]
Body = Annotated[str | None, typer.Option(help="Body to push: left_upper_arm, head, chest, pelvis, right_shank ...")]
ForceVector = Annotated[Three | None, typer.Option("--force", help="Force in newtons along x, y and z (z is up).")]
Start = Annotated[float, typer.Option(help="When the push starts, in seconds.")]
Duration = Annotated[float, typer.Option(help="How long it lasts, in seconds.")]
Point = Annotated[
    Three | None, typer.Option(help="Where on the body, in metres in its frame (default: its centre of mass).")
]
Axes = Annotated[Literal["world", "body"], typer.Option(help="Axes of the force: of the world, or of the body.")]
PerKg = Annotated[bool, typer.Option("--per-kg", help="Forces are in newtons per kilogram of body mass.")]
More = Annotated[
    list[str] | None, typer.Option("--push", help="A further push, repeatable: 'BODY FX FY FZ at SECOND for SECONDS'.")
]
PushFile = Annotated[
    Path | None, typer.Option("--pushes", help="YAML list of pushes: body, force, start, duration, point, axes.")
]
Loads = Annotated[list[str] | None, typer.Option("--load", help="A carried load, repeatable: BODY=KILOGRAMS.")]
PlatformSpec = Annotated[
    str | None, typer.Option("--platform", help="Ground that accelerates: 'AX AY AZ at SECOND for SECONDS', in m/s².")
]
Loop = Annotated[float | None, typer.Option(help="Repeat the clip's cycle for this many seconds first.")]
Cycle = Annotated[
    tuple[float, float] | None,
    typer.Option(help="Start and end of the gait cycle to learn from and to repeat, in seconds (default: all cycles)."),
]
Live = Annotated[bool, typer.Option("--live", help="Push it yourself in the browser.")]


@take_method
def push(
    clip: Clip,
    reading: Reading,
    writing: Saving,
    filming: Filming,
    serving: Serving,
    output: MaybeOutput = None,
    body: Body = None,
    force: ForceVector = None,
    start: Start = 1.0,
    duration: Duration = 0.2,
    point: Point = None,
    axes: Axes = "world",
    per_kg: PerKg = False,
    more: More = None,
    pushes: PushFile = None,
    method: Method = None,
    load: Loads = None,
    platform: PlatformSpec = None,
    loop: Loop = None,
    cycle: Cycle = None,
    mass: Mass = None,
    report: Report = None,
    live: Live = False,
) -> None:
    """Push a clip; the answer is written on the same rig.

    Example: gambol push walk.bvh --body left_upper_arm --force 0 60 0 --start 1.0 --duration 0.2 -o pushed.glb
    """
    from gambol.cli.push_specs import load_spec, platform_spec, push_file, push_spec
    from gambol.clips.result import list_output_files
    from gambol.motion.pushes import Push
    from gambol.respond.push import push as run

    if live:
        if any(given is not None for given in (output, report, body, more, pushes, load, platform)):
            raise InputError("--live takes no pushes and writes no files", fix="leave them out, or leave --live out")
        _serve(clip, reading, writing, serving, method, cycle, mass)
        return
    if output is None and report is None and writing.json is None:
        raise InputError("no output", fix="add -o FILE, --report FILE.html, --json FILE, or --live")
    if (body is None) != (force is None):
        raise InputError("a push needs a body and a force", fix="give --body and --force, or --push, or --pushes")
    check_page(report)
    if output is not None:
        list_output_files(output)
    filming.check(output)
    writing.check_outputs(output, report, inputs=[clip])
    wanted = [push_spec(text, axes) for text in more or ()]
    wanted += push_file(pushes) if pushes is not None else []
    if body is not None and force is not None:
        wanted.append(Push(body, force, start, duration, point, axes))
    loads = [load_spec(text) for text in load or ()]
    moving = platform_spec(platform) if platform is not None else None
    if not wanted and not loads and moving is None:
        raise InputError("nothing pushes", fix="give --body and --force, --push, --pushes, --load or --platform")
    motion = reading.load(clip, writing)
    shot = filming.make_shot(lambda path: reading.load(path, writing))
    writing.announce_duration("push", motion)
    with writing.progress() as progress:
        result = run(
            motion,
            wanted,
            method=method,
            loads=loads,
            platform=moving,
            loop=loop,
            cycle=cycle,
            mass=mass,
            per_kg=per_kg,
            progress=progress,
        )
    writing.explain(result, result.summary)
    if output is not None:
        filming.save(result, output, shot, writing)
    if report is not None:
        writing.wrote(result.report(report))
    writing.write_json(result.facts())


def _serve(
    clip: Path,
    reading: Reading,
    writing: Saving,
    serving: Serving,
    method: Method,
    cycle: tuple[float, float] | None,
    mass: float | None,
) -> None:
    from gambol.motion.cycles import choose_cycle
    from gambol.respond.method import PushTask, make_responder
    from gambol.respond.near_unactuated import NearUnactuatedResponder
    from gambol.studio.live import Knob, LivePush

    motion = reading.load(clip, writing)
    chosen = None if cycle is None else choose_cycle(motion, *cycle)
    responder, knob = make_responder(method, PushTask(clip=motion, cycle=chosen, mass=mass)), None
    if isinstance(responder, NearUnactuatedResponder):
        most, free = responder.most_free, responder.free
        knob = Knob("Free (k)", "near-unactuated coordinates", most, free, responder.with_free)
    shown = LivePush(responder, knob, host=serving.host, port=serving.port)
    writing.rest()
    serving.announce(shown.url)
    shown.run()
