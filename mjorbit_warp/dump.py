"""mjo_dump: a world with its model and its last states as one file, to be opened where it can be looked at."""

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.callbacks import NAMES
from mjorbit_warp.custom import read_custom, write_custom
from mjorbit_warp.data import MjoData, make_data
from mjorbit_warp.expand import batched_fields
from mjorbit_warp.hardware.propellant import full_masses
from mjorbit_warp.model import MjoModel
from mjorbit_warp.npz_check import DAMAGED, check_arrays, damaged, read_meta, read_npz
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.run_file import binary_model, package_versions, replacing
from mjorbit_warp.state import get_state, set_state, state_layout
from mjorbit_warp.status import Status, worlds_by_status
from mjorbit_warp.status_report import mjo_status
from mjorbit_warp.worlds import check_warp, world_index

FORMAT = 1
_EXPECTED = {
    "meta": ("U", 0),
    "custom": ("U", 0),
    "binary": ("u", 1),
    "first_time": ("f", 1),
    "states": ("f", 2),
    "last": ("f", 1),
}
_META = {
    **dict.fromkeys(("world", "status"), int),
    **dict.fromkeys(("device", "precision"), str),
    **dict.fromkeys(("versions", "layout", "options", "making"), dict),
    **dict.fromkeys(("first_step", "report", "hooks"), list),
}
# what a user of the model may have changed since it was compiled
_OPTIONS = ("integrator", "cone", "solver", "iterations", "ls_iterations", "disableflags", "enableflags")


@dataclasses.dataclass(frozen=True, eq=False)
class Dump:
    """A world that was written by mjo_dump.

    Attributes:
      world: its index in the data it was taken from.
      device, precision: of that data.
      versions: of the packages that computed it, by name.
      status: Status bits.
      first_step, first_time: of each bit, as in ``data.faults``.
      report: what mjo_status said of it.
      hooks: names of callbacks that were set; a replay is without them.
      states: at the start of its last steps, the oldest first        (n, size)
      last: state when it was written                                 (size,)
      layout: columns of each component in a state.
      parameters: values of the world, by name, as expand has it.
      options: MuJoCo's, as they were then.
      making: further arguments of make_data; contacts are those for one world.
    """

    binary: bytes = dataclasses.field(repr=False)
    custom: str = dataclasses.field(repr=False)
    world: int
    device: str
    precision: str
    versions: Mapping[str, str]
    status: int
    first_step: tuple[int, ...]
    first_time: tuple[float, ...]
    report: tuple[str, ...]
    hooks: tuple[str, ...]
    states: NDArray[np.float64] = dataclasses.field(repr=False)
    last: NDArray[np.float64] = dataclasses.field(repr=False)
    layout: Mapping[str, slice] = dataclasses.field(repr=False)
    parameters: Mapping[str, NDArray[Any]] = dataclasses.field(repr=False)
    options: Mapping[str, int] = dataclasses.field(repr=False)
    making: Mapping[str, Any] = dataclasses.field(repr=False)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the bits that are set."""
        return tuple(worlds_by_status(np.array([self.status], dtype=np.int32), Status(sum(Status))))

    def component(self, name: str) -> NDArray[np.float64]:
        """A component of all states and of the last one, (n + 1, width); no columns if there is none."""
        states = np.concatenate([self.states, self.last[None]])
        return states[:, self.layout[name]] if name in self.layout else states[:, :0]

    def restore(self, *, device: Any = "cpu") -> tuple[MjoModel, MjoData]:
        """Model and data of one world at the oldest state.

        Raises:
          ValueError: this MuJoCo cannot read the model, or this version cannot hold the state.
        """
        try:
            mj = mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": self.binary})
        except Exception as error:  # MuJoCo has no type of its own for this
            raise ValueError(
                f"the dump's model is of MuJoCo {self.versions.get('mujoco', 'unknown')} and cannot be read by MuJoCo "
                f"{mujoco.__version__}"
            ) from error
        for name, value in self.options.items():
            setattr(mj.opt, name, value)
        orbit, options = read_custom(mujoco.MjSpec.from_string(self.custom))
        model = MjoModel(mj, orbit, options, ())
        model.put(device)
        for name, values in self.parameters.items():
            _assign(model, name, values)
        data = make_data(model, 1, precision=self.precision, device=device, **self.making)
        model.opt.warn_overflow = 0
        if state_layout(data) != dict(self.layout):
            raise ValueError(
                "the dump's state does not fit the state vectors of this version of mjorbit_warp or MuJoCo"
            )
        set_state(model, data, self.states[:1] if len(self.states) else self.last[None])
        return model, data


def _owners(m: MjoModel) -> dict[str, tuple[Any, str]]:
    """Every parameter that can differ per world: (its owner, its name there)."""
    found: dict[str, tuple[Any, str]] = {name: (m.mjw, name) for name in batched_fields(mjw.Model)}
    found |= {f"opt.{name}": (m.mjw.opt, name) for name in batched_fields(mjw.Option)}
    for prefix, parameters in m.parameters.items():
        found |= {f"{prefix}_{name}": (parameters, name) for name in parameters.batched}
    return found


def _parameters(m: MjoModel, d: MjoData, world: int) -> dict[str, NDArray[Any]]:
    """The world's row of each of them."""
    out = {}
    for name, (owner, field) in _owners(m).items():
        array = getattr(owner, field)
        if array.size:
            row = world % array.shape[0]
            out[name] = array.numpy()[row : row + 1]
    return out | full_masses(m, d, world)


