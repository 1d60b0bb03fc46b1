#!/usr/bin/env python3
"""A second opinion on the model of C: what Frama-C, whose account of C is its own, says of texts that Coq certifies.

Each text is read by Frama-C with its loops in order (it knows no OpenMP), and run by its value analysis on numbers, as a 64-bit and as a
32-bit machine: nothing that C leaves undefined may happen (overflow of integers, an index outside of an array, a variable without a value),
and what is left in the output has to be what the text leaves compiled by gcc, or what exact arithmetic says, bit for bit. The types of
subterms are compared, too: where C converts an operand silently, Frama-C's normal form says so, and in a body that is certified nothing
but a literal may be converted. Texts with a fault have to be told."""
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "driver"))
from command import Checks, Vouch  # noqa: E402

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
TYPES = r"u?int\d+_t|_Bool|bool|float|double|(?:unsigned |signed )?(?:long long|long|int|short|char)"
MACHINES = ["gcc_x86_64", "gcc_x86_32"]
ANALYSIS = ["-eva", "-eva-slevel", "1000000", "-eva-no-alloc-returns-null", "-eva-alloc-builtin", "fresh", "-warn-special-float", "none", "-float-hex", "-c11",
            "-eva-msg-key=-final-states,-initial-state", "-kernel-warn-key", "parser:decimal-float=inactive"]

# Kernels of the tree, with what `compile` is told of each: loops on threads, lanes, tiles, temporaries on the heap, windows, guards, maxima.
SHIPPED = [("vector/dot.fun", []), ("matrix/matmul_batched_rows.fun", []), ("matrix/trans_tiled.fun", []),
           ("block/axpy_block_simd.fun", []), ("block/sum_block_bands.fun", []), ("network/average_pool_rows.fun", []),
           ("network/max_pool_rows.fun", []), ("network/conv2d_rows.fun", []), ("network/relu_simd.fun", []), ("index/conv_sizes.tk", []),
           ("index/mttkrp.tk", []), ("index/refold.tk", []), ("index/window_mean.tk", [])]

# Kernels of every construct that those have not: types of elements, conversions, literals, indices as values, reads at data, divisions of
# indices, selects, copies and tiles of numbers.
WRITTEN = {
    "whole": "size n;\nin a, b;\nout r;\ntype int;\nr<n>[i] = max(a<n>[i] * b<n>[i] - 7, abs(a[i])) + select(a[i] < b[i], -1, 3);",
    "long_whole": "size n;\nin a, b;\nout r;\ntype int64;\nr<n>[i] = min(a<n>[i] * b<n>[i] - 7, -b[i]) + 3000000000;",
    "counts": "size n;\nin a, b;\nout r;\ntype uint64;\nr<n>[i] = max(a<n>[i] * b<n>[i] - 7, a[i]) + select(a[i] <= b[i], 1, 3);",
    "words": "size n;\nin a, b;\nout r;\ntype int64;\ntype uint32 a;\ntype uint32 b;\ntype uint32 r;\nr<n>[i] = a<n>[i] * b<n>[i] - 7;",
    "bytes": "size n;\nin a, b;\nout r;\ntype int;\ntype uint8 a;\ntype int8 b;\ntype int8 r;\nr<n>[i] = a<n>[i] * b<n>[i] - 7;",
    "truths": "size n;\nin a, b;\nout r;\ntype int64;\ntype bool r;\nr<n>[i] = select(a<n>[i] == b<n>[i], 1, 0);",
    "doubles": "size n;\nin a, b;\nout r;\ntype double;\nr<n>[i] = (a<n>[i] - 0.1) / b<n>[i];",
    "narrowed": "size n;\nin a, b;\nout r;\ntype double;\ntype float a;\ntype int64 b;\ntype float r;\nr<n>[i] = a<n>[i] * 3 + b<n>[i];",
    "cut": "size n;\nin a, b;\nout r;\ntype float;\ntype int r;\nr<n>[i] = a<n>[i] * 0.5 + b<n>[i];",
    "places": "size n;\nin a;\nout r;\nr<n>[i] = a<n>[i] * i + (i // 3);",
    "chosen": "size n;\nsize m;\nin a, k;\nout r;\ntype int64 k;\nr<n>[i] = a<m>[k<n>[i]];",
    "shifted": "in a;\nout r;\nr<20>[i] = a<40>[2*i] - a[39 - i] + select(i % 3 == 1, 1, 0.25);",
    "product": "out C;\nC<33,18>[i,j] = A<33,20>[i,k] * B<20,18>[k,j];",
    "finished": "out r;\ns<24,16>[i,j] = A<24,16>[i,k] * B<16,16>[k,j];\nr<24,16>[i,j] = max(s[i,j] + b<16>[j], 0);",
}


