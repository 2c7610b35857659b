//! Errors of the terrain program, and how they are shown.

use phalanx::io::IoError;
use phalanx::{DType, Site};
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// An error that the terrain program itself finds, with the line that found it. Errors in arrays
/// are errors of Phalanx.
#[derive(Debug)]
pub struct TerrainError {
    failure: Box<TerrainFailure>,
    site: Site,
}

/// The kinds of errors.
#[derive(Debug, thiserror::Error)]
pub enum TerrainFailure {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] IoError),
    /// The default height model has not been fetched.
    #[error("the height model is not there; looked for {}", list(looked))]
    NoData {
        /// The files that were looked for.
        looked: Vec<PathBuf>,
    },
    /// The name of the input has the suffix of no known format.
    #[error("{} is neither .npy nor .npz nor .png", path.display())]
    UnknownFormat {
        /// The input.
        path: PathBuf,
    },
    /// The input is not a grid of heights.
    #[error("{} holds {dtype} of shape {shape:?}, not a grid of heights", path.display())]
    NotGrid {
        /// The input.
        path: PathBuf,
        /// Its dtype.
        dtype: DType,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Some heights are not numbers.
    #[error("{} of the heights in {} are infinite or not a number", count, path.display())]
    NotFinite {
        /// The input.
        path: PathBuf,
        /// The number of these heights.
        count: i64,
    },
    /// The repeated grid is too large to be addressed.
    #[error("a grid of shape {shape:?} repeated {scale} times both ways cannot be addressed")]
    ScaleTooLarge {
        /// The shape before it is repeated.
        shape: Vec<usize>,
        /// The number of repeats along each axis.
        scale: usize,
    },
    /// The size of a cell in the input is not positive and finite.
    #[error("{} says that a cell is {x} by {y}", path.display())]
    BadCell {
        /// The input.
        path: PathBuf,
        /// From west to east.
        x: f64,
        /// From north to south.
        y: f64,
    },
    /// A PNG file cannot be read.
    #[error("{} cannot be read as a PNG image", path.display())]
    Png {
        /// The input.
        path: PathBuf,
        /// The error of the decoder.
        #[source]
        source: png::DecodingError,
    },
    /// A file cannot be opened.
    #[error("{} cannot be opened", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
    /// The folder for the results cannot be made.
    #[error("the folder {} cannot be made", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
    /// Standard output cannot be written.
    #[error("standard output cannot be written")]
    StandardOutput {
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
}

impl TerrainError {
    /// The error that the calling line found.
    #[track_caller]
    pub fn new(failure: impl Into<TerrainFailure>) -> TerrainError {
        TerrainError { failure: Box::new(failure.into()), site: Site::caller() }
    }

    /// The line that found the error.
    pub const fn site(&self) -> Site {
        self.site
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match &*self.failure {
            TerrainFailure::File(error) => error.code(),
            TerrainFailure::NoData { .. } => "PX100",
            TerrainFailure::UnknownFormat { .. } => "PX101",
            TerrainFailure::NotGrid { .. } => "PX102",
            TerrainFailure::NotFinite { .. } => "PX103",
            TerrainFailure::ScaleTooLarge { .. } => "PX104",
            TerrainFailure::BadCell { .. } => "PX105",
            TerrainFailure::Png { .. } => "PX106",
            TerrainFailure::Open { .. } => "PX107",
            TerrainFailure::Folder { .. } => "PX108",
            TerrainFailure::StandardOutput { .. } => "PX109",
        }
    }

    /// A hint to the user.
    pub fn hint(&self) -> &'static str {
        match &*self.failure {
            TerrainFailure::File(error) => error.hint(),
            TerrainFailure::NoData { .. } => {
                "fetch it with `phalanx demo --fetch` of the Python package, or with \
                 `cargo xtask setup` in a checkout; or name a file of your own"
            }
            TerrainFailure::UnknownFormat { .. } => {
                "name a file that ends in .npy, .npz or .png, which says how to read it"
            }
            TerrainFailure::NotGrid { .. } => {
                "heights are a 2-d array of real numbers with at least 3 rows and 3 columns"
            }
            TerrainFailure::NotFinite { .. } => "fill the gaps, with numpy.nan_to_num for example",
            TerrainFailure::ScaleTooLarge { .. } => "choose a smaller --scale",
            TerrainFailure::BadCell { .. } => "say it with --cell X,Y",
            TerrainFailure::Png { .. } => "check that the file is complete and opens in a viewer",
            TerrainFailure::Open { .. } => "check the name and that you may read the file",
            TerrainFailure::Folder { .. } => "choose a folder that you may write with --output",
            TerrainFailure::StandardOutput { .. } => "check where standard output goes",
        }
    }
}

impl fmt::Display for TerrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl Error for TerrainError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.failure.source()
    }
}

/// The text of an error: code, message, line, causes and hint, as far as the error has them.
pub fn describe(error: &(dyn Error + 'static)) -> String {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        return usage.to_string().trim_end().to_owned();
    }
    // The texts of Phalanx's own errors contain all of them.
    if let Some(error) = error.downcast_ref::<phalanx::Error>() {
        return error.to_string();
    }
    let (code, hint, site) = if let Some(error) = error.downcast_ref::<TerrainError>() {
        (error.code(), error.hint(), Some(error.site()))
    } else if let Some(error) = error.downcast_ref::<phalanx::ConfigError>() {
        (error.code(), error.hint(), None)
    } else if let Some(error) = error.downcast_ref::<phalanx::InitError>() {
        // Its text contains the site.
        (error.code(), error.hint(), None)
    } else {
        return format!("error: {error}");
    };
    let mut text = format!("error[{code}]: {error}");
    if let Some(site) = site {
        text += &format!("\n  from    {site}");
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!("\n  cause   {error}");
        cause = error.source();
    }
    text + "\n  hint    " + hint
}

/// The exit code for an error: 2 if the command line or the environment is wrong, else 1.
pub fn exit_code(error: &(dyn Error + 'static)) -> u8 {
    if error.is::<clap::Error>() || error.is::<phalanx::ConfigError>() { 2 } else { 1 }
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(" and ")
}
