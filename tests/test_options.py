"""Options and the environment: what is lacking, what has no effect, and bad values in Python and in files."""

import math
from typing import Any

import numpy as np
import pytest
from astropy.time import Time

import mjorbit_warp as mjo
from tests.parts_models import DIPOLE, all_parts, compiled, refused, spec_of

IGRF = mjo.MagneticField.igrf(degree=2)


def orbit(epoch: str | None = None, body: str = "earth") -> mjo.Orbit:
    time = None if epoch is None else Time(epoch, scale="tt")
    return mjo.Orbit.circular(altitude=500e3, inclination=0.9, epoch=time, body=body)


@pytest.mark.parametrize(
    ("options", "start", "message"),
    [
        ({"magnetic_field": IGRF}, orbit("2031-01-01"), "the year 2031.* outside 1900.0 to 2030.0.* extrapolate=True"),
        ({"magnetic_field": IGRF}, orbit("1899-06-01"), "the year 1899.* is outside"),
        ({"magnetic_field": IGRF}, orbit(), "the magnetic field igrf14 varies with time, so the orbit needs an epoch"),
        ({"third_bodies": "sun"}, orbit(), "the Sun's position needs an orbit with an epoch"),
        ({"third_bodies": "moon", "sun": (1.5e11, 0, 0)}, orbit(), 'third body "moon" needs an orbit with an epoch'),
        ({"third_bodies": "moon"}, orbit("2025-01-01", "moon"), 'third body "moon" is the central body'),
        ({"solar_pressure": True}, orbit(), "the Sun's position needs an orbit with an epoch"),
        ({}, orbit(), "mt, rd needs a magnetic field: set spec.options.magnetic_field"),
    ],
)
def test_what_the_environment_lacks(options: dict[str, Any], start: mjo.Orbit, message: str) -> None:
    spec = all_parts()
    spec.orbit = start
    spec.options = mjo.OrbitOptions(**({} if not options else {"magnetic_field": DIPOLE} | options))
    refused(spec.compile, message)


@pytest.mark.parametrize(
    ("options", "start", "parts", "note"),
    [
        ({}, orbit(), True, "surfaces have no effect: set spec.options.atmosphere or solar_pressure"),
        (
            {"atmosphere": mjo.Atmosphere.us76()},
            orbit(),
            False,
            "atmosphere moves nothing, as the model has no surfaces",
        ),
        ({"solar_pressure": True, "sun": (1.5e11, 0, 0)}, orbit(), False, "solar_pressure moves nothing"),
        ({}, None, True, "mt, rd, plate, ball has no effect without an orbit: set spec.orbit"),
        (
            {"magnetic_field": IGRF},
            orbit("2025-01-01", "mars"),
            True,
            "magnetic field igrf14 is Earth's, the orbit about",
        ),
    ],
)
def test_notes_on_what_has_no_effect(options: dict[str, Any], start: mjo.Orbit | None, parts: bool, note: str) -> None:
    spec = all_parts() if parts else spec_of()
    spec.orbit = start
    spec.options = mjo.OrbitOptions(**({"magnetic_field": DIPOLE} | options))
    with pytest.warns(mjo.MjoWarning, match=note):
        spec.compile()


def test_extrapolation_is_asked_for() -> None:
    spec = all_parts()
    spec.orbit = orbit("2031-01-01")
    spec.options = mjo.OrbitOptions(magnetic_field=mjo.MagneticField.igrf(degree=2, extrapolate=True))
    again = mjo.MjoSpec.from_string(spec.to_xml())
    assert again.options == spec.options
    compiled(again)


def test_a_world_without_an_epoch_is_refused() -> None:
    spec = spec_of()
    spec.orbit, spec.options = orbit("2025-01-01"), mjo.OrbitOptions(third_bodies="sun")
    model = spec.compile()
    refused(lambda: mjo.make_data(model, nworld=2, orbit=[orbit("2025-01-01"), orbit()]), "the Sun's position needs an")