class Text:
    """A certified text, and how it is called: its parameters, and what its checked form says of sizes and lengths."""

    def __init__(self, source):
        self.name, self.text = source.stem, source.read_text()
        self.sequential = re.sub(r"^ *#pragma .*\n", "", self.text, flags=re.MULTILINE)
        prototype = re.search(rf"^void {self.name}\((.*)\) {{$", self.text, re.MULTILINE).group(1).split(", ")
        self.parameters = [re.fullmatch(r"(const )?(\w+) (\*restrict )?(\w+)", p).groups() for p in prototype]
        self.sizes = [name for _, kind, pointer, name in self.parameters if kind == "int64_t" and not pointer and f"if ({name} < 0)" in self.text]
        self.lengths = dict(re.findall(r"if \(missing\((\w+), (.*)\)\) return 4;", self.text))
        self.required = re.findall(r"if \((.*)\) return 3;", self.text)

    @staticmethod
    def value(term, sizes):
        return eval(term, {"size_sum": lambda a, b: a + b, "size_product": lambda a, b: a * b, "INT64_MAX": 2 ** 63 - 1}, dict(sizes))

    def instances(self):
        """Sizes that the text takes: the least, and two others."""
        drawn = random.Random(1)
        tried = [(n,) * len(self.sizes) for n in (0, 1, 2, 3)] + [tuple(drawn.randint(0, 4 if len(self.sizes) > 2 else 9) for _ in self.sizes) for _ in range(5000 if self.sizes else 0)]
        found = [sizes for sizes in (dict(zip(self.sizes, some)) for some in tried) if not any(self.value(term, sizes) for term in self.required)]
        check.that(bool(found), f"{self.name}: there are sizes")
        found.sort(key=lambda sizes: sum(sizes.values()))
        output = self.parameters[-1][3]
        elements = lambda sizes: self.value(self.lengths[output], sizes) if output in self.lengths else 1
        several = [sizes for sizes in found if 2 <= elements(sizes) <= 40] or [sizes for sizes in found if elements(sizes)]
        return [one for k, one in enumerate((found[0], several[0], several[-1])) if k == 0 or one != found[0]]


NUMBERS = {"float": ["1.5f", "-0x1.99999ap-4f", "3.0f", "0x1p-149f", "-7.25f", "0x1.8p33f"], "double": ["1.5", "-0x1.999999999999ap-4", "1e300", "0.25", "-3.0"],
           "int32_t": ["0", "1", "-1", "2147483647", "(-2147483647 - 1)", "46341", "-5"], "bool": ["0", "1"],
           "int64_t": ["0", "1", "-1", "INT64_MAX", "INT64_MIN", "INT64_C(3037000500)", "-5"], "uint64_t": ["0", "1", "UINT64_MAX", "UINT64_C(1) << 63", "5"],
           "uint32_t": ["0", "1", "4294967295u", "65537u", "5"], "uint8_t": ["0", "1", "255", "128"], "int8_t": ["0", "-1", "127", "-128"]}


