// Branches of a variadic whose number is a symbol.
//
// Its templates are instantiated once, for a branch of which only the range is known. The number of that branch is an
// integer variable, and what differs from branch to branch (sizes, attributes, elements) is a read at that number. Sums over
// the first branches are reads as well, of which lemmas.h knows how they grow; so is the branch that a position along the
// axis of a concatenation falls in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "term/term.h"

namespace vouch {

// What is known of the names that stand for families of integers: read(name)[k] is one for each branch k.
struct Families {
  // from <= index < length; what the assumptions say of `index` holds for all of these.
  struct Range {
    Symbol index;
    Term length;
    std::int64_t from = 0;
  };
  // sum[t] == item[0] + … + item[t - 1] for t >= 0, each item at least `least` (which is not negative).
  struct PrefixSum {
    Symbol sum;
    Symbol item;
    std::int64_t least = 0;
  };
  // find[c] is a branch k with before(k) <= c < before(k) + size(k), where there is one, that is for 0 <= c < total; `before`
  // and `size` are terms in `index`. It always lies in 0 <= find[c] < length.
  struct Position {
    Symbol find;
    Symbol index;
    Term before;
    Term size;
    Term total;
    Term length;
  };
  // item[k] == size for 0 <= k < length, `size` a term in `index`; what it is beyond is not said.
  struct Definition {
    Symbol item;
    Symbol index;
    Term size;
    Term length;
  };
  std::vector<Range> ranges;
  std::set<Symbol> items;                // what differs from branch to branch; besides sums and positions
  std::map<Symbol, PrefixSum> sums;      // by `sum`
  std::map<Symbol, Position> positions;  // by `find`
  std::map<Symbol, Definition> defined;  // by `item`
  bool empty() const { return ranges.empty(); }
  // Is it a number of a family, and not what is read of a tensor?
  bool has(Term item) const;
};

// One number of a family: read(name)[branch] as an integer.
Term family_item(Symbol name, Term branch);
// The name of the family `find` of a Position, by its size as a term in `k`.
Symbol position_name(Term length, Term size);
inline constexpr const char* kPositionIndex = "k";
// The name and the index, if the term is an integer read at one index.
struct FamilyItem {
  Symbol name;
  Term branch;
};
std::optional<FamilyItem> as_family_item(Term term);

}  // namespace vouch
