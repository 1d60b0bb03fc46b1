#include "graph/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/recurrent_cell.h"

namespace vouch {
namespace {

enum Operand : std::size_t { kX, kW, kR, kBias, kLengths, kInitialH, kInitialC, kPeepholes };

// The operands of one direction, each with a leading axis of size 1 where it had the axis of directions.
struct Direction {
  std::vector<NodeId> steps;  // x times w plus its bias, per gate in one piece: [1, batch, gates * hidden]
  RecurrentWeights weights;
  RecurrentState state;
  bool reversed;
};

class Unroller {
 public:
  Unroller(CallBuilder& build, RecurrentKind kind, const std::vector<Type>& operands, AttrDict attributes)
      : build_(build), kind_(kind), attributes_(attributes) {
    Extents x = *operands[kX].concrete_extents();
    Extents r = *operands[kR].concrete_extents();
    batch_first_ = int_attribute("layout", 0) != 0;
    length_ = x[batch_first_ ? 1 : 0];
    batch_ = x[batch_first_ ? 0 : 1];
    directions_ = r[0];
    hidden_ = r[2];
    dtype_ = operands[kX].dtype();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      inputs_.push_back(operands[i] ? build.graph.add_input(fmt::format("operand_{}", i), operands[i]) : kNoNode);
    }
    inputs_.resize(kPeepholes + 1, kNoNode);
    if (inputs_[kLengths] != kNoNode) {
      lengths_ = build.call("Unsqueeze", {inputs_[kLengths], build.ints({0, 2})});
    }
  }

  bool run() {
    constexpr std::int64_t kMostSteps = 1 << 16;  // each takes some ten nodes
    if (length_ > kMostSteps / std::max<std::int64_t>(directions_, 1)) {
      build_.diagnostics.error_at(build_.place,
                                  fmt::format("{} steps in {} directions, and {} at most are unrolled: cut the sequence", length_,
                                              directions_, kMostSteps));
      return false;
    }
    auto activations = parse_activations(kind_, directions_, attributes_, build_);
    if (!activations) {
      return false;
    }
    std::vector<NodeId> sequences;
    std::vector<NodeId> hidden;
    std::vector<NodeId> cells;
    for (std::int64_t d = 0; d < directions_; ++d) {
      Direction direction = make_direction(d);
      CellStep step(build_, kind_, direction.weights, (*activations)[static_cast<std::size_t>(d)], attributes_);
      sequences.push_back(run_direction(direction, step));
      hidden.push_back(direction.state.hidden);
      cells.push_back(direction.state.cell);
    }
    NodeId sequence = build_.concat(sequences, 1);
    add_output("y", sequence, {2, 0, 1, 3});
    add_output("y_h", build_.concat(hidden, 0), {1, 0, 2});
    if (kind_ == RecurrentKind::Lstm) {
      add_output("y_c", build_.concat(cells, 0), {1, 0, 2});
    }
    return !build_.failed;
  }

 private:
  std::int64_t int_attribute(std::string_view name, std::int64_t otherwise) const {
    const AttrValue* value = attributes_.find(name);
    return value ? value->int64().value_or(otherwise) : otherwise;
  }

  // This direction's slice of an operand whose first axis is that of directions.
  NodeId slice(NodeId operand, std::int64_t direction) {
    return operand == kNoNode || directions_ == 1 ? operand
                                                  : build_.split(operand, 0, directions_)[static_cast<std::size_t>(direction)];
  }

  NodeId initial(std::size_t operand, std::int64_t direction) {
    NodeId given = inputs_[operand];
    if (given == kNoNode) {
      return build_.graph.add_constant(Tensor(dtype_, {1, batch_, hidden_}));
    }
    return slice(batch_first_ ? build_.transpose(given, {1, 0, 2}) : given, direction);
  }

