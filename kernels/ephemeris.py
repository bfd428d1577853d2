"""Sun and Moon from a central body as functions of time alone: geometric positions [m], ECI axes, float64.

The axes are those of J2000, within 0.02″ of GCRS. The series and their sources are in ``ephemeris_tables``; their worst
errors over 1950-2050 stand with ``sun_position_func`` and ``moon_position_func``.
"""

from functools import cache

import numpy as np
import warp as wp

from mjorbit_warp import ephemeris_tables as tables
from mjorbit_warp.constants import SECONDS_PER_CENTURY, central_body

ARCSEC = float(np.radians(1.0 / 3600.0))
MICRODEGREE = float(np.radians(1e-6))


@wp.func
def turn_x(v: wp.vec3d, angle: wp.float64) -> wp.vec3d:
    """``v`` turned by +angle [rad] about x."""
    c = wp.cos(angle)
    s = wp.sin(angle)
    return wp.vec3d(v[0], c * v[1] - s * v[2], s * v[1] + c * v[2])


@wp.func
def turn_z(v: wp.vec3d, angle: wp.float64) -> wp.vec3d:
    """``v`` turned by +angle [rad] about z."""
    c = wp.cos(angle)
    s = wp.sin(angle)
    return wp.vec3d(c * v[0] - s * v[1], s * v[0] + c * v[1], v[2])


@wp.func
def equatorial_from_ecliptic(v: wp.vec3d) -> wp.vec3d:
    """Mean equator of J2000 from mean ecliptic of J2000."""
    return turn_x(v, wp.float64(wp.static(tables.OBLIQUITY * ARCSEC)))


@cache
def planet_func(name: str):
    """Func ``f(t) -> vec3d``: Mars or the Earth-Moon barycentre from the Sun [m], J2000 ecliptic; t [s] past J2000 TT.

    Simon et al. (1994): an ellipse whose a, λ, e, ϖ, i, Ω are polynomials of time, with periodic terms in a and λ.
    r = a (cos E − e) P + a √(1 − e²) sin E Q, where P points to the perihelion and Q a quarter turn ahead.
    """
    p = {"earth_moon": tables.EARTH_MOON_BARYCENTRE, "mars": tables.MARS}[name]
    a_terms, lon_terms, lon_t_terms = p.a_terms, p.longitude_terms, p.longitude_t_terms

    @wp.func
    def planet(t: wp.float64) -> wp.vec3d:
        one = wp.float64(1.0)
        x = t / wp.float64(wp.static(10.0 * SECONDS_PER_CENTURY))  # millennia
        power = wp.vec3d(one, x, x * x)
        a = wp.dot(power, wp.static(wp.vec3d(*p.a)))
        e = wp.dot(power, wp.static(wp.vec3d(*p.e)))
        longitude = wp.dot(power, wp.static(wp.vec3d(*p.radians("longitude"))))
        perihelion = wp.dot(power, wp.static(wp.vec3d(*p.radians("perihelion"))))
        inclination = wp.dot(power, wp.static(wp.vec3d(*p.radians("inclination"))))
        node = wp.dot(power, wp.static(wp.vec3d(*p.radians("node"))))

        mu = x * wp.float64(wp.static(tables.LONGITUDE_RATE))
        unit = wp.float64(1.0e-7)
        for i in range(wp.static(len(a_terms))):
            row = wp.static(wp.vec3d(*a_terms[i]))
            a += unit * (row[1] * wp.cos(row[0] * mu) + row[2] * wp.sin(row[0] * mu))
        for i in range(wp.static(len(lon_terms))):
            row = wp.static(wp.vec3d(*lon_terms[i]))
            longitude += unit * (row[1] * wp.cos(row[0] * mu) + row[2] * wp.sin(row[0] * mu))
        for i in range(wp.static(len(lon_t_terms))):
            row = wp.static(wp.vec3d(*lon_t_terms[i]))
            longitude += unit * x * (row[1] * wp.cos(row[0] * mu) + row[2] * wp.sin(row[0] * mu))

        # Kepler's equation by Newton from E ≈ M + e sin M: the error goes as e², e⁴, e⁸, e¹⁶, which is rounding at 0.1
        anomaly = longitude - perihelion
        ecc = anomaly + e * wp.sin(anomaly)
        for _ in range(3):
            ecc = ecc - (ecc - e * wp.sin(ecc) - anomaly) / (one - e * wp.cos(ecc))
        r = wp.vec3d(wp.cos(ecc) - e, wp.sqrt(one - e * e) * wp.sin(ecc), wp.float64(0.0))
        r = turn_z(turn_x(turn_z(r, perihelion - node), inclination), node)
        return r * (a * wp.float64(wp.static(tables.ASTRONOMICAL_UNIT)))

    return planet


