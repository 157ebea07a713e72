"""The front door: public names, and the same bytes from Python and from the command line."""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path

import pytest
import typer

import gambol as gb
from gambol.cli.app import app
from gambol.clips.result import Result
from tests.conftest import REPOSITORY

FUNCTIONS = [name for name in gb.__all__ if inspect.isfunction(getattr(gb, name))]
CUT = {"start": 0.75, "end": 1.9, "solve_fps": 15.0}
CUT_WORDS = ("--start", 0.75, "--end", 1.9, "--solve-fps", 15)
PLAN = """
fps: 15
axes:
  - {stage: ground 2, forward: [-0.1, 0.1], count: 2}
"""
MARCH = "march: {rows: 2, columns: 2}\nseconds: 0.5\n"


def _push(folder: Path) -> Result:
    hit = gb.Push("head", (0.0, 60.0, 0.0), 0.4, 0.2)
    return gb.push(folder / "walk.bvh", [hit], method=gb.NearUnactuated(free=8))


VERBS: dict[str, tuple[tuple[object, ...], str, Callable[[Path], Result]]] = {
    "push": (("{folder}/walk.bvh", "--push", "head 0 60 0 at 0.4 for 0.2", "--free", 8), ".glb", _push),
    "push-map": (
        ("walk", "--pushes", 8, "--body", "head", "--seed", 3),
        ".html",
        lambda _: gb.push_map("walk", pushes=8, bodies=["head"], seed=3),
    ),
    "loop": (("walk", "--times", 2, "--in-place"), ".bvh", lambda _: gb.loop("walk", times=2, in_place=True)),
    "retarget": (("jump", "--to", "walk"), ".bvh", lambda _: gb.retarget("jump", "walk")),
    "join": (("jump", "jump", "--leave", 2.4), ".bvh", lambda _: gb.join("jump", "jump", leave=2.4)),
    "fix": (("{folder}/short.bvh",), ".bvh", lambda folder: gb.fix(folder / "short.bvh")),
    "sketch": (("broad_jump", "--fps", 15), ".bvh", lambda _: gb.sketch("broad_jump", fps=15.0)),
    "edit": (("jump", "backward", *CUT_WORDS), ".bvh", lambda _: gb.edit("jump", "backward", **CUT)),
    "family": (
        ("jump", "{folder}/plan.yaml", *CUT_WORDS[:4]),
        ".npz",
        lambda folder: gb.family("jump", folder / "plan.yaml", start=0.75, end=1.9),
    ),
    "primitives learn": (
        ("walk", "--sources", 2, "--seed", 1),
        ".npz",
        lambda _: gb.learn_primitives(["walk"], sources=2, seed=1),
    ),
    "crowd": (
        ("{folder}/march.yaml", "--seed", 5),
        ".glb",
        lambda folder: gb.crowd(folder / "march.yaml", seed=5),
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_python_and_the_command_line_write_the_same_bytes(gambol, verb: str, tmp_path: Path) -> None:
    words, suffix, call = VERBS[verb]
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "march.yaml").write_text(MARCH)
    gb.save(gb.load("jump")[40:130:3], tmp_path / "short.bvh")
    gb.save(gb.load("walk")[:80], tmp_path / "walk.bvh")
    by_command, by_python = tmp_path / f"command{suffix}", tmp_path / f"python{suffix}"
    filled = [str(word).format(folder=tmp_path) for word in words]
    code, _, err = gambol(*verb.split(), *filled, "-o", by_command)
    assert code == 0, err
    result = call(tmp_path)
    assert result.save(by_python) == [by_python]
    assert by_command.read_bytes() == by_python.read_bytes()
    assert result.facts()
    check_units(result)


def test_a_check_and_a_picture_are_the_same_too(gambol, tmp_path: Path) -> None:
    clips = [tmp_path / "walk.bvh", tmp_path / "jump.bvh"]
    for clip in clips:
        gb.save(gb.load(clip.stem)[20:120], clip)
    code, _, _ = gambol("check", clips[1], "--report", tmp_path / "a.html")
    assert code == 0
    found = gb.check(clips[1])
    check_units(found)
    assert found.report(tmp_path / "b.html").read_bytes() == (tmp_path / "a.html").read_bytes()
    assert gambol("render", *clips, "-o", tmp_path / "a.svg", "--poses", 1)[0] == 0
    gb.render(clips, tmp_path / "b.svg", poses=1)
    a, b = (re.sub(r"<dc:date>.*?</dc:date>", "", (tmp_path / f"{name}.svg").read_text()) for name in "ab")
    assert len(a) == len(b)


def test_every_public_name_is_there_and_documented() -> None:
    text = (REPOSITORY / "docs" / "api.md").read_text()
    listed = set(re.findall(r"^\.\. auto(?:function|class):: gambol\.(\w+)$", text, flags=re.MULTILINE))
    aliases = set(re.findall(r"^\| `gambol\.(\w+)` \|", text, flags=re.MULTILINE))
    assert listed | aliases == set(gb.__all__) - {"__version__", "samples"}
    assert "automodule:: gambol.io.samples" in text
    for name in set(gb.__all__) - aliases:
        assert getattr(gb, name).__doc__ or name == "__version__"


PLAIN = {
    "Any", "ArrayLike", "Callable", "Literal", "Mapping", "None", "Path", "PathLike", "Sequence", "bool", "dict",
    "float", "frozenset", "int", "list", "object", "slice", "str", "tuple",
}  # fmt: skip
"""Types of Python and NumPy that public signatures use."""
MADE = [
    gb.Action, gb.AugmentPlan, gb.Axis, gb.BodyPoint, gb.Change, gb.Contact, gb.Contacts, gb.Edit, gb.Ensemble,
    gb.FamilyPlan, gb.Floor, gb.Foothold, gb.Learned, gb.LiveReference, gb.Load, gb.Motion, gb.MotionFormat, gb.Move,
    gb.NearUnactuated, gb.Person, gb.Platform, gb.Push, gb.PushTask, gb.ReferenceVariation, gb.Replan, gb.Result,
    gb.Rig, gb.Shot, gb.Skeleton, gb.World,
]  # fmt: skip
"""Classes that users make objects of; of results, models and spaces they are given some."""


@pytest.mark.parametrize("called", [*(getattr(gb, name) for name in FUNCTIONS), *MADE], ids=lambda one: one.__name__)
def test_public_signatures_use_public_types(called: Callable[..., object]) -> None:
    signature = inspect.signature(called)
    given = [one.annotation for one in signature.parameters.values()]
    given += [] if signature.return_annotation is signature.empty else [signature.return_annotation]
    words = " ".join(getattr(one, "__forward_arg__", getattr(one, "__name__", str(one))) for one in given)
    used = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"(['\"]).*?\1", "", words)))
    assert used <= PLAIN | set(gb.__all__)


