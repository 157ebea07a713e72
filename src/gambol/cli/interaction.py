"""`gambol interaction`: two people who meet, learned from pairs of clips, and a partner who reacts to a hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.console import check_suffix, print_line, read_standard_input
from gambol.cli.options import Output, Reading, Serving, Writing, expand_groups
from gambol.errors import InputError

Pairs = Annotated[
    list[Path],
    typer.Argument(
        metavar="A B...",
        help="Clips of both people of a scene, one pair after the other; A reacts.",
        show_default=False,
    ),
]
ModelOutput = Annotated[Path, typer.Option("--output", "-o", help="File to write, .npz.", show_default=False)]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that 'gambol interaction learn' wrote.", show_default=False)
]
Styles = Annotated[
    list[str] | None,
    typer.Option(
        "--style", help="Style of the pairs: one for all, or the option once for every pair.", metavar="STYLE"
    ),
]
Style = Annotated[str, typer.Option(help="Style, such as happy, or happy=0.5,sad=0.5 for a mixture.", metavar="STYLE")]
Until = Annotated[str | None, typer.Option(help="Style at the end, for one that changes.", metavar="STYLE")]
Vary = Annotated[
    float | None,
    typer.Option(help="Metres across and up by which contacts are also moved (default: 0.12 for fewer than 5 pairs)."),
]
Contact = Annotated[
    tuple[float, float, float] | None,
    typer.Option(help="Where hands meet, in metres from person 1: towards person 2, to the left, up.", metavar="X Y Z"),
]
Pace = Annotated[float, typer.Option(help="Pace relative to that of the style.")]
VariationSeed = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Vary the people as trials do; a number for every variation.", metavar="N"),
]
Hand = Annotated[
    Path, typer.Option(help="CSV of a hand's path: x, y, z in metres; empty or nan is missing.", show_default=False)
]
Fps = Annotated[float | None, typer.Option("--fps", help="Samples per second of the path (default: of the model).")]
Place = Annotated[
    tuple[float, float, float],
    typer.Option(help="Where person 1 begins: x, y in metres, direction in degrees.", metavar="X Y DIRECTION"),
]

interaction_app = typer.Typer(
    help="Learn how two people meet, generate both, or let one react to a hand.\n\n"
    "Example: gambol interaction learn a.bvh b.bvh -o model.npz",
    no_args_is_help=True,
)


@interaction_app.command()
@expand_groups
def learn(
    clips: Pairs, output: ModelOutput, reading: Reading, writing: Writing, style: Styles = None, vary: Vary = None
) -> None:
    """Learn how two people shake hands or give a high five, from clips of both.

    Example: gambol interaction learn 18_01.bvh 19_01.bvh 18_02.bvh 19_02.bvh -o handshake.npz
    """
    from gambol.interaction.verb import learn_interaction

    check_suffix(output, "a model", ".npz")
    if len(clips) % 2:
        raise InputError(f"{len(clips)} clips are not pairs", fix="give two clips of every scene: A1 B1 A2 B2")
    writing.check_outputs(output, inputs=clips)
    motions = [reading.load(path, writing) for path in clips]
    pairs = list(zip(motions[::2], motions[1::2], strict=True))
    with writing.progress() as progress:
        result = learn_interaction(pairs, style or (), vary=vary, progress=progress)
    writing.deliver(result, output)


@interaction_app.command()
@expand_groups
def generate(
    model: Model,
    output: Output,
    writing: Writing,
    style: Style = "neutral",
    until: Until = None,
    contact: Contact = None,
    pace: Pace = 1.0,
    seed: VariationSeed = None,
) -> None:
    """Generate both people in a style, or from one style to another.

    Example: gambol interaction generate model.npz --style sad --until happy -o pair.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.interaction.verb import generate_interaction

    writing.check_outputs(*list_output_files(output, 2), inputs=[model])
    result = generate_interaction(model, style, until=until, contact=contact, pace=pace, seed=seed)
    writing.deliver(result, output)


@interaction_app.command()
@expand_groups
def react(
    model: Model,
    hand: Hand,
    output: Output,
    writing: Writing,
    style: Style = "neutral",
    fps: Fps = None,
    place: Place = (0.0, 0.0, 0.0),
) -> None:
    """Answer the path of a hand: person 1 moves so that the hands meet.

    Example: gambol interaction react model.npz --hand hand.csv --style happy -o partner.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.interaction.hand_path import load_hand_path
    from gambol.interaction.verb import react as answer

    writing.check_outputs(*list_output_files(output), inputs=[model, hand])
    result = answer(model, load_hand_path(hand), style, fps=fps, place=place)
    writing.deliver(result, output)


@interaction_app.command()
@expand_groups
def stream(model: Model, writing: Writing, style: Style = "neutral") -> None:
    """Answer samples of a hand over standard input and output, for a tracker or an engine: a line of JSON in, one out.

    Example: gambol interaction stream model.npz, then lines such as {"hand": [0.9, 0.1, 1.2], "style": {"happy": 1}}
    """
    from gambol.interaction.model import InteractionModel
    from gambol.interaction.stream import PartnerStream
    from gambol.interaction.trials import parse_style
    from gambol.io.json_lines import answer_lines
    from gambol.io.models import as_model

    writing.rest()
    lines = read_standard_input()
    partner = PartnerStream(as_model(model, InteractionModel), parse_style(style))
    for line in answer_lines(partner, lines):
        print_line(line)
    print_line(json.dumps(partner.judge()))


@interaction_app.command()
@expand_groups
def live(model: Model, serving: Serving) -> None:
    """Drag your hand in the browser and let the person react, in the mood of the sliders.

    Example: gambol interaction live model.npz
    """
    from gambol.interaction.model import InteractionModel
    from gambol.io.models import as_model
    from gambol.studio.meet import LiveMeeting

    shown = LiveMeeting(as_model(model, InteractionModel), host=serving.host, port=serving.port)
    serving.announce(shown.url)
    shown.run()
