"""Formats with lines of positions: what is known of their order."""


class Ordered:
    """A matrix whose core has the positions of each line. Until something is known of their order,
    the core is asked."""

    @property
    def has_canonical_format(self):
        """Whether the positions ascend in each line, without duplicates."""
        if self._is_sorted is False:
            return False
        if self._is_canonical is None:
            self._is_canonical = bool(self._core.is_canonical())
        return self._is_canonical

    @has_canonical_format.setter
    def has_canonical_format(self, is_canonical):
        self._is_canonical = bool(is_canonical)
        if is_canonical:
            self._is_sorted = True

    @property
    def has_sorted_indices(self):
        """Whether the positions ascend in each line."""
        if self._is_sorted is None:
            self._is_sorted = bool(self._core.is_sorted())
        return self._is_sorted

    @has_sorted_indices.setter
    def has_sorted_indices(self, is_sorted):
        self._is_sorted = bool(is_sorted)

    def __reduce__(self):
        return type(self), ((self.data, self.indices, self.indptr), self._shape)
