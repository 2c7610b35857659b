//! Einstein sums, contracted in pairs in a greedy order.

use crate::array::Array;
use crate::dtypes::promote_all;
use crate::manipulation::{mesh_of_all, refused, sound};
use crate::products::matrices::{batched_matmul, matrix_product, summed};
use crate::products::options::ProductOptions;
use crate::products::subscripts::{Label, Subscripts};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;
use phalanx_ops::{AffineMap, AxisMap, Casting, DType, Shape, can_cast};
use std::collections::BTreeMap;

/// The sum of products that the subscripts describe. Axes with the same letter share an index;
/// letters that are not in the output are summed over.
///
/// As in NumPy, `...` stands for axes that are broadcast, and a letter twice in a term is a
/// diagonal. Without `->` the output has the letters that occur once, in alphabetical order.
/// Without a sum, the result for one operand is a view. Pairs of operands are contracted in a
/// greedy order, by matrix products where possible. Dtype: the promotion of all operands; sums are
/// computed in it. Local (records nodes). Errors: `OpError::Argument` for subscripts that do not
/// fit, with the shapes of all operands.
#[track_caller]
#[must_use]
pub fn einsum(subscripts: &str, operands: &[&Array]) -> Array {
    let site = call_site();
    let options = ProductOptions { casting: Casting::Safe, ..ProductOptions::default() };
    Array::catch(within(site, || try_einsum(subscripts, operands, &options, site)))
}

/// As [`einsum`], with options. The dtype is that of the options, or the promotion of the operands
/// and the output; `casting` limits the casts. A view that is not written to an output keeps the
/// dtype of its array. Errors: as for [`einsum`], `OpError::Cast`, `OpError::BroadcastInto` for an
/// output of another shape, `OpError::Argument` for `axes`, `keepdims` and `signature`.
#[track_caller]
#[must_use]
pub fn einsum_with(subscripts: &str, operands: &[&Array], options: &ProductOptions) -> Array {
    let site = call_site();
    let computed = options.dtype.or(promote_all(operands.iter().copied().map(Array::dtype)));
    let warned = computed.map_or(Ok(()), |dtype| options.warn_of_output(dtype, site));
    Array::catch(warned.and_then(|()| {
        within(site, || {
            let has_axes = options.axes.is_some() || options.axis.is_some() || options.keepdims;
            if has_axes || options.signature.is_some() {
                return Err(refused("einsum", "options", "axes, keepdims or a signature", site));
            }
            let result = try_einsum(subscripts, operands, options, site)?;
            let Some(out) = &options.out else { return result.ordered_as(options.order, operands) };
            out.check_out(result.shape(), site)?;
            out.assign_at(&result, Casting::Unsafe, site)?;
            Ok(out.clone())
        })
    }))
}

/// An operand with a label for each axis.
#[derive(Clone)]
struct Term {
    array: Array,
    labels: Vec<Label>,
}

/// The extent of each label.
type Extents = BTreeMap<Label, usize>;

