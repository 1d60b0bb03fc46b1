// How a replay leads from a graph to its last one, as data for a theorem (coq/build/Chain.v).
//
// Every node that there ever was keeps the number, symbol and operands that it was first seen with. A symbol stands for an
// operator with its attributes, for a constant, or for the k-th result of a call; a node that need not have the same value as
// another of its form (one that may draw random numbers, one that is opaque) has a symbol of its own. Each step says of two
// values that they are equal: as small graphs of nodes that were there, before and after it, or as the same call of the same
// operands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "rewrite/trace.h"

namespace vouch {

using ChainId = std::uint32_t;  // from `kFirstChainId` on, operands before what reads them; `kNoOperand` where a call has none
inline constexpr ChainId kNoOperand = 1;
inline constexpr ChainId kFirstChainId = 2;

struct ChainNode {
  ChainId id = 0;
  std::uint32_t symbol = 0;  // from 1 on
  std::vector<ChainId> operands;
};

// What a step rests on. `Rule`: the rewrite of this number, from 0 on. `Body`: a graph within the call was rewritten.
struct ChainRule {
  std::size_t rewrite = 0;
};
struct ChainBody {};
struct SameCall {};  // nothing: it is checked
using ChainGround = std::variant<ChainRule, Pass, ChainBody, SameCall>;

struct ChainStep {
  ChainGround ground;
  std::vector<ChainNode> before;  // what gives `from`, and after the step `to`
  std::vector<ChainNode> after;
  ChainId from = 0;
  ChainId to = 0;
};

struct Chain {
  std::vector<ChainNode> nodes;
  std::vector<ChainNode> first;
  std::vector<ChainId> first_outputs;
  std::vector<ChainStep> steps;
  std::vector<ChainNode> last;
  std::vector<ChainId> last_outputs;
  std::string why;  // not empty: the steps do not make a chain
};

// Is told of a replay by `ReplayWatch::on_change`.
class ChainRecorder {
 public:
  explicit ChainRecorder(const Graph& first);

  // `step` is null for passes; otherwise it is the rewrite of this number.
  void on_change(const Graph& before, const Graph& after, const RewriteStep* step, Pass pass, std::size_t rewrite);
  Chain finish(const Graph& last) &&;

 private:
  struct Seen {
    ChainId id = 0;
    const void* attributes = nullptr;
  };
  using Nodes = std::vector<NodeId>;

  ChainId id_of(const Graph& graph, NodeId node);
  void enter(const Graph& graph, NodeId node);
  void renew(const Graph& graph, NodeId node);
  std::uint32_t symbol_of(const Graph& graph, NodeId node);
  ChainNode seen(const Graph& graph, NodeId node);
  std::vector<ChainNode> seen_all(const Graph& graph, const Nodes& order);
  void note_outputs(const Graph& graph, std::vector<ChainId>& outputs);

  void add_region(const Graph& before, const Nodes& old, const Graph& after, const Nodes& fresh, NodeId from, NodeId to,
                  ChainGround ground);
  void add_rewrite(const Graph& before, const Graph& after, const RewriteStep& step, std::size_t rewrite);
  void add_pass(const Graph& before, const Graph& after, Pass pass);
  bool add_same(ChainId from, ChainId to, int deepest);

  ChainId newest(ChainId id) const;
  bool same_operands(const std::vector<ChainId>& a, const std::vector<ChainId>& b) const;
  void expect(const ChainNode& node);

  Chain chain_;
  std::unordered_map<NodeId, Seen> ids_;
  std::unordered_map<ChainId, std::size_t> places_;  // in `chain_.nodes`
  std::map<std::string, std::uint32_t> symbols_;
  std::unordered_map<ChainId, ChainId> same_;
  ChainId next_ = kFirstChainId;
};

}  // namespace vouch
