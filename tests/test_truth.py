"""The first 5 % of each reference trajectory; the whole ones: python benchmarks/accuracy.py."""

from benchmarks import accuracy


def test_free_body() -> None:
    """900 s. Position: rounding of float64 metres (measured 2e-13 m). Attitude: RK4 at dt 0.1, 6e-11 rad an orbit."""
    errors = accuracy.free_body(0.05)
    assert errors["position_m"] < 1e-12
    assert errors["attitude_rad"] < 1e-9
    assert errors["orbit_m"] < 1e-8  # ten ulp of 6.8e6 m


def test_free_body_implicitfast() -> None:
    """First order, but symplectic in the orbit-following frame: bounded, 5e-3 m is the limit over 3 orbits."""
    assert accuracy.free_body(0.05, "implicitfast")["position_m"] < 5e-3


def test_tumble() -> None:
    """284 s: 1e-8 rad is asked of a whole orbit; the torque turns the body by far more."""
    errors = accuracy.tumble(0.05)
    assert errors["attitude_rad"] < 1e-9
    assert errors["effect_of_the_torque_rad"] > 1e-4


def test_two_arm_converges_at_fourth_order() -> None:
    """140 s of commanded motion: RK4 truncation only, 16 times less at half the step (measured 20 and more)."""
    coarse, fine = accuracy.two_arm(0.05), accuracy.two_arm(0.05, timestep=0.05)
    assert coarse["joint_rad"] < 1e-7
    assert coarse["attitude_rad"] < 2e-8
    assert coarse["bus_m"] < 1e-8
    for name in ("joint_rad", "attitude_rad", "bus_m"):
        assert coarse[name] / fine[name] > 12.0


def test_two_arm_float32() -> None:
    """140 s on the Warp backend: float32 rounding (measured 1.2e-5 m; 2.3e-4 m over half an orbit)."""
    errors = accuracy.two_arm_warp(0.05)
    assert errors["com_m"] < 5e-5
    assert errors["joint_rad"] < 1e-6
    assert errors["orbit_m"] < 1e-8


def test_two_arm_implicitfast_is_first_order() -> None:
    """Single-stage integration works and is coarser by orders of magnitude, as the documentation says."""
    assert 1e-5 < accuracy.two_arm_warp(0.05, "implicitfast")["com_m"] < 5e-3
