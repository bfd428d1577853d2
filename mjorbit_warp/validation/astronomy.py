"""Sun, frames and time scales against astropy and ERFA."""

import warnings
from fractions import Fraction

import astropy.units as u
import erfa
import numpy as np
from astropy.coordinates import get_body_barycentric, solar_system_ephemeris
from astropy.time import Time, TimeDelta

import mjorbit_warp as mjo
from mjorbit_warp import frames
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.constants import EARTH
from mjorbit_warp.epoch import earth_orientation, seconds_from_time, time_from_seconds
from mjorbit_warp.orientation import body_fixed_frame
from mjorbit_warp.validation.case import Case, Growth, Limit, figure, measured
from mjorbit_warp.validation.models import body_spec
from mjorbit_warp.validation.simulation import Simulation

INERTIA = (10.0, 20.0, 25.0)
REST = np.array([0.0, 0, 0, 1, 0, 0, 0])
EPOCH = Time("2026-03-01T12:34:56.789", scale="utc")


def sun(variant: str) -> Growth:
    """The Sun that the loads see, in 64 worlds whose epochs are spread over 2000 to 2049."""
    epochs = [Time(2000.0 + 0.77 * k, format="jyear", scale="tt") for k in range(64)]
    orbits = [mjo.Orbit.circular(altitude=5e5, epoch=epoch) for epoch in epochs]
    model = body_spec(INERTIA, 1.0, orbits[0], third_bodies=("sun",), orientation="inertial", j2=False).compile()
    sim = Simulation(model, variant, np.tile(REST, (64, 1)), np.zeros((64, 6)), orbit=orbits)
    forward = mjo_ref.mjo_forward if variant == "reference" else mjo.mjo_forward
    forward(sim.model, sim.data)
    got = np.array(sim.data.environment.sun if variant == "reference" else sim.data.environment.sun.numpy())
    want = []
    with solar_system_ephemeris.set("builtin"), warnings.catch_warnings():
        warnings.simplefilter("ignore", erfa.ErfaWarning)  # "dubious year": leap seconds of 2030 are not known
        for epoch in epochs:
            want.append((get_body_barycentric("sun", epoch) - get_body_barycentric("earth", epoch)).xyz.to_value("m"))
    truth = np.array(want)
    length = np.linalg.norm(truth, axis=1)
    direction = np.linalg.norm(np.cross(got, truth), axis=1) / (length * np.linalg.norm(got, axis=1))
    t = np.array([(epoch - epochs[0]).to_value("s") for epoch in epochs])
    return measured(t, direction=np.degrees(direction), distance=np.linalg.norm(got, axis=1) / length - 1.0)


def _itrs(time: Time) -> np.ndarray:
    """ITRS from GCRS by ERFA's own routine, with the packaged UT1 and polar motion."""
    with earth_orientation(time) as table:
        xp, yp = (x.to_value("rad") for x in table.pm_xy(time.utc))
        dut = table.ut1_utc(time.utc).to_value("s")
    ut1 = erfa.utcut1(time.utc.jd1, time.utc.jd2, dut)
    return np.asarray(erfa.c2t06a(time.tt.jd1, time.tt.jd2, *ut1, xp, yp))


def _teme(time: Time) -> np.ndarray:
    """GCRS from TEME: TEME differs from the true equinox of date by the equation of the equinoxes of 1994."""
    tt = time.tt
    npb = erfa.pnm06a(tt.jd1, tt.jd2)
    equation = erfa.eqeq94(tt.jd1, tt.jd2)
    return np.asarray(npb.T @ erfa.rz(-equation, np.eye(3)))


def frame_conversions(variant: str) -> Growth:
    """States from ITRS and TEME, and Earth-fixed axes that turn on for six hours."""
    r, v = np.array([4.2e6, -3.9e6, 3.7e6]), np.array([4500.0, 5200.0, 350.0])
    to_itrs = _itrs(EPOCH)
    itrs = mjo.Orbit.from_state(r, v, frame="ITRS", epoch=EPOCH)
    teme = mjo.Orbit.from_state(r, v, frame="TEME", epoch=EPOCH)
    t0 = seconds_from_time(EPOCH)
    turn = (_itrs(time_from_seconds(t0 + 1.0)) - _itrs(time_from_seconds(t0 - 1.0))) / 2.0  # [1/s]
    frame = body_fixed_frame(EARTH, t0)
    t, drift = [], []
    for hours in range(7):
        now = t0 + 3600.0 * hours
        here = frames.ecef_from_eci(frame, now, r)
        t.append(3600.0 * hours)
        drift.append(np.linalg.norm(np.asarray(here) - _itrs(time_from_seconds(now)) @ r))
    growth = measured(t, fixed_axes=drift)
    growth["itrs_position"] = figure(float(np.linalg.norm(itrs.r - to_itrs.T @ r)))
    growth["itrs_velocity"] = figure(float(np.linalg.norm(itrs.v - to_itrs.T @ (v - turn @ to_itrs.T @ r))))
    growth["teme_position"] = figure(float(np.linalg.norm(teme.r - _teme(EPOCH) @ r)))
    return growth


