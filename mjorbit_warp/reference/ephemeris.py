"""Sun and Moon from a central body [m], ECI axes, in float64 over any shape of times."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp import ephemeris_tables as tables
from mjorbit_warp.constants import SECONDS_PER_CENTURY, central_body
from mjorbit_warp.orientation import frame_rotation_z

F64 = NDArray[np.float64]
ARCSEC = np.pi / 648000.0


def _poly(coefficients: ArrayLike, x: F64) -> F64:
    return np.asarray(np.polynomial.polynomial.polyval(x, np.asarray(coefficients, dtype=np.float64)))


def _rotation_x(angle: ArrayLike) -> F64:
    """R1(θ) (…, 3, 3): components in axes turned by +θ [rad] about x: R3 with its axes renamed."""
    cycle = [2, 0, 1]
    return frame_rotation_z(angle)[..., cycle, :][..., :, cycle]


def _apply(matrix: F64, v: F64) -> F64:
    return np.einsum("...ij,...j->...i", matrix, v)


def planet(t: ArrayLike, name: str) -> F64:
    """Mars or the Earth-Moon barycentre from the Sun (…, 3) [m], J2000 ecliptic; ``t`` (…) [s] past J2000 TT.

    Simon et al. (1994), in polar form: true anomaly ν by tan(ν/2) = √((1+e)/(1−e)) tan(E/2), r = a (1 − e cos E), and
    the argument of latitude ν + ϖ − Ω in the plane of the orbit.
    """
    p = {"earth_moon": tables.EARTH_MOON_BARYCENTRE, "mars": tables.MARS}[name]
    x = np.asarray(t, dtype=np.float64) / (10.0 * SECONDS_PER_CENTURY)

    def periodic(rows: tuple[tuple[int, int, int], ...]) -> F64:
        frequency, cosine, sine = np.array(rows, dtype=np.float64).reshape(-1, 3).T
        phase = tables.LONGITUDE_RATE * x[..., None] * frequency
        return 1e-7 * (np.cos(phase) @ cosine + np.sin(phase) @ sine)

    a = _poly(p.a, x) + periodic(p.a_terms)
    e = _poly(p.e, x)
    longitude, perihelion, tilt, node = (
        _poly(p.radians(angle), x) for angle in ("longitude", "perihelion", "inclination", "node")
    )
    anomaly = longitude + periodic(p.longitude_terms) + x * periodic(p.longitude_t_terms) - perihelion
    ecc = anomaly + e * np.sin(anomaly) / (1.0 - e * np.cos(anomaly))
    for _ in range(5):
        ecc += (anomaly - ecc + e * np.sin(ecc)) / (1.0 - e * np.cos(ecc))
    nu = 2.0 * np.arctan2(np.sqrt(1.0 + e) * np.sin(ecc / 2.0), np.sqrt(1.0 - e) * np.cos(ecc / 2.0))
    r = tables.ASTRONOMICAL_UNIT * a * (1.0 - e * np.cos(ecc))
    u = nu + perihelion - node
    c, s = np.cos(u), np.sin(u)
    direction = np.stack(
        [
            np.cos(node) * c - np.sin(node) * np.cos(tilt) * s,
            np.sin(node) * c + np.cos(node) * np.cos(tilt) * s,
            np.sin(tilt) * s,
        ],
        axis=-1,
    )
    return r[..., None] * direction


def lunar(t: ArrayLike, n_longitude: int, n_latitude: int, further: bool) -> F64:
    """The Moon from Earth's centre (…, 3) [m], J2000 ecliptic; ``t`` (…) [s] past J2000 TT.

    Meeus (1998), chapter 47, shortened, then R3(−Π) R1(−π) R3(Π + p) from the ecliptic and equinox of date.
    """
    x = np.asarray(t, dtype=np.float64) / SECONDS_PER_CENTURY
    names = ("MOON_ELONGATION", "SUN_ANOMALY", "MOON_ANOMALY", "MOON_NODE_DISTANCE")
    args = np.stack([np.radians(_poly(getattr(tables, name), x)) for name in names], axis=-1)
    mean = np.radians(_poly(tables.MOON_LONGITUDE, x))
    e = _poly(tables.ECCENTRICITY_FACTOR, x)[..., None]

    rows = np.array(tables.MOON_LONGITUDE_TERMS[:n_longitude], dtype=np.float64)
    phase, size = args @ rows[:, :4].T, e ** np.abs(rows[:, 1])
    sum_longitude = (size * np.sin(phase)) @ rows[:, 4]
    distance = tables.MOON_DISTANCE + (size * np.cos(phase)) @ rows[:, 5]
    rows = np.array(tables.MOON_LATITUDE_TERMS[:n_latitude], dtype=np.float64)
    sum_latitude = (e ** np.abs(rows[:, 1]) * np.sin(args @ rows[:, :4].T)) @ rows[:, 4]
    if further:
        sum_longitude += tables.VENUS_LONGITUDE * np.sin(np.radians(_poly(tables.VENUS_ARGUMENT, x)))
        sum_longitude += tables.FLATTENING_LONGITUDE * np.sin(mean - args[..., 3])
        sum_latitude += tables.FLATTENING_LATITUDE * np.sin(mean)
    longitude, latitude = mean + np.radians(1e-6 * sum_longitude), np.radians(1e-6 * sum_latitude)

    of_date = np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=-1
    )
    tilt, node, precession = (
        ARCSEC * _poly(c, x) for c in (tables.ECLIPTIC_INCLINATION, tables.ECLIPTIC_NODE, tables.GENERAL_PRECESSION)
    )
    to_j2000 = frame_rotation_z(-node) @ _rotation_x(-tilt) @ frame_rotation_z(node + precession)
    return distance[..., None] * _apply(to_j2000, of_date)


def _equatorial(ecliptic: F64) -> F64:
    return _apply(_rotation_x(-ARCSEC * tables.OBLIQUITY), ecliptic)


def sun_position(t: ArrayLike, body_name: str) -> F64:
    """The Sun from the centre of earth, moon or mars (…, 3) [m], ECI; ``t`` (…) [s] past J2000 TT.

    From Earth: −(barycentre) + share of the Moon; from the Moon: that less the Moon's own position.
    """
    body = central_body(body_name).name
    if body == "mars":
        return _equatorial(-planet(t, "mars"))
    moon = lunar(t, *(tables.REFLEX_TERMS if body == "earth" else tables.MOON_TERMS))
    earth = planet(t, "earth_moon") - tables.MOON_MASS_FRACTION * moon
    return _equatorial(-earth if body == "earth" else -(earth + moon))


def moon_position(t: ArrayLike, body_name: str) -> F64:
    """The Moon from the centre of earth or mars (…, 3) [m], ECI; ``t`` (…) [s] past J2000 TT."""
    body = central_body(body_name).name
    if body == "moon":
        raise ValueError("the Moon has no position from itself: moon_position is for earth or mars")
    moon = lunar(t, *tables.MOON_TERMS)
    if body == "earth":
        return _equatorial(moon)
    earth = planet(t, "earth_moon") - tables.MOON_MASS_FRACTION * moon
    return _equatorial(earth + moon - planet(t, "mars"))
