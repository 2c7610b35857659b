//! NumPy's rules that the Python module computed itself, and Rust lacked.

use crate::on_lines;
use num_complex::Complex64;
use phalanx::prelude::*;
use phalanx::records::{Field, Form, Record, RecordValue, Records};
use phalanx::sparse::Csr;
use phalanx::{
    AnyIndex, Index, Positions, Product, ProductOptions, SplitAlong, Ufunc, UfuncOptions,
    array_of_list, atleast_nd, choose, compress, copy_if_needed, dot_into, eye_in, histogramdd,
    interp, nancumulative_as, nanmedian, nanquantile, polyfit_full, repr_around, require,
    roll_period, take_into, try_place,
};
use std::sync::Arc;

fn code(array: &Array) -> &'static str {
    array.evaluate().unwrap_err().code()
}

fn floats(array: &Array) -> Vec<f64> {
    array.astype(DType::F64).to_vec().unwrap()
}

fn integers(array: &Array) -> Vec<i64> {
    array.astype(DType::I64).to_vec().unwrap()
}

#[test]
fn sparse_matrices_were_scaled_and_sized_by_the_module() {
    on_lines(|| {
        let (rows, columns) = (from_slice(&[0i64, 2], [2]), from_slice(&[1i64, 3], [2]));
        let values = from_slice(&[2.0, 5.0], [2]);
        let matrix = Csr::from_triplets(&rows, &columns, &values, None).unwrap();
        assert_eq!(matrix.shape(), [3, 4]);
        assert_eq!(floats(&matrix.scale(-2).unwrap().to_dense().sum(())), [-14.0]);
        assert_eq!(matrix.astype(DType::F32).unwrap().dtype(), DType::F32);
        assert_eq!(floats(&matrix.dot(&ones([4], DType::F64))), [2.0, 0.0, 5.0]);
        assert_eq!(floats(&matrix.dot_from_left(&ones([3], DType::F64))), [0.0, 2.0, 0.0, 5.0]);
        assert_eq!(matrix.dot_from_left(&ones([2, 3], DType::F64)).shape(), [2, 4]);
        let starts = from_slice(&[0i64, 1, 2], [3]);
        let found = Csr::from_parts(&starts, &columns, &values, None).unwrap();
        assert_eq!(found.shape(), [2, 4]);
        // The dtype of no positions does not matter.
        let none = zeros([0], DType::F64);
        let empty = Csr::from_triplets(&none, &none, &none, [2, 3]).unwrap();
        assert_eq!(integers(&empty.to_dense()), [0; 6]);
        assert_eq!(Csr::from_triplets(&none, &none, &none, None).unwrap_err().code(), "PX017");
        assert_eq!(Csr::zeros([2, 3], DType::F32).unwrap().nnz(), 0);
        assert_eq!(Csr::from_dense(&values).unwrap().shape(), [1, 2]);
    });
}

#[test]
fn the_module_indexed_all_elements_as_a_vector() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]).copy();
        assert_eq!(integers(&a.flat_index(ix![3..])), [3, 4, 5]);
        assert_eq!(a.flat_at(-1).item::<i64>().unwrap(), 5);
        a.try_assign_flat(ix![1..5], from_slice(&[7i64, 8], [2])).unwrap();
        assert_eq!(integers(&a), [0, 7, 8, 7, 8, 5]);
        let turned = a.t();
        turned.try_assign_flat(ix![1..3], from_slice(&[9i64], [1])).unwrap();
        assert_eq!(integers(&a), [0, 9, 8, 9, 8, 5]);
        a.t().try_fill_flat(from_slice(&[1i64, 2], [2])).unwrap();
        assert_eq!(integers(&a), [1, 1, 1, 2, 2, 2]);
        assert!(a.contains(2).item::<bool>().unwrap());
        assert!(!a.contains(3).item::<bool>().unwrap());
        assert_eq!(integers(&a.slice(s![0]).compared_with_none(Op::NotEqual)), [1, 1, 1]);
        assert_eq!(a.size_along([0, -1]).unwrap(), 6);
        assert_eq!(a.size_along(2).unwrap_err().code(), "PX003");
    });
}

