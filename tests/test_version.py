"""The version is stated once in the package; the citation file repeats it."""

from __future__ import annotations

import yaml

from gambol.version import __version__
from tests.conftest import REPOSITORY


def test_the_citation_states_the_version() -> None:
    assert yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())["version"] == __version__
