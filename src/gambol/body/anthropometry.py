"""Published tables of segment masses, centres of mass and radii of gyration.

De Leva, Journal of Biomechanics 29 (1996), table 4, after Zatsiorsky; Dempster's cadavers as tabled by Winter,
Biomechanics and Motor Control of Human Movement (2009), table 4.1. Centres are measured from the upper end of a
segment, radii about the centre, both as shares of the segment's length. Dempster gives one transverse radius: it is
used for both transverse axes. Values that Winter's table does not have are filled in: radii about long axes and those
of the parts of the trunk are de Leva's for men, and the centre of the head, tabled at the ear canal, is put halfway up.

These tables place centres along the segments only, but the centres of trunk, thighs and shanks lie behind the lines
between the joints. These offsets are from Dumas, Cheze and Verriest, Journal of Biomechanics 40 (2007), as used by the
scripts of the HuMoD database; Dempster's table has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gambol.errors import InputError


@dataclass(frozen=True)
class SegmentShares:
    """One segment: share of body mass; centre and radii of gyration as shares of the segment's length."""

    mass: float
    center: float
    """From the upper (proximal) end."""
    sagittal: float
    """About the front-to-back axis."""
    transverse: float
    """About the left-to-right axis."""
    longitudinal: float
    forward: float = 0.0
    """Distance of the centre ahead of the line between the joints. For the two upper parts of the trunk it is a share
    of the distance from the lumbar joint to the neck."""


@dataclass(frozen=True)
class Anthropometry:
    """A table of segments by name, without side. Paired segments count twice in the mass."""

    name: str
    shares: Mapping[str, SegmentShares]

    def __post_init__(self) -> None:
        for segment, share in self.shares.items():
            numbers = (share.mass, share.sagittal, share.transverse, share.longitudinal)
            places = (share.center, share.forward)
            if not all(0.0 < x < 2.0 for x in numbers) or not all(-1.0 < x < 2.0 for x in places):
                raise InputError(f"table '{self.name}', segment '{segment}': shares must be positive and below 2")


# The boundaries of the three parts of the trunk are the neck joint, the lower end of the breastbone, the navel and the
# hips. Upper trunk and head are measured from the seventh cervical vertebra (de Leva's "2").
MALE = Anthropometry(
    "de Leva, men",
    {
        "head": SegmentShares(0.0694, 0.4998, 0.303, 0.315, 0.261),
        "chest": SegmentShares(0.1596, 0.5066, 0.505, 0.320, 0.465, -0.036),
        "spine": SegmentShares(0.1633, 0.4502, 0.482, 0.383, 0.468, -0.036),
        "pelvis": SegmentShares(0.1117, 0.6115, 0.615, 0.551, 0.587),
        "upper_arm": SegmentShares(0.0271, 0.5772, 0.285, 0.269, 0.158),
        "forearm": SegmentShares(0.0162, 0.4574, 0.276, 0.265, 0.121),
        "hand": SegmentShares(0.0061, 0.3624, 0.288, 0.235, 0.184),
        "thigh": SegmentShares(0.1416, 0.4095, 0.329, 0.329, 0.149, -0.041),
        "shank": SegmentShares(0.0433, 0.4395, 0.251, 0.246, 0.102, -0.048),
        "foot": SegmentShares(0.0137, 0.4415, 0.257, 0.245, 0.124),
    },
)
FEMALE = Anthropometry(
    "de Leva, women",
    {
        "head": SegmentShares(0.0668, 0.5159, 0.271, 0.295, 0.261),
        "chest": SegmentShares(0.1545, 0.5050, 0.466, 0.314, 0.449, -0.016),
        "spine": SegmentShares(0.1465, 0.4512, 0.433, 0.354, 0.415, -0.016),
        "pelvis": SegmentShares(0.1247, 0.4920, 0.433, 0.402, 0.444),
        "upper_arm": SegmentShares(0.0255, 0.5754, 0.278, 0.260, 0.148),
        "forearm": SegmentShares(0.0138, 0.4559, 0.261, 0.257, 0.094),
        "hand": SegmentShares(0.0056, 0.3427, 0.244, 0.208, 0.154),
        "thigh": SegmentShares(0.1478, 0.3612, 0.369, 0.364, 0.162, -0.077),
        "shank": SegmentShares(0.0481, 0.4352, 0.267, 0.263, 0.092, -0.049),
        "foot": SegmentShares(0.0129, 0.4014, 0.299, 0.279, 0.139),
    },
)
DEMPSTER = Anthropometry(
    "Dempster, after Winter",
    {
        "head": SegmentShares(0.081, 0.50, 0.495, 0.495, 0.261),
        "chest": SegmentShares(0.216, 0.82, 0.505, 0.320, 0.465),
        "spine": SegmentShares(0.139, 0.44, 0.482, 0.383, 0.468),
        "pelvis": SegmentShares(0.142, 0.105, 0.615, 0.551, 0.587),
        "upper_arm": SegmentShares(0.028, 0.436, 0.322, 0.322, 0.158),
        "forearm": SegmentShares(0.016, 0.430, 0.303, 0.303, 0.121),
        "hand": SegmentShares(0.006, 0.506, 0.297, 0.297, 0.184),
        "thigh": SegmentShares(0.100, 0.433, 0.323, 0.323, 0.149),
        "shank": SegmentShares(0.0465, 0.433, 0.302, 0.302, 0.102),
        "foot": SegmentShares(0.0145, 0.500, 0.475, 0.475, 0.124),
    },
)
TABLES = {"male": MALE, "female": FEMALE, "dempster": DEMPSTER}
