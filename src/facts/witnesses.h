// Points at which facts are true: facts that are all true at one point do not contradict each other, and no solver need be
// asked. Most queries are of that kind, and most of them meet a point that an earlier one found.
//
// It begins with points of small numbers, drawn from the variables' names, which is where most rules differ from others. Where
// none of them will do, points are looked for: sizes at which what is said of sizes alone holds, then places of indices among
// these.
//
// A point is used only for what it evaluates (point.h). So a fault here could make a proof fail, but never succeed.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>

#include "facts/lemmas.h"
#include "facts/point.h"
#include "facts/size_points.h"

namespace vouch {

class Witnesses {
 public:
  Witnesses();
  using ValueOf = std::function<std::optional<std::int64_t>(Symbol)>;
  // Whether all facts are true at one of the points, or at one that is found.
  bool satisfy(const Facts& facts);
  // Keeps the point of these values, if the facts are true there. Variables without value get one that is drawn.
  void offer(const Facts& facts, const ValueOf& value_of);

 private:
  // An index and its extent, of facts that say `index < extent`.
  using Extents = std::vector<std::pair<Symbol, Term>>;

  // The points again, with each index at its last place: what denies that an index is small is true there, if anywhere.
  bool satisfy_at_last_places(const Facts& facts, const Extents& extents);
  bool satisfy_by_search(const Facts& facts, const Extents& extents);
  bool satisfy_at_some_places(Point& sizes, const Facts& of_indices, const Extents& extents);
  void keep(Point point);

  std::list<Point> points_;  // the one that was of use last comes first
  SizePoints size_points_;
  std::uint64_t draws_ = 0;
};

}  // namespace vouch
