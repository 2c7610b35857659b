//! Grids: the indices of arrays, and coordinates in each direction.

use crate::array::Array;
use crate::creation::basic::{INDEX_BYTES, ShapeArgument, index_of};
use crate::creation::matrices::band;
use crate::creation::ranges::{arange, linspace};
use crate::manipulation::{blank, signed, sound, write_part};
use crate::recording::current_mesh;
use num_complex::Complex64;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{DType, Index, Op, Shape, Weak, promote};

/// The indices of an array of `shape`: element `[k, …]` is the index along axis `k`.
///
/// Shapes `(s) -> (number of axes, s)`; dtype `i64`. Local (records nodes). Errors:
/// `OpError::Argument` for a negative extent, `OpError::TooLarge`.
#[track_caller]
#[must_use]
pub fn indices(shape: impl Into<ShapeArgument>) -> Array {
    let site = call_site();
    within(site, || indices_as(shape, DType::I64))
}

/// As [`indices`], in a dtype. Errors: also `OpError::Dtype` for bools if an extent exceeds 2.
#[track_caller]
#[must_use]
pub fn indices_as(shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
    let (site, shape) = (call_site(), shape.into());
    Array::catch((|| {
        let shape = shape.resolve(INDEX_BYTES, site)?;
        check_truths(&shape, dtype, site)?;
        let mesh = current_mesh(site)?;
        let mut all: Shape = smallvec::smallvec![shape.len()];
        all.extend_from_slice(&shape);
        let result = blank(&mesh, &all, dtype, None, site)?;
        for axis in 0..shape.len() {
            let index = index_of(&shape, axis, &mesh, site)?.converted(dtype, site);
            write_part(&result, &[Index::At(axis as i64)], index, site)?;
        }
        Ok(result)
    })())
}

/// The indices of an array of `shape`: one array for each axis; the arrays broadcast to that shape.
/// Local (records nodes). Errors: as for [`indices`].
#[track_caller]
pub fn sparse_indices(shape: impl Into<ShapeArgument>) -> Result<Vec<Array>, Error> {
    let site = call_site();
    within(site, || sparse_indices_as(shape, DType::I64))
}

/// As [`sparse_indices`], in a dtype. Errors: as for [`indices_as`].
#[track_caller]
pub fn sparse_indices_as(
    shape: impl Into<ShapeArgument>,
    dtype: DType,
) -> Result<Vec<Array>, Error> {
    let (site, shape) = (call_site(), shape.into());
    let shape = shape.resolve(INDEX_BYTES, site)?;
    check_truths(&shape, dtype, site)?;
    let mesh = current_mesh(site)?;
    (0..shape.len())
        .map(|axis| {
            let mut thin: Shape = smallvec::smallvec![1; shape.len()];
            thin[axis] = shape[axis];
            Ok(index_of(&thin, axis, &mesh, site)?.converted(dtype, site))
        })
        .collect()
}

/// The arguments of the function of NumPy's `fromfunction`: for each axis an array of `shape` with
/// the indices along the axis. Local (records nodes). Errors: as for [`indices_as`].
#[track_caller]
pub fn whole_indices_as(
    shape: impl Into<ShapeArgument>,
    dtype: DType,
) -> Result<Vec<Array>, Error> {
    let (site, shape) = (call_site(), shape.into());
    within(site, || {
        let extents = shape.resolve(INDEX_BYTES, site)?;
        let whole = |thin: Array| thin.broadcast_to(extents.as_slice()).into_result();
        sparse_indices_as(extents.as_slice(), dtype)?.into_iter().map(whole).collect()
    })
}

/// Refuses indices that are truth values if an index exceeds 1.
fn check_truths(shape: &[usize], dtype: DType, site: Site) -> Result<(), Error> {
    if dtype != DType::Bool || shape.iter().all(|&extent| extent <= 2) {
        return Ok(());
    }
    Err(Error::op(OpError::Dtype { operation: "indices", dtypes: vec![dtype] }, site))
}

/// The order of the first two axes of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Indexing {
    /// The first coordinate runs along the second axis.
    #[default]
    Xy,
    /// Coordinate `k` runs along axis `k`.
    Ij,
}

