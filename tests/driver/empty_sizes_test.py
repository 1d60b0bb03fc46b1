#!/usr/bin/env python3
"""Kernels whose sizes have names, in index notation and as functional programs, at 0, 1, 2 and 7 in each size and in all at once: by gcc
and by clang, and under the sanitizers for addresses and undefined behaviour, the checked form computes what numpy does, with null
pointers where arrays are empty; by plain loops, tiles, packed panels, sums in another order, fused and for several processors. In
index notation a size that must not be 0 is refused by 3, and `show` and the header say which those are; gradients too, also of functional
programs; the short run is optimised by a compiler in every other one, and Coq certifies every sixth text and those with reads that conditions keep inside, and with `all` each."""
import ctypes
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

from certified import Certified
from command import Checks, Vouch

f32, f64, i32, i64 = numpy.float32, numpy.float64, numpy.int32, numpy.int64
VALUES = (0, 1, 2, 7)
GUARD = 16  # elements behind the output that nothing may touch
PRODUCT = "C<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j];"
SANITIZER = ["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


class Kernel:
    """`inputs`: of the sizes the shapes; `value`: of the inputs, and of the sizes by name, the output; `from_one`: which sizes 0 is refused
    of; `body`: of a functional program, after its sizes; `meets`: what else is required of sizes; `counts`: sizes that the C takes after its own; `words`: of the command; a name with a
    folder is that of a shipped functional program."""

    def __init__(self, name, sizes, text, inputs, value, kinds=(), held="", from_one="", meets=lambda **_: True, words=("compile",), counts=(),
                 schedule="", base=3, body=""):
        self.path, self.name = name, name.split("/")[-1]
        self.sizes, self.inputs, self.value, self.counts = sizes.split(), inputs, value, counts
        self.kinds, self.from_one, self.meets, self.words, self.base = list(kinds) or [f32] * 9, from_one.split(), meets, list(words), base
        self.schedule = schedule and f"schedule {name}\n{schedule}"
        self.text = text and f"kernel {name};\nsize {', '.join(self.sizes)};\n{held}{text}\n"
        self.body = body and f"kernel {name}(sizes {', '.join(self.sizes)}; {body}\n"

    def instances(self):
        """Each size in turn, the others at its base; all alike; two at 0."""
        base = dict.fromkeys(self.sizes, self.base)
        for size, value in itertools.product(self.sizes, VALUES):
            yield base | {size: value}
        for value in VALUES:
            yield dict.fromkeys(self.sizes, value)
        for a, b in itertools.combinations(self.sizes, 2):
            yield base | {a: 0, b: 0}
        yield base | {self.sizes[-1]: 67}

    def arrays(self, sizes):
        numbers = numpy.random.RandomState(sum((at + 1) * n for at, n in enumerate(sizes.values())))
        return [numpy.asarray(numbers.randint(0 if kind == bool else -3, 2 if kind == bool else 4, shape)).astype(kind)
                for shape, kind in zip(self.inputs(**sizes), self.kinds)]

    def tried(self, function, sizes):
        """What differs, or nothing."""
        inputs = self.arrays(sizes)
        numbers = [*sizes.values(), *(count(**sizes) for count in self.counts)]
        refused = any(sizes[size] == 0 for size in self.from_one) or not self.meets(**sizes)
        with numpy.errstate(all="ignore"):
            expected = numpy.full((2, 2), -5, self.kinds[-1]) if refused else numpy.asarray(self.value(*inputs, **sizes))
        kind = self.kinds[len(inputs)]
        out = numpy.full(expected.size + GUARD, 1 if kind == bool else -5).astype(kind)
        before = out.copy()
        # Of their own memory, without an element more: numpy keeps small arrays in blocks that are larger.
        held = [ctypes.c_float(a) if a.shape == () else (ctypes.c_char * a.nbytes).from_buffer_copy(a.tobytes()) if a.size else None for a in inputs]
        code = function(*map(ctypes.c_int64, numbers), *held, out.ctypes.data_as(ctypes.c_void_p) if expected.size else None)
        if code != (3 if refused else 0):
            return f"returns {code}"
        same = refused or numpy.allclose(out[:expected.size], expected.astype(kind).reshape(-1), rtol=1e-5, atol=1e-5, equal_nan=True)
        kept = (out[0 if refused else expected.size:] == before[0 if refused else expected.size:]).all()
        return "" if same and kept else f"{out[:4]} where {expected.reshape(-1)[:4]} is expected" if not same else "writes elsewhere"


def product(a, b, **_):
    return a @ b


def weights(q, k):
    scores = numpy.exp(numpy.einsum("bid,bjd->bij", q, k) / numpy.sqrt(f32(q.shape[2])))
    return scores / scores.sum(2, keepdims=True)


def attention(q, k, v, **_):
    return numpy.einsum("bij,bjd->bid", weights(q, k), v)


def by_values(q, k, cotangent, **_):
    return numpy.einsum("bij,bid->bjd", weights(q, k), cotangent)


def convolution(x, w, **_):
    n, c, h, r = *x.shape, w.shape[2]
    out = numpy.zeros((n, w.shape[0], h - r + 1), f32)
    for at in range(h - r + 1):
        out[:, :, at] = numpy.einsum("ncr,kcr->nk", x[:, :, at:at + r], w)
    return out


def neighbours(x, **_):
    return numpy.append(x[1:], [0] * min(len(x), 1)) - x


def program(name, sizes, inputs, value, **more):
    return Kernel(name, sizes, "", inputs, value, **more)


def around(x, y, **_):
    return numpy.array([x[i + 1] * y[i - 1] if 1 <= i and i + 1 < len(x) else -1 for i in range(len(x))])


def causal(x, w, **_):
    return numpy.array([sum(w[j] * x[i - j] for j in range(len(w)) if j <= i) for i in range(len(x))])


def diagonal(a, m, n):
    return numpy.array([[a[i + 1, j - 1] if i + 1 < m and 1 <= j else 0 for j in range(n)] for i in range(m)])


def softmax(a, **_):
    e = numpy.exp(a - a.max(1, keepdims=True, initial=-numpy.inf))
    return e / e.sum(1, keepdims=True)


def layer_norm(a, scale, shift, epsilon, **_):
    centred = a - a.sum(1, keepdims=True) / f32(a.shape[1])
    return centred / numpy.sqrt((centred * centred).sum(1, keepdims=True) / f32(a.shape[1]) + epsilon) * scale + shift


def max_pool(x, c, r, t, ho, wo, sh, sw, dh, dw, **_):
    return numpy.array([[[max((x[k, i * sh + a * dh, j * sw + b * dw] for a in range(r) for b in range(t)), default=-numpy.inf)
                          for j in range(wo)] for i in range(ho)] for k in range(c)])


def pool_fits(h, w, r, t, ho, wo, sh, sw, dh, dw, **_):
    return ho * sh + r * dh + 1 <= h + sh + dh and wo * sw + t * dw + 1 <= w + sw + dw


def of_product(m, n, k):
    return (m, k), (k, n)


ATTENTION = ("in Q, K, V;\nS<b, t, s>[z, i, j] = Q<b, t, d>[z, i, p] * K<b, s, d>[z, j, p] / sqrt(d);\nE<b, t, s>[z, i, j] = exp(S[z, i, j]);\n"
             "Z<b, t>[z, i] = E[z, i, j];\nO<b, t, d>[z, i, p] = E[z, i, j] / Z[z, i] * V<b, s, d>[z, j, p];")
PLANS = [("tiled", [], ""), ("plain", [], "parallel each m\ntile\n"), ("fused", ["--fma"], ""), ("versions", ["--targets", "generic,avx2,avx512"], "")]
KERNELS = [
    *[Kernel(f"product_{name}", "m n k", PRODUCT, of_product, product, words=["compile", *words], schedule=schedule) for name, words, schedule in PLANS],
    Kernel("bias", "m n k", PRODUCT[:-1] + " + b<n>[j];", lambda m, n, k: ((m, k), (k, n), (n,)), lambda a, b, c, **_: a @ b + c),
    Kernel("integers", "m n k", PRODUCT, of_product, product, kinds=[i64] * 3, held="type int64;\n"),
    Kernel("words", "m n k", PRODUCT, of_product, product, kinds=[i32] * 3, held="type int;\n"),
    Kernel("doubles", "m n k", PRODUCT, of_product, product, kinds=[f64] * 3, held="type double;\n"),
    Kernel("truths", "m n", "Y<m>[i] = select(M<m, n>[i, j] != 0, X<m, n>[i, j], 0);", lambda m, n: ((m, n), (m, n)),
           lambda a, x, **_: (a * x).sum(1), kinds=[bool, f32, f64], held="type bool M;\ntype double Y;\n"),
    Kernel("any_of", "m n", "Y<m>[i] = select(X<m, n>[i, j] != 0, 1, 0);", lambda m, n: ((m, n),), lambda x, **_: (x != 0).any(1),
           kinds=[f32, bool], held="type bool Y;\n"),
    Kernel("alone", "n", "S<1> = A<n>[i] * B<n>[i];", lambda n: ((n,), (n,)), lambda a, b, **_: a @ b),
    Kernel("alone_reordered", "n", "S<1> = A<n>[i] * B<n>[i];", lambda n: ((n,), (n,)), lambda a, b, **_: a @ b, words=["compile", "--reorder"]),
    Kernel("rows_reordered", "m n", "Y<m>[i] = A<m, n>[i, j] * X<n>[j];", lambda m, n: ((m, n), (n,)), product, words=["compile", "--reorder"]),
    Kernel("attention", "b t s d", ATTENTION, lambda b, t, s, d: ((b, t, d), (b, s, d), (b, s, d)), attention),
    Kernel("lanes", "n", "Y<n>[i] = tanh(X<n>[i]);", lambda n: ((n,),), lambda x, **_: numpy.tanh(x), words=["compile", "--lanes"]),
    Kernel("means", "m d", "S<m>[i] = X<m, d>[i, p] * X<m, d>[i, p] / d;\nY<m, d>[i, p] = X[i, p] / sqrt(S[i] + 1) * G<d>[p];", lambda m, d: ((m, d), (d,)),
           lambda x, g, **_: x / numpy.sqrt((x * x).sum(1, keepdims=True) / f32(max(x.shape[1], 1)) + 1) * g),
    Kernel("convolution", "n k c h r", "Y<n, k, h - r + 1>[b, o, i] = X<n, c, h>[b, q, i + e] * W<k, c, r>[o, q, e];",
           lambda n, k, c, h, r: ((n, c, h), (k, c, r)), convolution, from_one="h r", meets=lambda h, r, **_: h >= r,
           counts=[lambda h, r, **_: max(h - r + 1, 0)], base=7),
    Kernel("neighbours", "n", "Y<n>[i] = select(i + 1 < n, X<n>[i + 1], 0) - X<n>[i];", lambda n: ((n,),), neighbours),
    Kernel("flattened", "m n", "Y<m * n>[i] = X<m * n>[i] + S<m, n>[a, b];", lambda m, n: ((m * n,), (m, n)), lambda x, s, **_: x + s.sum()),
    Kernel("pairs", "n", "Y<n>[i] = X<2*n>[2*i] + 3 * X<2*n>[2*i + 1];", lambda n: ((2 * n,),), lambda x, **_: x[::2] + 3 * x[1::2]),
    # Functional programs, in which no size is at least 1 of itself.
    program("vector/dot_lanes", "m", lambda m: ((16 * m,), (16 * m,)), product),
    program("vector/product_split", "m parts", lambda m, parts: ((m * parts,), (m * parts,)), product),
    program("vector/reverse_vec", "n", lambda n: ((n,),), lambda x, **_: x[::-1]),
    program("vector/scale_vec_simd", "parts rest", lambda parts, rest: ((), (256 * parts + rest,)), lambda k, x, **_: k * x),
    program("vector/conv_taps", "n k", lambda n, k: ((n + k,), (k + 1,)), lambda x, w, n, k: numpy.array([x[i:i + k + 1] @ w for i in range(n)])),
    program("matrix/gemm_rows", "m n p", lambda m, n, p: ((), (), (m, n), (n, p), (m, p)), lambda alpha, beta, a, b, c, **_: alpha * (a @ b) + beta * c),
    program("matrix/matmul_tiled", "mt nt k", lambda mt, nt, k: ((4 * mt, k), (k, 16 * nt)), product),
    program("matrix/matmul_batched", "b m n p", lambda b, m, n, p: ((b, m, n), (b, n, p)), lambda xs, ys, **_: xs @ ys),
    program("matrix/l_mul_dl_rows", "m n", lambda m, n: ((m,), (m, n)), product),
    program("matrix/sum_mat_lanes", "m nt", lambda m, nt: ((m, 16 * nt),), lambda a, **_: a.sum()),
    program("matrix/trans_tiled", "mt nt", lambda mt, nt: ((16 * mt, 16 * nt),), lambda a, **_: a.T),
    program("block/sum_block_bands", "m1 n1 m n", lambda **s: (tuple(s.values()),), lambda a, **_: a.sum((0, 1))),
    program("network/softmax", "m n", lambda m, n: ((m, n),), softmax),
    program("network/layer_norm_simd", "m n", lambda m, n: ((m, n), (n,), (n,), ()), layer_norm),
    program("network/global_average_pool", "c n", lambda c, n: ((c, n),), lambda x, **_: x.sum(1) / f32(x.shape[1])),
    program("network/max_pool", "c h w r t ho wo sh sw dh dw", lambda c, h, w, **_: ((c, h, w),), max_pool, meets=pool_fits, base=1),
    program("network/dense_tiled", "m n pt", lambda m, n, pt: ((m, n), (8 * pt, n), (8 * pt,)), lambda x, w, b, **_: numpy.maximum(x @ w.T + b, 0)),
    program("vector/dot", "n", lambda n: ((n,), (1,)), lambda y, d, **_: d * y, words=["grad", "--to", "xs"]),
    program("matrix/matmul", "m n p", lambda m, n, p: ((n, p), (m, p)), lambda b, d, **_: d @ b.T, words=["grad", "--to", "a"]),
    program("network/batch_norm", "c n", lambda c, n: ((c, n),), lambda d, **_: d.sum(1), words=["grad", "--to", "shift"]),
    # Reads that conditions keep inside.
    program("around", "n", lambda n: ((n,), (n,)), around,
            body="x: num[n], y: num[n]) -> r: num[n] = generate i < n { if 1 <= i and i + 1 < n then x[i + 1] * y[i - 1] else -1 }"),
    program("causal", "n k", lambda n, k: ((n,), (k,)), causal,
            body="x: num[n], w: num[k]) -> r: num[n] = generate i < n { fold j < k with acc = 0 { if i < j then acc else acc + w[j] * x[i - j] } }"),
    program("diagonal", "m n", lambda m, n: ((m, n),), diagonal,
            body="a: num[m, n]) -> r: num[m, n] = generate i < m { generate j < n { if i + 1 < m and 1 <= j then a[i + 1][j - 1] else 0 } }"),
    program("fourth", "n", lambda n: ((n,),), lambda x, **_: x[3] if len(x) > 3 else 7, body="x: num[n]) -> r: num = if 3 < n then x[3] else 7"),
    # What has to do with a size and has no index over it.
    Kernel("divided", "m n", "S<m>[i] = X<m, n>[i, j];\nY<m>[i] = S[i] / n;", lambda m, n: ((m, n),), lambda x, **_: x.mean(1), from_one="n"),
    Kernel("first", "m n", "Y<m>[i] = X<m>[i] * W<n>[0];", lambda m, n: ((m,), (n,)), lambda x, w, **_: x * w[0], from_one="n"),
    Kernel("asked", "m n", "Y<m>[i] = select(n >= 1, X<m>[i], 0) + W<n>[j];", lambda m, n: ((m,), (n,)), lambda x, w, **_: x + w.sum(), from_one="n"),
    Kernel("required", "m n", "require n >= 1;\nY<m>[i] = X<m, n>[i, j];", lambda m, n: ((m, n),), lambda x, **_: x.sum(1), from_one="n"),
    Kernel("looked_up", "m v", "Y<m>[i] = T<v>[I<m>[i]];", lambda m, v: ((v,), (m,)), lambda t, i, **_: numpy.array([t[x] if 0 <= x < len(t) else 0 for x in i]),
           kinds=[f32, i64, f32], held="in T, I;\ntype int64 I;\n", from_one="v"),
    # Smaller than a domain is, not larger: of none there is none.
    Kernel("fewer", "m n", "require n >= m;\nY<m>[i] = X<n>[i] * W<n>[j] where 0 <= i < m;", lambda m, n: ((n,), (n,)), lambda x, w, m, **_: x[:m] * w.sum(),
           meets=lambda m, n: n >= m),
    # Derivatives: by A, by b, by V; the tangent by A; and one that is for n >= 1 alone, though nothing in it says so.
    Kernel("by_factor", "m n k", PRODUCT, lambda m, n, k: ((k, n), (m, n)), lambda b, d, **_: d @ b.T, words=["grad", "--to", "A"]),
    Kernel("by_bias", "m n k", PRODUCT[:-1] + " + b<n>[j];", lambda m, n, k: ((m, n),), lambda d, **_: d.sum(0), words=["grad", "--to", "b"]),
    Kernel("by_values", "b t s d", ATTENTION, lambda b, t, s, d: ((b, t, d), (b, s, d), (b, t, d)), by_values, words=["grad", "--to", "V"]),
    Kernel("forward", "m n k", PRODUCT, lambda m, n, k: ((k, n), (m, k)), lambda b, t, **_: t @ b, words=["grad", "--forward", "--to", "A"]),
    Kernel("supposed", "m n", "Y<m>[i] = select(j == 0, X<m>[i], 0) where 0 <= j < n;", lambda m, n: ((m,),), lambda d, **_: d, from_one="n",
           words=["grad", "--to", "X"]),
    Kernel("from_one_on", "m n", "Y<m>[i] = X<m>[i] + Z<m>[i] * W<n>[0];", lambda m, n: ((m,),), lambda d, **_: d, from_one="n", words=["grad", "--to", "X"]),
    # One element, one row at a position that only sizes say: the others have no part in it.
    Kernel("by_middle", "n", "Y<n>[i] = X<2 * n + 1>[n] * Z<n>[i];", lambda n: ((n,), (n,)), lambda z, d, n: numpy.array([z @ d if at == n else 0 for at in range(2 * n + 1)]),
           from_one="n", words=["grad", "--to", "X"]),
    Kernel("by_row", "m n", "Y<m, n>[i, j] = X<m + n, n>[m, j] * Z<m>[i];", lambda m, n: ((m,), (m, n)),
           lambda z, d, m, n: numpy.array([[z @ d[:, j] if at == m else 0 for j in range(n)] for at in range(m + n)]).reshape(m + n, n), from_one="m n",
           words=["grad", "--to", "X"]),
]


def in_own_process(libraries):
    """What differs, as lines of JSON."""
    for name, library in libraries.items():
        kernel = next(kernel for kernel in KERNELS if kernel.path == name)
        function = getattr(ctypes.CDLL(library), f"{kernel.name}_checked")
        for sizes in kernel.instances():
            print(json.dumps({"kernel": name, "sizes": sizes, "what": kernel.tried(function, sizes)}), flush=True)


if sys.argv[1] == "run":
    in_own_process(json.loads(sys.argv[2]))
    sys.exit(0)

vouch = Vouch(sys.argv[1])
check = Checks()
certified = Certified(vouch, check)


def run(libraries, preload=""):
    """Of each kernel the library, in a process of their own, which a sanitizer would end."""
    environment = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "2", "LD_PRELOAD": preload, "PYTHONMALLOC": "malloc" if preload else "default",
                   "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1", "PYTHONPATH": str(pathlib.Path(__file__).parent)}
    done = subprocess.run([sys.executable, __file__, "run", json.dumps(libraries)], capture_output=True, text=True, env=environment)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for name, library in libraries.items():
        tried = [line for line in lines if line["kernel"] == name]
        wrong = [line for line in tried if line["what"]]
        check.that(tried and not wrong, f"{name}, {library}: {len(tried)} tried, {wrong[:3]}")
    check.that(done.returncode == 0, f"exit {done.returncode} after {lines[-1:]}: {done.stderr[:800]}")
    return len(lines)


