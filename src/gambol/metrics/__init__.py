"""How physical a motion is: numbers with the band they should lie in, and where the band comes from."""
