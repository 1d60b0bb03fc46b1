#include "check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "check/ranks_asked.h"
#include "graph/op_table.h"
#include "instance/excluded_types.h"
#include "instance/proof_key.h"
#include "instance/rank_lifting.h"
#include "support/hash.h"
#include "term/print.h"

namespace vouch {

namespace {

class Checker {
 public:
  Checker(const Rule& rule, const CheckOptions& options) : rule_(rule), options_(options) { out_.rule = rule.name; }

  RuleVerdict run() {
    auto start = std::chrono::steady_clock::now();
    Arithmetic::begin_rule(options_.seed);
    out_.any_rank = holds_axis_by_axis(rule_);
    judge();
    note_types();
    note_axes();
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    out_.milliseconds = spent.count();
    return std::move(out_);
  }

 private:
  void judge() {
    CheckOptions options = options_;
    options.instances = widened_ ? wide_ : options_.instances;
    InstanceOptions instances = first_tried(rule_, options);
    if (has_variadic(rule_) && proven_for_any_length(instances)) {
      return;
    }
    Enumeration all = take_all(instances);
    while (auto fewer = too_many_ ? of_fewer_ranks(rule_, instances, out_.tried) : std::nullopt) {
      instances = *fewer;
      all = take_all(instances);
    }
    if (proven_ == 0 && !failed_ && excluded_.first() != nullptr) {
      fail(*excluded_.first(), prove(*excluded_.first()));
    }
    if (proven_ == 0 && !failed_ && !too_many_ && all.complete && !widened_) {
      return widen();
    }
    out_.instances = all.instances;
    out_.bounds = all.bounds;
    conclude(all);
  }

  Enumeration take_all(const InstanceOptions& instances) {
    reset(instances.max_rank);
    too_many_ = false;
    Enumeration all = for_each_instance(
        rule_, instances, [&](Instance& instance) { return instances_are_few(instances) && take(instance, instances); });
    too_many_ = too_many_ || ((all.instances >= instances.most || all.gave_up) && !failed_);
    out_.tried += all.instances;
    return all;
  }

  // Nothing of what was tried meets the rule's conditions: they may ask for another element type, or for more axes.
  void widen() {
    constexpr std::uint32_t kMostRank = 6;
    widened_ = true;
    InstanceOptions wider = options_.instances;
    wider.max_rank = std::max(wider.max_rank, kMostRank);
    wider.dtypes.clear();
    std::swap(wide_, wider);
    judge();
  }

  // Asked of every instance: after the first hundreds, and once they were worth it, the rest are counted before more time goes
  // into proofs that would be thrown away.
  bool instances_are_few(const InstanceOptions& instances) {
    constexpr std::size_t kManyQueries = 200;
    constexpr std::size_t kManyProofs = 1000;
    ++taken_;
    bool costly = out_.queries >= kManyQueries || proofs_.size() >= kManyProofs;
    return !costly || !are_too_many(instances);
  }

  // Are there more than are gone through? The first hundreds count whatever there is beside them.
  bool are_too_many(const InstanceOptions& instances) {
    constexpr std::size_t kCountAfter = 500;
    if (taken_ >= kCountAfter && !counted_) {
      counted_ = true;
      const std::size_t count = count_instances(rule_, instances);
      out_.tried += count;
      too_many_ = count >= instances.most;
    }
    return too_many_;
  }

  // Every number of branches at once. If that does not succeed, small numbers are tried; so what is found here stands only if all
  // is proven.
  bool proven_for_any_length(InstanceOptions instances) {
    reset(instances.max_rank);
    instances.symbolic_length = true;
    bool all_proven = true;
    Enumeration all = for_each_instance(rule_, instances, [&](Instance& instance) {
      Proof proof = prove(instance);
      note_queries(proof);
      bool vacuous = proof.result == ProofResult::Vacuous;
      all_proven = vacuous || proof.result == ProofResult::Exact || proof.result == ProofResult::Real;
      out_.vacuous += vacuous ? 1 : 0;
      if (all_proven && !vacuous) {
        count_proven(proof.result);
        take_scope(instance, proof.result);
      }
      if (!all_proven) {
        any_length_ = fmt::format("any number of branches: {}", proof.reason);
        out_.instance = instance.label;
        out_.remainder = proof.remainder;
      }
      return all_proven;
    });
    if (!all_proven || !all.complete || !all.not_covered.empty() || proven_ == 0) {
      std::string_view why = !all.not_covered.empty() ? all.not_covered : all.first_error;
      any_length_ = any_length_.empty() ? fmt::format("any number of branches: {}", why) : any_length_;
      return false;
    }
    return also_proven_for_one(instances, all.instances);
  }

