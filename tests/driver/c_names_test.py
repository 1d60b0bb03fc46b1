#!/usr/bin/env python3
"""Names that C has taken are refused at their place with a name like them: macros, declarations and built-in functions that gcc and
clang tell of themselves, and what the C libraries define. The tables in C++ and Coq are the same, and Coq's check refuses the same
names. A compiler or library that is not there is named and skipped."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
MEMORY = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None  # thousands of small files
NAME = re.compile(r"[A-Za-z_]\w*\Z")
HEADERS = "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
USES = [[f"-std={std}", "-fopenmp", *define] for std in ("c99", "gnu17", "c2x")
        for define in ([], ["-D_GNU_SOURCE"], ["-D_POSIX_C_SOURCE=200112L"])]
KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex _Imaginary
_Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local alignas alignof bool constexpr false nullptr static_assert
thread_local true typeof typeof_unqual _BitInt _Decimal128 _Decimal32 _Decimal64""".split()  # ISO/IEC 9899:2023, 6.4.1
RESERVED = ["_x", "_X", "__x", "a__b", "omp_lock", "GOMP_barrier", "INT128_MAX", "PRIu128", "SCNd64", "E2BIG", "i386", "size_t"]
FUNCTIONS_ONLY = ["strange", "memory", "wcsx", "isolate", "tonic", "pthread_of_mine", "norm_checked"]
FREE = ["a", "b2", "xs", "W", "dX", "OH", "row_sum", "alpha", "mean", "x_1", "total", "top", "is_good", "conv2d", "softmax"]


def run(*words, text=""):
    return subprocess.run(words, input=text, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})


def macros(compiler):
    out = set()
    for use in USES:
        lines = run(compiler, *use, "-dM", "-E", "-x", "c", "-", text=HEADERS).stdout.splitlines()
        out |= {re.split(r"[ (]", line)[1] for line in lines if line.startswith("#define ")}
    return out


def declared():
    """What the headers declare, as clang's syntax tree says it."""
    out = set()
    for use in USES:
        tree = run("clang", *use, "-fsyntax-only", "-Xclang", "-ast-dump", "-x", "c", "-", text=HEADERS).stdout
        out |= set(re.findall(r"^[|`]-(?:Function|Typedef|Var)Decl [^'\n]*?(\w+) '", tree, re.M))
    return out


def known_to(compiler):
    """Functions that the compiler knows without a header: it objects to any other type of theirs."""
    program = run("gcc", "-print-prog-name=cc1").stdout.strip() if compiler == "gcc" else "/usr/lib/llvm-14/lib/libclang-cpp.so.14"
    if not pathlib.Path(program).exists():
        return set()
    known = set(re.findall(rb"(?:__builtin_)?([a-z][a-z0-9_]{1,30})\0", pathlib.Path(program).read_bytes()))
    text = "\n".join(f"struct q_{n} {{ int a; }}; struct q_{n} {n}(struct q_{n});" for n in sorted(k.decode() for k in known))
    said = run(compiler, "-fsyntax-only", *(["-ferror-limit=0"] if compiler == "clang" else []), "-x", "c", "-", text=text).stderr
    return set(re.findall(r"(?:built-in|library) function '(\w+)'", said))


def linked():
    out = set()
    for library in ("libc.so.6", "libm.so.6", "libgomp.so.1"):
        path = run("gcc", f"-print-file-name={library}").stdout.strip()
        out |= {line.split()[2].split("@")[0] for line in run("nm", "-D", "--defined-only", path).stdout.splitlines()
                if len(line.split()) == 3}
    return out


