"""Docstrings state every parameter, the result and the errors, and these statements are true."""

import importlib
import inspect
import re

import numpy
import pytest

import phalanx as np
from phalanx import _documentation, _phalanx

from .conftest import device_count

DEVICES = device_count()

MODULES = """
phalanx phalanx.linalg phalanx.fft phalanx.random phalanx.scipy.sparse phalanx.scipy.sparse.linalg
phalanx.scipy.sparse.csgraph
phalanx.fft.config phalanx.x phalanx.x.profiler phalanx.distributed phalanx.testing phalanx.cuda
phalanx.cuda.runtime phalanx.cuda.driver phalanx.cuda.texture phalanx.cuda.compiler
phalanx.cuda.nvtx phalanx.cuda.cub phalanx.cuda.thrust phalanx.x.optimizing phalanx.x.time
phalanx.polynomial
phalanx.polynomial.polynomial phalanx.polynomial.chebyshev
phalanx.polynomial.hermite phalanx.polynomial.hermite_e phalanx.polynomial.laguerre
phalanx.polynomial.legendre phalanx.polynomial.polyutils phalanx.scipy.io phalanx.scipy.ndimage
phalanx.scipy.fft phalanx.scipy.fftpack phalanx.scipy.fftpack.convolve phalanx.scipy.signal
phalanx.scipy.signal.windows phalanx.scipy.special phalanx.scipy.stats phalanx.scipy.interpolate
phalanx.scipy.spatial phalanx.scipy.spatial.distance phalanx.scipy.spatial.transform
phalanx.scipy.cluster.vq phalanx.scipy.cluster.hierarchy phalanx.scipy.linalg
phalanx.scipy.integrate phalanx.scipy.optimize phalanx.scipy.optimize.elementwise
""".split()


def functions():
    """Every function and ufunc, and every method of a class, with a path."""
    for name in MODULES:
        module = importlib.import_module(name)
        # Modules of SciPy make some names when they are first used; elsewhere, these are arrays.
        made = module.__all__ if name.startswith("phalanx.scipy.") else ()
        for own in dict.fromkeys([*vars(module), *made]):
            path, value = f"{name}.{own}", getattr(module, own)
            if own.startswith("_") or not getattr(value, "__module__", name).startswith("phalanx"):
                # NumPy's objects and imported names are documented elsewhere.
                continue
            if inspect.isclass(value):
                for method, function in vars(value).items():
                    function = getattr(function, "__func__", function)
                    if is_function(function) and not method.startswith("_"):
                        yield pytest.param(function, True, id=f"{path}.{method}")
            elif is_function(value):
                yield pytest.param(value, False, id=path)


def is_function(value):
    kinds = (_phalanx.function, _phalanx.ufunc)
    return isinstance(value, kinds) or inspect.isroutine(value)


def parameters(function, is_method):
    """The names of the parameters."""
    text = getattr(function, "__text_signature__", None)
    text = text or str(inspect.signature(function)).partition(" ->")[0]
    names = [part.partition("=")[0] for part in _documentation.split(text[1:-1])]
    has_self = is_method and not isinstance(function, _phalanx.function)
    return {name.lstrip("*") for name in names[has_self:]} - {"/", ""}


def section(text, title):
    """The lines of a section of a docstring."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n\w+\n---|\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1].splitlines() if found else []


def test_functions_are_many():
    assert len(list(functions())) > 700


@pytest.mark.parametrize("function, is_method", list(functions()))
def test_docstring_is_whole(function, is_method):
    text = inspect.cleandoc(function.__doc__)
    lines = [line for line in section(text, "Parameters") if not line.startswith("    ")]
    told = {name.lstrip("*") for line in lines for name in line.partition(" :")[0].split(", ")}
    assert told == parameters(function, is_method)
    assert all(" :" in line for line in lines)
    assert section(text, "Returns") and section(text, "Raises")
    headings = re.findall(r"^(\w+)\n-{3,}$", text, re.MULTILINE)
    assert len(headings) == len(set(headings)), headings


def test_a_function_is_described_once():
    """A row of the tables replaces the sections of a function's own docstring."""
    twice = []
    for one in functions():
        function, _ = one.values
        path = one.id.removeprefix("phalanx.")
        if inspect.isfunction(function) and _documentation.rules(path) is not None:
            source = inspect.getsource(inspect.unwrap(function))
            if "@_documented" in source or re.search(r"^ +Parameters\n +-+$", source, re.MULTILINE):
                twice.append(path)
    assert twice == []


