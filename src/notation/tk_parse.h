// Reads kernels in index notation: `C<4,16>[i, j] = A<4,16>[i, k] * B<16,16>[k, j];`, statements in order.
//
//   kernel    := { header | statement }
//   header    := ("kernel" name | "in" names | "out" names | "type" name | "grad" names | "size" names | "require" order) ";"
//   order     := extent ">=" extent {"," extent ">=" extent}
//   statement := access "=" expression ["where" domain {"," domain}] ";"
//   domain    := extent "<=" index "<" extent
//   access    := name ["<" extent {"," extent} ">"] ["[" expression {"," expression} "]"]
//   expression: + - * / // % unary minus, numbers, indices, functions (exp log sqrt tanh erf abs sin cos max min pow),
//               select(condition, then, else); conditions with < <= > >= == != && || !
//
// A subscript on the right may be data: `T[I[i], j]`; where it is no position of its axis, the element is 0.
//
// An index on the left is spatial, any other is reduced; each additive term is summed over its own reduced indices: sums
// are told apart through `-`, `/` and products whose summands differ in their reduced indices. An extent is made of numbers and
// names with + - * and `//` by numbers; a name that `sizes` gives no value stays a size of the kernel (SizeFacts), from the
// first shape, `size` or `require` that has it on. Shapes need be written once. Subscripts on the left are distinct plain
// indices. Where the inferred domain of the left does not fill the target, the rest keeps its earlier version, or is 0.
//
// A domain after `where` is taken as it is, and every read has to stay inside of its tensor over it. Without one, two axes that
// an index alone subscripts have one extent; in the JSON form an index on the left may run over a part of an axis that is read
// (a warning). Each name stands once in a header, each header once in a kernel.
#pragma once

#include <map>

#include "notation/tk_header.h"
#include "notation/tk_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

using SizeValues = std::map<std::string, std::int64_t>;

// `header` is what is known from elsewhere (the JSON form); the text may add to it. Every error has its place.
std::optional<TkKernel> parse_tk(SourceRef source, TkHeader header, const SizeValues& sizes, Diagnostics& diagnostics);

}  // namespace vouch
