#include "kernel/tk_domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

class Inference {
 public:
  Box box;

  // Narrows the one index of `term` so that `low <= term <= high`. Does nothing unless one atom is open.
  void narrow(Term term, Integer low, Integer high, bool for_all) {
    for (;;) {
      Term atom;
      Integer coefficient = 0;
      Interval rest{Integer(0), Integer(0)};
      if (!split(term, atom, coefficient, rest)) {
        return;
      }
      Integer below = for_all ? low - *rest.low : low - *rest.high;
      Integer above = for_all ? high - *rest.high : high - *rest.low;
      if (coefficient < 0) {
        std::swap(below, above);
        below = -below;
        above = -above;
        coefficient = -coefficient;
      }
      low = -floor_div(-below, coefficient);
      high = floor_div(above, coefficient);
      if (atom.kind() == TermKind::IntVar) {
        intersect(atom->symbol, low, high);
        return;
      }
      Integer by = *const_int(atom.arg(1));
      if (atom.kind() == TermKind::FloorDiv) {
        low = low * by;
        high = high * by + by - 1;
      } else if (low <= 0 && high >= by - 1) {
        return;
      }
      term = atom.arg(0);
    }
  }

  bool known(Term term) const { return range_of(term, box).bounded(); }

  // The longest interval in the known range of a remainder's one index where `0 <= term < extent`; the first of these. False
  // if there are too many values to try, or no range.
  bool narrow_by_trial(Term term, Symbol name, std::int64_t extent) {
    constexpr std::int64_t kMostTried = 1 << 16;
    Interval range = range_of(int_var(name), box);
    if (!range.bounded() || *range.high - *range.low >= kMostTried) {
      return false;
    }
    Integer best = 0;
    Integer best_begin = *range.low;
    Integer run = 0;
    for (Integer at = *range.low; at <= *range.high; ++at) {
      auto value = const_int(substitute(term, name, int_const(at)));
      run = value && *value >= 0 && *value < extent ? Integer(run + 1) : Integer(0);
      if (run > best) {
        best = run;
        best_begin = at - run + 1;
      }
    }
    intersect(name, best_begin, best_begin + best - 1);
    return true;
  }

 private:
  // term = coefficient * atom + rest, where only `atom` is open, or where there is only one atom.
  bool split(Term term, Term& atom, Integer& coefficient, Interval& rest) const {
    std::vector<Monomial> parts = monomials(term);
    std::size_t atoms = std::count_if(parts.begin(), parts.end(), [](const Monomial& m) { return !m.atoms.empty(); });
    std::vector<Monomial> others;
    for (const Monomial& part : parts) {
      bool candidate = !part.atoms.empty() && (atoms == 1 || !known(part.atoms[0]));
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

  void intersect(Symbol name, const Integer& low, const Integer& high) {
    Interval& now = box[name];
    now.low = now.low ? std::max(*now.low, low) : low;
    now.high = now.high ? std::min(*now.high, high) : high;
  }
};

bool has_remainder(Term term) {
  return term.kind() == TermKind::FloorMod || std::any_of(term.args().begin(), term.args().end(), has_remainder);
}

// Remainders leave an index several intervals: of those whose range other subscripts give, the longest is found last.
void narrow_remainders(Inference& inference, const std::vector<TkAccess>& reads) {
  for (const TkAccess& read : reads) {
    for (std::size_t a = 0; a < read.subscripts.size() && !read.guarded; ++a) {
      std::vector<Symbol> names = free_variables(read.subscripts[a]);
      bool wanted = names.size() == 1 && has_remainder(read.subscripts[a]);
      if (wanted && !inference.narrow_by_trial(read.subscripts[a], names[0], read.extents[a])) {
        inference.narrow(read.subscripts[a], 0, read.extents[a] - 1, true);
      }
    }
  }
}

void narrow_all(Inference& inference, const std::vector<TkAccess>& reads, bool guarded, bool single) {
  for (const TkAccess& read : reads) {
    for (std::size_t a = 0; a < read.subscripts.size() && read.guarded == guarded; ++a) {
      std::vector<Symbol> names = free_variables(read.subscripts[a]);
      bool open = std::any_of(names.begin(), names.end(), [&](Symbol n) { return !inference.known(int_var(n)); });
      bool later = !guarded && has_remainder(read.subscripts[a]);
      bool wanted = single ? names.size() == 1 && !later && (!guarded || open) : names.size() > 1 && open;
      if (wanted) {
        inference.narrow(read.subscripts[a], 0, read.extents[a] - 1, !guarded);
      }
    }
  }
}

bool stays_inside(const Inference& inference, const TkAccess& read, const SourceRef& source, Diagnostics& diagnostics) {
  for (std::size_t a = 0; a < read.subscripts.size(); ++a) {
    Interval range = range_of(read.subscripts[a], inference.box);
    auto inside = [&] { return range.bounded() && *range.low >= 0 && *range.high < read.extents[a]; };
    if (!inside()) {
      range = range_by_trial(read.subscripts[a], inference.box).value_or(range);
    }
    if (!inside()) {
      std::string reach = range.bounded() ? fmt::format("reaches from {} to {}", range.low->str(), range.high->str())
                                          : std::string("is unbounded");
      diagnostics.error(source, read.spans[a],
                        fmt::format("subscript '{}' {} but axis {} of '{}' has extent {}", print_term(read.subscripts[a]), reach,
                                    a, read.tensor.name(), read.extents[a]));
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
                                                   const std::vector<Symbol>& names, const Box& given, const SourceRef& source,
                                                   Diagnostics& diagnostics) {
  Inference inference;
  inference.box = given;
  for (std::size_t a = 0; a < target.subscripts.size(); ++a) {
    inference.narrow(target.subscripts[a], 0, target.extents[a] - 1, true);
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
    if (*range.low > *range.high) {
      diagnostics.error(source, span,
                        fmt::format("index '{}' has no values: the subscripts ask for {} <= {} <= {}", name.name(),
                                    range.low->str(), name.name(), range.high->str()));
      return std::nullopt;
    }
    bool reduced = std::find(target.subscripts.begin(), target.subscripts.end(), int_var(name)) == target.subscripts.end();
    domains.push_back({name, reduced, static_cast<std::int64_t>(*range.low), static_cast<std::int64_t>(*range.high) + 1});
  }
  for (const TkAccess& read : reads) {
    if (!read.guarded && !stays_inside(inference, read, source, diagnostics)) {
      return std::nullopt;
    }
  }
  return domains;
}

}  // namespace vouch