  // With first instances, one branch alone is not among these; and numbers are tried all the same.
  bool also_proven_for_one(InstanceOptions instances, std::size_t count) {
    instances.symbolic_length = false;
    instances.lengths = {1};
    Enumeration one = for_each_instance(rule_, instances, [&](Instance& instance) { return take(instance, instances); });
    if (failed_ || !one.complete || !one.not_covered.empty()) {
      return false;
    }
    out_.instances = count + one.instances;
    out_.bounds = one.bounds;
    if (options_.refute) {
      try_small_numbers();
    }
    if (!out_.counterexample && !failed_) {
      out_.verdict = worst_ == ProofResult::Exact ? Verdict::SoundExact : Verdict::SoundReal;
    }
    return true;
  }

  // As `try_proven`, with one branch, two and three.
  void try_small_numbers() {
    InstanceOptions instances = options_.instances;
    instances.compose = false;
    std::size_t count = 0;
    for_each_instance(rule_, instances, [&](const Instance& instance) { return !is_tried(++count) || stands(instance, worst_); });
  }

  // The 1st, 2nd, 4th, 8th, …
  static bool is_tried(std::size_t count) { return (count & (count - 1)) == 0; }

  static RefuteOptions few_numbers(int assignments = 3) {
    RefuteOptions quick;
    quick.assignments = assignments;
    quick.draws = 1;
    quick.first_draws = 1;
    quick.shrink = false;
    return quick;
  }

  static RefuteOptions many_numbers(double scale = 1) {
    RefuteOptions thorough;
    thorough.scale = scale;
    thorough.assignments = 40;
    return thorough;
  }

  void note_queries(const Proof& proof) {
    out_.queries += proof.queries;
    out_.unknown_queries += proof.unknowns;
    out_.slowest_query_ms = std::max(out_.slowest_query_ms, proof.slowest_query_ms);
    out_.scripts.insert(out_.scripts.end(), proof.scripts.begin(), proof.scripts.end());
  }

  // Of the inputs of what was proven.
  void note_types() {
    TypeSet all;
    std::set<TypeSet> classes;
    for (const Scope& scope : out_.scopes) {
      for (const ScopeNode& node : scope.nodes) {
        if (node.kind == ScopeNode::Kind::Input) {
          classes.insert(types_of(scope, node.types[0].dtype));
          all = all | *classes.find(types_of(scope, node.types[0].dtype));
        }
      }
    }
    for (DType dtype : all.types()) {
      out_.dtypes.emplace_back(dtype_name(dtype));
    }
    for (TypeSet one : classes) {
      if (one.types().size() > 1) {
        out_.alike.push_back(one.text());
      }
    }
  }

  // How many axes each role has in what was proven.
  void note_axes() {
    for (std::size_t role = 0; !out_.scopes.empty() && role < rule_.roles.size(); ++role) {
      std::uint32_t least = kMaxRank;
      std::uint32_t most = 0;
      for (const Scope& scope : out_.scopes) {
        least = std::min(least, scope.axis_numbers[role]);
        most = std::max(most, scope.axis_numbers[role]);
      }
      const std::string& name = rule_.roles[role].name.name();
      out_.bounds.insert(least == most ? fmt::format("{} {} axes", name, least)
                                       : fmt::format("{} {}..{} axes", name, least, most));
    }
  }

  void reset(std::uint32_t max_rank) {
    worst_ = ProofResult::Exact;
    proven_ = 0;
    taken_ = 0;
    counted_ = false;
    out_.vacuous = 0;
    out_.scopes.clear();
    out_.max_rank = max_rank;
    failed_ = false;
    excluded_ = {};
  }

  // Proven before, in other words? (What has no kernel is not composed, and has no key.)
  Proof prove(const Instance& instance) {
    if (!instance.unsupported.empty() || (is_ill_typed(instance) && !follows_from_sizes(instance))) {
      return prove_instance(instance, options_.prove, arithmetic_);
    }
    auto& known = is_ill_typed(instance) ? ill_typed_ : proofs_;
    std::vector<std::uintptr_t> key = proof_key(instance);
    if (auto found = known.find(key); found != known.end()) {
      Proof again;
      again.result = found->second;
      again.reason = instance.target_error;
      return again;
    }
    Proof proof = prove_instance(instance, options_.prove, arithmetic_);
    known.emplace(std::move(key), proof.result);
    return proof;
  }

