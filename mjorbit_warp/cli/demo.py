"""``mjorbit-warp demo``: many two-arm free-flyers in the orbit of the International Space Station."""

import dataclasses
import json as json_format
import math
import pathlib
import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mjorbit_warp.cli.common import arg, bad_text, progress_bar, warp_device, writable_output
from mjorbit_warp.run_file import replacing

if TYPE_CHECKING:
    from mjorbit_warp.cli.checks import Motion
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.orbit import Orbit

F64 = NDArray[np.float64]
PLOTTED = 12  # worlds that are recorded over time
RECORDS = 60  # records over the whole run
DISTANCE = (20.0, 50.0)  # of a world's start from the orbit's origin [m]
SPEED = 3e-3  # in LVLH, standard deviation per axis [m/s]
SPIN = math.radians(0.4)  # inertial, standard deviation per axis [rad/s]
AMPLITUDE = (0.2, 0.7)  # of an arm command [rad]
PERIOD = (20.0, 45.0)  # of an arm command [s]
FADE = 15.0  # time until commands have their full amplitude [s]


@dataclasses.dataclass
class Recording:
    """What the run leaves on the host; K+1 records of P worlds.

    Attributes:
      times: [s]                                                   (K+1,)
      qpos, qvel: of the recorded worlds                           (K+1, P, nq), (K+1, P, nv)
      ctrl: commands of world 0 [rad]                              (K+1, nu)
      r, v, a: reference orbit in ECI [m], [m/s], [m/s²]           (K+1, 3)
      start, end: (qpos, qvel) of all worlds                       (nworld, nq), (nworld, nv)
    """

    times: F64
    qpos: F64
    qvel: F64
    ctrl: F64
    r: F64
    v: F64
    a: F64
    start: tuple[F64, F64]
    end: tuple[F64, F64]


@dataclasses.dataclass
class Analysis:
    """Recorded motion against closed forms, computed on the host; P recorded worlds, all in ``error`` and ``tide``.

    Attributes:
      lvlh: COM in LVLH [m]                                                  (K+1, P, 3)
      straight: the same start on a straight line without gravity [m]        (K+1, P, 3)
      tidal: distance between the two [m]                                    (K+1, P)
      tidal_cw: the same from the Clohessy-Wiltshire solution [m]            (K+1, P)
      turn: angle of the bus from its first attitude [deg]                   (K+1, P)
      momentum: change of H about the COM, ECI axes [N·m·s]                  (K+1, P, 3)
      impulse: integral of the gravity-gradient torque [N·m·s]               (K+1, P, 3)
      error: final distance of each world's COM from Clohessy-Wiltshire [m]  (nworld,)
      tide: final distance of each world's COM from its straight line [m]    (nworld,)
    """

    lvlh: F64
    straight: F64
    tidal: F64
    tidal_cw: F64
    turn: F64
    momentum: F64
    impulse: F64
    error: F64
    tide: F64


def _check(nworld: int, duration: float, dt: float, seed: int, out: str) -> pathlib.Path:
    """Refuse what cannot work before anything is compiled; the picture's path."""
    if nworld < 1:
        raise ValueError(f"--nworld is {nworld}: at least 1 is needed")
    if not (math.isfinite(dt) and dt > 0.0):
        raise ValueError(f"--dt is {dt}: a positive number of seconds is expected")
    if not (math.isfinite(duration) and duration >= dt):
        raise ValueError(f"--duration is {duration}: at least one step of {dt} s is needed")
    if seed < 0:
        raise ValueError(f"--seed is {seed}: 0 or a positive integer is expected")
    return writable_output("--out", out, ".png")


def _compile(dt: float) -> "MjoModel":
    from mjorbit_warp import models
    from mjorbit_warp.orbit import Orbit
    from mjorbit_warp.spec import MjoSpec

    spec = MjoSpec.from_file(models.model_path("two_arm"))
    spec.orbit = Orbit.from_tle(models.tle_path())
    spec.option.timestep = dt
    return spec.compile()


def _orbit(model: "MjoModel") -> "Orbit":
    assert model.orbit is not None
    return model.orbit


def _scatter(model: "MjoModel", data: "MjoData", seed: int) -> None:
    """Starts and arm commands, drawn from (seed, world): a world is the same however many others there are."""
    import warp as wp

    from mjorbit_warp import frames
    from mjorbit_warp.cli.commands import Waves, _wave_commands

    nworld, nu = data.nworld, model.mj.nu
    pos, vel = np.empty((nworld, 3)), np.empty((nworld, 3))
    qpos = np.tile(model.mj.qpos0, (nworld, 1))
    qvel = np.zeros((nworld, model.mj.nv))
    wave = np.empty((3, nworld, nu))
    for w in range(nworld):
        rng = np.random.default_rng([seed, w])
        direction = rng.normal(size=3)
        pos[w] = rng.uniform(*DISTANCE) * direction / np.linalg.norm(direction)
        vel[w] = rng.normal(scale=SPEED, size=3)
        quat = rng.normal(size=4)
        qpos[w, 3:7] = quat / np.linalg.norm(quat)
        qvel[w, 3:6] = rng.normal(scale=SPIN, size=3)
        wave[0, w] = rng.uniform(*AMPLITUDE, nu)
        wave[1, w] = 2.0 * math.pi / rng.uniform(*PERIOD, nu)
        wave[2, w] = rng.uniform(0.0, 2.0 * math.pi, nu)
    orbit = _orbit(model)
    qpos[:, :3], qvel[:, :3] = frames.of_from_lvlh(orbit.r, orbit.v, pos, vel)
    data.qpos.assign(qpos)
    data.qvel.assign(qvel)

    waves: Any = Waves()
    with wp.ScopedDevice(data.device):
        waves.amplitude, waves.rate, waves.phase = (wp.array(x, dtype=wp.float32) for x in wave)
    waves.fade = FADE

    def command(m: "MjoModel", d: "MjoData") -> None:
        wp.launch(_wave_commands, dim=(d.nworld, nu), inputs=[d.stage_time, waves], outputs=[d.ctrl])

    model.callback.control = command