@cache
def lunar_func(n_longitude: int, n_latitude: int, further: bool):
    """Func ``f(t) -> vec3d``: the Moon from Earth's centre [m], J2000 ecliptic; t [s] past J2000 TT.

    The first ``n_longitude`` terms of Meeus's series in longitude and distance, ``n_latitude`` in latitude, and the
    ``further`` ones, in the ecliptic of date; from there to J2000 about the node Π of the two: by −π about it, the
    longitudes from the equinox of date less the general precession p.
    """
    lr, lb = tables.MOON_LONGITUDE_TERMS[:n_longitude], tables.MOON_LATITUDE_TERMS[:n_latitude]
    rad = np.radians
    to_venus = wp.vec2d(*rad(tables.VENUS_ARGUMENT))

    @wp.func
    def lunar(t: wp.float64) -> wp.vec3d:
        one = wp.float64(1.0)
        unit = wp.float64(wp.static(MICRODEGREE))
        x = t / wp.float64(wp.static(SECONDS_PER_CENTURY))
        power = wp.vec4d(one, x, x * x, x * x * x)
        mean = wp.dot(power, wp.static(wp.vec4d(*rad(tables.MOON_LONGITUDE))))
        args = wp.vec4d(
            wp.dot(power, wp.static(wp.vec4d(*rad(tables.MOON_ELONGATION)))),
            wp.dot(power, wp.static(wp.vec4d(*rad(tables.SUN_ANOMALY)))),
            wp.dot(power, wp.static(wp.vec4d(*rad(tables.MOON_ANOMALY)))),
            wp.dot(power, wp.static(wp.vec4d(*rad(tables.MOON_NODE_DISTANCE)))),
        )
        square = wp.vec3d(one, x, x * x)
        factor = wp.dot(square, wp.static(wp.vec3d(*tables.ECCENTRICITY_FACTOR)))
        factors = wp.vec3d(one, factor, factor * factor)

        longitude = mean
        latitude = wp.float64(0.0)
        distance = wp.float64(wp.static(tables.MOON_DISTANCE))
        for i in range(wp.static(len(lr))):
            arg = wp.dot(args, wp.static(wp.vec4d(*lr[i][:4])))
            size = factors[wp.static(abs(lr[i][1]))]
            longitude += unit * size * wp.float64(wp.static(lr[i][4])) * wp.sin(arg)
            distance += size * wp.float64(wp.static(lr[i][5])) * wp.cos(arg)
        for i in range(wp.static(len(lb))):
            arg = wp.dot(args, wp.static(wp.vec4d(*lb[i][:4])))
            size = factors[wp.static(abs(lb[i][1]))]
            latitude += unit * size * wp.float64(wp.static(lb[i][4])) * wp.sin(arg)
        if wp.static(further):
            venus = wp.dot(wp.vec2d(one, x), wp.static(to_venus))
            longitude += unit * wp.float64(wp.static(tables.VENUS_LONGITUDE)) * wp.sin(venus)
            longitude += unit * wp.float64(wp.static(tables.FLATTENING_LONGITUDE)) * wp.sin(mean - args[3])
            latitude += unit * wp.float64(wp.static(tables.FLATTENING_LATITUDE)) * wp.sin(mean)

        arcsec = wp.float64(wp.static(ARCSEC))
        inclination = arcsec * wp.dot(square, wp.static(wp.vec3d(*tables.ECLIPTIC_INCLINATION)))
        node = arcsec * wp.dot(square, wp.static(wp.vec3d(*tables.ECLIPTIC_NODE)))
        precession = arcsec * wp.dot(square, wp.static(wp.vec3d(*tables.GENERAL_PRECESSION)))
        level = distance * wp.cos(latitude)
        angle = longitude - precession - node
        r = wp.vec3d(level * wp.cos(angle), level * wp.sin(angle), distance * wp.sin(latitude))
        return turn_z(turn_x(r, inclination), node)

    return lunar


def _checked(body_name: str) -> str:
    return central_body(body_name).name


@cache
def sun_position_func(body_name: str):
    """Func ``f(t) -> vec3d``: the Sun from the centre of earth, moon or mars [m], ECI; t [s] past J2000 TT.

    Earth is the barycentre's series less the Moon's share of it. Worst errors over 1950-2050 against JPL's DE421: from
    Earth and from the Moon 0.0022° and 8.3e-6 of the distance, from Mars 0.0074° and 3.6e-5. ERFA's epv00 agrees.
    """
    body = _checked(body_name)
    planet = planet_func("mars" if body == "mars" else "earth_moon")
    lunar = lunar_func(*(tables.REFLEX_TERMS if body == "earth" else tables.MOON_TERMS))
    share = tables.MOON_MASS_FRACTION - (1.0 if body == "moon" else 0.0)

    @wp.func
    def sun_position(t: wp.float64) -> wp.vec3d:
        r = -planet(t)
        if wp.static(body != "mars"):
            r += lunar(t) * wp.float64(wp.static(share))
        return equatorial_from_ecliptic(r)

    return sun_position


@cache
def moon_position_func(body_name: str):
    """Func ``f(t) -> vec3d``: the Moon from the centre of earth or mars [m], ECI; t [s] past J2000 TT.

    Worst errors over 1950-2050 against JPL's DE421: from Earth 0.022° and 1.4e-4 of the distance (0.019° and 1.2e-4
    against ERFA's moon98, the whole of the series), from Mars 0.017° and 1.7e-4.
    """
    body = _checked(body_name)
    if body == "moon":
        raise ValueError("the Moon has no position from itself: moon_position is for earth or mars")
    lunar = lunar_func(*tables.MOON_TERMS)
    earth_moon, mars = planet_func("earth_moon"), planet_func("mars")

    @wp.func
    def moon_position(t: wp.float64) -> wp.vec3d:
        r = lunar(t)
        if wp.static(body == "mars"):
            r = earth_moon(t) + r * wp.float64(wp.static(1.0 - tables.MOON_MASS_FRACTION)) - mars(t)
        return equatorial_from_ecliptic(r)

    return moon_position
