"""Results whose entries are attributes."""


class Outcome(dict):
    """A result: a dictionary whose entries are attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self):
        return list(self)

    def __repr__(self):
        if not self:
            return f"{type(self).__name__}()"
        width = max(map(len, self)) + 1
        lines = []
        for name, value in sorted(self.items()):
            text = str(value).replace("\n", "\n" + " " * (width + 2))
            lines.append(f"{name:>{width}}: {text}")
        return "\n".join(lines)