def inputs(text, name, kind, count):
    """Elements of each kind in turn; positions that are data go beyond both ends."""
    if text.name == "chosen" and name == "k":
        return [str(k) for k in range(-2, count - 2)]
    values = NUMBERS[kind]
    return [values[(k + ord(name[0]) + k // len(values)) % len(values)] for k in range(count)]


def shown(place, kind, label, peer):
    """A statement that shows an element: to Frama-C, or on standard output."""
    if peer:
        return f"  Frama_C_show_each_{label}({place});"
    form, wide = ("%a", "double") if kind in ("float", "double") else ("%llu", "unsigned long long") if kind == "uint64_t" else ("%lld", "long long")
    return f'  printf("{label}: {{{form}}}\\n", ({wide}){place});'


def calls(text, peer):
    """Statements that call the text at each of its instances, and show each element of its output."""
    lines = []
    for at, sizes in enumerate(text.instances()):
        given = []
        for const, kind, pointer, name in text.parameters:
            if not pointer:
                given.append(str(sizes[name]) if name in sizes else NUMBERS[kind][0])
                continue
            count = text.value(text.lengths[name], sizes) if name in text.lengths else 1
            array = f"{name}_{at}"
            values = inputs(text, name, kind, count) if const else []
            lines.append(f"  static {kind} {array}[{max(count, 1)}] = {{{', '.join(values) or '0'}}};")
            given.append(array)
        lines.append(f"  {text.name}({', '.join(given)});")
        lines += [shown(f"{array}[{k}]", kind, f"{at}_{k}", peer) for k in range(count)]
    return lines


def program(text, peer):
    """The output is a text's last parameter. Frama-C knows what malloc does, and of memory that is aligned a specification alone."""
    headers = ["#include <stdbool.h>", "#include <stdint.h>", "#include <stdio.h>", "#include <stdlib.h>"]
    if peer:
        headers.append("int posix_memalign(void **p, size_t alignment, size_t size) { *p = malloc(size); return 0; }")
    prototype = re.search(rf"^void {text.name}\(.*\) {{$", text.text, re.MULTILINE).group(0)[:-2] + ";"
    return "\n".join([*headers, prototype, "int main(void) {", *calls(text, peer), "  return 0;", "}", ""])


def number(word):
    """As Frama-C or printf writes it; of numbers that are none all are alike, zeros are not."""
    if re.fullmatch(r"-?\d+", word):
        return "-0" if word == "-0" else int(word)
    value = float(word) if "n" in word.lower() else float.fromhex(word)
    return "NaN" if value != value else "-0" if value == 0 and word.startswith("-") else value


def values(output):
    """Of each label what was shown, in order: once, if all is decided."""
    found = {}
    for label, word in re.findall(r"(\d+_\d+): (.*)", output):
        known = re.fullmatch(r"\{(\S+)\}", word)
        found.setdefault(label, []).append(number(known.group(1)) if known else word)
    return found


def compiled(text, place):
    (place / "compiled.c").write_text(program(text, False))
    done = subprocess.run(["gcc", "-std=c11", "-O1", "-ffp-contract=off", place / "compiled.c", place / f"{text.name}.c", "-lm",
                           "-o", place / "compiled"], capture_output=True, text=True)
    check.that(done.returncode == 0, f"gcc: {done.stderr[:500]}")
    return values(subprocess.run([place / "compiled"], capture_output=True, text=True).stdout)


def analysed(text, place, machine):
    (place / "analysed.c").write_text(program(text, True))
    done = subprocess.run(["frama-c", "-machdep", machine, *ANALYSIS, place / "analysed.c", place / f"{text.name}.c"],
                          capture_output=True, text=True, cwd=place)
    check.that(done.returncode == 0, f"frama-c: {(done.stdout + done.stderr)[-500:]}")
    return values(done.stdout), re.findall(r"\[eva:alarm\] (.*\n.*)", done.stdout)


def silent_conversions(text, place):
    """Casts in Frama-C's normal form of what the text's function does, but those that the text has, and those of literals."""
    done = subprocess.run(["frama-c", "-c11", "-kernel-verbose", "0", "-print", place / f"{text.name}.c"], capture_output=True, text=True)
    functions = [name for name in (f"{text.name}_tried", text.name) if re.search(rf"^(static )?void {name}\(", text.text, re.MULTILINE)]
    body = re.search(rf"void {functions[0]}\([^{{]*\{{(.*?)^\}}", done.stdout, re.MULTILINE | re.DOTALL)
    check.that(body is not None, f"{text.name}: its function in the normal form")
    body = body.group(1) if body else ""
    casts = re.findall(rf"\((?:{TYPES})\)\s*([^ ,;)]*)", body)
    return [cast for cast in casts if not of_literals(cast, body)]


def of_literals(term, body):
    """A literal, or what only chooses between literals, for which the normal form has a variable."""
    if re.fullmatch(r"-?\d+", term):
        return True
    chosen = re.findall(rf"\b{term} = (.*?);", body) if re.fullmatch(r"tmp(_\d+)?", term) else []
    return bool(chosen) and all(of_literals(one.strip("()"), body) for one in chosen)


def written(place):
    """The sources, and what `compile` makes of them, without what only threads and lanes read."""
    made = []
    for name, text in WRITTEN.items():
        (place / f"{name}.tk").write_text(f"kernel {name};\n{text}\n")
    for source, options in [(root / "kernels" / name, options) for name, options in SHIPPED] + [(place / f"{name}.tk", []) for name in WRITTEN]:
        folder = place / f"{len(made)}"
        code, _, err = vouch("compile", source, *options, "-o", folder)
        check.that(code == 0, f"compile {source.name} {options}: {err[:400]}")
        made.append(Text(folder / f"{source.stem}.c"))
    return made


def against(text, place, machine, expected):
    """What Frama-C finds undefined, and the elements that it says are others."""
    found, alarms = analysed(text, place, machine)
    return alarms, [(label, found.get(label), expected.get(label)) for label in sorted(found.keys() | expected.keys()) if found.get(label) != expected.get(label)]


def agree(text, place):
    (place / f"{text.name}.c").write_text(text.sequential)
    silent = silent_conversions(text, place)
    check.that(not silent, f"{text.name}: converted without a word: {silent[:5]}")
    expected = compiled(text, place)
    check.that(len(expected) > 1, f"{text.name}: {len(expected)} elements")
    for machine in MACHINES:
        alarms, wrong = against(text, place, machine, expected)
        check.that(not alarms, f"{text.name}, {machine}: {alarms[:3]}")
        check.that(not wrong, f"{text.name}, {machine}: {len(wrong)} of {len(expected)} elements differ: {wrong[:3]}")
    return expected


# A text, what is changed in it, and what Frama-C has to say: a word of an alarm, or that elements differ, or what is converted.
FAULTS = [("whole", "(int32_t)((uint32_t)a * (uint32_t)b)", "a * b", "signed overflow"), ("whole", "(uint32_t)a + (uint32_t)b", "(uint32_t)a - (uint32_t)b", "differ"),
          ("dot", "i4 < n", "i4 <= n", "out of bounds"), ("dot", "v3 = 0.0f;", "", "uninitialized"), ("dot", "(v3 + ", "(v3 + 0.1 * ", "converted"),
          ("bytes", "int32_of_uint8(a[", "int32_of_int8(a[", "converted"), ("cut", "a >= -0x1p31 && a < 0x1p31 ? (int32_t)a : INT32_MIN", "(int32_t)a", "overflow"),
          ("chosen", "0 <= ", "-1 <= ", "out of bounds"), ("long_whole", "3000000000", "3000000001", "differ")]


def told(text, place, expected, before, after, words):
    changed = text.sequential.replace(before, after, 1)
    check.that(changed != text.sequential, f"{text.name} has no place for '{after}': {text.sequential}")
    (place / f"{text.name}.c").write_text(changed)
    alarms, wrong = against(text, place, MACHINES[0], expected)
    said = " ".join([*alarms, "differ" * bool(wrong), "converted" * bool(silent_conversions(text, place))])
    check.that(words in said, f"{text.name} with '{after}': {said[:300]}")


if shutil.which("frama-c") is None:
    print("not run: frama-c is not there (Debian: frama-c-base)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    texts = {text.name: text for text in written(place)}
    expected = {name: agree(text, place) for name, text in texts.items()}
    print(f"{len(texts)} texts, {sum(map(len, expected.values()))} elements")
    for name, before, after, words in FAULTS:
        told(texts[name], place, expected[name], before, after, words)
check.end()
