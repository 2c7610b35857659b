//! Matrices computed from their indices: diagonals, triangles, powers.

use crate::array::Array;
use crate::creation::basic::{ShapeArgument, index_of};
use crate::manipulation::{MemoryOrder, along, blank, refused, write_part};
use crate::math::select;
use crate::recording::current_mesh;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{DType, Index, Op, Shape, promote};

/// The mask of a matrix of `shape`: true where `op` holds between `column - row` and `offset`.
pub(super) fn band(
    shape: [usize; 2],
    op: Op,
    offset: i64,
    mesh: &MeshHandle,
    site: Site,
) -> Result<Array, Error> {
    let sides = shape.map(saturating);
    let shape: Shape = ShapeArgument(sides.to_vec()).resolve(8, site)?;
    let (rows, columns) = (index_of(&shape, 0, mesh, site)?, index_of(&shape, 1, mesh, site)?);
    // All diagonals beyond the corners are empty, so the offset can be clamped.
    let offset = offset.clamp(-sides[0] - 1, sides[1] + 1);
    within(site, || {
        let distance = columns - rows;
        Ok(Array::apply(op, &[distance.into(), offset.into()]))
    })
}

/// A matrix of `rows` × `columns` with ones on the diagonal `offset` and zeros elsewhere. Local
/// (records nodes).
#[track_caller]
#[must_use]
pub fn eye(rows: usize, columns: impl Into<Option<usize>>, offset: i64, dtype: DType) -> Array {
    let site = call_site();
    let columns = columns.into().unwrap_or(rows);
    Array::catch((|| {
        let mesh = current_mesh(site)?;
        Ok(band([rows, columns], Op::Equal, offset, &mesh, site)?.converted(dtype, site))
    })())
}

/// As [`eye`], in a memory order. Errors: `OpError::Argument` for the orders A and K.
#[track_caller]
#[must_use]
pub fn eye_in(
    rows: usize,
    columns: impl Into<Option<usize>>,
    offset: i64,
    dtype: DType,
    order: MemoryOrder,
) -> Array {
    let (site, columns) = (call_site(), columns.into().unwrap_or(rows));
    within(site, || match order {
        MemoryOrder::C => eye(rows, columns, offset, dtype),
        // No diagonal is as far away as the one whose opposite exceeds 64 bits.
        MemoryOrder::F => eye(columns, rows, offset.saturating_neg(), dtype).t(),
        other => Array::broken(refused("eye", "order", format!("{other:?}"), site)),
    })
}

/// The identity matrix. Local (records nodes).
#[track_caller]
#[must_use]
pub fn identity(size: usize, dtype: DType) -> Array {
    eye(size, None, 0, dtype)
}

/// A matrix with ones on and below the diagonal `offset` and zeros above it. Local (records nodes).
#[track_caller]
#[must_use]
pub fn tri(rows: usize, columns: impl Into<Option<usize>>, offset: i64, dtype: DType) -> Array {
    let site = call_site();
    let columns = columns.into().unwrap_or(rows);
    Array::catch((|| {
        let mesh = current_mesh(site)?;
        Ok(band([rows, columns], Op::LessEqual, offset, &mesh, site)?.converted(dtype, site))
    })())
}

