"""The operators of series, by the functions of their family."""

from .._phalanx import _refusal


class SeriesArithmetic:
    """The operators of series, and of a series and a number or coefficients."""

    __hash__ = None
    __array_ufunc__ = None

    def _coefficients_of(self, other):
        """The coefficients of an operand. Errors: another class, domain, window or symbol."""
        if not isinstance(other, SeriesArithmetic):
            return other
        if not isinstance(other, type(self)):
            raise _refusal(TypeError, "type", "Polynomial types differ")
        if not self.has_samedomain(other):
            raise _refusal(TypeError, "together", "Domains differ")
        if not self.has_samewindow(other):
            raise _refusal(TypeError, "together", "Windows differ")
        if self._symbol != other._symbol:
            raise _refusal(ValueError, "together", "Polynomial symbols differ")
        return other.coef

    def __neg__(self):
        return self._like(-self.coef)

    def __pos__(self):
        return self

    def _computed(self, suffix, first, second):
        """The series of a function's result for two operands; NotImplemented for others."""
        try:
            return self._like(self._call(suffix, first, second))
        except Exception:
            return NotImplemented

    def _divided(self, first, second):
        """The series of the quotient and of the remainder; NotImplemented for other operands."""
        try:
            quotient, rest = self._call("div", first, second)
        except ZeroDivisionError:
            raise
        except Exception:
            return NotImplemented
        return self._like(quotient), self._like(rest)

    def __add__(self, other):
        return self._computed("add", self.coef, self._coefficients_of(other))

    def __sub__(self, other):
        return self._computed("sub", self.coef, self._coefficients_of(other))

    def __mul__(self, other):
        return self._computed("mul", self.coef, self._coefficients_of(other))

    def __radd__(self, other):
        return self._computed("add", other, self.coef)

    def __rsub__(self, other):
        return self._computed("sub", other, self.coef)

    def __rmul__(self, other):
        return self._computed("mul", other, self.coef)

    def __truediv__(self, other):
        import numbers

        if not isinstance(other, numbers.Number) or isinstance(other, bool):
            text = f"unsupported types for true division: '{type(self)}', '{type(other)}'"
            raise _refusal(TypeError, "type", text)
        return self.__floordiv__(other)

    def __floordiv__(self, other):
        found = self.__divmod__(other)
        return found if found is NotImplemented else found[0]

    def __mod__(self, other):
        found = self.__divmod__(other)
        return found if found is NotImplemented else found[1]

    def __divmod__(self, other):
        return self._divided(self.coef, self._coefficients_of(other))

    def __rtruediv__(self, other):
        # The quotient of a number by a series is no series.
        return NotImplemented

    def __rfloordiv__(self, other):
        found = self.__rdivmod__(other)
        return found if found is NotImplemented else found[0]

    def __rmod__(self, other):
        found = self.__rdivmod__(other)
        return found if found is NotImplemented else found[1]

    def __rdivmod__(self, other):
        return self._divided(other, self.coef)

    def __pow__(self, other):
        return self._like(self._call("pow", self.coef, other, maxpower=self.maxpower))

    def __eq__(self, other):
        return (
            isinstance(other, type(self))
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.coef.shape == other.coef.shape
            and bool((self.coef == other.coef).all())
            and self._symbol == other._symbol
        )

    def __ne__(self, other):
        return not self.__eq__(other)
