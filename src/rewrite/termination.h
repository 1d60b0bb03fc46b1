// Watches for rules that never end: each node carries how often it was rewritten from what was rewritten before.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "rewrite/apply.h"
#include "rule/ast.h"

namespace vouch {

class TerminationWatch {
 public:
  TerminationWatch(const std::vector<Rule>& rules, std::uint32_t most_generations, std::size_t graph_size)
      : rules_(rules),
        most_(most_generations),
        most_turns_(most_generations + 4 * graph_size),
        most_growing_(4096 + 64 * graph_size) {}

  // Before a rewrite: the age of what it replaces, and its names where they may be told later.
  void before(const Graph& graph, const Match& match, std::size_t rule);
  // After it. `grew`: by how many nodes, negative if it shrank the graph. Not empty: the rules do not end, and why.
  std::string after(const Graph& graph, const Application& application, std::int64_t grew);

 private:
  struct Age {
    std::uint32_t growths = 0;  // rewrites before it that made the graph grow
    std::uint32_t turns = 0;    // that kept its size, or made it grow
    std::uint32_t lineage = 0;  // of suspicious nodes: which one they come from
    std::uint32_t kept = 0;     // by rewrites that matched it, kept it, and made the graph grow
  };
  struct Step {
    std::size_t rule;
    std::string node;
    std::string written;
  };

  void note_kept(const Graph& graph, std::int64_t grew);
  std::string describe(const std::string& what, std::size_t steps) const;
  std::string form(const Graph& graph, const Application& application) const;

  const std::vector<Rule>& rules_;
  std::uint32_t most_;
  std::size_t most_turns_;
  std::size_t most_growing_;
  std::size_t growing_ = 0;     // steps that made the graph grow: the last resort, where many places grow a little each
  std::vector<NodeId> inside_;  // of the match at hand
  std::vector<Age> ages_;       // by node; younger ids have none yet
  Age current_;
  bool suspected_ = false;  // the step at hand is remembered with its names
  std::size_t rule_ = 0;
  std::string node_;
  std::deque<Step> recent_;     // of suspicious steps
  std::size_t suspicious_ = 0;  // steps so far
  // Written at suspicious steps: how often, each time by a rewrite of what the time before had led to, and when last.
  struct Written {
    std::size_t times = 0;
    std::uint32_t turns = 0;
    std::size_t step = 0;
  };
  std::unordered_map<std::string, Written> forms_;
  std::uint32_t lineages_ = 0;
};

}  // namespace vouch
