"""Judge the files that verbs write: whether a viewer would accept them, whatever the other figures of a suite say.

Every suite uses its verb as a user would, saves the result, reads the file, and asks the judge, who knows nothing of
solvers. What a viewer sees in the clips that a result was made of is no fault of the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from gambol.clips.result import Result
from gambol.fit.load import load_all
from gambol.judge.judgement import Judgement, judge_all
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim

Cases = Mapping[str, Callable[[], Result]]
"""Results by name, made when they are asked for."""
_ACCEPTED, _SHARE = 1.5, 95.0
"""Severity up to which a viewer accepts a finding, and percent of the files that should be accepted."""
_TEXT = "written file: most severe fault that a viewer sees, in multiples of its limit"


def judge_written(cases: Cases) -> Iterator[Claim]:
    """Yield a claim for every result that can be judged, and one about the share that is accepted."""
    accepted = []
    for name, make in cases.items():
        try:
            result = make()
            found = judge_file(result)
        except Exception as error:
            accepted.append(False)
            why = f"{type(error).__name__}: {error}"
            yield Claim(f"seen-{name}", OUR_BAR, _TEXT, math.nan, "times", why, Band(high=_ACCEPTED))
            continue
        accepted.append(found.judged and found.accepted)
        worst = found.findings[0].severity if found.findings else 0.0
        said = "; ".join(found.worst) or "nothing is seen"
        yield Claim(
            f"seen-{name}", OUR_BAR, _TEXT, worst if found.judged else math.nan, "times", said, Band(high=_ACCEPTED),
            motion=result.motions,
        )  # fmt: skip
    share = 100.0 * sum(accepted) / len(accepted)
    text = "written files that a viewer accepts"
    yield Claim("seen-accepted", OUR_BAR, text, share, "%", f"{len(accepted)} files", Band(low=_SHARE))


def judge_file(result: Result) -> Judgement:
    """Save a result, read the file, and return what a viewer sees in it.

    A file of a robot does not say which link is which part: a robot is judged before it is saved.
    """
    with TemporaryDirectory() as folder:
        files = result.save(Path(folder) / ("scene.glb" if len(result.motions) > 1 else "motion.bvh"))
        found = judge_all(list(load_all(files[0])), result.sources, result.originals)
    return found if found.judged else result.judgement
