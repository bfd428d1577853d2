"""Errors against reference trajectories, in metres and radians.

python -m benchmarks.accuracy --out benchmarks/results/accuracy.json            # everything, about 25 minutes
python -m benchmarks.accuracy free_body two_arm_warp --fraction 0.05            # some, the first 5 %
"""

import json
import math
import pathlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks import hardware_accuracy
from benchmarks.common import parser, write
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.validation.models import angle
from mjorbit_warp.validation.truth import load
from mjorbit_warp.validation.truth_motion import command_numpy, command_warp, two_arm_model, two_arm_start

FREE_BODY = """
<mujoco><option timestep="0.1" gravity="0 0 0"/><worldbody><body name="body"><freejoint/>
<inertial pos="0 0 0" mass="100" diaginertia="{}"/></body></worldbody></mujoco>
"""


def free_model(inertia: np.ndarray, orbit: mjo.Orbit, integrator: str, **options: bool) -> mjo.MjoModel:
    """One rigid body of 100 kg."""
    spec = mjo.MjoSpec.from_string(FREE_BODY.format(" ".join(map(str, inertia))))
    spec.orbit, spec.options = orbit, mjo.OrbitOptions(**options)
    spec.option.integrator = INTEGRATORS[integrator]
    return spec.compile()


def samples(truth: Any, fraction: float, step: Callable[[], None], timestep: float) -> Iterator[int]:
    """Advance to each time of the truth in turn; yields the sample's index."""
    last = max(1, math.ceil(fraction * (len(truth["t"]) - 1)))
    for i in range(1, last + 1):
        for _ in range(round((truth["t"][i] - truth["t"][i - 1]) / timestep)):
            step()
        yield i


def free_body(fraction: float = 1.0, integrator: str = "RK4") -> dict[str, float]:
    """Relative position and attitude of a free body, 3 orbits, reference backend at dt 0.1."""
    truth = load("free_body_leo")
    orbit = mjo.Orbit.from_state(truth["ref_r"][0], truth["ref_v"][0], frame="GCRS")
    model = free_model(truth["inertia"], orbit, integrator, j2=False, gravity_gradient=False)
    data = mjo_ref.make_data(model, nthread=1)
    data.qpos[:] = np.concatenate([truth["rel_r"][0], truth["q"][0]])
    data.qvel[:] = np.concatenate([truth["rel_v"][0], truth["omega"][0]])
    worst = dict.fromkeys(("position_m", "attitude_rad", "orbit_m"), 0.0)
    for i in samples(truth, fraction, lambda: mjo_ref.mjo_step(model, data), 0.1):
        errors = (
            float(np.linalg.norm(data.qpos[0, :3] - truth["rel_r"][i])),
            angle(data.qpos[0, 3:], truth["q"][i]),
            float(np.linalg.norm(data.orbit.r[0] - truth["ref_r"][i])),
        )
        worst = {k: max(w, e) for (k, w), e in zip(worst.items(), errors, strict=True)}
    return worst


def tumble(fraction: float = 1.0) -> dict[str, float]:
    """Attitude of a body tumbling under the gravity gradient, one orbit, reference backend at dt 0.1."""
    truth = load("tumble_gg")
    orbit = mjo.Orbit.from_state(truth["r"][0], truth["v"][0], frame="GCRS")
    model = free_model(truth["inertia"], orbit, "RK4", j2=False)
    data = mjo_ref.make_data(model, nthread=1)
    data.qpos[:] = np.concatenate([np.zeros(3), truth["q"][0]])
    data.qvel[:] = np.concatenate([np.zeros(3), truth["omega"][0]])
    worst, effect = 0.0, 0.0
    for i in samples(truth, fraction, lambda: mjo_ref.mjo_step(model, data), 0.1):
        worst = max(worst, angle(data.qpos[0, 3:], truth["q"][i]))
        effect = max(effect, angle(truth["q_no_gg"][i], truth["q"][i]))
    return {"attitude_rad": worst, "effect_of_the_torque_rad": effect}


def two_arm(fraction: float = 1.0, timestep: float = 0.1, integrator: str = "RK4") -> dict[str, float]:
    """Two-arm free-flyer, half an orbit, reference backend."""
    truth = load("two_arm_free_flyer")
    model = two_arm_model(integrator, timestep)
    model.callback.control = command_numpy
    data = mjo_ref.make_data(model, nthread=1)
    data.qpos[:], data.qvel[:] = two_arm_start()
    worst = dict.fromkeys(("joint_rad", "attitude_rad", "bus_m"), 0.0)
    for i in samples(truth, fraction, lambda: mjo_ref.mjo_step(model, data), timestep):
        errors = (
            float(np.abs(data.qpos[0, 7:] - truth["joint_q"][i]).max()),
            angle(data.qpos[0, 3:7], truth["q"][i]),
            float(np.linalg.norm(data.qpos[0, :3] - truth["rel_bus_r"][i])),
        )
        worst = {k: max(w, e) for (k, w), e in zip(worst.items(), errors, strict=True)}
    return worst


def rotations(count: int) -> np.ndarray:
    """Unit quaternions: none for world 0, random for the others."""
    quat = np.random.default_rng(0).normal(size=(count, 4))
    quat[0] = [1.0, 0.0, 0.0, 0.0]
    return quat / np.linalg.norm(quat, axis=1, keepdims=True)


