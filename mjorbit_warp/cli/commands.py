"""Arm commands of the demo, on the device."""

# mypy: ignore-errors
# (the body of a kernel is Warp's, not Python's)

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.struct
class Waves:
    """Sine waves that fade in from zero.

    Attributes:
      amplitude: [rad]                             (nworld, nu)
      rate: angular frequency [rad/s]              (nworld, nu)
      phase: [rad]                                 (nworld, nu)
      fade: time until full amplitude [s]
    """

    amplitude: wp.array2d[wp.float32]
    rate: wp.array2d[wp.float32]
    phase: wp.array2d[wp.float32]
    fade: wp.float64


@wp.kernel
def _wave_commands(
    # Data in:
    stage_time_in: wp.array[wp.float64],
    # In:
    waves: Waves,
    # Data out:
    ctrl_out: wp.array2d[float],
):
    """``ctrl`` as a function of the evaluation's own time t: f(t) A sin(ω t + φ), f rising as (1 − cos)/2 to 1."""
    worldid, i = wp.tid()
    t = stage_time_in[worldid]
    share = wp.min(t / waves.fade, wp.float64(1.0))
    fade = wp.float64(0.5) - wp.float64(0.5) * wp.cos(wp.float64(wp.PI) * share)
    angle = wp.float64(waves.rate[worldid, i]) * t + wp.float64(waves.phase[worldid, i])
    ctrl_out[worldid, i] = waves.amplitude[worldid, i] * float(fade * wp.sin(angle))
