"""Legs and feet: two bones in closed form on characters and rigs, feet that stay where they touch."""
