//! Advanced indexing: indices that contain arrays of positions and masks.

use super::find::nonzero;
use super::positions::{Mode, argument_array, resolved, unread};
use crate::array::{Argument, Array, without_leading};
use crate::floating::warn_assigned;
use crate::manipulation::moveaxis;
use crate::recording::{memory_order, order_of_strides};
use crate::{Index, IndexItem};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::broadcast;
use phalanx_ops::{DType, Op, Shape};

/// An item of an index: a basic item, or an array of positions or of bools.
#[derive(Clone)]
pub enum AnyIndex {
    /// An item as in [`s!`](crate::s).
    Basic(Index),
    /// Positions along an axis, or a mask over as many axes as the mask has. A 0-d mask adds an
    /// axis, of extent 1 if it is true and of extent 0 otherwise.
    Array(Array),
}

/// A type that can be an item in [`ix!`](crate::ix).
pub trait IntoAnyIndex {
    /// The item.
    fn into_any_index(self) -> AnyIndex;
}

impl<T: IndexItem> IntoAnyIndex for T {
    fn into_any_index(self) -> AnyIndex {
        AnyIndex::Basic(self.into_index())
    }
}

impl IntoAnyIndex for &Array {
    fn into_any_index(self) -> AnyIndex {
        AnyIndex::Array(self.clone())
    }
}

/// An index that may contain arrays: `ix![&rows, .., 1..3, &mask]`; otherwise as [`s!`](crate::s).
#[macro_export]
macro_rules! ix {
    ($($item:expr),* $(,)?) => {
        [$($crate::indexing::IntoAnyIndex::into_any_index($item)),*]
    };
}

/// An item for a single axis of the result of the basic items.
#[derive(Clone)]
enum Spelled {
    Basic(Index),
    /// Positions along an axis.
    Positions(Array),
    /// Positions along the axis of extent 1 that a 0-d mask adds.
    Added(Array),
}

/// An evaluated index: the selected view, and the positions along some of its axes.
#[derive(Clone)]
pub(super) struct Worked {
    /// The array through the basic items. Axes with positions come first.
    view: Array,
    /// The positions along each of these axes, in range, and all of one shape.
    positions: Vec<Array>,
    /// The shape of the positions.
    shape: Shape,
    /// The position of the axes of the positions among the axes of the result.
    place: usize,
}

impl Array {
    /// NumPy's `a[...]` with any items; see [`ix!`](crate::ix). A view if all items are basic, else
    /// a copy.
    ///
    /// The positions of a split axis go to the devices that own them, as in [`Array::take`].
    /// Collective if the items include masks, or positions that may be outside their axis; else
    /// Local. Errors: as for
    /// [`Array::slice`], `OpError::Indices`, `OpError::IndexShapes`, `OpError::MaskShape`,
    /// `DataError::IndexRange`.
    #[track_caller]
    #[must_use]
    pub fn index(&self, items: impl AsRef<[AnyIndex]>) -> Array {
        let site = call_site();
        Array::catch(self.index_at(items.as_ref(), site))
    }

    fn index_at(&self, items: &[AnyIndex], site: Site) -> Result<Array, Error> {
        self.ok()?;
        if let Some(items) = all_basic(items) {
            return within(site, || self.slice(items).into_result());
        }
        // A single mask selects elements on the devices where they reside, without positions or a
        // whole array.
        if let Some(mask) = mask_of_all(self, items) {
            return within(site, || self.compress(mask).into_result());
        }
        // A vector of positions takes rows; nothing has to be broadcast or reordered.
        if let [AnyIndex::Array(positions)] = items
            && positions.ok()?.ndim() == 1
            && positions.dtype().is_integer()
            && self.ndim() > 0
            && self.base_view()?.is_contiguous()
        {
            return within(site, || self.take(positions, 0).into_result());
        }
        self.work_out(items, site)?.taken(site)
    }