  static bool is_ill_typed(const Instance& instance) { return !instance.target_error.empty(); }

  // Of an ill-typed target it is asked whether there are sizes at which the source is legal, which the key of an instance without
  // outputs tells; whether there are elements depends on their types, which it does not have.
  static bool follows_from_sizes(const Instance& instance) { return instance.outputs.empty() && instance.every.empty(); }

  bool take(Instance& instance, const InstanceOptions& among) {
    Proof proof = prove(instance);
    note_queries(proof);
    switch (proof.result) {
      case ProofResult::Vacuous:
        ++out_.vacuous;
        vacuous_ = vacuous_ ? vacuous_ : std::optional(instance);
        return true;
      case ProofResult::Exact:
      case ProofResult::Real:
        count_proven(proof.result);
        if (auto other = excluded_.prove(instance)) {
          return !are_too_many(among) && fail(*other, prove(*other));
        }
        if (!try_proven(instance, proof.result)) {
          return false;
        }
        take_scope(instance, proof.result);
        return true;
      case ProofResult::IllTyped:
        if (excluded_.exclude(instance)) {
          return true;
        }
        break;
      case ProofResult::Unknown: break;
    }
    return !are_too_many(among) && fail(instance, proof);
  }

  bool fail(const Instance& instance, const Proof& proof) {
    failed_ = true;
    out_.instance = instance.label;
    out_.remainder = proof.remainder;
    out_.reason = proof.result == ProofResult::IllTyped ? "the target is ill-typed: " + proof.reason : proof.reason;
    if (options_.refute) {
      found(refute_instance(instance, many_numbers()).counterexample);
    }
    return false;
  }

  void count_proven(ProofResult result) {
    worst_ = std::max(worst_, result);
    ++proven_;
  }

  // Instances without one let nothing fire.
  void take_scope(Instance& instance, ProofResult result) {
    if (instance.scope) {
      out_.scopes.push_back(std::move(*instance.scope));
      Scope& scope = out_.scopes.back();
      scope.axis_by_axis = out_.any_rank;
      scope.proven = result == ProofResult::Exact ? Verdict::SoundExact : Verdict::SoundReal;
      for (auto& [type, others] : scope.stands_for) {
        bool of_reals = result == ProofResult::Real && is_float(type);  // whose laws no other type is known to follow
        others = of_reals ? others & kFloats : others;
      }
    }
  }

  // Doubt the proof: some instances are tried on numbers. What that finds stands, whatever was proven.
  bool try_proven(const Instance& instance, ProofResult result) {
    bool asked = options_.refute ? is_tried(proven_) : proven_ == 1 && result == ProofResult::Real;
    return !asked || stands(instance, result);
  }

  // Over the reals the least that is asked of a source is a value on some input, whatever else is tried: of one that has none,
  // anything is proven.
  bool stands(const Instance& instance, ProofResult result) {
    constexpr double kLargestScale = 1e6;
    Refutation tried = refute_instance(instance, few_numbers(options_.refute ? 3 : 1));
    auto has_no_value = [&] { return !tried.counterexample && tried.compared == 0 && tried.undefined > 0; };
    if (!options_.refute && !tried.counterexample && tried.compared == 0) {  // where nothing is doubted, one value is enough
      tried = refute_instance(instance, few_numbers());
    }
    for (double scale = 1; result == ProofResult::Real && has_no_value() && scale <= kLargestScale; scale *= 100) {
      tried = refute_instance(instance, many_numbers(scale));
    }
    if (options_.refute) {
      found(tried.counterexample);
    }
    failed_ = out_.counterexample.has_value() || (result == ProofResult::Real && has_no_value());
    if (failed_ && !out_.counterexample) {
      out_.scopes.clear();
      out_.instance = instance.label;
      out_.reason = "no input was found on which the source has a value";
    }
    return !failed_;
  }

