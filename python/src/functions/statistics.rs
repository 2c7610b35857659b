//! Medians, quantiles, averages, covariances, counts and histograms.

use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, is_integer};
use crate::convert::{self, fetch, to_host_array};
use crate::functions;
use crate::interpreter::errors::{
    for_type_error, raised, runtime_warning, type_error, value_error,
};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::here;
use crate::objects::ndarray::Ndarray;
use phalanx::{
    Array, Axes, BinRule, Bins, CovarianceOptions, DType, HistogramOptions, QuantileMethod,
    Quantiles, average, average_and_weights, bincount, corrcoef, cov, digitize, histogram,
    histogram_bin_edges, histogram2d, histogramdd, median, nanmedian, nanpercentile,
    nanpercentile_weighted, nanquantile, nanquantile_weighted, percentile_along,
    percentile_weighted, quantile, quantile_weighted, room_on_host,
};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString, PyTuple};

/// The numbers of an object, with its shape.
fn numbers(object: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let host = match object.cast::<Ndarray>() {
        Ok(array) => fetch(object.py(), &array.get().array.astype(DType::F64))?,
        Err(_) => to_host_array(object, Some(DType::F64))?,
    };
    let (words, _) = host.bytes.as_chunks::<8>();
    room_on_host(host.bytes.len(), None).map_err(|error| raised(object.py(), &error))?;
    Ok((words.iter().copied().map(f64::from_ne_bytes).collect(), host.shape))
}

/// The quantiles with the dtype in which they are given. A Python number has none.
fn parts(a: &Arguments<'_, '_>) -> PyResult<Quantiles> {
    let object = a.object("q")?;
    if let Ok(one) = object.cast_exact::<PyFloat>() {
        return Ok(Quantiles::One(one.extract()?));
    }
    if let Ok(one) = object.cast_exact::<PyInt>() {
        return Ok(Quantiles::Integers(Box::new(Quantiles::One(one.extract()?))));
    }
    let own = match object.cast::<Ndarray>() {
        Ok(array) => array.get().array.dtype(),
        Err(_) => to_host_array(object, None)?.dtype,
    };
    if own.is_complex() {
        return Err(a.wrong("q", "real numbers"));
    }
    let (values, shape) = numbers(object)?;
    Ok(Quantiles::of_array(values, shape, own))
}

type OfQuantiles = fn(&Array, Quantiles, Axes, QuantileMethod) -> Array;

fn quantiles(a: &Arguments<'_, '_>, compute: OfQuantiles) -> PyResult<Answer> {
    let name = a.text_or("method", "linear")?;
    let wanted = parts(a)?;
    let array = a.array("a")?;
    let found = if let Some(weights) = a.optional_array("weights")? {
        if name != "inverted_cdf" {
            return Err(value_error(
                Mistake::Together,
                format!("Only method 'inverted_cdf' supports weights. Got: {name}."),
            ));
        }
        let compute = match a.name() {
            "percentile" => percentile_weighted,
            "nanpercentile" => nanpercentile_weighted,
            "nanquantile" => nanquantile_weighted,
            _ => quantile_weighted,
        };
        compute(&array, wanted, a.axes_and_out()?, &weights)
    } else {
        let method = QuantileMethod::from_name(&name).ok_or_else(|| {
            let text = format!("{name:?} is not a valid method of {}()", a.name());
            value_error(Mistake::Choice, text)
        })?;
        compute(&array, wanted, a.axes_and_out()?, method)
    };
    a.written_out(found)
}

fn covariance(a: &Arguments<'_, '_>) -> PyResult<CovarianceOptions> {
    let mut options = CovarianceOptions::default();
    if let Some(more) = a.optional_array("y")? {
        options = options.with(&more);
    }
    if !a.truth_or("rowvar", true)? {
        options = options.columns();
    }
    if let Some(dtype) = a.optional_dtype("dtype")? {
        options = options.dtype(dtype);
    }
    Ok(options)
}

fn weighted_covariance(a: &Arguments<'_, '_>) -> PyResult<CovarianceOptions> {
    let mut options = covariance(a)?;
    if a.truth_or("bias", false)? {
        options = options.biased();
    }
    if let Some(ddof) = a.given("ddof") {
        let refused = || value_error(Mistake::Value, "ddof must be integer");
        let number = ddof.extract::<f64>();
        let number = number.map_err(|error| for_type_error(a.py(), error, refused))?;
        if number.fract() != 0.0 {
            return Err(refused());
        }
        let ddof = number as i64;
        options = options.ddof(ddof);
    }
    if let Some(weights) = a.optional_array("fweights")? {
        options = options.fweights(&weights);
    }
    if let Some(weights) = a.optional_array("aweights")? {
        options = options.aweights(&weights);
    }
    Ok(options)
}

