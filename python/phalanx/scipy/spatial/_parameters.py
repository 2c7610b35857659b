"""The parameters of points in space: their types and descriptions."""

_NUMBER = "float"

PARAMETERS = {
    "eps": (_NUMBER, "The relative error that is allowed. Results are exact in any case."),
    "p": (_NUMBER, "The order of Minkowski's distance; infinity is the greatest difference."),
    "workers": ("int", "The number of threads of SciPy, which has no effect here; -1 for all."),
    "k": ("int or sequence of int", "How many neighbors are returned, or which ones, from 1."),
    "distance_upper_bound": (_NUMBER, "Only nearer neighbors are returned."),
    "return_sorted": ("bool", "Whether numbers are sorted. They are in any case."),
    "return_length": ("bool", "Whether only the numbers of points are returned."),
    "other": ("KDTree", "The other tree."),
    "output_type": ("str", "The type of the result."),
    "max_distance": (_NUMBER, "The largest distance that is returned."),
    "weights": ("array_like or tuple", "Weights of the points of both trees: one for both, or one "
                "for each, of which one may be None."),
    "cumulative": ("bool", "Whether smaller distances are counted for each radius, and not only "
                   "those above the radius before it."),
}
