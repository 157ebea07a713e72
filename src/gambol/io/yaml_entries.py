"""YAML whose every value knows its line, for files in which an error should say where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.errors import InputError, suggest
from gambol.io.yamls import abbreviate, check_choice, check_flag, check_number, read_yaml_nodes


@dataclass(frozen=True, eq=False)
class YamlEntry:
    """A value of a YAML file, or of the same content made in Python."""

    value: Any
    what: str
    """What it is called in errors."""
    file: Path | None = None
    line: int | None = None
    _parts: dict[Any, YamlEntry] | None = None

    def error(self, problem: str, fix: str | None = None) -> InputError:
        """Return an error that says where the value is."""
        return InputError(problem, file=self.file, line=self.line, fix=fix)

    def read_mapping(self, allowed: tuple[str, ...] | None = None) -> dict[str, YamlEntry]:
        """Return the entries of a mapping; a key that is not allowed is an error that names the nearest one."""
        if not isinstance(self.value, dict) or not all(isinstance(key, str) for key in self.value):
            raise self.error(f"{self.what} must be a mapping of names to values, got {abbreviate(self.value)}")
        found = {key: self._part(key, key) for key in self.value}
        unknown = next((key for key in found if allowed is not None and key not in allowed), None)
        if unknown is not None and allowed is not None:
            fix = suggest(unknown, allowed, f"keys: {', '.join(allowed)}")
            raise found[unknown].error(f"{self.what} has no key {abbreviate(unknown)}", fix)
        return found

    def read_list(self, least: int = 0) -> list[YamlEntry]:
        """Return the entries of a list."""
        if not isinstance(self.value, list) or len(self.value) < least:
            raise self.error(f"'{self.what}' must be a list of {least} or more, got {abbreviate(self.value)}")
        return [self._part(n, self.what) for n in range(len(self.value))]

    def read_number(self, most: float = 100.0, least: float | None = None) -> float:
        """Return a finite number."""
        number = self._check(check_number, self.value, self.what, most)
        if least is not None and number < least:
            raise self.error(f"'{self.what}' must be at least {least:g}, got {abbreviate(self.value)}")
        return float(number)

    def read_flag(self) -> bool:
        """Return true or false."""
        return bool(self._check(check_flag, self.value, self.what))

    def read_choice(self, options: tuple[str, ...]) -> str:
        """Return one of some words."""
        return str(self._check(check_choice, self.value, self.what, options))

    def read_text(self) -> str:
        """Return words."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.error(f"'{self.what}' must be words, got {abbreviate(self.value)}")
        return self.value

    def _part(self, key: Any, what: str) -> YamlEntry:
        if self._parts is not None and key in self._parts:
            return self._parts[key]
        return YamlEntry(self.value[key], what, self.file, self.line)

    def _check(self, check: Any, *given: Any) -> Any:
        try:
            return check(*given)
        except InputError as error:
            raise self.error(error.problem, error.fix) from None


def read_yaml_entry(path: Path, what: str) -> YamlEntry:
    """Read a YAML file as an entry with lines."""
    return _make_entry(*read_yaml_nodes(path), what, path)


def _make_entry(value: Any, node: Any, what: str, path: Path) -> YamlEntry:
    import yaml

    line = None if node is None else node.start_mark.line + 1
    parts: dict[Any, YamlEntry] = {}
    for key, child, begun in _list_children(value, node):
        made = _make_entry(value[key], child, str(key) if isinstance(value, dict) else what, path)
        parts[key] = YamlEntry(made.value, made.what, path, begun, made._parts)
    known = isinstance(node, yaml.MappingNode | yaml.SequenceNode)
    return YamlEntry(value, what, path, line, parts if known else None)


def _list_children(value: Any, node: Any) -> Iterator[tuple[Any, Any, int]]:
    """Yield keys, nodes and lines of the parts of a mapping or a list."""
    import yaml

    if isinstance(node, yaml.MappingNode) and isinstance(value, dict):
        for key, (word, child) in zip(value, node.value, strict=False):
            yield key, child, word.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(value, list):
        for number, child in enumerate(node.value):
            yield number, child, child.start_mark.line + 1
