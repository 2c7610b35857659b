"""The example programs for images and signals."""

from .test_kernel_examples import example


def test_count_cells():
    assert example("count_cells").main(side=192, cells=25) == 25


def test_spectrogram():
    # A bin of the spectra is 7.8 Hz wide.
    assert example("spectrogram").main(seconds=4.0) < 40.0
