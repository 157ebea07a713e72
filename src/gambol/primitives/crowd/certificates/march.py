"""Certify a whole crowd level by level (M17 section 2.5): step frequency, gait phase, headings and rows, step size.

A hierarchy: frequencies act on phases, phases and headings on progress; the other levels enter headings and rows only
as bounded factors of speed, which their bound includes. Norms r_i of the levels obey
d r_i <= -rate_i r_i + sum g_ij r_j with finite g_ij, none of them upward, so the whole has the slowest rate (less 1 %,
see `combine`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.contraction.certificate import Certificate, Verdict
from gambol.contraction.combine import combine_network
from gambol.contraction.graphs import Graph
from gambol.errors import InputError
from gambol.primitives.crowd.certificates.headings import HeadingDynamics, certify_headings
from gambol.primitives.crowd.certificates.phases import (
    PhaseCone,
    certify_frequencies,
    certify_phases,
    certify_phases_in_cone,
)
from gambol.primitives.crowd.certificates.steps import (
    StepSizeDynamics,
    bound_phase_drift,
    certify_limited_steps,
    certify_step_sizes,
    certify_stride_updates,
)
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.profile import SpeedProfile

_NEAR = 0.01
"""Metres and radians that count as near the formation."""
_NEAR_PHASE, _NEAR_FREQUENCY, _AMPLITUDE = 0.5, 0.1, 0.9
"""rad, rad/s and amplitude from which rates hold if phases or frequencies start too far apart for an invariant cone."""


@dataclass(frozen=True)
class StartBounds:
    """Largest deviations of the agents at the start."""

    out_of_place: float = 1.0
    """Metres from the place in the formation, along and across."""
    turned: float = 0.5
    """rad from the common direction."""
    half_spread: float = 0.5
    """rad from a common gait phase, at amplitudes of 1; pi is any phase."""
    frequency_offset: float = 0.1
    """rad/s from the mean step frequency."""

    def __post_init__(self) -> None:
        if min(self.out_of_place, self.turned, self.frequency_offset) < 0.0 or not 0.0 <= self.half_spread <= np.pi:
            raise InputError(f"invalid starts: {self}", fix="choose numbers of at least 0, and phases within pi")

    def __str__(self) -> str:
        phases = "any gait phases" if self.half_spread == np.pi else f"{self.half_spread:.3g} rad of gait phase"
        return (
            f"{self.out_of_place:.3g} m, {self.turned:.3g} rad of heading,"
            f" {self.frequency_offset:.3g} rad/s of step frequency, {phases}"
        )


def certify_crowd(
    control: ControlGains,
    graph: Graph,
    profile: SpeedProfile,
    speed: float,
    period: float,
    starts: StartBounds = StartBounds(),
) -> Certificate:
    """Certify all levels of a crowd that walks at `speed` (m/s) with strides of `period` (s), and the whole.

    Each level is certified near the formation; its part is the certificate from afar, which assumes that the levels
    above have settled. The whole is certified where all are, near and from afar. Phases and frequencies too far apart
    for an invariant cone must first come together, which they do from everywhere if the oscillators contract
    everywhere, except from starts that leave all of them at rest (a set of measure zero).
    """
    gains = control.coupling, control.relaxation
    anywhere = certify_phases(graph, *gains)
    cone = _cone(control, graph, starts)
    counted = starts
    if cone.min_projection == 0.0 and anywhere.contracting:
        counted = replace(
            starts,
            half_spread=min(starts.half_spread, _NEAR_PHASE),
            frequency_offset=min(starts.frequency_offset, _NEAR_FREQUENCY),
        )
        cone = _cone(control, graph, counted, _AMPLITUDE)
    nearly = certify_phases_in_cone(graph, *gains, cone)
    crowd = HeadingDynamics(graph, control, speed, profile)
    walkers = StepSizeDynamics(graph, control.step, speed, profile, control.max_desired_heading(graph))
    levels = (
        certify_frequencies(graph, control.frequency),
        replace(nearly, name="gait phases", parts=(anywhere,)),
        replace(
            certify_headings(crowd, _NEAR, _NEAR), parts=(certify_headings(crowd, starts.out_of_place, starts.turned),)
        ),
        _certify_steps(walkers, control, period, counted, nearly, cone),
    )
    onto_steps = speed * (1.0 + control.step_limit) * float(np.sqrt(graph.spectral_radius))
    acts = np.zeros((4, 4))
    acts[1, 0] = 1.0
    acts[3, 1] = onto_steps * profile.slope * 0.5 * np.pi / cone.min_projection if cone.min_projection > 0.0 else np.inf
    acts[3, 2] = onto_steps
    return _word_whole(combine_network("crowd", levels, acts), starts, counted)


def _cone(control: ControlGains, graph: Graph, starts: StartBounds, amplitude: float = 1.0) -> PhaseCone:
    """Return the cone that oscillators stay in while their frequencies converge."""
    begun = starts.half_spread, starts.frequency_offset
    return PhaseCone.with_differing_frequencies(graph, control.frequency, control.relaxation, *begun, amplitude)


def _certify_steps(
    walkers: StepSizeDynamics,
    control: ControlGains,
    period: float,
    starts: StartBounds,
    nearly: Certificate,
    cone: PhaseCone,
) -> Certificate:
    """Certify step sizes near the formation, and with their limit from afar."""
    if control.stride_updates:
        near = certify_stride_updates(walkers, period)
        far = certify_stride_updates(walkers, period, control.step_limit, starts.out_of_place)
        return replace(near, parts=(far,)) if near.contracting else near
    near = certify_step_sizes(walkers)
    if not (near.contracting and nearly.contracting):
        return near
    paces = starts.frequency_offset / (control.frequency * walkers.graph.connectivity)
    drift = bound_phase_drift(walkers, cone, nearly.rate, paces)
    return replace(near, parts=(certify_limited_steps(walkers, control.step_limit, starts.out_of_place, drift),))


def _word_whole(near: Certificate, starts: StartBounds, counted: StartBounds) -> Certificate:
    """Word the certificate of all levels."""
    afar = [part for level in near.parts[2:] for part in level.parts]
    begun = str(starts)
    if counted != starts:
        # Phases that are too far apart converge by themselves, but the time is not bounded.
        begun += (
            " (gait phases contract everywhere and come together, except from starts that leave all at rest;"
            f" the other levels are certified from when phases are within {counted.half_spread:.3g} rad,"
            f" frequencies within {counted.frequency_offset:.3g} rad/s, amplitudes at least {_AMPLITUDE:g},"
            " and agents no farther from their places than at the start)"
        )
    if near.contracting and all(part.contracting for part in afar):
        reason = "every level contracts, and none acts on one above it"
        region = f"near the formation, which it reaches from starts within {begun}; one level after another"
        return replace(near, condition=reason, region=region)
    if near.contracting:
        lost = ", ".join(part.name for part in afar if not part.contracting)
        reason = f"every level contracts near the formation, but from starts within {begun} {lost} are not certified"
        return replace(near, condition=reason, region="near the formation")
    region = f"from starts within {begun}"
    refuted = [level for level in near.parts if level.verdict is Verdict.REFUTED]
    if refuted:
        return replace(
            near,
            verdict=Verdict.REFUTED,
            condition=f"{refuted[0].name} refuted",
            region=region,
            witness=refuted[0].witness,
        )
    return replace(near, region=region)
