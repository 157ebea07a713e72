"""The whole crowd, level by level (M17 section 2.5): step frequency, gait phase, headings and rows, step size.

A hierarchy: frequencies act on phases, phases and headings on progress; headings and rows meet the others only as
bounded factors of speed, which their bound allows for. Norms r_i of the levels obey d r_i <= -rate_i r_i + sum g_ij r_j
with finite g_ij, none of them upward, so the whole has the slowest rate (less a share, `combine`).
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
"""Metres and radians: near the formation."""
_TAKEN_UP, _PACE, _AMPLITUDE = 0.5, 0.1, 0.9
"""rad, rad/s and amplitude: where the count begins if phases or paces start too far apart for a cone to hold them."""


@dataclass(frozen=True)
class StartBounds:
    """How far agents may be from where they belong when the count begins."""

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
            raise InputError(f"starts {self}", fix="numbers not below 0, phases within pi at most")

    def __str__(self) -> str:
        phases = "any gait phases" if self.half_spread == np.pi else f"{self.half_spread:.3g} rad of gait phase"
        return f"{self.out_of_place:.3g} m, {self.turned:.3g} rad of heading, {self.frequency_offset:.3g} rad/s of pace, {phases}"


def certify_crowd(
    control: ControlGains,
    graph: Graph,
    profile: SpeedProfile,
    speed: float,
    period: float,
    starts: StartBounds = StartBounds(),
) -> Certificate:
    """All levels of a crowd that walks at `speed` (m/s) with strides of `period` (s), and what they make together.

    Each level is certified near the formation, with what holds from afar as its part: from there it needs the levels
    above it to have settled. The whole is certified where all are, near and from afar. Phases and paces too far apart
    to stay in a cone must first come near each other, which the oscillators see to from everywhere, if they contract
    everywhere; only starts that leave all of them at rest, a set of no volume, never do.
    """
    gains = control.coupling, control.relaxation
    anywhere = certify_phases(graph, *gains)
    cone = _cone(control, graph, starts)
    counted = starts
    if cone.min_projection == 0.0 and anywhere.contracting:
        counted = replace(
            starts, half_spread=min(starts.half_spread, _TAKEN_UP), frequency_offset=min(starts.frequency_offset, _PACE)
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
        _steps(walkers, control, period, counted, nearly, cone),
    )
    onto_steps = speed * (1.0 + control.step_limit) * float(np.sqrt(graph.spectral_radius))
    acts = np.zeros((4, 4))
    acts[1, 0] = 1.0
    acts[3, 1] = onto_steps * profile.slope * 0.5 * np.pi / cone.min_projection if cone.min_projection > 0.0 else np.inf
    acts[3, 2] = onto_steps
    return _whole(combine_network("crowd", levels, acts), starts, counted)


def _cone(control: ControlGains, graph: Graph, starts: StartBounds, amplitude: float = 1.0) -> PhaseCone:
    """Where oscillators stay that begin so, while their frequencies come together."""
    begun = starts.half_spread, starts.frequency_offset
    return PhaseCone.with_differing_frequencies(graph, control.frequency, control.relaxation, *begun, amplitude)


def _steps(
    walkers: StepSizeDynamics,
    control: ControlGains,
    period: float,
    starts: StartBounds,
    nearly: Certificate,
    cone: PhaseCone,
) -> Certificate:
    """Step sizes near the formation, and with their limit from afar."""
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


def _whole(near: Certificate, starts: StartBounds, counted: StartBounds) -> Certificate:
    """The sentence for all levels."""
    afar = [part for level in near.parts[2:] for part in level.parts]
    begun = str(starts)
    if counted != starts:
        # Phases that are too far apart come near each other by themselves; how long that takes is not bounded.
        begun += (
            " (gait phases contract everywhere and bring them near each other, but for starts that leave all at rest;"
            f" the rest is counted from when they are within {counted.half_spread:.3g} rad and"
            f" {counted.frequency_offset:.3g} rad/s, amplitudes from {_AMPLITUDE:g}, places no farther off than at the start)"
        )
    if near.contracting and all(part.contracting for part in afar):
        told = "every level contracts, and none acts on one above it"
        region = f"near the formation, where it arrives from starts within {begun}; levels one after another"
        return replace(near, condition=told, region=region)
    if near.contracting:
        lost = ", ".join(part.name for part in afar if not part.contracting)
        told = f"every level contracts near the formation, but from starts within {begun} {lost} not certified"
        return replace(near, condition=told, region="near the formation")
    region = f"from starts within {begun}"
    broken = [level for level in near.parts if level.verdict is Verdict.REFUTED]
    if broken:
        return replace(
            near,
            verdict=Verdict.REFUTED,
            condition=f"{broken[0].name} broken",
            region=region,
            witness=broken[0].witness,
        )
    return replace(near, region=region)