@pytest.mark.parametrize("function", [one.values[0] for one in functions() if isinstance(
    one.values[0], (_phalanx.function, _phalanx.ufunc)
)], ids=repr)
def test_functions_are_documented_as_local_or_collective(function):
    assert re.search(r"Local|Collective", "\n".join(section(function.__doc__, "Notes")))


def x(kind="d", shape=(3, 4)):
    return np.arange(1, numpy.prod(shape) + 1).reshape(shape).astype(kind)


def positive(kind="d"):
    """Matrices of full rank."""
    return (np.eye(3) * 4 + 1).astype(kind)


# Calls of functions on an array of a dtype. The result of each is compared with the tables of the
# docstrings.
CALLS = """
sum(x(k), axis=0)                   sum(x(k))                          nansum(x(k), axis=1)
prod(x(k, (2, 3)), axis=0, keepdims=True)                              nanprod(x(k, (2, 2)))
min(x(k), axis=(0, 1))              max(x(k), axis=-1, keepdims=True)  nanmax(x(k), axis=0)
nanmin(x(k))                        any(x(k), axis=0)                  all(x(k))
count_nonzero(x(k), axis=0)         mean(x(k), axis=1)                 nanmean(x(k))
var(x(k), axis=0)                   std(x(k))                          nanvar(x(k), axis=0)
nanstd(x(k))                        argmin(x(k), axis=0)               argmax(x(k), axis=1)
nanargmin(x(k), axis=0)             median(x(k), axis=0)               nanmedian(x(k))
cumsum(x(k), axis=0)                cumprod(x(k, (4,)))                cumsum(x(k), axis=None)
nancumsum(x(k), axis=1)             nancumprod(x(k, (2,)))           ediff1d(x(k))
sort(x(k), axis=0)                  sort(x(k), axis=None)              argsort(x(k))
argsort(x(k), axis=None)            partition(x(k), 1)                 argpartition(x(k), 1)
isin(x(k), x(k))                    unique_values(x(k))                digitize(x(k, (3,)), [1, 2])
unique_all(x(k))                    unique_counts(x(k))                unique_inverse(x(k))
flatnonzero(x(k))                   nonzero(x(k))                      argwhere(x(k))
union1d(x(k), x(k))                 setdiff1d(x(k), [1])               setxor1d(x(k), x(k))
intersect1d(x(k), x(k))             copy(x(k))                         zeros_like(x(k))
ones_like(x(k), shape=(2,))         empty_like(x(k), dtype="f")        full_like(x(k), 1)
zeros((2, 3))                       ones(4, "f")                       empty((1, 2), "i")
ravel(x(k))                         roll(x(k), 1)                      isreal(x(k))
iscomplex(x(k))                     isneginf(x(k))                     isposinf(x(k))
isclose(x(k), x(k))                 nan_to_num(x(k))                   fix(x(k))
clip(x(k), x(k), x(k))                    packbits(x("B"))                   unpackbits(x("B"))
bartlett(5)                         kaiser(5, 2.0)                     histogram_bin_edges(x(k))
gradient(x(k, (4,)))                trapezoid(x(k), axis=0)            unwrap(x(k))
expand_dims(x(k), 0)                swapaxes(x(k), 0, 1)               diagonal(x(k))
transpose(x(k))                     moveaxis(x(k), 0, 1)               squeeze(x(k))
where(x(k) > 2, x(k), x(k))         take(x(k), [0], axis=1)            repeat(x(k), 2)
tril(x(k))                          triu(x(k))                         diag(x(k, (3,)))
matmul(x(k), x(k).T)                dot(x(k), x(k).T)                  inner(x(k), x(k))
vdot(x(k), x(k))                    outer(x(k), x(k))                  kron(x(k), x(k))
vecdot(x(k), x(k))                  tensordot(x(k), x(k))              trace(x(k))
allclose(x(k), x(k))                array_equal(x(k), x(k))            array_equiv(x(k), 1)
isscalar(1)                         iscomplexobj(x(k))                 ndim(x(k))
size(x(k))                          shape(x(k))                        broadcast_shapes((2, 1), 3)
split(x(k), 3)                      unstack(x(k))                      meshgrid(x(k, (2,)))
broadcast_arrays(x(k), 1)           tril_indices(3)                    array_str(x(k))
base_repr(5)                        polydiv([1.0, 2.0], [1.0])         get_printoptions()
histogram(x(k))                     histogram2d([1.0], [2.0])          fill_diagonal(x(k), 0)
linalg.inv(positive(k))             linalg.det(positive(k))            linalg.cholesky(positive(k))
linalg.eigvalsh(positive(k))        linalg.svdvals(x(k))               linalg.pinv(x(k))
linalg.slogdet(positive(k))         linalg.eigh(positive(k))           linalg.qr(x(k))
linalg.eig(positive(k))
linalg.norm(x(k))                   linalg.cond(positive(k))           linalg.matrix_rank(x(k))
linalg.solve(positive(k), x(k, (3,)))                                  linalg.svd(x(k))
linalg.lstsq(x(k, (4, 3)), x(k, (4,)))                                 linalg.vecdot(x(k), x(k))
fft.fft(x(k))                       fft.ifftn(x(k))                    fft.rfft(x(k))
fft.irfft(x(k))                     fft.fftshift(x(k))                 random.normal(0, 1, (2,))
random.random((2, 3))               random.poisson(3.0, 4)             random.integers(3, size=2)
random.rand(2)                      random.shuffle(x(k))               random.bytes(3)
random.spawn(2)
random.permutation(x(k))  random.permutation(5)  random.permuted(x(k))  random.choice(x(k), 2)
random.choice(5, 2)  random.choice(5, 2, p=[0.2, 0.2, 0.2, 0.2, 0.2])  random.binomial(5, 0.5, 3)
random.gamma(2.0, 1.0, 3)  random.beta(1.0, 2.0, 3)  random.multinomial(5, [0.5, 0.5])
random.dirichlet([1.0, 2.0])  random.multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
random.geometric(0.5, 3)  random.hypergeometric(3, 3, 2, 3)  random.zipf(2.0, 3)
random.vonmises(0.0, 1.0, 3)  random.standard_t(3.0, 3)  random.standard_gamma(3.0, 3)
random.triangular(0.0, 1.0, 2.0, 3)  random.uniform(0.0, 1.0, 3)  sinc(x(k))  i0(x(k))  hanning(5)
average(x(k))  average(x(k), weights=x(k))  quantile(x(k), 0.5)  percentile(x(k), 50, axis=0)
nanquantile(x(k), [0.1, 0.2])  cov(x(k))  corrcoef(x(k))  bincount(x("l", (3,)))
interp(x(k), [0.0, 1.0], [1.0, 2.0])  convolve([1.0, 2.0], [1.0])  correlate([1.0, 2.0], [1.0])
lexsort((x(k, (3,)), x(k, (3,))))  searchsorted(x(k, (3,)), x(k))  extract(x(k) > 2, x(k))
compress([True, False, True], x(k), axis=0)  take_along_axis(x(k), np.zeros((3, 1), int), axis=1)
put(x(k), [0, 1], 9)  put_along_axis(x(k), np.zeros((3, 1), int), 1, axis=1)
putmask(x(k), x(k) > 2, 1)  place(x(k), x(k) > 2, [1, 2])  copyto(x(k), 1)
choose([0, 1], [[1, 2], [3, 4]])  select([x(k) > 2], [x(k)])  piecewise(x(k), [x(k) > 2], [1])
unravel_index([1, 2], (3, 4))  ravel_multi_index(([0, 1], [1, 2]), (3, 4))  ix_([0, 1], [1])
diag_indices(3)  diag_indices_from(positive(k))  tril_indices_from(positive(k))
mask_indices(3, np.triu)  array(x(k))  asarray(x(k))  asarray_chkfinite(x(k))
ascontiguousarray(x(k))  require(x(k))  full((2,), 1)  eye(3)  identity(3)  tri(3)  arange(5)
linspace(0, 1, 5)  logspace(0, 1, 5)  geomspace(1, 2, 5)  indices((2, 3))
fromfunction(np.add, (2, 3))  vander(x(k, (3,)))  frombuffer(b"12345678")  fromiter([1, 2], "d")
fromstring("1,2", sep=",")  diagflat(x(k))  reshape(x(k), (4, 3))  matrix_transpose(x(k))
rollaxis(x(k), 1)  permute_dims(x(k))  broadcast_to(x(k), (2, 3, 4))  atleast_1d(x(k))
atleast_2d(x(k))  fliplr(x(k))  flipud(x(k))  rot90(x(k))  concatenate([x(k), x(k)])
stack([x(k), x(k)])  vstack([x(k), x(k)])  hstack([x(k), x(k)])  dstack([x(k), x(k)])
column_stack([x(k), x(k)])  block([x(k), x(k)])  array_split(x(k), 2)  hsplit(x(k), 2)
vsplit(x(k), 3)  tile(x(k), 2)  resize(x(k), (2, 2))  append(x(k), x(k))  insert(x(k), 1, 5)
delete(x(k), 1)  pad(x(k), 1)  trim_zeros(x(k, (3,)))  astype(x(k), "f")  real(x(k))  imag(x(k))
angle(x(k))  real_if_close(x(k))  round(x(k))  around(x(k), 1)  apply_along_axis(np.sum, 0, x(k))
apply_over_axes(np.sum, x(k), [0])  iterable(x(k))  isrealobj(x(k))  isfortran(x(k))
issubdtype("f", "f")  isdtype(np.dtype("f"), "real floating")  can_cast("b", "i")
may_share_memory(x(k), x(k))  shares_memory(x(k), x(k))  result_type(x(k), 1)
promote_types("b", "i")  min_scalar_type(5)  common_type(x("d"))  mintypecode("df")  typename("d")
binary_repr(5)  array_repr(x(k))  array2string(x(k))  poly([1.0, 2.0])  polyadd([1.0], [1.0, 2.0])
polysub([1.0], [1.0, 2.0])  polymul([1.0], [1.0, 2.0])  polyder([1.0, 2.0])  polyint([1.0, 2.0])
polyval([1.0, 2.0], x(k))  polyfit([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], 1)  roots([1.0, -3.0, 2.0])
matvec(x(k), x(k, (4,)))  vecmat(x(k, (3,)), x(k))  einsum("ij->i", x(k))
cross(x(k, (3,)), x(k, (3,)))  cumulative_sum(x(k), axis=0)  cumulative_prod(x(k, (3,)))
diff(x(k))  sort_complex(x(k))  unique(x(k))  ptp(x(k), axis=0)  linalg.matmul(x(k), x(k).T)
linalg.outer(x(k, (3,)), x(k, (3,)))  linalg.tensordot(x(k), x(k))
linalg.cross(x(k, (3,)), x(k, (3,)))  linalg.trace(x(k))  linalg.diagonal(x(k))
linalg.matrix_transpose(x(k))  linalg.eigvals(positive(k))  linalg.matrix_power(positive(k), 2)
linalg.multi_dot([x(k), x(k).T])  linalg.vector_norm(x(k))  linalg.matrix_norm(x(k))
linalg.tensorinv(positive(k), ind=1)  linalg.tensorsolve(positive(k), x(k, (3,)))  fft.ifft(x(k))
fft.hfft(x(k))  fft.ihfft(x(k))  fft.fft2(x(k))  fft.ifft2(x(k))  fft.fftn(x(k))  fft.rfft2(x(k))
fft.rfftn(x(k))  fft.irfft2(x(k))  fft.irfftn(x(k))  fft.fftfreq(5)  fft.rfftfreq(5)
fft.ifftshift(x(k))
"""

