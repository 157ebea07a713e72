"""Draw the pictures of README.md and docs: by commands of gambol, by examples, in a browser, or here."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from gambol.body.character import Character
from gambol.composition.verb import compose
from gambol.drawing.camera import Camera
from gambol.drawing.moments import save_moments
from gambol.drawing.strip import save_strip
from gambol.features.strides import find_strides
from gambol.fit.rig import as_clip, fit
from gambol.io import samples
from gambol.judge.judgement import judge
from gambol.motion.ensemble import Ensemble
from gambol.primitives.crowd import library as scenes
from gambol.primitives.crowd.gaits import BASE_WALK, make_walker_prototypes
from gambol.primitives.crowd.performance import CROWD_FPS, perform_scene
from gambol.primitives.crowd.scene import read_scene
from gambol.primitives.learning import learn_model
from gambol.primitives.player import Player, make_morph, play
from gambol.primitives.prototypes import prototypes_of
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.references.verb import make_reference
from gambol.spacetime import open_poses, read_sketch, sketches, solve_sketch
from gambol.spacetime.edits import library
from gambol.spacetime.edits.edit import read_edit
from gambol.spacetime.edits.parts import divide_clip
from gambol.spacetime.edits.solve_edit import solve_edit
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol.spacetime.join import join_motions
from gambol.styles.verb import apply_style, learn_style
from gambol_evidence.reproduce.judge.damages import flip_knee, pop_limb, push_arm_into_trunk, slide_stance

WIDTH, COLOURS = 900, 96
FOLDER = Path(__file__).parent.parent / "docs" / "img"
COMMANDS = {
    "strip.png": ["gambol render walk run jump -o strip.png"],
    "physics.png": ["gambol render walk jump -o physics.png --physics"],
    "push.png": [
        "gambol push walk --body chest --force -350 0 0 --start 1.7 -o pushed.bvh",
        "gambol render walk pushed.bvh -o push.png",
    ],
    "push.gif": [
        "gambol push walk --push 'chest -200 0 0 at 0.9 for 0.25' --push 'left_upper_arm 0 -160 0 at 2.4 for 0.25'"
        " -o push.gif --ghost walk --size 560x350 --film-fps 20"
    ],
    "fix.png": ["python examples/06_fix.py run", "mv demo/fix.png fix.png"],
    "steps.png": ["python examples/13_steps.py", "mv demo/steps.png steps.png"],
    "level_head.png": ["python examples/12_own_cost.py", "mv demo/level_head.png level_head.png"],
    "family.png": [
        "gambol family jump grid -o jumps.npz",
        "gambol family play jumps.npz --at 0.3 -0.2 -o farther.bvh",
        "gambol family play jumps.npz --at -0.3 0.2 -o nearer.bvh",
        "gambol render jump farther.bvh nearer.bvh -o family.png",
    ],
    "studio.png": ["gambol render jump -o studio.png --look studio --poses 5"],
    "robots.png": ["gambol retarget walk --to jvrc1 -o robots.png"],
    "humanoid.png": ["gambol humanoid walk --to 1.6 0 --drawer-height 0.95 -o humanoid.png"],
    "humanoid_g1.png": ["gambol humanoid walk --robot g1 --to 1.2 0.1 --drawer-height 0.75 -o humanoid_g1.png"],
    "compose_hand-in-hand.png": ["gambol compose hand-in-hand -o compose_hand-in-hand.png --view front"],
    "compose_carry.png": ["gambol compose carry -o compose_carry.png"],
    "interaction.png": [
        "gambol interaction learn $GAMBOL_DATA/cmu_bvh/two_person/18_01.bvh $GAMBOL_DATA/cmu_bvh/two_person/19_01.bvh"
        " -o shake.npz",
        "gambol interaction generate shake.npz -o pair.bvh",
        "gambol render pair_1.bvh pair_2.bvh -o interaction.png --moments 8",
    ],
    "walker.png": [
        "gambol walker learn walk --phases 4 -o walker.npz --picture walker_latents.png",
        "gambol push walk --body chest --force 0 150 0 --start 1.2 -o kept.bvh",
        "gambol push walk --body chest --force 0 150 0 --start 1.2 --method replan -o stepped.bvh",
        "gambol push walk --body chest --force 0 150 0 --start 1.2 --method learned --model walker.npz -o learned.bvh",
        "gambol render kept.bvh stepped.bvh learned.bvh -o walker.png --view front",
    ],
}
"""Commands that draw a picture into the folder where they run, some from recordings or a robot of another package."""
PAGES = {
    "view.png": ["gambol view walk"],
    "formats.png": ["gambol convert walk walk.glb", "gambol view walk walk.glb"],
    "live.png": ["gambol push walk --live"],
    "drive.png": [
        "gambol join jump jump -o jumps.bvh",
        "gambol family jumps.bvh steer -o jumps.npz",
        "gambol family drive jumps.npz --view",
    ],
}
"""Commands of which the last serves a page."""


def main() -> None:
    """Draw all pictures, or those named: files of COMMANDS and PAGES, or functions here, such as "crowd"."""
    every: dict[str, Callable[[], None]] = {
        name.removeprefix("draw_"): draw for name, draw in globals().items() if name.startswith("draw_")
    }
    for name in sys.argv[1:] or [*COMMANDS, *PAGES, *every]:
        if name in COMMANDS:
            run_commands(name)
        elif name in PAGES:
            take_page(name)
        else:
            every[name]()
        print(name, flush=True)


def run_commands(name: str) -> None:
    """Draw a picture by its commands, and those that they draw besides."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(FOLDER.parent.parent / "examples")
        for command in COMMANDS[name]:
            subprocess.run(shlex.split(os.path.expandvars(command)), cwd=folder, check=True)
        for picture in (*Path(folder).glob("*.png"), *Path(folder).glob("*.gif")):
            shutil.copy(picture, FOLDER)
            if picture.suffix == ".png":
                shrink(FOLDER / picture.name)


