"""A humanoid robot: its description, which of its parts are feet and hands, and what its sensors tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.jacobians import Jacobians
from gambol.body.robot_description import RobotDescription
from gambol.body.urdf import read_urdf
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.yamls import check_mapping, check_number, read_yaml
from gambol.stages.feet import SIDES

_CONFIGURATIONS = Path(__file__).parent / "configurations"
_KEYS = ("package", "urdf", "feet", "hands", "posture", "stiffness", "armature", "step")
_STIFFEST = 1e9
"""Largest stiffness of a joint (N m/rad)."""
_HEIGHT, _MASS = 0.8485, 62.4
"""Height of the centre of mass (m) and mass (kg) of JVRC-1, for which lengths and gains in this package are given."""


@dataclass(frozen=True, eq=False)
class RobotFoot:
    """A foot with a rectangular sole."""

    joint: int
    center: Array
    """(3,) middle of the sole in the frame of the joint (m)."""
    half: Array
    """(2,) half of its length and width (m)."""


@dataclass(frozen=True, eq=False)
class RobotHand:
    """A hand and the point of it that grasps."""

    joint: int
    point: Array
    """(3,) in the frame of the joint (m)."""


@dataclass(frozen=True, eq=False)
class Robot:
    """A humanoid robot."""

    description: RobotDescription
    feet: tuple[RobotFoot, RobotFoot]
    """Left, right."""
    hands: tuple[RobotHand, RobotHand]
    """Left, right."""
    posture: Array
    """(dofs,) in which it parks, with the soles about the origin."""
    stiffness: Array
    """(dofs,) of the joints' controllers (N m/rad); 0 for the root."""
    armature: float
    """Inertia of motors and gears about every joint (kg m²)."""
    longest_step: float
    """Length of the longest step (m)."""
    step_seconds: float
    """Seconds that it takes."""

    @property
    def character(self) -> Character:
        """Its body."""
        return self.description.character

    @cached_property
    def dynamics(self) -> Dynamics:
        """Of its body."""
        return Dynamics(self.character)

    @property
    def fastest(self) -> float:
        """Largest speed (m/s)."""
        return self.longest_step / self.step_seconds

    @cached_property
    def size_ratio(self) -> float:
        """Height of the centre of mass relative to that of JVRC-1, to a tenth of a millimetre."""
        return round(float(self.dynamics.center_of_mass(self.posture)[2]), 4) / _HEIGHT

    @property
    def mass_ratio(self) -> float:
        """Mass relative to that of JVRC-1, to a gram."""
        return round(self.character.mass, 3) / _MASS


@dataclass(frozen=True, eq=False)
class SensedState:
    """What sensors tell."""

    q: Array
    """(dofs,)."""
    velocity: Array
    """(dofs,)."""
    wrenches: Array
    """(2, 6) force (N) and moment (N m) of the ground on each foot, at the middle of the sole, in axes of the foot."""


def list_robots() -> list[str]:
    """Return the names of the robots that are configured."""
    return sorted(path.stem for path in _CONFIGURATIONS.glob("*.yaml"))


def load_robot(name: str = "jvrc1") -> Robot:
    """Load a robot by name, or by the path of a configuration file (.yaml)."""
    file = Path(name) if name.endswith((".yaml", ".yml")) else _CONFIGURATIONS / f"{name}.yaml"
    if not file.is_file():
        known = ", ".join(list_robots())
        raise InputError(f"no robot '{name}'", fix=f"robots: {known}, or the path of a configuration (.yaml)")
    try:
        return _make_robot(check_mapping(read_yaml(file), "the configuration", _KEYS), file)
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=file, fix=error.fix) from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"the configuration lacks {error}", file=file, fix=f"see {_CONFIGURATIONS.name}/jvrc1.yaml"
        ) from None


def _make_robot(values: dict[str, Any], file: Path) -> Robot:
    description = read_urdf(_find_urdf(values, file))
    skeleton = description.character.skeleton
    feet, hands = [], []
    for side in SIDES:
        foot, hand = values["feet"][side], values["hands"][side]
        heel, toe, width, height = (check_number(foot[key], key) for key in ("heel", "toe", "width", "height"))
        center, half = np.array([0.5 * (toe + heel), 0.0, height]), 0.5 * np.array([toe - heel, width])
        feet.append(RobotFoot(skeleton.index(foot["joint"]), center, half))
        x, y, z = (check_number(number, "point") for number in hand["point"])
        hands.append(RobotHand(skeleton.index(hand["joint"]), np.array([x, y, z])))
    posture, stiffness = np.zeros(len(skeleton.dofs)), np.zeros(len(skeleton.dofs))
    columns = {skeleton.names[dof.joint]: column for column, dof in enumerate(skeleton.dofs) if column >= 6}
    for joint, angle in check_mapping(values["posture"], "the posture", None).items():
        if joint not in columns:
            raise InputError(f"the posture names the joint '{joint}'", file=file, fix=f"joints: {', '.join(columns)}")
        posture[columns[joint]] = check_number(angle, f"posture of '{joint}'")
    parts = check_mapping(values["stiffness"], "stiffness", None)
    for joint, column in columns.items():
        stiff = next((parts[part] for part in parts if part in joint), parts["default"])
        stiffness[column] = check_number(stiff, f"stiffness of '{joint}'", _STIFFEST)
    step = values["step"]
    numbers = [check_number(number, "step") for number in (values["armature"], step["length"], step["seconds"])]
    if min(numbers) <= 0.0:
        raise InputError("armature, length and seconds of a step must be positive", file=file)
    robot = Robot(description, (feet[0], feet[1]), (hands[0], hands[1]), posture, stiffness, *numbers)
    jacobians = Jacobians(robot.dynamics)
    jacobians.take(posture)
    soles = [jacobians.place(foot.joint, foot.center).position for foot in feet]
    posture[:3] -= np.mean(soles, axis=0)
    return robot


def _find_urdf(values: dict[str, Any], file: Path) -> Path:
    """Return the description: a file of an installed Python package, or one beside the configuration."""
    if "package" not in values:
        return file.parent / str(values["urdf"])
    package = str(values["package"])
    try:
        return Path(str(distribution(package).locate_file(str(values["urdf"]))))
    except PackageNotFoundError:
        raise InputError(
            f"the Python package '{package}' is not installed", file=file, fix=f"pip install {package}"
        ) from None
