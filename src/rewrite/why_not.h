// Why a rule does not fire: the best partial match, from the matcher itself.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "rewrite/engine.h"
#include "rule/ast.h"

namespace vouch {

struct WhyNot {
  std::string missing;         // not empty: an operator that the rule needs and the model has none of
  std::size_t left_alone = 0;  // calls of that operator that no rule matches: foreign ones
  bool matches = false;        // it does match (and then: `refused`, or it fires)
  std::string refused;         // matched, but it is not proven there, or the target could not take its place: why
  std::string not_tried;  // it matches and nothing refuses it, but `optimize` does not fire it there: why (for who asks to say)
  NodeId first_output = kNoNode;
  std::string first_output_name;
  std::size_t matched = 0;    // patterns matched before the first failure
  std::size_t patterns = 0;   // that the source has
  PatternId pattern = kNone;  // the first constraint that failed
  Span span;                  // in the rule's text
  NodeId node = kNoNode;      // against this node
  std::string node_name;
  std::string expected;
  std::string found;
  std::vector<std::pair<PatternId, NodeId>> partial;  // what was matched, outside of variadics
  // For a person: rule, place, what matched, expected and found, the rule's text with carets.
  std::string text(const Graph& graph, const Rule& rule) const;
};

// At this node, or the best over all nodes that the outputs need and that have the operator of the rule's first output (most
// patterns matched; the first of several). A match that may fire is preferred to one that is refused.
WhyNot why_not(Graph& graph, const Rule& rule, Admission& admission, std::optional<NodeId> node = {});

}  // namespace vouch
