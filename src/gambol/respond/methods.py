"""Methods of gambol that answer pushes: in near-unactuated coordinates, by steps replanned, by a learned walker."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gambol.body.character import Character
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import Fit, fit
from gambol.legs.character import LEG_PARTS
from gambol.motion.motion import Motion
from gambol.respond.actuation import Actuation, compute_actuation, has_cycle
from gambol.respond.clips import respond_to_pushes
from gambol.respond.method import PushTask
from gambol.respond.model import DEFAULT_FREE
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.respond.push_response import PushResponse

if TYPE_CHECKING:
    from gambol.respond.latent.responder import LatentWalker

FREE_HELP = "Number of near-unactuated coordinates: the more, the more compliant."
LIKE_HELP = "Take the actuation from this clip, possibly of another person."


@dataclass(frozen=True)
class NearUnactuated:
    """Trunk and arms give way in the coordinates that a clip hardly actuates, in real time; the feet stay (YL08)."""

    free: int = field(default=DEFAULT_FREE, metadata={"help": FREE_HELP})
    like: Source | None = field(default=None, metadata={"help": LIKE_HELP, "type": Motion})

    def respond(self, task: PushTask) -> PushResponse:
        """Answer pushes, loads and a moving platform."""
        character = task.make_character()
        task = task.act_on(character)
        actuation = lend_actuation(self.like, task)
        task.progress("answering the pushes", 0, None)
        found = respond_to_pushes(
            character,
            task.clip,
            task.pushes,
            self.free,
            actuation=actuation,
            loads=task.loads,
            platform=task.platform,
            cycle=task.cycle,
        )
        notes = () if actuation is not None else note_missing_cycle(found.fitted, task)
        if legs := [one.body for one in task.pushes if one.body.endswith(LEG_PARTS)]:
            part = legs[0].replace("_", " ")
            notes += (f"a push on the {part} acts on the pelvis: legs have no dynamics of their own",)
        return replace(found, notes=notes)

    def make_responder(self, task: PushTask, *, machine_code: bool = False) -> NearUnactuatedResponder:
        """Return the responder of the clip, repeated without end."""
        fitted, actuation = fit(task.make_character(), task.clip), lend_actuation(self.like, task)
        return NearUnactuatedResponder.learn(
            fitted,
            self.free,
            actuation=actuation,
            cycle=task.cycle,
            machine_code=machine_code,
            progress=task.progress,
        )


@dataclass(frozen=True)
class Replan:
    """The whole body is replanned and takes steps, in seconds per push; trunk and arms give way as in YL08."""

    free: int = field(default=DEFAULT_FREE, metadata={"help": FREE_HELP})
    contacts: GivenContacts | None = field(
        default=None,
        metadata={"help": "Contacts instead of those found: a file of `gambol contacts`.", "type": Path | None},
    )

    def respond(self, task: PushTask) -> PushResponse:
        """Answer pushes with steps."""
        from gambol.respond.whole_body import respond_with_steps

        character = task.make_character()
        task = task.act_on(character)
        if task.loads or task.platform is not None or not task.pushes:
            raise InputError("steps answer pushes alone", fix="leave out loads and the platform")
        task.progress("answering the pushes", 0, None)
        found = respond_with_steps(
            character,
            task.clip,
            task.pushes,
            self.free,
            contacts=self.contacts,
            cycle=task.cycle,
            progress=task.progress,
        )
        return replace(found, notes=note_missing_cycle(found.fitted, task))


@dataclass(frozen=True)
class Learned:
    """A walker that `learn_walker` made of a walk on the clip's rig walks, and takes steps in real time (YL10)."""

    model: LatentWalker | StrPath = field(
        metadata={"help": "The walker that is pushed: a file that 'gambol walker learn' wrote.", "type": Path}
    )

    def respond(self, task: PushTask) -> PushResponse:
        """Walk for as long as the clip lasts, from its first pose, and answer pushes."""
        from gambol.respond.latent.response import respond_with_walker

        if task.loads or task.platform is not None or not task.pushes:
            raise InputError("a learned walker answers pushes alone", fix="leave out loads and the platform")
        walker = self.make_responder(task)
        task = task.act_on(walker.character)
        task.progress("answering the pushes", 0, None)
        return respond_with_walker(walker, task.clip, task.pushes)

    def make_responder(self, task: PushTask, *, machine_code: bool = False) -> LatentWalker:
        """Return the walker."""
        # Imported where it is needed: scikit-learn takes half a second.
        from gambol.respond.latent.response import load_walker_of

        if task.cycle is not None or task.mass is not None:
            raise InputError("a learned walker has its own cycle and mass", fix="leave out cycle and mass")
        return load_walker_of(self.model, task.clip)


def lend_actuation(like: Source | None, task: PushTask, *, centred: bool = False) -> Actuation | None:
    """Return the actuation of another clip, if one is given."""
    if like is None:
        return None
    if task.cycle is not None:
        raise InputError("both a cycle and another clip to learn from are given", fix="choose one of them")
    other = as_motion(like)
    return compute_actuation(fit(Character.from_motion(other, task.mass), other), centred=centred)


def note_missing_cycle(fitted: Fit, task: PushTask) -> tuple[str, ...]:
    """Return a note if a clip has no cycle from which the free coordinates could be learned."""
    if task.cycle is not None or has_cycle(fitted):
        return ()
    return ("no cycle found: the free coordinates are learned from the whole clip",)
