"""Writes which names resolve in Python: python python/resolve_names.py [FILE].

The names are those of tests/api/cupy_api.tsv, looked up in the module itself. `cargo xtask docs`
makes docs/coverage.md of the table.
"""

import importlib
import pathlib
import re
import sys

import phalanx

FOLDER = pathlib.Path(__file__).parent.parent / "tests" / "api"
# Where the names of an area are looked up, in turn: the longest prefix of the area counts.
PLACES = {
    "numpy": ["phalanx"],
    "scipy": ["phalanx.scipy"],
    "cupy": ["phalanx", "phalanx.cuda", "phalanx.x"],
    "cupy.cuda.device": ["phalanx.cuda"],
    "cupy.cuda.memory": ["phalanx.cuda", "phalanx.cuda.memory"],
    "cupy.cuda.pinned_memory": ["phalanx.cuda", "phalanx.cuda.pinned_memory"],
    "cupyx": ["phalanx.x", "phalanx"],
    "cupyx.distributed": ["phalanx.distributed"],
    "cupyx.distributed.array.DistributedArray": ["phalanx.ndarray"],
    "cupyx.profiler": ["phalanx.x.profiler"],
    "cupyx.scipy": ["phalanx.x.scipy"],
    "array_api": ["phalanx"],
    "array_api.array": ["phalanx.ndarray"],
}
# Objects of classes, for what only these have.
OBJECTS = {
    "phalanx.ndarray": lambda: phalanx.arange(4.0).reshape(2, 2),
    "phalanx.ufunc": lambda: phalanx.add,
    "phalanx.flatiter": lambda: phalanx.arange(4).flat,
    "phalanx.RawKernel": lambda: phalanx.RawKernel("", "k"),
    "phalanx.RawModule": lambda: phalanx.RawModule(code=""),
    "phalanx.cuda.Stream": lambda: phalanx.cuda.Stream(),
    "phalanx.cuda.Device": lambda: phalanx.cuda.Device(),
    "phalanx.broadcast": lambda: phalanx.broadcast(phalanx.arange(3), phalanx.arange(3)),
    "phalanx.poly1d": lambda: phalanx.poly1d([1.0, 2.0]),
    "phalanx.finfo": lambda: phalanx.finfo("float64"),
    "phalanx.iinfo": lambda: phalanx.iinfo("int64"),
    "phalanx.random.SeedSequence": lambda: phalanx.random.SeedSequence(1),
    "phalanx.random.Generator": lambda: phalanx.random.default_rng(1),
    "phalanx.random.RandomState": lambda: phalanx.random.RandomState(1),
    "array_api.info": phalanx.__array_namespace_info__,
    "phalanx.scipy.spatial.KDTree": lambda: phalanx.scipy.spatial.KDTree(phalanx.ones((4, 2))),
}
for _generator in ("BitGenerator", "PCG64", "PCG64DXSM", "Philox"):
    OBJECTS[f"phalanx.random.{_generator}"] = getattr(phalanx.random, _generator)
# Why members are not there, where the class has no place to say it.
_REASONS = {
    "ntypes types resolve_dtypes signature": "see result_type",
}
REASONS = {name: reason for names, reason in _REASONS.items() for name in names.split()}


class Absent(Exception):
    """A name that is not there: the reason, if one is given."""


def reason_of(error, name):
    """The module's reason for the absence of a name, from its error."""
    return str(error).partition(f"'{name}': ")[2]


def found(path):
    """The object at a path from the module."""
    first, *rest = path.split(".")
    place, at = importlib.import_module(first), first
    for name in rest:
        at += f".{name}"
        try:
            place = getattr(place, name)
        except AttributeError as error:
            try:
                place = importlib.import_module(at)
            except ImportError:
                raise Absent(reason_of(error, name)) from None
    return place


def member(path, name):
    """The path of a name of a module, of a class or of its objects."""
    # Attributes of a class are not asked for their values, which may need a GPU.
    is_class = path.startswith("phalanx.") and hasattr(found(path), name)
    if path not in OBJECTS or is_class:
        found(f"{path}.{name}")
    else:
        try:
            getattr(OBJECTS[path](), name)
        except AttributeError as error:
            raise Absent(reason_of(error, name) or REASONS.get(name, "")) from None
    return f"{path}.{name}"


def places(area):
    """The paths at which the names of an area are looked up."""
    if area == "array_api.info":
        return [area]
    prefix = max((one for one in PLACES if f"{area}.".startswith(f"{one}.")), key=len)
    return [place + area[len(prefix):] for place in PLACES[prefix]]


def resolved(area, name):
    """Where a name is, and if nowhere, why."""
    reasons = []
    for place in places(area):
        try:
            return member(place, name), ""
        except Absent as error:
            # The code and the hint are those of the error, not of the name.
            reasons.append(re.sub(r" \[PX\d+\]$", "", str(error).split("\n")[0]))
    return "-", next(filter(None, reasons), "")


def table():
    """The rows of the table: area, name, where it is, why it is not."""
    lines = (FOLDER / "cupy_api.tsv").read_text().splitlines()[1:]
    rows = ["area\tname\twhere\treason"]
    for area, name, *_ in (line.split("\t") for line in lines):
        rows.append("\t".join([area, name, *resolved(area, name)]))
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "python_names.tsv"
    target.write_text(table())
