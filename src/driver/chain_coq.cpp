#include "driver/chain_coq.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace vouch {
namespace {

constexpr std::string_view kChainPreamble =
    "From Coq Require Import PArith List.\n"
    "From Vouch Require Import build.Chain build.ChainProof.\n"
    "Import ListNotations.\n"
    "Local Open Scope positive_scope.\n\n";

// Coq reads a long list faster in pieces.
constexpr std::size_t kPiece = 200;

std::string node_text(const ChainNode& node) {
  return fmt::format("N {} {} [{}]", node.id, node.symbol, fmt::join(node.operands, "; "));
}

std::string graph_text(const std::vector<ChainNode>& nodes) {
  std::vector<std::string> texts;
  std::transform(nodes.begin(), nodes.end(), std::back_inserter(texts), node_text);
  return fmt::format("[{}]", fmt::join(texts, "; "));
}

std::string step_text(const ChainStep& step) {
  return std::holds_alternative<SameCall>(step.ground)
             ? fmt::format("Same {} {}", step.from, step.to)
             : fmt::format("Region {} {} {} {}", graph_text(step.before), graph_text(step.after), step.from, step.to);
}

template <class T, class F>
std::string definition(std::string_view name, std::string_view type, const std::vector<T>& items, F print) {
  std::string out;
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < items.size(); begin += kPiece) {
    std::vector<std::string> texts;
    for (std::size_t k = begin; k < std::min(items.size(), begin + kPiece); ++k) {
      texts.push_back(print(items[k]));
    }
    pieces.push_back(fmt::format("{}_{}", name, pieces.size()));
    out += fmt::format("Definition {} : {} := [\n  {}].\n", pieces.back(), type, fmt::join(texts, ";\n  "));
  }
  pieces.emplace_back("[]");
  return out + fmt::format("Definition {} : {} := {}.\n\n", name, type, fmt::join(pieces, " ++ "));
}

}  // namespace

std::string chain_certificate(const Chain& chain) {
  auto number = [](ChainId id) { return std::to_string(id); };
  return std::string(kChainPreamble) + definition("nodes", "graph", chain.nodes, node_text) +
         definition("first", "graph", chain.first, node_text) +
         definition("first_outputs", "list positive", chain.first_outputs, number) +
         definition("steps", "list step", chain.steps, step_text) + definition("last", "graph", chain.last, node_text) +
         definition("last_outputs", "list positive", chain.last_outputs, number) +
         "Definition the_chain : chain := {|\n  ch_nodes := nodes; ch_first := first; ch_first_outputs := first_outputs;\n"
         "  ch_steps := steps; ch_last := last; ch_last_outputs := last_outputs |}.\n\n"
         "Theorem checked : chain_ok the_chain = true.\n"
         "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
         "Definition chained := chain_outputs the_chain checked.\n";
}

}  // namespace vouch
