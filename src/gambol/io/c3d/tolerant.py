"""A C3D reader for files whose header and parameters disagree: where the file is complete, its size decides."""

from __future__ import annotations

from collections import Counter
from typing import Any

import c3d

_BLOCK = 512


class TolerantReader(c3d.Reader):
    """The package's reader, without its refusal of files in which header and parameters differ.

    Parameters have precedence, as the standard says. `read_frames` yields frames up to the end of the file: the
    caller, who has counted them, stops.
    """

    first_frame, last_frame = 0, 2**32

    def _check_metadata(self) -> None:
        pass

    @property
    def analog_per_frame(self) -> int:
        """Number of analogue samples per frame; the package rounds 9.9999 down to 9."""
        return round(self.analog_rate / self.point_rate)


def count_frames(reader: Any, available: int, frame_bytes: int) -> int | None:
    """Return the number of frames in `available` bytes of data, None if the file was cut.

    Header and parameters state it in up to four places. Exporters that count from 0 make some of them differ by one,
    and the header cannot state more than 65,535 frames. Where they differ, the file's size decides: a number that
    fills it but for less than a block of padding. One frame fewer than all of them state is accepted if it fills the
    file to the byte.
    """
    stated = list_frame_counts(reader)
    if not stated:
        return None
    rests = {count: available - count * frame_bytes for count in stated}
    filling = [count for count, rest in rests.items() if 0 <= rest < _BLOCK]
    if filling:
        return max(filling, key=lambda count: (stated[count], count))
    most = max(stated)
    if rests[most] >= 0:
        return most
    return most - 1 if most > 1 and rests[most] == -frame_bytes else None


def list_frame_counts(reader: Any) -> Counter[int]:
    """Return the numbers of frames that header and parameters state, and how many of them state each."""
    header = reader.header
    counts = [header.last_frame - header.first_frame + 1]
    first, last = (_long(reader.get(f"TRIAL:ACTUAL_{end}_FIELD")) for end in ("START", "END"))
    if first is not None and last is not None:
        counts.append(last - first + 1)
    counts += [_count(parameter) for name in ("LONG_FRAMES", "FRAMES") if (parameter := reader.get(f"POINT:{name}"))]
    return Counter(count for count in counts if count > 0)


def _count(parameter: Any) -> int:
    """Return a number of frames that is stored as a float or as 16 bits without sign."""
    return int(parameter.float_value if parameter.bytes_per_element == 4 else parameter.uint16_value)


def _long(parameter: Any) -> int | None:
    """Return a frame number that is stored as two 16-bit words, the low one first."""
    if parameter is None:
        return None
    low, high = parameter.uint16_array.ravel()[:2]
    return int(low) + 65536 * int(high)
