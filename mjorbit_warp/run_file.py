"""Run files: the records of a simulation, and all that is needed to continue it; one ``.npz`` without pickles."""

import contextlib
import dataclasses
import json
import os
import pathlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.binary import spec_of_run
from mjorbit_warp.check import MjoWarning
from mjorbit_warp.data import MjoData, make_data
from mjorbit_warp.model import MjoModel
from mjorbit_warp.npz_check import DAMAGED, check_arrays, damaged, read_meta, read_npz, same_length
from mjorbit_warp.spec import MjoSpec
from mjorbit_warp.state import get_state, set_state, state_layout
from mjorbit_warp.status import worlds_by_status

if TYPE_CHECKING:
    from mjorbit_warp.recorder import Recorder

F64 = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]
FORMAT = 1
PACKAGES = ("mjorbit-warp", "mujoco", "mujoco-warp", "warp-lang", "numpy")
_ARRAYS = ("world_ids", "time", "t", "qpos", "qvel", "act", "ctrl", "r", "v", "status", "state")
_EXPECTED = {
    "meta": ("U", 0),
    "xml": ("U", 0),
    "binary": ("u", 1),
    "world_ids": ("i", 1),
    "status": ("i", 1),
    **dict.fromkeys(("time", "t"), ("f", 1)),
    **dict.fromkeys(("qpos", "qvel", "act", "ctrl", "r", "v"), ("f", 3)),
    "state": ("f", 2),
}
_META = {
    "options": dict,
    "command": list,
    "versions": dict,
    "seed": int | None,
    "nworld": int,
    "precision": str,
    "timestep": float,
    "device": str,
    "steps": dict | None,
    "layout": dict,
}
_FAULTS = ("first_step", "first_time", "needed")  # not in the files of version 0.1.0


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], keep: bool = True) -> Iterator[pathlib.Path]:
    """A file beside ``path`` that takes its place at the end, or disappears after an error."""
    path = pathlib.Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        if keep:
            os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def package_versions() -> dict[str, str]:
    """Versions of this package and of what it computes with."""
    from mjorbit_warp import __version__

    found = {"mjorbit-warp": __version__}
    for name in PACKAGES[1:]:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


