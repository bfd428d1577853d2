"""Pure NumPy, float64 twin of the Warp backend."""
