#include "driver/check_all.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "driver/progress.h"
#include "refute/suggest_condition.h"
#include "support/parallel.h"

namespace vouch {
namespace {

// A refuted rule with the conditions under which it is sound after all.
void repair(const Rule& rule, const CheckOptions& options, CheckedRule& out) {
  auto found = suggest_repair(rule);
  if (!found) {
    return;
  }
  out.conditions = found->conditions;
  CheckOptions plain = options;
  plain.prove.keep_scripts = false;
  out.repair_proven = is_sound(check_rule(found->rule, plain).verdict);
}

// Shows what is known of each rule as soon as it is, in the order of the rules: `next_` and all after it wait until `next_` is
// there.
class InOrder {
 public:
  InOrder(std::vector<CheckedRule>& all, const ShowRule& show) : all_(all), show_(show), known_(all.size()) {}

  void known(std::size_t k) {
    std::lock_guard lock(mutex_);
    known_[k] = true;
    for (; next_ < all_.size() && known_[next_]; ++next_) {
      show_(all_[next_]);
    }
    progress_.update(++count_, all_.size(), all_[k].verdict.rule);
  }

 private:
  std::vector<CheckedRule>& all_;
  const ShowRule& show_;
  std::mutex mutex_;
  std::vector<bool> known_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  Progress progress_{"check"};
};

// Verdicts and repairs from the store, or worked out and kept there.
class Judging {
 public:
  Judging(const CheckCommand& command, const CheckOptions& options, const CheckStore& store, Diagnostics& diagnostics)
      : command_(command),
        // A job of a list is one of many already.
        jobs_(command.fill && command.jobs == 0 ? 1 : jobs_for(command.jobs)),
        options_(options),
        store_(store),
        diagnostics_(diagnostics) {}

  std::vector<CheckedRule> all(const std::vector<const Rule*>& rules, const ShowRule& show_verdict, const ShowRule& show_repair) {
    std::vector<CheckedRule> all(rules.size());
    InOrder verdicts(all, show_verdict);
    for_all(rules.size(), jobs_, [&](std::size_t k) {
      all[k] = judged(*rules[k]);
      verdicts.known(k);
    });
    InOrder repairs(all, show_repair);
    for_all(rules.size(), jobs_, [&](std::size_t k) {
      if (!all[k].finished) {
        repair(*rules[k], options_, all[k]);
        keep(all[k]);
      }
      repairs.known(k);
    });
    return all;
  }

 private:
  CheckedRule judged(const Rule& rule) {
    auto known = store_.find(rule);
    // Queries are not kept.
    if (known && !command_.again && !options_.prove.keep_scripts) {
      known->finished = true;
      return std::move(*known);
    }
    CheckedRule checked = checked_rule(rule, check_rule(rule, options_));
    checked.finished = !command_.repair || checked.shown.empty();
    Verdict verdict = checked.verdict.verdict;
    if (known && known->verdict.verdict != verdict) {
      std::lock_guard lock(mutex_);
      diagnostics_.error_at(store_.path(rule),
                            fmt::format("the store has '{}' of the rule {}, and it is '{}'", verdict_name(known->verdict.verdict),
                                        rule.name, verdict_name(verdict)));
      checked.contradicted = true;
    } else if (checked.finished) {
      keep(checked);
    }
    return checked;
  }

  void keep(const CheckedRule& checked) {
    std::lock_guard lock(mutex_);
    if (!checked.contradicted) {
      store_.keep(checked, diagnostics_);
    }
  }

  const CheckCommand& command_;
  const unsigned jobs_;
  const CheckOptions& options_;
  const CheckStore& store_;
  Diagnostics& diagnostics_;
  std::mutex mutex_;
};

}  // namespace

std::vector<CheckedRule> check_all(const std::vector<const Rule*>& rules, const CheckCommand& command,
                                   const CheckOptions& options, const CheckStore& store, Diagnostics& diagnostics,
                                   const ShowRule& show_verdict, const ShowRule& show_repair) {
  return Judging(command, options, store, diagnostics).all(rules, show_verdict, show_repair);
}

}  // namespace vouch
