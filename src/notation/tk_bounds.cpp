#include "notation/tk_bounds.h"

#include <algorithm>

namespace vouch {
namespace {

std::optional<Term> lowest(Term begin, const Box& box) {
  if (begin.kind() != TermKind::IntMax) {
    return range_of(begin, box).low;
  }
  auto a = lowest(begin.arg(0), box);
  auto b = lowest(begin.arg(1), box);
  return a && b ? box.greater(*a, *b).value_or(*a) : a ? a : b;  // both are lower bounds
}

std::optional<Term> highest(Term end, const Box& box) {
  if (end.kind() != TermKind::IntMin) {
    return range_of(end, box).high;
  }
  auto a = highest(end.arg(0), box);
  auto b = highest(end.arg(1), box);
  return a && b ? box.smaller(*a, *b).value_or(*a) : a ? a : b;
}

// Sum of rational multiples of variables, at least `factor * term` everywhere.
struct Relaxed {
  std::unordered_map<Symbol, Rational> parts;
  Rational constant = 0;
  bool bounded = true;
};

void relax(Term term, const Rational& factor, const Box& box, Relaxed& out) {
  for (const Monomial& monomial : monomials(term)) {
    Rational scale = factor * Rational(monomial.coefficient);
    Term atom = monomial.atoms.size() == 1 ? monomial.atoms[0] : Term();
    auto by = atom && atom.kind() == TermKind::FloorDiv ? const_int(atom.arg(1)) : std::nullopt;
    if (monomial.atoms.empty()) {
      out.constant += scale;
    } else if (atom && atom.kind() == TermKind::IntVar) {
      out.parts[atom->symbol] += scale;
    } else if (by && *by > 0) {  // (a - (by - 1)) / by <= a // by <= a / by
      relax(atom.arg(0), scale / Rational(*by), box, out);
      out.constant += scale < 0 ? -scale * Rational(*by - 1) / Rational(*by) : Rational(0);
    } else {
      Interval range = atom ? range_of(atom, box) : Interval{};
      auto end = !range.bounded() ? std::nullopt : number_of(scale < 0 ? *range.low : *range.high);
      out.bounded = out.bounded && end.has_value();
      out.constant += end ? scale * Rational(*end) : Rational(0);
    }
  }
}

void flatten(Term bound, TermKind extremum, std::vector<Term>& out) {
  if (bound.kind() == extremum) {
    flatten(bound.arg(0), extremum, out);
    flatten(bound.arg(1), extremum, out);
  } else {
    out.push_back(bound);
  }
}

}  // namespace

std::optional<Term> upper_bound(Term term, const Box& box) {
  Relaxed sum;
  relax(term, 1, box, sum);
  std::optional<Rational> total = sum.bounded ? std::optional(sum.constant) : std::nullopt;
  for (const auto& [name, factor] : sum.parts) {
    auto range = box.find(name);
    std::optional<Term> last = factor == 0          ? std::optional<Term>(0)
                               : range == box.end() ? std::nullopt
                               : factor > 0         ? range->second.high
                                                    : range->second.low;
    auto end = last ? number_of(*last) : std::nullopt;
    total = total && end ? std::optional<Rational>(*total + factor * Rational(*end)) : std::nullopt;
  }
  std::optional<Term> plain = range_of(term, box).high;
  std::optional<Term> relaxed = total ? std::optional(int_const(floor_of(*total))) : std::nullopt;
  return plain && relaxed ? box.smaller(*plain, *relaxed).value_or(*plain) : plain ? plain : relaxed;
}

LoopFrame shortest_frame(const TkLoop& loop, const Box& box) {
  Interval range = loop_range(loop, box);
  LoopFrame best{*range.low, *range.high - *range.low + Term(1)};
  std::vector<Term> begins;
  std::vector<Term> ends;
  flatten(loop.begin, TermKind::IntMax, begins);
  flatten(loop.end, TermKind::IntMin, ends);
  for (Term begin : begins) {
    for (Term end : ends) {
      auto count = upper_bound(end - begin, box);
      bool shorter =
          count && (box.at_least(best.count, *count + Term(1)) ||
                    (!box.at_least(*count, best.count) && nominal(*count, box.sizes) < nominal(best.count, box.sizes)));
      if (shorter) {
        best = {begin, *count};
      }
    }
  }
  best.count = box.at_least(Term(0), best.count) ? Term(0) : best.count;
  return best;
}

Interval loop_range(const TkLoop& loop, const Box& box) {
  auto end = highest(loop.end, box);
  return {lowest(loop.begin, box), end ? std::optional(*end - Term(1)) : std::nullopt};
}

Box statement_box(const TkKernel& kernel, const TkStatement& statement) {
  Box box;
  box.sizes = kernel.sizes;
  const std::vector<Term>& shape = kernel.tensor(statement.target).shape;
  for (std::size_t a = 0; a < statement.indices.size(); ++a) {
    box[statement.indices[a]] = {Term(0), shape[a] - Term(1)};
  }
  return box;
}

Box summand_box(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand) {
  Box box = statement_box(kernel, statement);
  for (const TkLoop& loop : summand.loops) {
    box[loop.name] = loop_range(loop, box);
  }
  return box;
}

}  // namespace vouch
