"""A robot on the ground in MuJoCo: joint position control, contact of the soles, sensors with noise.

Soles are boxes, friction cones elliptic, and every joint has the inertia of its gears. A controller gives joint angles;
the joints' own controllers turn them into torques with stiffness and damping, up to the limits of the description.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.assumptions import FRICTION
from gambol.body.mjcf import to_mjcf
from gambol.errors import MissingExtra
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross
from gambol.robots.biped import Biped
from gambol.robots.stabiliser import SensedState
from gambol.stages.feet import SIDES

TIME_STEP = 0.001
"""Seconds."""
_DAMPING_RATIO = 0.025
"""Damping of joint controllers, relative to their stiffness (s)."""
_DRAWER_DAMPING, _DRAWER_FRICTION = 20.0, 5.0
"""Of the rails of a drawer (N s/m, N)."""
_DRAWER_LENGTH = 0.3
"""Metres by which it can be pulled out."""
_GRASP = (0.05, 1.0)
"""Time constant (s) and damping ratio with which a hand is drawn to the handle that it grasps."""
_WEIGHTLESS = 1e-9
"""Mass (kg) and inertia (kg m²) of links that turn and have none."""
_THICKNESS = 0.02
"""Half the thickness of a sole (m)."""


@dataclass(frozen=True)
class World:
    """What a robot does not know: friction, and errors of its masses and sensors."""

    friction: float = FRICTION
    mass_error: float = 0.0
    """Largest error of a segment's mass, relative."""
    encoder_noise: float = 0.0
    """Standard deviation (rad)."""
    attitude_noise: float = 0.0
    """Standard deviation (rad)."""
    velocity_noise: float = 0.0
    """Standard deviation (rad/s, and m/s of the root)."""
    force_noise: float = 0.0
    """Standard deviation (N, and a tenth of it in N m)."""
    seed: int = 0
    drawer_mass: float = 2.0
    """Of a drawer that slides on rails, where there is one (kg)."""


class Simulation:
    """A robot that is simulated, and a drawer that its left hand can grasp, if there is one."""

    def __init__(self, robot: Biped, q: Array, world: World = World(), *, drawer: bool = False) -> None:
        self.robot, self.world = robot, world
        self._random = np.random.default_rng(world.seed)
        self._engine = _import_engine()
        self.model = _build(robot, world, self._random, drawer)
        self.data = self._engine.MjData(self.model)
        self._feet = [self.model.geom(f"{side} sole").id for side in SIDES]
        self._dofs, self._has_drawer = len(q), drawer
        self._drawer: int = self.model.body("drawer").id if drawer else -1
        self._grasp: int = self.model.equality("grasp").id if drawer else -1
        self._equality = int(self._engine.mjtConstraint.mjCNSTR_EQUALITY)
        self.grasp_force: Array = np.zeros(3)
        """(3,) of the left hand on the handle (N, world): mean of the last `advance`, within which it falls."""
        self.data.qpos[: self._dofs] = q
        self.data.ctrl[:] = q[6:]
        self._engine.mj_forward(self.model, self.data)

    @property
    def time(self) -> float:
        """Seconds."""
        return float(self.data.time)

    @property
    def q(self) -> Array:
        """(dofs,) true coordinates."""
        return self.data.qpos[: self._dofs].copy()

    @property
    def torques(self) -> Array:
        """(dofs - 6,) of the joints (N m)."""
        return self.data.actuator_force.copy()

    def push(self, joint: int, force: Array) -> None:
        """Let a world force (3,) act on the segment of a joint, at its centre of mass, until told otherwise (N)."""
        self.data.xfrc_applied[joint + 1, :3] = force

    def hold_drawer(self, handle: Array, grasped: bool) -> None:
        """Put the drawer to where its handle (3,) is while it is shut (m), and let the left hand grasp it or not."""
        self.model.body_pos[self._drawer] = handle
        self.data.eq_active[self._grasp] = grasped

    @property
    def pulled(self) -> float:
        """How far the drawer is pulled out (m)."""
        return float(self.data.qpos[self._dofs])

    def _measure_grasp(self) -> Array:
        """Return the force (3,) of the left hand on the handle in the last time step."""
        rows = (self.data.efc_type == self._equality) & (self.data.efc_id == self._grasp)
        return -self.data.efc_force[rows] if rows.any() else np.zeros(3)

    def advance(self, joints: Array, seconds: float) -> None:
        """Simulate with joint angles (dofs,) as goals of the joints' controllers."""
        self.data.ctrl[:] = joints[6:]
        steps, forces = round(seconds / TIME_STEP), np.zeros(3)
        for _ in range(steps):
            self._engine.mj_step(self.model, self.data)
            if self._has_drawer:
                forces += self._measure_grasp()
        self.grasp_force = forces / steps

    def sense(self) -> SensedState:
        """Return what the sensors tell."""
        q, velocity, world = self.q, self.data.qvel[: self._dofs].copy(), self.world
        q[6:] += self._random.normal(0.0, world.encoder_noise, len(q) - 6) if world.encoder_noise else 0.0
        q[3:6] += self._random.normal(0.0, world.attitude_noise, 3) if world.attitude_noise else 0.0
        velocity += self._random.normal(0.0, world.velocity_noise, len(q)) if world.velocity_noise else 0.0
        wrenches = self.measure_wrenches()
        if world.force_noise:
            wrenches += self._random.normal(0.0, world.force_noise, wrenches.shape) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
        return SensedState(q, velocity, wrenches)

    def measure_wrenches(self) -> Array:
        """Return the true wrenches (2, 6) of the ground on both feet."""
        found, one = np.zeros((2, 6)), np.zeros(6)
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            for foot, geom in enumerate(self._feet):
                if geom not in (contact.geom1, contact.geom2):
                    continue
                self._engine.mj_contactForce(self.model, self.data, number, one)
                force = contact.frame.reshape(3, 3).T @ one[:3]  # on geom 2 in world axes
                force = force if contact.geom2 == geom else -force
                turn = self.data.geom_xmat[geom].reshape(3, 3)
                middle = self.data.geom_xpos[geom] - turn[:, 2] * _THICKNESS
                found[foot, :3] += turn.T @ force
                found[foot, 3:] += turn.T @ cross(contact.pos - middle, force)
        return found


