#include "refute/suggest_condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/op_kin.h"
#include "rule/parse.h"
#include "rule/print.h"

namespace vouch {
namespace {

class Candidates {
 public:
  explicit Candidates(const Rule& rule) : rule_(rule) {}

  std::vector<std::string> run() {
    for (PatternId id : rule_.source_order) {
      const Pattern& p = rule_.pattern(id);
      if (p.name.empty() || p.owner != kNone) {
        continue;
      }
      if (p.kind == PatternKind::Call && p.op) {
        add_call(p);
      } else if (p.kind == PatternKind::Const) {
        out_.push_back(fmt::format("minimum[i < len({0}.value)]({0}.value[i]) >= 0", p.name.name()));
      }
      (p.kind == PatternKind::Variadic ? variadics_ : is_tensor(p) ? tensors_ : tuples_).push_back(id);
    }
    add_lengths();
    add_pairs();
    return std::move(out_);
  }

 private:
  static bool is_tensor(const Pattern& p) {
    switch (p.kind) {
      case PatternKind::Wildcard:
      case PatternKind::Variable:
      case PatternKind::Projection: return true;
      case PatternKind::Call: return p.op && !op_def(*p.op).several_results;
      case PatternKind::Const:
      case PatternKind::Tuple:
      case PatternKind::Variadic:
      case PatternKind::Instance:
      case PatternKind::Alternative:
      case PatternKind::Conditional: break;
    }
    return false;
  }

  void add_call(const Pattern& p) {
    for (const AttrDef& attr : op_def(*p.op).attributes) {
      add_attribute(attr, fmt::format("{}.{}", p.name.name(), attr.name));
    }
  }

  void add_attribute(const AttrDef& attr, const std::string& access) {
    switch (role_of(attr)) {
      case AttrRole::Group: out_.push_back(access + " == 1"); break;
      case AttrRole::Axis:
        if (attr.type == AttrType::Int) {
          out_.push_back(access + " >= 0");
        }
        break;
      case AttrRole::Padding:
        out_.push_back(fmt::format("minimum[i < len({0})]({0}[i]) >= 0", access));
        out_.push_back(fmt::format("maximum[i < len({0})]({0}[i]) == 0", access));
        break;
      case AttrRole::Step: out_.push_back(fmt::format("maximum[i < len({0})]({0}[i]) == 1", access)); break;
      case AttrRole::Flag:
        out_.push_back(access + " == 1");
        out_.push_back(access + " == 0");
        break;
      case AttrRole::Other: break;
    }
  }

  void add_lengths() {
    for (PatternId v : variadics_) {
      for (PatternId t : tuples_) {
        out_.push_back(fmt::format("{}.length == {}.length", name(v), name(t)));
      }
    }
  }

  const std::string& name(PatternId id) const { return rule_.pattern(id).name.name(); }

  std::optional<std::int64_t> known_rank(PatternId id) const {
    for (const PatternAttr& attr : rule_.pattern(id).attributes) {
      const AttrExpr& value = rule_.attr(attr.value);
      if (attr.name.name() == "rank" && value.kind == AttrKind::Value) {
        return value.value.int64();
      }
    }
    return std::nullopt;
  }

  void add_pairs() {
    constexpr std::size_t kMostPairs = 30;
    std::vector<std::string> sizes;
    for (std::size_t a = 0; a < tensors_.size(); ++a) {
      for (std::size_t b = a + 1; b < tensors_.size() && a * tensors_.size() + b < kMostPairs * 2; ++b) {
        out_.push_back(fmt::format("{}.rank == {}.rank", name(tensors_[a]), name(tensors_[b])));
        out_.push_back(fmt::format("{}.shape == {}.shape", name(tensors_[a]), name(tensors_[b])));
        add_sizes(tensors_[a], tensors_[b], sizes);
      }
    }
    out_.insert(out_.end(), sizes.begin(), sizes.end());
  }

