"""Give a captured or sketched character motion the physics it lacks."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.motion import notebook
from gambol.version import __version__

if TYPE_CHECKING:
    from gambol.body.anthropometry import Anthropometry as Anthropometry
    from gambol.body.character import Character as Character
    from gambol.body.dynamics import Dynamics as Dynamics
    from gambol.body.kernels import Kernels as Kernels
    from gambol.clips.loop import loop as loop
    from gambol.clips.result import FolderResult as FolderResult
    from gambol.clips.result import ModelResult as ModelResult
    from gambol.clips.result import Result as Result
    from gambol.composition.composition import Action as Action
    from gambol.composition.composition import Composition as Composition
    from gambol.composition.composition import Person as Person
    from gambol.composition.schedules import Schedule as Schedule
    from gambol.composition.verb import ComposeResult as ComposeResult
    from gambol.composition.verb import compose as compose
    from gambol.contacts.contact import BodyPoint as BodyPoint
    from gambol.contacts.contact import Contact as Contact
    from gambol.contacts.contact import ContactKind as ContactKind
    from gambol.contacts.foothold import Foothold as Foothold
    from gambol.contacts.move import Move as Move
    from gambol.contacts.stage import Stage as Stage
    from gambol.contacts.stage import StageKind as StageKind
    from gambol.contacts.timeline import Contacts as Contacts
    from gambol.contacts.timeline import Floor as Floor
    from gambol.contacts.timeline import FrameMask as FrameMask
    from gambol.drawing import render as render
    from gambol.drawing.forces import Arrow as Arrow
    from gambol.drawing.shot import Look as Look
    from gambol.drawing.shot import Shot as Shot
    from gambol.drawing.shot import View as View
    from gambol.errors import GambolError as GambolError
    from gambol.errors import InputError as InputError
    from gambol.errors import StrPath as StrPath
    from gambol.fit.contact_file import GivenContacts as GivenContacts
    from gambol.fit.load import Source as Source
    from gambol.fit.load import load as load
    from gambol.fit.load import load_all as load_all
    from gambol.fit.rig import Fit as Fit
    from gambol.geometry.arrays import Array as Array
    from gambol.interaction.model import InteractionModel as InteractionModel
    from gambol.interaction.verb import MeetingResult as MeetingResult
    from gambol.interaction.verb import StyleShares as StyleShares
    from gambol.interaction.verb import generate_interaction as generate_interaction
    from gambol.interaction.verb import learn_interaction as learn_interaction
    from gambol.interaction.verb import react as react
    from gambol.io import load_recording as load_recording
    from gambol.io import samples as samples
    from gambol.io import save as save
    from gambol.io.formats import MotionFormat as MotionFormat
    from gambol.io.models import load_model as load_model
    from gambol.io.models import save_model as save_model
    from gambol.judge.finding import Finding as Finding
    from gambol.judge.finding import FindingKind as FindingKind
    from gambol.judge.judgement import Judgement as Judgement
    from gambol.judge.judgement import Original as Original
    from gambol.judge.kept import KeptStances as KeptStances
    from gambol.judge.stances import SeenStance as SeenStance
    from gambol.metrics.check import check as check
    from gambol.metrics.figures import Band as Band
    from gambol.metrics.figures import Check as Check
    from gambol.metrics.figures import Figure as Figure
    from gambol.motion.ensemble import Ensemble as Ensemble
    from gambol.motion.kinematics import Placement as Placement
    from gambol.motion.motion import Motion as Motion
    from gambol.motion.motion import Origin as Origin
    from gambol.motion.pushes import AppliedForce as AppliedForce
    from gambol.motion.pushes import Load as Load
    from gambol.motion.pushes import Platform as Platform
    from gambol.motion.pushes import Push as Push
    from gambol.motion.pushes import PushAxes as PushAxes
    from gambol.motion.recording import Markers as Markers
    from gambol.motion.recording import Recording as Recording
    from gambol.motion.recording import Table as Table
    from gambol.motion.rig import Rig as Rig
    from gambol.motion.shapes import Mesh as Mesh
    from gambol.motion.skeleton import Dof as Dof
    from gambol.motion.skeleton import Skeleton as Skeleton
    from gambol.motion.skeleton import Vector as Vector
    from gambol.primitives.crowd.scene import Scene as Scene
    from gambol.primitives.crowd.verb import CrowdResult as CrowdResult
    from gambol.primitives.crowd.verb import PoseMethod as PoseMethod
    from gambol.primitives.crowd.verb import crowd as crowd
    from gambol.primitives.learning import DelayMode as DelayMode
    from gambol.primitives.model import Primitives as Primitives
    from gambol.primitives.verb import learn_primitives as learn_primitives
    from gambol.primitives.verb import play_primitives as play_primitives
    from gambol.progress import Progress as Progress
    from gambol.respond.latent.learn import Grouping as Grouping
    from gambol.respond.latent.picture import draw_walker as draw_walker
    from gambol.respond.latent.responder import LatentWalker as LatentWalker
    from gambol.respond.latent.verb import WalkerResult as WalkerResult
    from gambol.respond.latent.verb import learn_walker as learn_walker
    from gambol.respond.method import FrameMethod as FrameMethod
    from gambol.respond.method import PushMethod as PushMethod
    from gambol.respond.method import PushTask as PushTask
    from gambol.respond.methods import Learned as Learned
    from gambol.respond.methods import NearUnactuated as NearUnactuated
    from gambol.respond.methods import Replan as Replan
    from gambol.respond.near_unactuated import NearUnactuatedResponder as NearUnactuatedResponder
    from gambol.respond.push import PushMapResult as PushMapResult
    from gambol.respond.push import PushResult as PushResult
    from gambol.respond.push import push as push
    from gambol.respond.push import push_map as push_map
    from gambol.respond.push_response import PushResponse as PushResponse
    from gambol.respond.responder import Responder as Responder
    from gambol.robots.biped import Biped as Biped
    from gambol.robots.references.augment import augment as augment
    from gambol.robots.references.augment_plan import AugmentPlan as AugmentPlan
    from gambol.robots.references.live import LiveFrame as LiveFrame
    from gambol.robots.references.live import LiveReference as LiveReference
    from gambol.robots.references.variation import ReferenceVariation as ReferenceVariation
    from gambol.robots.references.verb import ReferenceResult as ReferenceResult
    from gambol.robots.references.verb import retarget as retarget
    from gambol.robots.simulation import World as World
    from gambol.robots.verb import HumanoidResult as HumanoidResult
    from gambol.robots.verb import walk_humanoid as walk_humanoid
    from gambol.solve.problem import Index as Index
    from gambol.solve.problem import KernelUse as KernelUse
    from gambol.solve.problem import Problem as Problem
    from gambol.spacetime.edits.edit import Change as Change
    from gambol.spacetime.edits.edit import Edit as Edit
    from gambol.spacetime.edits.edit import HigherBy as HigherBy
    from gambol.spacetime.edits.edit import KeptQuantity as KeptQuantity
    from gambol.spacetime.edits.verb import Calibration as Calibration
    from gambol.spacetime.edits.verb import EditResult as EditResult
    from gambol.spacetime.edits.verb import edit as edit
    from gambol.spacetime.families.family import Family as Family
    from gambol.spacetime.families.plan import Axis as Axis
    from gambol.spacetime.families.plan import FamilyPlan as FamilyPlan
    from gambol.spacetime.families.verb import ReachResult as ReachResult
    from gambol.spacetime.families.verb import drive_family as drive_family
    from gambol.spacetime.families.verb import family as family
    from gambol.spacetime.families.verb import play_family as play_family
    from gambol.spacetime.families.verb import reach_family as reach_family
    from gambol.spacetime.find_contacts import find_contacts as find_contacts
    from gambol.spacetime.fix import FixResult as FixResult
    from gambol.spacetime.fix import fix as fix
    from gambol.spacetime.fix_folder import fix_folder as fix_folder
    from gambol.spacetime.join import JoinResult as JoinResult
    from gambol.spacetime.join import join as join
    from gambol.spacetime.poses import PoseDatabase as PoseDatabase
    from gambol.spacetime.sketch import Key as Key
    from gambol.spacetime.sketch import Sketch as Sketch
    from gambol.spacetime.sketch_verb import SketchResult as SketchResult
    from gambol.spacetime.sketch_verb import sketch as sketch
    from gambol.spacetime.synthesis import TransitionForm as TransitionForm
    from gambol.spacetime.synthesis import VelocityForm as VelocityForm
    from gambol.studio.viewer import Viewer as Viewer
    from gambol.studio.viewer import view as view
    from gambol.styles.comparison import compare_styles as compare_styles
    from gambol.styles.style import PhysicalStyle as PhysicalStyle
    from gambol.styles.style_folder import learn_each_style as learn_each_style
    from gambol.styles.task import StyleTask as StyleTask
    from gambol.styles.verb import StyleResult as StyleResult
    from gambol.styles.verb import StyleSource as StyleSource
    from gambol.styles.verb import apply_style as apply_style
    from gambol.styles.verb import learn_style as learn_style
    from gambol.terms.space import Space as Space
    from gambol.terms.space import Term as Term


def _find_homes() -> dict[str, str]:
    """Return the module of each public name: the imports above, which type checkers read."""
    imports = next(node.body for node in ast.parse(Path(__file__).read_text("utf-8")).body if isinstance(node, ast.If))
    return {
        alias.name: str(line.module) for line in imports if isinstance(line, ast.ImportFrom) for alias in line.names
    }


_HOMES = _find_homes()
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import gambol` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gambol' has no attribute '{name}'")
    value = import_module("gambol.io.samples") if name == "samples" else getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def _embed_player(motions: Any) -> str:
    from gambol.drawing.player import embed

    return embed(motions)


notebook.embed_player = _embed_player


def __dir__() -> list[str]:
    return __all__