/// The bins of one axis: their number, a rule, or their edges.
fn bins_of(object: &Bound<'_, PyAny>) -> PyResult<Bins> {
    if let Ok(name) = object.cast::<PyString>() {
        let rule = BinRule::from_name(&name.to_cow()?);
        let refused = || {
            value_error(Mistake::Choice, format!("{name:?} is not a valid estimator for `bins`"))
        };
        return rule.map(Bins::Rule).ok_or_else(refused);
    }
    if is_integer(object)? {
        let count: usize = object.extract().map_err(|_| value_error(Mistake::Value, FEW_BINS))?;
        return if count > 0 {
            Ok(Bins::Count(count))
        } else {
            Err(value_error(Mistake::Value, FEW_BINS))
        };
    }
    if object.is_instance_of::<PyFloat>() {
        return Err(type_error(Mistake::Type, "`bins` must be an integer, a string, or an array"));
    }
    Ok(Bins::Edges(convert::array(object, None)?))
}

const FEW_BINS: &str = "`bins` must be positive, when an integer";

fn bins(a: &Arguments<'_, '_>) -> PyResult<Bins> {
    let bins = a.given("bins").map_or(Ok(Bins::Count(10)), bins_of)?;
    if matches!(bins, Bins::Rule(_)) && a.has("weights") {
        return Err(type_error(
            Mistake::Type,
            "Automated estimation of the number of bins is not supported for weighted data",
        ));
    }
    Ok(bins)
}

/// Bins of several axes: the same for all, or one item for each.
fn bins_of_all(a: &Arguments<'_, '_>, axes: usize) -> PyResult<Vec<Bins>> {
    let Some(object) = a.given("bins") else { return Ok(vec![Bins::Count(10); axes]) };
    if is_integer(object)? {
        return Ok(vec![bins_of(object)?; axes]);
    }
    if object.is_instance_of::<PyString>() && a.name() == "histogram2d" {
        return Err(type_error(Mistake::Type, "`bins` of several axes must be integers or arrays"));
    }
    let items = object.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    if items.len() != axes {
        // One list of edges for both axes, as `histogram2d` accepts it.
        if axes == 2 && a.name() == "histogram2d" && items.len() != 1 {
            return Ok(vec![bins_of(object)?; axes]);
        }
        return Err(value_error(
            Mistake::Value,
            "The dimension of bins must be equal to the dimension of the sample x.",
        ));
    }
    items.iter().map(bins_of).collect()
}

fn range_of(object: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    let (ends, shape) = numbers(object)?;
    match ends.as_slice() {
        &[low, high] => Ok((low, high)),
        _ if shape.is_empty() => Err(type_error(Mistake::Type, "a range is two numbers")),
        _ => Err(value_error(Mistake::Value, "a range is two numbers")),
    }
}

fn options(a: &Arguments<'_, '_>, ranges: &[Option<(f64, f64)>]) -> PyResult<HistogramOptions> {
    let mut options = HistogramOptions::default().ranges(ranges);
    if let Some(weights) = a.optional_array("weights")? {
        options = options.weights(&weights);
    }
    let is_density = a.takes("density") && a.truth_or("density", false)?;
    Ok(if is_density { options.density() } else { options })
}

fn of_one(a: &Arguments<'_, '_>) -> PyResult<HistogramOptions> {
    // With edges, NumPy ignores the range.
    let has_edges = match a.given("bins") {
        Some(bins) => !bins.is_instance_of::<PyString>() && !is_integer(bins)?,
        None => false,
    };
    let range = a.given("range").filter(|_| !has_edges);
    options(a, &[range.map(range_of).transpose()?])
}

fn of_several(a: &Arguments<'_, '_>) -> PyResult<HistogramOptions> {
    let Some(object) = a.given("range") else { return options(a, &[]) };
    let mut ranges = Vec::new();
    for item in object.try_iter()? {
        let item = item?;
        ranges.push(if item.is_none() { None } else { Some(range_of(&item)?) });
    }
    options(a, &ranges)
}

/// The samples of a histogram: the rows of a matrix, or one vector for each axis.
fn samples(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let object = a.object("sample")?;
    let array = a.array("sample")?;
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    Ok(if is_list { array.t() } else { array })
}

