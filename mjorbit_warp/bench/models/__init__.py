"""Models that only the benchmark needs: plain MJCF, primitives only."""
