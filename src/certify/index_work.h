// What a plan has left to compute, and what index variables stand for once its axes or its loops have changed. Mirrors `work` and
// what follows it in coq/index/Plan.v.
#pragma once

#include "certify/index_finish.h"
#include "certify/index_standins.h"

namespace vouch {

// Elements from the start; or, if not `whole`, terms of the only summand that are added to what is there. Then `end` is done to
// them.
struct Work {
  bool whole = true;
  std::vector<IndexSummand> summands;
  IndexBody end = itself();

  // There is one summand, and it has loops.
  bool has_sum() const { return summands.size() == 1 && !summands[0].loops.empty(); }
  const IndexSummand& sum() const;
};

Work work_at(const Standins& standins, Work w);
// A sum whose outermost loop has n terms; the stand-ins are meant under that loop. `end` is not.
Work part_at(const Standins& standins, const Integer& n, IndexSummand s, IndexBody end = itself());

// Variables as themselves, `count` from number `from` on.
Standins variables(std::size_t from, std::size_t count);
// Of n axes that are left, with `outer` variables around: the axis after `distance` others now comes first.
Standins moved(std::size_t n, std::size_t distance, std::size_t outer);
// The first of them is now two.
Standins blocked(std::size_t n, std::size_t outer, const Integer& width);
// The first two of them, the second of `width` positions, are now one.
Standins merged(std::size_t n, std::size_t outer, const Integer& width);
// It began at position `low`.
Standins after(std::size_t n, std::size_t outer, const array::Size& low);
// It begins `width` positions earlier.
Standins before(std::size_t n, std::size_t outer, const Integer& width);
// Under the outermost loop of the sum: its blocks are numbered by a variable outside of the axes.
Standins cut(std::size_t n, std::size_t outer, const Integer& width);
// Under that loop: it began at term `low`.
Standins later(std::size_t variables, const Integer& low);

}  // namespace vouch
