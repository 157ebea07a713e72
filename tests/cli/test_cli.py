"""The command line as a person meets it: outputs, one-line errors, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples, save
from gambol.io.bvh.write import format_bvh
from gambol.motion.motion import Origin
from gambol.motion.rig_names import BODY_PARTS
from tests.io.test_bvh import SMALL
from tests.motion.bodies import person, standing
from tests.waiting import LIMIT, wait_for


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    save(standing(person()), tmp_path / "stand.bvh")
    return tmp_path / "stand.bvh"


def test_start_up_imports_nothing_heavy() -> None:
    """`gambol --help` answers at once because numbers, browsers and extras are imported where they are used."""
    code = """
import sys, typer, gambol, gambol.cli.app
typer.main.get_command(gambol.cli.app.app).list_commands(None)
print(*sorted(m for m in sys.modules if '.' not in m))
"""
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    heavy = {"numpy", "scipy", "matplotlib", "viser", "casadi", "pinocchio", "sklearn", "pygltflib", "pxr", "av", "c3d"}
    assert not loaded & heavy


def test_help_and_version_of_the_installed_command(gambol) -> None:
    command = Path(sys.executable).parent / "gambol"
    shown = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    names = (
        "demo",
        "info",
        "check",
        "push",
        "push-map",
        "push-stream",
        "fix",
        "sketch",
        "poses",
        "convert",
        "loop",
        "retarget",
        "retarget-stream",
        "view",
        "render",
        "rig",
        "reproduce",
        "bench",
    )
    for name in names:
        assert name in shown
        code, text, _ = gambol(name, "--help")
        assert code == 0
        assert "Example: gambol" in text
    assert subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.strip() == "0.1.0"


def test_a_shell_completes_commands_options_choices_and_file_names(tmp_path: Path) -> None:
    """In bash, with the script that `--install-completion` writes; without candidates bash completes file names."""
    asked = {"pu": "push push-map push-stream", "push --me": "--method", "push --method re": "replan", "info wa": ""}
    lines = ["gambol --install-completion >&2", "source ~/.bashrc", "complete -p gambol"]
    for words in asked:
        lines += [f"COMP_WORDS=(gambol {words})", "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))", "_gambol_completion gambol"]
        lines += ['echo "${COMPREPLY[*]}"']
    folder = Path(sys.executable).parent
    env = os.environ | {"HOME": str(tmp_path), "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.splitlines() == ["complete -o default -F _gambol_completion gambol", *asked.values()]


@pytest.mark.parametrize(("shell", "answer"), [("zsh", """_arguments '*: :(("--scale":"""), ("fish", "--scale\t")])
def test_other_shells_ask_in_their_own_words(shell: str, answer: str) -> None:
    """What the scripts of zsh and fish ask when Tab is pressed, and what they are answered."""
    asked = {"_TYPER_COMPLETE_ARGS": "gambol info --sc", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    script, answered = (
        subprocess.run(
            [Path(sys.executable).parent / "gambol"],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"_GAMBOL_COMPLETE": f"{what}_{shell}"} | asked,
        ).stdout
        for what in ("source", "complete")
    )
    assert f"_GAMBOL_COMPLETE=complete_{shell}" in script
    assert answered.startswith(answer)


def test_info_tells_a_person_and_a_program(gambol, clip: Path) -> None:
    code, out, _ = gambol("info", clip)
    assert code == 0
    assert "centimetres" in out
    code, out, _ = gambol("info", clip, "--json", "-")
    facts = json.loads(out)[0]
    assert (code, facts["frames"], facts["unit_m"]) == (0, 40, 0.01)
    assert facts["rig"] == "gambol"


def test_info_on_no_person_explains_and_fails(gambol, tmp_path: Path) -> None:
    path = tmp_path / "worm.bvh"
    path.write_text(SMALL)
    code, out, err = gambol("info", path)
    assert code == 2
    assert "not recognised" in out
    assert err.startswith("gambol: worm.bvh: the rig is not recognised")
    assert "gambol rig" in err
    assert err.count("\n") == 1


def test_rig_writes_a_mapping_that_can_be_passed_back(gambol, tmp_path: Path) -> None:
    names = {part: f"b{n}" for n, part in enumerate(BODY_PARTS)}
    save(standing(person(names)), tmp_path / "odd.bvh")
    assert gambol("rig", tmp_path / "odd.bvh", "-o", tmp_path / "rig.yaml")[0] == 0
    text = (tmp_path / "rig.yaml").read_text()
    assert "\nhead:  # needed\n" in text
    (tmp_path / "rig.yaml").write_text("\n".join(f"{part}: {name}" for part, name in names.items()))
    code, out, _ = gambol("info", tmp_path / "odd.bvh", "--rig", tmp_path / "rig.yaml")
    assert code == 0
    assert "mapping file" in out


