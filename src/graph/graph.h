// Computation graphs and workloads (definitions 2.1 to 2.9 of the thesis).
//
// A node is an input or parameter (*variable*), a constant, an operator call, a tuple, or a projection. Identity,
// not structure, decides equality: two nodes of the same form stay two nodes. Operands are ordered. Every node is
// typed when it is added. Nodes live in one array, 32-bit ids; erased ids are not reused, so ids stay valid.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/attribute.h"
#include "graph/op_table.h"
#include "graph/type.h"
#include "graph/use_list.h"
#include "support/blocks.h"
#include "support/diagnostic.h"
#include "tensor/tensor.h"

namespace vouch {

enum class NodeKind : std::uint8_t { Erased, Input, Parameter, Constant, Call, Tuple, Projection };

struct GraphOutput {
  std::string name;
  NodeId node = kNoNode;
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph& other);
  Graph(Graph&& other) noexcept = default;
  Graph& operator=(const Graph& other);
  Graph& operator=(Graph&& other) noexcept;
  ~Graph();

  // --- building; ill-typed calls report to `diagnostics` at `place` and return kNoNode
  NodeId add_input(std::string name, Type type);
  NodeId add_parameter(std::string name, Tensor value);
  NodeId add_constant(Tensor value, std::string name = {});
  NodeId add_call(OpId op, std::span<const NodeId> operands, AttrDict attributes, Diagnostics& diagnostics,
                  const std::string& place = {});
  NodeId add_tuple(std::span<const NodeId> items);
  NodeId add_projection(NodeId tuple, std::uint32_t index);
  void add_output(std::string name, NodeId node);
  void set_output(std::size_t position, NodeId node);
  void set_name(NodeId node, std::string name);

  // --- reading
  std::size_t id_limit() const { return nodes_.size(); }  // every id is below
  std::size_t live_count() const { return live_; }
  NodeKind kind(NodeId node) const { return nodes_[node].kind; }
  bool is_live(NodeId node) const { return nodes_[node].kind != NodeKind::Erased; }
  OpId op(NodeId node) const { return nodes_[node].op; }  // of calls
  AttrDict attributes(NodeId node) const { return nodes_[node].attributes; }
  std::uint32_t projection_index(NodeId node) const { return nodes_[node].payload; }
  const Tensor& value(NodeId node) const { return values_[nodes_[node].payload]; }  // parameters, constants
  bool has_value(NodeId node) const { return kind(node) == NodeKind::Parameter || kind(node) == NodeKind::Constant; }
  Type type(NodeId node) const { return nodes_[node].type; }
  std::span<const NodeId> operands(NodeId node) const {
    return {operands_.data() + nodes_[node].first_operand, nodes_[node].operand_count};
  }
  // One entry per operand position that refers to the node; graph outputs are not uses.
  std::span<const Use> uses(NodeId node) const { return nodes_[node].uses.view(); }
  std::uint32_t output_count(NodeId node) const { return nodes_[node].outputs; }  // times it is a graph output
  const std::vector<NodeId>& inputs() const { return inputs_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }
  // The name from the model, or a generated one such as `Conv_12`.
  std::string name(NodeId node) const;
  bool has_name(NodeId node) const { return nodes_[node].has_name; }  // one of its own
  std::optional<NodeId> find_name(std::string_view name) const;
  // Elements known as terms (shape arithmetic), of a tuple those of all its items; null where unknown.
  const std::vector<Term>* contents(NodeId node) const;
  // Conditions on symbolic sizes that calls assumed, to be checked when sizes are known.
  const std::vector<OpContext::Condition>& conditions() const { return conditions_; }

  // A number that grows from operands to users; gives searches along edges their bounds.
  std::uint64_t position(NodeId node) const { return nodes_[node].position; }