HELD = {
    "Actuation", "BlockRow", "Body", "BodyParts", "BodyPlace", "Cast", "Certificate", "Comparison", "Condition",
    "Course", "DanceAct", "DataGate", "Deformer", "EditableClip", "EndlessClip", "Example", "Fitted", "Foot",
    "FootSupport", "ForcePlate", "JoinedMotion", "Kernel", "Layout", "LearnedStyle", "MarchAct", "NormalWalk",
    "Performance", "PersonRows", "Physics", "PlantedStance", "PoseDecoder", "Prototypes", "PushForm", "PushMap",
    "ReachSolution", "RecentFrames", "ReferenceMotion", "Repair", "ResponseModel", "RobotDescription", "Run",
    "SegmentShares", "SolvedEdit", "SolvedSketch", "SourceMaps", "SupportSpec", "Take", "Triplets", "WalkAct",
    "WalkModel", "WalkingSettings", "WantedPose",
}  # fmt: skip
"""Types that users are given as parts of results, models and files, and neither make nor name; no others may come."""
NUMPY = {"NDArray", "bool_", "intp", "np", "str_", "uint32"}


def _list_field_types(kind: type) -> Iterator[str]:
    """Yield the names of types of public fields and properties of a class, also of inherited ones."""
    for one in (one for one in kind.__mro__ if one.__module__.startswith("gambol")):
        given = dict(inspect.get_annotations(one))
        for name, value in vars(one).items():
            if isinstance(value, property | cached_property):
                read = value.fget if isinstance(value, property) else value.func
                given[name] = inspect.get_annotations(read).get("return", "None")
        for type_ in (type_ for name, type_ in given.items() if not name.startswith("_")):
            text = getattr(type_, "__forward_arg__", str(type_))
            yield from re.findall(r"[A-Za-z_]\w*", re.sub(r"(['\"]).*?\1", "", text))


def test_fields_of_public_classes_have_public_types() -> None:
    classes = [kind for name in gb.__all__ if inspect.isclass(kind := getattr(gb, name))]
    used = {name for kind in classes for name in _list_field_types(kind)} - PLAIN - NUMPY
    assert used - set(gb.__all__) == HELD


WITHOUT_FUNCTION = {"info", "demo", "convert", "rig", "poses add", "poses list", "push-stream", "retarget-stream"}
"""Commands about files, and endless ones; `interaction stream` and `live` beside them."""


def test_every_command_has_the_function_of_its_name() -> None:
    tree = typer.main.get_command(app)
    commands = []
    for name, command in tree.commands.items():
        commands += [f"{name} {sub}" for sub in getattr(command, "commands", ())] or [name]
    assert "family play" in commands
    for command in set(commands) - WITHOUT_FUNCTION - {"interaction stream", "interaction live"}:
        group, _, verb = command.replace("-", "_").partition(" ")
        names = {f"{verb}_{group}", f"{verb}_{group}s", verb} if verb and verb != "make" else {group, f"find_{group}"}
        assert names & set(FUNCTIONS), command


