"""`gambol rig`: the mapping file of a rig or marker set that is not recognised, and the file of a robot."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path

from gambol.cli.options import Clip, MaybeOutput, Reading, Writing


def rig(clip: Clip, reading: Reading, writing: Writing, output: MaybeOutput = None) -> None:
    """Write a mapping file: which joint is which part of the body, with what could be guessed filled in.

    For a marker file (C3D, TRC): which marker is which landmark. For a robot (URDF, MJCF): which joints are which
    limbs, where it faces, the corners of its soles, and how it walks: posture, gains and steps.

    Example: gambol rig strange.bvh -o rig.yaml

    Example: gambol rig robot.xml -o robot.yaml
    """
    from gambol.fit.load import load_all
    from gambol.io import load_markers
    from gambol.io.formats import detect_format
    from gambol.io.output import write_text
    from gambol.motion.marker_names import format_marker_template
    from gambol.motion.rig import format_mapping_template
    from gambol.robots.descriptions import is_robot

    writing.check_outputs(output, inputs=[clip])
    if is_robot(clip):
        text = _describe_robot(clip, output)
        advice = f"give it in place of the robot: --to {output}, --robot {output}"
    elif clip.exists() and detect_format(clip) in ("c3d", "trc"):
        text, advice = format_marker_template(load_markers(clip).names), f"pass --markers {output}"
    else:
        text = format_mapping_template(load_all(clip, **reading.options)[0].skeleton)
        advice = f"pass --rig {output}"
    if output is None:
        for line in text.split("\n"):
            writing.line(line)
        return
    write_text(output, text)
    writing.line(f"{output}: fill in what is missing, then {advice}")


def _describe_robot(robot: Path, output: Path | None) -> str:
    """Return the file of a robot, which it names relative to where the file is written."""
    from gambol.robots.biped_template import format_robot_file

    name = relpath(robot, output.parent) if output is not None and robot.exists() else str(robot)
    return format_robot_file(robot, name)
