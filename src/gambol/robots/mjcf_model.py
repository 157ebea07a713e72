"""Compile MJCF files in a process that can be stopped, within limits of time and memory.

MuJoCo's compiler does not answer signals, and a short file can ask it for hours of work or any amount of memory. So a
copy of this process runs it, which needs no second import of MuJoCo, and saves the model as a file.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gambol.errors import MAX_MESSAGE, InputError, MissingExtra

MOST_SECONDS = 120.0
"""Robots take less than a second, those with many large meshes some seconds."""
MOST_BYTES = 4 * 10**9
_WITHOUT_MESHES = "read without its meshes and textures, as some are missing"
_CHECK = "check its counts of copies, and the sizes of its meshes and height fields"


def compile_mjcf(path: Path) -> tuple[Any, tuple[str, ...]]:
    """Return MuJoCo's model of a file and notes; raise an InputError for one that cannot be compiled."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("reading MJCF", "robot") from None
    with tempfile.TemporaryDirectory() as folder:
        compiled = str(Path(folder) / "model.mjb")
        try:
            found = json.loads(_run_apart(lambda: json.dumps(_save_compiled(path, compiled))))
        except TimeoutError:
            raise InputError(f"compiling it takes longer than {MOST_SECONDS:g} s", file=path, fix=_CHECK) from None
        except EOFError:
            raise InputError("MuJoCo's compiler crashes on it", file=path, fix="check the MJCF") from None
        if "problem" in found:
            raise InputError(found["problem"], file=path, fix=found["fix"])
        return mujoco.MjModel.from_binary_path(compiled), tuple(found["notes"])


def _run_apart(task: Callable[[], str]) -> str:
    """Return what a function returns in a copy of this process; raise a TimeoutError, or an EOFError if it crashes."""
    ours, theirs = os.pipe()
    with warnings.catch_warnings(action="ignore"):  # of threads: the copy waits for none of them
        child = os.fork()
    if child == 0:
        _answer(task, theirs)
    os.close(theirs)
    try:
        if not select.select([ours], [], [], MOST_SECONDS)[0]:
            raise TimeoutError
        with open(ours, encoding="utf-8", closefd=False) as stream:
            answer = stream.read()
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not answer:
        raise EOFError
    return answer


def _answer(task: Callable[[], str], out: int) -> None:
    """Run a function within the limits and write what it returns; the process ends here."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other process, which ends this one
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = used + MOST_BYTES
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        os.write(out, task().encode())
    finally:
        os._exit(0)


def _save_compiled(path: Path, compiled: str) -> dict[str, Any]:
    """Write the compiled model; return notes, or what is wrong and how to fix it."""
    import mujoco

    mujoco.set_mju_user_warning(lambda _: None)  # which would else be written to a file in the current folder
    try:
        with warnings.catch_warnings(action="ignore"):
            spec = mujoco.MjSpec.from_file(str(path))
            for pair in spec.pairs:  # with the floor of a scene, which includes the robot
                spec.delete(pair)
            model, notes = _compile(spec)
            mujoco.mj_saveModel(model, compiled)
    except (ValueError, mujoco.FatalError) as error:
        return {"problem": f"cannot be read by MuJoCo: {str(error)[:MAX_MESSAGE]}", "fix": "check the MJCF"}
    except (RuntimeError, MemoryError):  # which is also what C++'s std::bad_alloc becomes
        return {"problem": f"compiling it needs more than {MOST_BYTES / 1e9:g} GB of memory", "fix": _CHECK}
    return {"notes": notes}


def _compile(spec: Any) -> tuple[Any, list[str]]:
    try:
        return spec.compile(), []
    except ValueError:
        _remove_meshes(spec)
        with suppress(ValueError):  # what was wrong at first is said
            return spec.compile(), [_WITHOUT_MESHES]
        raise


def _remove_meshes(spec: Any) -> None:
    """Remove what files are needed for from a model."""
    for geom in spec.geoms:
        if geom.meshname:
            spec.delete(geom)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for part in (*spec.meshes, *spec.textures):
        spec.delete(part)
