"""benchmarks/ten_orbits.py can be stopped and goes on."""

import dataclasses
import pathlib

import numpy as np
import pytest

from benchmarks import ten_orbits

FRACTION = 2e-4  # 10 s: one record


def test_a_leg_that_is_done_is_not_made_again(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ten_orbits.leg("coarse", FRACTION, tmp_path)
    assert made.com.shape == (1, 4, 9, 3) and [p.name for p in tmp_path.iterdir()] == ["coarse_0.0002.npz"]
    monkeypatch.setitem(ten_orbits.LEGS, "coarse", lambda fraction: pytest.fail("made again"))
    again = ten_orbits.leg("coarse", FRACTION, tmp_path)
    for field in dataclasses.fields(made):
        assert np.array_equal(getattr(again, field.name), getattr(made, field.name))
    monkeypatch.setattr(ten_orbits, "package_versions", lambda: {"mujoco": "9.9"})
    with pytest.raises(ValueError, match=r"coarse_0.0002.npz was made by .*: delete it, or name another folder"):
        ten_orbits.leg("coarse", FRACTION, tmp_path)
