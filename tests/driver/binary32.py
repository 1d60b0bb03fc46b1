"""Binary32 by exact fractions: what hardware and libraries have no part in."""
import fractions
import struct

exact = fractions.Fraction


def rounded(x):
    """The binary32 nearest to a fraction, of two the even one; not for what overflows."""
    if x == 0:
        return 0.0
    exponent = max(abs(x).numerator.bit_length() - abs(x).denominator.bit_length() - 24, -149)
    while abs(x) >= exact(2) ** (exponent + 24):
        exponent += 1
    return float(round(x / exact(2) ** exponent) * exact(2) ** exponent)  # `round` takes ties to even


def bits(x):
    return struct.unpack("I", struct.pack("f", x))[0]


def added(x, y):
    return rounded(exact(x) + exact(y))


def fused(start, pairs):
    """A sum of products, each addition rounded once."""
    for a, b in pairs:
        start = rounded(exact(a) * exact(b) + exact(start))
    return start


def plain(start, pairs):
    """A sum of products, each product rounded before it is added."""
    for a, b in pairs:
        start = added(rounded(exact(a) * exact(b)), start)
    return start
