"""Parameters drawn per world: statistics, keys, nominal values, what follows from them, and mistakes."""

import math
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.distributions import Distribution, draw
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.randomize import nominal
from tests.conftest import DATA, LEO

MASS = mjo.Uniform(0.8, 1.25, relative=True)


def make_model() -> mjo.MjoModel:
    """h21_bus_panel.xml with a wheel, a tank and a thruster on the bus and a plate on the panel, in an orbit."""
    spec = mjo.MjoSpec.from_file(DATA / "h21_bus_panel.xml")
    spec.add_reaction_wheel("wheel", "bus", (1, 2, 2), inertia=0.01, max_speed=100.0)
    spec.add_surface("front", "panel", (1, 0, 0), (0, 1, 0), size=(1, 2), two_sided=True)
    spec.add_surface("back", "bus", (0, 0, 1), (0, 1, 1), area=0.5, two_sided=True)
    spec.add_tank("bus", propellant=4.0)
    spec.add_thruster("jet", "bus", (0, 0, 0), (1, 0, 0), max_force=40.0, specific_impulse=1.0, tank="bus")
    spec.orbit = LEO
    spec.options = mjo.OrbitOptions(atmosphere=mjo.Atmosphere.us76())
    spec.option.integrator, spec.option.timestep = INTEGRATORS["RK4"], 0.05
    return spec.compile()


# --- draws ----------------------------------------------------------------------------------------------------------

N = 40000


@pytest.mark.parametrize(
    ("distribution", "mean", "std"),
    [
        (mjo.Uniform(2.0, 5.0), 3.5, 3.0 / math.sqrt(12.0)),
        (mjo.Normal(3.0, 0.5), 3.0, 0.5),
        (mjo.LogNormal(2.0, 0.3), 2.0 * math.exp(0.045), 2.0 * math.exp(0.045) * math.sqrt(math.exp(0.09) - 1.0)),
        (mjo.Choice([1.0, 2.0, 4.0], [1, 2, 1]), 2.25, math.sqrt(0.25 + 2.0 + 4.0 - 2.25**2)),
    ],
)
def test_statistics(distribution: Distribution, mean: float, std: float) -> None:
    """Mean, deviation, and no correlation between elements, worlds and parameters: each within 4 standard errors."""
    x = draw(distribution, 3, "a", N, (2,))
    assert np.abs(x.mean(axis=0) - mean).max() < 4.0 * std / math.sqrt(N)
    assert np.abs(x.std(axis=0) - std).max() < 4.0 * std / math.sqrt(N)
    others = [
        x[:, 1],
        np.roll(x[:, 0], 1),
        draw(distribution, 3, "b", N, (2,))[:, 0],
        draw(distribution, 4, "a", N, (2,))[:, 0],
    ]
    for other in others:
        assert abs(np.corrcoef(x[:, 0], other)[0, 1]) < 4.0 / math.sqrt(N)


def test_shapes_of_distributions() -> None:
    u = draw(mjo.Uniform(2.0, 5.0), 0, "a", N, ())
    assert u.min() >= 2.0 and u.max() < 5.0 and abs((u < 2.75).mean() - 0.25) < 0.01
    n = draw(mjo.Normal(0.0, 1.0), 0, "a", N, ())
    for z, below in ((-2.0, 0.02275), (-1.0, 0.15866), (0.0, 0.5), (1.5, 0.93319)):
        assert abs((n < z).mean() - below) < 0.01
    log = draw(mjo.LogNormal(2.0, 0.3), 0, "a", N, ())
    assert abs(np.median(log) - 2.0) < 0.01 and np.array_equal(log, 2.0 * np.exp(0.3 * n))
    c = draw(mjo.Choice([7.0, 9.0], [3, 1]), 0, "a", N, ())
    assert set(c) == {7.0, 9.0} and abs((c == 7.0).mean() - 0.75) < 0.01
    assert (draw(mjo.Uniform(3.0, 3.0), 0, "a", 9, (2,)) == 3.0).all()
    assert (draw(mjo.Choice([5]), 0, "a", 9, (2,)) == 5.0).all()


