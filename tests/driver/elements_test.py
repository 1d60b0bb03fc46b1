#!/usr/bin/env python3
"""Kernels over double, int32, int64, uint64, and over tensors held as bool, float16, bfloat16, int8, uint8, int16, uint16, uint32 or as another type than they are computed in: the C text compiles with
gcc and clang without a warning, computes what Python's exact integers and IEEE doubles say, also where integers wrap, where a divisor is
zero and where a float is no integer, under the sanitizer for undefined behaviour; Coq certifies it; a text with a type exchanged, a
conversion left out or a signed sum in place of an unsigned one is refused, by `verify` and by Coq itself."""
import ctypes
import itertools
import math
import pathlib
import struct
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch
from library import bfloat, bfloat_bits

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
SANITIZED = ["-O0", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int32, "int64": ctypes.c_int64, "bool": ctypes.c_bool,
           "float16": ctypes.c_uint16, "int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "bfloat16": ctypes.c_uint16,
           "int16": ctypes.c_int16, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64}
BITS = {"int": 32, "int64": 64, "int16": 16}
WITHOUT_SIGN = {"uint16": 16, "uint32": 32, "uint64": 64}
LARGEST = 0xff * 2.0 ** 120  # of bfloat16
GUARD = 8  # elements that nothing may touch, after every array


