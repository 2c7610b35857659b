"""The examples with sparse matrices, small, against NumPy."""

import numpy

from .test_kernel_examples import example


def test_page_rank():
    found = example("page_rank").main(pages=300, count=3000)
    links = found["matrix"].toarray().get()
    out = links.sum(axis=0)
    step = numpy.where(out > 0, links / numpy.maximum(out, 1), 1 / 300)
    matrix = 0.85 * step + 0.15 / 300
    values, vectors = numpy.linalg.eig(matrix)
    expected = vectors[:, numpy.argmax(abs(values))].real
    numpy.testing.assert_allclose(
        found["ranks"].get(), expected / expected.sum(), rtol=1e-8, atol=1e-12
    )


def test_spectral_clustering():
    found = example("spectral_clustering").main(count=200)
    ring, cluster = found["ring"].get(), found["cluster"].get()
    equal = (ring == cluster).sum()
    assert max(equal, 200 - equal) == 200


def test_poisson_with_multigrid():
    found = example("poisson_multigrid").main(side=20)
    assert float(found["residual"]) < 2e-8
    assert len(found["levels"]) >= 2 and 2 * found["steps"] < found["plain"]
