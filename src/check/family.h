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

#include "graph/attribute.h"

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
  std::vector<Range> ranges;
  std::set<Symbol> items;                // what differs from branch to branch; besides sums and positions
  std::map<Symbol, PrefixSum> sums;      // by `sum`
  std::map<Symbol, Position> positions;  // by `find`
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

// A list of symbolic length: `item`, in which `index` is free, for 0 <= index < length.
struct ListFamily {
  Symbol index;
  Term length;
  AttrValue item;
};

// Makes and remembers the names of one rule's families.
class FamilyBook {
 public:
  const Families& families() const { return families_; }
  // The branch of which only the range is known; what is assumed of it is assumed of every branch.
  void add_range(Symbol index, Term length, std::int64_t from);
  std::size_t ranges() const { return families_.ranges.size(); }
  void keep_ranges(std::size_t count) { families_.ranges.resize(count); }
  // Every item is at least this.
  void declare_item(Symbol name, std::int64_t least) {
    add_item(name);
    least_[name] = least;
  }
  void add_item(Symbol name) { families_.items.insert(name); }

  // item(0) + … + item(steps - 1), where `item` is a polynomial in which what depends on the index is one declared item per
  // monomial; else nothing.
  std::optional<Term> prefix_sum(Symbol index, Term item, Term steps);
  // s of which p(k) == s(0) + … + s(k), if p is such a sum.
  std::optional<Term> steps_of(Symbol index, Term points);
  // The branch in which position `at` lies, if branch k takes `size` positions of its own, in order.
  std::optional<Term> position(Symbol index, Term size, Term length, Term at);

  // An index for a list or a tuple of the target, 0 <= index < length; names begin anew with `forget_indices`.
  Symbol fresh_index(Term length);
  void forget_indices() { indices_.clear(); }
  // The guard for every value of such indices in it.
  Term closed(Term guard) const;

  // Lists as attribute values: a marker that `list_of` knows.
  AttrValue list(ListFamily list);
  const ListFamily* list_of(const AttrValue& value) const;

 private:
  Families families_;
  std::map<Symbol, std::int64_t> least_;
  std::vector<std::pair<Symbol, Term>> indices_;
  std::vector<ListFamily> lists_;
};

}  // namespace vouch