def _assign(m: MjoModel, name: str, values: NDArray[Any]) -> None:
    owner, field = _owners(m).get(name, (None, ""))
    array = getattr(owner, field, None)
    if array is None or array.numpy().shape != values.shape:
        raise ValueError(
            f"the dump's parameter {name} does not fit the model of this version of mjorbit_warp or MuJoCo"
        )
    array.assign(values)


def _orbit(m: MjoModel, d: MjoData, world: int) -> Orbit | None:
    """That of the model, with the start and date of the world."""
    if m.orbit is None:
        return None
    epoch = None if m.orbit.epoch is None else float(d.orbit.epoch.numpy()[world])
    try:
        return dataclasses.replace(m.orbit, r=d.orbit.r0.numpy()[world], v=d.orbit.v0.numpy()[world], epoch=epoch)
    except ValueError:  # somebody wrote a start that is no orbit: the states have what it came to
        return m.orbit


def _making(d: MjoData) -> dict[str, Any]:
    """Arguments of make_data. The contacts of other worlds took some of the shared buffer: that cannot be repeated."""
    sizes = {"nconmax": max(1, d.mjw.naconmax // d.nworld), "njmax": int(d.mjw.njmax)}
    return sizes | {"recenter": d.recenter, "sensor_noise": bool(d.sensors.enabled)}


def mjo_dump(m: MjoModel, d: MjoData, world: int, path: str | os.PathLike[str]) -> None:
    """Write a world with its model, its parameters and, with ``state_ring``, its last states; load_dump reads it.

    The file is there as a whole or not at all. Waits for the device.

    Args:
      world: index of the world.
      path: an ``.npz`` file; one that exists is replaced.

    Raises:
      ValueError: no such world.
    """
    check_warp(m, d)
    index = int(world_index([world], d.nworld)[0])
    custom = mujoco.MjSpec()
    custom.modelname = "dump"
    write_custom(custom, _orbit(m, d, index), m.options)
    report = mjo_status(m, d)
    mine = tuple(c.sentence for c in report.conditions if index in c.worlds)
    last = get_state(m, d, [index]).numpy()
    meta = {
        "world": index,
        "device": str(d.device),
        "precision": d.precision,
        "versions": package_versions(),
        "status": int(d.status.numpy()[index]),
        "first_step": d.faults.first_step.numpy()[index].tolist(),
        "report": list(mine),
        "hooks": [name for name in NAMES if getattr(m.callback, name) is not None or m.callback.is_foreign(name)],
        "layout": {name: [part.start, part.stop] for name, part in state_layout(d).items()},
        "options": {name: int(getattr(m.mjw.opt, name)) for name in _OPTIONS},
        "making": _making(d),
    }
    arrays: dict[str, Any] = {
        "dump_format": np.array(FORMAT),
        "meta": np.array(json.dumps(meta)),
        "custom": np.array(custom.to_xml()),
        "binary": np.frombuffer(binary_model(m.mj), dtype=np.uint8),
        "first_time": d.faults.first_time.numpy()[index],
        "states": last[:0] if d.ring is None else d.ring.of(index),
        "last": last[0],
        **{f"parameter_{name}": values for name, values in _parameters(m, d, index).items()},
    }
    with replacing(path) as part, open(part, "xb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())


def load_dump(path: str | os.PathLike[str]) -> Dump:
    """Read a file of mjo_dump.

    Raises:
      FileNotFoundError: no such file.
      ValueError: not a dump, a damaged one, or one of a newer format.
    """
    path = os.fspath(path)
    arrays = read_npz(path, "dump", "dump_format", FORMAT, ())
    try:
        check_arrays(arrays, _EXPECTED)
        meta = read_meta(arrays["meta"], _META)
        if unknown := set(meta["options"]) - set(_OPTIONS):
            raise ValueError(f"{unknown.pop()} is no option")
        width = max((ends[1] for ends in meta["layout"].values()), default=0)
        if not arrays["states"].shape[1] == arrays["last"].shape[0] == width:
            raise ValueError(
                f"its states have {arrays['states'].shape[1]} and {arrays['last'].shape[0]} columns of {width}"
            )
    except (*DAMAGED, ValueError) as error:
        raise damaged(path, "dump", error) from error
    return Dump(
        binary=arrays["binary"].tobytes(),
        custom=str(arrays["custom"]),
        world=meta["world"],
        device=meta["device"],
        precision=meta["precision"],
        versions=meta["versions"],
        status=meta["status"],
        first_step=tuple(meta["first_step"]),
        first_time=tuple(arrays["first_time"].tolist()),
        report=tuple(meta["report"]),
        hooks=tuple(meta["hooks"]),
        states=arrays["states"],
        last=arrays["last"],
        layout={name: slice(*ends) for name, ends in meta["layout"].items()},
        parameters={k.removeprefix("parameter_"): v for k, v in arrays.items() if k.startswith("parameter_")},
        options=meta["options"],
        making=meta["making"],
    )