# Functions that record more operations than a window has.
MANY = {"kaiser", "nanmedian", "random.zipf", "random.vonmises"}
FLOATS = {"?": "d", "b": "d", "h": "d", "i": "d", "l": "d"}


def promoted(array):
    return numpy.dtype(FLOATS.get(array.dtype.char, array.dtype.char))


def real(array):
    return numpy.zeros(1, promoted(array)).real.dtype


# The meaning of keys, by NumPy's rules: from the first operand, the keywords, and other operands.
SHAPES = {
    "same": lambda a, given, _: a.shape,
    "square": lambda a, given, _: a.shape,
    "broadcast": lambda a, given, others: numpy.broadcast_shapes(
        a.shape, *map(numpy.shape, others)
    ),
    "reduced": lambda a, given, _: numpy.zeros(a.shape).sum(
        given.get("axis"), keepdims=given.get("keepdims", False)
    ).shape,
    "scanned": lambda a, given, _: (
        (a.size,) if "axis" in given and given["axis"] is None else a.shape
    ),
    "like": lambda a, given, _: given.get("shape", a.shape),
    "0-d": lambda a, given, _: (),
}
DTYPES = {
    "same": lambda a, given: a.dtype,
    "bool": lambda a, given: numpy.dtype(bool),
    "int64": lambda a, given: numpy.dtype("int64"),
    "uint8": lambda a, given: numpy.dtype("uint8"),
    "float64": lambda a, given: numpy.dtype("float64"),
    "given": lambda a, given: numpy.dtype(given.get("dtype", "d")),
    "like": lambda a, given: numpy.dtype(given.get("dtype", a.dtype)),
    "summed": lambda a, given: numpy.zeros(1, a.dtype).sum().dtype,
    "promoted": lambda a, given: a.dtype,
    "mean": lambda a, given: promoted(a),
    "variance": lambda a, given: real(a),
    "floating": lambda a, given: promoted(a),
    "quotient": lambda a, given: promoted(a),
    "real": lambda a, given: real(a),
    "complex": lambda a, given: numpy.result_type(promoted(a), numpy.complex64),
}
KINDS = {
    "ndarray": np.ndarray, "bool": (bool, numpy.bool_), "int": int, "str": str, "bytes": bytes,
    "dict": dict, "dtype": (numpy.dtype, type), "None": type(None),
    "Generator": np.random.Generator,
}


