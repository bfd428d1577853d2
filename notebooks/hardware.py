# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Spacecraft hardware
#
# Magnetorquers stop a tumble, a reaction wheel slews and saturates, a thruster makes up for drag. All of them are
# MuJoCo actuators at sites: their commands are entries of `ctrl`, their momentum is `act`.

# %%
import matplotlib.pyplot as plt
import numpy as np
import warp as wp
from astropy.time import Time

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp.models import model_path

wp.config.log_level = wp.LOG_WARNING
EPOCH = Time("2026-04-01T00:00:00", scale="utc")
ORBIT = mjo.Orbit.circular(altitude=400e3, inclination=np.radians(80.0), epoch=EPOCH)


def satellite(**options):
    """The shipped box satellite in a polar orbit; RK4 with a step that suits slow motion."""
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit, spec.options = ORBIT, mjo.OrbitOptions(**options)
    spec.option.timestep = 0.5
    return spec


# %% [markdown]
# ## Detumbling: B-dot
#
# Three torque rods and a magnetometer in the IGRF field. The law is the oldest there is: a dipole against the field's
# rate of change as the satellite sees it, m = −k dB/dt, which takes energy out of the tumble. Sixteen worlds start with
# different spins; the magnetometer has noise and a bias of its own in each.

# %%
spec = satellite(magnetic_field=mjo.MagneticField.igrf(degree=8))
for name, axis in zip("xyz", np.eye(3), strict=True):
    spec.add_magnetorquer(f"rod_{name}", "bus", axis, max_dipole=40.0)
spec.add_sensor("magnetometer", "magnetometer", "nadir_face", noise=2e-8, walk=1e-10)
model = spec.compile()

nworld, interval = 16, 5.0
data = mjo.make_data(model, nworld=nworld, seed=1)
rng = np.random.default_rng(1)
spin = rng.normal(size=(nworld, 3))
qvel = np.zeros((nworld, 6))
qvel[:, 3:] = 0.03 * spin / np.linalg.norm(spin, axis=1, keepdims=True)
data.qvel.assign(qvel)


def bdot(field, before, gain=1.5e8):
    """Dipole command [A·m²] from two samples of the field [T], satellite axes."""
    return np.clip(-gain * (field - before) / interval, -40.0, 40.0)


step = mjo.capture(model, data, nstep=round(interval / 0.5))
time, rate, rods, before = [], [], [], None
for _ in range(1500):
    step()
    field = data.sensor("magnetometer").numpy().copy()
    command = np.zeros((nworld, 3)) if before is None else bdot(field, before)
    data.ctrl.assign(command)
    before = field
    time.append(data.time.numpy()[0])
    rate.append(np.linalg.norm(data.qvel.numpy()[:, 3:], axis=1))
    rods.append(command[0])

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
left.semilogy(np.array(time) / 60.0, np.degrees(rate))
left.set(title="spin of 16 worlds", xlabel="time [min]", ylabel="rate [deg/s]")
right.plot(np.array(time) / 60.0, rods, lw=0.8)
right.set(title="dipole commands of world 0", xlabel="time [min]", ylabel="dipole [A·m²]")
for ax in (left, right):
    ax.grid(alpha=0.3)
plt.show()
print(f"from 1.7 deg/s to at most {np.degrees(np.max(rate[-1])):.2f} deg/s in {time[-1] / 60.0:.0f} min")
assert np.max(rate[-1]) < 0.2 * 0.03

# %% [markdown]
# ## A slew that saturates the wheels
#
# Three wheels turn the satellite by 150° about its z axis under a proportional-derivative law. A wheel's momentum is
# absolute and its motor torque acts on the body with the opposite sign, limits included: the sum of both stays,
# whatever is commanded. The second world's wheels store a fifth: it saturates, coasts at the rate that this allows, and
# arrives later.

# %%
spec = satellite(gravity_gradient=False)
for name, axis in zip("xyz", np.eye(3), strict=True):
    spec.add_reaction_wheel(f"wheel_{name}", "bus", axis, inertia=0.02, max_speed=400.0, max_torque=0.2, coulomb=2e-4)
model = spec.compile()
data = mjo.make_data(model, nworld=2)
limit = model.expand("wheel_max_speed", 2)
limit.assign(np.array([[400.0] * 3, [80.0] * 3]))

TARGET = np.array([np.cos(np.radians(75.0)), 0.0, 0.0, np.sin(np.radians(75.0))])
GAIN, DAMPING = np.array([0.4, 0.8, 1.0]) * 0.8, np.array([0.4, 0.8, 1.0]) * 14.0