#[test]
fn orders_in_memory_were_made_by_the_module() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        let turned = a.t();
        assert!(turned.is_in_order(MemoryOrder::F).unwrap());
        assert!(!turned.is_in_order(MemoryOrder::C).unwrap());
        assert!(turned.in_order(MemoryOrder::A).has_base_of(&a));
        let cast = turned.astype_in(DType::F32, MemoryOrder::C);
        assert_eq!((cast.strides(), cast.dtype()), (vec![8, 4], DType::F32));
        assert_eq!(require(&turned, &["c", "W"]).strides(), [16, 8]);
        assert!(!require(&turned, &["OWNDATA"]).has_base_of(&a));
        assert_eq!(code(&require(&a, &["C", "F"])), "PX017");
        assert_eq!(eye_in(2, 3, 1, DType::F32, MemoryOrder::F).strides(), [4, 8]);
        assert_eq!(integers(&eye_in(2, 3, 1, DType::I64, MemoryOrder::F)), [0, 1, 0, 0, 0, 1]);
        assert_eq!(atleast_nd(&a, 4).shape(), [1, 1, 2, 3]);
        let resized = turned.resized_in_place(&[6, 1]).unwrap().unwrap();
        assert_eq!(integers(&resized), [0, 1, 2, 3, 4, 5]);
        assert!(turned.resized_in_place(&[4]).unwrap().is_none());
        let gaps = a.slice(s![.., 0..;2]);
        assert_eq!(gaps.resized_in_place(&[4]).unwrap_err().code(), "PX017");
        let over = a.over_buffer(DType::I64, &[2, 2], None, 8, MemoryOrder::F);
        assert_eq!(integers(&over), [1, 3, 2, 4]);
        let beyond = a.over_buffer(DType::I64, &[2, 3], None, 8, MemoryOrder::C);
        assert_eq!(beyond.evaluate().unwrap_err().numpy_class(), "TypeError");
        assert_eq!(code(&gaps.over_buffer(DType::U8, &[1], None, 0, MemoryOrder::C)), "PX017");
        let fixed = a.with_writes(false).unwrap();
        assert!(!fixed.is_writeable() && a.is_writeable() && fixed.has_base_of(&a));
        assert_eq!(fixed.slice(s![1..]).try_assign(7).unwrap_err().code(), "PX017");
        fixed.with_writes(true).unwrap().slice(s![1..]).try_assign(7).unwrap();
        assert_eq!(integers(&fixed), [0, 1, 2, 7, 7, 7]);
    });
}

#[test]
fn masks_counts_and_lists_were_read_by_the_module() {
    on_lines(|| {
        let a = arange(0, 3, 1);
        let mask = || Positions::Mask(vec![true, false, true]);
        assert_eq!(integers(&delete(&a, mask(), ())), [1]);
        assert_eq!(integers(&insert(&a, mask(), &full((), 9, DType::I64), ())), [9, 0, 1, 9, 2]);
        assert_eq!(code(&delete(&a, Positions::Mask(vec![true]), ())), "PX017");
        assert_eq!(integers(&repeat_each(&a, &[0i64, 1, 2], 0)), [1, 2, 2]);
        assert_eq!(code(&repeat_each(&a, &[-1i64], 0)), "PX017");
        let (narrow, wide) = (ones([1], DType::U64), ones([1], DType::I64));
        let listed = array_of_list(&[narrow, wide, ones([1], DType::F32)]);
        assert_eq!((listed.shape(), listed.dtype()), (&[3, 1][..], DType::F64));
        let (counts, _) = histogramdd(&arange(0, 4, 1), &[2usize.into()], ()).unwrap();
        assert_eq!(floats(&counts), [2.0, 2.0]);
        let truths = from_slice(&[2i64, 0, 0], [3]);
        assert_eq!(integers(&piecewise(&a, &[&truths], &[7.into(), 5.into()])), [7, 5, 5]);
        assert_eq!(arange(false, true, true).dtype(), DType::I64);
        assert_eq!(arange(1u64 << 63, (1u64 << 63) + 4096, 2048).dtype(), DType::F64);
        assert_eq!(code(&arange(1u64 << 63, u64::MAX, 1)), "PX019");
        let (text, long) = ("[0 1]", full([2, 600], 0, DType::I32));
        let shown = repr_around(text, &long, true, 30);
        assert_eq!(shown, "array([0 1],\n      shape=(2, 600), dtype=int32)");
        let (x, y) = (ones([3], DType::F32), arange(0, 3, 1));
        let fit = polyfit_full(&x, &y, 1, None, None).unwrap();
        assert_eq!((fit.has_full_rank().unwrap(), fit.dtype), (false, DType::F32));
    });
}

