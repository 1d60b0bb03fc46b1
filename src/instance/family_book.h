// The families of one rule, while its instances are made: their names, sums and positions, and lists of symbolic length.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "facts/family.h"
#include "graph/attribute.h"

namespace vouch {

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
    declare_number(name, least);
  }
  // So is a number that is the same for every branch.
  void declare_number(Symbol name, std::optional<std::int64_t> least) {
    least_.erase(name);
    if (least) {
      least_.emplace(name, *least);
    }
  }
  bool is_at_least(Symbol name, std::int64_t bound) const {
    auto found = least_.find(name);
    return found != least_.end() && found->second >= bound;
  }
  void add_item(Symbol name) { families_.items.insert(name); }

  // item(0) + … + item(steps - 1), where `item` is a polynomial in which what depends on the index is one declared item per
  // monomial, or is a larger, smaller or multiple size that gets an item of its own; else nothing.
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
  // The name of what is `size` at every index: of one name where only the index is called otherwise.
  std::optional<Symbol> item_of(Symbol index, Term size);
  std::optional<Term> length_of(Symbol index) const;
  std::optional<std::int64_t> least_of(Term size) const;

  Families families_;
  std::map<Symbol, std::int64_t> least_;
  std::vector<std::pair<Symbol, Term>> indices_;
  std::vector<ListFamily> lists_;
};

}  // namespace vouch
