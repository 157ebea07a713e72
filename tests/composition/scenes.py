"""Small scenes for tests."""

from __future__ import annotations

from gambol.composition.composition import Action, Composition, Person
from gambol.composition.conditions import BodyPart, Hold

WALK = (Action("walk", steps=3),)
ANNA = Person("anna", WALK, heading=0.0)
BEN = Person("ben", WALK, at=(0.0, -0.75), heading=0.0, delay=0.2)
HANDS = Hold(BodyPart("anna", "right_hand"), BodyPart("ben", "left_hand"))
PAIR = Composition("pair", (ANNA, BEN), (HANDS,), duration=1.3)