@pytest.mark.parametrize("per", [None, "element", "component", "world"])
def test_draws_are_keyed_by_world(per: str | None) -> None:
    """A world's draws are the same for any number of worlds; other seeds and names give others."""
    d = mjo.Normal(0.0, 1.0, per=per)
    big, small = draw(d, 5, "body_inertia", 100, (4, 3)), draw(d, 5, "body_inertia", 7, (4, 3))
    assert np.array_equal(big[:7], small)
    for first, n in ((1, 1), (2, 17), (3, 5), (7, 2), (93, 7)):  # Philox gives numbers four at a time
        assert np.array_equal(big[first : first + n], draw(d, 5, "body_inertia", n, (4, 3), first=first))
    assert not np.isin(big, draw(d, 6, "body_inertia", 100, (4, 3))).any()
    assert not np.isin(big, draw(d, 5, "body_mass", 100, (4, 3))).any()
    distinct = {None: 12, "component": 12, "element": 4, "world": 1}[per]
    assert np.unique(big[0]).size == distinct and np.unique(big).size == 100 * distinct


# --- on a model -----------------------------------------------------------------------------------------------------


def many() -> dict[str, Distribution]:
    return {
        "body_mass": MASS,
        "body_inertia": mjo.LogNormal(1.0, 0.1, relative=True),
        "body_ipos": mjo.Uniform(-0.02, 0.02, offset=True, names="panel"),
        "wheel_inertia": mjo.Normal(0.01, 0.001),
        "surface_area": mjo.Uniform(0.5, 2.0, relative=True, per="world"),
        "environment_density_scale": mjo.LogNormal(1.0, 0.5),
        "central_mu": mjo.Uniform(1.0, 1.001, relative=True),
        "opt.timestep": mjo.Choice([0.04, 0.05]),
        "dof_damping": mjo.Uniform(0.1, 0.2, names="hinge"),
        "actuator_ctrlrange": mjo.Uniform(0.5, 1.0, relative=True, names="jet"),
    }


def values_of(model: mjo.MjoModel) -> dict[str, np.ndarray]:
    found = {}
    for name in many():
        owner: Any = model.mjw.opt if name.startswith("opt.") else model
        found[name] = getattr(owner, name.removeprefix("opt.")).numpy().copy()
    return found


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], rows: Any = slice(None)) -> bool:
    return all(np.array_equal(a[name][rows], b[name][rows]) for name in a)


def test_every_parameter_is_drawn_around_its_nominal_value() -> None:
    model = make_model()
    d = mjo.make_data(model, nworld=64)
    out = mjo.randomize(model, d, many(), seed=1)
    assert set(out) == set(many())
    got = values_of(model)
    for name, rows in got.items():
        assert rows.shape[0] == 64 and np.unique(rows.reshape(64, -1), axis=0).shape[0] > 1, name
        assert np.array_equal(out[name].reshape(rows.shape), rows.astype(np.float64))
    mass, base = got["body_mass"], nominal(model, "body_mass")
    assert (
        (mass[:, 0] == 0.0).all() and (mass[:, 1:] >= 0.79 * base[1:]).all() and (mass[:, 1:] <= 1.26 * base[1:]).all()
    )
    assert np.ptp(mass[:, 1] / 10.0 - mass[:, 2] / 2.0) > 0.1  # a draw for each body
    area = got["surface_area"] / nominal(model, "surface_area")
    assert np.ptp(area[:, 0]) > 0.5 and np.abs(area[:, 0] - area[:, 1]).max() < 1e-6  # one for each world
    shift = got["body_ipos"] - nominal(model, "body_ipos")
    assert not shift[:, :2].any() and 0.0 < np.abs(shift[:, 2]).max() <= 0.02 and np.ptp(shift[0, 2]) > 0.0
    damping = got["dof_damping"]
    assert not damping[:, :6].any() and (damping[:, 6] >= 0.1).all()
    assert np.abs(got["actuator_ctrlrange"][:, 1, 1] / 40.0 - 0.75).max() <= 0.2500001
    assert set(np.unique(got["opt.timestep"])) == {np.float32(0.04), np.float32(0.05)}
    # inertia: times its own factor, the same for all three moments, and times the mass's
    ratio = got["body_inertia"][:, 1:] / nominal(model, "body_inertia")[1:]
    assert np.abs(ratio - ratio[..., :1]).max() < 1e-6
    own = draw(many()["body_inertia"], 1, "body_inertia", 64, (3, 3))[:, 1:, 0]
    assert np.abs(ratio[..., 0] - own * (mass / np.where(base == 0.0, 1.0, base))[:, 1:]).max() < 1e-6


