"""Outputs of all sensors (world × sensor), in one launch at the end of an evaluation's sensor stages."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.environment import BodyAxes, EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.hardware import Wheels
from mjorbit_warp.kernels.magnetic_field import MagneticFieldModel
from mjorbit_warp.kernels.noise import WALK, WHITE, normal4
from mjorbit_warp.kernels.sensor_errors import add_errors, noisy_native
from mjorbit_warp.kernels.sensor_truth import truth_func
from mjorbit_warp.kernels.sensor_types import Motion, Sensors, SensorState, vec6d
from mjorbit_warp.kernels.types import CentralBody, Clock, OrbitState
from mjorbit_warp.sensor_effects import NATIVE, SensorEffects


@wp.func
def normal_error(sigma: vec6d, seed: wp.int64, stream: int, count: wp.int64, sensor: int, use: int) -> vec6d:
    """Independent normal variates of the standard deviations ``sigma``; only gps has more than four."""
    a = normal4(seed, stream, count, sensor, use, 0)
    b = wp.vec4(0.0)
    if sigma[4] > wp.float64(0.0) or sigma[5] > wp.float64(0.0):
        b = normal4(seed, stream, count, sensor, use, 1)
    z = vec6d(
        wp.float64(a[0]), wp.float64(a[1]), wp.float64(a[2]), wp.float64(a[3]), wp.float64(b[0]), wp.float64(b[1])
    )
    return wp.cw_mul(sigma, z)


@wp.func
def sample_number(time: wp.float64, rate: wp.float64) -> wp.int64:
    """Number of the sample that is current at elapsed ``time`` [s]; a float32 step may be short by 6e-8 of itself."""
    return wp.int64(wp.floor(time * rate * wp.float64(1.0 + 1e-7) + wp.float64(1e-9)))


@cache
def sensor_kernel(effects: SensorEffects):
    """Kernel for the types of sensors that a model has, with or without errors."""
    truth = truth_func(effects)

    @wp.kernel(module="unique", enable_backward=False)
    def _sensors(
        # Model:
        opt_timestep: wp.array[float],
        central: CentralBody,
        environment_model: EnvironmentModel,
        axes: BodyAxes,
        field: MagneticFieldModel,
        wheels: Wheels,
        sensors: Sensors,
        # Data in:
        motion: Motion,
        orbit: OrbitState,
        clock: Clock,
        environment: EnvironmentState,
        # In:
        advance: int,
        # Data out:
        state: SensorState,
        sensordata_out: wp.array2d[float],
    ):
        """Outputs at the evaluation's state; with ``advance`` 0 the state of the noise stays."""
        worldid, i = wp.tid()
        adr = sensors.adr[i]
        dim = sensors.dim[i]
        sensorid = sensors.id[i]
        cutoff = sensors.cutoff[i]
        count = state.count[worldid, i]
        seed = state.seed[worldid]
        stream = state.stream[worldid]
        if advance == 1:
            state.count[worldid, i] = count + wp.int64(1)

        if wp.static(effects.native):
            if sensors.kind[i] == wp.static(NATIVE):
                sigma = sensors.noise[worldid % sensors.noise.shape[0], i]
                datatype = sensors.datatype[i]
                noisy_native(
                    sensordata_out, worldid, adr, dim, datatype, cutoff, float(sigma[0]), seed, stream, count, sensorid
                )
                return

        if wp.static(len(effects.types) > 0):
            value = vec6d()
            due = bool(True)
            row = int(-1)
            if wp.static(effects.errors and effects.rated):
                row = sensors.held[i]
                if row >= 0:
                    rate = sensors.rate[worldid % sensors.rate.shape[0], i]
                    number = sample_number(clock.time[worldid], rate)
                    due = number != state.tick[worldid, row]
                    value = state.hold[worldid, row]
                    if due and advance == 1:
                        state.tick[worldid, row] = number
            if due:
                value = truth(
                    sensors,
                    i,
                    worldid,
                    central,
                    environment_model,
                    environment,
                    axes,
                    field,
                    wheels,
                    motion,
                    orbit,
                )
                if wp.static(effects.errors):
                    error = sensors.bias[worldid % sensors.bias.shape[0], i] + state.drift[worldid, i]
                    noise = sensors.noise[worldid % sensors.noise.shape[0], i]
                    if wp.length_sq(noise) > wp.float64(0.0):
                        error += normal_error(noise, seed, stream, count, sensorid, wp.static(WHITE))
                    quantum = sensors.quantum[worldid % sensors.quantum.shape[0], i]
                    value = add_errors(value, sensors.kind[i], error, quantum)
                    if row >= 0 and advance == 1:
                        state.hold[worldid, row] = value
            if wp.static(effects.errors):
                walk = sensors.walk[worldid % sensors.walk.shape[0], i]
                if advance == 1 and wp.length_sq(walk) > wp.float64(0.0):
                    z = normal_error(walk, seed, stream, count, sensorid, wp.static(WALK))
                    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
                    state.drift[worldid, i] = state.drift[worldid, i] + wp.sqrt(dt) * z
            state.value[worldid, i] = value
            for j in range(dim):
                x = float(value[j])
                if cutoff > 0.0:
                    x = wp.clamp(x, -cutoff, cutoff)
                sensordata_out[worldid, adr + j] = x

    return _sensors
