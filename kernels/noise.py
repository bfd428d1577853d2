"""Random numbers that depend on nothing but their key: Philox4x32-10, and normal variates from it.

Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011) encrypts a 128-bit counter with a 64-bit key into four 32-bit words. Here the key is a world's seed, and the
counter is (sample number, use, stream of the world, sensor): the numbers of one world do not depend on how many worlds
there are, nor on what is drawn in them.
"""

import warp as wp

WHITE = 0  # uses: white noise, random walk
WALK = 1

_M0 = wp.constant(wp.uint32(0xD2511F53))
_M1 = wp.constant(wp.uint32(0xCD9E8D57))
_W0 = wp.constant(wp.uint32(0x9E3779B9))
_W1 = wp.constant(wp.uint32(0xBB67AE85))
_LOW = wp.constant(wp.uint64(0xFFFFFFFF))
_LOW_SIGNED = wp.constant(wp.int64(0xFFFFFFFF))


@wp.func
def _mulhilo(a: wp.uint32, b: wp.uint32):
    """(high, low) word of a 64-bit product."""
    product = wp.uint64(a) * wp.uint64(b)
    return wp.uint32(product >> wp.uint64(32)), wp.uint32(product & _LOW)


@wp.func
def philox(c0: wp.uint32, c1: wp.uint32, c2: wp.uint32, c3: wp.uint32, k0: wp.uint32, k1: wp.uint32):
    """Four random words of the counter (c0 … c3) under the key (k0, k1): ten rounds."""
    x0 = c0
    x1 = c1
    x2 = c2
    x3 = c3
    key0 = k0
    key1 = k1
    for _ in range(10):
        high0, low0 = _mulhilo(_M0, x0)
        high1, low1 = _mulhilo(_M1, x2)
        x0 = high1 ^ x1 ^ key0
        x1 = low1
        x2 = high0 ^ x3 ^ key1
        x3 = low0
        key0 = key0 + _W0
        key1 = key1 + _W1
    return x0, x1, x2, x3


@wp.func
def uniform(x: wp.uint32) -> float:
    """(0, 1] from a random word: (x + ½) 2⁻³², rounded to float32."""
    return float(x) * 2.3283064365386963e-10 + 1.1641532182693481e-10


@wp.func
def keyed(seed: wp.int64, count: wp.int64, part: int, stream: int, sensor: wp.uint32):
    """Four random words of the key ``seed`` and the counter (count to 2^48, part to 2^16, stream, sensor)."""
    shift = wp.int64(32)
    return philox(
        wp.uint32(count & _LOW_SIGNED),
        (wp.uint32((count >> shift) & wp.int64(0xFFFF)) << wp.uint32(16)) | wp.uint32(part),
        wp.uint32(stream),
        sensor,
        wp.uint32(seed & _LOW_SIGNED),
        wp.uint32((seed >> shift) & _LOW_SIGNED),
    )


@wp.func
def normal4(seed: wp.int64, stream: int, count: wp.int64, sensor: int, use: int, block: int) -> wp.vec4:
    """Four independent standard normal variates (Box & Muller, Ann. Math. Statist. 29, 1958), at most 6.8 in size.

    See ``keyed``; ``use`` is 0 or 1, and ``block`` up to 2^15 within a sample.
    """
    x0, x1, x2, x3 = keyed(seed, count, use * 32768 + block, stream, wp.uint32(sensor))
    turn = float(wp.static(2.0 * wp.PI))
    radius = wp.sqrt(-2.0 * wp.log(uniform(x0)))
    angle = turn * uniform(x1)
    radius2 = wp.sqrt(-2.0 * wp.log(uniform(x2)))
    angle2 = turn * uniform(x3)
    return wp.vec4(radius * wp.cos(angle), radius * wp.sin(angle), radius2 * wp.cos(angle2), radius2 * wp.sin(angle2))
