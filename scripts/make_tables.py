"""Write the tables of the docs from measured figures (docs/results/*.json, written by `gambol reproduce` and `bench`).

A table stands between two comments; the first names the file of results and patterns of rows:

    <!-- results: near-unactuated k-*-peak unpushed -->
    <!-- end of results -->

`<!-- results: summary -->` is a table of all suites, `<!-- results: failures -->` one of the claims that fail, and
`<!-- results: headlines edit/*-fall!*-printed-* bench-io/bvh-* -->` one of ranges over rows of several files, without
those after an exclamation mark. `<!-- results: sentences`, followed by one sentence per line with a placeholder such
as {edit/*-fall} and by `-->`, is a table of these sentences with their figures. `<!-- results: torture -->` is a
table of damaged files, and `<!-- results: kills -->` one of stopped commands, by `make torture`.
"""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[1]
RESULTS = REPOSITORY / "docs" / "results"
BLOCK = re.compile(r"(<!-- results: (\S+)([^>]*?) ?-->\n).*?(<!-- end of results -->)", re.DOTALL)


def main() -> None:
    """Rewrite every page that has tables of results."""
    for page in find_pages():
        text = page.read_text(encoding="utf-8")
        if (filled := fill_tables(text)) != text:
            page.write_text(filled, encoding="utf-8")
            print(page.relative_to(REPOSITORY))


def find_pages() -> list[Path]:
    """Return the pages that may have tables of results."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


def fill_tables(text: str) -> str:
    """Return a page with its tables written anew."""
    return BLOCK.sub(lambda found: found[1] + make_table(found[2], found[3]) + found[4], text)


def make_table(name: str, words: str) -> str:
    """Return the rows of a file of results that match one of the patterns, in the order of the patterns."""
    if name == "sentences":
        return _SENTENCES + "".join(_sentence(line) for line in words.strip().splitlines())
    patterns = words.split()
    if name == "headlines":
        return _HEADLINES + "".join(_headline(*pattern.split("/", 1)) for pattern in patterns)
    if name in _OVERVIEWS:
        return _OVERVIEWS[name]([facts for file in sorted(RESULTS.glob("*.json")) if "claims" in (facts := read(file))])
    facts = read(RESULTS / f"{name}.json")
    if name in _TORTURE:
        return f"{_TORTURE[name](facts)}\n{describe(facts)}\n"
    chosen: list[dict[str, Any]] = []
    for pattern in patterns:
        chosen += [row for row in find_rows(facts, pattern) if row not in chosen]
    claims = "claims" in facts
    head = "| | claim | measured | expected | holds |\n|---|---|---|---|---|\n" if claims else _BENCH_HEAD
    lines = [(_claim_line if claims else _bench_line)(row) for row in chosen]
    return f"{head}{''.join(lines)}\n{describe(facts)}\n"


def find_rows(facts: dict[str, Any], pattern: str) -> list[dict[str, Any]]:
    """Return the rows of a file of results that match a pattern; there must be one."""
    wanted, _, unwanted = pattern.partition("!")
    rows = facts.get("claims") or facts["rows"]
    found = [row for row in rows if fnmatchcase(row["id"], wanted) and not fnmatchcase(row["id"], unwanted)]
    if not found:
        raise SystemExit(f"{facts['name']}.json has no row {pattern}")
    return found


def _headline(name: str, pattern: str) -> str:
    """Return a line for the claims of a file that match a pattern: what was measured, the range, and the command."""
    facts = read(RESULTS / f"{name}.json")
    rows = find_rows(facts, pattern)
    text = join_texts([row["claim"] for row in rows])
    return f"| {text} | {_range(rows)} | {_count_holding(rows)} | `gambol reproduce {facts['name']}` |\n"


def _sentence(line: str) -> str:
    """Return a line for a sentence: its figure in place of the placeholder, how many rows hold, and the command."""
    found = _PLACEHOLDER.search(line)
    if found is None:
        raise SystemExit(f"no figure in '{line}': name rows as {{suite/pattern}}")
    facts = read(RESULTS / f"{found[1]}.json")
    rows = find_rows(facts, found[2])
    claims = "claims" in facts
    text, hold = line.replace(found[0], f"**{_range(rows)}**"), _count_holding(rows) if claims else ""
    return f"| {text} | {hold} | `gambol {'reproduce' if claims else 'bench'} {facts['name']}` |\n"


def _range(rows: list[dict[str, Any]]) -> str:
    """Return the figures of claims, or the ratios of benchmarks, from the smallest to the largest."""
    figures = [(row["measured"], row["unit"]) if "claim" in row else (row["ratio"], "times") for row in rows]
    known = [value for value, _ in figures if value is not None]
    low, high = _figure(min(known), ""), _figure(max(known), figures[0][1])
    return high if min(known) == max(known) or high.startswith(f"{low} ") else f"{low} to {high}"


def _count_holding(rows: list[dict[str, Any]]) -> str:
    counted = [row["holds"] for row in rows if not row["by_construction"]]
    return f"{sum(counted)} of {len(counted)}" if counted else "not counted"


def join_texts(texts: list[str]) -> str:
    """Return what texts have in common at their beginning and end, with an ellipsis where they differ."""
    words = [text.split() for text in dict.fromkeys(texts)]
    first, shortest = words[0], min(map(len, words))
    begin = next((n for n in range(shortest) if len({one[n] for one in words}) > 1), shortest)
    room = range(shortest - begin)
    end = next((n for n in room if len({one[-1 - n] for one in words}) > 1), len(room))
    return " ".join(first if len(words) == 1 else (*first[:begin], "…", *first[len(first) - end :]))


def read(file: Path) -> dict[str, Any]:
    """Read a file of results."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def summarise(suites: list[dict[str, Any]]) -> str:
    """Return a table of how many claims of each suite hold."""
    lines = []
    for facts in suites:
        counted = [row for row in facts["claims"] if not row["by_construction"]]
        held = sum(row["holds"] for row in counted)
        figures = (f"{held} of {len(counted)}", len(facts["claims"]) - len(counted), facts["date"], facts["commit"])
        lines.append(f"| `gambol reproduce {facts['name']}` | {' | '.join(map(str, figures))} |\n")
    head = "| suite | hold | by construction, not counted | measured | commit |\n|---|---|---|---|---|\n"
    return f"{head}{''.join(lines)}"


