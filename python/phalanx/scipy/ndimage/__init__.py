"""Images of any number of axes: names of ``scipy.ndimage``.

Images stay on their devices, split as they are. Filters exchange the elements at the borders of
blocks; the few functions that run on the host say so.
"""

import types as _types

from .._arguments import beside as _beside
from ._distance import distance_transform_bf, distance_transform_cdt, distance_transform_edt
from ._filters import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    maximum_filter,
    maximum_filter1d,
    median_filter,
    minimum_filter,
    minimum_filter1d,
    percentile_filter,
    rank_filter,
    uniform_filter,
    uniform_filter1d,
)
from ._fourier import fourier_ellipsoid, fourier_gaussian, fourier_shift, fourier_uniform
from ._gaussian import (
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
    generic_gradient_magnitude,
    generic_laplace,
    laplace,
    prewitt,
    sobel,
)
from ._generic import generic_filter, generic_filter1d, vectorized_filter
from ._grey import (
    black_tophat,
    grey_closing,
    grey_dilation,
    grey_erosion,
    grey_opening,
    morphological_gradient,
    morphological_laplace,
    white_tophat,
)
from ._interpolation import (
    affine_transform,
    geometric_transform,
    map_coordinates,
    rotate,
    shift,
    zoom,
)
from ._labels import find_objects, label, value_indices, watershed_ift
from ._measurements import (
    center_of_mass,
    extrema,
    histogram,
    labeled_comprehension,
    maximum,
    maximum_position,
    mean,
    median,
    minimum,
    minimum_position,
    standard_deviation,
    sum,
    sum_labels,
    variance,
)
from ._morphology import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_fill_holes,
    binary_hit_or_miss,
    binary_opening,
    binary_propagation,
    generate_binary_structure,
    iterate_structure,
)
from ._spline import spline_filter, spline_filter1d

__all__ = """
affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss
binary_opening binary_propagation black_tophat center_of_mass convolve convolve1d correlate
correlate1d distance_transform_bf distance_transform_cdt distance_transform_edt extrema find_objects
fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform gaussian_filter gaussian_filter1d
gaussian_gradient_magnitude gaussian_laplace generate_binary_structure generic_filter
generic_filter1d generic_gradient_magnitude generic_laplace geometric_transform grey_closing
grey_dilation grey_erosion grey_opening histogram iterate_structure label labeled_comprehension
laplace map_coordinates maximum maximum_filter maximum_filter1d maximum_position mean median
median_filter minimum minimum_filter minimum_filter1d minimum_position morphological_gradient
morphological_laplace percentile_filter prewitt rank_filter rotate shift sobel spline_filter
spline_filter1d standard_deviation sum sum_labels uniform_filter uniform_filter1d value_indices
variance vectorized_filter watershed_ift white_tophat zoom
""".split()

for _name in __all__:
    _value = globals()[_name]
    if isinstance(_value, _types.FunctionType):
        globals()[_name] = _beside(_value)