def time_scales(variant: str) -> Growth:
    """Seconds past J2000 across leap seconds, and the simulation's clock after 2048 steps of 0.1 s."""
    if variant == "host":
        known = (
            ("2000-01-01T11:58:55.816", 0.0),
            ("2017-01-01T00:00:00", 536500869.184),
            ("2026-01-01T00:00:00", 820497669.184),
        )
        errors = [seconds_from_time(Time(date, scale="utc")) - seconds for date, seconds in known]
        before, after = (Time(x, scale="utc") for x in ("2016-12-31T23:59:59", "2017-01-01T00:00:00"))
        leap = seconds_from_time(after) - seconds_from_time(before) - 2.0
        tdb = seconds_from_time(EPOCH, "tdb") - (EPOCH.tdb - Time(2451545.0, format="jd", scale="tdb")).to_value("s")
        return {"tt": figure(max(np.abs(errors))), "leap_second": figure(abs(leap)), "tdb": figure(abs(tdb))}
    orbit = mjo.Orbit.circular(altitude=5e5, epoch=EPOCH)
    model = body_spec(INERTIA, 0.1, orbit, j2=False, gravity_gradient=False, orientation="inertial").compile()
    sim = Simulation(model, variant, REST, np.zeros(6), stride=256)
    dt = Fraction(0.1 if variant == "reference" else float(np.float32(0.1)))
    t, elapsed, absolute = [], [], []
    for i in range(1, 9):
        sim.advance()
        exact = float(dt * 256 * i)
        now = float(np.asarray(sim.data.t if variant == "reference" else sim.data.orbit.t.numpy()).ravel()[0])
        t.append(sim.t)
        elapsed.append(sim.t - exact)
        absolute.append((time_from_seconds(now) - (EPOCH + TimeDelta(exact * u.s))).to_value("s"))
    return measured(t, elapsed=elapsed, date=absolute)


_DATE = "UTC 2026-03-01T12:34:56.789"
CASES = (
    Case(
        name="astropy_sun",
        title="direction and distance of the Sun that drives loads and third-body gravity, 2000 to 2049",
        frame="GCRS",
        epoch="64 epochs, every 0.77 years from J2000",
        forces="point mass, Sun",
        integrator="none",
        step="none",
        truth="astropy's builtin ephemeris (ERFA epv00), geometric",
        limits={
            "direction": Limit("°", {"reference": 0.003, "warp": 0.003}, "the series' own, 0.0022° over 1950-2050"),
            "distance": Limit("", {"reference": 1e-5, "warp": 1e-5}, "the series' own accuracy, 8e-6"),
        },
        run=sun,
        fast=True,
    ),
    Case(
        name="astropy_frames",
        title="states given in ITRS and TEME, and Earth-fixed axes over six hours",
        frame="ITRS, TEME, GCRS",
        epoch=_DATE,
        forces="none",
        integrator="none",
        step="none",
        truth="ERFA's c2t06a, pnm06a and eqeq94 with the packaged Earth orientation",
        limits={
            "fixed_axes": Limit("m", {"host": 1.5}, "axes are frozen at the epoch: at most 4.5 m a day"),
            "itrs_position": Limit("m", {"host": 1e-6}, "rounding of 7000 km through several products"),
            "itrs_velocity": Limit("m/s", {"host": 4e-6}, "both difference over 1 s, and UT1 is rounded"),
            "teme_position": Limit("m", {"host": 3.0}, "IAU 1980 against 2006 nutation, 0.05″ of 7000 km"),
        },
        run=frame_conversions,
        fast=True,
    ),
    Case(
        name="astropy_time",
        title="seconds past J2000 across leap seconds, and the clock of 2048 steps of 0.1 s",
        frame="none",
        epoch=_DATE,
        forces="point mass",
        integrator="RK4",
        step="0.1 s (Warp: float32(0.1) s)",
        truth="UTC dates whose TT is known exactly, astropy's TDB and TimeDelta, exact fractions",
        limits={
            "tt": Limit("s", {"host": 5e-7}, "float64 resolves 1.2e-7 s today"),
            "leap_second": Limit("s", {"host": 5e-7}, "the same"),
            "tdb": Limit("s", {"host": 5e-7}, "the same"),
            "elapsed": Limit("s", {"reference": 1e-12, "warp": 1e-12, "shadow": 1e-12}, "rounding of 200 s"),
            "date": Limit("s", {"reference": 5e-7, "warp": 5e-7, "shadow": 5e-7}, "float64 resolves 1.2e-7 s today"),
        },
        run=time_scales,
        fast=True,
    ),
)
