"""Give a captured or sketched character motion the physics it lacks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gambol.version import __version__

if TYPE_CHECKING:
    from gambol import respond as respond
    from gambol.body.character import Character as Character
    from gambol.errors import GambolError as GambolError
    from gambol.errors import InputError as InputError
    from gambol.io import load as load
    from gambol.io import load_all as load_all
    from gambol.io import load_recording as load_recording
    from gambol.io import samples as samples
    from gambol.io import save as save
    from gambol.motion.motion import Motion as Motion
    from gambol.motion.pushes import Load as Load
    from gambol.motion.pushes import Platform as Platform
    from gambol.motion.pushes import Push as Push
    from gambol.motion.skeleton import Skeleton as Skeleton

# Imported when first used, so that `import gambol` and `gambol --help` stay quick.
_HOMES = {
    "load": "gambol.io",
    "load_all": "gambol.io",
    "load_recording": "gambol.io",
    "save": "gambol.io",
    "samples": "gambol.io.samples",
    "Character": "gambol.body.character",
    "Motion": "gambol.motion.motion",
    "Push": "gambol.motion.pushes",
    "Load": "gambol.motion.pushes",
    "Platform": "gambol.motion.pushes",
    "respond": "gambol.respond",
    "Skeleton": "gambol.motion.skeleton",
    "GambolError": "gambol.errors",
    "InputError": "gambol.errors",
}
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gambol' has no attribute '{name}'")
    home = import_module(_HOMES[name])
    value = home if home.__name__.endswith(f".{name}") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