def test_free_joints_stay_free() -> None:
    """Damping and the like without names are of the other joints: a spacecraft that is held is not in orbit."""
    model = make_model()
    names = ("dof_damping", "dof_frictionloss", "dof_armature", "jnt_stiffness")
    out = mjo.randomize(model, 3, {name: mjo.Uniform(0.1, 0.2) for name in names}, seed=0)
    for name in names:
        free = 1 if name == "jnt_stiffness" else 6
        assert not out[name][:, :free].any() and (out[name][:, free:] >= 0.1).all(), name
    joint = model.mj.joint(0).name
    with pytest.raises(ValueError, match=r"dof_armature of free joint .* would hold the spacecraft"):
        mjo.randomize(model, 3, {"dof_armature": mjo.Uniform(0.1, 0.2, names=joint)}, seed=0)


def test_never_compounds_and_does_not_depend_on_order_or_number_of_worlds() -> None:
    once, again = make_model(), make_model()
    d, e = mjo.make_data(once, nworld=6), mjo.make_data(again, nworld=4)
    mjo.randomize(once, d, many(), seed=1)
    first = values_of(once)
    mjo.randomize(once, d, many(), seed=2)
    second = values_of(once)
    assert not same(first, second)
    mjo.randomize(again, e, dict(reversed(many().items())), seed=2)
    assert same(values_of(again), second, slice(0, 4))
    mjo.randomize(once, d, many(), seed=1)
    assert same(values_of(once), first)
    for name, distribution in many().items():  # one at a time
        if name != "body_inertia":
            mjo.randomize(again, e, {name: distribution}, seed=1, scale_inertia=False)
            assert np.array_equal(values_of(again)[name], first[name][:4]), name
    mjo.randomize(again, e, many(), seed=1, first=2)  # a part of the six
    assert same({name: values[2:] for name, values in first.items()}, values_of(again))


def test_masked_worlds_alone() -> None:
    """A reset draws anew for its worlds; the others keep their bits."""
    model = make_model()
    d = mjo.make_data(model, nworld=6)
    mjo.randomize(model, d, many(), seed=1)
    before = values_of(model)
    mask = np.array([False, True, False, False, True, False])
    mjo.mjo_reset(model, d, mask)
    mjo.randomize(model, d, many(), seed=2, mask=mask)
    after = values_of(model)
    assert same(after, before, ~mask) and not same(after, before, mask)
    mjo.randomize(model, d, many(), seed=2)
    assert same(values_of(model), after, mask)