def is_of(result, kind):
    """Whether a result has the type that a docstring states."""
    for one in kind.split(" or "):
        container, of, inner = one.partition(" of ")
        if one.startswith("("):
            parts = one.strip("()").split(", ")
            if isinstance(result, tuple) and len(result) == len(parts):
                return all(map(is_of, result, parts))
        elif of and isinstance(result, {"tuple": tuple, "list": list}[container]):
            return all(is_of(part, inner) for part in result)
        elif one.endswith("Result"):
            return type(result).__name__ == one and all(is_of(part, "ndarray") for part in result)
        elif not of and isinstance(result, KINDS[one]):
            return True
    return False


def calls():
    return [call for call in re.split(r"\n|  +", CALLS) if call]


def test_calls_are_many():
    assert len({call.partition("(")[0] for call in calls()}) >= 250


def prepared(call, kind):
    """The rules and the function of a call, with its arguments."""
    name, _, text = call.partition("(")
    called = []

    def record(*given, **keywords):
        called.append((given, keywords))

    eval(f"record({text}", {"x": x, "positive": positive, "k": kind, "np": np, "record": record})
    function = np
    for part in name.split("."):
        # Methods of generators are called on a generator.
        place = function
        function = getattr(place, part, None) or getattr(np.random.default_rng(1), part)
    return _documentation.rules(name), function, *called[0]


