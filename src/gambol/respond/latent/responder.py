"""A walker that takes steps when pushed, learned from one walk and pushed examples (YL10), as a `Responder`.

Every frame the latent and the features that are most likely after the last ones are inferred, and the pose follows from
the features. Under a push the paper deforms every predicted pose by one frame of the push (equation 8, `deform`), which
the next prediction removes. Here an unpushed walker goes on as a shadow, and the push displaces the body from it by all
the momentum that it has given so far, as a lean about the standing feet. The features of the leaned poses lead the
latent to the example whose push was like it; when the push ends the latent goes on from there.

Examples show one strength of push. The deviation from the normal walk is therefore divided by the push's strength
relative to the examples before a latent is inferred, and multiplied by it afterwards: answers grow with the push, as
footholds do in the examples. So does what a push changes of the timing of steps, up to that of the examples.
What is beyond the strength of the examples fades at once; back on the normal walk all of it does, and with it the error
of the model. A latent makes up for a push that came at another phase than that of its example, and the walker turns
back to where it was going.

Several models share one normal walk, each with some of the examples (section 4). The direction and phase of a push
choose the model. The last feature vectors hand over: one for dynamics of order 1, two (three poses) for order 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array, summarise_fields
from gambol.io.models import ModelKind, register
from gambol.io.packed import build
from gambol.learn.gaussian.estimator import GAUSSIAN_KINDS
from gambol.motion.motion import Motion, Origin
from gambol.motion.pushes import AppliedForce, Pull
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.respond.endless import EndlessClip
from gambol.respond.latent.decode import DecodedPose, PoseBase, PoseDecoder, decode_pose
from gambol.respond.latent.deform import Deformer, sum_forces
from gambol.respond.latent.examples import ExamplePush, NormalWalk
from gambol.respond.latent.features import FRAME_TIME, FeatureLayout, compute_features
from gambol.respond.latent.lean import NO_DRIFT, PushDrift, accumulate_push, lean_pose
from gambol.respond.latent.phases import interpolate_loop
from gambol.respond.latent.points import HEADING
from gambol.respond.latent.walk_model import WalkModel, pack_walk_model, unpack_walk_model
from gambol.respond.responder import AT_LIMIT, PUSHED_AWAY

PushForm = Literal["lean", "printed"]
_LARGEST = 1.5
"""Strength of a push relative to the examples beyond which the answer does not grow: legs are not longer."""
_EXCESS = 0.9
"""Share that a frame leaves of the strength beyond that of the examples: a body may be pushed harder, but legs do not
step farther than was seen."""
_SMALLEST = 0.2
"""Strength below which deviations are not enlarged to that of the examples."""
_SLICE = 8
"""Most frames that a push is taken as one, a little more than the examples' 0.2 s; a longer one is several pushes."""
_RETURNED = 1.0
"""Distance from the normal walk, in steps, at which a response is over."""
_FADE = 0.9
"""Share of the strength that a frame leaves of a response that is over. What remains between the model and the normal
walk is the error of the model."""
_FASTEST = 2.5
"""Most steps that a push moves a latent in a frame: from one example to another through those between."""
_REST = 0.8
"""Share that a frame leaves of what the latent did not show of the features when a push ended."""
_SLOWEST, _QUICKEST = 0.5, 2.0
"""Frames of the normal walk that pass in a frame, at least and at most: nobody walks backward to catch up."""
_CATCH_UP, _MOST_CAUGHT = 0.15, 0.4
"""Share of the lag that a latent makes up in a frame, and the most of its own way: pushes come between the phases of
the examples, and what an example does at one phase of a step is wrong at another."""
_FOLLOW = 0.5
"""Time constant (s) with which the origin follows the walker."""
_STEER = 0.5
"""Time constant (s) with which the walker turns back to where it was going: errors of the heading add up."""


class GaitState(NamedTuple):
    """Where a walker is: in the latent space of one of the models, and in the world."""

    model: int
    latents: Array
    """(order, dimensions) the last ones."""
    rows: Array
    """(2, D) the last feature vectors, those of the last three poses."""
    strength: float
    """Of the last push, relative to the examples; fades where the response is over. 1 in the printed form."""
    phase: float
    """Frame of the normal walk that the pose corresponds to."""
    body: DecodedPose
    lag: float = 0.0
    """Frames from the phase of the latent to that of the pose: pushes come earlier or later than in the examples."""
    way: float = 0.0
    """Direction (rad) in which the walker goes when nobody pushes it."""
    rest: Array | float = 0.0
    """(D,) what the latent does not show of the features when a push ends; it fades."""