#[test]
fn conditions_of_piecewise_were_stretched_along_the_last_axes() {
    on_lines(|| {
        let x = arange(0, 4, 1).reshape([2, 2]);
        let rows = from_slice(&[true, false], [2]);
        assert_eq!(integers(&piecewise(&x, &[&rows], &[7.into()])), [7, 7, 0, 0]);
        let three = from_slice(&[true, false, true], [3]);
        assert_eq!(code(&piecewise(&x, &[&three], &[7.into()])), "PX027");
    });
}

#[test]
fn large_numbers_wrapped_without_an_error_in_choose() {
    on_lines(|| {
        let (selector, ones) = (from_slice(&[0i64, 1], [2]), ones([2], DType::I64));
        let chosen = |power: u32| {
            let number = Argument::Weak(Weak::Int(1 << power));
            choose(&selector, &[(&ones).into(), number], Mode::Raise)
        };
        assert_eq!(integers(&chosen(62)), [1, 1 << 62]);
        assert_eq!(code(&chosen(64)), "PX013");
    });
}

#[test]
fn outputs_of_functions_were_checked_by_the_module() {
    on_lines(|| {
        let x = from_slice(&[1.0, 2.0, 3.0], [3]);
        let refused = |done: Result<(), Error>| done.unwrap_err().code();
        let out = zeros([3], DType::F32);
        let sums = cumsum(&x, 0);
        sums.store_in(&out, Casting::SameKind).unwrap();
        assert_eq!(floats(&out), [1.0, 3.0, 6.0]);
        let whole = zeros([3], DType::I64);
        assert_eq!(refused(sums.store_in(&whole, Casting::SameKind)), "PX012");
        sums.store_in(&whole, Casting::Unsafe).unwrap();
        assert_eq!(integers(&whole), [1, 3, 6]);
        // Nothing is broadcast.
        assert_eq!(refused(sums.store_in(&zeros([1, 3], DType::F64), Casting::Safe)), "PX002");
        let wrong = zeros([-1i64], DType::F64);
        assert_eq!(refused(wrong.store_in(&out, Casting::Unsafe)), code(&wrong));
        // An output of taken elements is cast to their dtype, and back.
        let (first, two) = (from_slice(&[2i64, 0], [2]), zeros([2], DType::I32));
        take_into(&x, &first, Some(0), Mode::Raise, &two).unwrap();
        assert_eq!(integers(&two), [3, 1]);
        let complex = zeros([2], DType::C128);
        assert_eq!(refused(take_into(&x, &first, None, Mode::Raise, &complex)), "PX012");
        let beyond = from_slice(&[9i64, 0], [2]);
        assert_eq!(refused(take_into(&x, &beyond, None, Mode::Raise, &complex)), "PX012");
        assert_eq!(refused(x.store_taken(&complex)), "PX012");
        compress(&first, &x, Some(0)).store_taken(&zeros([1], DType::I8)).unwrap();
        let product = zeros((), DType::F64);
        dot_into(&x, &x, &product).unwrap();
        assert_eq!(floats(&product), [14.0]);
        assert_eq!(refused(dot_into(&x, &x, &zeros((), DType::F32))), "PX017");
        let into = |out: &Array| axis(0).out(out);
        let number = || zeros((), DType::I64);
        assert_eq!(code(&median(&x, into(&number()))), "PX012");
        assert_eq!(code(&quantile(&x, 0.5, into(&number()), QuantileMethod::Linear)), "PX012");
        assert_eq!(integers(&nanmedian(&x, into(&number()))), [2]);
        assert_eq!(integers(&nanquantile(&x, 0.5, into(&number()), QuantileMethod::Linear)), [2]);
        assert_eq!(floats(&median(&x.astype(DType::C64), into(&product))), [2.0]);
        assert_eq!(floats(&product), [2.0]);
        assert_eq!(refused(try_place(&whole, &whole.greater(0), &x)), "PX012");
        let options = HistogramOptions::default().weights(&complex);
        let counted = histogramdd(&zeros([2, 1], DType::F64), &[2usize.into()], options);
        assert_eq!(counted.unwrap_err().code(), "PX012");
    });
}

