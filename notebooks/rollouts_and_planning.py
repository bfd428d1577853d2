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
# # Rollouts and planning
#
# Many worlds from one state, what they record, and a planner that uses them: in the orbit, and in zero gravity.
# Install with `pip install 'mjorbit-warp[notebook]'`.

# %%
import matplotlib.pyplot as plt
import numpy as np
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.models import model_path
from mjorbit_warp.tasks import gg_capture, reorient

wp.config.log_level = wp.LOG_WARNING

# %% [markdown]
# ## One state, many worlds
#
# Two arms on a free-flying bus. The first world settles for ten seconds; then all 64 go on from its state, orbit and
# clock included, each with its own smooth commands. The tape has one row of commands per half second.

# %%
spec = mjo.MjoSpec.from_file(model_path("two_arm"))
spec.orbit = mjo.Orbit.circular(altitude=400e3, inclination=0.9)
model = spec.compile()
data = mjo.make_data(model, nworld=64)
step = mjo.capture(model, data, nstep=100)
step()
mjo.broadcast_state(model, data, world=0)

rng = np.random.default_rng(0)
time = 0.5 * np.arange(40)
phase = rng.uniform(0.0, 2.0 * np.pi, (64, model.nu))
tape = (0.5 * np.sin(0.4 * time[:, None, None] + phase)).astype(np.float32)
out = mjo.rollout(model, data, tape, decimation=5, record=("qpos", "xipos"), restore=True)
qpos = out["qpos"].numpy()
print("recorded on the device:", out["qpos"].shape, "and", out["xipos"].shape)
print("the plant's clock after the rollout [s]:", data.time.numpy()[0])

# %% [markdown]
# Nothing but the arms moves, and the bus turns all the same: momentum is conserved.

# %%
turned = np.degrees(2.0 * np.arccos(np.clip(np.abs(qpos[:, :, 3:7] @ qpos[0, 0, 3:7]), 0.0, 1.0)))
plt.figure(figsize=(7, 3.5))
plt.plot(time + 0.5, turned, color="C0", lw=0.8, alpha=0.5)
plt.xlabel("time [s]")
plt.ylabel("turn of the bus [deg]")
plt.title("64 worlds, one start")
plt.grid(alpha=0.3)
plt.show()

# %% [markdown]
# ## Closed loop
#
# A policy is a function of the data; what it returns may be a NumPy, torch or Warp array. Here the bus turns at 2 deg/s
# and both shoulders are told to lead it: while the arms swing ahead, they take over its momentum.


# %%
def lead_the_bus(d):
    command = np.zeros((d.nworld, model.nu), dtype=np.float32)
    shoulders = [0, 4]
    command[:, shoulders] = d.qpos.numpy()[:, [7, 11]] + 4.0 * d.qvel.numpy()[:, 5:6]
    return command


mjo.mjo_reset(model, data)
start = np.zeros((64, model.nv), dtype=np.float32)
start[:, 5] = np.radians(2.0)
data.qvel.assign(start)
out = mjo.rollout(model, data, policy=lead_the_bus, nstep=100, decimation=5, record=("qvel",))
rates = np.degrees(out["qvel"].numpy()[:, 0, 5])
print(f"the bus turns at 2 deg/s at the start, {rates[9]:.2f} after 5 s, {rates[-1]:.2f} after 10 s")

# %% [markdown]
# ## A bus that turns itself
#
# `mjorbit_warp.planning.MPPI` rolls splines of commands out, weighs them by their costs and takes the mean, at each
# replanning. This is the small version of `mjorbit-warp task reorient`: fewer rollouts, no search for the first plan,
# the first twelve seconds. The full one, in `benchmarks/results/reorient.json`, gets the 60° and holds them.

# %%
turn = reorient.reorient(seed=0, duration=12.0, nrollout=24, restarts=0)
plt.figure(figsize=(7, 3.5))
plt.plot(turn.time, np.degrees(turn.error))
plt.xlabel("time [s]")
plt.ylabel("angle to the target [deg]")
plt.title(f"no attitude actuators; arms at least {100 * turn.clearance.min():.0f} cm from the bus")
plt.grid(alpha=0.3)
plt.show()

# %% [markdown]
# ## What the orbit is worth to a planner
#
# A robot holds a 400 kg payload behind it, level with it. It wants the payload below, and has a slow arm and no
# attitude actuators: only the gravity gradient can take momentum out of the stack. The same planner, with rollouts
# that know the orbit and with rollouts in zero gravity; the plant is in the orbit both times. Again a small version,
# of `mjorbit-warp task gg_capture`.

# %%
plt.figure(figsize=(7, 3.5))
for dynamics, colour in (("orbit", "C0"), ("zero_g", "C3")):
    run = gg_capture.gg_capture(dynamics=dynamics, seed=1, duration=2880.0, nrollout=16)
    plt.plot(run.time / 60.0, np.degrees(run.error), color=colour, label=f"rollouts: {dynamics}")
plt.xlabel("time [min]")
plt.ylabel("payload, angle from nadir [deg]")
plt.legend()
plt.grid(alpha=0.3)
plt.show()