class WalkerState(NamedTuple):
    """The walker, its origin and, while forces act, the walker without them."""

    gait: GaitState
    origin: Array
    """(3,) metres."""
    shadow: GaitState | None = None
    drift: PushDrift = NO_DRIFT
    pushed: int = 0
    """Frames since the shadow and the walker parted."""


@dataclass(frozen=True, eq=False)
class LatentWalker:
    """A learned walker; made by `fit_walker`."""

    __repr__ = summarise_fields

    walk: NormalWalk
    decoder: PoseDecoder
    models: tuple[WalkModel, ...]
    form: PushForm = "lean"
    """How a push enters; "printed" deforms every frame by equation 8."""

    @property
    def name(self) -> str:
        """Of the clip that the normal walk is from."""
        return self.walk.fitted.source.name

    @property
    def loop(self) -> EndlessClip:
        """The normal walk, frames of FRAME_TIME."""
        return self.walk.loop

    @property
    def settings(self) -> Mapping[str, float]:
        """Latent dimensions, order of the dynamics, number of models and of examples."""
        first = self.models[0]
        examples = {push for model in self.models for push in model.pushes}
        return {
            "dimensions": first.gplvm.n_components,
            "order": first.order,
            "models": len(self.models),
            "examples": len(examples),
        }

    @property
    def character(self) -> Character:
        """The person who walks."""
        return self.decoder.layout.character

    @property
    def frame_time(self) -> float:
        """Seconds."""
        return FRAME_TIME

    @property
    def bodies(self) -> tuple[str, ...]:
        """All that have mass; a push moves the centre of mass, wherever it acts."""
        return self.character.bodies

    @property
    def period(self) -> int:
        """Frames of the normal walk."""
        return len(self.loop)

    @property
    def cyclic(self) -> bool:
        """Always: the normal walk is a loop."""
        return True

    @property
    def support(self) -> None:
        """None: it takes steps."""
        return None

    @cached_property
    def deformer(self) -> Deformer:
        """Forces and deformations of this character."""
        return Deformer(self.decoder.layout.points)

    @cached_property
    def _headings(self) -> Array:
        """(period,) heading of the pelvis relative to the direction of travel (rad)."""
        way = float(np.arctan2(self.loop.travel[1], self.loop.travel[0]))
        return self.loop.poses[:, HEADING] - way

    def start(self) -> WalkerState:
        """On the normal walk."""
        return self.start_at(0)

    def start_at(self, frame: int) -> WalkerState:
        """On the normal walk at a frame of its period."""
        return self.start_from(self.loop.at(frame), frame)

    def start_from(self, pose: Array, frame: int) -> WalkerState:
        """In a pose (dofs,) like that of a frame of the normal walk."""
        first, body = self.models[0], self.decoder.start(pose)
        last = np.arange(frame - 1, frame + 1) % self.period
        strength = float(self.form == "printed")
        gait = GaitState(
            0,
            first.ring[last[2 - first.order :]],
            first.normal[last],
            strength,
            float(frame % self.period),
            body,
            way=float(pose[HEADING] - self._headings[frame % self.period]),
        )
        return WalkerState(gait, np.array([body.place.x, body.place.y, 0.0]))

    def step(
        self, state: WalkerState, forces: Sequence[AppliedForce | Pull] = (), target: Array | None = None
    ) -> tuple[WalkerState, Array]:
        """One frame, see `Responder.step`."""
        if target is not None:
            raise InputError("a learned walker makes its own targets", fix="send none")
        force: Array = np.zeros(3)
        generalised: Array = np.zeros(0)
        if forces:
            view = self.deformer.look(state.gait.body.pose)
            with np.errstate(all="ignore"):  # what overflows is refused
                force, generalised = sum_forces(view, forces, state.origin)
            if not (np.isfinite(force).all() and np.isfinite(generalised).all()):
                raise InputError("no finite pose answers this frame", fix="give forces in newtons, points in metres")
        if self.form == "printed" and generalised.any():
            new = WalkerState(self._deform(state.gait, force, generalised), state.origin)
        elif self.form == "lean" and force[:2].any():
            new = self._lean(state, force)
        else:
            new = WalkerState(self._walk_on(state.gait), state.origin)
        return new._replace(origin=self._follow(state.origin, new.gait)), new.gait.body.pose

    def target(self, state: WalkerState) -> Array:
        """The pose of the normal walk at the phase of the walker, where the walker is."""
        gait = state.gait
        before, share = int(gait.phase), gait.phase % 1.0
        poses = self.loop.at([before, before + 1])
        pose = (1.0 - share) * poses[0] + share * poses[1]
        place = self.decoder.layout.locate(pose)
        here = self.decoder.layout.locate(gait.body.pose)
        pose[:2] += np.array([here.x, here.y]) - [place.x, place.y]
        return pose

    def origin(self, state: WalkerState) -> Array:
        """A point on the ground that follows the walker smoothly."""
        return state.origin

    def limited(self, state: WalkerState) -> bool:
        """See `Responder.limited`."""
        pose = state.gait.body.pose
        lower, upper = self.character.skeleton.lower, self.character.skeleton.upper
        moved = np.abs(pose - self.target(state)) > PUSHED_AWAY
        moved[: HEADING + 1] = False
        return bool((moved & ((pose >= upper - AT_LIMIT) | (pose <= lower + AT_LIMIT))).any())

    def choose_model(self, direction: float, phase: float) -> int:
        """Return the model with the example whose push is nearest in direction (degrees) and phase (frames)."""
        share = phase / self.period
        apart = [
            min((push.measure_difference(direction, share) for push in model.pushes), default=9.0)
            for model in self.models
        ]
        return int(np.argmin(apart))

    def find_direction(self, gait: GaitState, force: Array) -> float:
        """Return the direction (degrees) of a force (3,) from where the walker is going: 0 forward, 90 to the left."""
        return float(np.degrees(np.arctan2(force[1], force[0]) - self._find_way(gait))) % 360.0

    def _find_way(self, gait: GaitState) -> float:
        """Return the direction (rad) in which a walker is going."""
        return float(gait.body.pose[HEADING]) - float(interpolate_loop(self._headings, gait.phase))

    def _steer(self, gait: GaitState) -> float:
        """Return the rate (rad/s) at which a walker turns back to its way, but as printed."""
        return 0.0 if self.form == "printed" else (gait.way - self._find_way(gait)) / _STEER

    def _wrap(self, frames: float) -> float:
        """Return a difference of phases as half a period at most."""
        half = 0.5 * self.period
        return (frames + half) % self.period - half

    def _walk_on(self, gait: GaitState) -> GaitState:
        """Return the next frame without forces."""
        model = self.models[gait.model]
        own = gait.phase - gait.lag
        latent, inferred = model.infer_next(gait.latents, gait.rows[2 - model.order :], own)
        advance = min(max(self._wrap(model.find_phase(latent, own + 1.0) - own), _SLOWEST), _QUICKEST)
        hurry = advance
        if self.form != "printed":
            share = min(max(_CATCH_UP * gait.lag, -_MOST_CAUGHT), _MOST_CAUGHT)
            latent = latent + share * (latent - gait.latents[-1])
            inferred = model.gplvm.inverse_transform(latent[None])[0]
            advance += share * advance
        own += advance
        strength, away = gait.strength, inferred - model.find_normal(own)
        if self.form != "printed" and strength > 1.0:
            strength = 1.0 + _EXCESS * (strength - 1.0)
        # Pushes weaker than those of the examples change the timing of steps less, as they do footholds.
        phase = (gait.phase + 1.0 + min(strength, 1.0) * (hurry - 1.0)) % self.period
        if self.form != "printed" and model.measure_distance(latent) < _RETURNED:
            strength *= _FADE
            back = min(max(self._wrap(phase - own), -1.0), 1.0)
            latent = latent + interpolate_loop(model.ring, own + back) - interpolate_loop(model.ring, own)
            own += back
        lag = self._wrap(phase - own)
        normal = model.find_normal(phase)
        rest = _REST * gait.rest
        row = normal + strength * away + rest
        layout = self.decoder.layout
        base = PoseBase(layout.split(normal).now, interpolate_loop(self.loop.poses[:, layout.free], phase))
        # What the walker shows is between the normal walk and the example; of feet, either tells which stand.
        steps = normal + min(strength, 1.0) * (inferred - normal)
        body = decode_pose(self.decoder, gait.body, layout.turn(row, self._steer(gait)), base, steps)
        return GaitState(
            gait.model,
            np.vstack([gait.latents[1:], latent]),
            np.stack([gait.rows[1], row]),
            strength,
            phase,
            body,
            lag,
            gait.way,
            rest,
        )

    def _lean(self, state: WalkerState, force: Array) -> WalkerState:
        """Return the next frame under a force (3,)."""
        begun = state.shadow is None
        before = state.gait if state.shadow is None else state.shadow
        shadow = self._walk_on(before)
        chosen = self.choose_model(self.find_direction(before, force), before.phase) if begun else state.gait.model
        model = self.models[chosen]
        largest = _LARGEST * (model.speed or 1.0) * self.character.mass
        drift = accumulate_push(state.drift, force, self.character.mass, largest)
        pose = lean_pose(self.decoder.layout.points, shadow.body.pose, drift.displacement, shadow.body.standing)
        layout = self.decoder.layout
        away = compute_features(layout, np.stack([state.gait.body.pose, pose]))[0]
        away -= compute_features(layout, np.stack([before.body.pose, shadow.body.pose]))[0]
        speed = float(np.linalg.norm(drift.momentum)) / self.character.mass
        strength = max(speed / model.speed if model.speed else 1.0, shadow.strength)
        row = shadow.rows[1] + away
        normal = model.find_normal(shadow.phase)
        enlarged = normal + (row - normal) / max(strength, _SMALLEST)
        found = model.locate_pushed(enlarged, shadow.phase, self.find_direction(before, drift.momentum))
        last = state.gait.latents if state.gait.model == chosen else self._hand_over(state.gait, chosen)
        moved = found - last[-1]
        found = last[-1] + min(1.0, _FASTEST * model.step / max(float(np.linalg.norm(moved)), 1e-9)) * moved
        own = model.find_phase(found, shadow.phase)
        shown = model.gplvm.inverse_transform(found[None])[0] - model.find_normal(own)
        gait = GaitState(
            chosen,
            np.vstack([last[1:], found]),
            np.stack([state.gait.rows[1], row]),
            strength,
            shadow.phase,
            self.decoder.start(pose, shadow.body.standing),
            self._wrap(shadow.phase - own),
            shadow.way,
            row - normal - strength * shown,
        )
        if state.pushed + 1 == _SLICE:
            return WalkerState(gait, state.origin)
        return WalkerState(gait, state.origin, shadow, drift, state.pushed + 1)

    def _hand_over(self, gait: GaitState, chosen: int) -> Array:
        """Return the last latents (order, dimensions) in another model, by the last feature vectors."""
        model = self.models[chosen]
        rows = gait.rows[2 - model.order :]
        return np.array(
            [model.locate(row, gait.phase - late) for row, late in zip(rows, (1.0, 0.0)[-len(rows) :], strict=True)]
        )

    def _deform(self, gait: GaitState, force: Array, generalised: Array) -> GaitState:
        """Return the next frame deformed by a force (3,), generalised (dofs,), as printed."""
        chosen = self.choose_model(self.find_direction(gait, force), gait.phase)
        if chosen != gait.model:
            gait = gait._replace(model=chosen, latents=self._hand_over(gait, chosen))
        after = self._walk_on(gait)
        body = after.body
        pose = self.deformer.deform(body.pose, gait.body.pose, generalised, body.standing)
        row = compute_features(self.decoder.layout, np.stack([gait.body.pose, pose]))[0]
        model = self.models[gait.model]
        found = model.inference.infer_latent(row, gait.latents, gait.rows[2 - model.order :]).latent
        return after._replace(
            latents=np.vstack([gait.latents[1:], found]),
            rows=np.stack([gait.rows[1], row]),
            body=self.decoder.start(pose, body.standing),
        )

    def _follow(self, origin: Array, gait: GaitState) -> Array:
        """Return the origin one frame later."""
        way = self._find_way(gait)
        ahead = np.linalg.norm(self.loop.travel[:2]) / self.period * np.array([np.cos(way), np.sin(way)])
        place = gait.body.place
        moved = origin[:2] + ahead
        return np.append(moved + FRAME_TIME / _FOLLOW * (np.array([place.x, place.y]) - moved), 0.0)


