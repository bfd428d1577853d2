"""Seeds of the sensors' noise."""

from typing import Any

import numpy as np

MAX_SEED = 2**53 - 1  # states are float64


def check_seed(seed: Any) -> int:
    """A seed that a float64 state holds exactly."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= int(seed) <= MAX_SEED:
        raise ValueError(f"seed is {seed!r}: an integer from 0 to 2^53 − 1 is expected")
    return int(seed)
