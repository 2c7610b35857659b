//! Measures of a surface from a grid of heights, by slices shifted by one cell, as in NumPy.

use super::arguments::Cell;
use phalanx::prelude::*;

/// Degrees of a radian.
const DEGREES: f64 = 180.0 / std::f64::consts::PI;
/// The direction of the light, in degrees clockwise from north.
const AZIMUTH: f64 = 315.0;
/// The altitude of the light, in degrees above the horizon.
const ALTITUDE: f64 = 45.0;

/// Measures of the surface at every inner cell.
pub struct Relief {
    /// The steepness, in degrees.
    pub slope: Array,
    /// The downhill direction, in degrees clockwise from north; -1 where the surface is flat.
    pub aspect: Array,
    /// The Laplacian of the height: positive in hollows, negative on ridges.
    pub curvature: Array,
    /// The brightness under the light, 0 to 255.
    pub hillshade: Array,
    /// Whether the surface is flat.
    pub flat: Array,
}

/// The neighbours of every inner cell, and the cell itself, as views: nothing is copied.
struct Neighbours {
    north: Array,
    south: Array,
    west: Array,
    east: Array,
    centre: Array,
}

impl Neighbours {
    fn of(height: &Array) -> Neighbours {
        Neighbours {
            north: height.slice(s![..-2, 1..-1]),
            south: height.slice(s![2.., 1..-1]),
            west: height.slice(s![1..-1, ..-2]),
            east: height.slice(s![1..-1, 2..]),
            centre: height.slice(s![1..-1, 1..-1]),
        }
    }
}

/// Slope, aspect, curvature and hillshade of a grid of heights.
///
/// Gradients are central differences (Fleming & Hoffer 1979; Zevenbergen & Thorne 1987). The
/// hillshade is Lambert's law, the cosine between light and surface normal (Horn 1981, "Hill
/// shading and the reflectance map", Proc. IEEE 69), with the light in the north-west as on maps.
pub fn relief(height: &Array, cell: Cell) -> Relief {
    let Neighbours { north, south, west, east, centre } = Neighbours::of(height);

    let eastward = (&east - &west) / (2.0 * cell.x);
    let northward = (&north - &south) / (2.0 * cell.y);
    let rise = eastward.hypot(&northward);
    let flat = rise.equal(0.0);
    let slope = rise.arctan() * DEGREES;

    let (down_east, down_north) = (-&eastward, -&northward);
    let bearing = down_east.arctan2(&down_north) * DEGREES;
    let bearing = select(&bearing.less(0.0), &(&bearing + 360.0), &bearing);
    let aspect = select(&flat, -1.0, &bearing);

    let curvature = (&west - 2.0 * &centre + &east) / (cell.x * cell.x)
        + (&north - 2.0 * &centre + &south) / (cell.y * cell.y);

    // The unit vector towards the light. The rest is arithmetic and a root, so that the image has
    // the same bytes wherever it is computed.
    let (azimuth, altitude) = (AZIMUTH.to_radians(), ALTITUDE.to_radians());
    let light_east = azimuth.sin() * altitude.cos();
    let light_north = azimuth.cos() * altitude.cos();
    let light_up = altitude.sin();
    let length = (&eastward * &eastward + &northward * &northward + 1.0).sqrt();
    let light = light_up - (&eastward * light_east + &northward * light_north);
    let shade = (light / length).maximum(0.0);
    let hillshade = (shade * 255.0 + 0.5).floor().astype(DType::U8);

    Relief { slope, aspect, curvature, hillshade, flat }
}

/// One explicit step of diffusion, in place; the border does not change.
pub fn diffuse(height: &Array, flow: f64) {
    let Neighbours { north, south, west, east, centre } = Neighbours::of(height);
    let change = flow * (&north + &south + &west + &east - 4.0 * &centre);
    height.slice(s![1..-1, 1..-1]).add_assign(&change);
}
