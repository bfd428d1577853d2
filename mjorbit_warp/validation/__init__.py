"""Comparisons with closed forms, other simulators and conservation laws: the command ``mjorbit-warp validate``."""