fn try_einsum(
    subscripts: &str,
    operands: &[&Array],
    options: &ProductOptions,
    site: Site,
) -> Result<Array, Error> {
    sound(operands.iter().copied())?;
    let wrong = |reason: String| {
        let shapes: Vec<String> =
            operands.iter().map(|array| format!("{:?}", array.shape())).collect();
        let value = format!("'{subscripts}' ({reason}; operands of shapes {})", shapes.join(", "));
        refused("einsum", "subscripts", value, site)
    };
    if operands.is_empty() {
        return Err(wrong("no operands".into()));
    }
    mesh_of_all(operands.iter().copied(), site)?;
    let ndims: Vec<usize> = operands.iter().map(|array| array.ndim()).collect();
    let parsed = Subscripts::parse(subscripts, &ndims).map_err(wrong)?;
    let has_sum = || {
        let distinct = parsed.inputs.iter().flatten();
        distinct.into_iter().any(|label| !parsed.output.contains(label))
    };
    let is_view = operands.len() == 1 && options.out.is_none() && !has_sum();
    let dtype = if is_view { operands[0].dtype() } else { computed_in(operands, options, site)? };
    let mut extents = Extents::new();
    let mut origins = BTreeMap::new();
    for (place, (array, labels)) in operands.iter().zip(&parsed.inputs).enumerate() {
        for (&extent, &label) in array.shape().iter().zip(labels) {
            let known = extents.entry(label).or_insert(1);
            if *known != extent && *known != 1 && extent != 1 {
                let origin = origins.get(&label).copied().unwrap_or(place);
                return Err(wrong(format!(
                    "one label has the extents {known} in operand {origin} and {extent} in \
                     operand {place}"
                )));
            }
            if *known == 1 {
                *known = extent;
                origins.insert(label, place);
            }
        }
    }
    let mut terms: Vec<Term> = operands
        .iter()
        .zip(parsed.inputs)
        .map(|(array, labels)| diagonal_term(&array.converted(dtype, site), labels, site))
        .collect::<Result<_, _>>()?;
    let output = parsed.output;
    if terms.len() > 1 {
        for place in 0..terms.len() {
            let needed = needed_by_others(&terms, &[place], &output);
            terms[place] = sum_away(&terms[place], &needed, dtype, site)?;
        }
    }
    while terms.len() > 1 {
        let (first, second) = cheapest_pair(&terms, &output, &extents);
        let needed = needed_by_others(&terms, &[first, second], &output);
        let right = terms.remove(second);
        let left = terms.remove(first);
        // The operands are ordered so that rows precede columns as in the output.
        let place = |term: &Term, other: &Term| {
            let own = |label: &&Label| term.labels.contains(label) && !other.labels.contains(label);
            output.iter().position(|label| own(&label)).unwrap_or(usize::MAX)
        };
        let is_turned = place(&right, &left) < place(&left, &right);
        let (left, right) = if is_turned { (right, left) } else { (left, right) };
        terms.push(contract(&left, &right, &needed, dtype, site)?);
    }
    let term = sum_away(&terms[0], &output, dtype, site)?;
    let place = |label: &Label| term.labels.iter().position(|other| other == label);
    let order: Vec<i64> = output.iter().filter_map(place).map(|axis| axis as i64).collect();
    let result = if order.is_sorted() { term.array } else { term.array.transpose(&order) };
    result.into_result()
}

/// The requested dtype, or the promotion of the operands and the output. Errors: `OpError::Cast` if
/// `casting` forbids a cast.
fn computed_in(operands: &[&Array], options: &ProductOptions, site: Site) -> Result<DType, Error> {
    let given = || operands.iter().map(|array| array.dtype());
    let out = options.out.as_ref().map(Array::dtype);
    let common = promote_all(given().chain(out)).unwrap_or(DType::F64);
    let dtype = options.dtype.unwrap_or(common);
    // NumPy adds to the output, so the output is cast in both directions.
    let casts = given().chain(out).map(|from| (from, dtype)).chain(out.map(|to| (dtype, to)));
    for (from, to) in casts {
        if !can_cast(from, to, options.casting) {
            let casting = options.casting;
            return Err(Error::op(OpError::Cast { from, to, casting }, site));
        }
    }
    Ok(dtype)
}

/// The operand with one axis for each label. A label that occurs twice selects a diagonal.
fn diagonal_term(array: &Array, labels: Vec<Label>, site: Site) -> Result<Term, Error> {
    let mut distinct: Vec<Label> = Vec::new();
    let mut shape = Shape::new();
    let mut axes = Vec::new();
    for (&label, &extent) in labels.iter().zip(array.shape()) {
        let place = match distinct.iter().position(|&other| other == label) {
            Some(place) if shape[place] != extent => {
                let (left, right) = ([shape[place]].as_slice().into(), [extent].as_slice().into());
                return Err(Error::op(OpError::Broadcast { left, right }, site));
            }
            Some(place) => place,
            None => {
                distinct.push(label);
                shape.push(extent);
                distinct.len() - 1
            }
        };
        axes.push(AxisMap { axis: Some(place as u8), start: 0, step: 1 });
    }
    if distinct.len() == labels.len() {
        return Ok(Term { array: array.clone(), labels });
    }
    let map = AffineMap { shape, axes: axes.into_iter().collect() };
    let array = array.with_view(array.base_view()?.through(&map, array.base_shape()?))?;
    Ok(Term { array, labels: distinct })
}

/// The labels of the output and of all terms but the given ones.
fn needed_by_others(terms: &[Term], without: &[usize], output: &[Label]) -> Vec<Label> {
    let others = terms.iter().enumerate().filter(|(place, _)| !without.contains(place));
    let mut needed = output.to_vec();
    others.for_each(|(_, term)| needed.extend(&term.labels));
    needed
}

/// The term, summed over the labels that are not needed.
fn sum_away(term: &Term, needed: &[Label], dtype: DType, site: Site) -> Result<Term, Error> {
    let axes: Vec<i64> = (0..term.labels.len())
        .filter(|&axis| !needed.contains(&term.labels[axis]))
        .map(|axis| axis as i64)
        .collect();
    if axes.is_empty() {
        return Ok(term.clone());
    }
    let labels = term.labels.iter().copied().filter(|label| needed.contains(label)).collect();
    Ok(Term { array: summed(&term.array, &axes, dtype, site)?, labels })
}