def take_page(name: str) -> None:
    """Take a picture of a page in a browser: of a push while the chest is pulled, of jumps after a press of "left"."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        *before, serving = PAGES[name]
        for command in before:
            subprocess.run(shlex.split(command), cwd=folder, check=True)
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--use-angle=swiftshader"])
        page = browser.new_page(viewport={"width": 1200, "height": 720})
        page.set_default_timeout(300_000)
        with serve(f"{serving} --no-open", folder) as address:
            page.goto(address)
            page.locator("canvas").last.wait_for()
            page.add_style_tag(content=".mantine-Notification-root { display: none }")  # "software rendering"
            page.wait_for_timeout(15_000)
            page.mouse.move(620, 280)
            page.mouse.wheel(0, -240)
            page.wait_for_timeout(5_000)
            if name == "live.png":
                page.mouse.down()
                page.mouse.move(780, 250, steps=5)
            if name == "drive.png":
                page.get_by_role("button", name="left", exact=True).dispatch_event("click")
            page.wait_for_timeout(1_500)
            page.screenshot(path=FOLDER / name)
        browser.close()
    shrink(FOLDER / name)


@contextmanager
def serve(command: str, folder: str) -> Iterator[str]:
    """Run a command that serves a page, and return the address that it prints."""
    running = subprocess.Popen(shlex.split(command), cwd=folder, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        yield running.stdout.readline().split()[0]
    finally:
        running.terminate()
        running.wait()


def draw_edits() -> None:
    """Draw the built-in jump, two of them joined, and the built-in walk, each above its edit."""
    (FOLDER / "edits").mkdir(parents=True, exist_ok=True)
    jump, walk = samples.jump(), samples.walk()
    clips = {"spins": join_motions(jump, jump).motion, "corner": walk, "step_aside": walk}
    for name in library.names():
        motion = clips.get(name, jump)
        found = solve_edit(divide_clip(fit(Character.from_motion(motion), motion)), read_edit(library.find(name)))
        if not found.outcome.solution.converged:
            print(f"{name}: no solution", flush=True)
            continue
        save_strip([motion, return_to_rig(found.draft, found.outcome.motion.q)], FOLDER / "edits" / f"{name}.png")
        shrink(FOLDER / "edits" / f"{name}.png")
        print(f"{name}: {found.summary}", flush=True)


def draw_style() -> None:
    """Draw the built-in walk, and other things done in its style."""
    style = learn_style("walk").style
    tasks = ({"slope": 8}, {"curve": 120}, {"load": {"right_hand": 6}}, {"lock": {"left_shank flexion": 5}})
    save_strip(
        [samples.walk(), *(apply_style(style, task, clip="walk").motion for task in tasks)], FOLDER / "style.png"
    )
    shrink(FOLDER / "style.png")


def draw_augment() -> None:
    """Draw a walk of a robot up stairs, uphill, and along a bend."""
    asked = (ReferenceVariation(stairs=0.12), ReferenceVariation(slope=8.0), ReferenceVariation(turn=60.0))
    motions = [make_reference("walk", "jvrc1", variation=variation).motion for variation in asked]
    save_strip(motions, FOLDER / "augment.png")
    shrink(FOLDER / "augment.png")


def draw_judge() -> None:
    """Draw what a viewer would not accept in a walk that is damaged on purpose."""
    damaged, random = samples.walk(), np.random.default_rng(8)
    for damage in (
        partial(slide_stance, seconds=0.2),
        partial(flip_knee, backward=True),
        push_arm_into_trunk,
        pop_limb,
    ):
        made = damage(damaged, random)
        assert made is not None
        damaged = made.motion
    save_strip([damaged], FOLDER / "judge.png", findings=[judge(damaged).findings])
    shrink(FOLDER / "judge.png")


def draw_compose() -> None:
    """Draw a tackle and a slip."""
    beside, across = (
        Camera.beside(np.array([1.0, 0.0, 0.0]), turn=0.2),
        Camera.beside(np.array([0.0, 1.0, 0.0]), turn=0.5),
    )
    for name, moments, begin, end, camera in (
        ("tackle", 8, 1.5, 2.2, beside),
        ("slip", 4, 0.6, 1.2, across),
    ):
        whole = compose(name).motions
        cut = (motion[round(begin / motion.frame_time) : round(end / motion.frame_time) + 1] for motion in whole)
        picture = FOLDER / f"compose_{name}.png"
        save_moments(Ensemble(tuple(cut)), picture, moments, camera)
        shrink(picture)


def draw_primitives() -> None:
    """Draw a morph from the built-in walk to the built-in run."""
    model = learn_model({"walk": [samples.walk()], "run": [samples.run()]})
    morph = play(Player(model), 5.0, make_morph(model, "walk", "run", 5.0))
    save_strip([morph], FOLDER / "primitives.png", poses=10)
    shrink(FOLDER / "primitives.png")


def draw_crowd() -> None:
    """Draw a march that synchronises, walkers among poles, and a couple that passes beneath the arms of another."""
    clip = samples.walk()
    prototypes = make_walker_prototypes(prototypes_of(clip, {BASE_WALK: find_strides(clip)}))
    for name, picture, seconds in (("march", "crowd.png", 12.0), ("poles", "poles.png", 8.0)):
        done = perform_scene(replace(read_scene(scenes.find(name)), seconds=seconds), prototypes)
        poles = np.zeros((0, 3)) if done.poles is None else done.poles
        save_moments(Ensemble(done.motions, name, poles=poles), FOLDER / picture, moments=2)
        shrink(FOLDER / picture)
    done = perform_scene(read_scene(scenes.find("bridge")), prototypes)
    passing = [motion[round(3.6 * CROWD_FPS) : round(4.5 * CROWD_FPS)] for motion in done.motions]
    front = Camera.beside(np.array([0.0, 1.0, 0.0]), raise_by=0.15)
    save_moments(Ensemble(tuple(passing)), FOLDER / "dance.png", moments=2, camera=front)
    shrink(FOLDER / "dance.png")


def draw_sketches() -> None:
    """Draw the rough motion of every sketch above the solved one."""
    (FOLDER / "sketches").mkdir(parents=True, exist_ok=True)
    for name in sketches.names():
        found = solve_sketch(read_sketch(sketches.find(name)), open_poses())
        clips = [as_clip(found.plan.rough.motion), as_clip(found.outcome.motion)]
        save_strip(clips, FOLDER / "sketches" / f"{name}.png")
        shrink(FOLDER / "sketches" / f"{name}.png")
        print(f"{name}: {found.summary}", flush=True)


def shrink(path: Path) -> None:
    """Reduce the size and the colours of a picture."""
    picture = Image.open(path).convert("RGB")
    small = picture.resize((WIDTH, round(WIDTH * picture.height / picture.width)), Image.Resampling.LANCZOS)
    small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1).save(path, optimize=True)


if __name__ == "__main__":
    main()
