// Which options of alternatives and conditionals an instance takes.
#include <fmt/format.h>

#include <algorithm>

#include "instance/enumerate.h"
#include "rule/print.h"

namespace vouch {
namespace {

bool is_choice(const Pattern& p) { return p.kind == PatternKind::Alternative || p.kind == PatternKind::Conditional; }

// `f is x * z`: what an alternative stands for, for who reads of an instance; a conditional follows from its condition.
std::vector<std::string> words_of_option(const Rule& rule, PatternId choice, std::size_t option) {
  const Pattern& p = rule.pattern(choice);
  if (p.kind != PatternKind::Alternative) {
    return {};
  }
  const Pattern& taken = rule.pattern(p.operands[option]);
  const std::string text = taken.name.empty() ? print_pattern(rule, p.operands[option]) : taken.name.name();
  return {p.name.empty() ? fmt::format("alternative {}", text) : fmt::format("{} is {}", p.name.name(), text)};
}

}  // namespace

void Enumerator::find_choices() {
  choices_above_.assign(rule_.patterns.size(), {});
  // Users come after their operands.
  for (auto user = rule_.source_order.rbegin(); user != rule_.source_order.rend(); ++user) {
    for (PatternId used : direct_subpatterns(rule_, *user)) {
      std::vector<PatternId> above = choices_above_[*user];
      if (is_choice(rule_.pattern(*user))) {
        above.push_back(*user);
      }
      for (PatternId choice : above) {
        std::vector<PatternId>& known = choices_above_[used];
        if (state_.owner[choice] != state_.owner[used]) {
          state_.note_not_covered("an option of a branch that stands outside of it");
        } else if (std::find(known.begin(), known.end(), choice) == known.end()) {
          known.push_back(choice);
        }
      }
    }
  }
}

std::optional<std::size_t> Enumerator::chosen(PatternId choice, std::int64_t branch) const {
  auto found = chosen_.find({choice, branch});
  return found == chosen_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<PatternId> Enumerator::open_choice(const Task& task) const {
  for (PatternId choice : choices_above_[task.pattern]) {
    if (!chosen(choice, task.branch)) {
      return choice;
    }
  }
  return std::nullopt;
}

void Enumerator::choose_option(PatternId choice, const Task& task, std::size_t at) {
  for (std::size_t option = 0; option < rule_.pattern(choice).operands.size(); ++option) {
    chosen_[{choice, task.branch}] = option;
    const std::size_t labels = state_.label.size();
    for (std::string& words : words_of_option(rule_, choice, option)) {
      state_.label.push_back(std::move(words));
    }
    step(at);
    state_.label.resize(labels);
    if (!more(at)) {
      break;
    }
  }
  chosen_.erase({choice, task.branch});
}

// From an output by options that were chosen.
bool Enumerator::is_active(PatternId pattern, std::int64_t branch) const {
  if (choices_above_[pattern].empty()) {
    return true;
  }
  const std::vector<PatternId>& outputs = rule_.source_outputs;
  if (std::find(outputs.begin(), outputs.end(), pattern) != outputs.end()) {
    return true;
  }
  return std::any_of(rule_.successors[pattern].begin(), rule_.successors[pattern].end(), [&](PatternId user) {
    const Pattern& p = rule_.pattern(user);
    bool taken = true;
    if (is_choice(p)) {
      auto option = chosen(user, branch);
      taken = option && p.operands[*option] == pattern;
    }
    return taken && is_active(user, branch);
  });
}

}  // namespace vouch
