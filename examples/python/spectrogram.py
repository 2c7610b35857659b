"""The spectrogram of a long recording: a rising tone, a pulse and noise.

    python examples/python/spectrogram.py [PICTURE.png]

The recording is made, filtered and transformed on the devices; only the averaged spectrogram comes
to the host. With an argument, it is written as a picture (matplotlib).
"""

import sys

import numpy

import phalanx as np
from phalanx.scipy import signal


def recorded(seconds, rate):
    """A tone that rises from 100 Hz to a quarter of the rate, 50 Hz hum and noise."""
    count = int(seconds * rate)
    time = np.arange(count) / rate
    tone = signal.chirp(time, f0=100.0, t1=seconds, f1=rate / 4)
    hum = 2.0 * np.sin(2 * np.pi * 50.0 * time)
    noise = np.random.default_rng(0).standard_normal(count)
    return tone + hum + 0.2 * noise


def main(picture=None, seconds=20.0, rate=8000.0):
    """Finds the tone in the recording; returns how far it is from where it should be, in Hz."""
    sound = recorded(seconds, rate)
    sections = signal.butter(4, 80.0, "highpass", fs=rate, output="sos")
    clean = signal.sosfilt(sections, sound)
    frequencies, times, power = signal.spectrogram(clean, fs=rate, nperseg=1024, noverlap=512)
    strongest = np.asnumpy(frequencies)[np.asnumpy(power.argmax(axis=0))]
    times = np.asnumpy(times)
    expected = 100.0 + (rate / 4 - 100.0) * times / seconds
    error = float(numpy.median(numpy.abs(strongest - expected)))
    print(f"{power.shape[1]} spectra; the tone is found within {error:.1f} Hz")
    if picture is not None:
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(8, 4), layout="constrained")
        shown = 10 * numpy.log10(np.asnumpy(power) + 1e-12)
        axes.pcolormesh(times, np.asnumpy(frequencies), shown, vmin=-80, shading="auto")
        axes.set(xlabel="seconds", ylabel="Hz")
        figure.savefig(picture)
    return error


if __name__ == "__main__":
    main(*sys.argv[1:2])
