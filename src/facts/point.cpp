#include "facts/point.h"

#include <algorithm>

namespace vouch {

bool is_index_name(std::string_view name) { return name.starts_with('@') || name.find('\'') != std::string_view::npos; }

Point Point::drawn(std::uint64_t draw) {
  Point out;
  out.draw_ = draw;
  return out;
}

Point Point::above(Point& sizes) {
  Point out;
  out.beneath_ = &sizes;
  return out;
}

Point::Value Point::value(Term term) {
  if (Value beneath = beneath_ != nullptr ? beneath_->value(term) : std::nullopt) {
    return beneath;
  }
  if (auto found = known_.find(term.id()); found != known_.end()) {
    return found->second;
  }
  Value made = computed(term);
  known_.emplace(term.id(), made);
  return made;
}

bool Point::all_hold(const Facts& guards) {
  return std::all_of(guards.rbegin(), guards.rend(), [this](Term guard) { return value(guard) == 1; });
}

static std::int64_t drawn_number(std::string_view name, std::uint64_t draw) {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ (draw * 0x9e3779b97f4a7c15ULL);
  for (char c : name) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  h ^= h >> 29;
  auto pick = static_cast<std::int64_t>(h >> 8 & 0xffff);
  return is_index_name(name) ? std::max<std::int64_t>(0, pick % 6 - 3) : 1 + pick % 4;
}

Point::Value Point::variable(Symbol name) const {
  if (auto found = values_.find(name); found != values_.end()) {
    return found->second;
  }
  return draw_ != 0 ? Value(drawn_number(name.name(), draw_)) : std::nullopt;
}

namespace {

Point::Value sum(Point::Value a, Point::Value b) {
  std::int64_t out = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &out) ? Point::Value(out) : std::nullopt;
}

Point::Value product(Point::Value a, Point::Value b) {
  std::int64_t out = 0;
  return a && b && !__builtin_mul_overflow(*a, *b, &out) ? Point::Value(out) : std::nullopt;
}

// Of two operands that both have a value.
Point::Value of_two(TermKind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case TermKind::FloorDiv: return b < 1 ? std::nullopt : Point::Value(floor_div(a, b));
    case TermKind::FloorMod: return b < 1 ? std::nullopt : Point::Value(floor_mod(a, b));
    case TermKind::IntMin: return std::min(a, b);
    case TermKind::IntMax: return std::max(a, b);
    case TermKind::IntLe: return a <= b ? 1 : 0;
    case TermKind::IntEq: return a == b ? 1 : 0;
    default: return std::nullopt;
  }
}

}  // namespace

Point::Value Point::computed(Term term) {
  switch (term.kind()) {
    case TermKind::IntConst:
    case TermKind::BoolConst: return int64_of(Integer(numerator(term->value)));
    case TermKind::IntVar: return variable(term->symbol);
    case TermKind::IntAdd:
    case TermKind::IntMul: {
      Value total = value(term.arg(0));
      for (std::size_t k = 1; k < term.args().size() && total; ++k) {
        total = term.kind() == TermKind::IntAdd ? sum(total, value(term.arg(k))) : product(total, value(term.arg(k)));
      }
      return total;
    }
    case TermKind::FloorDiv:
    case TermKind::FloorMod:
    case TermKind::IntMin:
    case TermKind::IntMax:
    case TermKind::IntLe:
    case TermKind::IntEq: {
      Value a = value(term.arg(0));
      Value b = a ? value(term.arg(1)) : std::nullopt;
      return b ? of_two(term.kind(), *a, *b) : std::nullopt;
    }
    case TermKind::IntSelect: {
      Value guard = value(term.arg(0));
      return guard ? value(term.arg(*guard == 1 ? 1 : 2)) : std::nullopt;
    }
    case TermKind::Not: {
      Value guard = value(term.arg(0));
      return guard ? Value(1 - *guard) : std::nullopt;
    }
    case TermKind::And:
    case TermKind::Or: return junction(term);
    default: return std::nullopt;
  }
}

Point::Value Point::junction(Term term) {
  const std::int64_t deciding = term.kind() == TermKind::And ? 0 : 1;
  bool all_known = true;
  for (Term part : term.args()) {
    Value here = value(part);
    if (here == deciding) {
      return deciding;
    }
    all_known = all_known && here.has_value();
  }
  return all_known ? Value(1 - deciding) : std::nullopt;
}

}  // namespace vouch
