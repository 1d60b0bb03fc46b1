#include "refute/shrink.h"

#include <algorithm>
#include <map>
#include <set>

namespace vouch {
namespace {

// 1 and 0 are simplest, then 2, -1, 3, -2, …; fractions come last.
Rational complexity(const FreeSymbol& symbol, const Rational& value) {
  Rational plain = symbol.kind == SymbolKind::Real && value == 1 ? Rational(-1) : Rational(abs(value) * 2);
  return plain + (value < 0 ? 1 : 0) + (is_integral(value) ? 0 : 10);
}

// Values no less simple than `value`, the simplest first, `value` last.
std::vector<Rational> simpler(const FreeSymbol& symbol, const Rational& value) {
  std::int64_t reach = std::min<std::int64_t>(std::abs(floor_of(value).convert_to<std::int64_t>()), 12);
  std::vector<Rational> out;
  for (const Rational& candidate : default_domain(symbol, reach)) {
    if (complexity(symbol, candidate) < complexity(symbol, value)) {
      out.push_back(candidate);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](const Rational& a, const Rational& b) { return complexity(symbol, a) < complexity(symbol, b); });
  out.push_back(value);
  return out;
}

class Shrinker {
 public:
  Shrinker(const Instance& instance, AssignmentSearch& search, const RefuteOptions& options, std::mt19937& random, Found& found)
      : instance_(instance), search_(search), options_(options), random_(random), found_(found) {}

  void run() {
    while (shrink_symbols() || shrink_equals()) {
    }
    if (found_.counterexample.failing == Failing::Differs || found_.counterexample.failing == Failing::Undefined) {
      shrink_elements();
    }
  }

 private:
  // One round over all symbols; true if any became simpler.
  bool shrink_symbols() {
    bool progress = false;
    for (const FreeSymbol& symbol : instance_.symbols) {
      std::vector<Rational> candidates = simpler(symbol, found_.assignment.at(symbol.name));
      candidates.pop_back();
      for (const Rational& candidate : candidates) {
        if (budget_ <= 0) {
          return false;
        }
        if (try_symbols({symbol.name}, candidate)) {
          progress = true;
          break;
        }
      }
    }
    return progress;
  }

  // Sizes that are equal because the target wants them so become smaller together; true if any did.
  bool shrink_equals() {
    std::map<Rational, std::set<Symbol>> equals;
    std::map<Rational, const FreeSymbol*> one;
    for (const FreeSymbol& symbol : instance_.symbols) {
      if (symbol.kind == SymbolKind::Size || symbol.kind == SymbolKind::Element) {
        const Rational& value = found_.assignment.at(symbol.name);
        equals[value].insert(symbol.name);
        one[value] = &symbol;
      }
    }
    for (const auto& [value, names] : equals) {
      std::vector<Rational> candidates = simpler(*one[value], value);
      candidates.pop_back();
      for (const Rational& candidate : candidates) {
        if (names.size() > 1 && budget_ > 0 && try_symbols(names, candidate)) {
          return true;
        }
      }
    }
    return false;
  }

  // The other symbols stay as they are where they can, else they become simpler.
  bool try_symbols(const std::set<Symbol>& names, const Rational& candidate) {
    Domains domains;
    for (const FreeSymbol& other : instance_.symbols) {
      std::vector<Rational> values = simpler(other, found_.assignment.at(other.name));
      std::rotate(values.begin(), values.end() - 1, values.end());
      domains.emplace(other.name, std::move(values));
    }
    for (Symbol name : names) {
      domains[name] = {candidate};
    }
    --budget_;
    auto assignment = search_.find(random_, 1, domains, true, 400);
    if (!assignment) {
      return false;
    }
    Trial trial(instance_, *assignment, options_.most_elements);
    if (!trial.legal()) {
      return false;
    }
    int draws = trial.fails_by_type() ? 1 : kDrawCount;
    for (int draw = 0; draw < draws; ++draw) {
      --budget_;
      if (accept(trial.run(trial.draw(static_cast<Draw>(draw), random_)))) {
        return true;
      }
    }
    return false;
  }

  bool accept(Found next) {
    if (!next.failing || next.counterexample.failing != found_.counterexample.failing) {
      return false;
    }
    found_ = std::move(next);
    return true;
  }

  void shrink_elements() {
    Assignment assignment = found_.assignment;
    Trial trial(instance_, assignment, options_.most_elements);
    for (std::size_t t = 0; t < found_.counterexample.inputs.size(); ++t) {
      for (std::int64_t i = 0; i < found_.counterexample.inputs[t].count(); ++i) {
        shrink_element(trial, t, i);
      }
    }
  }

  void shrink_element(Trial& trial, std::size_t tensor, std::int64_t at) {
    double value = found_.counterexample.inputs[tensor].double_at(at);
    for (double candidate : {0.0, 1.0, 2.0, -1.0}) {
      if (candidate == value || element_budget_ <= 0) {
        return;
      }
      --element_budget_;
      std::vector<Tensor> tensors = found_.counterexample.inputs;
      Tensor changed(tensors[tensor].dtype(), tensors[tensor].extents(),
                     {tensors[tensor].bytes().begin(), tensors[tensor].bytes().end()});
      is_float(changed.dtype()) ? changed.set_double(at, candidate) : changed.set_int(at, static_cast<std::int64_t>(candidate));
      tensors[tensor] = std::move(changed);
      if (accept(trial.run(std::move(tensors)))) {
        return;
      }
    }
  }

  const Instance& instance_;
  AssignmentSearch& search_;
  const RefuteOptions& options_;
  std::mt19937& random_;
  Found& found_;
  int budget_ = 400;
  int element_budget_ = 300;
};

}  // namespace

void shrink(const Instance& instance, AssignmentSearch& search, const RefuteOptions& options, std::mt19937& random,
            Found& found) {
  Shrinker(instance, search, options, random, found).run();
}

}  // namespace vouch
