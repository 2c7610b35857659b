"""Floating-point errors: which occur, and how they are handled."""

import threading
import warnings

import numpy
import pytest

import phalanx as np

from . import worlds

# Errors that NumPy reports, with the same words and bits.
CASES = {
    "divide": lambda np: np.asarray([1.0, 0.0]) / 0,
    "log": lambda np: np.log(np.asarray([0.0, -1.0])),
    "overflow": lambda np: np.asarray([1e308, 1.0]) * np.asarray(10.0),
    "infinite scalar": lambda np: np.asarray([1.0]) * float("inf"),
    "power of zero": lambda np: np.asarray([0.0, 2.0]) ** -1.0,
    "large power": lambda np: np.asarray([10.0]) ** 400.0,
    "power of zeros": lambda np: np.float_power(np.asarray([3, 0]), np.asarray([2, -1])),
    "large quotient": lambda np: np.asarray([1e308, 1.0]) / np.asarray([1e-10, 0.0]),
    "large quotient of a number": lambda np: np.asarray([1e308]) / 1e-10,
    "large inverse": lambda np: np.reciprocal(np.asarray([1e-310, 0.0])),
    "large floor": lambda np: np.floor_divide(np.asarray([1e308, 4.0]), np.asarray([1e-10, 3.0])),
    "large divmod": lambda np: np.divmod(np.asarray([1e308]), 1e-10),
    "small powers": lambda np: np.asarray([1e-200]) ** -2.0,
    "floor divide": lambda np: np.asarray([3, 4]) // 0,
    "remainder": lambda np: np.asarray([3, 4]) % np.asarray([0, 3]),
    "divmod of integers": lambda np: np.divmod(np.asarray([3, 4]), 0),
    "divmod": lambda np: divmod(np.asarray([3.0, 0.0]), 0.0),
    "modf": lambda np: np.modf(np.asarray([float("inf"), 1.5])),
    "frexp": lambda np: np.frexp(np.asarray([float("inf"), 1.5])),
    "sum": lambda np: np.asarray([1e308, 1e308]).sum(),
    "sum along": lambda np: np.asarray([[1e308, 1e308], [float("inf"), 1.0]]).sum(axis=1),
    "mean": lambda np: np.mean(np.asarray([1e308, 1e308])),
    "prod": lambda np: np.prod(np.asarray([1e200, 1e200])),
    "max": lambda np: np.max(np.asarray([1e308, float("inf")])),
    "infinite sum": lambda np: np.sum(np.asarray([float("inf"), -float("inf")])),
    "reduce": lambda np: np.add.reduce(np.asarray([1e308, 1e308])),
    "cumsum": lambda np: np.cumsum(np.asarray([1e308, 1e308])),
    "accumulate": lambda np: np.multiply.accumulate(np.asarray([1e200, 1e200])),
    "float32": lambda np: np.asarray([1e300, 1.0]).astype("float32"),
    "int32": lambda np: np.asarray([float("nan"), 1e30]).astype("int32"),
    "fitting int32": lambda np: np.asarray([2147483647.5, -2147483648.9]).astype("int32"),
    "nothing": lambda np: np.sqrt(np.asarray([1.0, 4.0])) + 1,
    "empty": lambda np: np.asarray([], dtype=int) // 0,
}


def _met(module, case, mode="call"):
    met = []
    with module.errstate(all=mode, under="ignore", call=lambda *told: met.append(told)):
        CASES[case](module)
    return met


@pytest.mark.parametrize("case", CASES)
def test_errors_are_those_of_numpy(case):
    assert _met(np, case) == sorted(set(_met(numpy, case)), key=lambda told: told[0])


@pytest.mark.parametrize("case", ["divide", "sum", "cumsum", "int32", "floor divide", "divmod"])
def test_warnings_are_those_of_numpy(case):
    def texts(module):
        with warnings.catch_warnings(record=True) as caught, module.errstate(all="warn"):
            warnings.simplefilter("always")
            # The `with` block of `errstate` ends inside of the other `with` block.
            with module.errstate():
                CASES[case](module)
        return sorted({str(warning.message) for warning in caught})

    assert texts(np) == texts(numpy)


def test_an_error_is_raised_where_a_value_is_observed():
    with np.errstate(divide="raise"):
        x = 1 / np.zeros(3)
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            x.tolist()
        # The error has been reported already.
        assert x.tolist() == [float("inf")] * 3


def test_print_and_log():
    class Log:
        lines = []

        def write(self, text):
            self.lines.append(text)

    def work(module):
        with module.errstate(all="log", call=Log()):
            module.asarray([1.0]) / 0
        lines = Log.lines[:]
        Log.lines.clear()
        return lines

    assert work(np) == work(numpy) == ["Warning: divide by zero encountered in divide\n"]
    program = """
        import sys
        np = __import__(sys.argv[1])
        with np.errstate(all="print"):
            np.asarray([1.0]) / 0
    """
    told = [worlds.run(program, module).stderr for module in ("phalanx", "numpy")]
    assert told[0] == told[1] == "Warning: divide by zero encountered in divide\n"


