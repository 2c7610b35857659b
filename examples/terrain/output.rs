//! What the program writes and prints. Nothing here is Collective: rank 0 alone calls it.

use super::error::TerrainError;
use phalanx::io::{IoError, write_atomically};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The names of the files.
pub struct Files {
    /// The image.
    pub hillshade: PathBuf,
    /// The arrays.
    pub arrays: PathBuf,
    /// The text.
    pub report: PathBuf,
}

impl Files {
    /// The files in a folder.
    pub fn new(folder: &Path) -> Files {
        Files {
            hillshade: folder.join("hillshade.png"),
            arrays: folder.join("terrain.npz"),
            report: folder.join("report.txt"),
        }
    }
}

/// Makes the folder for the results and tries whether it can be written.
pub fn prepare(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)
        .map_err(|source| TerrainError::Folder { path: folder.to_owned(), source })?;
    let trial = folder.join(format!(".phalanx-trial-{}", std::process::id()));
    write_atomically(&trial, |_| Ok(()))?;
    fs::remove_file(&trial)
        .map_err(|source| TerrainError::Folder { path: folder.to_owned(), source })?;
    Ok(())
}

/// Writes grey pixels, rows from top to bottom, as a PNG image.
pub fn write_image(path: &Path, pixels: &[u8], shape: &[usize]) -> Result<(), IoError> {
    write_atomically(path, |writer| {
        // The format's own limit is 2^31 - 1 rows and columns.
        let side = |extent: usize| u32::try_from(extent).map_err(std::io::Error::other);
        let mut encoder = png::Encoder::new(writer, side(shape[1])?, side(shape[0])?);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let mut image = encoder.write_header()?;
        image.write_image_data(pixels)?;
        image.finish()?;
        Ok(())
    })
}

/// Writes a text.
pub fn write_text(path: &Path, text: &str) -> Result<(), IoError> {
    write_atomically(path, |writer| writer.write_all(text.as_bytes()))
}

/// Prints a text; unlike `print!` it returns an error when nobody reads.
pub fn print(text: &str) -> Result<(), TerrainError> {
    let mut output = std::io::stdout().lock();
    let printed = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    printed.map_err(|source| TerrainError::StandardOutput { source })
}