@pytest.mark.parametrize("call", calls())
def test_local_and_collective_functions_are_as_documented(call):
    rules, function, given, keywords = prepared(call, "d")
    # Without a given seed, ranks would have to agree on one.
    np.random.seed(1)
    np.flush()
    # Too many elements to be computed at once.
    recorded = np.hypot(np.arange(3000.0), 5.0)
    function(*given, **keywords)
    # A collective call closes the window, so earlier operations are no longer recorded. On one
    # device it need not, as the few elements of its operands are computed at once.
    is_collective = "hypot" not in recorded.explain()
    if rules.collectivity in ("collective", "collective error"):
        assert is_collective or DEVICES == 1
    elif rules.collectivity in ("local", "local alone", "view"):
        assert not is_collective or call.partition("(")[0] in MANY


@pytest.mark.parametrize("call", calls())
@pytest.mark.parametrize("kind", "?ilfdF")
def test_results_are_as_documented(call, kind):
    rules, function, given, keywords = prepared(call, kind)
    try:
        result = function(*given, **keywords)
    except (TypeError, ValueError, OverflowError) as error:
        # Some dtypes are refused; the docstring must name the class.
        assert type(error).__name__ in {told for told, *_ in rules.errors}, repr(error)
        assert kind in "?F", repr(error)
        return
    assert is_of(result, rules.returns), f"{result!r} is no {rules.returns}"
    if not isinstance(result, np.ndarray):
        return
    first = given[0] if isinstance(given[0], np.ndarray) else None
    if first is None and rules.dtype == "given":
        assert result.dtype == (given[1] if len(given) > 1 else "d")
    if first is None:
        return
    if rules.collectivity == "view":
        assert np.shares_memory(result, first)
    if rules.shape in SHAPES:
        others = [other for other in given[1:] if isinstance(other, np.ndarray)]
        assert result.shape == tuple(SHAPES[rules.shape](first, keywords, others))
    if rules.dtype in DTYPES:
        assert result.dtype == DTYPES[rules.dtype](first, keywords)


