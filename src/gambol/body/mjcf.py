"""Export a character as MJCF for MuJoCo, whose independent dynamics must agree with ours."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array


def to_mjcf(character: Character) -> str:
    """Return the model as XML; each degree of freedom is named after its joint and its column in `q`."""
    skeleton = character.skeleton
    root = Xml.Element("mujoco", model=character.name)
    Xml.SubElement(root, "compiler", angle="radian", autolimits="true", boundmass="0", boundinertia="0")
    Xml.SubElement(root, "option", gravity=f"0 0 {-GRAVITY}", timestep="0.001")
    Xml.SubElement(root, "default").append(Xml.Element("joint", armature="0", damping="0"))
    elements: dict[int, Xml.Element] = {-1: Xml.SubElement(root, "worldbody")}
    for joint, parent in enumerate(skeleton.parents):
        body = Xml.SubElement(
            elements[parent],
            "body",
            name=skeleton.names[joint],
            pos=_numbers(skeleton.offsets[joint]),
            quat=_numbers(skeleton.rests[joint]),
        )
        elements[joint] = body
        for column in skeleton.columns(joint, "slide") + skeleton.columns(joint, "turn"):
            dof = skeleton.dofs[column]
            # MuJoCo's slide axes are in the body's own frame, ours in the parent's, before the rest orientation.
            inverse = quat.conjugate(skeleton.rests[joint])
            axis = quat.rotate(inverse, dof.axis) if dof.kind == "slide" else dof.axis
            kind = "slide" if dof.kind == "slide" else "hinge"
            Xml.SubElement(body, "joint", name=f"{skeleton.names[joint]}_{column}", type=kind, axis=_numbers(axis))
        if character.masses[joint] > 0.0:
            tensor = character.inertias[joint]
            upper = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            Xml.SubElement(
                body,
                "inertial",
                mass=repr(float(character.masses[joint])),
                pos=_numbers(character.centers[joint]),
                fullinertia=_numbers(upper),
            )
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode")


def _numbers(values: Array | tuple[float, ...]) -> str:
    return " ".join(repr(float(v)) for v in np.asarray(values))