  // The first of its assumptions that those before it rule out.
  static std::string contradiction(Instance instance) {
    instance.outputs.clear();
    instance.obligations.clear();
    std::vector<InstanceCondition> all = instance.assumptions;
    std::size_t fewest = 0;
    for (std::size_t enough = all.size(); fewest < enough;) {
      std::size_t some = (fewest + enough) / 2;
      instance.assumptions.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some));
      bool holds_never = prove_instance(instance, {}).result == ProofResult::Vacuous;
      (holds_never ? enough : fewest) = holds_never ? some : some + 1;
    }
    if (fewest == 0 && !instance.every.empty()) {
      return fmt::format("no number is what `{}` asks of every element", print_term(instance.every.back().guard));
    }
    return fewest == 0 ? std::string("no sizes are legal")
                       : fmt::format("no sizes meet `{}` ({}) beside what is assumed before it",
                                     print_term(all[fewest - 1].guard), all[fewest - 1].why);
  }

  void found(std::optional<Counterexample> counterexample) {
    if (counterexample) {
      out_.scopes.clear();
      bool typed = counterexample->failing != Failing::IllTyped;
      out_.verdict = typed ? Verdict::Unsound : Verdict::IllTyped;
      out_.counterexample = std::move(counterexample);
    }
  }

  void conclude(const Enumeration& all) {
    if (failed_ || !all.complete || !all.not_covered.empty() || too_many_) {
      out_.scopes.clear();  // an instance that was not tried may have any of these keys
    }
    if (failed_) {
      if (!out_.counterexample && options_.refute) {
        found(refute_rule(rule_).counterexample);
      }
      return;
    }
    if (too_many_) {
      out_.reason = fmt::format("more than {} instances at ranks to {}: {} of them were proven, the others not tried",
                                options_.most_instances, out_.max_rank, proven_);
    } else if (!all.not_covered.empty()) {
      out_.reason = "not every match is covered: " + all.not_covered;
    } else if (proven_ == 0) {
      conclude_vacuous(all);
    } else if (all.lengths) {
      out_.reason = fmt::format("proven for {} branches only ({})", fmt::join(options_.instances.lengths, ", "), any_length_);
    } else {
      out_.verdict = worst_ == ProofResult::Exact ? Verdict::SoundExact : Verdict::SoundReal;
      out_.excluded = excluded_.text();
    }
    if (out_.verdict == Verdict::Unknown && options_.refute) {
      found(refute_rule(rule_).counterexample);
    }
  }

  // Nothing of what was tried is legal. Where there is more than can be tried, that something is remains possible.
  void conclude_vacuous(const Enumeration& all) {
    std::string none = all.first_error.empty() ? "no source" : all.first_error;
    out_.reason = vacuous_ ? contradiction(*vacuous_) : all.instances == 0 ? none : "no sizes meet the source's conditions";
    std::set<std::string> bounds = all.bounds;
    if (all.lengths) {
      bounds.insert(fmt::format("{} branches", fmt::join(options_.instances.lengths, ", ")));
    }
    if (bounds.empty()) {
      out_.verdict = Verdict::Vacuous;
    } else {
      out_.reason = fmt::format("nothing that was tried meets the source ({}): {}", fmt::join(bounds, ", "), out_.reason);
    }
  }

  const Rule& rule_;
  const CheckOptions& options_;
  RuleVerdict out_;
  ProofResult worst_ = ProofResult::Exact;
  std::size_t proven_ = 0;
  std::size_t taken_ = 0;
  bool counted_ = false;
  bool too_many_ = false;  // instances of these ranks
  std::map<std::vector<std::uintptr_t>, ProofResult> proofs_;
  std::map<std::vector<std::uintptr_t>, ProofResult> ill_typed_;  // those whose target is
  KeptArithmetic arithmetic_;
  ExcludedTypes excluded_;
  std::string any_length_;           // why it was not proven for any number of branches
  std::optional<Instance> vacuous_;  // the first of which nothing is legal
  bool failed_ = false;
  bool widened_ = false;
  InstanceOptions wide_;
};

}  // namespace

RuleVerdict check_rule(const Rule& rule, const CheckOptions& options) { return Checker(rule, options).run(); }

static std::string make_checker_version() {
  // The operator definitions are part of this program: so their names, and a number raised with every change of meaning.
  constexpr int kRevision = 72;
  std::string all = fmt::format("checker {} ", kRevision);
  for (const std::string& name : op_names()) {
    all += name + " ";
  }
  return content_hash(all);
}

const std::string& checker_version() {
  static const std::string version = make_checker_version();
  return version;
}

}  // namespace vouch
