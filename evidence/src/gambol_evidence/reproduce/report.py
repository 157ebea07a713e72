"""The HTML report of a suite: claims with the same wording side by side, and pictures of the motions they are about."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from gambol.drawing import render
from gambol.drawing.page import build_page
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.claims import Claim, Evidence

_HEAD = "<tr><th></th><th>claim</th><th>measured</th><th>expected</th><th>data</th></tr>"
_POSES, _MOMENTS = 7, 4


def evidence_html(evidence: Evidence) -> str:
    """Return a self-contained page: the summary, regressions first, then the claims grouped by wording."""
    groups: dict[tuple[str, str], list[Claim]] = {}
    for claim in evidence.claims:
        groups.setdefault((claim.claim, claim.source), []).append(claim)
    facts, title = evidence.facts(), f"gambol reproduce {escape(evidence.name)}"
    about = f"{evidence.summary}. {facts['date']}, commit {facts['commit'] or 'unknown'}, {facts['machine']['system']}."
    parts = [f"<h1>{title}</h1><p>{escape(about)}</p>"]
    if evidence.regressions:
        parts.append(_section(evidence, "Fails and is not known to", "", evidence.regressions))
    parts += [_section(evidence, text, source, claims) for (text, source), claims in groups.items()]
    return build_page(title, "\n".join(parts))


def _section(evidence: Evidence, text: str, source: str, claims: list[Claim]) -> str:
    said = f'<p class="source">Source: {escape(source)}</p>' if source else ""
    table = f"<table>{_HEAD}{''.join(_row(evidence, claim) for claim in claims)}</table>"
    motions = {id(claim.motion): claim.motion for claim in claims if source and claim.motion is not None}
    return f"<section><h2>{escape(text)}</h2>{said}{table}{''.join(map(_picture, motions.values()))}</section>"


def _row(evidence: Evidence, claim: Claim) -> str:
    reasons = [reason for reason in (claim.by_construction, evidence.known.get(claim.id, "")) if reason]
    fails = claim.counted and not claim.holds
    mark = "nothing" if not claim.counted or not claim.computed else "outside" if fails else "inside"
    data = escape("; ".join((claim.data, *reasons)))
    return (
        f'<tr{" class=outside-row" if fails else ""}><td><span class="mark {mark}">{escape(claim.verdict)}</span></td>'
        f'<td class="name">{escape(claim.id)}</td><td class="value">{claim.measured:.4g} {escape(claim.unit)}</td>'
        f'<td class="name">{escape(str(claim.expected))}</td><td>{data}</td></tr>'
    )


def _picture(motion: Motion | Ensemble) -> str:
    """Return a strip of poses of a motion, or an ensemble at a few moments."""
    with TemporaryDirectory() as folder:
        moments = _MOMENTS if isinstance(motion, Ensemble) else None
        file = render(motion, Path(folder) / "picture.png", poses=_POSES, moments=moments)
        data = b64encode(file.read_bytes()).decode()
    name = escape(motion.name)
    return f'<figure><img src="data:image/png;base64,{data}" alt="{name}"><figcaption>{name}</figcaption></figure>'
