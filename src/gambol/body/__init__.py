"""Characters with mass: anthropometry, kinematics, dynamics and their derivatives."""