_DECODER = tuple(field.name for field in fields(PoseDecoder) if field.name != "layout")


def _pack(walker: LatentWalker) -> dict[str, Any]:
    layout = walker.decoder.layout
    return {
        "walk": walker.walk.fitted,
        "period": walker.walk.period,
        "features": {"kind": layout.kind, "velocity_weight": layout.velocity_weight},
        "decoder": {name: getattr(walker.decoder, name) for name in _DECODER},
        "models": [pack_walk_model(model) for model in walker.models],
        "form": walker.form,
    }


def _unpack(values: dict[str, Any]) -> LatentWalker:
    fitted = values["walk"]
    if not isinstance(fitted, Fit):
        raise ValueError("the walk is missing or of another type")
    walk = build(NormalWalk, {"fitted": fitted, "period": values["period"]})
    layout = FeatureLayout(walk.character, **values["features"])
    decoder = build(PoseDecoder, {"layout": layout, **values["decoder"]})
    models = tuple(unpack_walk_model(one) for one in values["models"])
    shapes = {(model.period, model.rows.shape[1]) for model in models}
    if shapes != {(len(walk.loop), layout.size)}:
        raise ValueError("the features of the models are missing or not those of the walk")
    return build(LatentWalker, {"walk": walk, "decoder": decoder, "models": models, "form": values["form"]})


_CLASSES = (Character, Dof, ExamplePush, Fit, Motion, Origin, Rig, Skeleton, *GAUSSIAN_KINDS)
_FIX = "'gambol walker learn WALK -o FILE' makes one"
register(ModelKind(LatentWalker, "walker", 2, _FIX, _CLASSES, _pack, _unpack))
