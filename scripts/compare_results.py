"""Record what every command makes of built-in clips and recordings, and compare two such recordings.

python scripts/compare_results.py record FOLDER              every case as one .npz of arrays and figures
python scripts/compare_results.py compare FOLDER_A FOLDER_B  largest difference of each case; exit code 1 above 1e-6

A case is a command line; the files it writes are read back, so that the comparison sees what a user gets. Recordings
are taken from the folder GAMBOL_DATA (default: ../shared/data); without them, only the built-in clips are used.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in one order

import numpy as np
import yaml

import gambol as gb
from gambol.cli import main

TOLERANCE = 1e-6
DATA = Path(os.environ.get("GAMBOL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
ROBOT = DATA / "robots" / "jvrc1.urdf"
CUT = {"walk": ("walk", 0.8, 2.3), "jump": ("jump", 0.3, 1.6)}
RECORDINGS = {  # name: file, first and last second
    "hop": ("cmu_bvh/jump_hop_leap/13_11.bvh", 0.5, 3.0),
    "stairs": ("cmu_bvh/terrain_stairs/36_01.bvh", 1.0, 3.5),
    "cartwheel": ("cmu_bvh/acrobatics/49_06.bvh", 1.0, 3.0),
    "sit": ("floor_and_seats/13_01.bvh", 2.0, 4.5),
    "amc": ("cmu_asf_amc/35_01.amc", 0.0, 2.5),
    "plates": ("gait_grf/btk_c3d/Gait.c3d", 0.0, 2.5),
    "run": ("wild/bmc_run.trc", 0.0, 2.0),
    "model": ("gait_grf/opensim_rajagopal_walk_fullbody/coordinates.sto", 0.0, 2.0),
    "knight": ("wild/kaykit_knight.glb", 0.0, 2.0),
    "dance": ("wild/rokoko_dance.bvh", 1.0, 3.0),
    "zombie": ("wild/fair1_zombie.bvh", 0.0, 2.5),
}
PAIR = {"a": ("cmu_bvh/two_person/18_01.bvh", 0.0, 60.0), "b": ("cmu_bvh/two_person/19_01.bvh", 0.0, 60.0)}
FAMILY = {"fps": 20, "axes": [{"stage": "ground 2", "forward": [-0.3, 0.3], "count": 2}]}
SCENE = {
    "people": {
        "anna": {"clip": "walk", "steps": 2, "heading": 0},
        "ben": {"clip": "walk", "steps": 2, "heading": 0, "at": [0.0, -0.75], "delay": 0.2},
    },
    "conditions": [{"hold": ["anna right_hand", "ben left_hand"]}],
}
CROWD = {
    "walk": {
        "agents": [{"start": [0, 0], "goal": [5, 0]}, {"start": [5, 0.2], "goal": [0, 0]}],
        "poles": [[2, 0.8, 0.2]],
    },
    "seconds": 5,
}
MARCH = {"march": {"rows": 2, "columns": 2, "start": {"phases": 1.0}}, "seconds": 4}
SHOVE = "--body chest --force 0 150 0 --start 1.0"

# Words in braces are files: {clip} a cut clip, {case.npz} what another case wrote; {out} is where this case writes.
CASES = {
    "convert-bvh": "convert walk {out}.bvh",
    "convert-glb": "convert jump {out}.glb",
    "convert-physics": "convert walk {out}.csv --physics",
    "check-walk": "check walk",
    "check-jump": "check jump",
    "check-run": "check run",
    "fix-walk": "fix {walk} -o {out}.bvh",
    "fix-jump": "fix jump -o {out}.bvh",
    "contacts-walk": "edit walk --list-stages",
    "contacts-jump": "edit jump --list-stages",
    "edit-farther": "edit jump farther -o {out}.bvh --solve-fps 20",
    "edit-aside": "edit {walk} step_aside -o {out}.bvh --solve-fps 20",
    "edit-printed": "edit jump farther -o {out}.bvh --solve-fps 20 --printed",
    "sketch": "sketch side_jump -o {out}.bvh --fps 20",
    "sketch-bar": "sketch high_bar -o {out}.bvh --fps 20",
    "family": "family jump {family.yaml} -o {out}.npz --start 0.4 --end 1.6",
    "family-play": "family play {family.npz} --at 0.1 -o {out}.bvh",
    "join": "join jump jump -o {out}.bvh",
    "loop": "loop walk -o {out}.bvh --times 2",
    "retarget-rig": "retarget {walk} --to stand -o {out}.bvh",
    "push": f"push walk {SHOVE} -o {{out}}.bvh",
    "push-many": "push run --push 'head 80 0 0 at 0.4 for 0.2' --load left_hand=4 --free 6 -o {out}.bvh",
    "push-platform": "push stand --platform '2 0 0 at 0.3 for 0.2' -o {out}.bvh",
    "push-printed": f"push {{walk}} {SHOVE} --method as-printed -o {{out}}.bvh",
    "push-spacetime": f"push walk {SHOVE} --method replan -o {{out}}.bvh",
    "push-map": "push-map {walk} -o {out}.html --pushes 16 --body chest --body pelvis",
    "walker": "walker learn walk -o {out}.npz --phases 1 --directions 2",
    "push-gp": f"push walk {SHOVE} --method learned --model {{walker.npz}} --loop 3 -o {{out}}.bvh",
    "style": "style learn walk -o {out}.json --start 1.0 --end 2.2 --steps 1",
    "style-apply": "style apply {style.json} -o {out}.bvh",
    "compose": "compose {scene.yaml} -o {out}.bvh",
    "primitives": "primitives learn walk run -o {out}.npz --sources 3",
    "primitives-play": "primitives play {primitives.npz} --style walk --to run --seconds 3 -o {out}.bvh",
    "crowd": "crowd {crowd.yaml} -o {out}.bvh",
    "crowd-march": "crowd {march.yaml} -o {out}.bvh --certify",
    "reference": "retarget {walk} --to jvrc1 -o {out}.npz",
    "reference-jump": "retarget {jump} --to {robot} -o {out}.npz --fast",
    "reference-feasible": "retarget {walk} --to {robot} -o {out}.npz --fast --feasible",
    "check-reference": "check {reference.npz} --robot jvrc1",
    "augment": "augment {walk} --to {robot} -o {out} --members 2 --stairs 0.1:0.15 --turn -30:30 --fast",
    "humanoid": "humanoid walk --to 0.5 0 --log {out}.npz",
    "interaction": "interaction learn {a} {b} -o {out}.npz",
    "interaction-generate": "interaction generate {interaction.npz} -o {out}.bvh",
    "interaction-react": "interaction react {interaction.npz} --hand {hand.csv} -o {out}.bvh",
}
OF_RECORDINGS = {
    "check": "check {clip}",
    "fix": "fix {clip} -o {out}.bvh",
    "push": "push {clip} --body chest --force 0 60 0 --start 0.5 -o {out}.bvh",
    "contacts": "edit {clip} --list-stages",
    "reference": "retarget {clip} --to {robot} -o {out}.npz --fast",
}


def record(folder: Path) -> None:
    """Run every case and save what it writes to FOLDER/case.npz; an error is saved as its text."""
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    known = prepare(files)
    cases = dict(CASES)
    for name in RECORDINGS:
        if name in known:
            cases |= {f"{name}-{verb}": words.replace("{clip}", f"{{{name}}}") for verb, words in OF_RECORDINGS.items()}
    for case, words in cases.items():
        start = perf_counter()
        out = files / case / "out"
        out.parent.mkdir(exist_ok=True)
        try:
            found = run(words, known | {"out": out}, out.parent / "figures.json")
            for path in sorted(out.parent.rglob("*")):
                found |= {f"{path.relative_to(out.parent)}: {key}": value for key, value in read(path)}
            known |= {f"{case}{path.suffix}": path for path in out.parent.glob("out.*")}
        except Exception as error:  # the next case is of interest all the same
            found = {"error": np.array(f"{type(error).__name__}: {error}".replace(str(folder), "FOLDER"))}
        np.savez(folder / f"{case}.npz", **{key.replace("/", "|"): value for key, value in found.items()})
        print(f"{case:24}{perf_counter() - start:7.1f} s  {found.get('error', len(found))}", flush=True)


def prepare(files: Path) -> dict[str, Path]:
    """Write the cut clips and the files that cases need; return them by name."""
    known = {"robot": ROBOT}
    texts = {"family": FAMILY, "scene": SCENE, "crowd": CROWD, "march": MARCH}
    for name, entries in texts.items():
        known[f"{name}.yaml"] = files / f"{name}.yaml"
        known[f"{name}.yaml"].write_text(yaml.safe_dump(entries))
    hand = np.outer(np.sin(np.linspace(0.0, np.pi, 80)) ** 2, [-0.2, -0.2, 0.45]) + [0.7, 0.2, 0.8]
    known["hand.csv"] = files / "hand.csv"
    np.savetxt(known["hand.csv"], hand, delimiter=",")
    cut = CUT | RECORDINGS | PAIR if DATA.is_dir() else CUT
    for name, (file, start, end) in cut.items():
        clip = gb.load(DATA / file if "/" in file else file)
        known[name] = files / f"{name}.bvh"
        gb.save(clip[round(start / clip.frame_time) : round(end / clip.frame_time)], known[name], overwrite=True)
    return known


def run(words: str, known: dict[str, Path], figures: Path) -> dict[str, np.ndarray]:
    """Run a command line in this process; return its exit code."""
    filled = [
        str(known[word[1:].partition("}")[0]]) + word.partition("}")[2] if word.startswith("{") else word
        for word in shlex.split(words)
    ]
    sys.argv = ["gambol", *filled, "--json", str(figures), "--overwrite", "--quiet"]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    if code not in (0, 1):
        raise RuntimeError(said.getvalue().strip())
    return {"exit code": np.array(code)}


def read(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the numbers of a file that a command wrote, by name."""
    if path.suffix in (".bvh", ".glb"):
        for n, clip in enumerate(gb.load_all(path)):
            yield f"q {n}", clip.q
            yield f"frame time {n}", np.array(clip.frame_time)
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            yield from ((key, archive[key]) for key in archive.files if archive[key].dtype.kind in "biuf")
    elif path.suffix in (".json", ".yaml"):
        text = path.read_text()
        yield from leaves("", json.loads(text) if path.suffix == ".json" else yaml.safe_load(text))
    elif path.suffix == ".csv":
        yield "columns", np.genfromtxt(path, delimiter=",", skip_header=1)


