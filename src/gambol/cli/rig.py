"""`gambol rig`: the mapping file of a rig or marker set that is not recognised."""

from __future__ import annotations

from gambol.cli.options import Clip, MaybeOutput, Reading, Writing


def rig(clip: Clip, reading: Reading, writing: Writing, output: MaybeOutput = None) -> None:
    """Write a mapping file: which joint is which part of the body, with what could be guessed filled in.

    For a marker file (C3D, TRC): which marker is which landmark.

    Example: gambol rig strange.bvh -o rig.yaml
    """
    from gambol.fit.load import load_all
    from gambol.io import load_markers
    from gambol.io.formats import detect_format
    from gambol.io.output import write_text
    from gambol.motion.marker_names import format_marker_template
    from gambol.motion.rig import format_mapping_template

    writing.check_outputs(output, inputs=[clip])
    if clip.exists() and detect_format(clip) in ("c3d", "trc"):
        option, text = "--markers", format_marker_template(load_markers(clip).names)
    else:
        option, text = "--rig", format_mapping_template(load_all(clip, **reading.options)[0].skeleton)
    if output is None:
        for line in text.split("\n"):
            writing.line(line)
        return
    write_text(output, text)
    writing.line(f"{output}: fill in what is missing, then pass {option} {output}")
