"""Central bodies and the constants of time."""

import math
import numbers
from dataclasses import dataclass

SECONDS_PER_DAY = 86400.0
J2000_JD = 2451545.0  # Julian date of 2000-01-01T12:00:00
SECONDS_PER_CENTURY = 36525.0 * SECONDS_PER_DAY


@dataclass(frozen=True)
class CentralBody:
    """A body to orbit.

    Attributes:
      name: name in messages and files.
      mu: gravitational parameter [m³/s²].
      radius: reference radius of j2, also taken as the surface [m].
      j2: second zonal harmonic, unnormalised [-].
      rotation_rate: sidereal rotation rate [rad/s].
    """

    name: str
    mu: float
    radius: float
    j2: float
    rotation_rate: float

    def __post_init__(self) -> None:
        for field in ("mu", "radius", "j2", "rotation_rate"):
            value = getattr(self, field)
            if not isinstance(value, numbers.Real) or not math.isfinite(value):
                raise ValueError(f"{field} of central body {self.name!r} is {value!r}: a finite number is expected")
        for field in ("mu", "radius"):
            if getattr(self, field) <= 0.0:
                raise ValueError(
                    f"{field} of central body {self.name!r} is {getattr(self, field)}: it must be positive"
                )


EARTH = CentralBody(
    name="earth",
    mu=3.986004418e14,  # WGS 84 and IERS Conventions 2010 table 1.1 (TCG-compatible value)
    radius=6378137.0,  # WGS 84
    j2=1.08262668e-3,  # EGM96, −√5 C̄20 (Lemoine et al. 1998; its own radius, 6378136.3 m, makes it 2e-7 smaller)
    # rate of the Earth rotation angle: IERS Conventions 2010, equation 5.15
    rotation_rate=2.0 * math.pi * 1.00273781191135448 / SECONDS_PER_DAY,
)
MOON = CentralBody(
    name="moon",
    mu=4.902800118e12,  # JPL DE440 (Park et al. 2021)
    radius=1738.0e3,  # reference radius of the GRAIL gravity models (Lemoine et al. 2014)
    j2=2.0321568e-4,  # JPL DE440 and DE430, from GRAIL's GL0660B: the undistorted Moon, permanent tide excluded
    rotation_rate=math.radians(13.17635815) / SECONDS_PER_DAY,  # IAU WGCCRE 2009, Archinal et al. 2011, table 2
)
MARS = CentralBody(
    name="mars",
    mu=4.2828375816e13,  # JPL DE440 (Park et al. 2021): Mars with its moons, which are 2e-8 of it
    radius=3396.0e3,  # reference radius of the MRO gravity models and of GMM-3
    j2=1.956607e-3,  # GMM-3, −√5 C̄20 with C̄20 = −8.7502113e-4 (Genova et al. 2016)
    rotation_rate=math.radians(350.89198226) / SECONDS_PER_DAY,  # IAU WGCCRE 2009, table 1
)
BODIES = {body.name: body for body in (EARTH, MOON, MARS)}


def central_body(body: str | CentralBody) -> CentralBody:
    """The body of a name in any case, or the body itself; ValueError lists the names."""
    if isinstance(body, CentralBody):
        return body
    if isinstance(body, str) and body.strip().lower() in BODIES:
        return BODIES[body.strip().lower()]
    raise ValueError(f"central body {body!r} is not known: allowed are {', '.join(BODIES)} or a CentralBody")


# Zonal harmonics J2 … J6, unnormalised, J_n = −√(2n+1) C̄_n0, about the body's own radius; J2 is the body's.
# Earth: EGM96 (Lemoine et al. 1998), C̄30 … C̄60 = 0.957254173792e-6, 0.539873863789e-6, 0.685323475630e-7,
# −0.149957994714e-6; its own radius, 6378136.3 m, makes J6 7e-7 smaller, below the digits kept here.
# Moon: JPL DE430 (Folkner et al. 2014), from GRAIL's GL0660B; its radius is 1738.0 km.
# Mars: MRO95A (JPL, PDS jgmro_095a_sha.tab of 2007-10-01), C̄30 … C̄60 = −1.18956590524e-5, 5.12912271655e-6,
# −1.72731825036e-6, 1.34674221293e-6; radius 3396.0 km. GGM2B (Lemoine et al. 2001) differs by at most 6e-4 of each.
ZONAL = {
    "earth": (EARTH.j2, -2.532656e-6, -1.619622e-6, -2.272961e-7, 5.406812e-7),
    "moon": (MOON.j2, 8.4597027e-6, -9.7044138e-6, 7.4221608e-7, -1.37675314e-5),
    "mars": (MARS.j2, 3.147296e-5, -1.538737e-5, 5.728867e-6, -4.855748e-6),
}
