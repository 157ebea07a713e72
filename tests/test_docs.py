"""README, CONTRIBUTING and the docs: every block runs or is read, and what they name exists."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import numpy as np
import pytest
import typer
import yaml

import gambol as gb
from gambol.body.character import Character
from gambol.cli.app import app
from gambol.cli.push_specs import push_file
from gambol.composition import library as compositions
from gambol.composition.composition_file import parse_composition
from gambol.errors import InputError
from gambol.fit.contact_file import parse_contacts
from gambol.fit.load import find_files
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.learn.anechoic import choose_order
from gambol.motion.recording import Recording
from gambol.primitives.crowd import library as crowds
from gambol.primitives.crowd.scene import parse_scene
from gambol.spacetime import sketches
from gambol.spacetime.edits import library as edits
from gambol.spacetime.edits.edit import parse_edit
from gambol.spacetime.families import library as families
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.plan import parse_plan
from gambol.spacetime.sketch import parse_sketch
from gambol.styles.task import parse_task
from gambol_evidence.reproduce.judge.alarms import list_kinds
from tests.conftest import REPOSITORY
from tests.packages import make_package
from tests.primitives.learned import moving
from tests.robots.mjcf import HUMANOID

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
PROGRAMS = ("gambol", "make", "python", "pip", "source", "head")
"""What lines of a block without a language begin with."""
OTHERS = ("text", "bibtex", "{eval-rst}", "{toctree}", "{bibliography}")
"""Languages of blocks that are not run; Sphinx reads those in braces, with warnings as errors."""
FOLDERS = {
    "captured",
    "fixed",
    "clips",
    "references",
    "isaaclab",
    "recordings",
    "walks",
    "out",
    "styles",
    "FOLDER",
    "RECORDINGS",
}
ROBOTS = {"jvrc1", "g1", "talos"}
ASKING = {"--help", "--list", "--print"}
"""Options of commands that only print."""


def parse_jump_contacts(content: Any) -> object:
    """Read contacts of the built-in jump."""
    motion = samples.jump()
    return parse_contacts(content, fit(Character.from_motion(motion), motion))


PARSERS: Mapping[str, Callable[[Any], object]] = {
    "compose.md": lambda content: parse_composition({"people": content} if "anna" in content else content, "scene"),
    "crowd.md": lambda content: parse_scene(content, "scene"),
    "contacts.md": parse_jump_contacts,
    "edit.md": lambda content: parse_jump_contacts(content) if "flights" in content else parse_edit(content, "edit"),
    "family.md": lambda content: parse_plan(content, "plan"),
    "sketch.md": lambda content: parse_sketch(content, "sketch"),
    "style.md": parse_task,
}
"""What reads the YAML of a page."""
LONG = {
    "apply_style", "augment", "compare_styles", "compose", "crowd", "edit", "family", "fix", "generate_interaction",
    "join", "learn_interaction", "learn_primitives", "learn_style", "LiveReference", "load_recording",
    "play_family", "play_primitives", "reach_family", "react", "retarget", "sketch", "view", "walk_humanoid",
}  # fmt: skip
"""Verbs that take seconds, or recordings: the docs call stand-ins of the same signature, and examples/ the verbs."""


class Block(NamedTuple):
    """A block of code of a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


@cache
def list_blocks() -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text()
        for match in re.finditer(r"^```(.*)\n((?:(?!```).*\n)*)```$", text, re.MULTILINE):
            found.append(Block(page, text[: match.start()].count("\n") + 1, match[1].strip(), match[2]))
        assert text.count("\n```") + text.startswith("```") == 2 * sum(block.page == page for block in found), page.name
    return found


def choose(language: str) -> list[Block]:
    return [block for block in list_blocks() if block.language == language]


def list_commands(block: Block) -> Iterator[list[str]]:
    """Return the words of each command; in a session, after "$", other lines are output."""
    session = block.text.startswith("$ ")
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.strip() and (line.startswith("$ ") or not session):
            yield shlex.split(line.removeprefix("$ "), comments=True)