    /// NumPy's `a[...] = value` with any items; see [`ix!`](crate::ix). At positions that occur
    /// several times, the last value is kept.
    ///
    /// Collectivity and errors: as for [`Array::index`] and [`Array::assign`].
    #[track_caller]
    pub fn assign_index(&self, items: impl AsRef<[AnyIndex]>, value: impl Into<Argument>) {
        let (site, value) = (call_site(), value.into());
        if let Err(error) = self.write_index(items.as_ref(), &value, site) {
            self.poison(error);
        }
    }

    /// As [`Array::assign_index`], but an error is returned and leaves the array unchanged.
    #[track_caller]
    pub fn try_assign_index(
        &self,
        items: impl AsRef<[AnyIndex]>,
        value: impl Into<Argument>,
    ) -> Result<(), Error> {
        self.write_index(items.as_ref(), &value.into(), call_site())
    }

    fn write_index(&self, items: &[AnyIndex], value: &Argument, site: Site) -> Result<(), Error> {
        self.ok()?;
        self.check_writable(site)?;
        warn_assigned(value, self.dtype(), site)?;
        if let Some(items) = all_basic(items) {
            return within(site, || self.slice(items).try_assign(value.clone()));
        }
        if let Some(mask) = mask_of_all(self, items)
            && !matches!(value, Argument::Array(_))
        {
            return self.try_assign_where(mask, value.clone(), site);
        }
        let worked = self.work_out(items, site)?;
        let target = worked.target();
        let value = within(site, || {
            let value = argument_array(value, self, site)?;
            let value = without_leading(&value, target.len()).broadcast_to(target.as_slice());
            value.into_result()
        })?;
        worked.write(None, Some(&value), site)
    }

    pub(super) fn work_out(&self, items: &[AnyIndex], site: Site) -> Result<Worked, Error> {
        let runs = runs(items);
        let items = spelled_out(self, items, site)?;
        // The first pass applies the basic items. An axis with an array remains whole.
        let whole = Index::Range { start: None, stop: None, step: 1 };
        let basic: Vec<Index> = items
            .iter()
            .map(|item| match item {
                Spelled::Basic(Index::At(_)) | Spelled::Positions(_) => whole,
                Spelled::Added(_) => Index::NewAxis,
                Spelled::Basic(item) => *item,
            })
            .collect();
        let view = within(site, || self.slice(&basic).into_result())?;
        let mut shape = Shape::new();
        let arrays = items.iter().filter_map(|item| match item {
            Spelled::Positions(array) | Spelled::Added(array) => Some(array),
            Spelled::Basic(_) => None,
        });
        for array in arrays.clone() {
            shape = broadcast(&shape, array.shape()).map_err(|_| {
                let shapes = arrays.clone().map(|array| array.shape().into()).collect();
                Error::op(OpError::IndexShapes { shapes }, site)
            })?;
        }
        // Integers beside arrays are positions too.
        let mut axes: Vec<usize> = Vec::new();
        let mut arrays: Vec<Array> = Vec::new();
        for (axis, item) in items.iter().enumerate() {
            let positions = match item {
                // NumPy does not check positions if the result has no elements.
                Spelled::Positions(array) if shape.contains(&0) => unread(array, &shape, site)?,
                Spelled::Positions(array) => {
                    resolved(array, (axis, view.shape()[axis]), Mode::Raise, site)?
                }
                Spelled::Added(array) => array.clone(),
                Spelled::Basic(Index::At(at)) => {
                    let extent = view.shape()[axis];
                    let from_start = if *at < 0 { at + extent as i64 } else { *at };
                    if !(0..extent as i64).contains(&from_start) {
                        return Err(Error::op(OpError::Index { index: *at, axis, extent }, site));
                    }
                    let mesh = self.mesh()?;
                    mesh.enter(|| crate::creation::from_slice(&[from_start], ()))
                }
                Spelled::Basic(_) => continue,
            };
            axes.push(axis);
            arrays.push(positions);
        }
        let place = if runs == 1 { axes[0] } else { 0 };
        let others = (0..view.ndim()).filter(|axis| !axes.contains(axis));
        let order: Vec<i64> = axes.iter().copied().chain(others).map(|axis| axis as i64).collect();
        within(site, || {
            let positions = arrays
                .iter()
                .map(|array| array.broadcast_to(shape.as_slice()).into_result())
                .collect::<Result<Vec<Array>, Error>>()?;
            Ok(Worked { view: view.transpose(order).into_result()?, positions, shape, place })
        })
    }
}

