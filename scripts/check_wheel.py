"""Check a built wheel: it holds every file of the package, and works in an environment where only it provides gambol.

The dependencies come from the environment that runs this script, so that nothing is downloaded.

Usage: python scripts/check_wheel.py dist/gambol-0.1.0-py3-none-any.whl
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

SOURCE = Path(__file__).resolve().parent.parent / "src"
# Commands that read the package data, with a word that their output must contain.
COMMANDS = {"info walk": "frames", "sketch --list": "broad_jump", "edit --list": "spin", "crowd --list": "parade"}
# Gambol comes from the wheel, its version is that of the metadata, and package data can be read.
PROBE = """
import importlib.metadata, sys
from importlib.resources import files
import gambol
assert gambol.__file__.startswith(sys.prefix), f"gambol is imported from {gambol.__file__}, not from the wheel"
assert gambol.__version__ == importlib.metadata.version("gambol"), gambol.__version__
assert files("gambol").joinpath("py.typed").is_file(), "py.typed is missing"
assert gambol.samples.walk().duration > 1.0
print(gambol.__version__)
"""


def main(wheel: Path) -> None:
    check_files(wheel)
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        install(wheel, environment)
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        run = partial(subprocess.run, cwd=folder, env=clean, check=True, stdout=subprocess.PIPE, text=True)
        version = run([environment / "bin/python", "-c", PROBE]).stdout
        for words, expected in {"--version": version.strip(), **COMMANDS}.items():
            output = run([environment / "bin/gambol", *words.split()]).stdout
            if expected not in output:
                raise SystemExit(f"expected '{expected}' in the output of: gambol {words}\n{output}")
    print(f"{wheel.name}: complete, and works without the sources")


def check_files(wheel: Path) -> None:
    """The wheel holds exactly the files of the source tree."""
    paths = (path for path in (SOURCE / "gambol").rglob("*") if path.is_file() and path.suffix != ".pyc")
    source = {path.relative_to(SOURCE).as_posix() for path in paths}
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("gambol/")}
    if source != packed:
        raise SystemExit(
            f"missing from {wheel.name}: {source - packed or 'none'}; unexpected: {packed - source or 'none'}"
        )


def install(wheel: Path, environment: Path) -> None:
    """Make an environment with the wheel; its other packages are those of the running environment.

    The environment's own packages precede the others on the path, so the editable gambol is never imported.
    """
    venv.create(environment, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", environment]
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(environment)})
    others = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    Path(packages, "others.pth").write_text(others)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
