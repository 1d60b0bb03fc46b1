"""What those write who are new here: each mistake is answered with how it is said, and each kernel that the languages can say compiles.
Differences judge gradients also beside a corner, at sizes that stay small."""
import pathlib
import re
import sys
import tempfile

from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
checks = Checks()
top = pathlib.Path(tempfile.mkdtemp())

# Statements of one kernel, and what the message must hold.
INDEX = {
    "Y<m>[i] = max[j](X<m, n>[i, j]);": "sums alone.*reduce x in xs with acc = -inf",
    "Y<m>[i] = sum[j](X<m, n>[i, j]);": "'sum' over an index.*not on the left is summed over",
    "Y<n>[i] = max(X<n>[i]);": "takes 2 arguments, found 1.*of two elements",
    "Y<n>[i] = relu(X<n>[i]);": "unknown function 'relu'.*max\\(x, 0\\)",
    "Y<n>[i] = gamma(X<n>[i]);": "unknown function 'gamma'.*functions: exp",
    "Y<n>[i] = X<n>[i] ** 2;": "k.tk:4:20.*pow\\(x, 2\\)",
    "Y<n>[i] = X<n>[i] > 0 ? X<n>[i] : 0;": "found a condition.*select\\(condition, then, else\\)",
    "Y<n>[i] = if X<n>[i] > 0 then 1 else 0;": "select\\(condition, then, else\\)",
    "Y<n>[i] = X<n>[i] * 0.5f;": "found 'f'.*no suffix",
    "Y<n>[i] = 2X<n>[i];": "found 'X'.*a product is written 2 \\* x",
    "Y<n>[i] := X<n>[i];": "expected '=', found ':'.*Y<n>\\[i\\] = …",
    "Y<n>[i] = X<n>[i]": "k.tk:4:18: error: expected ';', found the end\n  Y",
    "Y<m, n>[i][j] = X<m, n>[i, j];": "rank 2 but 1 subscript\n.*one pair of brackets: Y\\[i, j\\]",
    "Y<m, n>(i, j) = X<m, n>(i, j);": "rank 2 but 0 subscripts.*one pair of brackets: Y\\[i, j\\]",
    "Y<n/2>[i] = X<n>[2*i];": "expected a size.*n // 2",
    "Y<>[] = X<n>[i];": "expected a size, found '>'.*C<1>",
    "Y<n>[i] = X<n>[i] where i < n;": "found the index 'i'.*where 0 <= i < n",
    "Y<n>[i] = X<n>[j] where 0 <= i < n, 0 <= k < j;": "select\\(k <= j",
    "// copy": "comments begin with #",
    "for i in n: Y[i] = X[i];": "unknown header 'for'.*says what an element is",
    "type float32;": "found 'float32'.*written float\n",
    "in float A;": "expected ';', found 'A'.*type float A;",
    "Y<n>[i] = X<n>[i] ^ 2;": "pow\\(x, 2\\)",
    "Y<n>[i] = X<n>[i] if i < 3 else 0;": "select\\(condition, then, else\\)",
    "Y<n>[i] = select(i < 3 and i < 4, 1, 0);": "joined by &&",
    "Y<n>[i] += X<n, m>[i, j];": "expected '=', found '\\+'.*sums over j",
    "Y<n>[i] = select(X<n>[i], 1, 0);": "expected a condition, found a value.*compare it: `X<n>\\[i\\] != 0`",
    "Y<n>[i] = X<n>[j] where 0 <= i < n, 0 <= j < i;": "begins and ends with sizes, found the index 'i'.*select\\(j <= i",
    "Y<n, 2*d>[i, k] = X<n, d>[i, k % d];": "divisor must be a positive constant.*--size NAME=VALUE",
    "Y<n, n>[i, i] = X<n>[i];": "distinct plain indices.*select\\(i == j",
    "Y<n>[i] = W<n>[i];": "no statement reads the input 'X': the C function does not take it.*neither an input.*in A, B;",
    "size n(4);": "expected ';', found '\\('.*headers name tensors",
    "Y<n>[i] = X<n>[i] * 1e401;": "exponent beyond 400",
    "Y<n>[i] = X<n>[i] * 1e;": "expected ';', found 'e'",
}
FUNCTIONAL = {
    "map x in X { relu(x) }": "no function 'relu' here.*max\\(x, 0\\)",
    "map x in X { gamma(x) }": "no function 'gamma' here.*functions of numbers: neg, abs",
    "map x in X { x ** 2 }": "pow\\(x, 2\\)",
    "map x in X { x && 1 }": "expected '}'.*select\\(c, a, b\\)",
    "map x in X { let y = x * x; y }": "expected 'in'.*let y = x \\* x in y",
    "map x in X { return x }": "one term, which is its value",
    "map x in X { x + y }": "no variable 'y' here.*names here: x, X",
    "map x in X { x": "k.fun:1:59: error: expected '}'.*found the end of the file\n  kernel",
    "for x in X { x }": "no variable 'for'.*map x in xs",
    "map (x in X) { x }": "found '\\('.*map x in xs",
    "map x, y in X, X { x + y }": "zip\\(xs, ys\\).*map x@i in xs",
    "map parallel x in X { x }": "par, vec, unroll and seq",
    "reduce x in X { acc + x }": "expected 'with'.*with acc = 0",
    "generate i in n { X[i] }": "expected '<'.*generate i < n",
    "X.reverse()": "expected a size, found '\\)'.*reverse\\(length\\), or reverse",
    "X.map(x => x)": "no layout 'map'.*map x in xs",
    "X.reshape(2)": "no layout 'reshape'.*layouts: fst, snd",
    "map x in X { sum(X) }": "no function 'sum' here.*reduce x in xs with acc = 0",
    "map x in X { t = x * x }": "no variable 't' here.*let t = … in …",
    "map x in X { if x < 0 then 0 else x }": "position or a size, found 'x', which is computed.*select\\(x < y, a, b\\)",
    "map x in X { x / n }": "'n' is a size, expected a number.*take it as an input",
    "generate i < n { reduce x in X.slice(0, i + 1) with acc = 0 { acc + x } }": "found the position 'i'.*the same at all positions",
    "map w in X.slide(n, 1) { w[0] }": "expected ',' after a size.*slide\\(windows, width, stride, dilation\\)",
    "map X (x => x)": "expected 'in'.*map x in xs",
    "map (x, y) in zip(X, X) { x }": "found '\\('.*map p in zip\\(xs, ys\\)",
    "map x in X, y in X { x + y }": "expected '{'.*zip\\(xs, ys\\)",
    "map x in X: x": "expected '{'.*between braces",
    "map x in X { x > 0 ? x : 0 }": "found '>'.*select\\(y < x, a, b\\)",
    "map x in X { x };": "the end of the kernel, found ';'.*nothing ends it",
    "map x@i in X { X[i + 1] }": "in 0 <= … < n.*if i \\+ 1 < n then xs\\[i \\+ 1\\] else 0",
    "reduce x in X with acc = 0 { acc += x }": "nothing is assigned.*acc \\+ x",
}
# Heads of functional programs.
HEADS = {
    "kernel f(n; xs: num[n]) -> out: num[n] = xs": "sizes stand first",
    "kernel f(sizes n, xs: num[n]) -> out: num[n] = xs": "the sizes end with ';'",
    "// doubles\nkernel f(sizes n; xs: num[n]) -> out: num[n] = xs": "comments begin with #",
    "kernel f(sizes n; xs: num n) -> out: num[n] = xs": "xs: num\\[n\\]",
    "kernel f(sizes n; xs: num[n][n]) -> out: num[n] = xs": "num\\[m, n\\]",
    "kernel f(sizes n; xs: num[n]) = xs": "expected '->'.*-> out: num\\[n\\]",
    "kernel f(sizes n; xs: num[n]) -> out: num[n] { xs }": "the head ends with '='",
    "def f(sizes n; xs: num[n]) -> out: num[n] = xs": "a file begins with: kernel f",
}
# Items of a rule that has an input x, and what the message must hold; what follows a mistake is no second one.
RULES = {
    "let a, b = *; source Add(a, b); target b;": "found ','.*let x = \\*; let y = \\*;",
    "source Softmax(x) {axis: 1}; target x;": "found ':'.*{axis = …}",
    "let a = * {rank == 2}; source Relu(a); target a;": "found '=='.*{rank = 2}.*where x.rank == 2",
    "where rank(x) == 2; source Relu(x); target x;": "found 'rank'.*x.rank",
    "source Softmax(x) {axis = rank - 1}; target x;": "found 'rank'.*x.rank",
    "let a = x.rank; source Softmax(x) {axis = a}; target x;": "attr a = x.rank;",
    "attr k = 1; source Mul(x, k); target x;": "'k' is no pattern.*const {value = k}",
    "let c = const(1); source x * c; target x;": "const {value = 1}",
    "let c = 1.0f; source x * c; target x;": "found 'f'.*no suffix",
    "source Reshape(x, (2, 3)); target x;": "found a tuple.*const {value = \\(2, 3\\)}",
    "source com.microsoft.Gelu(x); target x;": "without their domain: Gelu",
    "source Cast(x) {to = 1}; target x;": "found an integer.*plain words: float32",
    "rank x 1-4; source Relu(x); target x;": "found '-'.*1..4",
    "source Relu(x); target x; expect sound(exact);": "expect sound exact;",
    "let c = “a”; source Relu(x); target x;": "straight double quotes",
    "where x.rank ≤ 2; source Relu(x); target x;": "at most is written <=",
    # What begins no pattern, or follows none.
    "source Relu(any); target x;": "any tensor is written \\*",
    "source Relu(tensor); target x;": "any tensor is written \\*",
    "let w = weight; source x * w; target x;": "written variable",
    "let c = constant {value = 1}; source x * c; target x;": "const {value = 1}",
    "let c = const 1; source x * c; target x;": "found number '1'.*const {value = 1}",
    "source Relu x; target x;": "an operator is called.*Relu\\(x\\)",
    "source Transpose{perm = (1, 0)}(x); target x;": "its attributes follow: Transpose\\(x\\) {…}",
    "source sqrt(x); target x;": "no operator 'sqrt'.*did you mean 'Sqrt'",
    "source Cast(x, float32); target x;": "found 'float32'.*Cast\\(x\\) {to = float32}",
    "source onnx::Relu(x); target x;": "without their domain: Relu",
    "source x.transpose(1, 0); target x;": "before its operands: Transpose\\(x\\)",
    "source not x; target x;": "Not\\(x\\)",
    "source +x; target x;": "only '-' stands before",
    "source Relu(x) + .5; target x;": "a digit before its point: 0.5",
    "source: Relu(x); target x;": "no colon follows",
    "source Relu(x), target x;": "an item ends with ';'",
    "source x > x; target x;": "operators compare: Less",
    "source x % x; target x;": "Mod\\(x, y\\)",
    "source x and x; target x;": "And\\(x, y\\)",
    "source Relu(x) as y; target x;": "let y = Op\\(x\\);",
    "let (a, b) = Split(x, x); source a; target x;": "a tuple has one name, its items have places",
    # What is no attribute's value, no condition, no item.
    "where x >= 0; source Relu(x); target x;": "elements are not known where a rule fires",
    "let c = const; where c >= 0; source c * x; target x;": "\\.value.*all\\[v in c\\]\\(v >= 0\\)",
    "where x.ndim == 2; source Relu(x); target x;": "no attribute 'ndim'.*it is written rank",
    "where x.dims[0] == 2; source Relu(x); target x;": "it is written shape",
    "where is_constant(x); source Relu(x); target x;": "functions: min, max",
    "where x.rank => 2; source Relu(x); target x;": "at least is written >=",
    "where x.rank == 2 => x.shape[0] == 1; source Relu(x); target x;": "'a implies b' is written: not a or b",
    "where x.rank == 2 implies true; source Relu(x); target x;": "not a or b",
    "where for all i in x.shape: i > 1; source Relu(x); target x;": "all\\[i < len\\(x.shape\\)\\]\\(x.shape\\[i\\] > 1\\)",
    "where all(x.shape > 1); source Relu(x); target x;": "'\\[' after 'all'.*all\\[i < len\\(x.shape\\)\\]",
    "where all[i < x.rank] x.shape[i] > 1; source Relu(x); target x;": "before what is repeated.*all\\[i < n\\]\\(…\\)",
    "where all[i in x.shape](i > 1); source Relu(x); target x;": "of a list: all\\[i < len",
    "source Transpose(x) {(1, 0)}; target x;": "with its name: {perm = \\(1, 0\\)}",
    "source Transpose(x) {perm = 1, 0}; target x;": "with parentheses: {perm = \\(1, 0\\)}",
    "source Softmax(x) {*}; target x;": "'as' after '\\*'.*{\\* as s}",
    "source Softmax(x) {axis = a}; target x;": "nothing is named 'a'.*leaves open is any",
    "attr k; source Softmax(x) {axis = 0}; target x;": "what a source leaves open is any: {k = any}",
    "requires x.rank == 2; source Relu(x); target x;": "where a == b;",
    "const c = 1; source Relu(x); target x;": "let c = const {value = 1};",
    "input y; source Relu(x); target x;": "let x = \\*;",
    "lhs Relu(x); target x; source Relu(x);": "source p;",
    "source Relu(x); target x;;": "one ';' ends an item",
}
# (The text, what it must be equal to): compiled, and the C text of both is one.
SAID_ALIKE = [("Y<n>[i] = X<n>[i] * 1e-3;", "Y<n>[i] = X<n>[i] * 0.001;"), ("Y<n>[i] = X<n>[i] * 2.5E+2;", "Y<n>[i] = X<n>[i] * 250.0;"),
              ("Y<n>[i] = X<n + 3>[i + j] where 0 <= j <= 3;", "Y<n>[i] = X<n + 3>[i + j] where 0 <= j < 4;")]


