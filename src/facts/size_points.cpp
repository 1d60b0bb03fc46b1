#include "facts/size_points.h"

#include <algorithm>

namespace vouch {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Sets sizes one after the other: those that an equation leaves open by it, as they come.
class Draw {
 public:
  explicit Draw(std::uint64_t& state) : state_(state) {}

  void take(Term fact) {
    if (fact.kind() == TermKind::IntEq) {
      equate(fact.arg(0), fact.arg(1));
    } else if (fact.kind() == TermKind::Or) {
      Term one = fact.arg(below(fact.args().size()));
      if (one.kind() == TermKind::IntEq) {
        equate(one.arg(0), one.arg(1));
      }
    }
  }

  void draw_rest(Term fact) {
    for (Symbol name : symbols_of(fact)) {
      number(name);
    }
  }

  Point take_point() { return std::move(point_); }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next(state_) % count); }

  bool is_open(Term term) const { return term.kind() == TermKind::IntVar && !point_.values().contains(term->symbol); }

  void set(Symbol name, std::int64_t value) {
    point_.set(name, value);
    point_.forget();
  }

  void number(Symbol name) {
    if (!point_.values().contains(name)) {
      set(name, 1 + static_cast<std::int64_t>(below(4)));
    }
  }

  std::size_t open_in(const std::vector<Monomial>& side) const {
    return side.size() != 1 ? 0
                            : static_cast<std::size_t>(std::count_if(side[0].atoms.begin(), side[0].atoms.end(),
                                                                     [this](Term atom) { return is_open(atom); }));
  }

  // The side of which more is open becomes what the other is.
  void equate(Term a, Term b) {
    const std::vector<Monomial>& left = monomials_of(a);
    const std::vector<Monomial>& right = monomials_of(b);
    bool swapped = open_in(left) < open_in(right);
    const std::vector<Monomial>& side = swapped ? right : left;
    if (open_in(side) == 0) {
      return;
    }
    Term other = swapped ? a : b;
    std::vector<Term> open = without_those_of(side[0].atoms, other);
    draw_rest(other);
    divide_among(side[0], open, point_.value(other).value_or(0));
  }

  // In an order that is drawn.
  std::vector<Term> without_those_of(const std::vector<Term>& atoms, Term other) {
    std::vector<Term> open;
    for (Term atom : atoms) {
      if (is_open(atom) && !mentions(other, atom->symbol)) {
        open.insert(open.begin() + static_cast<std::ptrdiff_t>(below(open.size() + 1)), atom);
      }
    }
    return open;
  }

  // Each open factor is a divisor of what is left, the last one all of it; where other factors than variables are there, a
  // divisor.
  void divide_among(const Monomial& side, const std::vector<Term>& open, std::int64_t total) {
    bool all_are_variables = true;
    for (Term atom : side.atoms) {
      bool is_variable = atom.kind() == TermKind::IntVar;
      all_are_variables = all_are_variables && is_variable;
      if (is_variable && std::find(open.begin(), open.end(), atom) == open.end()) {
        number(atom->symbol);
        total = rest_of(total, point_.value(atom).value_or(0));
      }
    }
    total = rest_of(total, int64_of(side.coefficient).value_or(0));
    for (std::size_t k = 0; k < open.size(); ++k) {
      bool last = all_are_variables && k + 1 == open.size();
      std::int64_t one = last ? std::max<std::int64_t>(total, 1) : divisor_of(total);
      set(open[k]->symbol, one);
      total = rest_of(total, one);
    }
  }

  static std::int64_t rest_of(std::int64_t total, std::int64_t part) { return part >= 1 && total % part == 0 ? total / part : 1; }

  // One of the small divisors, or of their counterparts.
  std::int64_t divisor_of(std::int64_t total) {
    std::vector<std::int64_t> divisors;
    constexpr std::int64_t kMost = 12;
    for (std::int64_t d = 1; d <= std::min(kMost, total); ++d) {
      if (total % d == 0) {
        divisors.push_back(d);
        divisors.push_back(total / d);
      }
    }
    return divisors.empty() ? 1 : divisors[below(divisors.size())];
  }

  std::uint64_t& state_;
  Point point_ = Point::empty();
};

}  // namespace

Point SizePoints::made(const Facts& facts) {
  Draw draw(state_);
  for (Term fact : facts) {
    draw.take(fact);
  }
  for (Term fact : facts) {
    draw.draw_rest(fact);
  }
  return draw.take_point();
}

std::vector<Point*> SizePoints::at_which(const Facts& facts, std::size_t most) {
  constexpr std::size_t kMostKept = 48;
  constexpr int kMostMade = 24;
  std::vector<Point*> out;
  for (Point& point : points_) {
    if (out.size() < most && point.all_hold(facts)) {
      out.push_back(&point);
    }
  }
  for (int k = 0; k < kMostMade && out.size() < most; ++k) {
    Point point = made(facts);
    if (point.all_hold(facts)) {
      points_.push_front(std::move(point));
      out.push_back(&points_.front());
    }
  }
  while (points_.size() > kMostKept && std::find(out.begin(), out.end(), &points_.back()) == out.end()) {
    points_.pop_back();
  }
  return out;
}

}  // namespace vouch