def test_dtypes_of_ufuncs_are_as_documented():
    rules = {
        "bool": lambda ufunc, given: numpy.dtype(bool),
        "count": lambda ufunc, given: numpy.dtype("uint8"),
        "promoted": lambda ufunc, given: given,
        "integers": lambda ufunc, given: numpy.dtype("b") if given == "?" else given,
        "modulus": lambda ufunc, given: numpy.zeros(1, given).real.dtype,
        "floating": lambda ufunc, given: numpy.sqrt(numpy.ones(1, given)).dtype,
        "quotient": lambda ufunc, given: promoted(numpy.ones(1, given)),
        "double": lambda ufunc, given: numpy.result_type(given, "d"),
        "exponent": lambda ufunc, given: numpy.sqrt(numpy.ones(1, given)).dtype,
    }
    told = {text: key for key, text in _documentation.LOOPS.items()}
    checked = set()
    for name, ufunc in vars(_phalanx).items():
        if not isinstance(ufunc, _phalanx.ufunc) or name in ("ldexp",):
            continue
        text = " ".join("\n".join(section(ufunc.__doc__, "Returns")).split())
        key = told[re.search(r"Dtype: (.*)\.$", text)[1]]
        for kind in "?bhilfdFD":
            operands = [np.ones(2, kind)] * ufunc.nin
            try:
                result = ufunc(*operands)
            except TypeError:
                continue
            first = result[0] if isinstance(result, tuple) else result
            assert first.dtype == rules[key](ufunc, numpy.dtype(kind)), (name, kind, key)
            checked.add(name)
    assert len(checked) > 90