  // Sizes of inputs whose ranks the rule says.
  void add_sizes(PatternId a, PatternId b, std::vector<std::string>& sizes) const {
    std::int64_t rank_a = known_rank(a).value_or(0);
    std::int64_t rank_b = known_rank(b).value_or(0);
    for (std::int64_t i = 0; i < rank_a; ++i) {
      for (std::int64_t j = 0; j < rank_b; ++j) {
        sizes.push_back(fmt::format("{}.shape[{}] == {}.shape[{}]", name(a), i, name(b), j));
        if (i != j) {
          sizes.push_back(fmt::format("divides({}.shape[{}], {}.shape[{}])", name(a), i, name(b), j));
        }
      }
    }
  }

  const Rule& rule_;
  std::vector<std::string> out_;
  std::vector<PatternId> variadics_, tensors_, tuples_;
};

// The rule's text with further conditions; nothing if that is no rule.
std::optional<Rule> with_conditions(const Rule& rule, const std::vector<std::string>& conditions) {
  std::string text = print_rule(rule);
  std::size_t end = text.rfind('}');
  std::string added;
  for (const std::string& condition : conditions) {
    added += fmt::format("  where {};\n", condition);
  }
  text.insert(end, added);
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("repair", text), diagnostics);
  return rules && rules->size() == 1 ? std::optional(std::move(rules->at(0))) : std::nullopt;
}

class RepairSearch {
 public:
  RepairSearch(const Rule& rule, const RepairOptions& options)
      : rule_(rule), options_(options), candidates_(condition_candidates(rule)) {}

  std::optional<Repair> run() {
    for (std::size_t count = 1; count <= options_.most_conditions; ++count) {
      std::vector<std::string> chosen;
      choose(0, count, chosen);
      std::stable_sort(found_.begin(), found_.end(), [](const Repair& a, const Repair& b) { return a.compared > b.compared; });
      for (Repair& repair : found_) {
        if (judging_ > options_.most_work) {
          return std::nullopt;
        }
        Refutation result = refute_rule(repair.rule, options_.thorough);
        judging_ += work_of(result);
        if (result.counterexample) {
          known_.push_back(std::move(*result.counterexample));
        } else if (result.compared > 0) {
          repair.compared = result.compared;
          return std::move(repair);
        }
      }
      found_.clear();
    }
    return std::nullopt;
  }

 private:
  static std::size_t work_of(const Refutation& result) { return result.instances + result.compared; }

  void choose(std::size_t from, std::size_t count, std::vector<std::string>& chosen) {
    if (count == 0) {
      try_repair(chosen);
      return;
    }
    for (std::size_t k = from; k < candidates_.size() && trials_ < options_.most_trials && trying_ <= options_.most_work; ++k) {
      chosen.push_back(candidates_[k]);
      choose(k + 1, count - 1, chosen);
      chosen.pop_back();
    }
  }

  void try_repair(const std::vector<std::string>& conditions) {
    auto repaired = with_conditions(rule_, conditions);
    if (!repaired) {
      return;
    }
    ++trials_;
    if (std::size_t instances = 0; is_refuted_by(*repaired, known_, options_.quick, instances)) {
      trying_ += 1;
      return;
    }
    Refutation result = refute_rule(*repaired, options_.quick);
    trying_ += work_of(result);
    if (result.counterexample) {
      known_.push_back(std::move(*result.counterexample));
    } else if (result.compared > 0) {
      found_.push_back({std::move(*repaired), conditions, result.compared});
    }
  }

  const Rule& rule_;
  const RepairOptions& options_;
  std::vector<std::string> candidates_;
  std::vector<Repair> found_;
  std::vector<Counterexample> known_;  // of what was tried: most wrong repairs fall by that of another
  std::size_t trials_ = 0;
  // Work spent, so that what is found depends neither on time nor on load.
  std::size_t trying_ = 0;
  std::size_t judging_ = 0;
};

}  // namespace

std::vector<std::string> condition_candidates(const Rule& rule) { return Candidates(rule).run(); }

std::optional<Repair> suggest_repair(const Rule& rule, const RepairOptions& options) { return RepairSearch(rule, options).run(); }

}  // namespace vouch
