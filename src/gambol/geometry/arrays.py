"""Arrays of real numbers: their type, and a check of their shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError

Array = NDArray[np.floating]


def check_shapes(owner: object, **shapes: tuple[int, ...]) -> None:
    """Raise an InputError unless the named arrays of an object are finite and have these shapes."""
    for name, shape in shapes.items():
        array = getattr(owner, name)
        if np.shape(array) != shape or not np.isfinite(array).all():
            what = f"{name} of {type(owner).__name__}"
            raise InputError(f"{what} must be finite and of shape {shape}, not {np.shape(array)}")
