// PE-Variadic: the length first, then an instance of the templates for each position.
#include "rewrite/builder.h"
#include "rule/print.h"

namespace vouch {

bool TargetBuilder::step_variadic(Frame& frame) {
  const Pattern& p = rule_->pattern(frame.pattern);
  if (!frame.entered && !enter_variadic(frame)) {
    return false;
  }
  while (frame.next < frame.count) {
    NodeId item = value_of(p.operands[0]);
    if (item == kNoNode) {
      return need(p.operands[0]);
    }
    items_.push_back(item);
    leave_instance(p, frame.pattern);
    symbols_.back().second = ++frame.next;
  }
  symbols_.pop_back();
  auto begin = items_.begin() + frame.items;
  if (as_output_ && stack_.size() == 1) {
    application_.results.insert(application_.results.end(), begin, items_.end());
    items_.erase(begin, items_.end());
    stack_.pop_back();
    return true;
  }
  NodeId tuple = graph_.add_tuple(std::span(begin, items_.end()));
  items_.erase(begin, items_.end());
  return finish(tuple);
}

bool TargetBuilder::enter_variadic(Frame& frame) {
  const Pattern& p = rule_->pattern(frame.pattern);
  auto length = p.length == kNone ? matched_count() : eval(p.length);
  auto count = length ? length->int64() : std::nullopt;
  constexpr std::int64_t kMostItems = 1 << 24;
  if (!count || *count < 0 || *count > kMostItems) {
    return fail("the length of a variadic has no value: " +
                (p.length == kNone ? std::string("none") : print_attr(*rule_, p.length)));
  }
  frame.entered = true;
  frame.count = static_cast<std::uint32_t>(*count);
  frame.items = static_cast<std::uint32_t>(items_.size());
  symbols_.emplace_back(p.index, 0);
  instances_[frame.pattern].clear();
  for (PatternId id : p.templates) {
    made_[id] = kNoNode;
  }
  return true;
}

// Of an output whose length is left out: as many as the source's.
std::optional<AttrValue> TargetBuilder::matched_count() const {
  std::size_t output = result_counts_.size();
  bool known = as_output_ && stack_.size() == 1 && output < match_->output_counts.size();
  return known ? std::optional(AttrValue(static_cast<std::int64_t>(match_->output_counts[output]))) : std::nullopt;
}

void TargetBuilder::leave_instance(const Pattern& variadic, PatternId id) {
  std::vector<NodeId>& instances = instances_[id];
  for (PatternId part : variadic.templates) {
    instances.push_back(value_of(part));
    made_[part] = kNoNode;
  }
}

}  // namespace vouch
