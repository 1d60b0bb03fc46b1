#include "driver/check_all.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "driver/parallel.h"
#include "driver/progress.h"
#include "refute/suggest_condition.h"

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

// Shows what is known of each rule as soon as it is, in the order of the rules: first its verdict with the counterexample, then,
// where one is looked for, its repair. `next` and all after it wait until `next` is whole.
class InOrder {
 public:
  InOrder(std::vector<CheckedRule>& all, ShowRule verdict, ShowRule repair)
      : all_(all), verdict_(std::move(verdict)), repair_(std::move(repair)) {}

  void judged(std::size_t k, CheckedRule checked) {
    std::lock_guard lock(mutex_);
    all_[k] = std::move(checked);
    all_[k].judged = true;
    show();
  }

  void finished(std::size_t k, std::vector<std::string> conditions, bool proven) {
    std::lock_guard lock(mutex_);
    all_[k].conditions = std::move(conditions);
    all_[k].repair_proven = proven;
    all_[k].finished = true;
    ++finished_;
    show();
    progress_.update(finished_, all_.size(), all_[k].verdict.rule);
  }

 private:
  void show() {
    for (; next_ < all_.size() && all_[next_].judged; ++next_) {
      if (!verdict_shown_) {
        verdict_(all_[next_]);
        verdict_shown_ = true;
      }
      if (!all_[next_].finished) {
        return;
      }
      repair_(all_[next_]);
      verdict_shown_ = false;
    }
  }

  std::vector<CheckedRule>& all_;
  ShowRule verdict_;
  ShowRule repair_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  bool verdict_shown_ = false;  // of the rule `next_`
  std::size_t finished_ = 0;
  Progress progress_{"check"};
};

// Verdicts from the store, or worked out and kept there.
class Judging {
 public:
  Judging(const CheckCommand& command, const CheckOptions& options, const CheckStore& store, Diagnostics& diagnostics)
      : command_(command), options_(options), store_(store), diagnostics_(diagnostics) {}

  std::vector<CheckedRule> all(const std::vector<const Rule*>& rules, const ShowRule& show_verdict, const ShowRule& show_repair) {
    std::vector<CheckedRule> all(rules.size());
    InOrder shown(all, show_verdict, show_repair);
    for_all(rules.size(), command_.jobs, [&](std::size_t k) { judge(*rules[k], k, shown); });
    return all;
  }

 private:
  void judge(const Rule& rule, std::size_t k, InOrder& shown) {
    auto known = store_.find(rule);
    // Queries are not kept.
    if (known && !command_.again && !options_.prove.keep_scripts) {
      CheckedRule kept = *known;
      shown.judged(k, std::move(*known));
      shown.finished(k, std::move(kept.conditions), kept.repair_proven);
      return;
    }
    CheckedRule checked = checked_rule(rule, check_rule(rule, options_));
    Verdict verdict = checked.verdict.verdict;
    bool refuted = !checked.shown.empty();
    shown.judged(k, checked);
    if (command_.repair && refuted) {
      repair(rule, options_, checked);
    }
    shown.finished(k, checked.conditions, checked.repair_proven);
    std::lock_guard lock(mutex_);
    if (known && known->verdict.verdict != verdict) {
      diagnostics_.error_at(store_.path(rule),
                            fmt::format("the store has '{}' of the rule {}, and it is '{}'", verdict_name(known->verdict.verdict),
                                        rule.name, verdict_name(verdict)));
    } else {
      store_.keep(checked, diagnostics_);
    }
  }

  const CheckCommand& command_;
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
