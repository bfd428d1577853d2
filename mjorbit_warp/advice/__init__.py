"""Advice on a compiled model: what is valid and probably not meant, and what to do about it."""

from collections.abc import Callable, Sequence

from mjorbit_warp.advice.armature import armature_advice
from mjorbit_warp.advice.base import base_advice
from mjorbit_warp.advice.buffers import buffer_advice
from mjorbit_warp.advice.contact_step import contact_step_advice
from mjorbit_warp.advice.drift import drift_advice
from mjorbit_warp.advice.equalities import equality_advice
from mjorbit_warp.advice.flags import flag_advice
from mjorbit_warp.advice.masses import mass_advice
from mjorbit_warp.advice.orbit_step import orbit_step_advice
from mjorbit_warp.advice.overlap import overlap_advice
from mjorbit_warp.advice.record import LEVELS, Advice, Subject
from mjorbit_warp.advice.sensors import sensor_advice
from mjorbit_warp.advice.servo_step import servo_step_advice
from mjorbit_warp.advice.units import unit_advice
from mjorbit_warp.advice.world import world_advice
from mjorbit_warp.report import BufferReport, DriftReport

RULES: tuple[Callable[[Subject], list[Advice]], ...] = (
    base_advice,
    world_advice,
    mass_advice,
    unit_advice,
    armature_advice,
    flag_advice,
    contact_step_advice,
    servo_step_advice,
    orbit_step_advice,
    equality_advice,
    overlap_advice,
    sensor_advice,
)
CODES = (
    "angle-unit",
    "armature-twice",
    "buffers",
    "ctrl-in-degrees",
    "default-density",
    "disabled-flag",
    "energy-off",
    "euler-in-degrees",
    "euler-in-radians",
    "fixed-tree",
    "fluid",
    "gravity",
    "held-by-world",
    "integrator-drift",
    "noise-unused",
    "overlap",
    "range-in-degrees",
    "range-in-radians",
    "servo-sign",
    "stale-weld",
    "step-contact",
    "step-orbit",
    "step-servo",
    "visual-mass",
)  # of warnings and information; errors cannot be ignored


def advise(
    subject: Subject, buffers: BufferReport, momentum: DriftReport | None, ignore: Sequence[str] = ()
) -> tuple[Advice, ...]:
    """All advice on a model: errors, then warnings, then information.

    Args:
      buffers, momentum: what was measured for the report.
      ignore: codes of warnings and information to leave out.

    Raises:
      ValueError: a code to ignore is not known.
    """
    for code in ignore:
        if code not in CODES:
            raise ValueError(f"{code!r} cannot be ignored: allowed are {', '.join(CODES)}")
    found = [advice for rule in RULES for advice in rule(subject)]
    found += [*drift_advice(subject, momentum), *buffer_advice(buffers)]
    kept = [a for a in found if a.level == "error" or a.code not in ignore]
    return tuple(sorted(kept, key=lambda a: LEVELS.index(a.level)))
