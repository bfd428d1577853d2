"""Altitude above an ellipsoid and the density of the air there, float64."""

import warp as wp


@wp.func
def altitude(r: wp.vec3d, pole: wp.vec3d, radius: wp.float64, flattening: wp.float64) -> wp.float64:
    """Height [m] of ``r`` [m] above the ellipsoid of equatorial ``radius`` [m] about the unit vector ``pole``.

    One step of Bowring's formula for the latitude (B. R. Bowring, "The accuracy of geodetic latitude and height
    equations", Survey Review 28, 1985), and h = ρ cos φ + z sin φ − a √(1 − e² sin² φ), in which an error of φ counts
    squared: within 1e-8 m of the exact height from 10 km below Earth's ellipsoid to any height. Exact for a sphere.
    """
    one = wp.float64(1.0)
    distance = wp.length(r)
    if distance < wp.float64(0.5) * radius:
        return distance - radius  # deep inside there is no latitude worth finding
    z = wp.dot(r, pole)
    rho = wp.length(r - z * pole)
    e2 = flattening * (wp.float64(2.0) - flattening)
    b = radius * (one - flattening)
    second = e2 / (one - e2)

    # parametric latitude, sine and cosine from one division each
    y = z * (one - flattening) * (one + second * b / distance)
    norm = wp.sqrt(rho * rho + y * y)
    s = y / norm
    c = rho / norm

    up = z + second * b * s * s * s
    out = rho - e2 * radius * c * c * c
    norm = wp.sqrt(up * up + out * out)
    s = up / norm
    c = out / norm
    return rho * c + z * s - radius * wp.sqrt(one - e2 * s * s)


@wp.func
def density(
    altitude: wp.float64,
    table_altitude: wp.array[wp.float64],
    table_density: wp.array[wp.float64],
    table_scale: wp.array[wp.float64],
) -> wp.float64:
    """Density [kg/m³] at ``altitude`` [m]: ρ_k exp(−(h − h_k)/H_k) in the band k that it is in.

    The bands are those of ``Atmosphere``: bases [m] in increasing order, densities there [kg/m³], scale heights [m].
    The first band reaches down without end and the last one up; none of it above a base whose H is 0.
    """
    low = int(0)
    high = table_altitude.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if altitude < table_altitude[middle]:
            high = middle
        else:
            low = middle
    scale = table_scale[low]
    if scale == wp.float64(0.0):
        return wp.float64(0.0)
    return table_density[low] * wp.exp((table_altitude[low] - altitude) / scale)
