"""What the sensor kernel is built for."""

from dataclasses import dataclass

from mjorbit_warp.atmosphere import WGS84_FLATTENING
from mjorbit_warp.effects import Effects
from mjorbit_warp.hardware.sensor import TYPES
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit

KINDS = {name: i for i, name in enumerate(TYPES)}
NATIVE = len(TYPES)


def ellipsoid(options: OrbitOptions, orbit: Orbit | None) -> float:
    """Flattening that altitude refers to: the atmosphere's, or WGS 84 about Earth and a sphere about other bodies."""
    if options.atmosphere is not None:
        return options.atmosphere.flattening
    return WGS84_FLATTENING if orbit is not None and orbit.body.name == "earth" else 0.0


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
