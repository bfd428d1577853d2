"""Random numbers that depend on nothing but their key, over leading dimensions; see kernels.noise.

The words are those of the Warp backend, bit for bit; the normal variates agree to float32 rounding.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)


def philox(counter: ArrayLike, key: ArrayLike) -> NDArray[np.uint32]:
    """Philox4x32-10: random words (…, 4) of ``counter`` (…, 4) under ``key`` (…, 2), all 32-bit words."""
    x0, x1, x2, x3 = np.moveaxis(np.asarray(counter, dtype=np.uint64), -1, 0)
    k0, k1 = np.moveaxis(np.asarray(key, dtype=np.uint64), -1, 0)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * x0, np.uint64(0xCD9E8D57) * x2
        x0, x1, x2, x3 = (b >> _SHIFT) ^ x1 ^ k0, b & _LOW, (a >> _SHIFT) ^ x3 ^ k1, a & _LOW
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & _LOW, (k1 + np.uint64(0xBB67AE85)) & _LOW
    return np.stack(np.broadcast_arrays(x0, x1, x2, x3), axis=-1).astype(np.uint32)


def uniform(x: NDArray[np.uint32]) -> F64:
    """(0, 1]: (x + ½) 2⁻³², rounded to float32 as the Warp backend does."""
    scale = np.float32(2.0**-32)
    return (x.astype(np.float32) * scale + np.float32(0.5) * scale).astype(np.float64)


def keyed(
    seed: ArrayLike, count: ArrayLike, part: ArrayLike, stream: ArrayLike, sensor: ArrayLike
) -> NDArray[np.uint32]:
    """Four random words (…, 4) under the seed, of the counter (count, part, stream, sensor)."""
    seed, count, part, stream, sensor = (
        np.asarray(x, dtype=np.int64).astype(np.uint64) for x in (seed, count, part, stream, sensor)
    )
    high = ((count >> _SHIFT) & np.uint64(0xFFFF)) << np.uint64(16) | part
    counter = np.stack(np.broadcast_arrays(count & _LOW, high, stream & _LOW, sensor), axis=-1)
    return philox(counter, np.stack([seed & _LOW, seed >> _SHIFT], axis=-1))


def normal4(
    seed: ArrayLike, stream: ArrayLike, count: ArrayLike, sensor: ArrayLike, use: ArrayLike, block: ArrayLike
) -> F64:
    """Four independent standard normal variates (…, 4): radii √(−2 ln u), angles 2π u'."""
    u = uniform(keyed(seed, count, np.asarray(use) * 32768 + np.asarray(block), stream, sensor))
    radius, angle = np.sqrt(-2.0 * np.log(u[..., 0::2])), 2.0 * np.pi * u[..., 1::2]
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return pairs.reshape(*pairs.shape[:-2], 4)
