"""What the sensor kernel is built for."""

from dataclasses import dataclass

from mjorbit_warp.effects import Effects
from mjorbit_warp.hardware.sensor import TYPES

KINDS = {name: i for i, name in enumerate(TYPES)}
NATIVE = len(TYPES)


@dataclass(frozen=True)
class SensorEffects:
    """A key for the cached kernel factory.

    Attributes:
      types: of the spacecraft sensors in the model
      native: a sensor of MuJoCo's own is noisy
      errors: sensors have their errors, else they give the truth
      rated: a sensor holds its samples
      eclipse: "none", "conical" or "cylindrical"
      field: degree of the magnetic field, 0 without magnetometers
      gravity: what the orbit's acceleration depends on; the default without accelerometers
    """

    types: tuple[str, ...]
    native: bool
    errors: bool
    rated: bool
    eclipse: str
    field: int
    gravity: Effects