def test_convert_round_trip_and_refusal_to_overwrite(gambol, clip: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.glb"
    assert gambol("convert", clip, target)[0] == 0
    before = target.read_bytes()
    code, _, err = gambol("convert", clip, target)
    assert (code, target.read_bytes()) == (2, before)
    assert "--overwrite" in err
    assert gambol("convert", clip, target, "--overwrite")[0] == 0
    assert len(load(target)) == 40


def test_a_glb_keeps_its_own_character(gambol, clip: Path, tmp_path: Path) -> None:
    """The file's meshes and materials come back whole; only its animation is written anew."""
    import pygltflib

    first, second = tmp_path / "hero.glb", tmp_path / "again.glb"
    save(load(clip), first)
    hero = pygltflib.GLTF2().load(first)
    hero.materials[0].name = "the hero's own skin"
    hero.save(first)
    assert gambol("convert", first, second, "--fps", 30)[0] == 0
    assert pygltflib.GLTF2().load(second).materials[0].name == "the hero's own skin"
    assert load(second).frame_time == 1 / 30
    third = tmp_path / "third.glb"
    assert gambol("convert", second, third)[0] == 0
    assert third.stat().st_size == second.stat().st_size, "a file must not grow each time it is converted"


def test_a_walk_in_place_is_named_and_made_to_travel(gambol, tmp_path: Path) -> None:
    still, moving = tmp_path / "still.bvh", tmp_path / "moving.bvh"
    assert gambol("loop", "walk", "-o", still, "--in-place", "--times", "3")[0] == 0
    assert "in place: feet move back at 1." in gambol("info", still)[1]
    assert "was in place" in gambol("convert", still, moving, "--travel")[2]
    travels = [json.loads(gambol("info", file, "--json", "-")[1])[0]["travels_m"] for file in (still, moving)]
    assert travels[0] < 0.5
    assert travels[1] > 3.0
    assert "no effect" in gambol("convert", moving, tmp_path / "again.bvh", "--travel")[2]


def test_loop_and_retarget_write_clips(gambol, tmp_path: Path) -> None:
    save(samples.walk(), tmp_path / "walk.bvh")
    save(samples.stand(), tmp_path / "stand.bvh")
    code, _, err = gambol("loop", tmp_path / "walk.bvh", "-o", tmp_path / "cycle.bvh", "--times", 3)
    assert code == 0
    assert "64 frames" in err
    assert len(load(tmp_path / "cycle.bvh")) == 192
    words = ("retarget", tmp_path / "walk.bvh", "--to", tmp_path / "stand.bvh", "-o", tmp_path / "moved.bvh")
    assert gambol(*words)[0] == 0
    assert len(load(tmp_path / "moved.bvh")) == len(samples.walk())
    assert gambol(*words)[0] == 2


@pytest.mark.parametrize("suffix", [".png", ".gif", ".html"])
def test_physics_is_drawn_into_all_kinds_of_pictures(gambol, clip: Path, tmp_path: Path, suffix: str) -> None:
    plain, physics = tmp_path / f"plain{suffix}", tmp_path / f"physics{suffix}"
    assert gambol("render", clip, "-o", plain)[0] == 0
    assert gambol("render", clip, "-o", physics, "--physics")[0] == 0
    if suffix == ".html":
        assert physics.stat().st_size > plain.stat().st_size + 1000
        return
    greens = [_count_greens(path) for path in (plain, physics)]  # arrows of ground reaction forces
    assert greens[1] > greens[0] + 20


def _count_greens(path: Path) -> int:
    from PIL import Image

    red, green, blue = np.moveaxis(np.asarray(Image.open(path).convert("RGB"), dtype=int), -1, 0)
    return int(((green > red + 60) & (green > blue + 40)).sum())


def test_a_film_is_as_large_and_as_fast_as_asked_for(gambol, tmp_path: Path) -> None:
    import av

    film = tmp_path / "film.mp4"
    words = ("--size", "96x64", "--fps", "60", "--view", "front", "--clip-fps", "240", "--ghost", "walk", "--trails")
    assert gambol("render", "walk", "-o", film, *words)[0] == 0
    frames = len(samples.walk())
    with av.open(str(film)) as opened:
        assert opened.streams.video[0].average_rate == 60
        shown = [frame.to_ndarray(format="rgb24") for frame in opened.decode(video=0)]
    assert len(shown) == int((frames - 1) / 240 * 60) + 1
    assert shown[0].shape == (64, 96, 3)


def test_numbered_outputs_are_not_overwritten_either(gambol, clip: Path, tmp_path: Path) -> None:
    (tmp_path / "pair_2.bvh").write_text("mine")
    code, _, err = gambol("convert", clip, clip, tmp_path / "pair.bvh")
    assert code == 2
    assert "pair_2.bvh" in err
    assert (tmp_path / "pair_2.bvh").read_text() == "mine"
    assert not (tmp_path / "pair_1.bvh").exists()


def test_convert_takes_folders(gambol, clip: Path, tmp_path: Path) -> None:
    (tmp_path / "many" / "deep").mkdir(parents=True)
    for name in ("many/a.bvh", "many/deep/b.bvh"):
        (tmp_path / name).write_bytes(clip.read_bytes())
    code, out, _ = gambol("convert", tmp_path / "many", tmp_path / "out", "--to", "csv")
    assert code == 0
    assert sorted(str(p.relative_to(tmp_path)) for p in (tmp_path / "out").rglob("*.csv")) == [
        "out/a.csv",
        "out/deep/b.csv",
    ]
    assert len(out.splitlines()) == 2


def test_clips_of_one_name_do_not_replace_each_other(gambol, clip: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.bvh").write_bytes(clip.read_bytes())
    words = ("convert", tmp_path / "one", tmp_path / "two", tmp_path / "out", "--overwrite")
    code, _, err = gambol(*words)
    assert code == 2
    assert "two inputs" in err
    assert not (tmp_path / "out").exists()


def test_nothing_replaces_an_input_or_a_file_that_was_there(gambol, clip: Path, tmp_path: Path) -> None:
    before = clip.read_bytes()
    assert gambol("rig", clip, "-o", clip, "--overwrite")[0] == 2
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "walk.bvh").write_text("mine")
    assert gambol("demo", "-o", tmp_path / "demo")[0] == 2
    assert gambol("bench", "io", "--json", clip)[0] == 2
    assert clip.read_bytes() == before
    assert (tmp_path / "demo" / "walk.bvh").read_text() == "mine"


def test_a_mapping_decides_before_anything_else_is_found(gambol, tmp_path: Path) -> None:
    """Up, forward, unit and T-pose need the rig: a mapping must tell as much as names would."""
    names = {part: f"b{n}" for n, part in enumerate(BODY_PARTS)}
    motion = standing(person(names))
    turn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    slides = np.array([d.kind == "slide" for d in motion.skeleton.dofs])
    raw = replace(
        motion, skeleton=motion.skeleton.change_axes(turn, 100.0), q=np.where(slides, 100 * motion.q, motion.q)
    )
    (tmp_path / "odd.bvh").write_text(format_bvh(replace(raw, origin=Origin(format="bvh", unit=1.0, axes=np.eye(3)))))
    np.testing.assert_allclose(
        load(tmp_path / "odd.bvh", rig=names).placement.positions, motion.placement.positions, atol=1e-6
    )


def test_a_killed_film_leaves_nothing(clip: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from gambol.cli import main; main()", "render", str(clip), "--clip-fps", "0.1"]
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        job = subprocess.Popen([*command, "-o", str(tmp_path / "film.gif")], stderr=subprocess.PIPE)
        assert wait_for(lambda: any(tmp_path.glob(".film-*")))
        job.send_signal(number)
        assert job.wait(LIMIT) == code
        assert [p.name for p in tmp_path.iterdir()] == [clip.name]


def test_a_signal_that_a_library_swallows_is_raised_again(tmp_path: Path) -> None:
    """CasADi ignores what is raised while it converts arguments; clean-up is not disturbed."""
    program = tmp_path / "swallows.py"
    program.write_text(
        """
import time
import gambol.cli, gambol.cli.app

def app(**options):
    try:
        print("ready", flush=True)
        time.sleep(600)
    except BaseException:
        pass
    try:
        time.sleep(600)
    finally:
        time.sleep(1.2)
        print("cleaned up", flush=True)

gambol.cli.app.app = app
gambol.cli.main()
"""
    )
    endings = ((signal.SIGINT, 130), (signal.SIGTERM, 143))
    words = [sys.executable, program]
    jobs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in endings]
    for job, (number, _) in zip(jobs, endings, strict=True):
        assert job.stdout is not None
        assert job.stdout.readline() == "ready\n"
        job.send_signal(number)
    for job, (_, code) in zip(jobs, endings, strict=True):
        assert job.communicate(timeout=LIMIT)[0] == "cleaned up\n"
        assert job.returncode == code


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("info", "nowhere.bvh"), "no such file"),
        (("info",), "Missing argument"),
        (("fly", "x"), "No such command"),
        (("info", "{clip}", "--scale", "big"), "--scale"),
        (("info", "{clip}", "--fps", "-3"), "frames per second"),
        (("info", "{clip}", "--up", "q"), "--up"),
        (("info", "{folder}/void"), "no such file"),
        (("convert", "{clip}", "{folder}/x.docx"), "choose one of"),
        (("convert", "{clip}", "{folder}/x.fbx"), "write .glb, open it in Blender"),
        (("convert", "{clip}", "{folder}/no/x.glb"), "does not exist"),
        (("convert", "{clip}", "{clip}", "--overwrite"), "same file"),
        (("render", "{clip}", "-o", "{folder}/x.bmp"), r"choose \.png"),
        (("render", "{clip}", "-o", "{folder}/x.mp4", "--view", "moon"), "'side', 'front', 'back', 'top', 'orbit'"),
        (("render", "{clip}", "-o", "{folder}/x.mp4", "--size", "641x400"), "must be even; choose 642x400"),
        (("render", "{clip}", "-o", "{folder}/x.gif", "--fps", "60"), "1 to 50"),
        (("render", "{clip}", "-o", "{folder}/x.png", "--ghost", "{folder}/none.bvh"), r"none\.bvh"),
        (("push", "{clip}", "-o", "{folder}/x.bvh", "--view", "front"), "for pictures and films"),
        (("crowd", "march", "--certify", "--trails"), "for pictures and films"),
        (("bench", "moon"), "near-unactuated"),
        (("view", "{clip}", "--no-open", "--port", "70000"), "--port"),
        (("view", "{clip}", "--no-open", "--host", "1.2.3.4"), "cannot serve"),
        (("render", "{clip}", "--clip-fps", "0.01", "-o", "{folder}/x.gif"), "it would last 3900 s"),
        (("info", "{clip}", "--up", ""), "--up"),
        (("convert", "{clip}"), "Missing argument"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(gambol, clip: Path, tmp_path: Path, words, message: str) -> None:
    import re

    filled = [w.format(clip=clip, folder=tmp_path) for w in words]
    code, _, err = gambol(*filled)
    last = err.strip().splitlines()[-1]
    assert code == 2
    assert re.match(rf"gambol( {words[0]})?: ", last)
    assert re.search(message, last)
    assert "Traceback" not in err


def test_an_empty_folder_is_named(gambol, tmp_path: Path) -> None:
    code, _, err = gambol("info", tmp_path)
    assert code == 2
    assert "no motion in this folder" in err


def test_demo_leaves_files_that_open(gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gambol.cli.demo._find_activation", lambda: "my env/bin/activate")
    code, out, _ = gambol("demo", "-o", tmp_path / "demo")
    assert code == 0
    made = {p.name for p in (tmp_path / "demo").iterdir()}
    pushed = {"pushed.glb", "pushed.png", "pushed.html"}
    assert {"walk.bvh", "run.bvh", "jump.bvh", "walk.glb", "strip.png", "play.html"} | pushed == made
    assert "gambol push walk --live" in out
    assert all(str(tmp_path / "demo" / name) in out for name in made)
    assert out.splitlines()[-1].endswith("    source 'my env/bin/activate'")
    for name in ("walk.bvh", "walk.glb", "pushed.glb"):
        assert load(tmp_path / "demo" / name).rig is not None


@pytest.mark.parametrize(
    "words",
    [
        ("info", ""),
        ("push", "walk", "-o", ""),
        ("info", "no\x1b[31m\nsuch.bvh"),
        ("info", 5000 * "x"),
        ("info", "walk", "--fps", 5000 * "9\x07"),
    ],
)
def test_odd_words_are_refused_in_one_printable_line(gambol, words: tuple[str, ...]) -> None:
    code, _, err = gambol(*words)
    assert code == 2
    assert err.startswith(("gambol: ", "gambol info: "))
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    assert len(err) <= 301


@pytest.mark.parametrize(
    "words",
    [
        ("push-stream", "walk"),
        ("push-stream",),
        ("interaction", "stream", "model.npz"),
        ("retarget-stream", "walk", "--to", "jvrc1"),
    ],
)
def test_a_closed_standard_input_is_refused(gambol, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, _, err = gambol(*words)
    assert (code, err) == (2, "gambol: standard input is closed; send lines of JSON to it\n")


def test_closed_outputs_end_nothing(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "gambol", "info", "walk", "--json", tmp_path / "facts.json"]
    done = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *command], check=False)
    assert done.returncode == 0
    assert json.loads((tmp_path / "facts.json").read_text())[0]["frames"] == 257
