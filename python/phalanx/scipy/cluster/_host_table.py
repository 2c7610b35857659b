"""The functions of hierarchies: signature, result and summary of each."""

TABLE = """
average(y) -> ndarray: The merges. | Merges of clusters by the mean distance of their points.
centroid(y) -> ndarray: The merges. | Merges of clusters by the distance of their centers.
complete(y) -> ndarray: The merges. | Merges of clusters by the distance of their farthest points.
cophenet(Z, Y=None) -> ndarray or (float, ndarray): The distances, after their correlation with `Y`
    if it is given. | The distances at which pairs of points are merged.
correspond(Z, Y) -> bool: Whether they fit. | Whether merges and distances may be of the same
    points.
cut_tree(Z, n_clusters=None, height=None) -> ndarray: The clusters, with a column for each cut. |
    Clusters from cuts of a tree.
dendrogram(Z, p=30, truncate_mode=None, color_threshold=None, get_leaves=True, orientation='top',
    labels=None, count_sort=False, distance_sort=False, show_leaf_counts=True, no_plot=False,
    no_labels=False, leaf_font_size=None, leaf_rotation=None, leaf_label_func=None,
    show_contracted=False, link_color_func=None, ax=None, above_threshold_color='C0') -> dict: The
    coordinates and colors of the lines, and the leaves. | A plot of a tree of clusters.
fcluster(Z, t, criterion='inconsistent', depth=2, R=None, monocrit=None) -> ndarray: The cluster of
    each point. | Clusters of points from merges, by a threshold.
fclusterdata(X, t, criterion='inconsistent', metric='euclidean', depth=2, method='single', R=None)
    -> ndarray: The cluster of each point. | Clusters of points, by a threshold.
from_mlab_linkage(Z) -> ndarray: The merges. | Merges from those of MATLAB.
inconsistent(Z, d=2) -> ndarray: Means, standard deviations, counts and inconsistencies. | How
    distances of merges differ from those below them.
is_isomorphic(T1, T2) -> bool: Whether they are the same. | Whether clusters are the same up to
    their numbers.
is_monotonic(Z) -> bool: Whether they ascend. | Whether the distances of merges ascend.
is_valid_im(R, warning=False, throw=False, name=None) -> bool: Whether it is valid. | Whether an
    array has inconsistencies of merges.
is_valid_linkage(Z, warning=False, throw=False, name=None) -> bool: Whether it is valid. | Whether
    an array has merges.
leaders(Z, T) -> (ndarray, ndarray): The nodes and their clusters. | The roots of clusters in a
    tree.
leaves_list(Z) -> ndarray: The points. | Points in the order of the leaves of a tree.
linkage(y, method='single', metric='euclidean', optimal_ordering=False) -> ndarray: The merges. |
    Merges of clusters, from those of one point up to one of all points.
maxRstat(Z, R, i) -> ndarray: The greatest values. | The greatest statistic of merges below each
    merge.
maxdists(Z) -> ndarray: The greatest distances. | The greatest distance of merges below each merge.
maxinconsts(Z, R) -> ndarray: The greatest inconsistencies. | The greatest inconsistency of merges
    below each merge.
median(y) -> ndarray: The merges. | Merges of clusters by the distance of middles of centers.
num_obs_linkage(Z) -> int: The number of points. | The number of points of merges.
optimal_leaf_ordering(Z, y, metric='euclidean') -> ndarray: The merges. | Merges whose neighboring
    leaves are as near as possible.
set_link_color_palette(palette) -> None | Sets the colors of merges in plots.
single(y) -> ndarray: The merges. | Merges of clusters by the distance of their nearest points.
to_mlab_linkage(Z) -> ndarray: The merges. | Merges as those of MATLAB.
to_tree(Z, rd=False) -> ClusterNode or (ClusterNode, list): The root, and all nodes. | Merges as
    objects.
ward(y) -> ndarray: The merges. | Merges of clusters by the growth of the variance.
weighted(y) -> ndarray: The merges. | Merges of clusters by the mean of the distances of parts.
"""