def index_text(statement, more=""):
    path = top / "k.tk"
    path.write_text(f"kernel k;\nin X;\nout Y;\n{more}{statement}\n")
    return path


def says(answer, wanted, what):
    code, out, errors = answer
    checks.that(code == 3 and re.search(wanted, errors, re.S), f"{what}: {code}, expected {wanted} in: {out}{errors}")


def texts_that_fail():
    for statement, wanted in INDEX.items():
        says(vouch("show", index_text(statement)), wanted, statement)
    for body, wanted in FUNCTIONAL.items():
        (top / "k.fun").write_text(f"kernel k(sizes n; X: num[n]) -> Y: num[n] = {body}\n")
        says(vouch("compile", top / "k.fun", "-o", top / "out"), wanted, body)
    for text, wanted in HEADS.items():
        (top / "k.fun").write_text(text + "\n")
        says(vouch("compile", top / "k.fun", "-o", top / "out"), wanted, text)
    (top / "k.fun").write_text("kernel k(sizes n; X: num[n]) -> num[n] = X\n")
    says(vouch("compile", top / "k.fun", "-o", top / "out"), "has a name and a type: -> out: num\\[n\\]", "an output without a name")
    says(vouch("grad", index_text("Y<n>[i] = X<n>[i];"), "-o", top / "out"), "write `grad A;` into it, or give --to A", "nothing to differentiate by")


