"""Shadow of a sphere: published cases, Basilisk's tables, integrals over the solar disc, and the kernels."""

import mpmath
import numpy as np
import warp as wp

from mjorbit_warp.kernels import eclipse as kernel
from mjorbit_warp.reference.eclipse import disc_overlap, eclipse_conical, eclipse_cylindrical
from tests.conftest import DATA

AU, R_SUN, RE = 149597870700.0, 6.957e8, 6378137.0
SUN = np.array([AU, 0.0, 0.0])
BASILISK_SUN, BASILISK_EARTH = 695000e3, 6378136.6


def test_h05_known_answers() -> None:
    """Known-answer case H05: lit, lit, dark, penumbra by a ray test, penumbra, lit."""
    r = np.array([[7e6, 0, 0], [0, 7e6, 0], [-7e6, 0, 0], [-7e6, 6.35e6, 0], [-7e6, 6.41e6, 0], [2e6, 6e6, 3e6]])
    got = eclipse_conical(r, SUN, R_SUN, RE)
    assert np.abs(got - [1.0, 1.0, 0.0, 0.026072, 0.996527, 1.0]).max() < 1e-6
    assert np.array_equal(eclipse_cylindrical(r, SUN, RE), [1.0, 1.0, 0.0, 0.0, 1.0, 1.0])


def test_h05_monotone_and_continuous() -> None:
    y = np.linspace(6.34e6, 6.42e6, 8001)
    lit = eclipse_conical(np.stack([np.full_like(y, -7e6), y, np.zeros_like(y)], axis=-1), SUN, R_SUN, RE)
    steps = np.diff(lit)
    assert lit[0] == 0.0 and lit[-1] == 1.0 and (steps >= 0.0).all()
    assert steps.max() < 2.5e-4  # 10 m of a penumbra 65 km wide: 2/π × 10/32500 at its steepest


def test_basilisk_tables() -> None:
    data = np.load(DATA / "environment_tables.npz")
    conical = eclipse_conical(data["r_N"], data["sun_position"], BASILISK_SUN, BASILISK_EARTH)
    assert np.abs(conical - data["shadow_conical"]).max() < 1e-8
    assert ((0.0 < conical) & (conical < 1.0)).sum() == 8
    cylindrical = eclipse_cylindrical(data["r_N"], data["sun_position"], BASILISK_EARTH)
    assert np.array_equal(cylindrical, data["shadow_cylindrical"])


def test_overlap_is_the_integral() -> None:
    """Against the integral of the common width over the line of centres, in 30 digits; a lens, a bite, a near miss."""
    for a, b, c in ((1.0, 0.8, 0.9), (0.0047, 1.2, 1.1997), (1.0, 0.3, 0.75), (0.0047, 1.2, 1.20469), (1.0, 1.0, 0.01)):
        with mpmath.workdps(30):
            a2, b2, mc = mpmath.mpf(a) ** 2, mpmath.mpf(b) ** 2, mpmath.mpf(c)
            x0 = (mc**2 + a2 - b2) / (2 * mc)
            near = mpmath.quad(lambda x, b2=b2, mc=mc: mpmath.sqrt(abs(b2 - (mc - x) ** 2)), [mc - mpmath.mpf(b), x0])
            far = mpmath.quad(lambda x, a2=a2: mpmath.sqrt(abs(a2 - x**2)), [x0, mpmath.mpf(a)])
            want = float(2 * (near + far))
        assert abs(float(disc_overlap(a, b, c)) - want) < 1e-14 * b**2


def test_antumbra_beyond_the_tip() -> None:
    """The umbra of Earth ends at R_b |sun|/(R_s − R_b): dark before it, a ring of light of 1 − (b/a)² behind it."""
    tip = RE * AU / (R_SUN - RE)
    for distance, dark in ((0.999 * tip, True), (1.001 * tip, False), (3.0 * tip, False)):
        r = np.array([-distance, 0.0, 0.0])
        lit = float(eclipse_conical(r, SUN, R_SUN, RE))
        ring = 1.0 - (np.arcsin(RE / distance) / np.arcsin(R_SUN / (AU + distance))) ** 2
        assert lit == 0.0 if dark else abs(lit - ring) < 1e-12
    side = np.linspace(0.0, 3e7, 3001)
    across = eclipse_conical(np.stack([np.full_like(side, -3.0 * tip), side, 0.0 * side], axis=-1), SUN, R_SUN, RE)
    assert (np.diff(across) >= -1e-13).all() and across[-1] == 1.0 and np.diff(across).max() < 2e-3


