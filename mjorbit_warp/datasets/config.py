"""What a dataset is made from: a TOML file, checked before anything is computed."""

import dataclasses
import os
import pathlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mjorbit_warp.datasets.config_parts import (
    POLICIES,
    Camera,
    Episodes,
    NoPolicy,
    Policy,
    Record,
    Scenario,
    Sensors,
    Start,
)
from mjorbit_warp.datasets.tables import plain, read_table, without_none
from mjorbit_warp.distributions import Choice, Distribution, LogNormal, Normal, Uniform

DISTRIBUTIONS: dict[str, type[Distribution]] = {
    "uniform": Uniform,
    "normal": Normal,
    "lognormal": LogNormal,
    "choice": Choice,
}
FORMATS = ("zarr", "hdf5")
EXAMPLES = pathlib.Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Config:
    """A whole configuration; see the classes of its parts.

    Attributes:
      randomize: a distribution for each parameter, as mjorbit_warp.randomize takes them.
      format: of the shards, "zarr" or "hdf5".
      folder: where the file was: what paths are relative to; no part of what the configuration says.
    """

    scenario: Scenario
    episodes: Episodes
    start: Start = field(default_factory=Start)
    record: Record = field(default_factory=Record)
    sensors: Sensors = field(default_factory=Sensors)
    policy: Policy = field(default_factory=NoPolicy)
    randomize: Mapping[str, Distribution] = field(default_factory=dict)
    cameras: tuple[Camera, ...] = ()
    format: str = "zarr"
    folder: str = field(default=".", compare=False)

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"format is {self.format!r}: allowed are {', '.join(FORMATS)}")
        names = [camera.name for camera in self.cameras]
        if len(set(names)) != len(names):
            raise ValueError(f"cameras names {names}: distinct names are expected")

    def to_dict(self) -> dict[str, Any]:
        """Plain tables of everything that decides about the data, defaults included, as JSON has them."""
        table = {f.name: plain(getattr(self, f.name)) for f in dataclasses.fields(self) if f.name != "folder"}
        kinds = {cls: name for name, cls in DISTRIBUTIONS.items()}
        table["randomize"] = {
            name: {"distribution": kinds[type(d)], **plain(d)} for name, d in sorted(self.randomize.items())
        }
        return table

    def path(self, name: str) -> str:
        """A path of the configuration, relative to its folder."""
        return os.path.join(self.folder, name)


def _distribution(name: str, table: Any) -> Distribution:
    where = f"randomize.{name}"
    if not isinstance(table, dict) or table.get("distribution") not in DISTRIBUTIONS:
        raise ValueError(f"{where} needs distribution = one of {', '.join(map(repr, DISTRIBUTIONS))}")
    cls = DISTRIBUTIONS[table["distribution"]]
    try:
        return read_table(cls, {key: value for key, value in table.items() if key != "distribution"}, where)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from None


def read_config(table: Mapping[str, Any], folder: str = ".") -> Config:
    """A configuration from the tables of a TOML file, or of ``Config.to_dict``.

    Raises:
      ValueError: a key that is not known, or a value that cannot be, in one sentence.
    """
    table = {key: without_none(value) for key, value in table.items()}
    policy = table.pop("policy", {"kind": "none"})
    if not isinstance(policy, dict) or policy.get("kind") not in POLICIES:
        kind = policy.get("kind") if isinstance(policy, dict) else policy
        raise ValueError(f"policy.kind is {kind!r}: allowed are {', '.join(POLICIES)}")
    randomize = table.pop("randomize", {})
    if not isinstance(randomize, dict):
        raise ValueError(f"randomize is {randomize!r}: a table for each parameter is expected")
    distributions = {name: _distribution(name, value) for name, value in _flat(randomize).items()}
    config = read_table(Config, table, "")
    return dataclasses.replace(
        config, policy=read_table(POLICIES[policy["kind"]], policy, "policy"), randomize=distributions, folder=folder
    )


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    """``[randomize.opt.timestep]`` is a table in a table: the parameter is opt.timestep."""
    inner = table.get("opt")
    if not isinstance(inner, dict) or "distribution" in inner:
        return table
    return {k: v for k, v in table.items() if k != "opt"} | {f"opt.{k}": v for k, v in inner.items()}


def load_config(path: str | os.PathLike[str]) -> Config:
    """Read a configuration file, or a shipped one by its name: two_arm.

    Raises:
      FileNotFoundError: no such file.
      ValueError: not TOML, or what read_config refuses.
    """
    name = os.fspath(path)
    shipped = {p.stem: p for p in sorted(EXAMPLES.glob("*.toml"))}
    file = shipped[name] if not os.path.exists(name) and name in shipped else pathlib.Path(name)
    if not file.is_file():
        raise FileNotFoundError(f"no configuration at {name!r}, nor a shipped one of that name ({', '.join(shipped)})")
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is not a TOML file: {error}") from None
    try:
        return read_config(table, str(file.parent))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
