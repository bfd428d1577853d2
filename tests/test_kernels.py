"""Every Warp func against its NumPy twin, on random states with tilted attitudes and offset centres of mass."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import warp as wp

from mjorbit_warp import frames
from mjorbit_warp.central import central_parameters
from mjorbit_warp.constants import EARTH
from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels import gravity as kernel
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.frames import lvlh_axes
from mjorbit_warp.kernels.orbit import compensated_add, orbit_funcs
from mjorbit_warp.kernels.types import CentralBody
from mjorbit_warp.reference import gravity as twin
from mjorbit_warp.reference.orbit import compensated_add as compensated_add_twin

MU, RE, J2 = 3.986004418e14, 6378137.0, 1.08262668e-3
N = 400
REL = 1e-6  # float32, relative to the sum of the absolute terms; measured 3e-7


def states(seed: int) -> dict[str, Any]:
    """Orbits from 200 km to beyond GEO, offsets from 1 cm to 10 % of the radius, random poles and inertias."""
    rng = np.random.default_rng(seed)

    def unit() -> np.ndarray:
        v = rng.normal(size=(N, 3))
        return v / np.linalg.norm(v, axis=1, keepdims=True)

    radius = 10 ** rng.uniform(np.log10(6.58e6), np.log10(5e7), (N, 1))
    rho = unit() * 10 ** rng.uniform(-2.0, np.log10(0.1 * radius))
    axes = np.linalg.qr(rng.normal(size=(N, 3, 3)))[0]
    axes *= np.linalg.det(axes)[:, None, None]
    sides = rng.uniform(0.3, 3.0, (N, 3)) ** 2
    inertia = 20.0 * (sides.sum(axis=1, keepdims=True) - sides)
    # rho, axes and moments as float32 holds them: the twin gets the same numbers
    rho, axes, inertia = (x.astype(np.float32).astype(np.float64) for x in (rho, axes, inertia))
    return {"r_c": unit() * radius, "rho": rho, "pole": unit(), "axes": axes, "inertia": inertia}


@wp.kernel(module="unique")
def _evaluate(
    r_c: wp.array[wp.vec3d],
    rho: wp.array[wp.vec3],
    pole: wp.array[wp.vec3d],
    axes: wp.array[wp.mat33],
    inertia: wp.array[wp.vec3],
    mu: wp.float64,
    radius: wp.float64,
    j2: wp.float64,
    encke: wp.array[wp.vec3],
    zonal: wp.array[wp.vec3],
    torque: wp.array[wp.vec3],
    point64: wp.array[wp.vec3d],
    zonal64: wp.array[wp.vec3d],
    lvlh: wp.array[wp.mat33d],
):
    i = wp.tid()
    r = r_c[i]
    inverse = wp.float64(1.0) / wp.length(r)
    u = wp.vec3(r * inverse)
    eps = rho[i] * float(inverse)
    g = mu * inverse * inverse
    g2 = wp.float64(1.5) * j2 * g * (radius * inverse) * (radius * inverse)
    encke[i] = kernel.encke_difference(u, eps, float(g))
    zonal[i] = kernel.j2_difference(u, eps, wp.vec3(pole[i]), float(g2))
    torque[i] = kernel.gravity_gradient_torque(u, eps, float(g * inverse), axes[i], inertia[i])
    point64[i] = kernel.point_gravity(r, mu)
    zonal64[i] = kernel.j2_gravity(r, mu, radius, j2, pole[i])
    lvlh[i] = lvlh_axes(r, wp.cross(pole[i], r))


@pytest.fixture(scope="module")
def evaluated() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    s = states(3)
    dtypes = {"encke": wp.vec3, "zonal": wp.vec3, "torque": wp.vec3}
    dtypes |= {"point64": wp.vec3d, "zonal64": wp.vec3d, "lvlh": wp.mat33d}
    out = {name: wp.zeros(N, dtype=dtype) for name, dtype in dtypes.items()}
    inputs = [wp.array(s[n], dtype=t) for n, t in (("r_c", wp.vec3d), ("rho", wp.vec3), ("pole", wp.vec3d))]
    inputs += [wp.array(s["axes"], dtype=wp.mat33), wp.array(s["inertia"], dtype=wp.vec3), MU, RE, J2]
    wp.launch(_evaluate, dim=N, inputs=inputs, outputs=list(out.values()))
    return s, {name: array.numpy() for name, array in out.items()}


def relative(got: np.ndarray, want: np.ndarray, scale: np.ndarray) -> float:
    return float((np.abs(got - want).max(axis=-1) / scale).max())


def test_encke_difference(evaluated: Any) -> None:
    """Terms: ε and F u, both of the size of |ρ|."""
    s, got = evaluated
    distance = np.linalg.norm(s["r_c"], axis=1)
    scale = MU / distance**3 * np.linalg.norm(s["rho"], axis=1)
    assert relative(got["encke"], twin.encke_difference(s["r_c"], s["rho"], MU), scale) < REL


def test_j2_difference(evaluated: Any) -> None:
    """Terms: products of σ, ε and (y⁷ − 1), together about 20 |ε|."""
    s, got = evaluated
    distance = np.linalg.norm(s["r_c"], axis=1)
    scale = 1.5 * J2 * MU * RE**2 / distance**5 * np.linalg.norm(s["rho"], axis=1) * 20.0
    want = twin.j2_difference(s["r_c"], s["rho"], MU, RE, J2, s["pole"])
    assert relative(got["zonal"], want, scale) < REL


def test_gravity_gradient_torque(evaluated: Any) -> None:
    """Terms: 3 μ/r³ times differences of moments."""
    s, got = evaluated
    r = s["r_c"] + s["rho"]
    scale = 3.0 * MU / np.linalg.norm(r, axis=1) ** 3 * s["inertia"].max(axis=1)
    assert relative(got["torque"], twin.gravity_gradient_torque(r, MU, s["axes"], s["inertia"]), scale) < 2.0 * REL


def test_float64_fields(evaluated: Any) -> None:
    s, got = evaluated
    g = MU / np.linalg.norm(s["r_c"], axis=1) ** 2
    assert relative(got["point64"], twin.point_gravity(s["r_c"], MU), g) < 1e-15
    assert relative(got["zonal64"], twin.j2_gravity(s["r_c"], MU, RE, J2, s["pole"]), g * J2) < 1e-14
    assert np.abs(got["lvlh"] - frames.lvlh_axes(s["r_c"], np.cross(s["pole"], s["r_c"]))).max() < 1e-15


def test_constants_stay_float64() -> None:
    """A literal that slipped to float32 would show at 1e-8: one orbit step against the closed form, both variants."""
    for j2 in (False, True):
        rk4_orbit = orbit_funcs(Effects(j2=j2).origin)[1]

        @wp.kernel(module="unique")
        def step(r: wp.vec3d, v: wp.vec3d, dt: wp.float64, central: CentralBody, out: wp.array[wp.vec3d]):
            dr, dv = rk4_orbit(  # noqa: B023 (built before the loop goes on)
                r,
                v,
                dt,
                wp.vec3d(),
                central,
                wp.vec3d(wp.float64(0.0), wp.float64(0.6), wp.float64(0.8)),
                EnvironmentModel(),
                EnvironmentState(),
                0,
            )
            out[0] = dr
            out[1] = dv

        r, v, dt = np.array([4.1e6, -3.2e6, 4.4e6]), np.array([3.1e3, 6.7e3, 1.1e3]), 1.0
        out = wp.zeros(2, dtype=wp.vec3d)
        body = central_parameters(dataclasses.replace(EARTH, mu=MU, radius=RE, j2=J2)).struct
        wp.launch(step, dim=1, inputs=[wp.vec3d(*r), wp.vec3d(*v), dt, body], outputs=[out])

        pole = np.array([0.0, 0.6, 0.8])

        def field(x: np.ndarray, j2: bool = j2, pole: np.ndarray = pole) -> np.ndarray:
            return twin.point_gravity(x, MU) + (twin.j2_gravity(x, MU, RE, J2, pole) if j2 else 0.0)

        # 1000 velocity-Verlet steps of 1 ms with Richardson extrapolation would do; 20 RK4 substeps are simpler
        x, w = r.copy(), v.copy()
        for _ in range(20):
            h = dt / 20.0
            a0 = field(x)
            a1 = field(x + 0.5 * h * w)
            a2 = field(x + 0.5 * h * (w + 0.5 * h * a0))
            a3 = field(x + h * (w + 0.5 * h * a1))
            x, w = x + h * w + h * h / 6.0 * (a0 + a1 + a2), w + h / 6.0 * (a0 + 2.0 * a1 + 2.0 * a2 + a3)
        assert np.abs(out.numpy()[0] - (x - r)).max() < 1e-8  # rounding of 7e6 m; RK4 truncation is 1e-10
        assert np.abs(out.numpy()[1] - (w - v)).max() < 1e-11


def test_compensated_add() -> None:
    """A million increments below the last digit: the plain sum loses them all, the compensated one none."""

    @wp.kernel(module="unique")
    def accumulate(out: wp.array[wp.vec3d], n: int, small: wp.vec3d):
        total = out[0]
        carry = wp.vec3d()
        for _ in range(n):
            total, carry = compensated_add(total, carry, small)
        out[0] = total

    out = wp.array([[7e6, -7e6, 1e6]], dtype=wp.vec3d)
    small = np.array([1e-10, -1e-10, 3e-11])
    wp.launch(accumulate, dim=1, inputs=[out, 1_000_000, wp.vec3d(*small)])
    assert np.abs(out.numpy()[0] - (np.array([7e6, -7e6, 1e6]) + 1e6 * small)).max() < 2e-9  # 2 ulp of 7e6 m
    total, carry = np.full((1, 3), 7e6), np.zeros((1, 3))
    for _ in range(1000):
        total, carry = compensated_add_twin(total, carry, np.full((1, 3), 1e-10))
    assert np.abs(total + carry - (7e6 + 1e-7)).max() < 2e-9
