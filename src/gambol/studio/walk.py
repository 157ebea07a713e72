"""`gambol humanoid walk --view`: a page on which a simulated robot walks, is pushed, and its drawer is dragged away."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from gambol.drawing.scene import FigureView, SceneView
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, rotate_plane
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.robots.drawer import DrawerPlanner
from gambol.robots.execution import Execution
from gambol.robots.furniture import make_furniture
from gambol.robots.simulation import Simulation, World
from gambol.robots.skin import load_skin
from gambol.robots.verb import HumanoidTask
from gambol.robots.walker import WalkingState
from gambol.studio.host import Live

_LONGEST = 0.05
"""Seconds of computing between pictures, where the simulation is slower than real time."""
_PUSH, _PUSHING = 80.0, 0.1
"""Force (N) and duration (s) of a push."""
_FARTHEST = 20.0
"""Largest distance (m) from the robot to its goal: every step to it is planned."""
_DIRECTIONS = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_VIEW = np.array([0.4, -2.3, 0.5])
"""Metres from the middle of the way to the camera: ahead, to the left, up."""
_PLANNED = 4
"""Largest number of planned footprints that are shown."""
_THIN = 0.004
"""Height of a footprint (m)."""
_HOW = "**Drag** the ball to move the goal, **push** the robot with the buttons: it plans its steps again."


class WalkingRobot:
    """A run in progress as an engine; it ends by itself and can be started again."""

    def __init__(self, task: HumanoidTask, world: World = World()) -> None:
        self.task, self._world = task, world
        self.paused = False
        self.restart()

    def restart(self) -> None:
        """Begin at the origin, with the goal where it was first."""
        self.planner = self.task.make_planner()
        self.execution = Execution(self.task.walker, self.planner, self._world)
        self._due, self._force, self._pushed_until = 0.0, np.zeros(3), 0.0

    @property
    def goal(self) -> Array:
        """(3,) the handle of the closed drawer, or the place on the floor (m)."""
        planner = self.planner
        return planner.drawer.handle if isinstance(planner, DrawerPlanner) else np.append(planner.place, 0.0)

    def move_goal(self, goal: Array) -> None:
        """Move the drawer, or the place, while the robot walks there."""
        away = goal[:2] - self.execution.simulation.q[:2]
        if not np.linalg.norm(away) <= _FARTHEST:
            raise InputError(f"the goal is more than {_FARTHEST:g} m away", fix="move it nearer to the robot")
        if not isinstance(self.planner, DrawerPlanner):
            self.planner.place = goal[:2]
        elif self.planner.opens:
            raise InputError("the robot has stopped at the drawer", fix="move the drawer before that")
        else:
            self.planner.drawer = self.planner.drawer.move(goal - self.goal)

    def push(self, direction: str) -> None:
        """Push the root in a direction, as seen from the robot."""
        heading = rotate_plane(float(self.execution.simulation.q[3]))
        self._force = np.append(_PUSH * heading @ _DIRECTIONS[direction], 0.0)
        self._pushed_until = self.execution.simulation.time + _PUSHING

    def advance(self, seconds: float) -> None:
        """Simulate, in real time or as fast as is possible."""
        if self.paused:
            return
        self._due += seconds
        end = time.perf_counter() + _LONGEST
        simulation = self.execution.simulation
        while simulation.time < self._due and not self.execution.over and time.perf_counter() < end:
            self.execution.advance(self._disturb)
        self._due = min(self._due, simulation.time)

    def _disturb(self, simulation: Simulation, _: WalkingState) -> None:
        simulation.push(0, self._force if simulation.time < self._pushed_until else np.zeros(3))


class LiveWalk(Live):
    """Serves a robot that walks. Python reads and sets the controls too."""

    def __init__(
        self, task: HumanoidTask, world: World = World(), *, host: str = "127.0.0.1", port: int = 8080
    ) -> None:
        self.robot = WalkingRobot(task, world)
        super().__init__(self.robot, "gambol humanoid walk", _HOW, host=host, port=port)
        character, skin = task.walker.robot.character, load_skin(task.walker.robot.description)
        self._skeleton = character.skeleton
        self._stage = SceneView(self.server, [Motion(self._skeleton, task.walker.posture[None], 0.01, skin=skin)])
        middle = np.append(0.5 * task.place, 0.8)
        camera = self.server.initial_camera
        camera.position, camera.look_at = middle + _VIEW * max(1.0, float(np.linalg.norm(task.place)) / 2.0), middle
        scene, gui = self.server.scene, self.server.gui
        self.goal = scene.add_transform_controls(
            "/goal", scale=0.25, disable_rotations=True, position=tuple(self.robot.goal)
        )
        scene.add_icosphere("/goal/ball", 0.03, (205, 120, 60))
        self._drawer = None
        if task.opening is not None:
            drawer = task.opening[1]
            shut = np.append(drawer.handle, 0.0)[None]
            size, inside = task.walker.robot.size_ratio, drawer.item - drawer.handle
            self._drawer = FigureView(self.server, "drawer", make_furniture(shut, 0.01, inside, size))
        self.goal.on_update(lambda _: self.do(partial(self.robot.move_goal, np.array(self.goal.position))))
        self._footprints = [
            scene.add_box(f"/footprint_{n}", (90, 140, 190), (*(2.0 * task.walker.robot.feet[0].half), _THIN))
            for n in range(_PLANNED)
        ]
        self.pause = gui.add_checkbox("Pause", False)
        self.pause.on_update(lambda _: self.do(self._pause))
        self.push = gui.add_button_group(f"Push ({_PUSH * _PUSHING:g} N s)", tuple(_DIRECTIONS))
        self.push.on_click(lambda _: self.do(partial(self.robot.push, self.push.value)))
        self.again = gui.add_button("Start again")
        self.again.on_click(lambda _: self.do(self.robot.restart))
        self.words = gui.add_markdown("")
        self._shown: tuple[object, ...] = ()
        self.show()

    def _pause(self) -> None:
        self.robot.paused = self.pause.value

    def show(self) -> None:
        """Update the robot, the goal, the planned footprints and the words."""
        execution = self.robot.execution
        goal = tuple(self.robot.goal.tolist())
        if self._shown != (execution, execution.simulation.time, goal):
            self._shown = execution, execution.simulation.time, goal
            self._pose(execution)
        if tuple(self.goal.position) != goal:
            self.goal.position = goal
        words = self._describe()
        if words != self.words.content:
            self.words.content = words

    def _pose(self, execution: Execution) -> None:
        placed = place(self._skeleton, execution.simulation.q[None])
        self._stage.figures[0].pose(placed.positions[0], placed.rotations[0])
        if self._drawer is not None:
            moved = place(self._drawer.motion.skeleton, np.array([[*self.robot.goal, execution.simulation.pulled]]))
            self._drawer.pose(moved.positions[0], moved.rotations[0])
        planned = [swing.goal for swing in execution.state.course.swings[:_PLANNED]]
        for number, handle in enumerate(self._footprints):
            handle.visible = number < len(planned)
            if handle.visible:
                x, y, heading = planned[number].place
                handle.position, handle.wxyz = (x, y, 0.5 * _THIN), tuple(quat.from_axis_angle(UP, heading))

    def _describe(self) -> str:
        execution, planner = self.robot.execution, self.robot.planner
        doing = "walks"
        if isinstance(planner, DrawerPlanner) and planner.opens:
            doing = "opens the drawer and parks"
        if execution.over:
            doing = "fell" if execution.fallen else "is done"
        notes = planner.notes if isinstance(planner, DrawerPlanner) else ()
        return "\n\n".join((f"{execution.simulation.time:.1f} s: the robot **{doing}**", *notes))