  // --- changing
  // From now on new nodes take positions close to their operands', so that they fit in front of existing users and
  // nothing has to be renumbered.
  void begin_rewriting() { position_step_ = 1; }
  // Every use and graph output of `old` becomes one of `replacement`; types must be equal.
  void replace_uses(NodeId old, NodeId replacement);
  // One use of a node: an operand position of a user that now refers to another node of the same type.
  void redirect(Use use, NodeId replacement);
  void replace_outputs(NodeId old, NodeId replacement);
  void set_operand(NodeId user, std::uint32_t position, NodeId operand);
  // Of a call, one of the graphs among its attributes: by one that takes and gives the same types. The call's type stays.
  void set_body(NodeId call, Symbol attribute, std::shared_ptr<const Graph> body);
  // The node must have no uses and be no output.
  void erase(NodeId node);
  // Erases the node if nothing uses it, and then its operands likewise; inputs stay.
  void erase_dead(NodeId node);
  // What has been added since is as if it had never been: ids are given again, conditions are forgotten. Nothing older may
  // refer to it, and nothing older may have been erased or changed in between.
  struct Mark {
    std::size_t nodes = 0;
    std::size_t operands = 0;
    std::size_t values = 0;
    std::size_t conditions = 0;
  };
  Mark mark() const { return {nodes_.size(), operands_.size(), values_.size(), conditions_.size()}; }
  void revert(const Mark& mark);

 private:
  // One cache line.
  struct Node {
    Type type;
    AttrDict attributes;
    std::uint64_t position = 0;
    UseList uses;
    std::uint32_t first_operand = 0;  // in operands_
    std::uint32_t operand_count = 0;
    std::uint32_t payload = 0;  // index of a projection, position in values_
    std::uint32_t outputs = 0;
    OpId op = 0;
    NodeKind kind = NodeKind::Erased;
    bool has_contents = false;
    bool has_name = false;
  };
  static_assert(sizeof(Node) <= 64 && std::is_trivially_copyable_v<Node>);
  // In blocks: a graph that grows leaves what it has where it is, so large ones cost no more per node than small ones.
  using NodeStore = Blocks<Node, 9>;

  // Result types by operator, attributes and operand types, of calls that neither know contents nor assume conditions.
  struct TypingEntry {
    static constexpr std::size_t kMostOperands = 4;
    static constexpr std::uint16_t kUnknown = 0xffff;
    OpId op = 0;
    std::uint16_t operand_count = kUnknown;
    AttrDict attributes;
    std::array<Type, kMostOperands> operands;
    Type result;
  };
  TypingEntry* typing_entry(OpId op, std::span<const NodeId> operands, AttrDict attributes, bool& known);
  void add_conditions(const std::vector<OpContext::Condition>& conditions);
  void add_contents(NodeId node, std::vector<Term> elements);

  NodeId push(const Node& form, std::span<const NodeId> operands);
  void swap(Graph& other) noexcept;
  void add_use(NodeId used, NodeId user, std::uint32_t position);
  void remove_use(NodeId used, NodeId user, std::uint32_t position);
  void raise_positions(NodeId user, std::uint64_t above);

  NodeStore nodes_;
  UsePool use_pool_;
  std::vector<NodeId> operands_;
  std::vector<std::uint32_t> use_slots_;  // per entry of operands_: its place among the operand's uses
  std::vector<Tensor> values_;
  std::vector<NodeId> inputs_;
  std::vector<GraphOutput> outputs_;
  std::unordered_map<NodeId, std::vector<std::uint32_t>> output_places_;  // positions in outputs_
  std::unordered_map<NodeId, std::string> names_;
  std::unordered_map<std::string, NodeId> ids_;
  std::unordered_map<NodeId, std::vector<Term>> contents_;
  std::vector<OpContext::Condition> conditions_;
  std::unordered_set<Term> condition_guards_;
  std::vector<TypingEntry> typings_;
  std::vector<NodeId> pending_;  // of erase_dead
  std::size_t live_ = 0;
  std::uint64_t position_step_ = std::uint64_t{1} << 20;
};

}  // namespace vouch