impl Worked {
    /// The indexed elements, in NumPy's order in memory. The axes of the positions are outermost in
    /// C order, and the other axes follow in the order of the array. Positions alone keep their own
    /// order.
    pub(super) fn taken(mut self, site: Site) -> Result<Array, Error> {
        let (count, ndim) = (self.positions.len(), self.shape.len());
        let others = self.view.ndim() - count;
        let mut inner: Vec<usize> = (0..others).collect();
        let mut outer: Vec<usize> = (0..ndim).collect();
        if others == 0 {
            let arrays: Vec<Argument> = self.positions.iter().map(Argument::from).collect();
            if let Some(order) = memory_order(&arrays, &self.shape)? {
                outer = order;
                let axes: Vec<i64> = outer.iter().map(|&axis| axis as i64).collect();
                for positions in &mut self.positions {
                    let turned = within(site, || positions.transpose(axes.as_slice()));
                    *positions = turned.into_result()?;
                }
            }
        } else {
            let (shape, strides) = (self.view.shape(), self.view.strides());
            let along = |axis: usize| if shape[axis] == 1 { 0 } else { strides[axis].abs() as i64 };
            let strides = [(count..count + others).map(along).collect()];
            if let Some(order) = order_of_strides(&strides, others) {
                inner = order;
                let others = inner.iter().map(|&axis| axis + count);
                let axes: Vec<i64> = (0..count).chain(others).map(|axis| axis as i64).collect();
                self.view = within(site, || self.view.transpose(axes).into_result())?;
            }
        }
        self.show_repeated_once(site)?;
        let (lines, position) = self.lines(site)?;
        let place = self.place_in_memory();
        let taken = if place > 0 && position.size() < lines.shape()[0] {
            // The elements are taken where they are, and only these are put in NumPy's order.
            within(site, || {
                let own = moveaxis(&lines, 0, place as i64);
                let taken = own.ok()?.take_resolved(&position, place, site)?;
                let there: Vec<i64> = (place..place + ndim).map(|axis| axis as i64).collect();
                moveaxis(&taken, there, self.first()).copy().into_result()
            })?
        } else {
            lines.take_resolved(&position, 0, site)?
        };
        // The position of each axis of the result among the axes taken.
        let place_of = |order: &[usize], axis: usize| {
            order.iter().position(|&one| one == axis).expect("bug: an order has every axis")
        };
        let outer_axes = (0..ndim).map(|axis| place_of(&outer, axis));
        let inner_axes = |range: std::ops::Range<usize>| {
            range.map(|axis| ndim + place_of(&inner, axis)).collect::<Vec<usize>>()
        };
        let axes = inner_axes(0..self.place).into_iter().chain(outer_axes);
        let axes = axes.chain(inner_axes(self.place..others)).map(|axis| axis as i64);
        let axes: Vec<i64> = axes.collect();
        if axes.is_sorted() {
            return Ok(taken);
        }
        within(site, || taken.transpose(axes).into_result())
    }

    /// Shows the elements that broadcasting repeats along an indexed axis once, at position 0, so
    /// that the repetitions are not materialised.
    fn show_repeated_once(&mut self, site: Site) -> Result<(), Error> {
        let extents = self.view.shape().iter().zip(self.view.strides());
        let repeats = extents.map(|(&extent, stride)| extent > 1 && stride == 0);
        let repeats: Vec<bool> = repeats.take(self.positions.len()).collect();
        if !repeats.contains(&true) {
            return Ok(());
        }
        let shown = |&repeats: &bool| Index::Range {
            start: None,
            stop: Some(1).filter(|_| repeats),
            step: 1,
        };
        within(site, || {
            let items: Vec<Index> = repeats.iter().map(shown).collect();
            self.view = self.view.slice(&items).into_result()?;
            for (positions, repeats) in self.positions.iter_mut().zip(repeats) {
                if repeats {
                    *positions = positions.multiply(0).into_result()?;
                }
            }
            Ok(())
        })
    }