# Calls that fail. The tables must contain their class and code.
FAILURES = """
sum(x(), axis=2)                    sum(x(), axis=(0, 0))              max(np.zeros(0))
mean(x(), axis=5)                   argmax(np.zeros(0))                argmax(x(), axis=3)
nanargmax(np.full(3, np.nan))       median(x(), axis=2)                cumsum(x(), axis=2)
cumulative_sum(x())                 diff(x(), n=-1)                    diff(np.array(1.0))
gradient(x(shape=(1,)))             bincount([-1])                     digitize([1.0], [1, 3, 2])
sort(x(), axis=2)                   partition(x(), 7)                  lexsort(())
searchsorted(x(), 1)                nonzero(np.array(1))               take(x(), [99])
take_along_axis(x(), np.zeros((1, 1), int), axis=4)                    put(x(), [99], 1)
choose([5], [[1]])                  select([], [])                     unravel_index(99, (3, 4))
ravel_multi_index(([9], [0]), (3, 4))                                  diag_indices_from(x())
asarray_chkfinite([np.nan])         arange(0, 1, 0)                    reshape(x(), (5, 5))
transpose(x(), (0, 0))              swapaxes(x(), 0, 5)                moveaxis(x(), 0, 7)
expand_dims(x(), 9)                 squeeze(x(), axis=0)               broadcast_to(x(), (7, 7))
broadcast_shapes((2,), (3,))        diagonal(x(), 0, 0, 0)             flip(x(), axis=3)
concatenate([])                     concatenate([x(), x(shape=(2, 2))])                stack([])
split(x(), 2)                       unstack(np.array(1.0))             append(x(), [1], axis=0)
delete(x(), 9, axis=0)              roll(x(), 1, axis=4)               matmul(x(), x())
dot(x(), x())                       vdot(x(), x(shape=(2,)))           inner(x(), x(shape=(2,)))
tensordot(x(), x(), ([0], [1]))     einsum("ij->k", x())               cross(x(), x())
trace(x(shape=(3,)))                isclose(x(), x(shape=(2,)))        interp([1.0], [], [])
average(x(), weights=np.zeros((3, 4)))
linalg.inv(np.zeros((2, 2)))        linalg.inv(x())                    linalg.inv(x(shape=(3,)))
linalg.cholesky(-positive())        linalg.det(x())
linalg.solve(positive(), x(shape=(2,)))
linalg.eigvals(np.full((2, 2), np.nan))                                linalg.qr(x(shape=(3,)))
linalg.norm(x(), axis=4)            linalg.matrix_power(x(), 2)        fft.fft(x(), axis=3)
fft.fft(x(), n=0)                   fft.rfft(x("F"))                   fft.fft(x(), norm="other")
random.normal(0, -1)                random.choice(3, 5, replace=False)                 random.integers(0)
random.bytes(-1)                    load("there/is/none.npy")
polyder([1.0], m=-1)                polyval(3, x())                     base_repr(1, 99)
unpackbits(x())                     packbits(x())                      fix(x("F"))
quantile(x(), 2.0)                  percentile(x(), 101)               fromstring("a", sep=",")
"""


def failures():
    return [call for call in re.split(r"\n|  +", FAILURES) if call]


@pytest.mark.parametrize("call", failures())
def test_errors_are_as_documented(call):
    name = call.partition("(")[0]
    names = {"x": x, "positive": positive, "np": np}
    with pytest.raises(Exception) as caught:
        place = "np.random.default_rng(1)." if name == "random.integers" else "np."
        result = eval(place + (call if place == "np." else call.partition(".")[2]), names)
        np.evaluate(*([result] if isinstance(result, np.ndarray) else []))
    told = {(kind, code) for kind, code, _ in _documentation.rules(name).errors}
    codes = {code for _, code in told}
    kinds = {kind for kind, _ in told}
    error = caught.value
    classes = {one.__name__ for one in type(error).__mro__}
    assert kinds & classes, f"{error!r} is none of {kinds}"
    # Mistakes found before the operation have codes of the Python module.
    if hasattr(error, "code") and not re.match("PX1[45]", error.code):
        assert error.code in codes, f"{error.code} is none of {codes}: {error}"