def _snapshot(data: "MjoData", worlds: int) -> list[F64]:
    arrays = (data.qpos.numpy()[:worlds], data.qvel.numpy()[:worlds], data.ctrl.numpy()[0])
    orbit = (data.orbit.r.numpy()[0], data.orbit.v.numpy()[0])
    return [np.array(x, dtype=np.float64) for x in (data.time.numpy()[0], *arrays, *orbit)]


def _simulate(model: "MjoModel", data: "MjoData", nstep: int, console: Console) -> tuple[Recording, float, float]:
    """Step through captured graphs; the recording, and the seconds of compiling and of stepping."""
    import warp as wp

    from mjorbit_warp.graph import capture
    from mjorbit_warp.reference.gravity import j2_gravity, point_gravity

    per_record = math.ceil(nstep / RECORDS)
    blocks = [per_record] * (nstep // per_record) + ([nstep % per_record] if nstep % per_record else [])
    worlds = min(PLOTTED, data.nworld)
    start = (data.qpos.numpy().astype(np.float64), data.qvel.numpy().astype(np.float64))
    began = time.perf_counter()
    with console.status("compiling kernels, about 40 s the first time"):
        if not console.is_terminal:
            console.print("compiling kernels, about 40 s the first time")
        graphs = {size: capture(model, data, nstep=size) for size in sorted(set(blocks))}
    compiled = time.perf_counter() - began

    records = [_snapshot(data, worlds)]
    began = time.perf_counter()
    done = 0
    with progress_bar(console) as progress:
        task = progress.add_task("stepping", total=nstep, rate="")
        for size in blocks:
            graphs[size]()
            wp.synchronize_device(data.device)
            records.append(_snapshot(data, worlds))
            done += size
            rate = data.nworld * done / (time.perf_counter() - began)
            progress.update(task, advance=size, rate=f"{rate:,.0f} world-steps/s")
    wall = time.perf_counter() - began

    times, qpos, qvel, ctrl, r, v = (np.stack(x) for x in zip(*records, strict=True))
    body = _orbit(model).body
    a = point_gravity(r, body.mu) + j2_gravity(r, body.mu, body.radius, body.j2, data.orbit.frames[0].pole)
    end = (data.qpos.numpy().astype(np.float64), data.qvel.numpy().astype(np.float64))
    return Recording(times, qpos, qvel, ctrl, r, v, a, start, end), compiled, wall


def _analyse(model: "MjoModel", rec: Recording) -> Analysis:
    from mjorbit_warp import frames
    from mjorbit_warp.cli.checks import clohessy_wiltshire, gravity_gradient_torque, impulse, whole_motion

    orbit = _orbit(model)
    n = orbit.mean_motion

    def relative(motion: "Motion", start: "Motion", k: Any) -> tuple[F64, F64, F64]:
        """COM, its straight line and its Clohessy-Wiltshire solution in LVLH at records ``k``."""
        t = rec.times[k][..., None]
        r, v = rec.r[k][..., None, :], rec.v[k][..., None, :]
        line = start.com + start.velocity * t[..., None]
        x0, v0 = frames.lvlh_from_of(rec.r[0], rec.v[0], start.com, start.velocity, rec.a[0])
        now = np.asarray(frames.lvlh_from_of(r, v, motion.com))
        return now, np.asarray(frames.lvlh_from_of(r, v, line)), clohessy_wiltshire(n, x0, v0, t)

    motion = whole_motion(model.mj, rec.qpos, rec.qvel)
    first = dataclasses.replace(motion, **{f.name: getattr(motion, f.name)[0] for f in dataclasses.fields(motion)})
    lvlh, straight, cw = relative(motion, first, np.arange(len(rec.times)))
    torque = gravity_gradient_torque(orbit.body.mu, rec.r[:, None] + motion.com, motion.inertia)
    cosine = np.abs(np.sum(rec.qpos[..., 3:7] * rec.qpos[0, :, 3:7], axis=-1))
    turn = 2.0 * np.degrees(np.arccos(np.minimum(cosine, 1.0)))
    end_now, end_line, end_cw = relative(whole_motion(model.mj, *rec.end), whole_motion(model.mj, *rec.start), -1)
    return Analysis(
        lvlh=lvlh,
        straight=straight,
        tidal=np.linalg.norm(lvlh - straight, axis=-1),
        tidal_cw=np.linalg.norm(cw - straight, axis=-1),
        turn=turn,
        momentum=motion.momentum - motion.momentum[0],
        impulse=impulse(rec.times, torque),
        error=np.linalg.norm(end_now - end_cw, axis=-1),
        tide=np.linalg.norm(end_now - end_line, axis=-1),
    )


def _worst(values: F64) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else None


def _quantity(value: float | None, unit: str) -> str:
    """Three digits in thousandths of a unit; the symbol is that of a length or of an angular momentum."""
    return "not finite" if value is None else f"at most {1e3 * value:.3g} m{unit}"


def _table(result: dict[str, Any]) -> Table:
    table = Table(title="two-arm free-flyers in the ISS's orbit", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    rows = {
        "device": result["device"],
        "worlds": f"{result['nworld']:,}",
        "simulated time": f"{result['duration_s']:.6g} s: {result['nstep']:,} steps of {result['timestep_s']:g} s",
        "wall time": f"{result['wall_s']:.1f} s, after {result['compile_s']:.1f} s of compiling",
        "rate": f"{result['world_steps_per_s']:,.0f} world-steps/s",
        "integrator": f"{result['integrator']}, in a captured graph",
        "orbit": f"altitude {result['altitude_km']:.1f} km, inclination {result['inclination_deg']:.2f}°",
        "epoch": f"{result['epoch_utc']} UTC",
        "COM, tidal displacement": _quantity(result["tidal_m"], "m"),
        "COM, off Clohessy-Wiltshire": _quantity(result["cw_error_m"], "m"),
        "angular momentum, change": _quantity(result["momentum_change"], "N·m·s"),
        "off gravity-gradient impulse": _quantity(result["momentum_error"], "N·m·s"),
        "bad worlds": bad_text(result["bad"]),
        "picture": escape(result["picture"]),
    }
    for key, value in rows.items():
        table.add_row(key, str(value))
    return table


def demo(
    *,
    nworld: Annotated[int, arg("N", "default: 1024")] = 1024,
    duration: Annotated[float, arg("SECONDS", "default: 60")] = 60.0,
    dt: Annotated[float, arg("SECONDS", "default: 0.1")] = 0.1,
    device: Annotated[str | None, arg("NAME", "default: a GPU if there is one")] = None,
    out: Annotated[str, arg("FILE.png", "default: mjorbit_demo.png")] = "mjorbit_demo.png",
    seed: Annotated[int, arg("N", "default: 0")] = 0,
    json: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Simulate free-flyers that swing their arms in the ISS's orbit, check them and draw a picture.

    Each world starts 20 to 50 m from the orbit's origin, turns slowly and moves its arms in its own way. The result is
    compared, on the host, with the Clohessy-Wiltshire solution and with the impulse of the gravity gradient. The exit
    code is 1 if a world went bad.

    Args:
      nworld: number of worlds.
      duration: simulated time [s].
      dt: time step [s].
      device: Warp device, as cpu or cuda:0.
      out: the picture; one that exists is replaced.
      seed: seed of the starts and commands.
      json: print the summary as JSON.
    """
    path = _check(nworld, duration, dt, seed, out)
    from mjorbit_warp.cli.plot import draw
    from mjorbit_warp.data import make_data
    from mjorbit_warp.inspect import utc_from_epoch

    chosen = warp_device(device)
    console = Console(stderr=True)
    model = _compile(dt)
    data = make_data(model, nworld=nworld, device=chosen)
    _scatter(model, data, seed)
    nstep = max(1, round(duration / dt))
    rec, compiled, wall = _simulate(model, data, nstep, console)
    bad = data.bad_worlds()
    analysis = _analyse(model, rec)
    with replacing(path) as part:
        draw(part, rec, analysis, model)

    orbit = _orbit(model)
    good = data.status.numpy() == 0
    result: dict[str, Any] = {
        "device": f"{chosen.alias}, {chosen.name}" if chosen.is_cuda else chosen.alias,
        "nworld": nworld,
        "nstep": nstep,
        "timestep_s": dt,
        "duration_s": float(rec.times[-1]),
        "compile_s": compiled,
        "wall_s": wall,
        "world_steps_per_s": nworld * nstep / wall,
        "integrator": "RK4",
        "captured_graph": True,
        "altitude_km": orbit.altitude / 1e3,
        "inclination_deg": math.degrees(orbit.elements.inclination),
        "epoch_utc": utc_from_epoch(orbit.epoch or 0.0),
        "tidal_m": _worst(analysis.tide[good]),
        "cw_error_m": _worst(analysis.error[good]),
        "momentum_change": _worst(np.linalg.norm(analysis.momentum, axis=-1)),
        "momentum_error": _worst(np.linalg.norm(analysis.momentum - analysis.impulse, axis=-1)),
        "bad": bad,
        "picture": str(path),
    }
    if json:
        print(json_format.dumps(result, indent=2, allow_nan=False))
    else:
        Console().print(_table(result))
    return 1 if bad else 0