    /// The shape of the indexed elements.
    pub(super) fn target(&self) -> Vec<usize> {
        let rest = &self.view.shape()[self.positions.len()..];
        let mut target: Vec<usize> = rest[..self.place].to_vec();
        target.extend(&self.shape);
        target.extend(&rest[self.place..]);
        target
    }

    /// Writes values in the shape of the indexed elements. With `op`, it writes the result of the
    /// operation on the elements and the values. An operation with one operand takes no values.
    pub(super) fn write(
        &self,
        op: Option<Op>,
        values: Option<&Array>,
        site: Site,
    ) -> Result<(), Error> {
        within(site, || {
            let values = values.map(|values| moveaxis(values, self.there(), self.first()));
            let place = self.place_in_memory();
            if place > 0 {
                // Lines that are put where they are need no copy of the array in another order.
                let own = moveaxis(&self.view, 0, place as i64).into_result()?;
                let position = &self.positions[0];
                let new = || own.put_lines(op, place, position, values.as_ref(), site);
                return own.rewrite(new, site);
            }
            let new = || {
                let (lines, position) = self.lines(site)?;
                let new = lines.put_lines(op, 0, &position, values.as_ref(), site)?;
                new.reshape(self.view.shape()).into_result()
            };
            self.view.rewrite(new, site)
        })
    }

    /// The place in memory, among the other axes, of an axis that alone has positions. It is 0 if
    /// there are several, or if the order in memory is another.
    fn place_in_memory(&self) -> usize {
        let (shape, strides) = (self.view.shape(), self.view.strides());
        if self.positions.len() != 1 || shape[0] < 2 {
            return 0;
        }
        let reach = |axis: usize| if shape[axis] == 1 { 0 } else { strides[axis].unsigned_abs() };
        (1..shape.len()).take_while(|&axis| reach(axis) > reach(0)).count()
    }

    /// The axes of the positions when they come first.
    fn first(&self) -> Vec<i64> {
        (0..self.shape.len() as i64).collect()
    }

    /// The axes of the positions in the result.
    fn there(&self) -> Vec<i64> {
        (self.place as i64..(self.place + self.shape.len()) as i64).collect()
    }

    /// The view with the indexed axes merged into one, and the positions along it.
    fn lines(&self, site: Site) -> Result<(Array, Array), Error> {
        let count = self.positions.len();
        let extents = &self.view.shape()[..count];
        within(site, || {
            let mut position: Option<Array> = None;
            for (positions, &extent) in self.positions.iter().zip(extents) {
                position = Some(match position {
                    Some(before) => before * extent as i64 + positions,
                    None => positions.clone(),
                });
            }
            let mut shape: Vec<usize> = vec![extents.iter().product()];
            shape.extend(&self.view.shape()[count..]);
            let lines = self.view.reshape(shape.as_slice());
            match position {
                Some(position) => Ok((lines.into_result()?, position.into_result()?)),
                None => unreachable!("bug: an advanced index has positions"),
            }
        })
    }
}

/// The number of runs of arrays and integers. Slices, new axes and an ellipsis separate the runs,
/// even an ellipsis for no axes.
fn runs(items: &[AnyIndex]) -> usize {
    let is_position =
        |item: &AnyIndex| matches!(item, AnyIndex::Array(_) | AnyIndex::Basic(Index::At(_)));
    let begins = |at: usize| is_position(&items[at]) && (at == 0 || !is_position(&items[at - 1]));
    (0..items.len()).filter(|&at| begins(at)).count()
}

/// The items if all are basic.
pub(super) fn all_basic(items: &[AnyIndex]) -> Option<Vec<Index>> {
    items
        .iter()
        .map(|item| match item {
            AnyIndex::Basic(item) => Some(*item),
            AnyIndex::Array(_) => None,
        })
        .collect()
}

