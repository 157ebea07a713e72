"""A robot whose base has axes that point ahead, left and up, as walking needs them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.link_shapes import LinkShape
from gambol.body.robot_description import RobotDescription
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.robots.biped import Biped, BodyPlace

_ALIGNED = 1e-9
"""Sine of half the angle between axes that are the same."""


def align_base(robot: Biped) -> Biped:
    """Return a robot with the axes of its base turned to point ahead, left and up; the robot itself if they do."""
    if np.abs(robot.frame[1:]).max() < _ALIGNED:
        return robot
    back = quat.conjugate(robot.frame)
    root = angles_about(np.eye(3)[::-1], quat.multiply(robot.standing.rotations[0, 0], robot.frame)[None])[0]
    upright, bent = (np.concatenate((q[:3], root, q[6:])) for q in (robot.upright, robot.bent))
    places = {
        part: BodyPlace(at.joint, quat.rotate(back, at.point)) if at.joint == 0 else at
        for part, at in robot.places.items()
    }
    description = _turn_description(robot.description, back)
    return replace(robot, description=description, upright=upright, places=places, frame=quat.IDENTITY, bent=bent)


def _turn_description(description: RobotDescription, turn: Array) -> RobotDescription:
    """Return a description whose base has other axes: what was along x is then along the turned x."""
    character = description.character
    skeleton, centers, inertias = character.skeleton, character.centers.copy(), character.inertias.copy()
    below = np.array([parent == 0 for parent in skeleton.parents])
    offsets = np.where(below[:, None], quat.rotate(turn, skeleton.offsets), skeleton.offsets)
    rests = np.where(below[:, None], quat.multiply(turn, skeleton.rests), skeleton.rests)
    dofs = tuple(
        replace(dof, axis=tuple(quat.rotate(turn, np.array(dof.axis)).tolist()))
        if dof.kind == "slide" and below[dof.joint]
        else dof
        for dof in skeleton.dofs
    )
    matrix = quat.to_matrix(turn)
    centers[0], inertias[0] = matrix @ centers[0], matrix @ inertias[0] @ matrix.T
    turned = replace(
        character,
        skeleton=replace(skeleton, offsets=offsets, rests=rests, dofs=dofs),
        centers=centers,
        inertias=inertias,
    )
    visuals, collisions = (
        tuple(_turn_shape(shape, turn) if shape.joint == 0 else shape for shape in shapes)
        for shapes in (description.visuals, description.collisions)
    )
    up = quat.rotate(turn, description.up)
    return replace(description, character=turned, visuals=visuals, collisions=collisions, up=up)


def _turn_shape(shape: LinkShape, turn: Array) -> LinkShape:
    return replace(shape, position=quat.rotate(turn, shape.position), rotation=quat.multiply(turn, shape.rotation))