def two_arm_warp(
    fraction: float = 1.0,
    integrator: str = "RK4",
    precision: str = "single",
    timestep: float = 0.1,
    nworld: int = 8,
) -> dict[str, float]:
    """The same on the Warp backend, float32, at dt as float32 holds it; truth at the clock's true time.

    The field is a point mass's, so turning the whole scene, orbit and all, changes nothing but the rounding: each world
    has its own rotation, which makes as many samples of the float32 error. World 0 is not turned.
    """
    truth = load("two_arm_free_flyer")
    turn = rotations(nworld)

    def turned(x: np.ndarray) -> np.ndarray:
        return _quat.rotate(turn, np.broadcast_to(x, (nworld, 3)))

    model = two_arm_model(integrator, timestep)
    model.callback.control = command_warp
    r, v = turned(truth["ref_r"][0]), turned(truth["ref_v"][0])
    orbits = [mjo.Orbit.from_state(a, b, frame="GCRS") for a, b in zip(r, v, strict=True)]
    data = mjo.make_data(model, nworld=nworld, orbit=orbits, precision=precision)
    quat = _quat.mul(turn, np.broadcast_to(truth["q"][0], (nworld, 4)))
    joints, rates = (np.tile(truth[name][0], (nworld, 1)) for name in ("joint_q", "joint_v"))
    omega = np.tile(truth["omega"][0], (nworld, 1))
    qpos = np.concatenate([turned(truth["rel_bus_r"][0]), quat, joints], axis=1)
    qvel = np.concatenate([turned(truth["rel_bus_v"][0]), omega, rates], axis=1)
    data.qpos.assign(qpos)
    data.qvel.assign(qvel)
    if precision == "shadow":  # the start in float64 too: it rounds to what the arrays hold, and so it counts
        data.shadow.qpos.assign(qpos)
        data.shadow.qvel.assign(qvel)
    replay = mjo.capture(model, data, nstep=50)
    worst = {name: np.zeros(nworld) for name in ("joint_rad", "com_m", "orbit_m")}
    for i in samples(truth, fraction, replay, 50 * timestep):
        late = data.time.numpy()[0] - truth["t"][i]  # up to 4e-5 s: float32(0.1) is not 0.1
        mjo.absolute_state(model, data)
        com = truth["rel_com_r"][i] + truth["rel_com_v"][i] * late
        joint = truth["joint_q"][i] + truth["joint_v"][i] * late
        orbit = turned(truth["ref_r"][i] + truth["ref_v"][i] * late)
        com_turned = _quat.rotate(turn[:, None], np.broadcast_to(com, (nworld, *com.shape)))
        errors = (
            np.abs(data.qpos.numpy()[:, 7:] - joint).max(axis=1),
            np.linalg.norm(data.xipos.numpy()[:, 1:] - com_turned, axis=-1).max(axis=1),
            np.linalg.norm(data.orbit.r.numpy() - orbit, axis=-1),
        )
        worst = {k: np.maximum(w, e) for (k, w), e in zip(worst.items(), errors, strict=True)}
    result = {name: float(values.max()) for name, values in worst.items()}
    return result | {"com_m_unturned": float(worst["com_m"][0]), "com_m_median": float(np.median(worst["com_m"]))}


CASES: dict[str, Callable[[float], dict[str, float]]] = {
    "free_body": free_body,
    "free_body_implicitfast": lambda f: free_body(f, "implicitfast"),
    "tumble": tumble,
    "two_arm_warp": two_arm_warp,
    "two_arm_warp_implicitfast": lambda f: two_arm_warp(f, "implicitfast"),
    "two_arm_shadow": lambda f: two_arm_warp(f, precision="shadow"),
    "two_arm_shadow_dt0025": lambda f: two_arm_warp(f, precision="shadow", timestep=0.025),
    "two_arm": two_arm,
    "two_arm_dt0050": lambda f: two_arm(f, 0.05),
    "two_arm_dt0025": lambda f: two_arm(f, 0.025),
    **hardware_accuracy.CASES,
}


def main() -> None:
    """Run cases and print or write JSON."""
    words = parser(__doc__ + "\nCases already in the file of --out are kept.")  # type: ignore[operator]
    words.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; default all")
    words.add_argument("--fraction", type=float, default=1.0, help="part of each trajectory, 0 to 1")
    args = words.parse_args()
    if unknown := set(args.cases) - set(CASES):
        words.error(f"unknown case {', '.join(sorted(unknown))}: allowed are {', '.join(CASES)}")
    head = {"fraction": args.fraction, "mujoco": mujoco.__version__, "warp": wp.__version__}
    out = pathlib.Path(args.out) if args.out else None
    results: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out and out.exists() else {}
    if any(results.get(key) != value for key, value in head.items()):
        results = dict(head)  # another fraction or version: nothing of the old file is kept
    for name in args.cases or CASES:
        start = time.perf_counter()
        results[name] = CASES[name](args.fraction)
        print(f"{name}: {results[name]} in {time.perf_counter() - start:.0f} s", flush=True)
        if out:
            write(results, out)


if __name__ == "__main__":
    main()
