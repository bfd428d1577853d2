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
# # The first hour
#
# A MuJoCo model, an orbit, a step, and what the orbit changes. Install with `pip install 'mjorbit-warp[notebook]'`.

# %%
import matplotlib.pyplot as plt
import numpy as np
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.inspect import inspect_model
from mjorbit_warp.models import model_path, tle_path

wp.config.log_level = wp.LOG_WARNING

# %% [markdown]
# ## Load a model and give it an orbit
#
# The model is plain MJCF: MuJoCo's own viewer opens it. The orbit comes from a two-line element set; `Orbit.circular`,
# `Orbit.from_elements` and `Orbit.from_state` are the other ways. A state is never taken without its frame.

# %%
spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
spec.orbit = mjo.Orbit.from_tle(tle_path())
spec.option.timestep = 1.0  # nothing moves fast here, and RK4 is fourth order: ten times the file's step will do
model = spec.compile()
print(inspect_model(model, spec))

# %% [markdown]
# ## Eight worlds
#
# MuJoCo's world is the orbit-following frame: its origin moves with the reference orbit, its axes are inertial. We
# start the worlds 100 m from the origin in different directions of the LVLH frame (x radial, y in-track, z
# cross-track), at rest in it.

# %%
nworld = 8
angle = 2.0 * np.pi * np.arange(nworld) / nworld
start_lvlh = 100.0 * np.stack([np.cos(angle), np.sin(angle), np.zeros(nworld)], axis=1)
position, velocity = mjo.frames.of_from_lvlh(spec.orbit.r, spec.orbit.v, start_lvlh, np.zeros((nworld, 3)))


def fill(data):
    """The same start in any data of this model."""
    qpos = np.tile(model.mj.qpos0, (nworld, 1))
    qvel = np.zeros((nworld, model.mj.nv))
    qpos[:, :3], qvel[:, :3] = position, velocity
    qvel[:, 3:6] = [0.002, -0.003, 0.001]
    data.qpos.assign(qpos)
    data.qvel.assign(qvel)


data = mjo.make_data(model, nworld=nworld)
fill(data)

# %% [markdown]
# ## Step
#
# `capture` makes a graph of several steps; calling it replays them, on a GPU as on the CPU.


# %%
def run(model, data, records=280, nstep=20):
    """COM of the bus relative to the origin [m] (OF) and its attitude, with the orbit where there is one."""
    step = mjo.capture(model, data, nstep=nstep)
    kept = {"time": [], "pos": [], "quat": [], "r": [], "v": []}
    for _ in range(records):
        mjo.mjo_forward(model, data)  # fresh positions: after a step they belong to the step's last evaluation
        kept["time"].append(data.time.numpy()[0])
        kept["pos"].append(data.xipos.numpy()[:, 1].copy())
        kept["quat"].append(data.qpos.numpy()[:, 3:7].copy())
        if data.orbit is not None:
            kept["r"].append(data.orbit.r.numpy().copy())
            kept["v"].append(data.orbit.v.numpy().copy())
        step()
    assert not data.bad_worlds()
    return {name: np.array(values) for name, values in kept.items()}


orbiting = run(model, data)
time = orbiting["time"]
print(f"{time[-1]:.0f} s, {time[-1] / spec.orbit.period:.2f} orbits")

# %% [markdown]
# ## The same model in zero gravity
#
# `spec.orbit = None` is what most robotics simulations do. Everything else stays the same.

# %%
spec.orbit, orbit = None, spec.orbit
free_model = spec.compile()
free_data = mjo.make_data(free_model, nworld=nworld)
fill(free_data)
drifting = run(free_model, free_data)

# %% [markdown]
# ## Relative motion
#
# Both runs in the LVLH frame of the reference orbit. In orbit, a start above the origin falls behind and one below
# runs ahead (the Clohessy-Wiltshire solution, dotted); in zero gravity each world keeps its inertial velocity.

# %%
lvlh = mjo.frames.lvlh_from_of(orbiting["r"], orbiting["v"], orbiting["pos"])
lvlh_free = mjo.frames.lvlh_from_of(orbiting["r"], orbiting["v"], drifting["pos"])
n = orbit.mean_motion
x0 = lvlh[0]
s, c = np.sin(n * time)[:, None], np.cos(n * time)[:, None]
cw = np.stack([(4 - 3 * c) * x0[:, 0], 6 * (s - n * time[:, None]) * x0[:, 0] + x0[:, 1]], axis=-1)

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
left.plot(lvlh[:, :, 1], lvlh[:, :, 0])
left.plot(cw[::10, :, 1], cw[::10, :, 0], "k.", ms=2)
left.plot(lvlh[0, :, 1], lvlh[0, :, 0], "ko", ms=4)
left.set(title="in orbit (dots: Clohessy-Wiltshire)", xlabel="in-track [m]", ylabel="radial [m]")
right.plot(lvlh_free[:, :, 1], lvlh_free[:, :, 0])
right.plot(lvlh[0, :, 1], lvlh[0, :, 0], "ko", ms=4)
right.set(title="zero gravity, same start", xlabel="in-track [m]", ylabel="radial [m]")
for ax in (left, right):
    ax.grid(alpha=0.3)
plt.show()

# %% [markdown]
# ## Attitude
#
# The angle between the satellite in orbit and the one in zero gravity: the gravity gradient at work.


# %%
def angle_between(a, b):
    """Angle between two attitudes [deg]."""
    return np.degrees(2.0 * np.arccos(np.minimum(np.abs(np.sum(a * b, axis=-1)), 1.0)))


figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
left.plot(time, angle_between(orbiting["quat"], orbiting["quat"][0]))
left.set(title="bus, from its start", xlabel="time [s]", ylabel="angle [deg]")
right.plot(time, angle_between(orbiting["quat"], drifting["quat"]))
right.set(title="in orbit against zero gravity", xlabel="time [s]", ylabel="angle [deg]")
for ax in (left, right):
    ax.grid(alpha=0.3)
plt.show()

# %%
worst = np.linalg.norm(lvlh[:, :, :2] - cw, axis=-1).max()
print(f"largest difference from Clohessy-Wiltshire: {worst:.2f} m")
assert worst < 30.0  # second order in distance, J2 and e = 0.001, over a kilometre of drift