def list_failures(suites: list[dict[str, Any]]) -> str:
    """Return a table of the claims that fail, each with the reason."""
    head = "| suite | claim | measured | expected | reason |\n|---|---|---|---|---|\n"
    lines = [
        f"| {facts['name']} | `{row['id']}`: {row['claim']} ({row['source']}) "
        f"| {_figure(row['measured'], row['unit'])} | {row['expected']} | {row['known_failure']} |\n"
        for facts in suites
        for row in facts["claims"]
        if not row["holds"] and not row["by_construction"]
    ]
    return f"{head}{''.join(lines)}"


def list_readers(facts: dict[str, Any]) -> str:
    """Return a table of what became of the damaged files of every reader."""
    columns = ("inputs", "read", "refused", "failed", "slowest", "megabytes")
    head = f"| reader | {' | '.join(columns)} |\n|---|{len(columns) * '---|'}\n"
    lines = [
        f"| `{row['id']}` | {' | '.join(_figure(row[column], '') for column in columns)} |\n" for row in facts["rows"]
    ]
    total = " | ".join(_figure(facts[column], "") for column in columns[:4])
    return f"{head}{''.join(lines)}| all | {total} | | |\n"


def list_commands(facts: dict[str, Any]) -> str:
    """Return a table of how the runs of every long command ended."""
    columns = ("command", "shows", "seconds to stop", "largest", "longest without an answer", "resumed after `kill -9`")
    lines = []
    for row in facts["rows"]:
        page = not row["longest"]
        resumed = f"yes, {row['kills_between']} of {row['kills']} kills with parts stored" if row["resumes"] else "no"
        figures = (
            "" if page else row["progress"],
            _figure(row["to_stop_median"], ""),
            _figure(row["to_stop_largest"], ""),
            "" if page else _figure(row["longest"], ""),
            "" if page else resumed,
        )
        lines.append(f"| `{row['id']}` | {' | '.join(figures)} |\n")
    return f"| {' | '.join(columns)} |\n|{len(columns) * '---|'}\n{''.join(lines)}"


_TORTURE = {"torture": list_readers, "kills": list_commands}
_PLACEHOLDER = re.compile(r"\{([\w-]+)/([^}]+)\}")
_SENTENCES = "| measured | hold | command |\n|---|---|---|\n"
_HEADLINES = "| claim | measured | hold | command |\n|---|---|---|---|\n"
_OVERVIEWS = {"summary": summarise, "failures": list_failures}
_BENCH_HEAD = "| | measured | peer | ratio |\n|---|---|---|---|\n"


def _claim_line(row: dict[str, Any]) -> str:
    holds = "by construction" if row["by_construction"] else "yes" if row["holds"] else "**no**"
    return (
        f"| `{row['id']}` | {row['claim']} | {_figure(row['measured'], row['unit'])} | {row['expected']} | {holds} |\n"
    )


def _bench_line(row: dict[str, Any]) -> str:
    peer = f"{row['peer']}: {_figure(row['peer_value'], row['unit'])}" if row["peer_value"] else row["note"]
    ratio = f"{row['ratio']:.3g}" if row["ratio"] else ""
    return f"| `{row['id']}` | {_figure(row['value'], row['unit'])} | {peer} | {ratio} |\n"


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "not computed"
    return f"{value:,.0f} {unit}".rstrip() if abs(value) >= 1000.0 else f"{value:.3g} {unit}".rstrip()


def describe(facts: dict[str, Any]) -> str:
    """Return a line that names command, date, commit and machine of a file of results."""
    machine, kind = facts["machine"], "reproduce" if "claims" in facts else "bench"
    command = "make torture" if facts["name"] in _TORTURE else f"gambol {kind} {facts['name']}"
    return (
        f"*`{command}`, {facts['date']}, commit {facts['commit'] or 'unknown'},\n"
        f"{machine['cores']} cores of {machine['processor']}, Python {machine['python']}.*"
    )


if __name__ == "__main__":
    main()
