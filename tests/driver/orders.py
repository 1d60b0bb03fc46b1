"""What sums in other orders are, term by term: the oracles of tests of `add S by lanes` and of `--reorder`."""
from fractions import Fraction

from binary32 import rounded


class Fused:
    """A number of float32, or with `y` a product that is not rounded before it is added."""

    def __init__(self, x, y=None):
        self.x, self.y = float(x), None if y is None else float(y)

    def __add__(self, other):
        return Fused(rounded(Fraction(self.number()) + Fraction(other.x) * Fraction(1.0 if other.y is None else other.y)))

    def __radd__(self, nothing):
        return self

    def number(self):
        return self.x if self.y is None else rounded(Fraction(self.x) * Fraction(self.y))


def seq(terms):
    total = type(terms[0])(0) if len(terms) else 0
    for x in terms:
        total = total + x
    return total


def apart(terms, width, count, part, inner, outer):
    """Partial sums, added; what is left over is added up by itself, then added."""
    parts = [inner(part(b)) for b in range(count)]
    total = outer(parts) if parts or not len(terms) else type(terms[0])(0)
    return total + seq(terms[len(terms) // width * width:]) if len(terms) % width else total


def by_lanes(terms, width, inner=seq, outer=seq):
    full = terms[:len(terms) // width * width]
    return apart(terms, width, width, lambda lane: full[lane::width], inner, outer)


def by_blocks(terms, width, inner=seq, outer=seq):
    return apart(terms, width, len(terms) // width, lambda b: terms[b * width:(b + 1) * width], inner, outer)
