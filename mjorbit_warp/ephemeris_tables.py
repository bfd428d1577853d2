"""Published series behind the Sun's and Moon's positions, in the units they were printed in."""

from dataclasses import dataclass

import numpy as np

ASTRONOMICAL_UNIT = 149597870700.0  # [m] IAU 2012 resolution B2
OBLIQUITY = 84381.448  # [arcsec] of the J2000 ecliptic, IAU 1976, which the series below belong to
MOON_MASS_FRACTION = 1.0 / 82.30056  # Moon/(Earth + Moon), DE405 and later: 1/(1 + 81.30056)
LONGITUDE_RATE = 0.35953620  # [rad/millennium] unit of the planets' trigonometric arguments


@dataclass(frozen=True)
class Planet:
    """Mean elements and their periodic terms, mean ecliptic and equinox J2000, time t in Julian millennia past J2000.

    J.-L. Simon et al., "Numerical expressions for precession formulae and mean elements for the Moon and the planets",
    Astron. Astrophys. 282, 663 (1994), sections 5.8.3 and 6; the same numbers are in ERFA's ``plan94``.

    Attributes:
      a: semi-major axis [AU], powers of t
      longitude: mean longitude [deg, then arcsec], powers of t
      e: eccentricity, powers of t
      perihelion: longitude of the perihelion [deg, arcsec, arcsec]
      inclination: [deg, arcsec, arcsec]
      node: longitude of the ascending node [deg, arcsec, arcsec]
      a_terms: rows (frequency, cosine, sine) added to a [1e-7 AU]
      longitude_terms: rows added to the mean longitude [1e-7 rad]
      longitude_t_terms: the same, multiplied by t
    """

    a: tuple[float, float, float]
    longitude: tuple[float, float, float]
    e: tuple[float, float, float]
    perihelion: tuple[float, float, float]
    inclination: tuple[float, float, float]
    node: tuple[float, float, float]
    a_terms: tuple[tuple[int, int, int], ...]
    longitude_terms: tuple[tuple[int, int, int], ...]
    longitude_t_terms: tuple[tuple[int, int, int], ...] = ()

    def radians(self, name: str) -> tuple[float, float, float]:
        """An angle's polynomial in radians."""
        c0, c1, c2 = getattr(self, name)
        return float(np.radians(c0)), float(np.radians(c1 / 3600.0)), float(np.radians(c2 / 3600.0))


EARTH_MOON_BARYCENTRE = Planet(
    a=(1.0000010178, 0.0, 0.0),
    longitude=(100.46645683, 1295977422.83429, -2.04411),
    e=(0.0167086342, -0.0004203654, -0.0000126734),
    perihelion=(102.93734808, 11612.35290, 53.27577),
    inclination=(0.0, 469.97289, -3.35053),
    node=(174.87317577, -8679.27034, 15.34191),
    a_terms=(
        (16002, 64, -150),
        (21863, -152, -46),
        (32004, 62, 68),
        (10931, -8, 54),
        (14529, 32, 14),
        (16368, -41, 24),
        (15318, 19, -28),
        (32794, -11, 22),
    ),
    longitude_terms=(
        (10, -325, -105),
        (16002, -322, -137),
        (21863, -79, 258),
        (10931, 232, 35),
        (1473, -52, -116),
        (32004, 97, -88),
        (4387, 55, -112),
        (73, -41, -80),
    ),
)
MARS = Planet(
    a=(1.5236793419, 3e-10, 0.0),
    longitude=(355.43299958, 689050774.93988, 0.94264),
    e=(0.0934006477, 0.0009048438, -0.0000080641),
    perihelion=(336.06023395, 15980.45908, -62.32800),
    inclination=(1.84972648, -293.31722, -8.11830),
    node=(49.55809321, -10620.90088, -230.57416),
    a_terms=(
        (6345, 124, -621),
        (7818, 621, 532),
        (15636, -145, -694),
        (7077, 208, -20),
        (8184, 54, 192),
        (14163, -57, -94),
        (1107, 30, 71),
        (4872, 15, -73),
    ),
    longitude_terms=(
        (10, 2268, 854),
        (6345, -979, -205),
        (7818, 802, -936),
        (1107, 602, -240),
        (15636, -668, 140),
        (7077, -33, -341),
        (8184, 345, -97),
        (532, 201, -232),
    ),
    longitude_t_terms=((10, -55, 536),),
)

