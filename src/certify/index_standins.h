// Terms that stand for index variables, and what they are put into. Mirrors coq/index/Tile.v, definition by definition.
#pragma once

#include <vector>

#include "certify/index_kernel.h"

namespace vouch {

// What stands for each index variable.
using Standins = std::vector<IndexTerm>;

// Under one more index variable, of that number.
IndexTerm lifted(unsigned number, IndexTerm t);
// That variable is the first now, and has itself for its stand-in.
Standins with_var(unsigned number, const Standins& standins);

IndexTerm replaced(const Standins& standins, IndexTerm t);
IndexCond replaced(const Standins& standins, IndexCond c);
IndexBody replaced(const Standins& standins, IndexBody b);
// The stand-ins are meant outside of the loops.
IndexSummand replaced(Standins standins, IndexSummand s);

}  // namespace vouch
