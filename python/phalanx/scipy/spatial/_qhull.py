"""Triangulations, convex hulls and Voronoi diagrams: SciPy's, by Qhull on the host."""

from .._arguments import array, beside, refuse
from ._described import COLLECTIVE, HOST, RECORDED, described
from ._host import OfScipy, attributes, scipy_spatial, to_host
from ._simplices import Triangulation

_ADDED = {
    "ValueError": "The points have another dimension.",
    "RuntimeError": "The object was made without `incremental`, or is closed.",
}
_RESTART = ("bool", "Whether all points are processed anew.")
_POINTS = ("array_like", "The points, one in each row.")
_ANY_POINTS = ("array_like", "The points: coordinates along the last axis.")
_BOUNDS = {
    "min_bound": "The least coordinates of the points.",
    "max_bound": "The greatest coordinates of the points.",
    "ndim": "The number of dimensions.",
    "npoints": "The number of points.",
}


class _OfPoints(OfScipy):
    """What objects of Qhull share that are made of points."""

    @beside
    @described("None", _ADDED, HOST, points=_POINTS, restart=_RESTART)
    def add_points(self, points, restart=False):
        """Adds points to an object that was made with `incremental`."""
        self._of_scipy.add_points(to_host(points, type(self).__name__), restart)
        self._forget()


@attributes(
    points="The points.",
    simplices="The numbers of the corners of each simplex.",
    neighbors="The neighbor of each simplex opposite to each corner; -1 for none.",
    equations="The normals and offsets of the facets of the paraboloid.",
    paraboloid_scale="The scale of the paraboloid.",
    paraboloid_shift="The offset of the paraboloid.",
    transform="The affine maps to barycentric coordinates; NaN for flat simplices.",
    vertex_to_simplex="A simplex with each point as a corner; -1 for none.",
    convex_hull="The numbers of the corners of each facet of the convex hull.",
    coplanar="Points that are no corners, with the nearest facet and corner.",
    good="Whether each simplex is good, with the option Qg of Qhull.",
    vertex_neighbor_vertices="The neighbors of points: bounds in a list, and the list.",
    nsimplex="The number of simplices.",
    furthest_site="Whether the triangulation is of the furthest sites.",
    **_BOUNDS,
)
class Delaunay(_OfPoints):
    """A Delaunay triangulation of points.

    The triangulation is SciPy's, by Qhull on the host of every process, and its arrays are copied
    to devices. Points on devices are copied to the host, up to 2**25 coordinates. Simplices of
    points are searched on devices.

    Parameters
    ----------
    points : array_like
        The points, one in each row.
    furthest_site : bool, default: False
        Whether the triangulation is of the furthest sites.
    incremental : bool, default: False
        Whether points can be added.
    qhull_options : str, optional
        Options of Qhull.
    """

    @beside
    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        made = scipy_spatial("Delaunay").Delaunay
        given = to_host(points, "Delaunay")
        self._hold(made(given, furthest_site, incremental, qhull_options), points)

    @beside
    @described(
        "ndarray: The numbers of the simplices; -1 for points outside of all.",
        {"ValueError": "The points have another dimension."}, COLLECTIVE,
        xi=_ANY_POINTS,
        bruteforce=("bool", "Whether all simplices are compared with each point."),
        tol=("float", "How far barycentric coordinates may be below 0; a multiple of the precision "
             "by default."),
    )
    def find_simplex(self, xi, bruteforce=False, tol=None):
        """The simplices in which points are. Of several, it may be another one than SciPy's."""
        xi = _coordinates(xi, self.ndim)
        x, lead = xi.reshape(-1, self.ndim), xi.shape[:-1]
        if "triangulation" not in self._found:
            self._found["triangulation"] = Triangulation(self)
        triangulation = self._found["triangulation"]
        options = {} if tol is None else {"tol": float(tol)}
        # Walks end in triangulations of nearest sites.
        if bruteforce or self.furthest_site:
            simplex = triangulation.compared(x, **options)
        else:
            simplex, _ = triangulation.locate(x, **options)
        return simplex.astype("int32").reshape(lead)

    @beside
    @described("ndarray: The distances, with the simplices as the last axis.",
               {"ValueError": "The points have another dimension."}, RECORDED, xi=_ANY_POINTS)
    def plane_distance(self, xi):
        """The signed distances of points, lifted on the paraboloid, and the planes of all
        simplices."""
        lifted = self.lift_points(_coordinates(xi, self.ndim))
        equations = self.equations
        return (lifted[..., None, :] * equations[:, :-1]).sum(-1) + equations[:, -1]

    @beside
    @described("ndarray: The points with one coordinate more.", {}, RECORDED,
               x=_ANY_POINTS)
    def lift_points(self, x):
        """Points lifted on the paraboloid of the triangulation."""
        import phalanx as np

        x = array(x).astype(np.float64)
        height = self.paraboloid_scale * (x**2).sum(-1, keepdims=True) + self.paraboloid_shift
        return np.concatenate([x, height], axis=-1)


def _coordinates(xi, ndim):
    xi = array(xi)
    xi = xi.astype("float64", copy=False) if xi.dtype.kind != "c" else xi.real
    if xi.ndim == 0 or xi.shape[-1] != ndim:
        raise refuse("wrong dimensionality in xi")
    return xi


