"""Run files, configurations and orbits in <custom>: what is written comes back, whatever it is."""

import json
import pathlib
import tomllib
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mjorbit_warp as mjo
from mjorbit_warp.custom import read_custom, write_custom
from mjorbit_warp.datasets.config import load_config, read_config
from mjorbit_warp.recorder import Recorder
from mjorbit_warp.run_file import Steps, save_run
from tests.conftest import recorded_step

FEW = settings(derandomize=True, deadline=None, max_examples=25)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(1e-3, 1e6)
# what a JSON text can hold; surrogates alone are no Unicode
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
NAME = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,10}", fullmatch=True)


@pytest.fixture(scope="module")
def recorded(box: mjo.MjoModel) -> tuple[mjo.MjoData, Recorder, mjo.MjoSpec]:
    """Two worlds after a step, with two records."""
    d = mjo.make_data(box, nworld=2)
    return d, *recorded_step(box, d, 1)


@FEW
@given(
    options=st.dictionaries(TEXT, JSON, max_size=4),
    command=st.lists(TEXT, max_size=4),
    seed=st.none() | st.integers(0, 2**31),
    steps=st.none() | st.tuples(*[st.integers(0, 10**9)] * 3),
)
def test_run_files(
    recorded: Any, tmp_path_factory: pytest.TempPathFactory, options: Any, command: Any, seed: Any, steps: Any
) -> None:
    """Options, command, seed and progress, in any text; the state to the bit."""
    d, recorder, spec = recorded
    path = tmp_path_factory.getbasetemp() / "run.npz"
    done = None if steps is None else Steps(*steps)
    save_run(path, spec, d, recorder, options=options, command=command, seed=seed, steps=done)
    run = mjo.load_run(path)
    assert dict(run.options) == options and run.command == tuple(command)
    assert run.seed == seed and run.steps == done
    assert run.state.tobytes() == mjo.get_state(d.model, d).numpy().tobytes()


def toml(value: Any) -> str:
    """A value as TOML has it; JSON's strings are TOML's basic strings, DEL apart."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return repr(value) if "." in repr(value) or "e" in repr(value) or "n" in repr(value) else repr(value) + ".0"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@st.composite
def tables(draw: Any) -> dict[str, Any]:
    """Configurations of a model, with most of what a file can say."""
    nrow = draw(st.integers(1, 1000))
    rate = draw(st.sampled_from([0.5, 1.0, 2.0, 10.0]))
    count = draw(st.integers(1, 10**6))
    scenario: dict[str, Any] = {"model": draw(TEXT.filter(bool))}
    if draw(st.booleans()):
        scenario["orbit"] = {"altitude": draw(POSITIVE), "inclination": draw(NUMBER)}
    if draw(st.booleans()):
        scenario["precision"] = draw(st.sampled_from(["single", "shadow"]))
    table = {
        "scenario": scenario,
        "episodes": {"count": count, "duration": nrow / rate, "rate": rate, "seed": draw(st.integers(0, 2**31 - 1))},
        "start": {"spread": draw(POSITIVE), "spin": draw(POSITIVE), "joints": draw(POSITIVE)},
        "record": {"fields": draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))},
        "randomize": draw(
            st.dictionaries(
                NAME.filter(lambda name: name != "opt"),
                st.builds(
                    lambda low, width, relative: {
                        "distribution": "uniform",
                        "low": low,
                        "high": low + width,
                        "relative": relative,
                    },
                    st.floats(-100.0, 100.0),
                    st.floats(0.0, 10.0),
                    st.booleans(),
                ),
                max_size=3,
            )
        ),
    }
    if draw(st.booleans()):
        table["policy"] = {
            "kind": "smooth",
            "interval": draw(POSITIVE),
            "amplitude": draw(st.lists(NUMBER, max_size=3)),
        }
    return table


@FEW
@given(table=tables())
def test_configurations(tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]) -> None:
    """TOML → configuration → plain tables → JSON → the same configuration; nothing that the file says is lost."""
    path = tmp_path_factory.getbasetemp() / "dataset.toml"
    path.write_text("\n".join(f"{key} = {toml(value)}" for key, value in table.items()), encoding="utf-8")
    assert tomllib.loads(path.read_text(encoding="utf-8")) == table  # the file is what it is meant to be
    config = load_config(path)
    again = read_config(json.loads(json.dumps(config.to_dict())), str(path.parent))
    assert again == config and again.to_dict() == config.to_dict()
    plain = config.to_dict()
    assert plain["scenario"]["model"] == table["scenario"]["model"]
    assert plain["episodes"]["seed"] == table["episodes"]["seed"] and config.episodes.nrow == pytest.approx(
        table["episodes"]["duration"] * table["episodes"]["rate"]
    )
    assert plain["start"] == table["start"] and plain["record"]["fields"] == table["record"]["fields"]
    for name, wanted in table["randomize"].items():
        assert {key: plain["randomize"][name][key] for key in wanted} == wanted


@FEW
@given(
    altitude=st.floats(2e5, 4e7),
    inclination=st.floats(0.0, np.pi),
    raan=st.floats(-7.0, 7.0),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    area=st.floats(1.0, 1e4),
)
def test_orbit_and_options_in_custom(
    altitude: float, inclination: float, raan: float, flags: tuple[bool, bool, bool], area: float
) -> None:
    """Written into an MJCF's <custom> twice over, they are the same to the bit."""
    orbit = mjo.Orbit.circular(altitude=altitude, inclination=inclination, raan=raan)
    options = mjo.OrbitOptions(gravity_gradient=flags[0], j2=flags[1], solar_pressure=flags[2], solar_flux=area)
    for _ in range(2):
        spec = mujoco.MjSpec()
        write_custom(spec, orbit, options)
        spec.worldbody.add_body(name="b", mass=1.0, inertia=[1.0, 1.0, 1.0], explicitinertial=True).add_freejoint()
        back, read = read_custom(mujoco.MjSpec.from_string(spec.to_xml()))
        assert back is not None and back.r.tobytes() == orbit.r.tobytes() and back.v.tobytes() == orbit.v.tobytes()
        assert read == options
        orbit, options = back, read


def test_names_of_run_files_are_any(recorded: Any, tmp_path: pathlib.Path) -> None:
    """Paths outside ASCII."""
    d, recorder, spec = recorded
    path = tmp_path / "Übung 軌道.npz"
    save_run(path, spec, d, recorder, options={}, command=["x"])
    assert mjo.load_run(path).nworld == 2