@dataclasses.dataclass(frozen=True)
class Steps:
    """How far a run is: ``done`` of ``planned`` steps, with a record after each ``every`` and after the last."""

    done: int
    planned: int
    every: int


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """A simulation that was recorded: K records of P worlds out of nworld. Each value belongs to its record's time.

    ``qpos``, ``qvel`` and ``act`` are float64 with precision "shadow", else float32 as MJWarp has them.

    Attributes:
      xml: the MJCF with the orbit at the start in its ``<custom>``; of an MJB the ``<custom>`` alone.
      binary: the compiled model in MuJoCo's own format, exact where the MJCF has six digits, meshes included.
      options: what the run was asked for, by name of the option.
      command: the command line that repeats it.
      versions: of the packages that computed it, by name.
      seed: of the random starts, or None.
      nworld: number of worlds simulated.
      precision: "single" or "shadow".
      timestep: [s].
      device: the Warp device that computed it, as "cpu" or "cuda:0".
      steps: how far it is; None if it was not the command line that stepped. A checkpoint is not at its end.
      world_ids: worlds that were recorded                                     (P,)
      time: elapsed time, the first record being the start [s]                 (K,)
      t: seconds past J2000 TT [s] (past the start, if the orbit has no epoch) (K,)
      qpos: positions [m, -, rad], as in MuJoCo, in OF (axes of ECI)           (K, P, nq)
      qvel: velocities [m/s, rad/s]                                            (K, P, nv)
      act: actuator states                                                     (K, P, na)
      ctrl: commands                                                           (K, P, nu)
      r, v: reference orbit in ECI [m], [m/s]                                  (K, P, 3)
      status: Status bits at the end                                           (nworld,)
      state: state vectors at the end, as from get_state                       (nworld, size)
      layout: columns of each component in ``state``.
      faults: first_step, first_time and needed at the end, as in ``data.faults``; empty in old files.
    """

    xml: str
    binary: bytes = dataclasses.field(repr=False)
    options: Mapping[str, Any]
    command: tuple[str, ...]
    versions: Mapping[str, str]
    seed: int | None
    nworld: int
    precision: str
    timestep: float
    device: str
    steps: Steps | None
    world_ids: NDArray[np.int64]
    time: F64
    t: F64
    qpos: Floats
    qvel: Floats
    act: Floats
    ctrl: Floats
    r: F64
    v: F64
    status: NDArray[np.int32]
    state: F64
    layout: Mapping[str, slice]
    faults: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        records, worlds = self.qpos.shape[:2]
        span = f"{self.time[0]:g} to {self.time[-1]:g} s"
        part = "" if self.complete else ", a checkpoint"
        what = f"{records} records of {worlds} worlds, {span}, precision={self.precision!r}"
        return f"Run(nworld={self.nworld}, {what}{part})"

    @property
    def complete(self) -> bool:
        """Whether the run came to its end; a checkpoint's ``state`` may be later than its last record."""
        return self.steps is None or self.steps.done >= self.steps.planned

    def other_versions(self) -> str:
        """Packages that are installed in another version than the run was made with, in words; empty if none is."""
        here = package_versions()
        differ = [name for name in PACKAGES if self.versions.get(name) != here.get(name)]
        return ", ".join(f"{n} {self.versions.get(n, 'unknown')} (here {here.get(n, 'none')})" for n in differ)

    def bad_worlds(self) -> dict[str, list[int]]:
        """Worlds by the name of each status bit that is set at the end; empty when all is well."""
        return worlds_by_status(self.status)

    def spec(self) -> MjoSpec:
        """The model with the orbit it started in, to edit; meshes are looked for beside the current folder.

        Of an MJB it is a BinarySpec, which cannot be edited.
        """
        spec = spec_of_run(self.xml, self.host_model)
        spec.option.timestep = self.timestep
        return spec

    def host_model(self) -> mujoco.MjModel:
        """The compiled model, exactly; MuJoCo reads it only in the version that wrote it.

        Raises:
          ValueError: this MuJoCo cannot read it.
        """
        try:
            return mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": self.binary})
        except Exception as error:  # MuJoCo has no type of its own for this
            raise ValueError(
                f"the run's compiled model is of MuJoCo {self.versions.get('mujoco', 'unknown')} and cannot be read by "
                f"MuJoCo {mujoco.__version__}"
            ) from error

    def restore(self, *, device: Any = None, state_ring: int | None = None) -> tuple[MjoModel, MjoData]:
        """A model and data with all worlds as they were at the end; stepping on gives the bits of one long run.

        With another version of MuJoCo the model is compiled anew from its MJCF; an MjoWarning names each package of
        another version. Commands are those of the end; callbacks are yours to set again.

        Args:
          device: Warp device, default the current one. Bits are the same only on the kind of device of the run.
          state_ring: as in make_data.

        Raises:
          ValueError: this version cannot hold the state.
        """
        spec = self.spec()
        same = self.versions.get("mujoco") == package_versions().get("mujoco")
        if other := self.other_versions():
            anew = "" if same else "its model is compiled anew from an MJCF of six digits, and "
            warnings.warn(
                f"the run was made with {other}: {anew}it goes on, but perhaps not with the same bits",
                MjoWarning,
                stacklevel=2,
            )
        if same:
            model = MjoModel(self.host_model(), spec.orbit, spec.options, ())
        else:
            model = spec.compile(require_free_joint=False)
        made = {"precision": self.precision, "device": device, "state_ring": state_ring}
        data = make_data(model, nworld=self.nworld, **made)
        if state_layout(data) != dict(self.layout):
            raise ValueError("the run's state does not fit the state vectors of this version of mjorbit_warp or MuJoCo")
        set_state(model, data, self.state)
        data.status.assign(self.status)
        for name, values in self.faults.items():
            getattr(data.faults, name).assign(values)
        return model, data


