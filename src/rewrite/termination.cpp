#include "rewrite/termination.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vouch {
namespace {

constexpr std::size_t kMostRemembered = 64;
constexpr std::size_t kMostShown = 6;  // of the last steps

}  // namespace

void TerminationWatch::before(const Graph& graph, const Match& match, std::size_t rule) {
  current_ = Age();
  rule_ = rule;
  inside_ = match.inside;
  for (NodeId node : match.inside) {
    if (node < ages_.size()) {
      current_.kept = std::max(current_.kept, ages_[node].kept);
      current_.growths = std::max(current_.growths, ages_[node].growths);
      if (ages_[node].turns > current_.turns) {
        current_.turns = ages_[node].turns;
        current_.lineage = ages_[node].lineage;
      }
    }
  }
  suspected_ = current_.turns >= most_ || current_.kept + kMostShown >= most_turns_ || growing_ + kMostShown >= most_growing_;
  if (suspected_) {
    node_ = graph.name(match.outputs[0]);
    current_.lineage = current_.lineage != 0 ? current_.lineage : ++lineages_;
  }
}

std::string TerminationWatch::after(const Graph& graph, const Application& application, std::int64_t grew) {
  Age age = current_;
  // A rewrite that shrinks the graph cannot go on for ever: it makes nothing older.
  age.turns += grew >= 0 ? 1 : 0;
  age.growths += grew > 0 ? 1 : 0;
  age.kept = 0;
  growing_ += grew > 0 ? 1 : 0;
  if (ages_.size() < graph.id_limit()) {
    ages_.resize(graph.id_limit());
  }
  for (NodeId fresh : application.new_nodes) {
    ages_[fresh] = age;
  }
  for (std::size_t k = 0; application.new_nodes.empty() && grew >= 0 && k < application.results.size(); ++k) {
    ages_[application.results[k]] = age;
  }
  note_kept(graph, grew);
  if (!suspected_) {
    return {};
  }
  recent_.push_back({rule_, node_, graph.name(application.results[0])});
  if (recent_.size() > kMostRemembered) {
    recent_.pop_front();
  }
  ++suspicious_;
  Written& before = forms_[form(graph, application)];
  std::size_t period = suspicious_ - std::exchange(before.step, suspicious_);
  if (before.times == 0 || age.turns > before.turns) {
    before.turns = age.turns;
    // Twice may be two sites that look alike; the third time it goes round.
    if (++before.times == 3) {
      return describe("they write again what they replaced", std::min(period, recent_.size()));
    }
  }
  if (age.growths > most_) {
    return describe("they keep growing what they wrote", recent_.size());
  }
  if (age.turns > most_turns_) {
    return describe("they keep rewriting what they wrote", recent_.size());
  }
  if (grew > 0 && current_.kept >= most_turns_) {
    return describe("they keep what they match, and add to it", recent_.size());
  }
  return growing_ > most_growing_ ? describe("the graph grew at step after step", recent_.size()) : std::string();
}

// What was matched and is still there may match again.
void TerminationWatch::note_kept(const Graph& graph, std::int64_t grew) {
  for (NodeId node : inside_) {
    if (grew > 0 && graph.is_live(node)) {
      ages_[node].kept = current_.kept + 1;
    }
  }
}

// What was written, down to nodes that were there before: equal texts mean equal terms over the same nodes.
std::string TerminationWatch::form(const Graph& graph, const Application& application) const {
  std::string out = fmt::format("{}/{}:", current_.lineage, rule_);
  std::unordered_map<NodeId, std::size_t> fresh;
  for (NodeId node : application.new_nodes) {
    if (!graph.is_live(node)) {
      continue;
    }
    fresh.emplace(node, fresh.size());
    out +=
        graph.kind(node) == NodeKind::Call ? op_def(graph.op(node)).name : fmt::format("k{}", static_cast<int>(graph.kind(node)));
    out += graph.attributes(node).text() + '(';
    for (NodeId operand : graph.operands(node)) {
      auto inner = fresh.find(operand);
      out += inner != fresh.end() ? fmt::format("%{} ", inner->second) : fmt::format("{} ", operand);
    }
    out += ')';
  }
  for (NodeId result : application.results) {
    auto inner = fresh.find(result);
    out += inner != fresh.end() ? fmt::format("={}", inner->second) : fmt::format("={}!", result);
  }
  return out;
}

std::string TerminationWatch::describe(const std::string& what, std::size_t steps) const {
  std::vector<std::string> lines;
  std::size_t shown = std::min(steps, kMostShown);
  for (std::size_t k = recent_.size() - shown; k < recent_.size(); ++k) {
    lines.push_back(fmt::format("{} turns '{}' into '{}'", rules_[recent_[k].rule].name, recent_[k].node, recent_[k].written));
  }
  return fmt::format("the rules do not end, {}: {}{}", what, fmt::join(lines, ", "),
                     steps > shown ? ", and before that more" : "");
}

}  // namespace vouch
