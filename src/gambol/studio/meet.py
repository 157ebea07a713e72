"""`gambol interaction live`: a page on which your hand is dragged and a person reacts, in the mood of the sliders."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from gambol.drawing.scene import SceneView
from gambol.geometry.arrays import Array
from gambol.interaction.model import InteractionModel
from gambol.interaction.partner import Partner, place_partner
from gambol.judge.recent import LIVE_SECONDS, RecentFrames
from gambol.motion.kinematics import Placement, place_local
from gambol.studio.host import Live

_STRONGEST = 1.5
"""Largest share of an emotion."""
_SAMPLED = 1.0 / 30.0
"""Seconds between the frames that are judged: those of the page come about as often."""
_VIEW = np.array([0.4, -2.6, 0.5])
"""Metres from the place of the contact to the camera: towards the hand, to the right of person 1, up."""
_HOW = "**Drag** the handle: it is your hand. Or let it come by itself with the button."


class Meeting:
    """A partner as an engine; holds the hand, the style and the latest frame."""

    def __init__(self, model: InteractionModel) -> None:
        self.partner = Partner(model)
        self.style = dict.fromkeys(model.emotions, 0.0)
        self.hand = self._find_hand(0.0)
        self._state, self.frame = self.partner.step(self.partner.start(), self.hand)
        self._coming: float | None = None
        self.recent = RecentFrames(replace(place_partner(model, self.frame), frame_time=_SAMPLED), LIVE_SECONDS)

    @property
    def phase(self) -> float:
        """Of the meeting, from 0 to 1; 0.5 is the contact."""
        return self._state.phase

    def come(self) -> None:
        """Let the hand come by itself, as in the mean of the trials."""
        self._coming = 0.0

    def take(self, place: Array) -> None:
        """Move the hand to a place (3,) in metres."""
        self.hand, self._coming = np.asarray(place, float), None

    def advance(self, seconds: float) -> None:
        """React to where the hand is now."""
        model = self.partner.model
        if self._coming is not None:
            shares = model.course.share_styles(self.style)
            rate = float(np.exp(model.log_rates[int(self._coming >= 0.5)] @ np.append(1.0, shares)))
            self._coming = min(self._coming + rate * seconds, 1.0)
            self.hand = self._find_hand(self._coming)
            if self._coming == 1.0:
                self._coming = None
        self._state, self.frame = self.partner.step(self._state, self.hand, self.style, seconds)
        self.recent.add(place_partner(model, self.frame).q[0], seconds)

    def _find_hand(self, phase: float) -> Array:
        course = self.partner.model.course
        features = course.combine(course.share_styles(self.style), course.goal_space.mean)
        return course.evaluate(phase, features)[self.partner.model.columns[3]]


class LiveMeeting(Live):
    """Serves a person who reacts to a hand. Python reads and sets the controls too."""

    def __init__(self, model: InteractionModel, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        self.meeting = Meeting(model)
        super().__init__(self.meeting, "gambol interaction", _HOW, host=host, port=port)
        person = model.people[0]
        self._skeleton = person.arm.skeleton
        self._stage = SceneView(self.server, [place_partner(model, self.meeting.frame)])
        middle = model.course.goal_space.mean
        camera = self.server.initial_camera
        camera.position, camera.look_at = middle + _VIEW, middle
        self.hand = self.server.scene.add_transform_controls(
            "/hand", scale=0.25, disable_rotations=True, position=tuple(self.meeting.hand)
        )
        self.server.scene.add_icosphere("/hand/palm", 0.05, (205, 120, 60))
        self.hand.on_update(lambda _: self.do(partial(self.meeting.take, np.array(self.hand.position))))
        gui = self.server.gui
        self.moods = {name: gui.add_slider(name, 0.0, _STRONGEST, 0.05, 0.0) for name in model.emotions}
        for slider in self.moods.values():
            slider.on_update(lambda _: self.do(self._set_mood))
        self.button = gui.add_button("Meet")
        self.button.on_click(lambda _: self.do(self.meeting.come))
        self.words = gui.add_markdown("")
        self.show()

    @property
    def recent(self) -> RecentFrames:
        """Of the meeting."""
        return self.meeting.recent

    def _set_mood(self) -> None:
        self.meeting.style = {name: float(slider.value) for name, slider in self.moods.items()}

    def show(self) -> None:
        """Update the figure, the handle and the figures in the panel."""
        local: Placement = self.meeting.frame.local
        placed = place_local(self._skeleton, local)
        self._stage.figures[0].pose(placed.positions[0], placed.rotations[0])
        if not np.array_equal(self.hand.position, self.meeting.hand):
            self.hand.position = tuple(self.meeting.hand)
        apart = float(np.linalg.norm(self.meeting.partner.model.people[0].arm.locate(local)[0] - self.meeting.hand))
        words = f"phase **{self.meeting.phase:.2f}**, hands {apart:.2f} m apart"
        if words != self.words.content:
            self.words.content = words