#[test]
fn single_elements_copies_and_ends_were_checked_by_the_module() {
    on_lines(|| {
        let x = zeros([2, 2], DType::F64);
        let one = || from_slice(&[1.0], [1]);
        let refused = |done: Result<(), Error>| {
            let error = done.unwrap_err();
            (error.code(), error.numpy_class())
        };
        let element = x.slice(s![0, 1]);
        assert_eq!(refused(element.try_assign_at([], one(), false)), ("PX158", "ValueError"));
        element.try_assign_at([], 3, false).unwrap();
        element.try_assign_at([], ones((), DType::I8), true).unwrap();
        let complex = zeros([2], DType::C64).slice(s![0]);
        assert_eq!(refused(complex.try_assign_at([], one(), false)), ("PX158", "TypeError"));
        let truth = zeros([2], DType::Bool).slice(s![0]);
        truth.try_assign_at([], one(), false).unwrap();
        assert_eq!(refused(truth.try_assign_at([], one(), true)), ("PX158", "ValueError"));
        let complex = zeros([2], DType::C64);
        assert_eq!(refused(complex.try_assign_flat(ix![0], one())), ("PX158", "ValueError"));
        let i = Complex64::new(0.0, 1.0);
        assert_eq!(refused(x.try_assign_flat(ix![0], i)), ("PX017", "ValueError"));
        complex.try_assign_flat(ix![0], i).unwrap();
        assert_eq!(floats(&x), [0.0, 1.0, 0.0, 0.0]);

        let copy = |dtype, order, copies| copy_if_needed(&x, dtype, order, copies);
        assert!(copy(Some(DType::F64), MemoryOrder::C, None).unwrap().is_none());
        assert!(copy(None, MemoryOrder::K, Some(false)).unwrap().is_none());
        let turned = copy(None, MemoryOrder::F, None).unwrap().unwrap();
        assert_eq!((turned.strides(), turned.has_base_of(&x)), (vec![8, 16], false));
        assert!(copy(None, MemoryOrder::K, Some(true)).unwrap().is_some());
        let followed =
            [MemoryOrder::A, MemoryOrder::K, MemoryOrder::C].map(|it| it.following(true));
        assert_eq!(followed, [MemoryOrder::F, MemoryOrder::F, MemoryOrder::C]);
        assert_eq!(MemoryOrder::K.following(false), MemoryOrder::C);
        let narrow = copy(Some(DType::F32), MemoryOrder::K, Some(false));
        assert_eq!(narrow.unwrap_err().code(), "PX017");

        let (at, xp) = (from_slice(&[0.0, 1.5, 9.0], [3]), from_slice(&[1.0, 2.0], [2]));
        assert_eq!(code(&interp(&at, &xp, &xp, i, ())), "PX012");
        assert_eq!(floats(&interp(&at, &xp, &xp, (), Scalar::new(i))), [1.0, 1.5, 0.0]);
        let values = xp.astype(DType::C128);
        assert_eq!(floats(&interp(&at, &xp, &values, i, ()).imag()), [1.0, 0.0, 0.0]);

        let some = from_slice(&[1.5, f64::NAN, 2.5], [3]);
        let sums = nancumulative_as(&some, Op::Add, 0, DType::F32);
        assert_eq!((sums.dtype(), floats(&sums)), (DType::F32, vec![1.5, 1.5, 4.0]));
        assert_eq!(floats(&nancumulative_as(&some, Op::Multiply, None, DType::F64))[2], 3.75);
        assert!(fft::axes([0i64; 0]).is_empty() && !fft::axes([0]).is_empty());
        assert!(!fft::axes([0i64; 0]).extents([4]).is_empty());
        assert!(fft::fftn(&x, fft::axes([0i64; 0])).has_base_of(&x));
        assert_eq!((roll_period(&x), roll_period(&zeros([0, 3], DType::F64))), (4, 1));
    });
}