def shown(kernel, path):
    code, out, err = vouch("show", path)
    one = [s for s in kernel.from_one if f"require {s} >= 1" not in kernel.text]
    zero = [s for s in kernel.sizes if s not in one]
    lines = [f"sizes: {', '.join(names)} >= {least}\n" for least, names in enumerate((zero, one)) if names]
    check.that(code == 0 and out.startswith("".join(lines)), f"show {kernel.name}: exit {code}, {out[:200]} {err}")


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    sanitizer = ":".join(subprocess.run(["gcc", f"-print-file-name=lib{s}.so"], capture_output=True, text=True).stdout.strip() for s in ("asan", "ubsan"))
    folders, plain, sanitized = [], {}, {}
    for at, kernel in enumerate(KERNELS):
        shipped = pathlib.Path(sys.argv[2]) / f"kernels/{kernel.path}.fun"
        path = place / f"{kernel.name}.tk" if kernel.text else place / f"{kernel.name}.fun" if kernel.body else shipped
        if path != shipped:
            path.write_text(kernel.text or kernel.body)
        if kernel.schedule:
            path.with_suffix(".sched").write_text(kernel.schedule)
        if kernel.text and kernel.words[0] == "compile":
            shown(kernel, path)
        code, out, err = vouch(kernel.words[0], path, "-o", place / kernel.name, *kernel.words[1:])
        check.that(code == 0, f"{kernel.words} {kernel.name}: {err[:400]}")
        if code != 0:
            continue
        folders.append(place / kernel.name)
        source = folders[-1] / f"{kernel.name}.c"
        header = source.with_suffix(".h").read_text()
        for size in kernel.sizes:
            check.that((f"requires 1 <= {size}\n" in header) == (size in kernel.from_one), f"{kernel.name}: what its header requires of {size}")
        for compiler in certified.compilers if certified.by_each else certified.compilers[at % 4:at % 4 + 1]:
            plain.setdefault(compiler, {})[kernel.path] = str(certified.built(compiler, source, place))
        sanitized[kernel.path] = str(certified.built("gcc", source, place, SANITIZER))
    runs = sum(run(libraries) for libraries in plain.values()) + run(sanitized, sanitizer)
    check.that(runs > 1000, f"{runs} runs only")
    if certified.coq:
        guarded = [place / kernel.name for kernel in KERNELS if kernel.body]
        certified.verified(*(folders if certified.by_each else dict.fromkeys([*folders[::6], *guarded])))
check.end()
