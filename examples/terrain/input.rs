//! The input of heights.

use super::agree;
use super::arguments::{Arguments, Cell};
use super::error::{TerrainError, TerrainFailure};
use phalanx::prelude::*;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The height model that `cargo xtask setup` extracts from matplotlib's sample data: the SRTM
/// heights around the Jacksboro fault in Tennessee.
const DEFAULT_FILE: &str = "jacksboro_fault_dem.npz";

/// Metres of a degree of latitude.
const METRES_PER_DEGREE: f64 = 111_200.0;

/// A grid of heights, the first row in the north.
pub struct Input {
    /// The heights, `f64`.
    pub height: Array,
    /// The size of a cell.
    pub cell: Cell,
    /// The path of the input, for the report.
    pub source: String,
}

/// Reads the heights that the arguments name; `data` is the folder of the default ones.
///
/// Collectivity  Collective.
pub fn load(arguments: &Arguments, data: &Path) -> Result<Input, Box<dyn Error>> {
    let path = agree(match &arguments.input {
        Some(path) => Ok(path.clone()),
        None => default_file(data),
    })?;
    let (array, own_cell) = match extension(&path).as_str() {
        "npy" => (phalanx::io::load(&path)?, None),
        "npz" => load_npz(&path)?,
        "png" => (Array::from_host(&agree(read_png(&path))?), None),
        _ => return Err(TerrainError::new(TerrainFailure::UnknownFormat { path }).into()),
    };
    let cell = arguments.cell.or(own_cell).unwrap_or(Cell { x: 1.0, y: 1.0 });
    let (dtype, shape) = (array.dtype(), array.shape().to_vec());
    if shape.len() != 2 || shape.iter().any(|&extent| extent < 3) || dtype.is_complex() {
        return Err(TerrainError::new(TerrainFailure::NotGrid { path, dtype, shape }).into());
    }
    let height = array.astype(DType::F64);
    let count = height.isfinite().logical_not().count_nonzero(()).item::<i64>()?;
    if count > 0 {
        return Err(TerrainError::new(TerrainFailure::NotFinite { path, count }).into());
    }
    let height = repeat(&height, arguments.scale)?;
    height.evaluate()?;
    Ok(Input { height, cell, source: path.display().to_string() })
}

/// The grid `scale` times along both axes, as `numpy.tile` does.
fn repeat(height: &Array, scale: usize) -> Result<Array, TerrainError> {
    let (rows, columns) = (height.shape()[0], height.shape()[1]);
    let limit = isize::MAX as usize / size_of::<f64>();
    let extents = rows.checked_mul(scale).zip(columns.checked_mul(scale));
    let fitting = extents
        .filter(|(rows, columns)| rows.checked_mul(*columns).is_some_and(|size| size <= limit));
    let Some((all_rows, all_columns)) = fitting else {
        let shape = height.shape().to_vec();
        return Err(TerrainError::new(TerrainFailure::ScaleTooLarge { shape, scale }));
    };
    if scale == 1 {
        return Ok(height.clone());
    }
    let one = height.reshape([1, rows, 1, columns]);
    let all = one.broadcast_to([scale, rows, scale, columns]);
    Ok(all.reshape([all_rows, all_columns]))
}

/// The default height model: in `data`, or in the folder `data` of the repository that this
/// program was built in.
fn default_file(data: &Path) -> Result<PathBuf, TerrainError> {
    let mut looked = vec![data.join(DEFAULT_FILE)];
    if let Ok(program) = std::env::current_exe() {
        // The first folder with a manifest is the repository; folders above it are not searched.
        let root = program.ancestors().find(|folder| folder.join("Cargo.toml").is_file());
        looked.extend(root.map(|root| root.join("data").join(DEFAULT_FILE)));
    }
    match looked.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(TerrainError::new(TerrainFailure::NoData { looked })),
    }
}

/// The array `elevation`, or the first one, and the size of a cell if the file has it.
fn load_npz(path: &Path) -> Result<(Array, Option<Cell>), Box<dyn Error>> {
    let names = agree(phalanx::io::npz_names(path).map_err(|error| TerrainError::new(error)))?;
    let has = |name: &str| names.iter().any(|found| found == name);
    let first = names.first().map_or("elevation", String::as_str);
    let name = if has("elevation") { "elevation" } else { first };
    let array = phalanx::io::load_npz(path, name)?;
    if !["elevation", "dx", "dy", "ymin"].into_iter().all(has) {
        return Ok((array, None));
    }
    let number = |name: &str| -> Result<f64, phalanx::Error> {
        phalanx::io::load_npz(path, name)?.astype(DType::F64).item::<f64>()
    };
    let (dx, dy, latitude) = (number("dx")?, number("dy")?, number("ymin")?);
    let x = METRES_PER_DEGREE * dx * latitude.to_radians().cos();
    let y = METRES_PER_DEGREE * dy;
    if !(x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite()) {
        let path = path.to_owned();
        return Err(TerrainError::new(TerrainFailure::BadCell { path, x, y }).into());
    }
    Ok((array, Some(Cell { x, y })))
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// The samples of a grey image, or the luminance (ITU-R BT.601) of a coloured one, as `f64`.
fn read_png(path: &Path) -> Result<HostArray, TerrainError> {
    let bad = |source| TerrainError::new(TerrainFailure::Png { path: path.to_owned(), source });
    let unopened =
        |source| TerrainError::new(TerrainFailure::Open { path: path.to_owned(), source });
    let file = File::open(path).map_err(unopened)?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(bad)?;
    let (color, depth) = reader.output_color_type();
    let (channels, sample_size) = (color.samples(), usize::from(depth as u8 / 8));

    // Memory is reserved row by row, because the size in the header may be wrong.
    let mut heights = Vec::new();
    let mut shape = [0, reader.info().width as usize];
    while let Some(row) = reader.next_row().map_err(bad)? {
        for pixel in row.data().chunks_exact(channels * sample_size) {
            let sample = |channel: usize| match sample_size {
                1 => f64::from(pixel[channel]),
                _ => f64::from(u16::from_be_bytes([pixel[2 * channel], pixel[2 * channel + 1]])),
            };
            heights.push(match channels {
                1 | 2 => sample(0),
                _ => (299.0 * sample(0) + 587.0 * sample(1) + 114.0 * sample(2)) / 1000.0,
            });
        }
        shape[0] += 1;
    }
    Ok(HostArray::from_slice(&heights, &shape))
}
