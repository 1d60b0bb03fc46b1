#include "notation/tk_domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

class Inference {
 public:
  explicit Inference(const Box& given_domains) : box(given_domains), given(given_domains) {}

  Box box;
  const Box& given;
  std::string unordered;  // the first two ends of a domain that the sizes do not order

  // Narrows the one index of `term` so that `low <= term <= high`. Does nothing unless one atom is open.
  void narrow(Term term, Term low, Term high, bool for_all) {
    for (;;) {
      Term atom;
      Integer coefficient = 0;
      Interval rest{Term(0), Term(0)};
      if (!split(term, atom, coefficient, rest)) {
        return;
      }
      Term below = for_all ? low - *rest.low : low - *rest.high;
      Term above = for_all ? high - *rest.high : high - *rest.low;
      if (coefficient < 0) {
        std::swap(below, above);
        below = -below;
        above = -above;
        coefficient = -coefficient;
      }
      low = -floor_div(-below, int_const(coefficient));
      high = floor_div(above, int_const(coefficient));
      if (atom.kind() == TermKind::IntVar) {
        intersect(atom->symbol, low, high);
        return;
      }
      Term by = atom.arg(1);
      if (atom.kind() == TermKind::FloorDiv) {
        low = low * by;
        high = high * by + by - Term(1);
      } else if (box.at_least(Term(0), low) && box.at_least(high, by - Term(1))) {
        return;
      }
      term = atom.arg(0);
    }
  }

  bool known(Term term) const { return range_of(term, box).bounded(); }

  // The longest interval in the known range of a remainder's one index where `0 <= term < extent`; the first of these. False
  // if there are too many values to try, or no range.
  bool narrow_by_trial(Term term, Symbol name, Term axis) {
    constexpr std::int64_t kMostTried = 1 << 16;
    Interval range = range_of(int_var(name), box);
    auto low = range.low ? number_of(*range.low) : std::nullopt;
    auto high = range.high ? number_of(*range.high) : std::nullopt;
    auto extent = number_of(axis);
    if (!low || !high || !extent || *high - *low >= kMostTried) {
      return false;
    }
    Integer best = 0;
    Integer best_begin = *low;
    Integer run = 0;
    for (Integer at = *low; at <= *high; ++at) {
      auto value = const_int(substitute(term, name, int_const(at)));
      run = value && *value >= 0 && *value < *extent ? Integer(run + 1) : Integer(0);
      if (run > best) {
        best = run;
        best_begin = at - run + 1;
      }
    }
    intersect(name, int_const(best_begin), int_const(best_begin + best - 1));
    return true;
  }

 private:
  // term = coefficient * atom + rest, where only `atom` is open, or where there is only one atom.
  bool split(Term term, Term& atom, Integer& coefficient, Interval& rest) const {
    std::vector<Monomial> parts = monomials(term);
    auto has_index = [&](const Monomial& m) { return !index_variables(from_monomials({m}), box.sizes).empty(); };
    auto atoms = std::count_if(parts.begin(), parts.end(), has_index);
    std::vector<Monomial> others;
    for (const Monomial& part : parts) {
      bool candidate = has_index(part) && (atoms == 1 || !known(part.atoms[0]));
      if (!candidate) {
        others.push_back(part);
      } else if (atom) {
        return false;
      } else {
        atom = part.atoms[0];
        coefficient = part.coefficient;
      }
    }
    rest = range_of(from_monomials(others), box);
    return static_cast<bool>(atom) && rest.bounded();
  }

  void intersect(Symbol name, Term low, Term high) {
    if (given.contains(name)) {
      return;
    }
    Interval& now = box[name];
    now.low = now.low ? chosen("larger", *now.low, low, box.greater(*now.low, low)) : low;
    now.high = now.high ? chosen("smaller", *now.high, high, box.smaller(*now.high, high)) : high;
  }

  Term chosen(std::string_view which, Term a, Term b, std::optional<Term> end) {
    if (!end && unordered.empty()) {
      unordered = fmt::format("the {} of '{}' and '{}'", which, print_term(a), print_term(b));
    }
    return end.value_or(a);
  }
};

bool has_remainder(Term term) {
  return term.kind() == TermKind::FloorMod || std::any_of(term.args().begin(), term.args().end(), has_remainder);
}

// Remainders leave an index several intervals: of those whose range other subscripts give, the longest is found last.
void narrow_remainders(Inference& inference, const std::vector<TkAccess>& reads) {
  for (const TkAccess& read : reads) {
    for (std::size_t a = 0; a < read.subscripts.size() && !read.guarded; ++a) {
      std::vector<Symbol> names = index_variables(read.subscripts[a], inference.box.sizes);
      bool wanted = names.size() == 1 && has_remainder(read.subscripts[a]);
      if (wanted && !inference.narrow_by_trial(read.subscripts[a], names[0], read.shape[a])) {
        inference.narrow(read.subscripts[a], Term(0), read.shape[a] - Term(1), true);
      }
    }
  }
}

