// Sizes that nothing names. Their symbols begin with a question mark, and no model can spell such a symbol: two sizes are one
// only if a model says so, by one name, or if they come from one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/attribute.h"
#include "graph/type.h"
#include "term/substitute.h"

namespace vouch {

// One that is no other: `?7`. Its number says nothing; another run may count otherwise.
Term unknown_size();

// That of a place in a model that no name is given to: `?y/body/h.0`. The same place has the same, in every run.
std::string unknown_size_name(std::string_view place);

bool is_unknown_size(std::string_view name);

// Those that a size speaks of, numbers in order.
std::vector<Symbol> unknown_sizes(Term size);

// The same where such sizes are numbered in the order in which they come, in one type after another: equal for two runs.
class SizeNumbering {
 public:
  Type operator()(Type type);
  AttrDict operator()(AttrDict attributes);

 private:
  Term numbered(Term size);
  AttrValue numbered(const AttrValue& value);

  Substitution numbered_;
};

}  // namespace vouch