def rules_that_fail():
    for items, wanted in RULES.items():
        (top / "r.gsl").write_text(f"rule r {{ let x = *; {items} }}\n")
        answer = vouch("check", top / "r.gsl")
        says(answer, wanted, items)
        checks.that("“" in items or answer[2].count("error:") == 1, f"{items}: one mistake is one error: {answer[2]}")
    for text, wanted in (("rule r { let x = *; source Relu(Relu(x)); target Relu(x);\n\n", "r.gsl:1:58: .*that begins at line 1"),
                         ("rule { let x = *; source Relu(x); target x; }", "a name begins with a letter"),
                         ("rule r “twice” { let x = *; source Relu(Relu(x)); target Relu(x); }", "straight double quotes.*no rule could be read"),
                         ("rule r { let target = *; source Relu(target); target target; }", "'target_'")):
        (top / "r.gsl").write_text(text)
        code, out, errors = vouch("check", top / "r.gsl")
        says((code, "", errors + out), wanted, text)


def body_of(statement):
    code, _, errors = vouch("compile", index_text(statement), "-o", top / "alike")
    checks.that(code == 0, f"{statement}: {errors}")
    text = (top / "alike" / "k.c").read_text() if code == 0 else errors
    return text.split("static int64_t size_sum")[0]


def said_alike():
    for one, other in SAID_ALIKE:
        checks.that(body_of(one) == body_of(other), f"{one} is not {other}")