fn several(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let samples = samples(a)?;
    let axes = samples.shape().get(1).copied().unwrap_or(1);
    let found = histogramdd(&samples, &bins_of_all(a, axes)?, of_several(a)?);
    Ok(Answer::from(found.map(|(counts, edges)| (counts, Answer::list(edges)))))
}

fn two(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let both: [Bins; 2] = bins_of_all(a, 2)?
        .try_into()
        .map_err(|_| value_error(Mistake::Together, "bins of two axes are two"))?;
    Ok(histogram2d(&a.array("x")?, &a.array("y")?, both, of_several(a)?).into())
}

functions! { FUNCTIONS, a =>
    "median(a, axis=None, out=None, overwrite_input=False, keepdims=False)",
    "The median of the elements along axes.":
    a.written_out(median(&a.array("a")?, a.axes_and_out()?));

    "nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False)",
    "The median along axes of the elements that are not NaN.":
    a.written_out(nanmedian(&a.array("a")?, a.axes_and_out()?));

    "quantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', \
     keepdims=False, *, weights=None)",
    "The quantiles of the elements along axes; `q` is from 0 to 1.":
    quantiles(a, |array, q, axes, method| quantile(array, q, axes, method));

    "nanquantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', \
     keepdims=False, *, weights=None)",
    "The quantiles along axes of the elements that are not NaN; `q` is from 0 to 1.":
    quantiles(a, |array, q, axes, method| nanquantile(array, q, axes, method));

    "percentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', \
     keepdims=False, *, weights=None)",
    "The percentiles of the elements along axes; `q` is from 0 to 100.":
    quantiles(a, |array, q, axes, method| percentile_along(array, q, axes, method));

    "nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', \
     keepdims=False, *, weights=None)",
    "The percentiles along axes of the elements that are not NaN; `q` is from 0 to 100.":
    quantiles(a, |array, q, axes, method| nanpercentile(array, q, axes, method));

    "average(a, axis=None, weights=None, returned=False, *, keepdims=False)",
    "The weighted mean over axes; with `returned` also the sum of the weights.":
    {
        let (array, weights) = (a.array("a")?, a.optional_array("weights")?);
        if a.truth_or("returned", false)? {
            Answer::from(average_and_weights(&array, a.axes()?, weights.as_ref()))
        } else {
            Answer::from(average(&array, a.axes()?, weights.as_ref()))
        }
    };

    "cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, \
     dtype=None)",
    "The covariance matrix of variables.":
    cov(&a.array("m")?, weighted_covariance(a)?);

    "corrcoef(x, y=None, rowvar=True, *, dtype=None)",
    "The matrix of the correlation coefficients of variables.":
    corrcoef(&a.array("x")?, covariance(a)?);

    "bincount(x, /, weights=None, minlength=0)",
    "The number of occurrences of each integer from 0 on, or the sum of its weights.":
    {
        let mut array = a.array("x")?;
        // An empty list has a floating-point dtype, but no floating-point element.
        if array.size() == 0 && a.object("x")?.is_instance_of::<PyList>() {
            array = array.astype(DType::I64);
        }
        let weights = a.optional_array("weights")?;
        bincount(&array, weights.as_ref(), a.integer_or("minlength", 0)?)
    };

    "digitize(x, bins, right=False)",
    "The index of the bin of each element; the edges of the bins ascend or descend.":
    digitize(&a.array("x")?, &a.array("bins")?, a.truth_or("right", false)?);

    "histogram(a, bins=10, range=None, density=None, weights=None)",
    "The number of elements in each bin, and the edges of the bins.":
    histogram(&counted(a)?, bins(a)?, of_one(a)?);

    "histogram_bin_edges(a, bins=10, range=None, weights=None)",
    "The edges of the bins of a histogram.":
    histogram_bin_edges(&counted(a)?, bins(a)?, of_one(a)?);

    "histogram2d(x, y, bins=10, range=None, density=None, weights=None)",
    "The number of points in each bin, and the edges along both axes.":
    two(a);

    "histogramdd(sample, bins=10, range=None, density=None, weights=None)",
    "The number of samples in each bin, and the edges along each axis.":
    several(a);
}

/// The elements of a histogram. Bools are counted as integers, with NumPy's warning.
fn counted(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let array = a.array("a")?;
    if array.dtype() == DType::Bool {
        let text = "Converting input from bool to <class 'numpy.uint8'> for compatibility.";
        runtime_warning(a.py(), text, here(a.py()))?;
    }
    Ok(array)
}
