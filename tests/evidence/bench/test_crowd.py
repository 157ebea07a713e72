"""`gambol bench crowd` measures what it says, for few walkers here."""

from __future__ import annotations

from gambol_evidence.bench import crowd


def test_rows_of_few_walkers(monkeypatch) -> None:
    monkeypatch.setattr(crowd, "CROWD_SIZES", (4, 16, 36))
    monkeypatch.setattr(crowd, "_FRAMES", 4)
    monkeypatch.setattr(crowd, "_WARM", 1)
    rows = {row.id: row for row in crowd.run()}
    for name in ("march", "walkers"):
        for count in (4, 16, 36):
            whole, bodies = rows[f"{name}-{count}"], rows[f"{name}-{count}-bodies"]
            assert 0.0 < bodies.value < whole.value
        assert rows[f"{name}-growth"].value > 0.0