/// Options of [`meshgrid`]. The default is full copies with `xy` indexing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    indexing: Indexing,
    sparse: bool,
    copy: bool,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid { indexing: Indexing::Xy, sparse: false, copy: true }
    }
}
impl From<()> for Grid {
    fn from((): ()) -> Grid {
        Grid::default()
    }
}
impl From<Indexing> for Grid {
    fn from(indexing: Indexing) -> Grid {
        Grid { indexing, ..Grid::default() }
    }
}

impl Grid {
    /// Sets which coordinate runs along which axis.
    #[must_use]
    pub fn indexing(self, indexing: Indexing) -> Grid {
        Grid { indexing, ..self }
    }

    /// Whether each array has extent 1 along the axes of the other coordinates.
    #[must_use]
    pub fn sparse(self, sparse: bool) -> Grid {
        Grid { sparse, ..self }
    }

    /// Whether the arrays are copies rather than views.
    #[must_use]
    pub fn copy(self, copy: bool) -> Grid {
        Grid { copy, ..self }
    }
}

/// The coordinates of the points of a grid: one array for each vector of coordinates. Local (copies
/// record nodes). Errors: `OpError::TooLarge`.
#[track_caller]
pub fn meshgrid(vectors: &[&Array], grid: impl Into<Grid>) -> Result<Vec<Array>, Error> {
    let (site, grid) = (call_site(), grid.into());
    sound(vectors.iter().copied())?;
    let ndim = vectors.len();
    let swapped = grid.indexing == Indexing::Xy && ndim > 1;
    let axis_of = |k: usize| if swapped && k < 2 { 1 - k } else { k };
    let mut full = vec![1usize; ndim];
    for (k, vector) in vectors.iter().enumerate() {
        full[axis_of(k)] = vector.size();
    }
    vectors
        .iter()
        .enumerate()
        .map(|(k, vector)| {
            let mut thin = vec![1i64; ndim];
            thin[axis_of(k)] = -1;
            let array = within(site, || {
                if vector.size() == 0 {
                    thin[axis_of(k)] = 0;
                }
                let thin = vector.reshape(thin.as_slice());
                let view =
                    if grid.sparse { thin } else { thin.broadcast_to(signed(&full).as_slice()) };
                if grid.copy { view.copy() } else { view }
            });
            array.into_result()
        })
        .collect()
}

/// A range of a grid: from a start up to, but not including, a stop in steps; or a count of numbers
/// that includes both ends.
#[derive(Clone, Copy, Debug)]
pub enum GridRange {
    /// Start, stop (excluded) and step.
    Steps(Weak, Weak, Weak),
    /// Start, stop (included) and count: NumPy's complex step.
    Count(f64, f64, usize),
    /// As [`GridRange::Count`], between complex numbers.
    ComplexCount(Complex64, Complex64, usize),
}

macro_rules! grid_ranges {
    ($($type:ty, $one:expr);*) => {$(
        impl From<std::ops::Range<$type>> for GridRange {
            fn from(range: std::ops::Range<$type>) -> GridRange {
                GridRange::Steps(range.start.into(), range.end.into(), Weak::from($one))
            }
        }
        impl From<($type, $type, $type)> for GridRange {
            fn from((start, stop, step): ($type, $type, $type)) -> GridRange {
                GridRange::Steps(start.into(), stop.into(), step.into())
            }
        }
    )*};
}
grid_ranges!(i64, 1i64; f64, 1.0f64);

impl GridRange {
    /// The range of a slice `start:stop:step` of NumPy's `mgrid`, in which a complex step is a
    /// count of numbers that include both ends. Local.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use num_complex::Complex64;
    /// use phalanx::GridRange;
    /// let step = Complex64::new(0.0, 5.0);
    /// let range = GridRange::of_slice(0i64.into(), 1i64.into(), step.into());
    /// assert!(matches!(range, GridRange::Count(0.0, 1.0, 5)));
    /// ```
    #[must_use]
    pub fn of_slice(start: Weak, stop: Weak, step: Weak) -> GridRange {
        let Weak::Complex(count) = step else { return GridRange::Steps(start, stop, step) };
        let (count, from, to) = (count.norm() as usize, start.to_complex(), stop.to_complex());
        match (start, stop) {
            (Weak::Complex(_), _) | (_, Weak::Complex(_)) => {
                GridRange::ComplexCount(from, to, count)
            }
            _ => GridRange::Count(from.re, to.re, count),
        }
    }