def test_inside_the_body_is_dark() -> None:
    r = np.array([[0.0, 0.0, 0.0], [RE, 0.0, 0.0], [RE - 1.0, 0.0, 0.0], [0.0, RE * (1.0 + 1e-12), 0.0]])
    assert np.array_equal(eclipse_cylindrical(r[:3], SUN, RE), np.zeros(3))
    assert np.array_equal(eclipse_conical(r[:3], SUN, R_SUN, RE), np.zeros(3))
    assert abs(float(eclipse_conical(r[3], SUN, R_SUN, RE)) - 0.5) < 0.01  # half the Sun above the horizon


@wp.kernel(module="unique")
def _evaluate(
    r: wp.array[wp.vec3d],
    sun: wp.vec3d,
    sun_radius: wp.float64,
    body_radius: wp.float64,
    conical: wp.array[wp.float64],
    cylindrical: wp.array[wp.float64],
):
    i = wp.tid()
    conical[i] = kernel.eclipse_conical(r[i], sun, sun_radius, body_radius)
    cylindrical[i] = kernel.eclipse_cylindrical(r[i], sun, body_radius)


def on_device(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    out = [wp.zeros(len(r), dtype=wp.float64) for _ in range(2)]
    wp.launch(_evaluate, dim=len(r), inputs=[wp.array(r, dtype=wp.vec3d), wp.vec3d(*SUN), R_SUN, RE], outputs=out)
    return out[0].numpy(), out[1].numpy()


def test_kernels_are_their_twins() -> None:
    """1e-12 of the solar disc: the body's sector, which cancels, is b²β/(π a²) ≈ 80 of it."""
    rng = np.random.default_rng(11)
    unit = rng.normal(size=(2000, 3))
    far = unit / np.linalg.norm(unit, axis=1, keepdims=True) * 10 ** rng.uniform(6.81, 10.0, (2000, 1))
    behind = -(10 ** rng.uniform(6.0, 9.6, 4000))
    off = RE + 5e-3 * behind * rng.uniform(-1.2, 1.2, behind.size)
    angle = rng.uniform(0.0, 2.0 * np.pi, behind.size)
    r = np.concatenate([far, np.stack([behind, off * np.cos(angle), off * np.sin(angle)], axis=-1)])
    conical, cylindrical = on_device(r)
    want = eclipse_conical(r, SUN, R_SUN, RE)
    assert ((0.0 < want) & (want < 1.0)).sum() > 1000 and ((0.0 < want) & (want < 1.0) & (r[:, 0] < -1.5e9)).sum() > 20
    assert np.abs(conical - want).max() < 1e-12
    assert np.array_equal(cylindrical, eclipse_cylindrical(r, SUN, RE))


def test_no_nan_at_the_edges() -> None:
    """Every neighbour in float64 of the touching points, the axis itself and the centre."""
    a, b = np.arcsin(R_SUN / (AU + 7e6)), np.arcsin(RE / 7e6)
    rows = [[0.0, 0.0, 0.0], [-7e6, 0.0, 0.0], [7e6, 0.0, 0.0], [-RE, 0.0, 0.0], [-RE * (1.0 + 1e-15), 0.0, 0.0]]
    for c in (b - a, a + b):
        rows += [[-7e6 * np.cos(x), 7e6 * np.sin(x), 0.0] for x in c + np.arange(-300, 300) * 1e-16]
    tip = RE * AU / (R_SUN - RE)
    rows += [[-x, 0.0, 0.0] for x in tip * (1.0 + np.arange(-50, 50) * 1e-15)]
    for lit in on_device(np.array(rows)):
        assert np.isfinite(lit).all() and lit.min() >= 0.0 and lit.max() <= 1.0
