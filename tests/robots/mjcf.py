"""A small humanoid in MuJoCo's format, with several hinges on one body and shapes of every kind."""

from __future__ import annotations

LEG = """<body name="{side}_thigh" pos="0 {y} -0.1">
  <joint name="{side}_hip_yaw" axis="0 0 1" range="-1 1"/><joint name="{side}_hip_roll" axis="1 0 0" range="-1 1"/>
  <joint name="{side}_hip_pitch" axis="0 1 0" range="-2 1"/>
  <inertial pos="0 0 -0.2" mass="4" diaginertia="0.1 0.1 0.02"/>
  <geom type="capsule" fromto="0 0 -0.05 0 0 -0.35" size="0.05"/>
  <body name="{side}_shank" pos="0 0 -0.4"><joint name="{side}_knee" axis="0 1 0" range="0 2.5"/>
    <inertial pos="0 0 -0.2" mass="3" diaginertia="0.1 0.1 0.02"/>
    <geom type="cylinder" size="0.04 0.15" pos="0 0 -0.2"/>
    <body name="{side}_foot" pos="0 0 -0.4"><joint name="{side}_ankle_pitch" axis="0 1 0" range="-1 1"/>
      <joint name="{side}_ankle_roll" axis="1 0 0" range="-0.5 0.5"/>
      <inertial pos="0.03 0 -0.04" mass="1" diaginertia="0.002 0.005 0.005"/>
      <geom type="box" size="0.12 0.05 0.02" pos="0.04 0 -0.05"/>
    </body></body></body>
"""
ARM = """<body name="{side}_arm" pos="0 {y} 0.4"><joint name="{side}_shoulder_pitch" axis="0 1 0" range="-3 3"/>
  <joint name="{side}_shoulder_roll" axis="1 0 0" range="-3 3"/>
  <inertial pos="0 0 -0.15" mass="2" diaginertia="0.02 0.02 0.01"/>
  <geom type="ellipsoid" size="0.04 0.05 0.15" pos="0 0 -0.15" contype="0" conaffinity="0" rgba="1 0 0 1"/>
  <body name="{side}_forearm" pos="0 0 -0.3"><joint name="{side}_elbow" axis="0 1 0" range="-2 0"/>
    <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.005"/><geom type="sphere" size="0.05" pos="0 0 -0.2"/>
  </body></body>
"""
_LIMBS = "".join(
    part.format(side=side, y=sign * y)
    for side, sign in (("left", 1), ("right", -1))
    for part, y in ((LEG, 0.1), (ARM, 0.25))
)
HUMANOID = f"""<mujoco model="made"><compiler angle="radian"/>
<worldbody><geom type="plane" size="1 1 1"/><body name="trunk" pos="0 0 1.2" euler="0 0 0.3"><freejoint/>
<inertial pos="0.01 0 0.2" mass="20" fullinertia="0.8 0.7 0.3 0.01 0.02 0"/>
<geom type="box" size="0.1 0.15 0.25" pos="0 0 0.2"/>
{_LIMBS}</body></worldbody>
<actuator><motor joint="left_knee" forcerange="-80 90"/></actuator></mujoco>
"""
