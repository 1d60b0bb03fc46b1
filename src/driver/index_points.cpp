#include "driver/index_points.h"

#include <algorithm>
#include <set>

#include "term/eval.h"

namespace vouch {
namespace {

constexpr std::size_t kMostEvaluations = 300'000;

// Variables in the order in which facts name them, so that bounds come after what they depend on; each with the facts that can be
// judged once it is chosen.
class Points {
 public:
  Points(const Facts& facts, Term goal, const Box& box) : goal_(goal), box_(box) {
    std::set<Symbol> wanted = connected(facts, goal);
    std::vector<Term> terms(facts);
    terms.push_back(goal);
    for (Term term : terms) {
      for (Symbol name : free_variables(term)) {
        if (wanted.contains(name) && std::find(names_.begin(), names_.end(), name) == names_.end()) {
          names_.push_back(name);
        }
      }
    }
    judged_.resize(names_.size() + 1);
    for (Term fact : facts) {
      std::size_t last = 0;
      bool takes_part = true;
      for (Symbol name : free_variables(fact)) {
        auto at = std::find(names_.begin(), names_.end(), name);
        takes_part = takes_part && at != names_.end();
        last = std::max(last, static_cast<std::size_t>(at - names_.begin()) + 1);
      }
      if (takes_part) {
        judged_[last].push_back(fact);
      }
    }
  }

  bool all_good() { return all_good_from(0); }

 private:
  // What shares variables with the goal, directly or through others.
  static std::set<Symbol> connected(const Facts& facts, Term goal) {
    std::vector<Symbol> first = free_variables(goal);
    std::set<Symbol> out(first.begin(), first.end());
    for (bool grew = true; grew;) {
      grew = false;
      for (Term fact : facts) {
        std::vector<Symbol> here = free_variables(fact);
        if (std::any_of(here.begin(), here.end(), [&](Symbol name) { return out.contains(name); })) {
          std::size_t before = out.size();
          out.insert(here.begin(), here.end());
          grew = grew || out.size() > before;
        }
      }
    }
    return out;
  }

  bool all_good_from(std::size_t k) {
    for (Term fact : judged_[k]) {
      if (!holds(fact)) {
        return !stuck_;
      }
    }
    if (k == names_.size()) {
      return holds(goal_);
    }
    auto range = box_.find(names_[k]);
    auto low = range != box_.end() && range->second.low ? const_int(*range->second.low) : std::nullopt;
    auto high = range != box_.end() && range->second.high ? const_int(*range->second.high) : std::nullopt;
    if (!low || !high) {
      return false;
    }
    for (std::int64_t value = *low; value <= *high; ++value) {
      here_.integers[names_[k]] = value;
      if (!all_good_from(k + 1)) {
        return false;
      }
    }
    return true;
  }

  // A condition without value, or one too many, is neither true nor false.
  bool holds(Term condition) {
    auto value = eval_guard(condition, here_);
    stuck_ = stuck_ || ++evaluations_ > kMostEvaluations || !std::holds_alternative<bool>(value);
    return !stuck_ && std::get<bool>(value);
  }

  Term goal_;
  const Box& box_;
  std::vector<Symbol> names_;
  std::vector<Facts> judged_;
  EvalEnvironment here_;
  std::size_t evaluations_ = 0;
  bool stuck_ = false;
};

}  // namespace

bool holds_at_every_point(const Facts& facts, Term goal, const Box& box) { return Points(facts, goal, box).all_good(); }

}  // namespace vouch
