"""What precision="conserving" and recentring give on the two-arm free-flyer, against the float64 reference backend.

python -m benchmarks.conserving --out benchmarks/results/conserving.json      # the table, about 15 minutes
python -m benchmarks.conserving shadow conserving --fraction 0.1              # some cases, the first tenth
"""

import argparse
import dataclasses
import functools
import json
import pathlib
import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.validation.models import angle, two_arm_spec
from mjorbit_warp.validation.truth import load
from mjorbit_warp.validation.truth_motion import Q0, command_numpy, command_warp

F64 = NDArray[np.float64]
NWORLD = 4
HALF_ORBIT = 2780.0  # s
STEP = float(np.float32(0.1))  # MJWarp's time step is float32
EVERY = 100  # steps of 0.1 s between two comparisons
SOFT = {"kp": 0.1, "kv": 0.5, "armature": 0.5, "damping": 0.05}  # RK4's truncation at 0.1 s is then about 1e-7 m


@dataclasses.dataclass
class Trajectory:
    """Positions in ECI relative to the Kepler orbit of the start, attitudes and joints, at common times."""

    com: F64  # (time, world, body, 3) [m], less `origin`
    origin: F64  # (time, world, 3) reference orbit [m]
    quat: F64  # (time, world, 4) of the bus
    joint: F64  # (time, world, 8) [rad]


def round_constants(mj: mujoco.MjModel) -> None:
    """Model constants as float32 holds them, so that both backends have the same."""
    for name in dir(mj):
        if name.startswith(("body_", "dof_", "jnt_", "actuator_", "qpos0", "geom_")):
            value = getattr(mj, name)
            if isinstance(value, np.ndarray) and value.dtype == np.float64:
                value[:] = value.astype(np.float32)


@functools.cache
def soft_model(soft: bool, timestep: float) -> mjo.MjoModel:
    """The two-arm free-flyer of the truth (no J2, no gravity gradient of single links), with soft joints if asked."""
    truth = load("two_arm_free_flyer")
    orbit = mjo.Orbit.from_state(truth["ref_r"][0], truth["ref_v"][0], frame="GCRS")
    spec = two_arm_spec("RK4", timestep, orbit, j2=False, gravity_gradient=False)
    if soft:
        for joint in spec.mj.joints:
            if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
                joint.armature = SOFT["armature"]
                joint.damping = [SOFT["damping"], 0.0, 0.0]
        for actuator in spec.mj.actuators:
            actuator.gainprm[0] = SOFT["kp"]
            actuator.biasprm[1:3] = -SOFT["kp"], -SOFT["kv"]
    model = spec.compile()
    round_constants(model.mj)
    return model


