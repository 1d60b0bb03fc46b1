// From functional programs to kernels in index notation, for every plan to serve them. What is read here is checked by the
// certificate (coq/index/Reads.v): nothing of it has to be trusted.
#pragma once

#include <optional>
#include <string>

#include "array/program.h"
#include "certify/index_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

// The kernel that computes the same elements bit for bit, of the program's name, sizes, facts, inputs and output. A sum that is
// no term of an element, and what `mem` stores, becomes a local. Errors, at `place`, name what index notation does not have:
// folds that are no sums from 0, indices that are not affine, pairs, arrays put side by side.
std::optional<IndexKernel> affine_kernel(const array::Program& program, const std::string& place, Diagnostics& diagnostics);

// Both, element by element, have one statement (`array::element_statement`).
bool reads_alike(const array::Program& program, const IndexKernel& kernel);

// What a certificate of that kernel says of the program, after what `index_certificate` says: both have the same elements, and so
// the C text computes the program; where sums are in another order, over scalars whose addition has its laws.
std::string affine_certificate(const array::Program& program, const IndexKernel& kernel, bool reordered);
// That this kernel, which Coq knows as `name`, is the program; in a file of its own or behind other sentences.
std::string affine_reading(const array::Program& program, const IndexKernel& kernel, const std::string& name);

}  // namespace vouch