def binary_model(mj: mujoco.MjModel) -> bytes:
    """The compiled model in MuJoCo's own format."""
    buffer = np.empty(mujoco.mj_sizeModel(mj), dtype=np.uint8)
    mujoco.mj_saveModel(mj, None, buffer)
    return buffer.tobytes()


def save_run(
    path: str | os.PathLike[str],
    spec: MjoSpec | str,
    data: MjoData,
    recorder: "Recorder",
    *,
    options: Mapping[str, Any],
    command: Sequence[str],
    seed: int | None = None,
    steps: Steps | None = None,
) -> None:
    """Write a run file; ``path`` is replaced at the very end, and an error leaves nothing behind.

    Args:
      spec: what the model of ``data`` was compiled from, or its ``settings_xml()``.
      options: of the run, values that JSON knows.
      command: the command line that repeats the run.
      steps: how far the run is, for one that can be gone on with.
    """
    model = data.model
    meta = {
        "options": dict(options),
        "command": list(command),
        "versions": package_versions(),
        "seed": seed,
        "nworld": data.nworld,
        "precision": data.precision,
        "timestep": float(model.mj.opt.timestep),
        "device": str(data.device),
        "steps": None if steps is None else dataclasses.asdict(steps),
        "layout": {name: [part.start, part.stop] for name, part in state_layout(data).items()},
    }
    arrays: dict[str, Any] = {
        "format": np.array(FORMAT),
        "meta": np.array(json.dumps(meta)),
        "xml": np.array(spec if isinstance(spec, str) else spec.settings_xml()),
        "binary": np.frombuffer(binary_model(model.mj), dtype=np.uint8),
        **recorder.arrays(),
        "status": data.status.numpy(),
        "state": get_state(model, data).numpy(),
        **{f"faults_{name}": getattr(data.faults, name).numpy() for name in _FAULTS},
    }
    with replacing(path) as part, open(part, "xb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())  # a name must not outlive a power cut that its contents did not


def load_run(path: str | os.PathLike[str]) -> Run:
    """Read a run file of ``mjorbit-warp run --out``, or a checkpoint of one.

    Raises:
      FileNotFoundError: no such file.
      ValueError: not a run file, a damaged one, or one of a newer format.
    """
    path = os.fspath(path)
    found = read_npz(path, "run file", "format", FORMAT, ("meta", "xml"))
    try:
        arrays = {name: found[name] for name in _ARRAYS}
        faults = {name: found[f"faults_{name}"] for name in _FAULTS if f"faults_{name}" in found}
        texts = {name: found[name] for name in ("meta", "xml", "binary")}
        check_arrays(arrays | texts, _EXPECTED)
        same_length(arrays, ("time", "t", "qpos", "qvel", "act", "ctrl", "r", "v"))
        same_length(arrays, ("status", "state"))
        meta = read_meta(texts["meta"], _META)
    except (*DAMAGED, ValueError) as error:
        raise damaged(path, "run file", error) from error
    try:
        return Run(
            xml=str(texts["xml"]),
            binary=texts["binary"].tobytes(),
            options=meta["options"],
            command=tuple(meta["command"]),
            versions=meta["versions"],
            seed=meta["seed"],
            nworld=meta["nworld"],
            precision=meta["precision"],
            timestep=meta["timestep"],
            device=meta["device"],
            steps=None if meta["steps"] is None else Steps(**meta["steps"]),
            layout={name: slice(*ends) for name, ends in meta["layout"].items()},
            faults=faults,
            **arrays,
        )
    except DAMAGED as error:
        raise damaged(path, "run file", error) from error
