"""Check the built wheels: each holds every file of its package; they work where only they provide the packages.

The dependencies come from the environment that runs this script, so that nothing is downloaded.

Usage: python scripts/check_wheel.py dist
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from functools import partial
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = {"gambol": REPOSITORY / "src", "gambol_evidence": REPOSITORY / "evidence" / "src"}
# Commands that read the package data, with a word that their output must contain.
COMMANDS = {
    "info walk": "frames",
    "sketch --list": "broad_jump",
    "edit --list": "spin",
    "crowd --list": "parade",
    "reproduce --help": "ground-truth",
}
# Gambol comes from the wheel, its version is that of the metadata, and package data can be read.
PROBE = """
import importlib.metadata, sys
from importlib.resources import files
import gambol
import gambol_evidence
for package in (gambol, gambol_evidence):
    assert package.__file__.startswith(sys.prefix), f"{package.__file__} is not from the wheel"
assert gambol.__version__ == importlib.metadata.version("gambol"), gambol.__version__
assert gambol.__version__ == importlib.metadata.version("gambol-evidence"), gambol.__version__
assert files("gambol").joinpath("py.typed").is_file(), "py.typed is missing"
assert gambol.samples.walk().duration > 1.0
print(gambol.__version__)
"""


def main(folder: Path) -> None:
    wheels = {name: next(folder.glob(f"{name}-*.whl")) for name in SOURCES}
    for name, wheel in wheels.items():
        check_files(wheel, name)
    with tempfile.TemporaryDirectory() as desk:
        environment = Path(desk) / "environment"
        install(list(wheels.values()), environment)
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        run = partial(subprocess.run, cwd=desk, env=clean, check=True, stdout=subprocess.PIPE, text=True)
        version = run([environment / "bin/python", "-c", PROBE]).stdout
        for words, expected in {"--version": version.strip(), **COMMANDS}.items():
            output = run([environment / "bin/gambol", *words.split()]).stdout
            if expected not in output:
                raise SystemExit(f"expected '{expected}' in the output of: gambol {words}\n{output}")
    print(f"{', '.join(wheel.name for wheel in wheels.values())}: complete, and work without the sources")


def check_files(wheel: Path, name: str) -> None:
    """The wheel holds exactly the files of the source tree of a package."""
    paths = (path for path in (SOURCES[name] / name).rglob("*") if path.is_file() and path.suffix != ".pyc")
    source = {path.relative_to(SOURCES[name]).as_posix() for path in paths}
    packed = {each for each in zipfile.ZipFile(wheel).namelist() if each.startswith(f"{name}/")}
    if source != packed:
        raise SystemExit(
            f"missing from {wheel.name}: {source - packed or 'none'}; unexpected: {packed - source or 'none'}"
        )


def install(wheels: list[Path], environment: Path) -> None:
    """Make an environment with the wheels; its other packages are those of the running environment.

    The environment's own packages precede the others on the path, so the editable packages are never imported.
    """
    venv.create(environment, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", environment]
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", *wheels], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(environment)})
    others = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    Path(packages, "others.pth").write_text(others)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