/// The mask, if it has the shape of the array and is the only item besides an ellipsis.
pub(super) fn mask_of_all<'a>(array: &Array, items: &'a [AnyIndex]) -> Option<&'a Array> {
    let mut others = items.iter().filter(|item| !matches!(item, AnyIndex::Basic(Index::Ellipsis)));
    let (first, next) = (others.next()?, others.next());
    match first {
        AnyIndex::Array(mask)
            if next.is_none()
                && items.len() <= 2
                && mask.ndim() > 0
                && mask.dtype() == DType::Bool
                && mask.ok().is_ok()
                && mask.shape() == array.shape() =>
        {
            Some(mask)
        }
        _ => None,
    }
}

/// One item for each axis of the result of the basic items. Masks become the positions of their
/// true elements, and an ellipsis becomes slices.
fn spelled_out(array: &Array, items: &[AnyIndex], site: Site) -> Result<Vec<Spelled>, Error> {
    let axes_of = |item: &AnyIndex| match item {
        AnyIndex::Basic(Index::NewAxis | Index::Ellipsis) => 0,
        AnyIndex::Array(mask) if mask.dtype() == DType::Bool => mask.ndim(),
        _ => 1,
    };
    let (ndim, given) = (array.ndim(), items.iter().map(axes_of).sum::<usize>());
    if given > ndim {
        return Err(Error::op(OpError::TooManyIndices { ndim, given }, site));
    }
    let is_ellipsis = |item: &&AnyIndex| matches!(item, AnyIndex::Basic(Index::Ellipsis));
    let ellipses = items.iter().filter(is_ellipsis).count();
    if ellipses > 1 {
        return Err(Error::op(OpError::Ellipses, site));
    }
    let whole = Spelled::Basic(Index::Range { start: None, stop: None, step: 1 });
    let rest = vec![whole; ndim - given];
    let mut spelled: Vec<Spelled> = Vec::new();
    let mut axis = 0;
    for item in items {
        match item {
            AnyIndex::Basic(Index::Ellipsis) => {
                spelled.extend(rest.iter().cloned());
                axis += rest.len();
                continue;
            }
            AnyIndex::Array(mask) if mask.dtype() == DType::Bool => {
                mask.ok()?;
                let extents = &array.shape()[axis..axis + mask.ndim()];
                // As in NumPy, a mask extent of 0 fits any axis.
                let fits =
                    |(&of_mask, &of_array): (&usize, &usize)| of_mask == of_array || of_mask == 0;
                if !mask.shape().iter().zip(extents).all(fits) {
                    let (mask, extents) = (mask.shape().into(), extents.into());
                    return Err(Error::op(OpError::MaskShape { mask, extents }, site));
                }
                if mask.ndim() == 0 {
                    let found = within(site, || nonzero(&mask.reshape([1])))?;
                    spelled.extend(found.into_iter().map(Spelled::Added));
                    continue;
                }
                let found = within(site, || nonzero(mask))?;
                spelled.extend(found.into_iter().map(Spelled::Positions));
            }
            AnyIndex::Array(positions) => spelled.push(Spelled::Positions(positions.clone())),
            AnyIndex::Basic(item) => spelled.push(Spelled::Basic(*item)),
        }
        axis += axes_of(item);
    }
    if ellipses == 0 {
        spelled.extend(rest);
    }
    Ok(spelled)
}

/// NumPy's `ix_`: vectors of positions, or of bools, as an index of all their combinations.
/// Collective if a vector is of bools. Errors: `OpError::Ndim`.
#[track_caller]
pub fn ix_(vectors: &[Array]) -> Result<Vec<AnyIndex>, Error> {
    let site = call_site();
    let item = |(axis, vector): (usize, &Array)| {
        vector.ok()?;
        if vector.ndim() != 1 {
            let (expected, ndim) = ("1", vector.ndim());
            return Err(Error::op(OpError::Ndim { operation: "ix_", expected, ndim }, site));
        }
        within(site, || {
            let positions = match vector.dtype() {
                DType::Bool => nonzero(vector)?.swap_remove(0),
                _ => vector.clone(),
            };
            let mut shape = vec![1; vectors.len()];
            shape[axis] = positions.size();
            Ok(AnyIndex::Array(positions.reshape(shape.as_slice()).into_result()?))
        })
    };
    vectors.iter().enumerate().map(item).collect()
}
