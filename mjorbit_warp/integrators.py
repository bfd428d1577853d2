"""MuJoCo's integrators by the names that <option> has for them."""

import mujoco

INTEGRATORS = {
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
}
