"""The parameters of functions on images: their types and descriptions."""

PARAMETERS = {
    "angle": ("float", "The angle in degrees."),
    "arr": ("array_like of int", "The array."),
    "axes": ("int or tuple of int", "The axes that are filtered; all axes by default."),
    "axis": ("int", "The axis along which the function computes."),
    "batch_memory": ("int", "The most bytes of windows in a call."),
    "bins": ("int", "The number of bins."),
    "border_value": ("int", "The value of elements outside of the image."),
    "brute_force": ("bool", "Accepted as in SciPy; all elements are computed in any case."),
    "connectivity": ("int", "In how many axes neighbours may differ."),
    "coordinates": ("array_like", "The coordinates of each point, one axis of the image in each "
                    "element of the first axis."),
    "cval": ("scalar", "The value outside of the image in mode 'constant'."),
    "default": ("scalar", "The result of a label without elements."),
    "derivative": ("callable", "The derivative along an axis: called with the image, the axis, an "
                   "array to write or a dtype, the mode and `cval`."),
    "derivative2": ("callable", "The second derivative along an axis: called with the image, the "
                    "axis, an array to write or a dtype, the mode and `cval`."),
    "distances": ("ndarray", "The array to which distances are written."),
    "extra_arguments": ("sequence", "Further arguments of the function."),
    "extra_keywords": ("dict", "Further keywords of the function."),
    "filter_size": ("int", "The extent of the window."),
    "footprint": ("array_like of bool", "The elements of the window that count."),
    "func": ("callable", "The function of the elements of a label."),
    "function": ("callable", "The function of the elements in a window."),
    "grid_mode": ("bool", "Whether an element has an area, so that the edges of the image are at "
                  "half a distance before its first and behind its last element."),
    "ignore_value": ("int", "A value that is left out."),
    "index": ("int or array_like of int", "The labels of the results. Without it, one result for "
              "all elements with a positive label."),
    "indices": ("ndarray of int32", "The array to which positions are written."),
    "input": ("array_like", "The image."),
    "iterations": ("int", "How often the operation is applied; less than 1: until nothing "
                   "changes."),
    "kwargs": ("dict", "Further arguments of `gaussian_filter`."),
    "labels": ("array_like of int", "The label of each element; its shape broadcasts to that of "
               "the image."),
    "mapping": ("callable", "The coordinates of a point in the image, given those in the result."),
    "markers": ("array_like of int", "The labels of the markers; 0 elsewhere."),
    "mask": ("array_like", "Where elements may change."),
    "matrix": ("array_like", "The matrix that maps coordinates of the result to those of the "
               "image; its diagonal; or a matrix of homogeneous coordinates."),
    "max": ("float", "The end of the last bin."),
    "max_label": ("int", "The largest label; by default that of the array."),
    "metric": ("str", "The metric: 'euclidean', 'taxicab' or 'chessboard'."),
    "min": ("float", "The start of the first bin."),
    "mode": ("str or sequence of str", "The elements outside of the image: 'reflect', 'constant', "
             "'nearest', 'mirror' or 'wrap'. A sequence has one mode for each axis, where the "
             "filter is one along each axis."),
    "n": ("int", "The length of the axis before a real transform; -1 for a complex transform."),
    "offset": ("float or sequence of float", "The coordinates of the first element of the result."),
    "order": ("int or sequence of int", "The order of the derivative along each axis."),
    "origin": ("int or sequence of int", "How far the window is moved along each axis."),
    "origin1": ("int or sequence of int", "How far `structure1` is moved."),
    "origin2": ("int or sequence of int", "How far `structure2` is moved; by default `origin1`."),
    "out_dtype": ("dtype", "The dtype of the results."),
    "output": ("ndarray or dtype", "The array that is written, or the dtype of the result."),
    "output_shape": ("tuple of int", "The shape of the result; by default that of the image."),
    "pass_positions": ("bool", "Whether the function also receives the positions of the elements "
                       "in the flat image."),
    "percentile": ("float", "The percentile; a negative one counts from 100 down."),
    "prefilter": ("bool", "Whether the coefficients of the spline are computed first. Without it "
                  "the image has to be the result of `spline_filter`."),
    "radius": ("int or sequence of int", "The radius of the window in place of that of "
               "`truncate`."),
    "rank": ("int", "The rank, from 0; a negative one counts from the largest element."),
    "reshape": ("bool", "Whether the result is as large as the rotated image."),
    "return_distances": ("bool", "Whether distances are computed."),
    "return_indices": ("bool", "Whether the positions of the nearest zeros are computed."),
    "sampling": ("float or sequence of float", "The distance of neighbours along each axis."),
    "shift": ("float or sequence of float", "The shift along each axis."),
    "sigma": ("float or sequence of float", "The standard deviation along each axis."),
    "size": ("int or sequence of int", "The extents of the window."),
    "structure": ("array_like", "The neighbours that count; by default those that share a face."),
    "structure1": ("array_like", "The elements of the window that have to be true."),
    "structure2": ("array_like", "The elements that have to be false; by default all others."),
    "truncate": ("float", "The radius of the window in standard deviations."),
    "weights": ("array_like", "The weights of the window."),
    "zoom": ("float or sequence of float", "The factor along each axis."),
}

SPLINE_ORDER = ("int", "The order of the spline, from 0 to 5.")
HEIGHTS = ("array_like", "The heights of the window: subtracted from elements before the smallest "
           "one is chosen, and added before the largest one is chosen.")
POINT_MODE = ("str", "The elements outside of the image: 'constant', 'grid-constant', 'nearest', "
              "'mirror', 'reflect', 'wrap', 'grid-wrap' or CuPy's 'opencv'.")
SPLINE_MODE = ("str", "The elements outside of the image; 'wrap' and the constant modes count as "
               "'mirror', and 'nearest' as 'reflect'.")