SUN = {"sun": (1.5e11, 0.0, 0.0)}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"zonal_degree": 3, "j2": False}, "zonal_degree is 3 without j2"),
        ({"zonal_degree": 7}, "zonal_degree is 7: 2 to 6 is allowed"),
        ({"zonal_degree": 2.5}, "zonal_degree is 2.5"),
        ({"zonal_degree": "3"}, "zonal_degree is '3'"),
        ({"third_bodies": "mars"}, "third body 'mars' is not known: allowed are 'sun', 'moon'"),
        ({"third_bodies": 3}, "third_bodies is 3: allowed are 'sun', 'moon'"),
        ({"wind": 3}, "wind is 3: three finite numbers"),
        ({"wind": "east"}, "wind is 'east': three finite numbers"),
        ({"sun": (0, 0, 0)}, r"sun is \(0.0, 0.0, 0.0\): its position in metres, farther than sun_radius"),
        ({"sun": "up"}, "sun is 'up': three finite"),
        ({"solar_flux": "bright"}, "solar_flux is 'bright': a number is expected"),
        ({"solar_flux": None}, "solar_flux is None: a number is expected"),
        ({"solar_flux": -1361}, "solar_flux is -1361: a positive number is expected"),
        ({"sun_radius": math.nan}, "sun_radius is nan: a positive"),
        ({"eclipse_radius": 0}, "eclipse_radius is 0: a positive"),
        ({"eclipse": "conic"}, "eclipse is 'conic': allowed are 'conical', 'cylindrical', 'none'"),
        ({"atmosphere": "us76"}, "atmosphere is a str: Atmosphere or None is expected"),
        ({"magnetic_field": "igrf"}, "magnetic_field is a str: MagneticField or None is expected"),
        ({"j2": 1}, "j2 is 1: True or False is expected"),
        ({"orientation": 2.0 * np.eye(3)}, "orientation is not a rotation"),
        ({"orientation": np.diag([1.0, 1.0, -1.0])}, "orientation is not a rotation"),
        ({"orientation": [["a"] * 3] * 3}, "orientation has shape"),
    ],
)
def test_options_in_python(values: dict[str, Any], message: str) -> None:
    refused(lambda: mjo.OrbitOptions(**values), message)


def test_options_take_numbers_of_any_kind() -> None:
    options = mjo.OrbitOptions(
        zonal_degree=np.int64(3), solar_flux=np.float32(1000), sun_radius=np.array(7e8), wind=np.arange(3), j2=np.True_
    )
    plain = mjo.OrbitOptions(zonal_degree=3, solar_flux=1000.0, sun_radius=7e8, wind=(0.0, 1.0, 2.0))
    assert options == plain
    assert type(options.j2) is bool and type(options.zonal_degree) is int and type(options.solar_flux) is float
    assert mjo.OrbitOptions(third_bodies=["moon", "sun", "moon"]).third_bodies == ("moon", "sun")
    with pytest.raises(AttributeError, match="no option 'zonal': allowed are gravity_gradient, j2,"):
        options.zonal = 3  # type: ignore[attr-defined]
    spec = spec_of()
    spec.options.zonal_degree = 9
    refused(spec.compile, "zonal_degree is 9: 2 to 6 is allowed")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("zonal_degree", "2.5", "zonal_degree is 2.5"),
        ("third_bodies", "sun,moon", "third body 'sun,moon' is not known"),
        ("atmosphere", "us76", "mjo_atmosphere: atmosphere is 'us76': 'flattening f; altitude density"),
        ("atmosphere", "flattening 0; 1 2", "mjo_atmosphere: atmosphere is 'flattening 0; 1 2'"),
        ("atmosphere", "flattening 0; 0 -1 8000", "mjo_atmosphere: densities of the atmosphere must be finite and pos"),
        ("corotation", "yes", "mjo_corotation is 'yes': 0 or 1 expected"),
        ("wind", "1 2", "mjo_wind is '1 2': 3 finite numbers expected"),
        ("solar_flux", "nan", "mjo_solar_flux is 'nan': 1 finite number expected"),
        ("sun", "0 0 0", "sun is"),
        ("magnetic_field", "IGRF", "mjo_magnetic_field: magnetic field 'IGRF' is not known"),
        ("magnetic_field", "igrf degree=20", "mjo_magnetic_field: .*degree of the magnetic field is 20: 1 to 13"),
        ("magnetic_field", "dipole g10=-30000 g11=0 h11=0", "tesla are expected, not nT"),
        ("orientation", "1 0 0 0 1 0 0 0 2", "orientation is not a rotation"),
        ("feedback", "2", "mjo_feedback is '2': 0 or 1 expected"),
        ("drag", "1", "mjo_drag is not a setting of this package: allowed are"),
    ],
)
def test_options_in_a_file(name: str, data: str, message: str) -> None:
    refused(lambda: spec_of(custom=f'<text name="mjo_{name}" data="{data}"/>'), message)


def test_an_option_given_twice() -> None:
    twice = '<text name="mjo_j2" data="0"/><numeric name="mjo_j2" data="1"/>'
    refused(lambda: spec_of(custom=twice), "mjo_j2 is given as a <numeric> and as a <text>")


def test_air_turns_with_the_axes() -> None:
    """Not without co-rotation, nor where the body's axes stand still."""
    rate = 7.292115e-5
    assert mjo.OrbitOptions().air_rate(rate) == rate
    assert mjo.OrbitOptions(orientation=np.eye(3)).air_rate(rate) == rate
    assert mjo.OrbitOptions(corotation=False).air_rate(rate) == 0.0
    assert mjo.OrbitOptions(orientation="inertial").air_rate(rate) == 0.0
