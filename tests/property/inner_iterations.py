#!/usr/bin/env python3
"""inner_iterations.py VOUCH: how often the innermost statement of gradients runs, counted by gcov in the certified C text. The least
is the number of the kernel's own iterations, since each belongs to one element of the gradient; it is counted here, without
Vouch. The text must come to the least, or, where that is below the number of the gradient's elements, each of which is written
once, to that.
"""
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

Case = collections.namedtuple("Case", "name text target least most")


def case(name, text, target, extents, most, inside=lambda *indices: True):
    least = sum(1 for point in itertools.product(*map(range, extents)) if inside(*point))
    return Case(name, text, target, least, most)


# The extents are those of the kernel's indices, worked out by hand.
CASES = [
    case("convolution", "Y<2, 3, 20, 20>[n, k, p, q] = X<2, 2, 22, 22>[n, c, p + r, q + s] * W<3, 2, 3, 3>[k, c, r, s];", "X",
         [2, 3, 20, 20, 2, 3, 3], 1.0),
    case("convolution, stride 2", "Y<2, 3, 16, 16>[n, k, p, q] = X<2, 2, 33, 33>[n, c, 2*p + r, 2*q + s] * W<3, 2, 3, 3>[k, c, r, s];", "X",
         [2, 3, 16, 16, 2, 3, 3], 1.0),
    case("convolution, stride 3, window 2", "Y<3, 16, 16>[k, p, q] = X<2, 47, 47>[c, 3*p + r, 3*q + s] * W<3, 2, 2, 2>[k, c, r, s];", "X",
         [3, 16, 16, 2, 2, 2], 1.0),
    case("convolution, dilation 2", "Y<3, 20, 20>[k, p, q] = X<2, 24, 24>[c, p + 2*r, q + 2*s] * W<3, 2, 3, 3>[k, c, r, s];", "X",
         [3, 20, 20, 2, 3, 3], 1.0),
    case("stride 2 and dilation 3", "Y<30>[p] = X<65>[2*p + 3*r] * W<3>[r];", "X", [30, 3], 1.0),
    case("3*i + 5*k", "Y<40>[i] = X<200>[3*i + 5*k] * W<17>[k];", "X", [40, 17], 1.0),
    case("negative coefficients", "Y<30>[p] = X<70>[64 - 2*p - r] * W<4>[r];", "X", [30, 4], 1.0),
    case("diagonal", "Y<40>[i] = X<40, 40>[i, i] * X<40, 40>[i, 0];", "X", [40, 2], 20.0),
    case("fold", "Y<120>[i] = X<4, 5, 6>[i // 30, i // 6 % 5, i % 6];", "X", [120], 1.0),
    case("broadcast", "Y<20, 30>[i, j] = X<20>[i] * B<30>[j];", "X", [20, 30], 1.0),
    case("weights of a convolution", "Y<2, 3, 20, 20>[n, k, p, q] = X<2, 2, 22, 22>[n, c, p + r, q + s] * W<3, 2, 3, 3>[k, c, r, s];", "W",
         [2, 3, 20, 20, 2, 3, 3], 1.0),
    case("transposed convolution", "Y<2, 34>[n, z] = select(z - k >= 0 && z - k < 32, X<2, 3, 32>[n, c, z - k] * W<3, 3>[c, k], 0);", "X",
         [2, 34, 3, 3], 1.0, lambda n, z, c, k: 0 <= z - k < 32),
    case("lower triangle", "Y<30, 30>[i, j] = select(j <= i, X<30, 30>[i, k] * B<30, 30>[k, j], 0);", "B", [30, 30, 30], 1.0,
         lambda i, j, k: j <= i),
]


def innermost_of_loops(lines):
    """What is within each loop that has no loop inside."""
    loops = [n for n, line in enumerate(lines) if re.match(r"\s*for \(", line)]
    depth = lambda n: len(lines[n]) - len(lines[n].lstrip())
    out = []
    for n in loops:
        inside = list(itertools.takewhile(lambda m: depth(m) > depth(n), range(n + 1, len(lines))))
        if inside and not any(m in loops for m in inside):
            out.append([m + 1 for m in inside])
    return out


def count(source, header, name, folder):
    """Compiles the text for gcov, calls it once on zeros, and adds up the executions of its innermost lines."""
    signature = re.search(rf"\b{name}\((.*?)\);", header.read_text(), re.S).group(1)
    arguments = ", ".join("(void *)calloc(1 << 22, 4)" for _ in signature.split(","))
    # One thread and no optimisation: gcov's counters are exact then.
    (folder / "main.c").write_text(f'#include <stdlib.h>\n#include "{header}"\nint main(void) {{ {name}({arguments}); return 0; }}\n')
    program = folder / "counted"
    subprocess.run(["gcc", "-O0", "-w", "--coverage", source, folder / "main.c", "-o", program, "-lm"], check=True, cwd=folder)
    subprocess.run([program], check=True, cwd=folder)
    data = next(folder.glob(f"*{source.stem}.gcda"))
    said = subprocess.run(["gcov", "--json-format", "--stdout", data.name], check=True, cwd=folder, capture_output=True, text=True).stdout
    counted = {line["line_number"]: line["count"] for file in json.loads(said)["files"] if pathlib.Path(file["file"]).name == source.name
               for line in file["lines"]}
    # What a group of lines executes is the most of its lines.
    return sum(max(counted.get(line, 0) for line in group) for group in innermost_of_loops(source.read_text().splitlines()))


def executed(vouch, item, place):
    """Executions of the innermost statements of the certified text."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=place))
    names = ", ".join(sorted(set(re.findall(r"([A-Z])<", item.text)) - {"Y"}))
    (folder / "kernel.tk").write_text(f"kernel counted_kernel; in {names}; out Y; grad {item.target}; {item.text}")
    subprocess.run([vouch, "grad", folder / "kernel.tk", "-o", folder], check=True, capture_output=True)
    counts = folder / "counts"
    counts.mkdir()
    return count(folder / "counted_kernel.c", folder / "counted_kernel.h", "counted_kernel", counts)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        for item in CASES:
            found = executed(sys.argv[1], item, pathlib.Path(place))
            good = item.least <= found <= item.most * item.least
            failed += not good
            print(f"{'' if good else 'FAILED: '}{item.name}: least {item.least}, certified {found}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
