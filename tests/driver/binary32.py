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


# The head of a Coq file about binary32: `same a b` of two numbers of Coq's standard library.
COQ_FLOATS = """From Coq Require Import ZArith List Bool.
From Coq.Floats Require Import SpecFloat.
From Vouch Require Import array.Binary32.
Import ListNotations.
Local Open Scope Z_scope.
Definition same (a b : spec_float) : bool := match a, b with
  | S754_zero s, S754_zero t | S754_infinity s, S754_infinity t => eqb s t
  | S754_nan, S754_nan => true
  | S754_finite s m e, S754_finite t n f => eqb s t && Pos.eqb m n && Z.eqb e f
  | _, _ => false end.
"""


def coq_float(pattern):
    """As the standard library of Coq writes the number of these bits."""
    sign, exponent, mantissa = pattern >> 31, pattern >> 23 & 255, pattern & 0x7FFFFF
    name = "true" if sign else "false"
    if exponent == 255:
        return "S754_nan" if mantissa else f"(S754_infinity {name})"
    if exponent == 0 and mantissa == 0:
        return f"(S754_zero {name})"
    return f"(S754_finite {name} {mantissa + (1 << 23 if exponent else 0)} ({max(exponent, 1) - 150}))"
