"""Models of random trees, for tests of properties: MuJoCo's editing API makes them, nothing of ours."""

from typing import Any

import mujoco
import numpy as np
from hypothesis import strategies as st

_KINDS = {
    "hinge": [mujoco.mjtJoint.mjJNT_HINGE],
    "slide": [mujoco.mjtJoint.mjJNT_SLIDE],
    "ball": [mujoco.mjtJoint.mjJNT_BALL],
    "universal": [mujoco.mjtJoint.mjJNT_HINGE] * 2,
    "fixed": [],
}


@st.composite
def tree_specs(draw: Any, most: int = 5) -> mujoco.MjSpec:
    """One to three free trees, each of up to ``most`` bodies on its root; every offset and inertia is tilted."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = [0.0, 0.0, 0.0]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.timestep = 0.005
    for tree in range(draw(st.integers(1, 3))):
        root = _body(spec.worldbody, f"root{tree}", rng, 5.0)
        root.add_freejoint()
        bodies = [root]
        for k, kind in enumerate(draw(st.lists(st.sampled_from(list(_KINDS)), max_size=most))):
            parent = bodies[draw(st.integers(0, len(bodies) - 1))]
            body = _body(parent, f"b{tree}_{k}", rng, 1.0)
            for joint in _KINDS[kind]:
                body.add_joint(type=joint, axis=_direction(rng, 3), pos=rng.uniform(-0.3, 0.3, 3))
            bodies.append(body)
    return spec


def scatter_host(mj: mujoco.MjModel, rng: np.random.Generator, speed: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """A random ``qpos``, quaternions of unit length, and a random ``qvel``."""
    qpos = mj.qpos0 + rng.uniform(-0.6, 0.6, mj.nq)
    for j, kind in enumerate(mj.jnt_type):
        start = mj.jnt_qposadr[j] + (3 if kind == mujoco.mjtJoint.mjJNT_FREE else 0)
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            qpos[start : start + 4] = _direction(rng, 4)
    return qpos, rng.uniform(-speed, speed, mj.nv)


def momenta(mj: mujoco.MjModel, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Linear momentum, angular momentum about the origin and kinetic energy: bodies' sums, as MuJoCo C moves them."""
    d = mujoco.MjData(mj)
    d.qpos[:], d.qvel[:] = qpos, qvel
    mujoco.mj_forward(mj, d)
    p, h, energy, found = np.zeros(3), np.zeros(3), 0.0, np.zeros(6)
    for body in range(1, mj.nbody):
        mujoco.mj_objectVelocity(mj, d, mujoco.mjtObj.mjOBJ_BODY, body, found, 0)
        omega, v, mass = found[:3], found[3:], mj.body_mass[body]
        frame = d.ximat[body].reshape(3, 3)
        spin = frame @ (mj.body_inertia[body] * (frame.T @ omega))
        p += mass * v
        h += np.cross(d.xipos[body], mass * v) + spin
        energy += 0.5 * mass * v @ v + 0.5 * omega @ spin
    return p, h, float(energy)


def _direction(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.normal(size=n)
    return x / np.linalg.norm(x)


def _body(parent: Any, name: str, rng: np.random.Generator, mass: float) -> Any:
    """A box's inertia about a turned, offset centre of mass."""
    mass *= rng.uniform(0.5, 2.0)
    x, y, z = rng.uniform(0.1, 0.6, 3) ** 2
    return parent.add_body(
        name=name,
        pos=rng.uniform(-0.7, 0.7, 3),
        quat=_direction(rng, 4),
        mass=mass,
        ipos=rng.uniform(-0.2, 0.2, 3),
        iquat=_direction(rng, 4),
        inertia=mass / 3.0 * np.array([y + z, z + x, x + y]),
        explicitinertial=True,
    )