def conditions_once():
    """What a size must be is said once, though two tensors need it."""
    out = vouch("show", index_text("Y<h // 2>[i] = max(X<h>[2*i], X[2*i + 1]);"))[1]
    checks.that(out.count("h - 2 >= 0") == 1, f"conditions: {out}")


def counts():
    """A parameter of the C function that is none of the kernel's sizes is told from them."""
    (top / "c.tk").write_text("kernel k;\nin X, W;\nout Y;\nY<h // 2, w - r + 1>[i, j] = X<h, w>[2*i, j + p] * W<r>[p];\n")
    vouch("compile", top / "c.tk", "-o", top / "counts")
    header = (top / "counts" / "k.h").read_text()
    told = dict(re.findall(r"^ \* size +(\w+): (.*)$", header, re.M))
    checks.that(told.get("count") == "the largest with 2 * count <= h" and told.get("count2") == "the one with count2 + r == w + 1", f"{told}")
    checks.that({told.get(size) for size in "hwr"} == {"a count, not negative"} and "h // 2" in header, f"{told}")


def judged(statement, more="grad X;\n"):
    code, out, errors = vouch("grad", index_text(statement, more), "-o", top / "gradient", "--check", seconds=300)
    checks.that(code == 0 and "different" not in out, f"{statement}: {code} {out}{errors}")
    found = re.search(r"exact differences: (\d+) of (\d+) elements equal(?:, (\d+) within)?", out)
    return tuple(int(number or 0) for number in found.groups()) if found else (0, 0, 0)


def differences():
    # Corners and waves that are as near to each other as the first steps are wide.
    equal, elements, near = judged("Y<64>[i] = abs(sin(X<64>[i] * 4096));")
    checks.that(elements == 64 and equal + near == elements, f"corners: {equal} {elements} {near}")
    equal, elements, _ = judged("Y<n, c, h // 2, w // 2>[b, k, i, j] = X<n, c, h, w>[b, k, 2*i + p, 2*j + q] where 0 <= p < 2, 0 <= q < 2;")
    checks.that(0 < elements < 100_000 and equal == elements, f"four sizes: {equal} of {elements}")


texts_that_fail()
rules_that_fail()
said_alike()
conditions_once()
counts()
differences()
checks.end()
