//! Products of more than two matrices.

use super::checks::{check, check_dot, of_matmul};
use crate::array::Array;
use crate::creation::identity;
use crate::linalg::inv;
use crate::manipulation::{refused, sound};
use crate::products::matmul::try_matmul;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;

/// The power of a square matrix, or of each matrix of a stack. A negative power is a power of the
/// inverse. Local (records nodes), Collective for a negative power. Errors: `OpError::Matrix`,
/// `OpError::NotSquare`, and the errors of [`inv`](crate::linalg::inv).
#[track_caller]
#[must_use]
pub fn matrix_power(array: &Array, power: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        let ndim = array.ok()?.ndim();
        if ndim < 2 {
            let (operation, expected) = ("matrix_power", "2 or more");
            let error = OpError::Matrix { operation, expected, ndim };
            return Err(Error::op(error, site));
        }
        let shape = array.shape();
        if shape[ndim - 1] != shape[ndim - 2] {
            let error = OpError::NotSquare { operation: "matrix_power", shape: shape.into() };
            return Err(Error::op(error, site));
        }
        if power < 0 {
            let inverse = within(site, || inv(array).into_result())?;
            return within(site, || matrix_power(&inverse, power.saturating_neg()).into_result());
        }
        if power == 0 {
            let one = within(site, || identity(shape[ndim - 1], array.dtype()));
            return Ok(within(site, || one.broadcast_to(shape).copy()));
        }
        let (mut square, mut left) = (array.copy_at(site), power);
        let mut result: Option<Array> = None;
        loop {
            if left % 2 == 1 {
                result = Some(match result {
                    Some(before) => multiplied(&before, &square, site)?,
                    None => square.clone(),
                });
            }
            left /= 2;
            if left == 0 {
                break;
            }
            square = multiplied(&square, &square, site)?;
        }
        Ok(result.unwrap_or(square))
    })())
}

/// The product of matrices, in the order with the fewest multiplications. The first and the last
/// operand may be vectors. Local (records nodes). Errors: `OpError::Argument` for fewer than two
/// arrays, `OpError::Matrix`, `OpError::ContractedSizes`.
#[track_caller]
#[must_use]
pub fn multi_dot(arrays: &[&Array]) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound(arrays.iter().copied())?;
        let count = arrays.len();
        if count < 2 {
            return Err(refused("multi_dot", "arrays", format!("{count} of them"), site));
        }
        let (first, last) = (arrays[0], arrays[count - 1]);
        let mut matrices: Vec<Array> = arrays.iter().map(|&array| array.clone()).collect();
        within(site, || {
            if first.ndim() == 1 {
                matrices[0] = first.expand_dims(0);
            }
            if last.ndim() == 1 {
                matrices[count - 1] = last.expand_dims(1);
            }
        });
        if let Some(other) = matrices.iter().find(|array| array.ndim() != 2) {
            let (expected, ndim) = ("2", other.ndim());
            let error = OpError::Matrix { operation: "multi_dot", expected, ndim };
            return Err(Error::op(error, site));
        }
        for place in 1..count {
            if matrices[place - 1].shape()[1] != matrices[place].shape()[0] {
                let (left, right) = (arrays[place - 1].shape(), arrays[place].shape());
                let (operation, left, right) = ("multi_dot", left.into(), right.into());
                return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
            }
        }
        let mut sides: Vec<f64> = matrices.iter().map(|array| array.shape()[0] as f64).collect();
        sides.push(matrices[count - 1].shape()[1] as f64);
        let product = multiply(&matrices, &cheapest_splits(&sides), 0, count - 1, site)?;
        Ok(within(site, || match (first.ndim(), last.ndim()) {
            (1, 1) => product.reshape(()),
            (1, _) | (_, 1) => product.ravel(),
            _ => product,
        }))
    })())
}

/// The position after which to split each range of matrices, found by the classic dynamic program.
fn cheapest_splits(sides: &[f64]) -> Vec<Vec<usize>> {
    let count = sides.len() - 1;
    let mut cost = vec![vec![0.0f64; count]; count];
    let mut split = vec![vec![0; count]; count];
    for length in 1..count {
        for start in 0..count - length {
            let stop = start + length;
            cost[start][stop] = f64::INFINITY;
            for middle in start..stop {
                let own = sides[start] * sides[middle + 1] * sides[stop + 1];
                let total = cost[start][middle] + cost[middle + 1][stop] + own;
                if total < cost[start][stop] {
                    (cost[start][stop], split[start][stop]) = (total, middle);
                }
            }
        }
    }
    split
}

fn multiply(
    matrices: &[Array],
    split: &[Vec<usize>],
    start: usize,
    stop: usize,
    site: Site,
) -> Result<Array, Error> {
    if start == stop {
        return Ok(matrices[start].clone());
    }
    let middle = split[start][stop].max(start);
    let left = multiply(matrices, split, start, middle, site)?;
    let right = multiply(matrices, split, middle + 1, stop, site)?;
    let product = try_matmul(&left, &right, site)?;
    check_dot(&left, &right, &product, site);
    Ok(product)
}

/// A product of matrices, checked for floating-point errors.
fn multiplied(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    let product = try_matmul(a, b, site)?;
    check("matmul", || of_matmul(a, b), &product, site);
    Ok(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_split_where_it_is_cheapest() {
        // The product of the two thin matrices is the cheapest first step.
        let split = cheapest_splits(&[10.0, 100.0, 5.0, 50.0]);
        assert_eq!(split[0][2], 1);
        let split = cheapest_splits(&[100.0, 5.0, 50.0, 1.0]);
        assert_eq!(split[0][2], 0);
    }
}