fn triangle(
    array: &Array,
    (operation, op): (&'static str, Op),
    offset: i64,
    site: Site,
) -> Result<Array, Error> {
    array.ok()?;
    let shape = match *array.shape() {
        [] => {
            let problem = "the array needs at least one axis";
            return Err(Error::op(OpError::Arguments { operation, problem }, site));
        }
        [n] => [n, n],
        [.., m, n] => [m, n],
    };
    let mask = band(shape, op, offset, &array.mesh()?, site)?;
    Ok(within(site, || select(&mask, array, false)))
}

/// A copy with zeros above the diagonal `offset` of the last two axes. A vector is repeated as
/// every row. Local (records nodes). Errors: `OpError::Arguments` for a 0-d array.
#[track_caller]
#[must_use]
pub fn tril(array: &Array, offset: i64) -> Array {
    let site = call_site();
    Array::catch(triangle(array, ("tril", Op::LessEqual), offset, site))
}

/// A copy with zeros below the diagonal `offset` of the last two axes. A vector is repeated as
/// every row. Local (records nodes). Errors: `OpError::Arguments` for a 0-d array.
#[track_caller]
#[must_use]
pub fn triu(array: &Array, offset: i64) -> Array {
    let site = call_site();
    Array::catch(triangle(array, ("triu", Op::GreaterEqual), offset, site))
}

/// For a vector, the matrix with the vector on the diagonal `offset`; for a matrix, the view of
/// that diagonal. Local. Errors: `OpError::Ndim` for other arrays.
#[track_caller]
#[must_use]
pub fn diag(array: &Array, offset: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        match array.ndim() {
            1 => diagonal_matrix(array, offset, site),
            2 => Ok(within(site, || array.diagonal(offset, 0, 1))),
            ndim => {
                let error = OpError::Ndim { operation: "diag", expected: "1 or 2", ndim };
                Err(Error::op(error, site))
            }
        }
    })())
}

/// The matrix with all elements, in C order, on the diagonal `offset`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn diagflat(array: &Array, offset: i64) -> Array {
    let site = call_site();
    within(site, || diag(&array.ravel(), offset))
}

fn diagonal_matrix(vector: &Array, offset: i64, site: Site) -> Result<Array, Error> {
    let length = vector.size();
    let moved = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let side = length.saturating_add(moved);
    let mesh = vector.mesh()?;
    crate::recording::check_shape(&[side, side], vector.dtype(), site)?;
    let mask = band([length, length], Op::Equal, 0, &mesh, site)?;
    let block = within(site, || select(&mask, vector, false));
    if moved == 0 {
        return block.into_result();
    }
    let matrix = blank(&mesh, &[side, side], vector.dtype(), None, site)?;
    let from = |start: usize| {
        let start = saturating(start);
        Index::Range { start: Some(start), stop: Some(start + saturating(length)), step: 1 }
    };
    let items = if offset > 0 { [from(0), from(moved)] } else { [from(moved), from(0)] };
    write_part(&matrix, &items, block, site)?;
    Ok(matrix)
}

/// The matrix whose columns are powers of a vector. The exponents fall from `columns - 1` to 0, or
/// rise from 0 if `increasing`.
///
/// Shapes `(n) -> (n, columns)`; the default of `columns` is `n`. Dtype: that of the vector, at
/// least `i64`. Local (records a product and a write for each column). Errors: `OpError::Ndim`,
/// `OpError::Argument` for more than 4096 columns.
#[track_caller]
#[must_use]
pub fn vander(array: &Array, columns: impl Into<Option<usize>>, increasing: bool) -> Array {
    let (site, columns) = (call_site(), columns.into());
    Array::catch((|| {
        let ndim = array.ok()?.ndim();
        if ndim != 1 {
            let error = OpError::Ndim { operation: "vander", expected: "1", ndim };
            return Err(Error::op(error, site));
        }
        let length = array.size();
        let columns = columns.unwrap_or(length);
        if columns > MOST_COLUMNS {
            return Err(refused("vander", "N", columns.to_string(), site));
        }
        let dtype = promote(array.dtype(), DType::I64);
        let result = blank(&array.mesh()?, &[length, columns], dtype, None, site)?;
        let base = array.converted(dtype, site);
        let mut power: Option<Array> = None;
        for exponent in 0..columns {
            let column = if increasing { exponent } else { columns - 1 - exponent };
            let items = along(2, 1, Index::At(saturating(column)));
            match (exponent, &power) {
                (0, _) => write_part(&result, &items, 1, site)?,
                (_, None) => {
                    write_part(&result, &items, &base, site)?;
                    power = Some(base.clone());
                }
                (_, Some(before)) => {
                    let next = within(site, || before * &base);
                    write_part(&result, &items, &next, site)?;
                    power = Some(next);
                }
            }
        }
        Ok(result)
    })())
}

/// The largest number of columns of a matrix of powers. Each column is a write.
const MOST_COLUMNS: usize = 4096;