def list_spans() -> Iterator[tuple[Path, str]]:
    """Return code within the text of pages."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for match in re.finditer(r"`([^`\n]+)`", text):
            yield page, match[1]


def test_every_block_is_of_a_known_language() -> None:
    known = {"", "python", "yaml", "toml", *OTHERS}
    wrong = [b.place for b in list_blocks() if b.language not in known and not b.language.startswith("{literalinc")]
    assert not wrong
    wrong = [b.place for b in choose("") for words in list_commands(b) if words[0] not in PROGRAMS]
    assert not wrong, "a block without a language holds commands; mark others, such as output, as text"


def make_tree() -> Any:
    """Return all commands, also those of gambol-evidence."""
    tree: Any = typer.main.get_command(app)
    assert {"reproduce", "bench"} <= set(tree.list_commands(None))
    return tree


@pytest.fixture(scope="module")
def parse() -> Callable[[list[str]], dict[str, Any]]:
    """The command line as it parses; no command is run. Returns what the command would get."""
    tree, given = make_tree(), {}

    def stop(command: Any) -> None:
        inner = getattr(command, "commands", {})
        for one in inner.values():
            stop(one)
        if not inner:
            command.invoke = lambda context: given.update(context.params)

    stop(tree)

    def run(words: list[str]) -> dict[str, Any]:
        given.clear()
        tree.main(words, prog_name="gambol", standalone_mode=False)
        return dict(given)

    return run


def list_gambol_commands() -> list[tuple[str, list[str]]]:
    """Return place and words of each command, without redirection."""
    found = []
    for block in choose(""):
        for words in list_commands(block):
            if words[0] == "gambol":
                found.append((block.place, words[1 : words.index(">") if ">" in words else None]))
    return found


def test_commands_have_the_options_and_built_in_names_that_they_show(parse) -> None:
    libraries = (samples, compositions, crowds, edits, families, sketches)
    names = ROBOTS | FOLDERS | {name for library in libraries for name in library.names()}
    commands = list_gambol_commands()
    assert len(commands) > 150
    wrong = []
    for place, words in commands:
        try:
            given = {} if ASKING & set(words) else parse(words)
        except (typer.TyperException, InputError) as error:
            wrong.append(f"{place}: gambol {shlex.join(words)}: {error}")
            continue
        paths = [one for value in given.values() for one in (value if isinstance(value, list | tuple) else [value])]
        files = [path.as_posix() for path in paths if isinstance(path, Path)]
        unknown = [file for file in files if "." not in file and "=" not in file and file not in names | {"-"}]
        wrong += [f"{place}: there is no '{file}'" for file in unknown]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "words", [["edit", "jump", "spin", "-o", "a.bvh", "--never"], ["fly", "walk"], ["push", "walk", "--method", "x"]]
)
def test_commands_that_are_wrong_are_noticed(parse, words: list[str]) -> None:
    with pytest.raises((typer.TyperException, InputError)):
        parse(words)


def test_commands_in_the_text_exist() -> None:
    """`gambol push CLIP`: options may be missing, but there are none that do not exist."""
    tree, wrong = make_tree(), []
    spans = {(page.name, span) for page, span in list_spans() if re.match(r"gambol [a-z-]", span) and "…" not in span}
    assert len(spans) > 50
    for page, span in sorted(spans):
        command, words = tree, shlex.split(span)[1:]
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        if command in (tree, *tree.commands.values()) and getattr(command, "commands", {}):
            wrong += [f"{page}: {span}: no command {word}" for word in words[:1] if re.match("[a-z]", word)]
        options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
        wrong += [f"{page}: {span}: no {word}" for word in words if word.startswith("--") and word not in options]
    assert not wrong, "\n".join(wrong)


def test_commands_that_only_print_are_run(gambol) -> None:
    asked = [words for _, words in list_gambol_commands() if ASKING & set(words)]
    assert len(asked) > 5
    for words in asked:
        code, out, _ = gambol(*words)
        assert code == 0, words
        assert out


def test_make_targets_and_programs_exist() -> None:
    rules = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    projects = {"gambol": REPOSITORY / "pyproject.toml", "gambol-evidence": REPOSITORY / "evidence" / "pyproject.toml"}
    extras = {name: tomllib.loads(p.read_text())["project"]["optional-dependencies"] for name, p in projects.items()}
    commands = [(block.place, words) for block in choose("") for words in list_commands(block)]
    commands += [(page.name, span.split()) for page, span in list_spans() if span.startswith(("make ", "pip "))]
    wrong = []
    for place, (program, *words) in commands:
        if program == "make":
            wrong += [f"{place}: make {word}" for word in words if "=" not in word and word not in rules]
        if program == "python":
            wrong += [f"{place}: {word}" for word in words[:1] if not (REPOSITORY / word).is_file()]
        for name, named in re.findall(r"(gambol[\w-]*)\[([\w,]+)\]", " ".join(words)):
            wrong += [f"{place}: {name}[{extra}]" for extra in named.split(",") if extra not in extras[name]]
    assert not wrong


def test_files_and_names_in_the_text_exist() -> None:
    """Modules (`io/bvh/read.py`), dotted names (`gambol.solve.kernel`) and names of code (`as_motion`)."""
    packages = (REPOSITORY / "src" / "gambol", REPOSITORY / "evidence" / "src" / "gambol_evidence")
    source = "\n".join(path.read_text() for package in packages for path in package.rglob("*.py"))
    defined = set(re.findall(r"\w+", source))
    homes = (REPOSITORY, *packages, REPOSITORY / "docs")
    new = {"io/chain.py"}  # what the reader of docs/extend.md writes
    wrong = []
    for page, span in list_spans():
        for path in re.findall(r"^[\w./-]+/[\w./-]*\.(?:py|toml|txt|yaml|md)$|^[\w-]+\.py$", span):
            if path not in new and not any((home / path).exists() for home in homes):
                wrong.append(f"{page.name}: {path}")
        group = f'"{span}"' in source  # of entry points
        if re.fullmatch(r"gambol(_evidence)?(\.\w+)+", span) and not group and not has_name(span):
            wrong.append(f"{page.name}: {span}")
        if page.stem in ("extend", "design", "CONTRIBUTING", "glossary") and re.fullmatch(r"[\w.]+(\(.*\))?", span):
            names = re.findall(r"[A-Za-z_]\w*_\w+|[A-Z][a-z]+[A-Z]\w+", span.partition("(")[0])
            wrong += [f"{page.name}: {name}" for name in names if name not in defined]
    assert not wrong, "\n".join(wrong)


def has_name(dotted: str) -> bool:
    """Whether a module, or something in a module, has this name."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_every_finding_of_the_judge_is_in_one_row_of_the_docs() -> None:
    text = (REPOSITORY / "docs" / "check.md").read_text()
    section = text.partition("\n## Findings\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, flags=re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(list_kinds())


def test_included_lines_are_whole_statements() -> None:
    included = [block for block in list_blocks() if block.language.startswith("{literalinclude}")]
    assert included
    for block in included:
        lines = (block.page.parent / block.language.split()[1]).read_text().splitlines()
        if wanted := re.search(r":lines: (\d+)-(\d+)", block.text):
            lines = lines[int(wanted[1]) - 1 : int(wanted[2])]
            assert lines[0].strip(), block.place
        assert ast.parse("\n".join(lines)).body, block.place


@pytest.mark.parametrize("block", choose("yaml"), ids=lambda block: block.place)
def test_yaml_is_read(block: Block, tmp_path: Path) -> None:
    if block.page.name == "push.md":
        (tmp_path / "pushes.yaml").write_text(block.text)
        assert push_file(tmp_path / "pushes.yaml")
    else:
        assert PARSERS[block.page.name](yaml.safe_load(block.text))


def test_entry_points_are_read() -> None:
    for block in choose("toml"):
        groups = tomllib.loads(block.text)["project"]["entry-points"]
        assert all(re.fullmatch(r"gambol\.[a-z]+", group) for group in groups), block.place


def stand_in(verb: Callable[..., Any]) -> Callable[..., MagicMock]:
    """Return a function that takes what a verb takes, and returns something with the attributes of what it returns."""
    signature = inspect.signature(verb)
    kind = verb if isinstance(verb, type) else inspect.get_annotations(verb, eval_str=True)["return"]
    kind = getattr(kind, "__origin__", kind)
    kinds = kind.__mro__ if isinstance(kind, type) else (Recording,)
    names = {name for one in kinds for name in (*vars(one), *vars(one).get("__annotations__", ()))}

    def call(*words: Any, **options: Any) -> MagicMock:
        signature.bind(*words, **options)
        return MagicMock(spec=sorted(names))

    return call


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that pages read."""
    monkeypatch.chdir(tmp_path)
    for name in LONG:
        monkeypatch.setattr(gb, name, stand_in(getattr(gb, name)))
    monkeypatch.setattr("gambol.learn.anechoic.choose_order", stand_in(choose_order))
    models = {"jumps.npz": MagicMock(Family), "moving.npz": moving()}
    monkeypatch.setattr(gb, "load_model", models.__getitem__)
    save, short = gb.save, samples.walk()[:24]
    monkeypatch.setattr(gb, "save", lambda *what: None if isinstance(what[0], MagicMock) else save(*what))
    for name in ("walk.bvh", "clip.bvh", "crowd.glb"):
        gb.save(short, name)
    Path("rig.yaml").write_text("".join(f"{p}: {short.skeleton.names[j]}\n" for p, j in short.rig.parts.items()))
    np.savez("walk_gmr.npz", fps=np.array(60), root_pos=np.zeros((3, 3)))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({block.page for block in choose("python")}), ids=lambda page: page.name)
def test_python_runs(page: Path, desk: Path) -> None:
    """The blocks of a page in order, each after those before it."""
    names: dict[str, Any] = {}
    for block in choose("python"):
        if block.page == page:
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)


def test_stand_ins_notice_what_is_wrong() -> None:
    fix = stand_in(gb.fix)
    assert fix("walk").repair.change
    with pytest.raises(TypeError):
        fix("walk", never=True)
    assert not hasattr(fix("walk"), "never")


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """What docs/extend.md defines."""
    names: dict[str, Any] = {}
    for block in choose("python"):
        if block.page.name == "extend.md":
            exec(block.text, names)
    return names


def test_the_verb_of_the_docs_is_a_verb(written: dict[str, Any], tmp_path: Path) -> None:
    clip = samples.walk()[:30]
    result = written["reverse"](gb.save(clip, tmp_path / "walk.bvh")[0])
    np.testing.assert_allclose(result.motion.q, gb.load(tmp_path / "walk.bvh").q[::-1])
    assert result.figures["duration_s"] == pytest.approx(29 / 60)
    (saved,) = result.save(tmp_path / "back.bvh")
    np.testing.assert_allclose(gb.load(saved).placement.positions[0], clip.placement.positions[-1], atol=1e-5)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages as docs/extend.md makes them: their code, installed with their entry points."""
    entries: dict[str, dict[str, dict[str, str]]] = {}
    for block in choose("toml"):
        for group, names in tomllib.loads(block.text)["project"]["entry-points"].items():
            for name, value in names.items():
                module, _, attribute = value.partition(":")
                entries.setdefault(module, {}).setdefault(group, {})[name] = attribute
    blocks = [block.text for block in choose("python") if block.page.name == "extend.md"]
    code = {
        "my_package": "\n".join(blocks),
        "hopper_robots": next(text for text in blocks if "def find_hopper" in text),
    }
    for module in entries:
        make_package(tmp_path, monkeypatch, module.replace("_", "-"), entries[module], code[module])


@pytest.mark.usefixtures("packages")
def test_the_command_of_the_docs_is_listed_and_runs(gambol, tmp_path: Path) -> None:
    (clip,) = gb.save(samples.walk()[:30], tmp_path / "walk.bvh")
    code, out, _ = gambol("reverse", clip, "-o", tmp_path / "back.bvh")
    assert (code, out.split()) == (0, [str(tmp_path / "back.bvh")])
    np.testing.assert_allclose(gb.load(tmp_path / "back.bvh").q, gb.load(clip).q[::-1], atol=1e-6)
    assert "Play a clip backwards." in gambol("--help")[1]
    assert gambol("reverse", clip, "-o", tmp_path / "back.bvh")[0] == 2  # not replaced


@pytest.mark.usefixtures("packages")
def test_the_method_of_the_docs_answers_pushes(gambol, tmp_path: Path) -> None:
    from my_package import Timid

    hit = gb.Push("head", (0.0, 20.0, 0.0), 1.0, 0.2)
    found = gb.push("walk", [hit], method=Timid(times=3.0)).response
    own = gb.push("walk", [hit.scaled(3.0)]).response
    np.testing.assert_array_equal(found.poses, own.poses)
    words = ("push", "walk", "--body", "head", "--force", 0, 20, 0, "--method", "timid", "--times")
    code, _, said = gambol(*words, 3, "-o", tmp_path / "timid.bvh")
    assert (code, f"largest deviation {own.peak[0]:.1f} degrees" in said) == (0, True)
    code, _, said = gambol(*words, -1, "-o", tmp_path / "none.bvh")
    assert (code, "pushes cannot seem -1 times as strong; give more than 0" in said) == (2, True)
    assert "How much stronger pushes seem" in gambol("push", "--method", "timid", "--help")[1]


@pytest.mark.usefixtures("packages")
def test_the_format_of_the_docs_is_read_and_written(gambol, tmp_path: Path) -> None:
    """A chain of two bones of 0.4 m, the second frame swung by 10 and 5 degrees."""
    page = (REPOSITORY / "docs" / "extend.md").read_text()
    content = re.search(r"`(\{\"bones.*\})`", page)[1]
    path = tmp_path / "swing.chain"
    path.write_text(content)
    code, _, _ = gambol("convert", path, tmp_path / "again.chain")
    assert code == 0
    written = json.loads((tmp_path / "again.chain").read_text())
    np.testing.assert_allclose(written["degrees"], [[0.0, 0.0], [10.0, 5.0]], atol=1e-9)
    assert find_files([tmp_path]) == [tmp_path / "again.chain", path]
    places = gb.load(path).placement.positions
    turns = np.radians([10.0, 15.0])
    swung = np.cumsum(0.4 * np.stack([-np.sin(turns), 0.0 * turns, -np.cos(turns)], axis=1), axis=0)
    np.testing.assert_allclose(places[0], [[0.0, 0.0, 0.0], [0.0, 0.0, -0.4], [0.0, 0.0, -0.8]], atol=1e-12)
    np.testing.assert_allclose(places[1, 1:], swung, atol=1e-12)
    for damaged in (content[:-1], "[]", *(json.dumps(json.loads(content) | {k: []}) for k in json.loads(content))):
        path.write_text(damaged)
        with pytest.raises(InputError, match=r"swing\.chain: not a chain .*; write bones, degrees and fps"):
            gb.load(path)


@pytest.mark.slow
@pytest.mark.usefixtures("packages")
def test_the_robot_of_the_docs_follows_people_and_walks(gambol, tmp_path: Path) -> None:
    """Its robot file is beside the module, as the docs have it."""
    (tmp_path / "hopper-robots" / "hopper.yaml").write_text("robot: hopper.xml\n")
    (tmp_path / "hopper-robots" / "hopper.xml").write_text(HUMANOID)
    (clip,) = gb.save(samples.walk()[:60], tmp_path / "walk.bvh")
    code, _, said = gambol("retarget", clip, "--to", "hopper", "--fast", "-o", tmp_path / "walk.npz")
    assert code == 0, said
    with np.load(tmp_path / "walk.npz") as reference:
        assert "left_knee" in " ".join(reference["joint_names"])
    code, _, said = gambol("humanoid", "walk", "--robot", "hopper", "--to", 0.1, 0, "-o", tmp_path / "walked.bvh")
    assert code == 0, said
    assert "the robot fell" not in said