def leaves(name: str, value: object) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the numbers within nested mappings and lists, by path; without the times that solvers took."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "seconds":
                yield from leaves(f"{name}.{key}", inner)
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from leaves(f"{name}.{n}", inner)
    elif isinstance(value, bool | int | float):
        yield name, np.array(float(value))


def difference(one: np.ndarray, two: np.ndarray) -> float:
    """Return the largest absolute difference; infinite where shapes, texts or missing values differ."""
    if one.shape != two.shape or one.dtype.kind == "U" or two.dtype.kind == "U":
        return 0.0 if np.array_equal(one, two) else np.inf
    if not one.size or np.array_equal(one, two, equal_nan=True):
        return 0.0
    apart = np.abs(one.astype(float) - two.astype(float))
    return float(np.nanmax(apart)) if np.array_equal(np.isnan(one), np.isnan(two)) else np.inf


def compare(first: Path, second: Path) -> int:
    """Print the largest difference of each case; return 1 if one is above the tolerance or a case is missing."""
    worst = 0.0
    for case in sorted({path.stem for folder in (first, second) for path in folder.glob("*.npz")}):
        try:
            one, two = (dict(np.load(folder / f"{case}.npz")) for folder in (first, second))
        except FileNotFoundError as error:
            print(f"{case:24} missing: {error.filename}")
            worst = np.inf
            continue
        found = {key: difference(one[key], two[key]) for key in one.keys() & two.keys()} or {"nothing in common": 0.0}
        renamed = [two[key] for key in two.keys() - one.keys()]
        for key in one.keys() - two.keys():
            found[key] = min((difference(one[key], value) for value in renamed), default=np.inf)
        key, largest = max(found.items(), key=lambda item: item[1])
        print(f"{case:24} {largest:9.1e}  {key if largest > TOLERANCE else ''}")
        worst = max(worst, largest)
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", folder]:
            record(Path(folder))
        case ["compare", one, two]:
            sys.exit(compare(Path(one), Path(two)))
        case _:
            sys.exit(__doc__)