/// The pair of terms whose product has the smallest size compared to their own.
fn cheapest_pair(terms: &[Term], output: &[Label], extents: &Extents) -> (usize, usize) {
    let room = |labels: &[Label]| -> f64 {
        labels.iter().map(|label| extents.get(label).copied().unwrap_or(1) as f64).product()
    };
    let mut best = (f64::INFINITY, (0, 1));
    for first in 0..terms.len() {
        for second in first + 1..terms.len() {
            let needed = needed_by_others(terms, &[first, second], output);
            let (a, b) = (&terms[first].labels, &terms[second].labels);
            let mut joined: Vec<Label> = a.clone();
            joined.extend(b.iter().filter(|label| !a.contains(label)));
            joined.retain(|label| needed.contains(label));
            let cost = room(&joined) - room(a) - room(b);
            if cost < best.0 {
                best = (cost, (first, second));
            }
        }
    }
    best.1
}

/// The product of two terms, summed over the labels that are not needed later.
fn contract(
    left: &Term,
    right: &Term,
    needed: &[Label],
    dtype: DType,
    site: Site,
) -> Result<Term, Error> {
    let extent = |term: &Term, label: &Label| {
        let axis = term.labels.iter().position(|other| other == label);
        axis.map(|axis| term.array.shape()[axis])
    };
    let is_shared = |label: &&Label| right.labels.contains(label);
    let shared: Vec<Label> = left.labels.iter().filter(is_shared).copied().collect();
    let rows: Vec<Label> = left.labels.iter().filter(|l| !is_shared(l)).copied().collect();
    let columns: Vec<Label> =
        right.labels.iter().filter(|label| !left.labels.contains(label)).copied().collect();
    let (batch, inner): (Vec<Label>, Vec<Label>) =
        shared.iter().partition(|label| needed.contains(label));
    let is_even = shared.iter().all(|label| extent(left, label) == extent(right, label));
    let is_matrices = !rows.is_empty() && !columns.is_empty() && !inner.is_empty();
    let labels = [batch.clone(), rows.clone(), columns.clone()].concat();
    if is_matrices && is_even && dtype.is_inexact() {
        let extents = |term: &Term, labels: &[Label]| -> Shape {
            labels.iter().filter_map(|label| extent(term, label)).collect()
        };
        let (stack, m) = (extents(left, &batch), extents(left, &rows));
        let (k, n) = (extents(left, &inner), extents(right, &columns));
        let matrices = |term: &Term, order: [&[Label]; 3], sides: [usize; 2]| {
            let mut shape = stack.clone();
            shape.extend(sides);
            let array = aligned(term, &order.concat());
            array.reshape(shape.as_slice()).into_result()
        };
        let tall = matrices(left, [&batch, &rows, &inner], [size(&m), size(&k)])?;
        let wide = matrices(right, [&batch, &inner, &columns], [size(&k), size(&n)])?;
        let product = if batch.is_empty() {
            matrix_product(&tall, &wide, dtype, site)?
        } else {
            batched_matmul(&tall, &wide, dtype, site)?
        };
        let mut shape = stack;
        shape.extend_from_slice(&m);
        shape.extend_from_slice(&n);
        return Ok(Term { array: product.reformed(&shape, site)?, labels });
    }
    let order = [labels.clone(), inner.clone()].concat();
    let product = aligned(left, &order) * aligned(right, &order);
    product.ok()?;
    if inner.is_empty() {
        return Ok(Term { array: product, labels });
    }
    let axes: Vec<i64> = (labels.len()..order.len()).map(|axis| axis as i64).collect();
    Ok(Term { array: summed(&product, &axes, dtype, site)?, labels })
}

/// The view of a term with an axis for each label of `order`. The axis has extent 1 if the term
/// lacks the label.
fn aligned(term: &Term, order: &[Label]) -> Array {
    let place = |label: &Label| term.labels.iter().position(|other| other == label);
    let axes: Vec<i64> = order.iter().filter_map(place).map(|axis| axis as i64).collect();
    let missing: Vec<i64> = order
        .iter()
        .enumerate()
        .filter(|(_, label)| !term.labels.contains(label))
        .map(|(axis, _)| axis as i64)
        .collect();
    let moved = if axes.is_sorted() { term.array.clone() } else { term.array.transpose(&axes) };
    if missing.is_empty() { moved } else { moved.expand_dims(missing) }
}
