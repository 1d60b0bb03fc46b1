// What a source that has a value says of positions that are data: each lies within the tensor in which it is looked up.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "facts/arithmetic.h"
#include "term/term.h"

namespace vouch {

// Of the positions that name none but these symbols; of those that are read whatever is chosen. (What a sum over no index adds up
// is not read.) The extents are those of each input.
std::vector<Term> positions_inside(Term source, const std::set<Symbol>& named, const std::map<Symbol, std::vector<Term>>& extents,
                                   Arithmetic& arithmetic);

}  // namespace vouch
