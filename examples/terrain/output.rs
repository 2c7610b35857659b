//! Writing and printing. Nothing here is Collective: only rank 0 calls it.

use super::error::{TerrainError, TerrainFailure};
use phalanx::io::write_atomically;
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

/// The folder for the results, which exists from [`Folder::make`] on. Folders that were made for it
/// and stay empty are removed in the end.
pub struct Folder {
    /// The folders that did not exist before, innermost first.
    made: Vec<PathBuf>,
}

impl Folder {
    /// Makes the folder and its parents, unless they exist.
    pub fn make(path: &Path) -> Result<Folder, TerrainError> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing = path.ancestors().take_while(is_missing);
        let folder = Folder { made: missing.map(Path::to_owned).collect() };
        fs::create_dir_all(path).map_err(|source| refused(path, source))?;
        Ok(folder)
    }

    /// Checks that the folder can be made and written. Leaves no file or folder behind.
    pub fn check(path: &Path) -> Result<(), TerrainError> {
        let _folder = Folder::make(path)?;
        let trial = path.join(format!(".phalanx-trial-{}", std::process::id()));
        write_atomically(&trial, |_| Ok(())).map_err(|error| TerrainError::new(error))?;
        fs::remove_file(&trial).map_err(|source| refused(path, source))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for folder in &self.made {
            // A folder with content stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[track_caller]
fn refused(path: &Path, source: std::io::Error) -> TerrainError {
    TerrainError::new(TerrainFailure::Folder { path: path.to_owned(), source })
}

/// Writes grey pixels, rows from top to bottom, as a PNG image.
pub fn write_image(path: &Path, pixels: &[u8], shape: &[usize]) -> Result<(), TerrainError> {
    let written = write_atomically(path, |writer| {
        // The format's own limit is 2^31 - 1 rows and columns.
        let side = |extent: usize| u32::try_from(extent).map_err(std::io::Error::other);
        let mut encoder = png::Encoder::new(writer, side(shape[1])?, side(shape[0])?);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let mut image = encoder.write_header()?;
        image.write_image_data(pixels)?;
        image.finish()?;
        Ok(())
    });
    written.map_err(|error| TerrainError::new(error))
}

/// Writes a text.
pub fn write_text(path: &Path, text: &str) -> Result<(), TerrainError> {
    let written = write_atomically(path, |writer| writer.write_all(text.as_bytes()));
    written.map_err(|error| TerrainError::new(error))
}

/// Prints a text. Unlike `print!` it returns an error if standard output is closed.
pub fn print(text: &str) -> Result<(), TerrainError> {
    let mut output = std::io::stdout().lock();
    let printed = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    printed.map_err(|source| TerrainError::new(TerrainFailure::StandardOutput { source }))
}