    fn vector(self) -> Array {
        match self {
            GridRange::Steps(start, stop, step) => arange(start, stop, step),
            GridRange::Count(start, stop, count) => linspace(start, stop, count),
            GridRange::ComplexCount(start, stop, count) => linspace(start, stop, count),
        }
    }
}

/// The coordinates of a grid in one array, NumPy's `mgrid[...]`: element `[k, …]` is the coordinate
/// along axis `k`. Without ranges the result is empty. Local (records nodes).
#[track_caller]
#[must_use]
pub fn mgrid(ranges: &[GridRange]) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let open = ogrid(ranges)?;
        let shape: Vec<usize> = open.iter().enumerate().map(|(k, v)| v.shape()[k]).collect();
        let Some(dtype) = open.iter().map(Array::dtype).reduce(promote) else {
            return blank(&current_mesh(site)?, &[0], DType::I64, None, site);
        };
        let mut all: Shape = smallvec::smallvec![shape.len()];
        all.extend_from_slice(&shape);
        let result = blank(&open[0].mesh()?, &all, dtype, None, site)?;
        for (axis, vector) in open.iter().enumerate() {
            write_part(&result, &[Index::At(axis as i64)], vector, site)?;
        }
        Ok(result)
    }))
}

/// The coordinates of a grid, one array for each axis, with extent 1 along the other axes: NumPy's
/// `ogrid[...]`. Local (records nodes).
#[track_caller]
pub fn ogrid(ranges: &[GridRange]) -> Result<Vec<Array>, Error> {
    let site = call_site();
    within(site, || {
        let vectors: Vec<Array> = ranges.iter().map(|range| range.vector()).collect();
        let dtype = vectors.iter().map(Array::dtype).reduce(promote).unwrap_or(DType::I64);
        let vectors: Vec<Array> =
            vectors.iter().map(|vector| vector.converted(dtype, site)).collect();
        let grid = Grid::from(Indexing::Ij).sparse(true).copy(false);
        meshgrid(&vectors.iter().collect::<Vec<_>>(), grid)
    })
}

/// The row and column numbers of the elements on and below the diagonal `offset`, in C order.
/// Collective over the mesh (the window closes).
#[track_caller]
pub fn tril_indices(rows: usize, offset: i64, columns: impl Into<Option<usize>>) -> (Array, Array) {
    triangle_indices(Op::LessEqual, rows, offset, columns.into().unwrap_or(rows))
}

/// The row and column numbers of the elements on and above the diagonal `offset`, in C order.
/// Collective over the mesh (the window closes).
#[track_caller]
pub fn triu_indices(rows: usize, offset: i64, columns: impl Into<Option<usize>>) -> (Array, Array) {
    triangle_indices(Op::GreaterEqual, rows, offset, columns.into().unwrap_or(rows))
}

#[track_caller]
fn triangle_indices(op: Op, rows: usize, offset: i64, columns: usize) -> (Array, Array) {
    let site = call_site();
    let selected = within(site, || {
        let mesh = current_mesh(site)?;
        let mask = band([rows, columns], op, offset, &mesh, site)?;
        let sides = [rows, columns].map(saturating);
        let shape = ShapeArgument(sides.to_vec()).resolve(INDEX_BYTES, site)?;
        let along = |axis| -> Result<Array, Error> {
            Ok(index_of(&shape, axis, &mesh, site)?.compress(&mask))
        };
        Ok::<_, Error>((along(0)?, along(1)?))
    });
    selected.unwrap_or_else(|error| (Array::broken(error.clone()), Array::broken(error)))
}

/// The indices of the diagonal of an array with `ndim` axes of extent `size`. The indices are the
/// same array for each axis. Local (records a node). Errors: `OpError::TooManyAxes`.
#[track_caller]
pub fn diag_indices(size: usize, ndim: usize) -> Result<Vec<Array>, Error> {
    let site = call_site();
    if ndim > phalanx_ops::shape::MAX_NDIM {
        return Err(Error::op(OpError::TooManyAxes { ndim }, site));
    }
    let index = within(site, || arange(0i64, saturating(size), 1i64));
    index.ok()?;
    Ok(vec![index; ndim])
}
