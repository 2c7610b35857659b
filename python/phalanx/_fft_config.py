"""CuPy's ``cupy.fft.config``: settings for plans of cuFFT.

Transforms here have no plans of their own: the session caches plans of whole programs, without a
limit that a program sets. The settings are stored and returned, and have no other effect, except
for callbacks.
"""

from ._fft_callbacks import get_current_callback_manager as get_current_callback_manager
from ._fft_callbacks import set_cufft_callbacks as set_cufft_callbacks
from ._phalanx import _refusal

enable_nd_planning = True
use_multi_gpus = False


class PlanCache:
    """The settings of a cache that holds no plans."""

    def __init__(self):
        self._size = 16
        self._memory = -1

    def get_size(self):
        """The number of plans that the cache may hold.

        Returns
        -------
        int

        Raises
        ------
        None
            Nothing is raised.
        """
        return self._size

    def set_size(self, size):
        """Stores the number of plans that the cache may hold; -1 for any number.

        Parameters
        ----------
        size : int
            The number of plans; -1 for any number.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            The number is less than -1.
        """
        self._size = _limit(size)

    def get_memsize(self):
        """The number of bytes that its plans may need.

        Returns
        -------
        int

        Raises
        ------
        None
            Nothing is raised.
        """
        return self._memory

    def set_memsize(self, memsize):
        """Stores the number of bytes that its plans may need; -1 for any number.

        Parameters
        ----------
        memsize : int
            The number of bytes; -1 for any number.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            The number is less than -1.
        """
        self._memory = _limit(memsize)

    def get_curr_size(self):
        """The number of plans that it holds: none.

        Returns
        -------
        int
            0.

        Raises
        ------
        None
            Nothing is raised.
        """
        return 0

    def get_curr_memsize(self):
        """The number of bytes that its plans need: none.

        Returns
        -------
        int
            0.

        Raises
        ------
        None
            Nothing is raised.
        """
        return 0

    def clear(self):
        """Does nothing: the cache holds no plans.

        Returns
        -------
        None

        Raises
        ------
        None
            Nothing is raised.
        """

    def show_info(self):
        """Prints the settings.

        Returns
        -------
        None

        Raises
        ------
        None
            Nothing is raised.
        """
        print(self)

    def __repr__(self):
        size, memory = ("unlimited" if n < 0 else n for n in (self._size, self._memory))
        return f"plan cache: 0 of {size} plans, 0 of {memory} bytes"


def _limit(number):
    import operator

    number = operator.index(number)
    if number < -1:
        raise _refusal(ValueError, "value", f"a limit is -1 or a number from 0 on, not {number}")
    return number


_cache = PlanCache()


def get_plan_cache():
    """The settings of the cache.

    Returns
    -------
    PlanCache

    Raises
    ------
    None
        Nothing is raised.
    """
    return _cache


def get_plan_cache_size():
    """The number of plans that the cache may hold.

    Returns
    -------
    int

    Raises
    ------
    None
        Nothing is raised.
    """
    return _cache.get_size()


def set_plan_cache_size(size):
    """Stores the number of plans that the cache may hold.

    Parameters
    ----------
    size : int
        The number of plans; -1 for any number.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        The number is less than -1.
    """
    _cache.set_size(size)


def get_plan_cache_max_memsize():
    """The number of bytes that the plans of the cache may need.

    Returns
    -------
    int

    Raises
    ------
    None
        Nothing is raised.
    """
    return _cache.get_memsize()


def set_plan_cache_max_memsize(size):
    """Stores the number of bytes that the plans of the cache may need.

    Parameters
    ----------
    size : int
        The number of bytes; -1 for any number.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        The number is less than -1.
    """
    _cache.set_memsize(size)


def clear_plan_cache():
    """Does nothing: the cache holds no plans.

    Returns
    -------
    None

    Raises
    ------
    None
        Nothing is raised.
    """


def show_plan_cache_info():
    """Prints the settings of the cache.

    Returns
    -------
    None

    Raises
    ------
    None
        Nothing is raised.
    """
    _cache.show_info()


def set_cufft_gpus(gpus):
    """Does nothing: transforms run on all devices of the session.

    Parameters
    ----------
    gpus : int or sequence of int
        Without effect.

    Returns
    -------
    None

    Raises
    ------
    None
        Nothing is raised.
    """