UNITS = (
    "_s", "_m", "_cm", "_mm", "_deg", "_rad", "_n", "_nm", "_percent", "_ratio", "_share", "_legs", "_body_weights",
    "_m_s", "_m_s2", "_m_s3", "_kg_m2_s", "_w_per_kg", "_nm_per_kg", "cost",
)  # fmt: skip
COUNTED = ("agents", "blocks", "clips", "count", "examples", "exchanges", "falls", "frames", "iterations", "members",
    "models", "numbers", "pushes", "steps", "styles", "trials")  # fmt: skip


def check_units(result: Result) -> None:
    """Names of figures end in their unit, or in what is counted."""
    assert not [name for name in result.figures if not name.endswith((*UNITS, *COUNTED))]


def test_verbs_survive_an_import_of_every_room() -> None:
    """A room must not take the name of a verb: importing gambol.x would then hide the function gambol.x."""
    code = (
        "import gambol, pkgutil\n"
        "names = [m.name for m in pkgutil.iter_modules(gambol.__path__)]\n"
        "print(*(set(names) & set(gambol.__all__)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_result_shows_itself_in_a_notebook() -> None:
    shown = gb.loop("walk")._repr_html_()
    assert shown.startswith("<iframe")
    assert "srcdoc=" in shown
    assert len(shown) > 100_000


def test_a_result_of_several_motions_names_them_all() -> None:
    result = Result(motions=gb.Ensemble((gb.load("walk"), gb.load("jump"))), figures={"x_m": 1.0})
    with pytest.raises(gb.InputError, match=r"use \.motions"):
        _ = result.motion
    assert "walk, jump" in repr(result)
    assert [m["name"] for m in result.facts()["motions"]] == ["walk", "jump"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_verbs_do_what_they_show(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every verb has one; what takes minutes or needs files is not run, but calls what there is."""
    monkeypatch.chdir(tmp_path)
    (examples,) = doctest.DocTestFinder(recurse=False).find(getattr(gb, name), name, globs={"gb": gb})
    assert 1 <= len(examples.examples) <= 4
    said: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(examples, out=said.append).failed == 0, "".join(said)
    for example in examples.examples:
        for call in (node for node in ast.walk(ast.parse(example.source)) if isinstance(node, ast.Call)):
            owner = getattr(call.func, "value", None)
            if isinstance(owner, ast.Name) and owner.id == "gb":
                used = getattr(gb, call.func.attr)  # type: ignore[attr-defined]
                inspect.signature(used).bind(*call.args, **{str(word.arg): word.value for word in call.keywords})


def test_help_shows_how_progress_is_reported_as_a_word() -> None:
    reporting = [name for name in FUNCTIONS if "progress" in inspect.signature(getattr(gb, name)).parameters]
    assert len(reporting) > 10
    for name in reporting:
        shown = pydoc.plain(pydoc.render_doc(getattr(gb, name)))
        assert "progress: 'Progress' = silent" in shown or "progress: Progress = silent" in shown
        assert " at 0x" not in shown
    assert gb.push.__kwdefaults__["progress"]("anything", 1, None) is None
    assert pickle.loads(pickle.dumps(gb.push.__kwdefaults__["progress"]))("anything", 1, None) is None


def _find_data(value: object, found: dict[type, str]) -> None:
    """Collect what `repr` returns for data of gambol, and for what their fields and properties hold."""
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        for one in value[:3]:
            _find_data(one, found)
    if not type(value).__module__.startswith("gambol") or type(value) in found:
        return
    found[type(value)] = repr(value)
    shown = [name for name in dir(type(value)) if isinstance(getattr(type(value), name), property)]
    named = [field.name for field in fields(value)] if is_dataclass(value) else []
    for name in (*named, *shown):
        if not name.startswith("_"):
            with contextlib.suppress(gb.GambolError):
                _find_data(getattr(value, name), found)


def test_data_are_shown_in_a_line() -> None:
    pushed = gb.push(gb.load("walk")[:80], [gb.Push("head", (0.0, 60.0, 0.0), 0.5)])
    scene = gb.Ensemble((gb.load("walk"), gb.load("jump")))
    character = pushed.response.fitted.character
    start = (gb.check("walk"), pushed, gb.join("jump", "walk"), scene, character, gb.ReferenceVariation(slope=5.0))
    found: dict[type, str] = {}
    for value in (*start, gb.Shot(), gb.Load("head", 3.0), gb.Platform((1.0, 0.0, 0.0), 1.0, 0.2)):
        _find_data(value, found)
    assert len(found) > 25
    for kind, shown in found.items():
        assert shown.startswith(f"{kind.__name__}("), shown
        assert len(shown) <= 120, shown
        assert shown.isprintable(), shown
    assert found[gb.Motion] == "Motion('walk', 257 frames, 4.27 s, MotionBuilder)"
    assert found[gb.ReferenceVariation] == "ReferenceVariation(slope=5)"


def test_motions_show_themselves_in_a_notebook() -> None:
    walk = gb.load("walk")[:20]
    for shown in (walk._repr_html_(), gb.Ensemble((walk, walk))._repr_html_()):
        assert shown.startswith("<iframe")
        assert len(shown) > 100_000