def _import_engine() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("simulating a robot", "robot") from None
    return mujoco


def _build(robot: Biped, world: World, random: np.random.Generator, with_drawer: bool) -> Any:
    mujoco = _import_engine()
    spec = mujoco.MjSpec.from_string(to_mjcf(robot.character))
    spec.option.timestep = TIME_STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[world.friction, 0.005, 0.0001]
    )
    skeleton = robot.character.skeleton
    for side, foot in zip(SIDES, robot.feet, strict=True):
        spec.body(skeleton.names[foot.joint]).add_geom(
            name=f"{side} sole",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=foot.center + _THICKNESS * foot.rotation[:, 2],
            quat=quat.from_matrix(foot.rotation),
            size=[*foot.half, _THICKNESS],
            friction=[world.friction, 0.005, 0.0001],
            mass=0.0,
            condim=4,
        )
    moving = {dof.joint for dof in skeleton.dofs}
    carriers = [next(each for each in skeleton.path_to_root(j) if each in moving) for j in range(len(skeleton.names))]
    for joint in moving - {carriers[j] for j, mass in enumerate(robot.character.masses) if mass}:
        body = spec.body(skeleton.names[joint])  # MuJoCo moves nothing without inertia
        body.mass, body.inertia, body.explicitinertial = _WEIGHTLESS, [_WEIGHTLESS] * 3, True
    for column, dof in enumerate(skeleton.dofs):
        if column < 6:
            continue
        name = f"{skeleton.names[dof.joint]}_{column}"
        spec.joint(name).armature = robot.armature
        limit = robot.description.torques[column]
        stiffness = robot.stiffness[column]
        damping = _DAMPING_RATIO * stiffness
        spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gainprm=[stiffness] + [0] * 9,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0, -stiffness, -damping] + [0] * 7,
            forcerange=[-limit, limit],
            forcelimited=bool(np.isfinite(limit)),
        )
    if world.mass_error:
        for body in spec.bodies[1:]:
            factor = 1.0 + random.uniform(-world.mass_error, world.mass_error)
            body.mass, body.fullinertia = body.mass * factor, body.fullinertia * factor
    if not with_drawer:
        return spec.compile()
    _add_drawer(spec, robot, world.drawer_mass)
    model = spec.compile()
    model.eq_data[model.equality("grasp").id, 3:6] = 0.0  # the handle, in the frame of the drawer
    return model


def _add_drawer(spec: Any, robot: Biped, mass: float) -> None:
    """Add a drawer on rails along x, and the grasp of its handle with the left hand, which is not active yet."""
    mujoco = _import_engine()
    drawer = spec.worldbody.add_body(name="drawer", mass=mass, inertia=[0.01 * mass] * 3, explicitinertial=True)
    drawer.add_joint(
        name="drawer",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[-1.0, 0.0, 0.0],
        damping=[_DRAWER_DAMPING, 0.0, 0.0],
        frictionloss=_DRAWER_FRICTION,
        range=[0.0, _DRAWER_LENGTH],
        limited=True,
    )
    hand = robot.hands[0]
    spec.add_equality(
        name="grasp",
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=robot.character.skeleton.names[hand.joint],
        name2="drawer",
        data=[*hand.point, *[0.0] * 9],
        solref=_GRASP,
        active=False,
    )
