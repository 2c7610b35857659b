"""NumPy's exceptions, which are also ours."""


def __getattr__(name):
    import numpy.exceptions

    return getattr(numpy.exceptions, name)


def __dir__():
    import numpy.exceptions

    return dir(numpy.exceptions)