def refused(names, program, what):
    """One file for each name; every one must be refused at the name's place, with a name like it."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        for number, name in enumerate(names):
            pathlib.Path(folder, f"k{number}.fun").write_text(program % ((name,) * program.count("%s")))
        code, _, said = vouch("compile", folder, "-o", folder + "/out")
        check.that(code == 3, f"{what}: exit code {code}")
        errors = dict(re.findall(r"k(\d+)\.fun:1:\d+: error: '(\w+)' cannot name", said))
        words = dict(re.findall(r"k(\d+)\.fun:1:\d+: error: expected .*, found '(\w+)'\n.*\n.*\n  hint: that is a word of the language", said))
        for number, name in enumerate(names):
            check.that({**errors, **words}.get(str(number)) == name, f"{what} '{name}' was not refused")
        check.that(said.count("another name, such as '") == len(errors), f"{what}: not every name is followed by another one")
        written = sorted(path.name for path in pathlib.Path(folder).glob("out/*.c"))
        check.that(not written, f"{what}: {written[:5]} were compiled")


def rows(text, pattern):
    return {name.lower(): " ".join(re.findall(r"[^\s\"]+", row)) for name, row in re.findall(pattern, text)}


coq = rows((root / "coq/certify/CWords.v").read_text(), r'Definition (\w+) : text :=\n"([^"]*)"')
cpp = rows((root / "src/support/c_words.cpp").read_text(), r'string_view k(\w+) =\s*((?:"[^"]*"\s*)+);')
check.that(len(coq) == 5 and coq == cpp, "the tables in coq/certify/CWords.v and src/support/c_words.cpp differ")

everywhere, functions = set(KEYWORDS + RESERVED), set(FUNCTIONS_ONLY)
for compiler in ("gcc", "clang"):
    if not shutil.which(compiler):
        print(f"skipped: {compiler} is not there")
        continue
    found, built_in = macros(compiler), known_to(compiler)
    check.that(len(found) > 900, f"{compiler} tells of {len(found)} macros only")
    check.that(len(built_in) > 250 or compiler == "clang", f"{compiler} tells of {len(built_in)} functions only")
    everywhere |= found | built_in
if shutil.which("clang"):
    names = declared()
    check.that({"malloc", "size_t", "expf", "y0"} <= names and len(names) > 500, f"the headers declare {len(names)} names only")
    everywhere |= names
if shutil.which("nm"):
    names = linked()
    check.that({"write", "omp_get_thread_num"} <= names, "the libraries define what they must")
    functions |= names
everywhere = sorted(name for name in everywhere if NAME.match(name))
functions = sorted(name for name in functions if NAME.match(name) and name not in everywhere)
print(f"{len(everywhere)} names for anything, {len(functions)} for functions")
refused(everywhere, "kernel %s(sizes n; a: num[n]) -> b: num[n] = map x in a { x }\n", "kernel")
refused(functions, "kernel %s(sizes n; a: num[n]) -> b: num[n] = map x in a { x }\n", "kernel")
refused(everywhere, "kernel k1(sizes %s; a: num[%s]) -> b: num[%s] = map x in a { x }\n", "size")
refused(everywhere, "kernel k1(sizes n; %s: num[n]) -> b: num[n] = map x in %s { x }\n", "input")
refused(everywhere, "kernel k1(sizes n; a: num[n]) -> %s: num[n] = map x in a { x }\n", "output")

with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
    for name in FREE:
        pathlib.Path(folder, f"{name}.fun").write_text(f"kernel k_{name}(sizes n; {name}: num[n]) -> y: num[n] = map e in {name} {{ e }}\n")
        pathlib.Path(folder, f"{name}.tk").write_text(f"kernel t_{name};\nin {name};\nout y;\ny<4>[i] = {name}<4>[i];\n")
    code, _, said = vouch("compile", folder, "-o", folder + "/out")
    check.that(code == 0 and len(list(pathlib.Path(folder).glob("out/*.c"))) == 2 * len(FREE), f"free names were refused: {said}")
    tk = pathlib.Path(folder, "taken.tk")
    for text, place in (("kernel memcpy;\nin B;\nout A;\nA<4>[i] = B<4>[i];\n", "1:8"), ("in NULL;\nout A;\nA<4>[i] = NULL<4>[i];\n", "1:4"),
                        ("kernel k;\nin B;\nout A;\nA<linux>[i] = B<linux>[i];\n", "4:3")):
        tk.write_text(text)
        code, _, said = vouch("compile", tk, "-o", folder + "/out")
        check.that(code == 3 and f"taken.tk:{place}: error: '" in said and "cannot name" in said and "such as" in said, f"{text}: {said}")
    # A macro of a header that is not the text's own, but may be read before the kernel's header.
    tk.write_text("kernel gathered;\ntype int64 I;\nin T, I, I_;\nout y;\ny<J>[i] = T<5>[I<J>[i]] + I_<J>[i];\n")
    code, _, said = vouch("compile", tk, "-o", folder + "/imaginary")
    check.that(code == 0, f"an input I: {said}")
    for compiler in filter(shutil.which, ("gcc", "clang")):
        done = run(compiler, "-Wall", "-Werror", "-fsyntax-only", f"-I{folder}/imaginary", "-x", "c", "-",
                   text="#include <complex.h>\n#include <tgmath.h>\n#include <iso646.h>\n#include \"gathered.h\"\n")
        check.that(done.returncode == 0, f"{compiler}: a header after <complex.h>: {done.stderr[:600]}")
    nested = pathlib.Path(folder, "nested.fun")
    for inner in ("par", "vec"):
        nested.write_text("kernel nested(sizes m, n; a: num[m, n]) -> b: num[m, n] =\n"
                          f"  map vec row in a {{ map {inner} x in row {{ x + 1 }} }}\n")
        code, _, said = vouch("compile", nested, "-o", folder + "/nested")
        check.that(code == 3 and "nested.fun:2:26: error: a loop" in said and not pathlib.Path(folder, "nested", "nested.c").exists(),
                   f"a loop '{inner}' in lanes: {said}")
check.end()
