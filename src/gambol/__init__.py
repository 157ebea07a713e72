"""Give a captured or sketched character motion the physics it lacks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gambol.motion import notebook
from gambol.version import __version__

if TYPE_CHECKING:
    from gambol.body.character import Character as Character
    from gambol.clips.loop import loop as loop
    from gambol.clips.result import Result as Result
    from gambol.clips.retarget import retarget as retarget
    from gambol.composition.verb import compose as compose
    from gambol.drawing import render as render
    from gambol.drawing.shot import Shot as Shot
    from gambol.errors import GambolError as GambolError
    from gambol.errors import InputError as InputError
    from gambol.fit.load import load as load
    from gambol.fit.load import load_all as load_all
    from gambol.interaction.store import load_interaction as load_interaction
    from gambol.interaction.verb import generate_interaction as generate_interaction
    from gambol.interaction.verb import learn_interaction as learn_interaction
    from gambol.interaction.verb import react as react
    from gambol.io import load_recording as load_recording
    from gambol.io import samples as samples
    from gambol.io import save as save
    from gambol.metrics.check import check as check
    from gambol.motion.ensemble import Ensemble as Ensemble
    from gambol.motion.motion import Motion as Motion
    from gambol.motion.pushes import Load as Load
    from gambol.motion.pushes import Platform as Platform
    from gambol.motion.pushes import Push as Push
    from gambol.motion.skeleton import Skeleton as Skeleton
    from gambol.primitives.crowd.verb import crowd as crowd
    from gambol.primitives.store import load_primitives as load_primitives
    from gambol.primitives.verbs import learn_primitives as learn_primitives
    from gambol.primitives.verbs import play_primitives as play_primitives
    from gambol.respond.latent.picture import draw_walker as draw_walker
    from gambol.respond.latent.store import load_walker as load_walker
    from gambol.respond.latent.verb import learn_responder as learn_responder
    from gambol.respond.push import push as push
    from gambol.respond.push import push_map as push_map
    from gambol.robots.references.augment import augment as augment
    from gambol.robots.references.draws import AugmentPlan as AugmentPlan
    from gambol.robots.references.live import LiveReference as LiveReference
    from gambol.robots.references.variation import ReferenceVariation as ReferenceVariation
    from gambol.robots.references.verb import make_reference as make_reference
    from gambol.robots.verb import walk_humanoid as walk_humanoid
    from gambol.spacetime.edits.editing import edit as edit
    from gambol.spacetime.families.making import drive_family as drive_family
    from gambol.spacetime.families.making import family as family
    from gambol.spacetime.families.making import play_family as play_family
    from gambol.spacetime.families.making import reach_with_family as reach_with_family
    from gambol.spacetime.families.store import load_family as load_family
    from gambol.spacetime.fix import fix as fix
    from gambol.spacetime.join import join as join
    from gambol.spacetime.sketch_verb import sketch as sketch
    from gambol.studio.viewer import view as view
    from gambol.styles.many import learn_styles as learn_styles
    from gambol.styles.style import load_style as load_style
    from gambol.styles.verb import apply_style as apply_style
    from gambol.styles.verb import compare_styles as compare_styles
    from gambol.styles.verb import learn_style as learn_style

# Public names and the modules that define them: imported when first used, so that `import gambol` stays quick.
_HOMES = {
    "AugmentPlan": "gambol.robots.references.draws",
    "Character": "gambol.body.character",
    "Ensemble": "gambol.motion.ensemble",
    "GambolError": "gambol.errors",
    "InputError": "gambol.errors",
    "LiveReference": "gambol.robots.references.live",
    "Load": "gambol.motion.pushes",
    "Motion": "gambol.motion.motion",
    "Platform": "gambol.motion.pushes",
    "Push": "gambol.motion.pushes",
    "ReferenceVariation": "gambol.robots.references.variation",
    "Result": "gambol.clips.result",
    "Shot": "gambol.drawing.shot",
    "Skeleton": "gambol.motion.skeleton",
    "apply_style": "gambol.styles.verb",
    "augment": "gambol.robots.references.augment",
    "check": "gambol.metrics.check",
    "compare_styles": "gambol.styles.verb",
    "compose": "gambol.composition.verb",
    "crowd": "gambol.primitives.crowd.verb",
    "draw_walker": "gambol.respond.latent.picture",
    "drive_family": "gambol.spacetime.families.making",
    "edit": "gambol.spacetime.edits.editing",
    "family": "gambol.spacetime.families.making",
    "fix": "gambol.spacetime.fix",
    "generate_interaction": "gambol.interaction.verb",
    "join": "gambol.spacetime.join",
    "learn_interaction": "gambol.interaction.verb",
    "learn_primitives": "gambol.primitives.verbs",
    "learn_responder": "gambol.respond.latent.verb",
    "learn_style": "gambol.styles.verb",
    "learn_styles": "gambol.styles.many",
    "load": "gambol.fit.load",
    "load_all": "gambol.fit.load",
    "load_family": "gambol.spacetime.families.store",
    "load_interaction": "gambol.interaction.store",
    "load_primitives": "gambol.primitives.store",
    "load_recording": "gambol.io",
    "load_style": "gambol.styles.style",
    "load_walker": "gambol.respond.latent.store",
    "loop": "gambol.clips.loop",
    "make_reference": "gambol.robots.references.verb",
    "play_family": "gambol.spacetime.families.making",
    "play_primitives": "gambol.primitives.verbs",
    "push": "gambol.respond.push",
    "push_map": "gambol.respond.push",
    "reach_with_family": "gambol.spacetime.families.making",
    "react": "gambol.interaction.verb",
    "render": "gambol.drawing",
    "retarget": "gambol.clips.retarget",
    "samples": "gambol.io.samples",
    "save": "gambol.io",
    "sketch": "gambol.spacetime.sketch_verb",
    "view": "gambol.studio.viewer",
    "walk_humanoid": "gambol.robots.verb",
}
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gambol' has no attribute '{name}'")
    home = import_module(_HOMES[name])
    value = home if name == "samples" else getattr(home, name)
    globals()[name] = value
    return value


def _embed_player(motions: Any) -> str:
    from gambol.drawing.player import embed

    return embed(motions)


notebook.embed_player = _embed_player


def __dir__() -> list[str]:
    return __all__
