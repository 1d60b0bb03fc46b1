#include "facts/witnesses.h"

#include <algorithm>
#include <string_view>

namespace vouch {

using Value = std::optional<std::int64_t>;

namespace {

bool is_index(std::string_view name) { return name.starts_with('@') || name.find('\'') != std::string_view::npos; }

// The index and its extent in `index < extent`.
std::optional<std::pair<Symbol, Term>> index_below(Term fact) {
  if (fact.kind() != TermKind::IntLe) {
    return std::nullopt;
  }
  Term low = fact.arg(0);
  Term index = low.kind() == TermKind::IntAdd ? low.arg(0) : low;
  if (index.kind() != TermKind::IntVar || !is_index(index->symbol.name()) || !is_const(low - index)) {
    return std::nullopt;
  }
  return std::pair(index->symbol, fact.arg(1) - (low - index) + 1);
}

// Sizes from 1 to 4, indices (which proofs name so) from 0 to 2 and mostly 0. The same in every run.
std::int64_t drawn(std::string_view name, std::uint64_t draw) {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ (draw * 0x9e3779b97f4a7c15ULL);
  for (char c : name) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  h ^= h >> 29;
  auto pick = static_cast<std::int64_t>(h >> 8 & 0xffff);
  return is_index(name) ? std::max<std::int64_t>(0, pick % 6 - 3) : 1 + pick % 4;
}

}  // namespace

Witnesses::Witnesses() {
  constexpr std::uint64_t kDrawn = 24;
  for (std::uint64_t draw = 1; draw <= kDrawn; ++draw) {
    points_.push_back({{}, draw, {}});
  }
}

bool Witnesses::satisfy(const Facts& facts) {
  for (auto at = points_.begin(); at != points_.end(); ++at) {
    if (holds(*at, facts)) {
      points_.splice(points_.begin(), points_, at);
      return true;
    }
  }
  return satisfy_at_last_places(facts);
}

bool Witnesses::satisfy_at_last_places(const Facts& facts) {
  std::vector<std::pair<Symbol, Term>> indices;
  for (Term fact : facts) {
    if (auto index = index_below(fact)) {
      indices.push_back(*index);
    }
  }
  constexpr std::size_t kMostTried = 16;  // beyond, the solver costs no more
  std::size_t tried = 0;
  for (auto at = points_.begin(); !indices.empty() && at != points_.end() && tried < kMostTried; ++at, ++tried) {
    Point last{at->values, at->draw, {}};
    bool has_places = std::all_of(indices.begin(), indices.end(), [&](const auto& index) {
      Value extent = value(*at, index.second);
      last.values[index.first] = extent.value_or(0) - 1;
      return extent.value_or(0) >= 1;
    });
    if (has_places && holds(last, facts)) {
      keep(std::move(last));
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
  Point point;
  for (Term fact : facts) {
    for (Symbol name : symbols_of(fact)) {
      if (Value value = value_of(name)) {
        point.values.emplace(name, *value);
      }
    }
  }
  if (holds(point, facts)) {
    keep(std::move(point));
  }
}

// What a query denies comes last, and is what most points miss.
bool Witnesses::holds(Point& point, const Facts& facts) {
  return std::all_of(facts.rbegin(), facts.rend(), [&](Term fact) { return value(point, fact) == 1; });
}

Value Witnesses::value(Point& point, Term term) {
  if (auto found = point.known.find(term.id()); found != point.known.end()) {
    return found->second;
  }
  Value made = computed(point, term);
  point.known.emplace(term.id(), made);
  return made;
}

namespace {

Value sum(Value a, Value b) {
  std::int64_t out = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &out) ? Value(out) : std::nullopt;
}

Value product(Value a, Value b) {
  std::int64_t out = 0;
  return a && b && !__builtin_mul_overflow(*a, *b, &out) ? Value(out) : std::nullopt;
}

}  // namespace

Value Witnesses::computed(Point& point, Term term) {
  auto arg = [&](std::size_t k) { return value(point, term.arg(k)); };
  switch (term.kind()) {
    case TermKind::IntConst:
    case TermKind::BoolConst: return int64_of(Integer(numerator(term->value)));
    case TermKind::IntVar: {
      auto found = point.values.find(term->symbol);
      return found != point.values.end() ? found->second : drawn(term->symbol.name(), point.draw);
    }
    case TermKind::IntAdd:
    case TermKind::IntMul: {
      Value total = arg(0);
      for (std::size_t k = 1; k < term.args().size(); ++k) {
        total = term.kind() == TermKind::IntAdd ? sum(total, arg(k)) : product(total, arg(k));
      }
      return total;
    }
    case TermKind::FloorDiv:
    case TermKind::FloorMod: {
      Value a = arg(0);
      Value b = arg(1);
      if (!a || !b || *b < 1) {
        return std::nullopt;
      }
      return term.kind() == TermKind::FloorDiv ? floor_div(*a, *b) : floor_mod(*a, *b);
    }
    case TermKind::IntMin:
    case TermKind::IntMax: {
      Value a = arg(0);
      Value b = arg(1);
      if (!a || !b) {
        return std::nullopt;
      }
      return term.kind() == TermKind::IntMin ? std::min(*a, *b) : std::max(*a, *b);
    }
    case TermKind::IntSelect: {
      Value guard = arg(0);
      return guard ? arg(*guard == 1 ? 1 : 2) : std::nullopt;
    }
    case TermKind::IntLe:
    case TermKind::IntEq: {
      Value a = arg(0);
      Value b = arg(1);
      if (!a || !b) {
        return std::nullopt;
      }
      return (term.kind() == TermKind::IntLe ? *a <= *b : *a == *b) ? 1 : 0;
    }
    case TermKind::Not: {
      Value guard = arg(0);
      return guard ? Value(1 - *guard) : std::nullopt;
    }
    case TermKind::And:
    case TermKind::Or: {
      const std::int64_t deciding = term.kind() == TermKind::And ? 0 : 1;
      bool all_known = true;
      for (Term part : term.args()) {
        Value here = value(point, part);
        if (here == deciding) {
          return deciding;
        }
        all_known = all_known && here.has_value();
      }
      return all_known ? Value(1 - deciding) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace vouch