@attributes(
    points="The points.",
    vertices="The numbers of the points of the hull; in two dimensions, counterclockwise.",
    simplices="The numbers of the corners of each facet.",
    neighbors="The neighbor of each facet opposite to each corner.",
    equations="The normals and offsets of the facets.",
    coplanar="Points that are no corners, with the nearest facet and corner.",
    good="Whether each facet is good, with the option QG of Qhull.",
    area="The area of the hull; in two dimensions, its perimeter.",
    volume="The volume of the hull; in two dimensions, its area.",
    nsimplex="The number of facets.",
    **_BOUNDS,
)
class ConvexHull(_OfPoints):
    """The convex hull of points.

    It is SciPy's, by Qhull on the host of every process, and its arrays are copied to devices.
    Points on devices are copied to the host, up to 2**25 coordinates.

    Parameters
    ----------
    points : array_like
        The points, one in each row.
    incremental : bool, default: False
        Whether points can be added.
    qhull_options : str, optional
        Options of Qhull.
    """

    @beside
    def __init__(self, points, incremental=False, qhull_options=None):
        made = scipy_spatial("ConvexHull").ConvexHull
        self._hold(made(to_host(points, "ConvexHull"), incremental, qhull_options), points)


@attributes(
    points="The points.",
    vertices="The corners of the regions.",
    ridge_points="The two points between which each ridge is.",
    ridge_vertices="The numbers of the corners of each ridge, as lists; -1 is at infinity.",
    ridge_dict="The corners of each ridge, by the pair of its points.",
    regions="The numbers of the corners of each region, as lists; -1 is at infinity.",
    point_region="The number of the region of each point.",
    furthest_site="Whether the diagram is of the furthest sites.",
    **_BOUNDS,
)
class Voronoi(_OfPoints):
    """The Voronoi diagram of points.

    It is SciPy's, by Qhull on the host of every process, and its arrays are copied to devices.
    Points on devices are copied to the host, up to 2**25 coordinates.

    Parameters
    ----------
    points : array_like
        The points, one in each row.
    furthest_site : bool, default: False
        Whether the diagram is of the furthest sites.
    incremental : bool, default: False
        Whether points can be added.
    qhull_options : str, optional
        Options of Qhull.
    """

    @beside
    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        made = scipy_spatial("Voronoi").Voronoi
        given = to_host(points, "Voronoi")
        self._hold(made(given, furthest_site, incremental, qhull_options), points)


@attributes(
    halfspaces="The inequalities: coefficients, and constants as the last column.",
    interior_point="The point inside.",
    intersections="The corners of the intersection.",
    dual_points="The points of the dual hull.",
    dual_facets="The numbers of the corners of the dual facets, as lists.",
    dual_vertices="The numbers of the inequalities that bound the intersection.",
    dual_equations="The normals and offsets of the dual facets.",
    dual_area="The area of the dual hull.",
    dual_volume="The volume of the dual hull.",
    is_bounded="Whether the intersection is bounded.",
    ndim="The number of dimensions.",
    nineq="The number of inequalities.",
    npoints="The number of inequalities.",
    min_bound="The least coefficients.",
    max_bound="The greatest coefficients.",
)
class HalfspaceIntersection(OfScipy):
    """The intersection of half-spaces.

    It is SciPy's, by Qhull on the host of every process, and its arrays are copied to devices.
    Inequalities on devices are copied to the host, up to 2**25 numbers.

    Parameters
    ----------
    halfspaces : array_like
        The inequalities, one in each row: coefficients and a constant, whose sum with the products
        is at most 0.
    interior_point : array_like
        A point that is inside of all half-spaces.
    incremental : bool, default: False
        Whether half-spaces can be added.
    qhull_options : str, optional
        Options of Qhull.
    """

    @beside
    def __init__(self, halfspaces, interior_point, incremental=False, qhull_options=None):
        import numpy

        name = "HalfspaceIntersection"
        point = numpy.asarray(to_host(interior_point, name))
        made = scipy_spatial(name).HalfspaceIntersection
        given = numpy.asarray(to_host(halfspaces, name))
        self._hold(made(given, point, incremental, qhull_options), halfspaces)

    @beside
    @described("None", _ADDED, HOST,
               halfspaces=("array_like", "The inequalities, one in each row."), restart=_RESTART)
    def add_halfspaces(self, halfspaces, restart=False):
        """Adds half-spaces to an object that was made with `incremental`."""
        self._of_scipy.add_halfspaces(to_host(halfspaces, "HalfspaceIntersection"), restart)
        self._forget()


@attributes(
    points="The points.",
    radius="The radius of the sphere.",
    center="The center of the sphere.",
    vertices="The corners of the regions.",
    regions="The numbers of the corners of the region of each point, as lists.",
)
class SphericalVoronoi(OfScipy):
    """The Voronoi diagram of points on a sphere.

    It is SciPy's, by Qhull on the host of every process, and its arrays are copied to devices.
    Points on devices are copied to the host, up to 2**25 coordinates.

    Parameters
    ----------
    points : array_like
        The points, one in each row.
    radius : float, default: 1
        The radius of the sphere.
    center : array_like, optional
        The center of the sphere; the origin by default.
    threshold : float, default: 1e-06
        The distance below which points are equal, and refused.
    """

    @beside
    def __init__(self, points, radius=1, center=None, threshold=1e-06):
        name = "SphericalVoronoi"
        made = scipy_spatial(name).SphericalVoronoi
        given = to_host(points, name)
        self._hold(made(given, radius, to_host(center, name), threshold), points)

    @beside
    @described("ndarray: The area of the region of each point.",
               {"TypeError": "The sphere has another number of dimensions than 2 or 3."}, HOST)
    def calculate_areas(self):
        """The areas of the regions."""
        from ._host import from_host

        return from_host(self._of_scipy.calculate_areas())

    @described("None", {"TypeError": "The sphere has another number of dimensions than 3."}, HOST)
    def sort_vertices_of_regions(self):
        """Sorts the corners of each region by their order along its border."""
        self._of_scipy.sort_vertices_of_regions()
        self._forget()