  Direction make_direction(std::int64_t d) {
    Direction out;
    std::int64_t gates = gate_count(kind_);
    NodeId x = batch_first_ ? build_.transpose(inputs_[kX], {1, 0, 2}) : inputs_[kX];
    NodeId projected = build_.call("MatMul", {x, build_.transpose(slice(inputs_[kW], d), {0, 2, 1})});
    if (inputs_[kBias] != kNoNode) {
      std::vector<NodeId> biases = build_.split(slice(inputs_[kBias], d), 1, 2);
      projected = build_.call("Add", {projected, biases[0]});
      out.weights.bias = build_.split(biases[1], 1, gates);
    }
    for (NodeId gate : build_.split(slice(inputs_[kR], d), 1, gates)) {
      out.weights.recurrent.push_back(build_.transpose(gate, {0, 2, 1}));
    }
    if (inputs_[kPeepholes] != kNoNode) {
      out.weights.peepholes = build_.split(slice(inputs_[kPeepholes], d), 1, 3);
    }
    out.state.hidden = initial(kInitialH, d);
    out.state.cell = kind_ == RecurrentKind::Lstm ? initial(kInitialC, d) : kNoNode;
    out.steps = length_ == 0 ? std::vector<NodeId>() : build_.split(projected, 0, length_);
    const AttrValue* direction = attributes_.find("direction");
    out.reversed = d == 1 || (direction && direction->string() && *direction->string() == "reverse");
    return out;
  }

  // Where a sequence has ended (or, reversed, not begun) the state stays and the output is 0.
  NodeId masked(NodeId mask, NodeId fresh, NodeId old) {
    return mask == kNoNode || fresh == kNoNode ? fresh : build_.call("Where", {mask, fresh, old});
  }

  NodeId run_direction(Direction& direction, CellStep& step) {
    NodeId zero = build_.graph.add_constant(Tensor(dtype_, {1, batch_, hidden_}));
    std::vector<NodeId> outputs(direction.steps.size(), kNoNode);
    for (std::int64_t k = 0; k < length_ && !build_.failed; ++k) {
      std::int64_t t = direction.reversed ? length_ - 1 - k : k;
      NodeId mask = kNoNode;
      if (lengths_ != kNoNode) {
        NodeId now = build_.graph.add_constant(Tensor::of_ints(build_.graph.type(lengths_).dtype(), {}, {{t}}));
        mask = build_.call("Less", {now, lengths_});
      }
      RecurrentState next = step.apply(direction.steps[static_cast<std::size_t>(t)], direction.state);
      outputs[static_cast<std::size_t>(t)] = masked(mask, next.hidden, zero);
      direction.state.hidden = masked(mask, next.hidden, direction.state.hidden);
      direction.state.cell = masked(mask, next.cell, direction.state.cell);
    }
    if (outputs.empty()) {
      return build_.graph.add_constant(Tensor(dtype_, {0, 1, batch_, hidden_}));
    }
    return build_.call("Unsqueeze", {build_.concat(outputs, 0), build_.ints({1})});
  }

  void add_output(const char* name, NodeId node, std::initializer_list<std::int64_t> batch_first) {
    NodeId result = batch_first_ ? build_.transpose(node, batch_first) : node;
    if (!build_.failed) {
      build_.graph.add_output(name, result);
    }
  }

  CallBuilder& build_;
  RecurrentKind kind_;
  AttrDict attributes_;
  bool batch_first_ = false;
  std::int64_t length_ = 0;
  std::int64_t batch_ = 0;
  std::int64_t directions_ = 1;
  std::int64_t hidden_ = 0;
  DType dtype_ = DType::Float32;
  std::vector<NodeId> inputs_;
  NodeId lengths_ = kNoNode;  // [1, batch, 1]
};

std::optional<RecurrentKind> kind_of(OpId op) {
  std::string_view name = op_def(op).name;
  return name == "RNN"    ? std::optional(RecurrentKind::Rnn)
         : name == "GRU"  ? std::optional(RecurrentKind::Gru)
         : name == "LSTM" ? std::optional(RecurrentKind::Lstm)
                          : std::nullopt;
}

}  // namespace

bool is_recurrent(OpId op) { return kind_of(op).has_value(); }

std::optional<Graph> unroll_recurrence(OpId op, const std::vector<Type>& operands, AttrDict attributes, const std::string& place,
                                       Diagnostics& diagnostics) {
  Graph graph;
  CallBuilder build{graph, place, diagnostics};
  if (!Unroller(build, *kind_of(op), operands, attributes).run()) {
    return std::nullopt;
  }
  return graph;
}

}  // namespace vouch
