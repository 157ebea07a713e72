"""Provenance: the commit of a checkout, marked where files differ, and nothing outside one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gambol_evidence.provenance import describe_run, find_commit


def test_the_commit_is_marked_when_files_were_changed(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    assert find_commit(tmp_path) == ""
    git("init")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-m", "first")
    clean = find_commit(tmp_path)
    assert len(clean) == 12
    (tmp_path / "file").write_text("two")
    assert find_commit(tmp_path) == f"{clean}+"


def test_a_run_names_date_machine_and_versions() -> None:
    facts = describe_run()
    assert facts["machine"]["packages"]["numpy"]
    assert facts["machine"]["cores"] >= 1
    assert len(facts["date"].split("-")) == 3