def test_constants_follow_and_the_state_is_kept() -> None:
    """Subtree masses, inverse weights, inertia along with the mass; qpos, qvel, act and the orbit keep their bits."""
    model = make_model()
    d = mjo.make_data(model, nworld=5)
    rng = np.random.default_rng(0)
    quat = rng.normal(size=(5, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    d.qpos.assign(np.concatenate([rng.normal(size=(5, 3)), quat, rng.normal(size=(5, 1))], axis=1))
    d.qvel.assign(rng.normal(size=(5, model.nv)))
    state = mjo.get_state(model, d).numpy()
    weight = model.body_invweight0.numpy().copy()
    mjo.randomize(model, d, {"body_mass": mjo.Choice([0.5, 2.0], relative=True, per="world")}, seed=0)
    assert np.array_equal(mjo.get_state(model, d).numpy(), state)
    mass = model.body_mass.numpy()
    factor = mass[:, 1] / 10.0
    assert set(factor) == {0.5, 2.0}
    assert np.abs(model.body_subtreemass.numpy() - mass[:, ::-1].cumsum(axis=1)[:, ::-1]).max() < 1e-5
    assert np.abs(model.body_inertia.numpy()[:, 1] / nominal(model, "body_inertia")[1] - factor[:, None]).max() < 1e-6
    # all masses and inertias scale alike, so inverse weights scale the other way
    assert np.abs(model.body_invweight0.numpy()[:, 1:] * factor[:, None, None] / weight[:, 1:] - 1.0).max() < 1e-4
    mjo.randomize(model, d, {"body_mass": MASS}, seed=0, scale_inertia=False)
    assert np.abs(model.body_inertia.numpy()[:, 1] / nominal(model, "body_inertia")[1] - factor[:, None]).max() < 1e-6


def test_forces_and_momentum_take_the_new_masses() -> None:
    """Gravity on a body scales with its mass, drag with density and area; 10 N for a step are their impulse."""
    model = make_model()
    d = mjo.make_data(model, nworld=5)
    d.qpos.assign(np.tile([3.0, -4.0, 5.0, 0.5, 0.5, -0.5, 0.5, 0.3], (5, 1)))
    drawn = mjo.randomize(
        model,
        d,
        {
            "body_mass": MASS,
            "environment_density_scale": mjo.LogNormal(1.0, 0.5),
            "surface_area": mjo.Uniform(0.5, 2.0, relative=True, names="front"),
        },
        seed=7,
    )
    mjo.mjo_forward(model, d)
    gravity = d.wrench.numpy()[:, 1:, :3] - d.hardware.force.numpy()[:, 1:]
    per_mass = gravity / drawn["body_mass"][:, 1:, None]
    assert np.abs(per_mass - per_mass[:1]).max() < 1e-6 * np.abs(per_mass).max()
    panel = d.hardware.force.numpy()[:, 2]
    factor = drawn["environment_density_scale"] * drawn["surface_area"][:, 1]  # parts are sorted by body: bus, panel
    assert np.abs(panel / factor[:, None] - panel[:1] / factor[0]).max() < 2e-6 * np.abs(panel / factor[:, None]).max()

    push = np.zeros((5, model.nbody, 6))
    push[:, 1, 0] = 10.0
    d.xfrc_applied.assign(push)
    mjo.mjo_step(model, d)
    a = mjo.absolute_state(model, d)
    relative = a.v.numpy()[:, 1:] - d.orbit.v.numpy()[:, None]
    momentum = (drawn["body_mass"][:, 1:, None] * relative).sum(axis=1)
    assert np.abs(momentum - [10.0 * 0.05, 0.0, 0.0]).max() < 5e-5  # gravity: 3e-4 N


def test_graphs_take_new_values_without_a_new_capture() -> None:
    model = make_model()
    d = mjo.make_data(model, nworld=3)
    mjo.randomize(model, d, many(), seed=0)
    start = mjo.get_state(model, d).numpy().copy()
    step = mjo.capture(model, d, nstep=3)
    ends = []
    for seed in (1, 2, 1):
        mjo.randomize(model, d, many(), seed=seed)
        mjo.set_state(model, d, start)
        step()
        ends.append(mjo.get_state(model, d).numpy().copy())
    assert step.ncapture == 1
    assert np.array_equal(ends[0], ends[2]) and not np.array_equal(ends[0], ends[1])
    other = make_model()
    e = mjo.make_data(other, nworld=3)
    mjo.randomize(other, e, many(), seed=1)
    mjo.set_state(other, e, start)
    for _ in range(3):
        mjo.mjo_step(other, e)
    assert np.array_equal(mjo.get_state(other, e).numpy(), ends[0])


def test_before_there_is_data() -> None:
    """A number of worlds is enough; constants follow all the same."""
    model = make_model()
    mjo.randomize(model, 4, {"body_mass": MASS}, seed=3)
    mass = model.body_mass.numpy()
    assert mass.shape[0] == 4
    d = mjo.make_data(model, nworld=4)
    assert np.abs(model.body_subtreemass.numpy()[:, 0] - mass.sum(axis=1)).max() < 1e-5
    mjo.randomize(model, d, {"body_mass": MASS}, seed=3)
    assert np.array_equal(model.body_mass.numpy(), mass)


def test_a_tank_in_flight_keeps_what_is_left() -> None:
    """The draw is that of the full tank: burnt propellant is not given back, and burning goes on from there."""
    model, plain = make_model(), make_model()
    d, e = mjo.make_data(model, nworld=3), mjo.make_data(plain, nworld=3)
    drawn = mjo.randomize(plain, e, {"body_mass": MASS}, seed=5)
    ctrl = np.zeros((3, model.nu))
    ctrl[:, int(model.hardware.thruster.ctrl[0])] = [0.0, 10.0, 20.0]
    d.ctrl.assign(ctrl)
    for _ in range(4):
        mjo.mjo_step(model, d)
    left = d.hardware.propellant.numpy().copy()
    assert left[0, 0] == 4.0 and abs(left[2, 0] - 4.0 + 20.0 * 0.2 / 9.80665) < 1e-6
    for _ in range(2):  # twice is as once
        mjo.randomize(model, d, {"body_mass": MASS}, seed=5)
        assert np.abs(model.body_mass.numpy()[:, 1] - (drawn["body_mass"][:, 1] - 4.0 + left[:, 0])).max() < 2e-6
    inertia = model.body_inertia.numpy()[:, 1] / model.body_mass.numpy()[:, 1, None]
    assert np.abs(inertia - nominal(model, "body_inertia")[1] / 10.0).max() < 1e-6
    mjo.mjo_step(model, d)
    gone = left[:, 0] - d.hardware.propellant.numpy()[:, 0]
    assert np.abs(gone - ctrl[:, int(model.hardware.thruster.ctrl[0])] * 0.05 / 9.80665).max() < 1e-6
    want = drawn["body_mass"][:, 1] - 4.0 + d.hardware.propellant.numpy()[:, 0]
    assert np.abs(model.body_mass.numpy()[:, 1] - want).max() < 2e-6
    mjo.mjo_reset(model, d)
    assert np.abs(model.body_mass.numpy()[:, 1] - drawn["body_mass"][:, 1]).max() < 2e-6


# --- mistakes -------------------------------------------------------------------------------------------------------

RELATIVE = {"relative": True}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bodymass": MASS}, "'bodymass' is not a parameter that can differ per world: allowed are .*body_mass"),
        ({"body_mass": 3.0}, "body_mass is a float: a Distribution such as Uniform is expected"),
        (
            {"body_mass": mjo.Normal(0.0, 1.0, relative=True)},
            r"body_mass of \w+ was drawn as -.* in world \d+",
        ),
        (
            {"body_mass": mjo.Uniform(0.9, 1.1, relative=True, names="buss")},
            "no element 'buss': allowed are bus, panel",
        ),
        (
            {"body_mass": mjo.Uniform(0.9, 1.1, names="world")},
            "body_mass has no element 'world': allowed are bus",
        ),
        (
            {"wheel_inertia": mjo.Uniform(0.9, 1.1, names="bus")},
            "wheel_inertia has no element 'bus': allowed are",
        ),
        (
            {"central_mu": mjo.Uniform(0.9, 1.1, names="earth")},
            "central_mu has no elements with names",
        ),
        ({"surface_drag": mjo.Uniform(-1.0, -0.5)}, "surface_drag of back was drawn as -.*: not negative and finite"),
        ({"surface_specular": mjo.Uniform(1.5, 2.0)}, r"surface_specular \+ surface_diffuse.* was drawn as 1"),
        ({"body_inertia": mjo.Choice([1.0, 3.0])}, "body_inertia of .*: three moments of a rigid body, A"),
        ({"body_subtreemass": MASS}, "body_subtreemass follows from other parameters: draw those"),
        ({"body_quat": MASS}, "body_quat is not made of numbers that can be drawn one by one"),
        ({"geom_dataid": MASS}, "geom_dataid is"),
        ({"tendon_range": MASS}, "tendon_range is empty in this model"),
        ({"cmg_momentum": MASS}, "'cmg_momentum' is not a parameter"),
    ],
)
def test_mistakes_change_nothing(parameters: dict[str, Any], message: str) -> None:
    model = make_model()
    d = mjo.make_data(model, nworld=20)
    before = model.body_mass.numpy().copy()
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        mjo.randomize(model, d, {"wheel_coulomb": mjo.Uniform(0.1, 0.2)} | parameters, seed=0)
    assert "\n" not in str(caught.value)
    assert np.array_equal(model.body_mass.numpy(), before)
    assert not model.wheel_coulomb.numpy().any()


def test_bad_arguments() -> None:
    model = make_model()
    d = mjo.make_data(model, nworld=2)
    for seed in (-1, 1.5, None, True):
        with pytest.raises(ValueError, match=r"seed is .*: an integer, 0 or more"):
            mjo.randomize(model, d, {}, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nworld is 0"):
        mjo.randomize(model, 0, {}, seed=0)
    with pytest.raises(ValueError, match="first is -1: an integer, 0 or more"):
        mjo.randomize(model, d, {}, seed=0, first=-1)
    with pytest.raises(ValueError, match=r"was drawn as -.* in world [3-9]\d: positive"):
        mjo.randomize(model, d, {"body_mass": mjo.Uniform(-9.0, -1.0)}, seed=0, first=30)
    with pytest.raises(ValueError, match="made from another model"):
        mjo.randomize(make_model(), d, {}, seed=0)
    with pytest.raises(ValueError, match=r"mask has shape \(3,\) .*: \(2,\) and bool"):
        mjo.randomize(model, d, {}, seed=0, mask=np.ones(3, dtype=bool))
    with pytest.raises(ValueError, match="already has 2 worlds"):
        mjo.randomize(model, 3, {"body_mass": MASS}, seed=0)
