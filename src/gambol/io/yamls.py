"""YAML that says everything once: a key that is given twice is an error, not a change of mind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gambol.errors import InputError

_LARGEST = 1_000_000
"""Bytes: people write less."""


def read_yaml(path: Path) -> Any:
    """What a YAML file holds."""
    import yaml

    class Once(yaml.SafeLoader):
        """Refuses mappings that name a key twice."""

    def mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = [loader.construct_object(key, deep=True) for key, _ in node.value]
        twice = next((key for n, key in enumerate(seen) if key in seen[:n]), None)
        if twice is not None:
            raise InputError(f"'{twice}' is given twice", file=path, line=node.start_mark.line + 1)
        made: dict[Any, Any] = yaml.SafeLoader.construct_mapping(loader, node, deep)
        return made

    Once.add_constructor(
        yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, lambda loader, node: mapping(loader, node, True)
    )
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("is too large to have been written by hand", file=path)
        return yaml.load(path.read_text(encoding="utf-8"), Loader=Once)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or 'not text'}", file=path) from None
    except (yaml.YAMLError, RecursionError, TypeError) as error:
        raise InputError(f"not YAML: {' '.join(str(error).split())}", file=path) from None
