// Points at which facts are true: facts that are all true at one point do not contradict each other, and no solver need be
// asked. Most queries are of that kind, and most of them meet a point that an earlier one found.
//
// It begins with points of small numbers, drawn from the variables' names, which is where most rules differ from others.
//
// A point is used only for what it evaluates: sizes within 64 bits, no data, divisors of at least 1. So a fault here could make a
// proof fail, but never succeed.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>

#include "facts/lemmas.h"

namespace vouch {

class Witnesses {
 public:
  Witnesses();
  using ValueOf = std::function<std::optional<std::int64_t>(Symbol)>;
  // Whether all facts are true at one of the points.
  bool satisfy(const Facts& facts);
  // Keeps the point of these values, if the facts are true there. Variables without value get one that is drawn.
  void offer(const Facts& facts, const ValueOf& value_of);

 private:
  struct Point {
    std::unordered_map<Symbol, std::int64_t> values;
    std::uint64_t draw = 0;                                              // determines the other variables' values
    std::unordered_map<const void*, std::optional<std::int64_t>> known;  // by term; guards are 0 or 1
  };

  // The points again, with each index at its last place: what denies that an index is small is true there, if anywhere.
  bool satisfy_at_last_places(const Facts& facts);
  void keep(Point point);
  static bool holds(Point& point, const Facts& facts);
  static std::optional<std::int64_t> value(Point& point, Term term);
  static std::optional<std::int64_t> computed(Point& point, Term term);

  std::list<Point> points_;  // the one that was of use last comes first
};

}  // namespace vouch