def slew(quat, omega):
    """Motor torques [N·m]: the body gets their negative."""
    error = _quat.mul(_quat.conj(np.broadcast_to(TARGET, quat.shape)), quat)
    error = np.where(error[:, :1] < 0.0, -error, error)
    return 2.0 * GAIN * error[:, 1:] + DAMPING * omega


step = mjo.capture(model, data, nstep=2)
time, angle, speed, momentum = [], [], [], []
for _ in range(600):
    quat, omega = data.qpos.numpy()[:, 3:7].copy(), data.qvel.numpy()[:, 3:].copy()
    data.ctrl.assign(slew(quat, omega))
    step()
    h = data.act.numpy().copy()
    time.append(data.time.numpy()[0])
    angle.append(np.degrees(2.0 * np.arccos(np.minimum(np.abs(quat @ TARGET), 1.0))))
    speed.append(h[:, 2] / 0.02 - omega[:, 2])
    momentum.append(h[:, 2])

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
left.plot(time, angle, label=["400 rad/s", "80 rad/s"])
left.set(title="angle to the target", xlabel="time [s]", ylabel="angle [deg]")
right.plot(time, speed, label=["400 rad/s", "80 rad/s"])
right.axhline(-80.0, color="k", ls=":")
right.axhline(80.0, color="k", ls=":")
right.set(title="speed of the z wheel", xlabel="time [s]", ylabel="speed [rad/s]")
for ax in (left, right):
    ax.grid(alpha=0.3)
    ax.legend(title="limit of speed")
plt.show()
status = data.status.numpy()
print("saturated worlds:", np.flatnonzero(status & mjo.Status.WHEEL_SATURATED).tolist())
assert np.abs(np.array(speed)[:, 1]).max() < 80.01 and np.max(angle[-1]) < 1.0

# %% [markdown]
# ## Drag make-up
#
# At 250 km the panels' drag takes height all the time. World 0 has its thruster off; world 1 burns when it is below its
# height and the thruster points along the flight, and pays with propellant. The attitude is inertial: nothing turns.

# %%
spec = satellite(gravity_gradient=False, j2=False, atmosphere=mjo.Atmosphere.us76())
spec.orbit = ORBIT = mjo.Orbit.circular(altitude=250e3, inclination=np.radians(80.0), epoch=EPOCH)
spec.option.timestep = 2.0
for side, y in (("left", 1.5), ("right", -1.5)):
    spec.add_surface(f"panel_{side}", "bus", (0.05, y - 0.02, 0.03), (1, 0, 0), size=(2.0, 0.8), two_sided=True)
spec.add_tank("bus", propellant=2.0)
spec.add_thruster("main", "bus", (0.05, -0.02, 0.03), (0, 0, 1), max_force=0.15, specific_impulse=220.0, tank="bus")
model = spec.compile()
data = mjo.make_data(model, nworld=2)


def height(orbit):
    """Semi-major axis [m] above the equatorial radius."""
    r, v = orbit.r.numpy(), orbit.v.numpy()
    energy = 0.5 * np.sum(v * v, axis=1) - 3.986004418e14 / np.linalg.norm(r, axis=1)
    return -0.5 * 3.986004418e14 / energy - 6378137.0


step = mjo.capture(model, data, nstep=15)
time, heights, left_over, thrust = [], [], [], []
for _ in range(1080):
    v = data.orbit.v.numpy()[0]
    along = v[2] / np.linalg.norm(v)  # the thruster is the satellite's z axis, which stays that of the ECI frame
    firing = 0.15 if along > 0.7 and height(data.orbit)[1] < 250e3 else 0.0
    data.ctrl.assign(np.array([[0.0], [firing]]))
    step()
    time.append(data.time.numpy()[0] / 3600.0)
    heights.append(height(data.orbit) / 1e3)
    left_over.append(data.hardware.propellant.numpy()[1, 0])
    thrust.append(firing)

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
left.plot(time, heights, label=["drag alone", "with burns"])
left.set(title="semi-major axis above the equator's radius", xlabel="time [h]", ylabel="height [km]")
left.legend()
right.plot(time, left_over)
right.set(title="propellant left", xlabel="time [h]", ylabel="mass [kg]")
for ax in (left, right):
    ax.grid(alpha=0.3)
plt.show()
lost, kept = np.array(heights)[-1] - np.array(heights)[0]
burnt = 2.0 - left_over[-1]
print(f"after {time[-1]:.1f} h: drag alone {lost:+.2f} km, with burns {kept:+.2f} km, {burnt:.3f} kg burnt")
assert not data.bad_worlds() and lost < -1.0 and abs(kept) < 1.0