# The Moon in the mean ecliptic and equinox of date, T in Julian centuries past J2000: J. Meeus, "Astronomical
# Algorithms", 2nd ed. (1998), chapter 47, with the mean longitude of Simon et al. (1994), which is free of light time.
# Fundamental arguments [deg], powers of T.
MOON_LONGITUDE = (218.31665436, 481267.88123421, -0.0015786, 1.0 / 538841.0)
MOON_ELONGATION = (297.8501921, 445267.1114034, -0.0018819, 1.0 / 545868.0)
SUN_ANOMALY = (357.5291092, 35999.0502909, -0.0001536, 1.0 / 24490000.0)
MOON_ANOMALY = (134.9633964, 477198.8675055, 0.0087414, 1.0 / 69699.0)
MOON_NODE_DISTANCE = (93.2720950, 483202.0175233, -0.0036539, 1.0 / 3526000.0)
ECCENTRICITY_FACTOR = (1.0, -0.002516, -0.0000074)  # to the power |multiple of M|
MOON_DISTANCE = 385000560.0  # [m]
# Rows: multiples of elongation, Sun's anomaly, Moon's anomaly, node distance; sine in longitude [1e-6 deg], cosine in
# distance [m]. The largest of 60.
MOON_LONGITUDE_TERMS = (
    (0, 0, 1, 0, 6288774, -20905355),
    (2, 0, -1, 0, 1274027, -3699111),
    (2, 0, 0, 0, 658314, -2955968),
    (0, 0, 2, 0, 213618, -569925),
    (0, 1, 0, 0, -185116, 48888),
    (0, 0, 0, 2, -114332, -3149),
    (2, 0, -2, 0, 58793, 246158),
    (2, -1, -1, 0, 57066, -152138),
    (2, 0, 1, 0, 53322, -170733),
    (2, -1, 0, 0, 45758, -204586),
    (0, 1, -1, 0, -40923, -129620),
    (1, 0, 0, 0, -34720, 108743),
    (0, 1, 1, 0, -30383, 104755),
    (2, 0, 0, -2, 15327, 10321),
    (0, 0, 1, 2, -12528, 0),
    (0, 0, 1, -2, 10980, 79661),
    (4, 0, -1, 0, 10675, -34782),
    (0, 0, 3, 0, 10034, -23210),
    (4, 0, -2, 0, 8548, -21636),
    (2, 1, -1, 0, -7888, 24208),
    (2, 1, 0, 0, -6766, 30824),
    (1, 0, -1, 0, -5163, -8379),
    (1, 1, 0, 0, 4987, -16675),
    (2, -1, 1, 0, 4036, -12831),
    (2, 0, 2, 0, 3994, -10445),
    (4, 0, 0, 0, 3861, -11650),
    (2, 0, -3, 0, 3665, 14403),
    (0, 1, -2, 0, -2689, -7003),
    (2, 0, -1, 2, -2602, 0),
    (2, -1, -2, 0, 2390, 10056),
)
# Sine in latitude [1e-6 deg].
MOON_LATITUDE_TERMS = (
    (0, 0, 0, 1, 5128122),
    (0, 0, 1, 1, 280602),
    (0, 0, 1, -1, 277693),
    (2, 0, 0, -1, 173237),
    (2, 0, -1, 1, 55413),
    (2, 0, -1, -1, 46271),
    (2, 0, 0, 1, 32573),
    (0, 0, 2, 1, 17198),
    (2, 0, 1, -1, 9266),
    (0, 0, 2, -1, 8822),
    (2, -1, 0, -1, 8216),
    (2, 0, -2, -1, 4324),
    (2, 0, 1, 1, 4200),
    (2, 1, 0, -1, -3359),
    (2, -1, -1, 1, 2463),
    (2, -1, 0, 1, 2211),
    (2, -1, -1, -1, 2065),
    (0, 1, -1, -1, -1870),
    (4, 0, -1, -1, 1828),
    (0, 1, 0, 1, -1794),
)
# Two further terms in longitude and one in latitude [1e-6 deg]: Venus (A1 [deg], powers of T), and Earth's flattening
# (sines of L' − F and of L').
VENUS_ARGUMENT = (119.75, 131.849)
VENUS_LONGITUDE, FLATTENING_LONGITUDE, FLATTENING_LATITUDE = 3958, 1962, -2235
# How many terms the Moon's own position takes, and its part in the Earth's motion about their barycentre, which is 6.4
# arcsec of the Sun's direction and need not be known to 1 %: (longitude and distance, latitude, further terms).
MOON_TERMS = (30, 20, True)
REFLEX_TERMS = (4, 1, False)
# Ecliptic of date against that of J2000 [arcsec], powers of T: inclination, its node on the J2000 ecliptic, general
# precession. Capitaine, Wallace & Chapront, Astron. Astrophys. 412, 567 (2003), the IAU 2006 precession.
ECLIPTIC_INCLINATION = (0.0, 46.998973, -0.0334926)
ECLIPTIC_NODE = (629546.7936, -867.95758, 0.157992)
GENERAL_PRECESSION = (0.0, 5028.796195, 1.1054348)