def test_state_is_set_and_asked_for():
    quiet = dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
    assert np.geterr() == quiet
    assert np.geterrcall() is None
    before = np.seterr(all="raise", over="call")
    try:
        assert before == quiet
        assert np.geterr() == dict(quiet, divide="raise", over="call", under="raise",
                                   invalid="raise")
        with pytest.raises(FloatingPointError):
            float((1 / np.zeros(3)).sum())
        met = []
        assert np.seterrcall(lambda *told: met.append(told)) is None
        float((np.asarray([1e308]) * 10)[0])
        assert met == [("overflow", 2)]
        assert np.seterrcall(None) is not None
    finally:
        np.seterr(**before)
    assert np.geterr() == quiet


def test_wrong_states_are_refused():
    for wrong in ({"all": "loud"}, {"divide": 3}):
        for refuse in (np.seterr, np.errstate):
            with pytest.raises(ValueError, match="invalid error mode"):
                refuse(**wrong)
    with pytest.raises(TypeError):
        np.errstate(devide="warn")
    with pytest.raises(TypeError, match="must be callable"):
        np.seterrcall(3)
    for mode in ("call", "log"):
        with pytest.raises(NameError):
            with np.errstate(all=mode):
                1 / np.zeros(3)


def test_exceptions_of_a_callback_are_raised():
    def refuse(words, bits):
        raise KeyError(words)

    with pytest.raises(KeyError):
        with np.errstate(all="call", call=refuse):
            1 / np.zeros(3)
    assert np.geterrcall() is None and np.geterr()["divide"] == "ignore"


def test_a_decorator():
    @np.errstate(divide="raise")
    def divide(x, depth=2):
        """Divides."""
        return divide(x, depth - 1) if depth else 1 / x

    assert (divide.__name__, divide.__doc__) == ("divide", "Divides.")
    with pytest.raises(FloatingPointError):
        divide(np.zeros(3))
    assert divide(np.ones(3)).tolist() == [1.0] * 3
    assert (1 / np.zeros(1)).tolist() == [float("inf")]


@pytest.mark.one_process("threads record")
def test_blocks_of_other_threads():
    """Context objects may be used and dropped in any thread; a `with` block ends in the thread that
    entered it."""
    for make in (lambda: np.errstate(all="raise"), np.deferred_errors, np.local):
        block, outcomes = make(), []

        def elsewhere():
            try:
                block.__exit__(None, None, None)
            except RuntimeError as error:
                outcomes.append(str(error))
            with block:
                outcomes.append(float(np.arange(3.0).sum()))

        with block:
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
        assert outcomes[1:] == [3.0], outcomes
        assert "ends on the thread that entered it" in outcomes[0]
        with pytest.raises(RuntimeError, match="was not entered"):
            block.__exit__(None, None, None)

        def forget():
            make().__enter__()

        # A thread ends inside of a `with` block, and another thread drops the objects.
        thread = threading.Thread(target=forget)
        thread.start()
        thread.join()
        boxes = [make()]
        thread = threading.Thread(target=boxes.clear)
        thread.start()
        thread.join()
    assert not np.geterr()["divide"] == "raise"
    assert float(np.arange(3.0).sum()) == 3.0


def test_blocks_that_end_in_another_order():
    outer, inner = np.errstate(divide="raise"), np.local()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert np.geterr()["divide"] == "ignore"
    inner.__exit__(None, None, None)
    total = np.arange(3.0) + np.ones(3)
    assert total.tolist() == [1.0, 2.0, 3.0]


def test_processes_that_differ():
    ended = worlds.run(
        """
        import phalanx as np
        x = np.zeros(100000)
        np.seterr(divide="raise")
        total = (1 / (x + 1)).sum()
        print("one", float(total))
        broken = (1 / x).max()
        try:
            float(broken)
        except FloatingPointError as error:
            print("two", str(error).splitlines()[0])
        def callback(words, bits):
            if np.rank() == 1:
                raise KeyError(words)
        try:
            with np.errstate(divide="call", call=callback):
                1 / x
        except Exception as error:
            print("three", type(error).__name__, "divide by zero" in str(error), flush=True)
        """,
        processes=2,
        check=False,
    )
    assert ended.returncode == 1
    lines = sorted(line.split("] ")[-1] for line in ended.stdout.splitlines())
    assert lines == ["one 100000.0"] * 2 + ["three KeyError True", "three RuntimeError True"] + [
        "two divide by zero encountered in divide [PX155]"
    ] * 2


