#include "rewrite/overlap.h"

#include <algorithm>
#include <optional>

#include "rewrite/literal.h"

namespace vouch {
namespace {

bool has_options(const Pattern& p) { return p.kind == PatternKind::Alternative || p.kind == PatternKind::Conditional; }
bool is_given(const Pattern& p) { return p.kind == PatternKind::Variable || p.kind == PatternKind::Const; }

std::uint64_t key(PatternId p, PatternId q) { return std::uint64_t{p} << 32 | q; }

}  // namespace

const bool* PatternMeeting::known(Pair pair) const {
  auto found = known_.find(key(pair.first, pair.second));
  return found == known_.end() ? nullptr : &found->second;
}

std::vector<PatternMeeting::Way> PatternMeeting::ways_of_calls(const Pattern& p, const Pattern& q) const {
  if ((p.op && q.op && *p.op != *q.op) || p.operands.size() != q.operands.size() || !literals_agree(a_, p, b_, q)) {
    return {};
  }
  auto paired = [&](bool swapped) -> std::vector<Way> {
    Way way;
    for (std::size_t k = 0; k < p.operands.size(); ++k) {
      PatternId other = q.operands[swapped ? p.operands.size() - 1 - k : k];
      if ((p.operands[k] == kNone) != (other == kNone)) {
        return {};
      }
      if (other != kNone) {
        way.emplace_back(p.operands[k], other);
      }
    }
    return {std::move(way)};
  };
  std::vector<Way> found = paired(false);
  if (p.operands.size() == 2 && may_commute(p) && may_commute(q)) {
    std::vector<Way> swapped = paired(true);
    found.insert(found.end(), swapped.begin(), swapped.end());
  }
  return found;
}

// None: they cannot meet. A way without pairs: they can.
std::vector<PatternMeeting::Way> PatternMeeting::ways(PatternId p_id, PatternId q_id) const {
  const Pattern& p = a_.pattern(p_id);
  const Pattern& q = b_.pattern(q_id);
  std::vector<Way> found;
  if (has_options(p) || has_options(q)) {
    const std::vector<PatternId>& options = has_options(p) ? p.operands : q.operands;
    for (PatternId option : options) {
      found.push_back({has_options(p) ? Pair(option, q_id) : Pair(p_id, option)});
    }
    return found;
  }
  if (p.kind == PatternKind::Wildcard || q.kind == PatternKind::Wildcard) {
    return {{}};
  }
  if (is_given(p) || is_given(q)) {
    bool meet = is_given(p) && is_given(q) && literals_agree(a_, p, b_, q);
    return meet ? std::vector<Way>{{}} : found;
  }
  if (p.kind == PatternKind::Variadic || q.kind == PatternKind::Variadic) {
    // A list of any length: each item that is written meets the field.
    const Pattern& other = p.kind == PatternKind::Variadic ? q : p;
    if (other.kind != PatternKind::Variadic && other.kind != PatternKind::Tuple) {
      return {{}};
    }
    Way way;
    for (PatternId item : p.kind == PatternKind::Tuple ? p.operands : std::vector<PatternId>{p.operands[0]}) {
      for (PatternId with : q.kind == PatternKind::Tuple ? q.operands : std::vector<PatternId>{q.operands[0]}) {
        way.emplace_back(item, with);
      }
    }
    return {std::move(way)};
  }
  return p.kind == q.kind ? ways_of_calls(p, q) : found;
}

bool PatternMeeting::may_meet(PatternId first, PatternId second) {
  auto pair_of = [&](Pair pair) { return Pair(vertex_of(a_, pair.first), vertex_of(b_, pair.second)); };
  std::vector<Pair> open{pair_of({first, second})};
  while (!open.empty()) {
    Pair pair = open.back();
    std::vector<Way> all = known(pair) ? std::vector<Way>{} : ways(pair.first, pair.second);
    bool waits = false;
    bool meets = false;
    for (const Way& way : all) {
      bool whole = true;
      for (Pair part : way) {
        const bool* answer = known(pair_of(part));
        whole = whole && answer != nullptr && *answer;
        if (answer == nullptr) {
          open.push_back(pair_of(part));
          waits = true;
        }
      }
      meets = meets || whole;
    }
    if (meets || !waits) {
      known_.try_emplace(key(pair.first, pair.second), meets);
      // What was pushed above it for other ways is not needed any more, but does no harm: it is decided in turn.
      if (!waits) {
        open.pop_back();
      }
    }
  }
  return *known(pair_of({first, second}));
}

namespace {

// The places in the source of one rule at which others may match an output, each with the other rule: by that rule, then in the
// order of the source.
std::vector<std::pair<std::size_t, PatternId>> places(const std::vector<Rule>& rules, std::size_t a, const MeetingIndex& index) {
  std::vector<PatternId> own;
  for (PatternId output : rules[a].source_outputs) {
    own.push_back(output_vertex(rules[a], output));
  }
  std::vector<std::pair<std::size_t, PatternId>> out;
  for (PatternId at : rules[a].source_order) {
    const Pattern& p = rules[a].pattern(at);
    if (p.kind != PatternKind::Call && p.kind != PatternKind::Projection) {
      continue;
    }
    bool is_output = std::find(own.begin(), own.end(), at) != own.end();
    for (std::size_t b : index.near(p)) {
      if (!is_output || b > a) {
        out.emplace_back(b, at);
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  return out;
}

}  // namespace

std::vector<Overlap> critical_overlaps(const std::vector<Rule>& rules, std::size_t most, ComparisonBudget* budget) {
  MeetingIndex index(rules);
  std::vector<Overlap> found;
  for (std::size_t a = 0; a < rules.size(); ++a) {
    std::optional<PatternMeeting> meeting;
    std::size_t with = rules.size();
    for (auto [b, at] : places(rules, a, index)) {
      if (budget != nullptr && !budget->spend()) {
        return found;
      }
      if (b != with) {
        meeting.emplace(rules[a], rules[b]);
        with = b;
      }
      const Rule& other = rules[b];
      bool meets = std::any_of(other.source_outputs.begin(), other.source_outputs.end(),
                               [&](PatternId output) { return meeting->may_meet(at, output_vertex(other, output)); });
      if (meets && found.size() == most) {
        return found;
      }
      if (meets) {
        found.push_back({a, b, at});
      }
    }
  }
  return found;
}

}  // namespace vouch
