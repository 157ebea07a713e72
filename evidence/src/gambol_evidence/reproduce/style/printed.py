"""Claims about nonlinear inverse optimisation as printed (L05 section 5.6.1), with stopped and converged solves."""

from __future__ import annotations

from collections.abc import Iterator

from gambol.metrics.figures import Band
from gambol.styles.learning import measure_moment
from gambol.styles.scene import generate_motion
from gambol_evidence.printed.inverse_optimisation import learn_printed
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.style.setting import StyleSetting

_NAME, _STEPS = "35_01", 4


def measure_printed(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    scene = setting.fit(_NAME)
    learned = learn_printed(scene, steps=_STEPS)
    converged = generate_motion(learned.clips[0].scene, learned.parameters)
    data = f"{_NAME}, {len(learned.moments) - 1} steps"
    for row, words, figure in (
        ("stopped", "solves stopped after 20 iterations", learned.moments[-1].error_deg),
        ("converged", "a solve to convergence", measure_moment(converged.q, learned.clips[0].scene).error_deg),
    ):
        yield Claim(
            f"printed-{row}", "L05 section 5.7.4: visually identical",
            f"printed algorithm: joint angles from the recording, {words}",
            figure, "degrees", f"{data}; {converged.solution.status}" if row == "converged" else data, Band(high=3.5),
        )  # fmt: skip