def start() -> tuple[F64, F64]:
    """Four random states near the reference, rounded to float32; joints at the command, at rest."""
    rng = np.random.default_rng(7)
    quat = rng.normal(size=(NWORLD, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    joints = np.tile(Q0, (NWORLD, 1))  # elsewhere the stiff servos of the truth begin with a jump
    qpos = np.concatenate([rng.uniform(-0.5, 0.5, (NWORLD, 3)), quat, joints], axis=1)
    twist = rng.uniform(-1.0, 1.0, (NWORLD, 6)) * np.repeat([1e-3, 4e-3], 3)
    qvel = np.concatenate([twist, np.zeros((NWORLD, 8))], axis=1)
    return qpos.astype(np.float32).astype(float), qvel.astype(np.float32).astype(float)


def rounded_command(m: Any, d: Any) -> None:
    """The truth's joint commands, rounded to float32 as MJWarp's are."""
    command_numpy(m, d)
    d.ctrl[:] = d.ctrl.astype(np.float32)


@functools.cache
def reference(soft: bool, divide: int, fraction: float, duration: float = HALF_ORBIT, nudge: float = 0.0) -> Trajectory:
    """Float64 RK4 at the step divided by ``divide``, from the start with the bus turned by ``nudge`` [rad] about x."""
    model = soft_model(soft, 0.1)
    model.callback.control = rounded_command
    data = mjo_ref.make_data(model, nworld=NWORLD, nthread=1)
    data.batch.model.opt.timestep = STEP / divide
    data.qpos[:], data.qvel[:] = start()
    data.qpos[:, 3:7] = _quat.mul(data.qpos[:, 3:7], np.array([np.cos(nudge / 2.0), np.sin(nudge / 2.0), 0.0, 0.0]))
    rows = []
    for _ in range(round(fraction * duration / 0.1 / EVERY)):
        for _ in range(EVERY * divide):
            mjo_ref.mjo_step(model, data)
        data.batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS.value)
        q = data.qpos
        rows.append((data.xipos[:, 1:].copy(), data.orbit.r.copy(), q[:, 3:7].copy(), q[:, 7:].copy()))
    return Trajectory(*(np.array(x) for x in zip(*rows, strict=True)))


def compare(got: Trajectory, want: Trajectory, mass: F64) -> dict[str, Any]:
    """Worst over time, worlds and bodies."""
    error = got.com - want.com + (got.origin - want.origin)[:, :, None]
    system = (mass[:, None] * error).sum(axis=2) / mass.sum()
    worst = np.linalg.norm(error, axis=-1).max(axis=(0, 2))
    return {
        "body_m": float(worst.max()),
        "body_m_each_world": worst.tolist(),
        "system_com_m": float(np.linalg.norm(system, axis=-1).max()),
        "body_relative_m": float(np.linalg.norm(error - system[:, :, None], axis=-1).max()),
        "attitude_rad": float(angle(got.quat, want.quat).max()),
        "joint_rad": float(np.abs(got.joint - want.joint).max()),
    }


def make_warp(model: mjo.MjoModel, precision: str, nworld: int = NWORLD) -> mjo.MjoData:
    """Data at the starts."""
    model.callback.control = command_warp
    data = mjo.make_data(model, nworld=nworld, precision=precision)
    qpos, qvel = start()
    data.qpos.assign(np.resize(qpos, (nworld, model.nq)))
    data.qvel.assign(np.resize(qvel, (nworld, model.nv)))
    return data


def warp_run(
    soft: bool, precision: str, fraction: float, recentre: bool = False, duration: float = HALF_ORBIT
) -> Trajectory:
    """The Warp backend at 0.1 s, observed in float64 where the state is."""
    model = soft_model(soft, 0.1)
    data = make_warp(model, precision)
    replay = mjo.capture(model, data, nstep=EVERY)
    host = mujoco.MjData(model.mj)
    state = data if data.shadow is None else data.shadow
    rows = []
    for _ in range(round(fraction * duration / 0.1 / EVERY)):
        if recentre:
            mjo.mjo_recenter(model, data)
        replay()
        qpos = state.qpos.numpy().astype(float)
        com = np.empty((NWORLD, model.nbody - 1, 3))
        for world in range(NWORLD):
            host.qpos = qpos[world]
            mujoco.mj_kinematics(model.mj, host)
            com[world] = host.xipos[1:]
        rows.append((com, data.orbit.r.numpy().copy(), qpos[:, 3:7], qpos[:, 7:]))
    return Trajectory(*(np.array(x) for x in zip(*rows, strict=True)))


def cost(precisions: tuple[str, ...], nworld: int = 256, nstep: int = 20, rounds: int = 15) -> dict[str, float]:
    """Seconds of a replayed step ÷ that of `single`: the median of interleaved rounds."""
    model = soft_model(True, 0.1)
    replays = {p: mjo.capture(model, make_warp(model, p, nworld), nstep=nstep) for p in ("single", *precisions)}
    seconds: dict[str, list[float]] = {p: [] for p in replays}
    for replay in replays.values():
        replay()
    for _ in range(rounds):
        for p, replay in replays.items():
            begin = time.perf_counter()
            replay()
            wp.synchronize()
            seconds[p].append((time.perf_counter() - begin) / nstep)
    times = {p: np.array(s) for p, s in seconds.items()}
    ratios = {f"{p}_over_single": float(np.median(times[p] / times["single"])) for p in precisions}
    return ratios | {f"{p}_ms": float(1e3 * np.median(s)) for p, s in times.items()}


def error(precision: str, fraction: float = 1.0, soft: bool = True, recentre: bool = False) -> dict[str, Any]:
    """A float32 run against the reference: `shadow` and `single` at the same step, which leaves their rounding;
    `conserving` at a quarter of it, since it removes truncation too."""
    want = reference(soft, 4 if precision == "conserving" else 1, fraction)
    return compare(warp_run(soft, precision, fraction, recentre), want, soft_model(soft, 0.1).mj.body_mass[1:])


def reference_order(fraction: float, soft: bool = True) -> dict[str, Any]:
    """Float64 RK4 at 0.1 and 0.05 s against 0.025 s; the order from the two (0.025 is not zero: 1/255)."""
    mass = soft_model(soft, 0.1).mj.body_mass[1:]
    coarse, middle = (compare(reference(soft, n, fraction), reference(soft, 4, fraction), mass) for n in (1, 2))
    ratio = coarse["body_m"] / middle["body_m"]
    # e(h) − e(h/4) over e(h/2) − e(h/4) is 2^p + 1 for order p
    return coarse | {"body_m_half_step": middle["body_m"], "order": float(np.log2(ratio - 1.0))}


CASES: dict[str, Callable[[float], dict[str, Any]]] = {
    "shadow": lambda f: error("shadow", f),
    "conserving": lambda f: error("conserving", f),
    "conserving_recentred": lambda f: error("conserving", f, recentre=True),
    "single": lambda f: error("single", f),
    "reference": reference_order,
    "cost": lambda f: cost(("shadow", "conserving")),
    "truth_model_shadow": lambda f: error("shadow", f, soft=False),
    "truth_model_conserving_recentred": lambda f: error("conserving", f, soft=False, recentre=True),
    "truth_model_reference": lambda f: reference_order(f, soft=False),
}


def main() -> None:
    """Run cases, print them and write JSON."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; default all")
    words.add_argument("--fraction", type=float, default=1.0, help="part of each trajectory, 0 to 1")
    words.add_argument("--out", type=pathlib.Path, help="JSON file; cases already in it are kept")
    args = words.parse_args()
    if unknown := set(args.cases) - set(CASES):
        words.error(f"unknown case {', '.join(sorted(unknown))}: allowed are {', '.join(CASES)}")
    head = {"fraction": args.fraction, "mujoco": mujoco.__version__, "warp": wp.__version__}
    results: dict[str, Any] = json.loads(args.out.read_text(encoding="utf-8")) if args.out and args.out.exists() else {}
    if any(results.get(key) != value for key, value in head.items()):
        results = dict(head)  # another fraction or version: nothing of the old file is kept
    for name in args.cases or CASES:
        begin = time.perf_counter()
        results[name] = CASES[name](args.fraction)
        print(f"{name}: {results[name]} in {time.perf_counter() - begin:.0f} s", flush=True)
        if args.out:
            args.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
