#include "facts/witnesses.h"

#include <algorithm>

namespace vouch {

namespace {

bool is_index(Symbol name) { return is_index_name(name.name()); }

// The index and its extent in `index < extent`.
std::optional<std::pair<Symbol, Term>> index_below(Term fact) {
  if (fact.kind() != TermKind::IntLe) {
    return std::nullopt;
  }
  Term low = fact.arg(0);
  Term index = low.kind() == TermKind::IntAdd ? low.arg(0) : low;
  if (index.kind() != TermKind::IntVar || !is_index(index->symbol) || !is_const(low - index)) {
    return std::nullopt;
  }
  return std::pair(index->symbol, fact.arg(1) - (low - index) + 1);
}

bool speaks_of_data(const Facts& facts) {
  return std::any_of(facts.begin(), facts.end(), [](Term fact) { return !tensors_read(fact).empty(); });
}

}  // namespace

Witnesses::Witnesses() {
  constexpr std::uint64_t kDrawn = 24;
  for (std::uint64_t draw = 1; draw <= kDrawn; ++draw) {
    points_.push_back(Point::drawn(draw));
  }
}

bool Witnesses::satisfy(const Facts& facts) {
  for (auto at = points_.begin(); at != points_.end(); ++at) {
    if (at->all_hold(facts)) {
      points_.splice(points_.begin(), points_, at);
      return true;
    }
  }
  Extents extents;
  for (Term fact : facts) {
    if (auto index = index_below(fact)) {
      extents.push_back(*index);
    }
  }
  return satisfy_at_last_places(facts, extents) || satisfy_by_search(facts, extents);
}

bool Witnesses::satisfy_at_last_places(const Facts& facts, const Extents& extents) {
  constexpr std::size_t kMostTried = 16;  // beyond, the solver costs no more
  std::size_t tried = 0;
  for (auto at = points_.begin(); !extents.empty() && at != points_.end() && tried < kMostTried; ++at, ++tried) {
    Point last = Point::drawn(at->draw());
    for (const auto& [name, value] : at->values()) {
      last.set(name, value);
    }
    bool has_places = std::all_of(extents.begin(), extents.end(), [&](const auto& index) {
      std::int64_t extent = at->value(index.second).value_or(0);
      last.set(index.first, extent - 1);
      return extent >= 1;
    });
    if (has_places && last.all_hold(facts)) {
      keep(std::move(last));
      return true;
    }
  }
  return false;
}

bool Witnesses::satisfy_by_search(const Facts& facts, const Extents& extents) {
  constexpr std::size_t kMostSizes = 6;
  if (speaks_of_data(facts)) {
    return false;
  }
  Facts of_sizes;
  Facts of_indices;
  for (Term fact : facts) {
    const std::vector<Symbol>& names = symbols_of(fact);
    (std::any_of(names.begin(), names.end(), is_index) ? of_indices : of_sizes).push_back(fact);
  }
  std::vector<Point*> found = size_points_.at_which(of_sizes, of_indices.empty() ? 1 : kMostSizes);
  return std::any_of(found.begin(), found.end(),
                     [&](Point* sizes) { return satisfy_at_some_places(*sizes, of_indices, extents); });
}

bool Witnesses::satisfy_at_some_places(Point& sizes, const Facts& of_indices, const Extents& extents) {
  constexpr int kMostPlaces = 8;
  for (int k = 0; k < kMostPlaces; ++k) {
    Point places = Point::above(sizes);
    for (const auto& [index, extent] : extents) {
      std::int64_t most = sizes.value(extent).value_or(0);
      draws_ = draws_ * 6364136223846793005ULL + 1442695040888963407ULL;
      places.set(index, most < 1 ? 0 : static_cast<std::int64_t>((draws_ >> 33) % static_cast<std::uint64_t>(most)));
    }
    if (places.all_hold(of_indices)) {
      Point whole = Point::drawn(1);
      for (const Point* part : {&sizes, &places}) {
        for (const auto& [name, value] : part->values()) {
          whole.set(name, value);
        }
      }
      keep(std::move(whole));
      return true;
    }
  }
  return false;
}

void Witnesses::keep(Point point) {
  constexpr std::size_t kMost = 72;
  if (points_.size() == kMost) {
    points_.pop_back();
  }
  points_.push_front(std::move(point));
}

void Witnesses::offer(const Facts& facts, const ValueOf& value_of) {
  Point point = Point::drawn(1);
  for (Term fact : facts) {
    for (Symbol name : symbols_of(fact)) {
      if (auto value = value_of(name)) {
        point.set(name, *value);
      }
    }
  }
  if (point.all_hold(facts)) {
    keep(std::move(point));
  }
}

}  // namespace vouch
