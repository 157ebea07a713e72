"""`find_contacts`: what touches the ground in a clip, and when."""

from __future__ import annotations

from dataclasses import replace

from gambol.body.character import Character
from gambol.contacts.move import enter_frame
from gambol.contacts.timeline import Contacts
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import fit
from gambol.motion.own_frame import find_own_frame
from gambol.spacetime.artefacts import remove_artefacts


def find_contacts(clip: Source, *, contacts: GivenContacts | None = None, mass: float | None = None) -> Contacts:
    """Find the contacts of heels, balls and hands of a clip, and its flights; `contacts` that are given are completed.

    Lost frames, flips and noise are removed first; places are in the world. `mass` (kg) is that of the person.

    >>> found = gb.find_contacts("walk")
    >>> found.items[0].part, found.items[0].kind
    ('left_heel', 'fixed')
    """
    given = as_motion(clip)
    own = find_own_frame(given)
    motion = remove_artefacts(replace(given, skeleton=own.enter(given.skeleton))).motion
    found = use_contacts(fit(Character.from_motion(motion, mass), motion), contacts, own=own)
    return enter_frame(own).inverse().table(found)