def rounded(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def half(value):
    """The nearest binary16, ties to even, as Python packs it."""
    try:
        return struct.unpack("e", struct.pack("e", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def half_bits(value):
    return struct.unpack("H", struct.pack("e", value))[0]


def byte(x):
    """A float as 8 bits without sign: cut towards zero, what does not fit in 32 bits is 0."""
    return whole(32, x) & 255 if -2.0 ** 31 <= x < 2.0 ** 31 else 0


def word(x):
    """The same of 32 bits, through 64."""
    return math.trunc(x) & 0xffffffff if -2.0 ** 63 <= x < 2.0 ** 63 else 0


def long_word(x):
    return math.trunc(x) % 2 ** 64 if -2.0 ** 63 <= x < 2.0 ** 64 else 0


def single_of(integer):
    """The float32 nearest to it, ties to even: `float` of Python rounds to a double before."""
    scale = max(integer.bit_length() - 24, 0)
    low, rest = integer >> scale, integer & ((1 << scale) - 1)
    up = 2 * rest > 1 << scale or (2 * rest == 1 << scale and low & 1)
    return float((low + (1 if scale and up else 0)) << scale)


def wrapped(bits, value):
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def quotient(bits, a, b):
    return 0 if b == 0 else wrapped(bits, abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def whole(bits, x):
    """A float as an integer: cut towards zero, the smallest one where there is none."""
    return math.trunc(x) if x == x and -2.0 ** (bits - 1) <= x < 2.0 ** (bits - 1) else -(1 << (bits - 1))


def sample(dtype):
    if dtype == "bool":
        return [False, True]
    if dtype in WITHOUT_SIGN:
        top = 1 << WITHOUT_SIGN[dtype]
        return [0, 1, 2, 7, 181, 46341 % top, top // 3, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1]
    if dtype == "bfloat16":
        return [0.0, 1.0, -1.5, bfloat(0.1), LARGEST, -LARGEST, 2.0 ** -133, -(2.0 ** -126), 3.0, math.inf, -math.inf]
    if dtype == "int16":
        return [0, 1, -1, 7, -181, 32767, -32767, -32768]
    if dtype in BITS:
        largest = (1 << (BITS[dtype] - 1)) - 1
        return [0, 1, -1, 2, 7, -5, 1000003, -46341, largest, -largest, -largest - 1, largest // 3]
    if dtype in ("int8", "uint8"):
        return [0, 1, 2, 100, 127] + ([-1, -100, -127, -128] if dtype == "int8" else [128, 200, 254, 255])
    if dtype == "float16":
        return [0.0, 1.0, -1.5, half(0.1), 65504.0, -65504.0, 2.0 ** -24, 3 * 2.0 ** -24, -(2.0 ** -14), 2.0 ** -14 - 2.0 ** -24, math.inf, -math.inf]
    few = [0.0, 1.0, -1.5, 2.75, 1e10, -2147483648.0, 2147483647.0, -9.5e18, 0.1, math.inf, -math.inf]
    return [rounded(x) for x in few] if dtype == "float" else few


class Kernel:
    """`r[i]` from `a[i]` and `b[i]`; types of the three and of what is computed; the expected value."""

    def __init__(self, name, computed, a, b, r, body, expected):
        self.name, self.types, self.expected = name, (a, b, r), expected
        held = "".join(f"type {t} {x};\n" for t, x in zip(self.types, "abr") if t != computed)
        self.text = f"kernel {name};\nsize n;\nin a, b;\nout r;\ntype {computed};\n{held}r<n>[i] = {body};\n"


def integers(computed):
    bits = BITS[computed]
    wrap = lambda value: wrapped(bits, value)
    word = "i" + str(bits)

    def mixed(a, b):
        inner = wrap(wrap(a * b) - 7)
        return wrap(max(inner, wrap(abs(a))) + (-1 if a < b else 3))

    return [Kernel(f"{word}_arithmetic", computed, computed, computed, computed,
                   "max(a<n>[i] * b<n>[i] - 7, abs(a[i])) + select(a[i] < b[i], -1, 3)", mixed),
            Kernel(f"{word}_negation", computed, computed, computed, computed, "-a<n>[i] + min(b<n>[i], 5)",
                   lambda a, b: wrap(wrap(-a) + min(b, 5))),
            Kernel(f"{word}_equal", computed, computed, computed, "bool", "select(a<n>[i] == b<n>[i], 1, 0)", lambda a, b: a == b),
            Kernel(f"{word}_of_bool", computed, "bool", computed, computed, "select(a<n>[i] == 0, b<n>[i], 1 - b[i])",
                   lambda a, b: wrap(1 - b) if a else b)]


def without_sign():
    wrap = lambda value: value % 2 ** 64
    of = lambda name, a, b, r, body, expected: Kernel(f"u64_{name}", "uint64", a, b, r, body, expected)
    return [of("arithmetic", "uint64", "uint64", "uint64", "max(a<n>[i] * b<n>[i] - 7, abs(a[i])) + select(a[i] < b[i], 1, 3)",
               lambda a, b: wrap(max(wrap(a * b - 7), a) + (1 if a < b else 3))),
            of("negation", "uint64", "uint64", "uint64", "-a<n>[i] + min(b<n>[i], 5)", lambda a, b: wrap(wrap(-a) + min(b, 5))),
            of("at_most", "uint64", "uint64", "bool", "select(a<n>[i] <= b<n>[i], 1, 0)", lambda a, b: a <= b),
            of("of_signed", "int64", "int16", "uint64", "a<n>[i] + b<n>[i]", lambda a, b: wrap(a + b)),
            of("cut", "uint64", "uint64", "int", "a<n>[i] + b<n>[i]", lambda a, b: wrapped(32, a + b)),
            Kernel("u64_as_float", "float", "uint64", "float", "float", "a<n>[i] + 0 * b<n>[i]",
                   lambda a, b: single_of(a) + 0 * b),
            Kernel("u64_of_double", "double", "double", "double", "uint64", "a<n>[i] + 0 * b<n>[i]", lambda a, b: long_word(a + 0 * b)),
            Kernel("words", "int64", "uint32", "uint32", "uint32", "a<n>[i] * b<n>[i] - 7", lambda a, b: (a * b - 7) % 2 ** 32),
            Kernel("words_less", "int64", "uint32", "int", "bool", "select(a<n>[i] < b<n>[i], 1, 0)", lambda a, b: a < b),
            Kernel("word_of_double", "double", "double", "uint32", "uint32", "a<n>[i] + 0 * b<n>[i]", lambda a, b: word(a + 0 * b)),
            Kernel("shorts", "int", "uint16", "int16", "uint16", "a<n>[i] * b<n>[i] - 7", lambda a, b: (a * b - 7) % 2 ** 16),
            Kernel("signed_shorts", "int64", "int64", "uint16", "int16", "a<n>[i] + b<n>[i]", lambda a, b: wrapped(16, a + b)),
            Kernel("short_of_float", "float", "float", "int16", "int16", "a<n>[i] + 0 * b<n>[i]",
                   lambda a, b: wrapped(16, whole(32, a)) if -2.0 ** 31 <= a < 2.0 ** 31 else 0)]


def floats():
    double = lambda f: f
    single = lambda f: lambda a, b: rounded(f(a, b))
    finite = lambda f: lambda a, b: f(a, b)
    return [Kernel("doubles", "double", "double", "double", "double", "a<n>[i] * 0.1 + b<n>[i]", double(lambda a, b: a * 0.1 + b)),
            Kernel("tenths", "float", "float", "float", "float", "a<n>[i] * 0.1 + b<n>[i]",
                   finite(lambda a, b: rounded(rounded(a * rounded(0.1)) + b))),
            Kernel("narrowed", "double", "float", "int64", "float", "a<n>[i] * 3 + b<n>[i]", single(lambda a, b: a * 3 + float(b))),
            Kernel("cut32", "float", "float", "float", "int", "a<n>[i] * 0.5 + 0 * b<n>[i]",
                   lambda a, b: whole(32, rounded(rounded(a * 0.5) + 0 * b))),
            Kernel("cut64", "double", "double", "double", "int64", "a<n>[i] + b<n>[i]", lambda a, b: whole(64, a + b)),
            Kernel("is_there", "float", "float", "bool", "bool", "select(b<n>[i] == 1, a<n>[i], 0)", lambda a, b: (a if b else 0) != 0),
            Kernel("halves", "float", "float16", "float16", "float16", "a<n>[i] * 0.1 + b<n>[i]",
                   lambda a, b: half(rounded(rounded(a * rounded(0.1)) + b))),
            Kernel("half_sum", "double", "float16", "double", "float16", "a<n>[i] + b<n>[i]", lambda a, b: half(a + b)),
            Kernel("bfloats", "float", "bfloat16", "bfloat16", "bfloat16", "a<n>[i] * 0.1 + b<n>[i]",
                   lambda a, b: bfloat(rounded(rounded(a * rounded(0.1)) + b))),
            Kernel("bfloat_sum", "double", "bfloat16", "double", "bfloat16", "a<n>[i] + b<n>[i]", lambda a, b: bfloat(a + b)),
            Kernel("half_of_bfloat", "float", "bfloat16", "float16", "float16", "a<n>[i] + b<n>[i]", lambda a, b: half(rounded(a + b))),
            Kernel("bytes", "int", "uint8", "int8", "uint8", "a<n>[i] * b<n>[i] - 7", lambda a, b: (a * b - 7) & 255),
            Kernel("signed_bytes", "int64", "int64", "uint8", "int8", "a<n>[i] + b<n>[i]", lambda a, b: wrapped(8, a + b)),
            Kernel("dequantised", "float", "uint8", "uint8", "float", "(a<n>[i] - b<n>[i]) * 0.1", lambda a, b: rounded((a - b) * rounded(0.1))),
            Kernel("byte_of_float", "float", "float", "float", "uint8", "a<n>[i] + 0 * b<n>[i]", lambda a, b: byte(a + 0 * b)),
            Kernel("chosen", "float", "float", "int", "int64", "select(a<n>[i] < b<n>[i], a[i], b[i])",
                   lambda a, b: whole(64, a if a < rounded(b) else rounded(b)))]


def array(dtype, values, fill):
    kept = [half_bits(value) for value in values] if dtype == "float16" else bfloat_bits(values) if dtype == "bfloat16" else values
    return (C_TYPES[dtype] * (len(values) + GUARD))(*kept, *[fill] * GUARD)


def same(dtype, found, expected):
    if dtype == "float16":
        found = struct.unpack("e", struct.pack("H", found))[0]
    if dtype == "bfloat16":
        found = struct.unpack("f", struct.pack("I", found << 16))[0]
    if isinstance(expected, float) and expected != expected:
        return found != found
    return found == (bool(expected) if dtype == "bool" else expected)


def computes(kernel, library, how):
    function = getattr(ctypes.CDLL(library), f"{kernel.name}_checked")
    function.restype = ctypes.c_int
    pairs = list(itertools.product(sample(kernel.types[0]), sample(kernel.types[1])))
    for count in (0, 1, 2, 7, len(pairs)):
        some = pairs[:count]
        a, b = (array(t, [pair[k] for pair in some], 1) for k, t in enumerate(kernel.types[:2]))
        r = array(kernel.types[2], [0] * count, 1)
        code = function(ctypes.c_int64(count), a, b, r)
        check.that(code == 0, f"{kernel.name} of {count}, {how}: code {code}")
        for k, pair in enumerate(some):
            expected = kernel.expected(*pair)
            check.that(same(kernel.types[2], r[k], expected), f"{kernel.name}{pair}, {how}: {r[k]}, expected {expected}")
        check.that(list(r)[count:] == [1] * GUARD, f"{kernel.name} wrote past its output, {how}")
    a, b = (array(t, [0, 1], 0) for t in kernel.types[:2])
    for other, size in ((a, C_TYPES[kernel.types[0]]), (b, C_TYPES[kernel.types[1]])):
        last = ctypes.byref(other, 2 * ctypes.sizeof(size) - 1)
        check.that(function(ctypes.c_int64(2), a, b, last) == 5, f"{kernel.name}: the output begins in an input's last byte, {how}")


def all_halves(place, library):
    """Each binary16 through float32 and back; the number between each two neighbours, and the floats beside it."""
    function = getattr(ctypes.CDLL(library), "halves_again_checked")
    bits = [b for b in range(1 << 16) if (b & 0x7c00) != 0x7c00 or (b & 0x3ff) == 0]
    between = []
    for b in range(0x7c00):
        low, high = (struct.unpack("e", struct.pack("H", x))[0] for x in (b, b + 1))
        middle = (low + (65536.0 if math.isinf(high) else high)) / 2
        between += [s * m for m in (middle, middle * (1 - 2.0 ** -23), middle * (1 + 2.0 ** -23)) for s in (1, -1)]
    between = [rounded(x) for x in between]
    a = (ctypes.c_uint16 * len(bits))(*bits)
    b = (ctypes.c_float * len(between))(*between)
    r, s = (ctypes.c_float * len(bits))(), (ctypes.c_uint16 * len(between))()
    back = getattr(ctypes.CDLL(library.with_name(library.name.replace("again", "nearest"))), "halves_nearest_checked")
    check.that(function(ctypes.c_int64(len(bits)), a, r) == 0 and back(ctypes.c_int64(len(between)), b, s) == 0, "all halves: the codes")
    expected = [struct.unpack("e", struct.pack("H", x))[0] for x in bits]
    check.that(struct.pack(f"{len(bits)}f", *r) == struct.pack(f"{len(bits)}f", *expected), "every binary16 as a float32")
    wrong = [(x, y, half(x)) for x, y in zip(between, s) if y != half_bits(half(x))]
    check.that(not wrong, f"floats between halves: {wrong[:3]}")


def all_bfloats(place, library):
    """Of each two neighbours the number between them, and what lies beside it, of float32 and of double."""
    bits = [b for b in range(1 << 15) if b <= 0x7f80]
    number = lambda b: struct.unpack("f", struct.pack("I", b << 16))[0] if b < 0x7f80 else 2.0 ** 128
    for what, kind, near in (("bfloats_nearest", ctypes.c_float, 2.0 ** -23), ("bfloats_of_double", ctypes.c_double, 2.0 ** -52)):
        middles = [(number(b) + number(b + 1)) / 2 for b in bits[:-1]]
        tried = [s * m for middle in middles for m in (middle, middle * (1 - near), middle * (1 + near)) for s in (1, -1)]
        tried = [number(b) for b in bits[:-1]] + (tried if kind is ctypes.c_double else [rounded(x) for x in tried])
        given, found = (kind * len(tried))(*tried), (ctypes.c_uint16 * len(tried))()
        function = getattr(ctypes.CDLL(library.with_name(library.name.replace("bfloats_nearest", what))), f"{what}_checked")
        check.that(function(ctypes.c_int64(len(tried)), given, found) == 0, f"{what}: the code")
        expected = bfloat_bits([bfloat(x) for x in tried])
        wrong = [(x, y, z) for x, y, z in zip(tried, found, expected) if y != z]
        check.that(not wrong, f"{what}: {wrong[:3]}")


def program(kernel, library):
    pairs = list(itertools.product(sample(kernel.types[0]), sample(kernel.types[1])))
    pairs = [tuple(half_bits(x) if t == "float16" else bfloat_bits([x])[0] if t == "bfloat16" else x for x, t in zip(pair, kernel.types)) for pair in pairs]
    names = [C_TYPES[t].__name__ for t in kernel.types]
    return (f"import ctypes\nfrom math import inf\npairs = {pairs!r}\nn = len(pairs)\n"
            f"a = (ctypes.{names[0]} * n)(*[p[0] for p in pairs])\nb = (ctypes.{names[1]} * n)(*[p[1] for p in pairs])\n"
            f"r = (ctypes.{names[2]} * n)()\nprint(ctypes.CDLL({str(library)!r}).{kernel.name}_checked(ctypes.c_int64(n), a, b, r))\n")


# What is changed in the C text, and to what.
LIES = [("i32_arithmetic", "int32_t *restrict r", "int64_t *restrict r"), ("i32_arithmetic", "const int32_t *restrict a", "const float *restrict a"),
        ("i32_arithmetic", "(int32_t)((uint32_t)a * (uint32_t)b)", "a * b"), ("i32_arithmetic", "(uint32_t)a + (uint32_t)b", "a + b"),
        ("i64_arithmetic", "/* Elements are computed as int64_t. */\n", ""), ("i64_arithmetic", "inline int64_t add_int64", "inline int add_int64"),
        ("i64_negation", "(int64_t)(0 - (uint64_t)a)", "-a"), ("i64_equal", "bool_of_int64((", "((") , ("i64_equal", "a != 0", "a == 0"),
        ("cut32", "a >= -0x1p31 && a < 0x1p31 ? (int32_t)a : INT32_MIN", "(int32_t)a"), ("cut32", "int32_of_float((", "(("),
        ("cut64", "0x1p63 ?", "0x1p62 ?"), ("doubles", "0xccccccccccccdp-55", "0xccccccccccccdp-54"), ("doubles", "const double *restrict a", "const float *restrict a"),
        ("narrowed", "double_of_int64(b", "double_of_float(b"), ("is_there", "#include <stdbool.h>\n", "#define bool int\n")]


LIES += [("halves", "0x1p112f", "0x1p111f"), ("halves", "65520", "65521"), ("halves", "exponent + 13", "exponent + 12"),
         ("halves", "const float16 *restrict a", "const uint8_t *restrict a"), ("halves", "const float16 *restrict a", "const uint16_t *restrict a"),
         ("halves", "typedef uint16_t float16;", "typedef int16_t float16;"), ("halves", "typedef uint16_t float16;\n", ""), ("half_sum", "float16_of_double(", "float16_of_float("),
         ("bytes", "int32_of_uint8(a", "int32_of_int8(a"), ("bytes", "const int8_t *restrict b", "const uint8_t *restrict b"),
         ("signed_bytes", "int8_t *restrict r", "uint8_t *restrict r"), ("byte_of_float", "(uint8_t)(int32_t)a : 0", "(uint8_t)a : 0")]

LIES += [("bfloats", "0x7fff", "0x8000"), ("bfloats", "const bfloat16 *restrict a", "const float16 *restrict a"),
         ("bfloats", "float_of_bfloat16(a", "float_of_float16(a"), ("bfloats", "typedef uint16_t bfloat16;", "typedef uint16_t float16;"),
         ("bfloat_sum", "0x1ffp119", "0x1fep119"), ("half_of_bfloat", "float_of_bfloat16(a", "float_of_float16(a"),
         ("shorts", "int32_of_uint16(a", "int32_of_int16(a"), ("shorts", "const uint16_t *restrict a", "const float16 *restrict a"),
         ("signed_shorts", "int16_t *restrict r", "uint16_t *restrict r"), ("words", "(uint32_t)a", "(int32_t)a"),
         ("words", "const uint32_t *restrict a", "const int32_t *restrict a"), ("u64_arithmetic", "const uint64_t *restrict a", "const int64_t *restrict a"),
         ("u64_arithmetic", "computed as uint64_t", "computed as int64_t"), ("u64_cut", "int32_of_uint64(", "int32_of_int64("),
         ("u64_of_double", "0x1p64", "0x1p63")]

HEADER_LIES = [("bfloats", "uint16_t *r", "int16_t *r"), ("words", "uint32_t *r", "int32_t *r"),
               ("i32_arithmetic", "int32_t *r", "int64_t *r"), ("i64_equal", "bool *r", "int64_t *r"), ("cut64", "const double *a", "const float *a"),
               ("is_there", "#include <stdbool.h>", "typedef int bool;"), ("halves", "uint16_t *r", "int16_t *r")]

REFUSED = [("compile", "fraction", "type int;\nC<4>[i] = A<4>[i] / B<4>[i];", "the fraction of integers"),
           ("compile", "exponential", "type int64;\nC<4>[i] = exp(A<4>[i]);", "the function 'exp' of elements of type int64_t"),
           ("compile", "half", "type int;\nC<4>[i] = A<4>[i] * 0.5;", "the number '1/2'"), ("compile", "large", "type int;\nC<4>[i] = A<4>[i] + 2147483648;", "the number '2147483648"),
           ("compile", "truth", "type bool;\nC<4>[i] = A<4>[i];", "expected float, double, int, int64 or uint64, found 'bool'"),
           ("compile", "byte", "type uint8;\nC<4>[i] = A<4>[i];", "expected float, double, int, int64 or uint64, found 'uint8'"),
           ("compile", "words", "type uint32;\nC<4>[i] = A<4>[i];", "expected float, double, int, int64 or uint64, found 'uint32'"),
           ("compile", "below_nothing", "type uint64;\nC<4>[i] = A<4>[i] + max(B<4>[i], -1);", "the number '-1.0'"),
           ("compile", "bfloat_of_int", "type int64;\ntype bfloat16 A;\nC<4>[i] = A<4>[i];", "'A' of type bfloat16, where int64 is computed"),
           ("compile", "half_of_int", "type int;\ntype float16 A;\nC<4>[i] = A<4>[i];", "'A' of type float16, where int32 is computed"),
           ("compile", "int_to_half", "type int;\ntype float16 C;\nC<4>[i] = A<4>[i];",
            "int_to_half.tk:3:1: error: expected 'C' to be held as a type that int32 is converted to, found float16"),
           ("compile", "left_over", "size n;\nC<n % 3>[i] = A<n % 3>[i];",
            "left_over.tk:2:1: error: expected an extent that is a sum of products of sizes, numbers and quotients by numbers, and never negative, found 'n % 3'"),
           ("compile", "unknown", "type int7 A;\nC<4>[i] = A<4>[i];", "expected float, double, int, int64, uint64, bool, float16, bfloat16, int8, uint8, int16, uint16 or uint32, found 'int7'"),
           ("compile", "local", "type int D;\nout C;\nD<4>[i] = A<4>[i]; C<4>[i] = D<4>[i];", "neither an input nor an output"),
           ("compile", "twice", "type int A;\ntype double A;\nC<4>[i] = A<4>[i];", "'A' is given a type twice")]

with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    certified.try_all([*integers("int"), *integers("int64"), *without_sign(), *floats()], place, computes, program, SANITIZED)
    for name, kind in (("again", "float16 a"), ("nearest", "float16 r")):
        (place / f"halves_{name}.tk").write_text(f"kernel halves_{name};\nsize n;\nin a;\nout r;\ntype {kind};\nr<n>[i] = a<n>[i];\n")
        code, out, err = vouch("compile", place / f"halves_{name}.tk", "-o", place / f"halves_{name}")
        check.that(code == 0, f"halves_{name}: {err}")
    for name, computed in (("nearest", "float"), ("of_double", "double")):
        (place / f"bfloats_{name}.tk").write_text(
            f"kernel bfloats_{name};\nsize n;\nin a;\nout r;\ntype {computed};\ntype bfloat16 r;\nr<n>[i] = a<n>[i];\n")
        code, out, err = vouch("compile", place / f"bfloats_{name}.tk", "-o", place / f"bfloats_{name}")
        check.that(code == 0, f"bfloats_{name}: {err}")
    for compiler in certified.compilers:
        made = [certified.built(compiler, place / f"bfloats_{name}" / f"bfloats_{name}.c", place) for name in ("nearest", "of_double")]
        all_bfloats(place, made[0])
        made = [certified.built(compiler, place / f"halves_{name}" / f"halves_{name}.c", place) for name in ("again", "nearest")]
        all_halves(place, made[0])
    if certified.coq:
        for name, before, after in LIES:
            certified.lie(place, name, ".c", lambda text: text.replace(before, after, 1), after)
        for name, before, after in HEADER_LIES:
            certified.lie(place, name, ".h", lambda text: text.replace(before, after), after)
    certified.refused_by_coq(place)
    certified.refusals(place, REFUSED)
check.end()
