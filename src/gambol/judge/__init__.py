"""What a person sees in a written motion: stances, pops, limbs, human limits, likeness to the input."""
