//! The order of axes in memory of NumPy's results.

/// The axes from outermost to innermost in C order.
pub fn c_order(ndim: usize) -> Vec<usize> {
    (0..ndim).collect()
}

/// The axes from outermost to innermost of an array after a request for another sharding: Fortran's
/// order if the array has it and not C's, else C order.
pub fn kept_order(shape: &[usize], strides: &[i64]) -> Vec<usize> {
    let c: Vec<usize> = c_order(shape.len());
    let fortran: Vec<usize> = c.iter().rev().copied().collect();
    let has = |order: &[usize]| {
        let mut stride = 1;
        order.iter().rev().all(|&axis| {
            let fits = shape[axis] == 1 || strides[axis] == stride;
            stride *= shape[axis] as i64;
            fits
        })
    };
    if !shape.contains(&0) && !has(&c) && has(&fortran) { fortran } else { c }
}

/// The axes from outermost to innermost that NumPy's iterator chooses (rule K) for operands with
/// these strides. Each operand has a stride for every axis of the result, 0 where it is broadcast.
///
/// Source: `npyiter_find_best_axis_ordering`. Axes are sorted by insertion, starting with the
/// innermost ones. An operand decides the order of two axes if it has strides along both; if
/// operands disagree, C order stays.
pub fn iterator_order(ndim: usize, operands: &[Vec<i64>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ndim).rev().collect();
    for position in 1..ndim {
        let axis = order[position];
        let mut place = position;
        for before in (0..position).rev() {
            let inner = order[before];
            let says: Vec<bool> = operands
                .iter()
                .filter(|strides| strides[axis] != 0 && strides[inner] != 0)
                .map(|strides| strides[inner].abs() > strides[axis].abs())
                .collect();
            if says.is_empty() {
                continue;
            }
            if says.iter().any(|swap| !swap) {
                break;
            }
            place = before;
        }
        order.remove(position);
        order.insert(place, axis);
    }
    order.reverse();
    order
}

/// The axes from outermost to innermost of a copy of an array with these strides (rule K of
/// `astype`): by descending strides, C order among equal ones.
pub fn copy_order(shape: &[usize], strides: &[i64]) -> Vec<usize> {
    if is_contiguous(shape, strides) {
        return c_order(shape.len());
    }
    let mut order = c_order(shape.len());
    order.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].abs()));
    order
}

/// The strides of a new array with its axes in `order`, outermost first.
pub fn strides(shape: &[usize], order: &[usize]) -> Vec<i64> {
    let mut strides = vec![0; shape.len()];
    let mut next = 1;
    for &axis in order.iter().rev() {
        strides[axis] = next;
        next *= shape[axis].max(1) as i64;
    }
    strides
}

fn is_contiguous(shape: &[usize], found: &[i64]) -> bool {
    let expected = strides(shape, &c_order(shape.len()));
    shape.contains(&0)
        || (0..shape.len()).all(|axis| shape[axis] == 1 || found[axis] == expected[axis])
}
