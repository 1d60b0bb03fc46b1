// Statements of kernels in index notation, one by one, as index_kernel.h has them.
#pragma once

#include "certify/index_kernel.h"
#include "certify/index_sizes.h"
#include "notation/tk_meaning.h"

namespace vouch {

// An error at the place, or of the kernel where no text has it.
void not_covered(const TkKernel& kernel, const TkPlace& place, std::string message, std::string hint, Diagnostics& diagnostics);

// What is not covered is an error at the place, told once of each extent, and then the result is of no use.
std::vector<array::Size> index_sizes(const TkKernel& kernel, const TkPlace& place, const std::vector<Term>& extents,
                                     SizeTable& sizes, Diagnostics& diagnostics);

// The index variables of a summand, number 0 first: its loops from the innermost, then the statement's from the last.
std::vector<Symbol> index_names(const TkStatement& statement, const TkSummand& summand);
// Over these variables.
IndexTerm index_term(Term term, const std::vector<Symbol>& names, SizeTable& sizes, Diagnostics& diagnostics);

// Nothing of a function that the array language does not have.
std::optional<array::Op> op_of(Fn fn);

// Of a summand that runs over nothing: statements are without it.
bool runs_over_nothing(const BoxedSummand& summand);

// `tensors` are those that the statement may read, number 0 first.
IndexStatement index_statement(const TkKernel& kernel, const TkStatement& statement, const std::vector<Symbol>& tensors,
                               SizeTable& sizes, Diagnostics& diagnostics);

}  // namespace vouch
