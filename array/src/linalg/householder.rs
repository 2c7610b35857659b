//! The reflectors of a QR factorisation: NumPy's `qr(mode='raw')`.

use super::factor::{Qr, QrMode, qr};
use crate::array::Array;
use crate::creation::{eye, zeros};
use crate::dtypes::epsilon;
use crate::manipulation::{matrix_transpose, span};
use crate::math::select;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::Index;

/// NumPy's `linalg.qr(a, mode='raw')`: LAPACK's packed factorisation, transposed, and the factors
/// of its reflectors.
///
/// Shapes `(…, m, n) -> (…, n, m), (…, k)`, with `k` the smaller extent. The reflectors are
/// recovered from Q and R by elimination of `1 - Q` without pivots. A reflector whose factor is
/// below 16 epsilon counts as none: its factor is 0. Local (records nodes for each of the `k`
/// reflectors). Errors: `OpError::Matrix`.
#[track_caller]
pub fn qr_raw(array: &Array) -> (Array, Array) {
    let site = call_site();
    let both = within(site, || {
        let Qr { q, r } = qr(array, QrMode::Reduced);
        let (m, k) = (q.ok()?.shape()[q.ndim() - 2], q.shape()[q.ndim() - 1]);
        let n = r.ok()?.shape()[r.ndim() - 1];
        let stack = q.shape()[..q.ndim() - 2].to_vec();
        let shaped = |extents: &[usize]| [stack.as_slice(), extents].concat();
        let all = Index::Range { start: None, stop: None, step: 1 };
        let part = |rows: Index, columns: Index| -> Vec<Index> {
            let mut items = vec![all; stack.len()];
            items.extend([rows, columns]);
            items
        };
        let rest = eye(m, Some(k), 0, q.dtype()) - &q;
        let packed = zeros(shaped(&[m, n]).as_slice(), q.dtype());
        packed.slice(part(span(0, k), all)).try_assign(&r)?;
        let factors = zeros(shaped(&[k]).as_slice(), q.dtype());
        let least = 16.0 * epsilon(q.dtype());
        for j in 0..k {
            let pivot = rest.slice(part(span(j, j + 1), span(j, j + 1))).copy();
            let is_none = pivot.absolute().less(least);
            let factor = select(&is_none, 0.0, &pivot).converted(q.dtype(), site);
            let mut items = vec![all; stack.len()];
            items.push(span(j, j + 1));
            factors.slice(items).try_assign(factor.squeeze_axes(-1))?;
            if j + 1 == m {
                continue;
            }
            let divisor = select(&is_none, 1.0, &pivot).converted(q.dtype(), site);
            let below = rest.slice(part(span(j + 1, m), span(j, j + 1))).copy() / divisor;
            let reflector = select(&is_none, 0.0, below).converted(q.dtype(), site);
            packed.slice(part(span(j + 1, m), span(j, j + 1))).try_assign(&reflector)?;
            if j + 1 < k {
                let row = rest.slice(part(span(j, j + 1), span(j + 1, k))).copy();
                let left = rest.slice(part(span(j + 1, m), span(j + 1, k)));
                let eliminated = &left - reflector * row;
                left.try_assign(eliminated)?;
            }
        }
        Ok((matrix_transpose(&packed).into_result()?, factors.into_result()?))
    });
    both.unwrap_or_else(|error: Error| (Array::broken(error.clone()), Array::broken(error)))
}
