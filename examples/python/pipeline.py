"""A data-parallel pipeline: observations in files, statistics and training over all processes.

    python -m phalanx run -n 4 pipeline.py [FOLDER]

Each process takes its share of a folder of .npy and .npz files and works with arrays of its own. It
reads the next file while it works on the current one. Then all processes compute a global mean,
covariance and histogram, and train a linear model by mini-batches whose gradients are summed over
all processes. A file that cannot be read is an error on every process, which names the file. The
results are the same for any number of processes, except for the order of sums. Without FOLDER the
program generates observations.
"""

import concurrent.futures
import pathlib
import sys
import tempfile

import numpy
import phalanx as np
import phalanx.distributed

FEATURES, FILES, ROUNDS, RATE = 5, 12, 60, 0.2


def make_observations(folder):
    """Files of observations: features and, in the last column, a target."""
    generator = numpy.random.default_rng(7)
    for number in range(FILES):
        features = generator.normal(size=(40 + 7 * number, FEATURES))
        target = features @ numpy.arange(1.0, FEATURES + 1) + 0.5
        rows = numpy.column_stack([features, target])
        if number % 3 == 0:
            numpy.savez(folder / f"{number:03}.npz", rows=rows)
        else:
            numpy.save(folder / f"{number:03}.npy", rows)


def read(path):
    """The rows of a file."""
    try:
        loaded = numpy.load(path)
        rows = loaded["rows"] if path.suffix == ".npz" else loaded
        if rows.ndim != 2 or rows.shape[1] != FEATURES + 1:
            raise ValueError(f"its shape is {rows.shape}")
        return rows
    except Exception as error:
        raise RuntimeError(f"{path.name} cannot be used: {error}") from error


def prefetched(paths):
    """The rows of the files in turn. The next file is read while the caller uses this one."""
    with concurrent.futures.ThreadPoolExecutor(1) as reader:
        upcoming = reader.submit(read, paths[0]) if paths else None
        for following in [*paths[1:], None] if paths else []:
            rows = upcoming.result()
            upcoming = following and reader.submit(read, following)
            yield rows


def process_share(paths):
    """The observations of this process, whose features are limited to an interval."""
    parts = []
    with np.local():
        for rows in prefetched(paths):
            array = np.asarray(rows)
            bounded = np.clip(array[:, :FEATURES], -2.5, 2.5)
            parts.append(np.concatenate([bounded, array[:, FEATURES:]], axis=1).get())
    return numpy.concatenate(parts) if parts else numpy.empty((0, FEATURES + 1))


def main(folder):
    rank, size = np.rank(), np.size()
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".npy", ".npz"))
    # Neighbouring files go to one process, so that the rows keep their order.
    share = paths[rank * len(paths) // size : (rank + 1) * len(paths) // size]
    own, failure = None, None
    try:
        own = process_share(share)
    except RuntimeError as error:
        failure = error
    phalanx.distributed.agree(failure)

    rows = np.from_local(own)
    features, target = rows[:, :FEATURES], rows[:, FEATURES]
    mean = features.mean(axis=0)
    centred = features - mean
    covariance = centred.T @ centred / (len(rows) - 1)
    counts, _ = np.histogram(features, bins=6, range=(-3.0, 3.0))

    group = phalanx.distributed.init_process_group()
    weights = numpy.zeros(FEATURES + 1)
    design = numpy.column_stack([own[:, :FEATURES], numpy.ones(len(own))])
    first = int(row_counts(group, len(own))[:rank].sum())
    for step in range(ROUNDS):
        # A third of all rows, by their global number: the batches do not depend on the processes.
        chosen = (numpy.arange(first, first + len(own)) + step) % 3 == 0
        batch, wanted = design[chosen], own[chosen, FEATURES]
        gradient = numpy.append(batch.T @ (batch @ weights - wanted), len(batch))
        total = numpy.empty_like(gradient)
        group.all_reduce(gradient, total)
        weights -= RATE * total[:-1] / total[-1]

    np.print(f"{len(rows)} observations in {len(paths)} files")
    np.print("mean", " ".join(f"{value:.9f}" for value in mean.tolist()))
    np.print("variance", " ".join(f"{value:.9f}" for value in np.diag(covariance).tolist()))
    np.print("histogram", counts.tolist())
    np.print("weights", " ".join(f"{value:.6f}" for value in weights))
    np.print(f"largest target {float(target.max()):.9f}")


def row_counts(group, own):
    """The number of rows of each process."""
    counts = numpy.empty(group.size, dtype=numpy.int64)
    group.all_gather(numpy.array([own]), counts)
    return counts


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(pathlib.Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            make_observations(pathlib.Path(made))
            main(pathlib.Path(made))
