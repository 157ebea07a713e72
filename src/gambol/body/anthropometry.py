"""How a body's mass is spread: published tables of segment masses, centres and radii of gyration.

De Leva, Journal of Biomechanics 29 (1996), table 4, after Zatsiorsky; Dempster's cadavers as tabled by Winter,
Biomechanics and Motor Control of Human Movement (2009), table 4.1. Centres are measured from the upper end of a
segment, radii about the centre, both as shares of its length. Dempster's radii are for one transverse axis: it is
used for both. What Winter's table leaves open is filled in: radii about long axes and those of the trunk's parts are
de Leva's men's, and the head's centre, tabled at the ear canal, is put halfway up.

These tables measure along the segments only, but trunk, thighs and shanks weigh behind the lines between their joints.
Those shares are from Dumas, Cheze and Verriest, Journal of Biomechanics 40 (2007), as the scripts of the HuMoD database
have them; Dempster's table is left without.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gambol.errors import InputError


@dataclass(frozen=True)
class Share:
    """One segment: share of body mass, centre and radii of gyration as shares of the segment's length."""

    mass: float
    center: float
    """From the upper (proximal) end."""
    sagittal: float
    """About the front-to-back axis."""
    transverse: float
    """About the left-to-right axis."""
    longitudinal: float
    ahead: float = 0.0
    """How far the centre lies ahead of the line between the joints; of the two upper parts of the trunk as a share of
    the way from the lumbar joint to the neck."""


@dataclass(frozen=True)
class Anthropometry:
    """A table for a kind of body: segments by name, without side. Sided segments count twice in the mass."""

    name: str
    shares: Mapping[str, Share]

    def __post_init__(self) -> None:
        for segment, share in self.shares.items():
            numbers = (share.mass, share.sagittal, share.transverse, share.longitudinal)
            places = (share.center, share.ahead)
            if not all(0.0 < x < 2.0 for x in numbers) or not all(-1.0 < x < 2.0 for x in places):
                raise InputError(f"table '{self.name}', segment '{segment}': shares must be positive and below 2")


# The trunk's three parts are bounded by the joint of the neck, the lower end of the breastbone, the navel and the
# hips. The upper trunk is measured from the seventh cervical vertebra (de Leva's "2"), the head from there as well.
MALE = Anthropometry(
    "de Leva, men",
    {
        "head": Share(0.0694, 0.4998, 0.303, 0.315, 0.261),
        "chest": Share(0.1596, 0.5066, 0.505, 0.320, 0.465, -0.036),
        "spine": Share(0.1633, 0.4502, 0.482, 0.383, 0.468, -0.036),
        "pelvis": Share(0.1117, 0.6115, 0.615, 0.551, 0.587),
        "upper_arm": Share(0.0271, 0.5772, 0.285, 0.269, 0.158),
        "forearm": Share(0.0162, 0.4574, 0.276, 0.265, 0.121),
        "hand": Share(0.0061, 0.3624, 0.288, 0.235, 0.184),
        "thigh": Share(0.1416, 0.4095, 0.329, 0.329, 0.149, -0.041),
        "shank": Share(0.0433, 0.4395, 0.251, 0.246, 0.102, -0.048),
        "foot": Share(0.0137, 0.4415, 0.257, 0.245, 0.124),
    },
)
FEMALE = Anthropometry(
    "de Leva, women",
    {
        "head": Share(0.0668, 0.5159, 0.271, 0.295, 0.261),
        "chest": Share(0.1545, 0.5050, 0.466, 0.314, 0.449, -0.016),
        "spine": Share(0.1465, 0.4512, 0.433, 0.354, 0.415, -0.016),
        "pelvis": Share(0.1247, 0.4920, 0.433, 0.402, 0.444),
        "upper_arm": Share(0.0255, 0.5754, 0.278, 0.260, 0.148),
        "forearm": Share(0.0138, 0.4559, 0.261, 0.257, 0.094),
        "hand": Share(0.0056, 0.3427, 0.244, 0.208, 0.154),
        "thigh": Share(0.1478, 0.3612, 0.369, 0.364, 0.162, -0.077),
        "shank": Share(0.0481, 0.4352, 0.267, 0.263, 0.092, -0.049),
        "foot": Share(0.0129, 0.4014, 0.299, 0.279, 0.139),
    },
)
DEMPSTER = Anthropometry(
    "Dempster, after Winter",
    {
        "head": Share(0.081, 0.50, 0.495, 0.495, 0.261),
        "chest": Share(0.216, 0.82, 0.505, 0.320, 0.465),
        "spine": Share(0.139, 0.44, 0.482, 0.383, 0.468),
        "pelvis": Share(0.142, 0.105, 0.615, 0.551, 0.587),
        "upper_arm": Share(0.028, 0.436, 0.322, 0.322, 0.158),
        "forearm": Share(0.016, 0.430, 0.303, 0.303, 0.121),
        "hand": Share(0.006, 0.506, 0.297, 0.297, 0.184),
        "thigh": Share(0.100, 0.433, 0.323, 0.323, 0.149),
        "shank": Share(0.0465, 0.433, 0.302, 0.302, 0.102),
        "foot": Share(0.0145, 0.500, 0.475, 0.475, 0.124),
    },
)
TABLES = {"male": MALE, "female": FEMALE, "dempster": DEMPSTER}