void narrow_all(Inference& inference, const std::vector<TkAccess>& reads, bool guarded, bool single) {
  for (const TkAccess& read : reads) {
    for (std::size_t a = 0; a < read.subscripts.size() && read.guarded == guarded; ++a) {
      std::vector<Symbol> names = index_variables(read.subscripts[a], inference.box.sizes);
      bool open = std::any_of(names.begin(), names.end(), [&](Symbol n) { return !inference.known(int_var(n)); });
      bool later = !guarded && has_remainder(read.subscripts[a]);
      bool wanted = single ? names.size() == 1 && !later && (!guarded || open) : names.size() > 1 && open;
      if (wanted) {
        inference.narrow(read.subscripts[a], Term(0), read.shape[a] - Term(1), !guarded);
      }
    }
  }
}

// What one may do where sizes have names and their order is not known.
std::string size_hint(const Box& box) {
  return box.sizes.names.empty() ? "" : fmt::format("give the size a value: --size {}=16", box.sizes.names.back().name());
}

bool stays_inside(const Inference& inference, const TkAccess& read, const SourceRef& source, Diagnostics& diagnostics) {
  for (std::size_t a = 0; a < read.subscripts.size(); ++a) {
    Interval range = range_of(read.subscripts[a], inference.box);
    auto inside = [&] {
      return range.bounded() && inference.box.at_least(*range.low, Term(0)) &&
             inference.box.at_least(read.shape[a] - Term(1), *range.high);
    };
    if (!inside()) {
      range = range_by_trial(read.subscripts[a], inference.box).value_or(range);
    }
    if (!inside()) {
      std::string reach = range.bounded() ? fmt::format("reaches from {} to {}", print_term(*range.low), print_term(*range.high))
                                          : std::string("is unbounded");
      diagnostics.error(source, read.spans[a],
                        fmt::format("subscript '{}' {} but axis {} of '{}' has extent {}", print_term(read.subscripts[a]), reach,
                                    a, read.tensor.name(), print_term(read.shape[a])),
                        size_hint(inference.box));
      return false;
    }
  }
  return true;
}

const Span* place_of(Symbol name, const TkAccess& target, const std::vector<TkAccess>& reads) {
  for (const TkAccess& read : reads) {
    for (std::size_t a = 0; a < read.subscripts.size(); ++a) {
      std::vector<Symbol> names = free_variables(read.subscripts[a]);
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        return &read.spans[a];
      }
    }
  }
  return target.spans.empty() ? nullptr : &target.spans[0];
}

}  // namespace

std::optional<std::vector<TkDomain>> infer_domains(const TkAccess& target, const std::vector<TkAccess>& reads,
                                                   const std::vector<Symbol>& names, Box& given, const SourceRef& source,
                                                   Diagnostics& diagnostics) {
  const Box as_given = given;
  Inference inference(as_given);
  for (std::size_t a = 0; a < target.subscripts.size(); ++a) {
    inference.narrow(target.subscripts[a], Term(0), target.shape[a] - Term(1), true);
  }
  narrow_all(inference, reads, false, true);
  narrow_remainders(inference, reads);
  for (std::size_t round = 0; round < names.size(); ++round) {
    narrow_all(inference, reads, false, false);
  }
  narrow_all(inference, reads, true, true);
  for (std::size_t round = 0; round < names.size(); ++round) {
    narrow_all(inference, reads, true, false);
  }
  std::vector<TkDomain> domains;
  for (Symbol name : names) {
    const Span* place = place_of(name, target, reads);
    Span span = place ? *place : Span{};
    Interval range = inference.box[name];
    if (!range.bounded()) {
      diagnostics.error(source, span, fmt::format("index '{}' is unbounded: no subscript alone gives its range", name.name()));
      return std::nullopt;
    }
    if (!inference.unordered.empty()) {
      diagnostics.error(source, span,
                        fmt::format("the domains have no closed form over the sizes: one ends with {}", inference.unordered),
                        size_hint(inference.box));
      return std::nullopt;
    }
    if (given.at_least(*range.low - Term(1), *range.high)) {
      diagnostics.error(source, span,
                        fmt::format("index '{}' has no values: the subscripts ask for {} <= {} <= {}", name.name(),
                                    print_term(*range.low), name.name(), print_term(*range.high)));
      return std::nullopt;
    }
    bool reduced = std::find(target.subscripts.begin(), target.subscripts.end(), int_var(name)) == target.subscripts.end();
    given.sizes.assume(*range.high - *range.low);
    domains.push_back({name, reduced, *range.low, *range.high + Term(1)});
  }
  bool inside =
      stays_inside(inference, target, source, diagnostics) && std::all_of(reads.begin(), reads.end(), [&](const TkAccess& read) {
        return read.guarded || stays_inside(inference, read, source, diagnostics);
      });
  return inside ? std::optional(std::move(domains)) : std::nullopt;
}

}  // namespace vouch