#[test]
fn shards_of_other_arrays_were_told_apart_by_the_module() {
    let of = |parts: &[Option<(SplitAlong, usize)>]| {
        SplitAlong::of_shards(parts.iter().copied()).map_err(|error| error.code())
    };
    let (whole, first) = (Some((SplitAlong::Nothing, 1)), Some((SplitAlong::One(0), 2)));
    assert_eq!(of(&[whole]), Ok(Some(SplitAlong::Nothing)));
    assert_eq!(of(&[first, first]), Ok(Some(SplitAlong::One(0))));
    assert_eq!(of(&[first]), Err("PX159"));
    assert_eq!(of(&[first, Some((SplitAlong::One(1), 2))]), Ok(None));
    assert_eq!(of(&[first, None]), Ok(None));
    assert_eq!(of(&[None, first]), Ok(None));
    assert_eq!(of(&[]), Ok(None));
    let several = Some((SplitAlong::Several, 2));
    assert_eq!(of(&[several, several]), Err("PX017"));
}

#[test]
fn operands_of_ufuncs_were_prepared_by_the_module() {
    on_lines(|| {
        let a = from_slice(&[1.0f32, 2.0], [2]);
        let options = UfuncOptions { dtype: Some(DType::F32), ..UfuncOptions::default() };
        let add = Ufunc::from_name("add").unwrap();
        let table = &add.outer_with(&[(&a).into(), (&a).into()], &options).unwrap()[0];
        assert_eq!((floats(table), table.dtype()), (vec![2.0, 3.0, 3.0, 4.0], DType::F32));
        let parts = Ufunc::DIVMOD.outer_with(&[(&a).into(), 2.into()], &UfuncOptions::default());
        let parts = parts.unwrap();
        assert_eq!((floats(&parts[0]), floats(&parts[1])), (vec![0.0, 1.0], vec![1.0, 0.0]));
        assert_eq!(add.outer_with(&[2.into()], &options).unwrap_err().code(), "PX017");
        let mut operands = [Argument::from(1), Scalar::new(2.0f32).into()];
        Argument::make_one_an_array(&mut operands);
        assert_eq!(Array::apply(Op::Add, &operands).dtype(), DType::F32);
        assert_eq!(Argument::from(u64::MAX).into_array().dtype(), DType::U64);
        let matrix = ones([2, 2], DType::I64);
        assert_eq!(integers(&add.accumulate(&a, ())), [1, 3]);
        assert_eq!(code(&add.accumulate(&matrix, ())), "PX017");
        assert_eq!(code(&add.accumulate(&matrix, [0, 1])), "PX017");
        let number = ones((), DType::I64);
        assert_eq!(add.accumulate(&number, 0).evaluate().unwrap_err().numpy_class(), "TypeError");
        let axis = ProductOptions { axis: Some(0), keepdims: true, ..ProductOptions::default() };
        let dots = product(Product::Vecdot, &matrix, &matrix, &axis);
        assert_eq!((dots.shape(), integers(&dots)), (&[1, 2][..], vec![2, 2]));
        assert_eq!(code(&product(Product::Matmul, &matrix, &matrix, &axis)), "PX017");
    });
}

#[test]
fn records_were_reshaped_by_the_module() {
    on_lines(|| {
        let form = Form::Number(DType::I64);
        let field = Field { name: "x".into(), title: None, offset: 0, form, shape: Vec::new() };
        let record = Arc::new(Record::new(8, vec![field], false).unwrap());
        let numbers = arange(0, 6, 1).reshape([2, 1, 3]);
        let value = RecordValue::Numbers((&numbers).into());
        let records = Records::filled(&[2, 1, 3], &record, &value).unwrap();
        let shown = |records: &Records| integers(&records.view_numbers(DType::I64).unwrap());
        assert_eq!(records.swapaxes(0, -1).unwrap().shape(), [3, 1, 2]);
        assert_eq!(records.swapaxes(0, 3).err().map(|error| error.code()), Some("PX003"));
        assert_eq!(records.squeeze().unwrap().shape(), [2, 3]);
        let flat = records.flatten(MemoryOrder::F).unwrap();
        assert_eq!(shown(&flat), [0, 3, 1, 4, 2, 5]);
        let first = AnyIndex::Basic(Index::At(0));
        records.try_assign_index(&[first], &RecordValue::Numbers(9.into())).unwrap();
        assert_eq!(integers(&records.not_equal(&records).unwrap()), [0; 6]);
        assert_eq!(shown(&records), [9, 9, 9, 3, 4, 5]);
        let fortran = Records::zeros_in(&[2, 3], &record, MemoryOrder::F).unwrap();
        assert!(fortran.flags().unwrap().f_contiguous);
    });
}