def test_a_first_state_begins_no_session():
    worlds.run("import phalanx as np\nnp.seterr(all='ignore')\nnp.init(devices=2)\n")


def test_errors_of_one_mesh_do_not_delay_another():
    ended = worlds.run(
        """
        import warnings
        import phalanx as np
        warnings.simplefilter("always")
        np.seterr(divide="warn")
        with np.local():
            lost = np.ones(3) / np.zeros(3)
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            np.asarray([1.0]).__truediv__(np.zeros(1)).tolist()
        print(len(met))
        """,
        processes=1,
    )
    assert ended.stdout.split() == ["1"]


def test_the_end_of_a_session_reports_pending_errors():
    ended = worlds.run(
        """
        import phalanx as np
        np.seterr(divide="raise")
        quotient = np.ones(3) / np.zeros(3)
        try:
            np.shutdown()
        except FloatingPointError as error:
            print("divide by zero" in str(error))
        np.seterr(divide="ignore")
        np.init()
        np.seterr(divide="raise")
        try:
            (np.ones(2) / np.zeros(2)).tolist()
        except FloatingPointError:
            print("again")
        np.seterr(all="ignore")
        """,
        processes=1,
    )
    assert ended.stdout.split() == ["True", "again"]


def test_elements_outside_of_a_mask_meet_nothing():
    x, y = np.asarray([1.0, 2.0]), np.asarray([0.0, 4.0])
    with np.errstate(all="raise"):
        out = np.zeros(2)
        np.divide(x, y, out=out, where=y != 0)
        assert out.tolist() == [0.0, 0.5]
        assert np.sum(np.asarray([numpy.inf, 1.0]), where=np.asarray([False, True])).item() == 1.0
        assert np.sum(x, initial=numpy.inf).item() == numpy.inf
        assert numpy.isnan(np.max(x, initial=numpy.nan).item())
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        np.sum(np.asarray([1e308, 1e308, numpy.inf]), where=np.asarray([True, True, False]))


def test_a_call_that_is_refused_meets_nothing_and_writes_nothing():
    x, zero = np.asarray([7.0]), np.asarray([0.0])
    with np.errstate(all="raise"):
        with pytest.raises(TypeError):
            np.divide(x, zero, out=np.zeros(1, int))
        first = np.zeros(1)
        with pytest.raises(TypeError, match="output 1"):
            np.divmod(x, np.asarray([2.0]), out=(first, np.zeros(1, int)))
        assert first.tolist() == [0.0]


def test_warnings_from_before_an_error_are_given_first():
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        with pytest.raises(FloatingPointError, match="invalid"):
            with np.errstate(divide="warn", invalid="raise"):
                np.asarray([1.0]) / np.asarray([0.0])
                np.asarray([0.0]) / np.asarray([0.0])
    assert [str(one.message) for one in met] == ["divide by zero encountered in divide"]


@pytest.mark.parametrize("call, words", [
    (lambda: np.divide.reduce(np.asarray([1.0, 0.0, 1.0])), "divide by zero encountered in reduce"),
    (lambda: np.var(np.asarray([1.0, 2.0]), ddof=2), "divide by zero encountered in reduce"),
    (lambda: np.divide.outer(np.ones(2), np.zeros(2)), "divide by zero encountered in divide"),
    (lambda: np.zeros(2, "f4").__setitem__(slice(None), np.asarray([1e300, 1.0])), "overflow encountered in cast"),
    (lambda: np.add.reduceat(np.asarray([1e308, 1e308, 1.0]), [0, 2]), "overflow encountered in reduceat"),
])
def test_names_and_kinds_are_those_of_numpy(call, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(FloatingPointError, match=words), np.errstate(all="raise"):
            call()


def test_lists_are_cast_by_our_modes():
    for cast in (
        lambda m: m.array([1e300], "float32"),
        lambda m: m.insert(m.ones(2, "float32"), 0, 1e300),
        lambda m: m.full_like(m.ones(2, "float32"), [1e300, 1]),
    ):
        for module in (np, numpy):
            with module.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
                # The elements of a list that a device casts are known when they are read.
                cast(module).tolist()
            with module.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("error")
                assert cast(module)[0] == numpy.inf


def test_casts_of_copies_and_joins_are_checked():
    for cast in (
        lambda m: m.copyto(m.ones(2, "float32"), m.array([1e300, 1])),
        lambda m: m.concatenate([m.array([1e300])], dtype="float32", casting="same_kind"),
        lambda m: m.stack([m.array([1e300])], dtype="float32"),
    ):
        for module in (np, numpy):
            with pytest.raises(FloatingPointError, match="overflow encountered in cast"):
                with module.errstate(all="raise"):
                    cast(module)
