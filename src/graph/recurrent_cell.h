// One step of a recurrent operator, as calls of operators that have kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/call_builder.h"

namespace vouch {

enum class RecurrentKind : std::uint8_t { Rnn, Gru, Lstm };

// In the order of ONNX's weights: RNN i; GRU z, r, h; LSTM i, o, f, c.
std::int64_t gate_count(RecurrentKind kind);

struct RecurrentWeights {
  std::vector<NodeId> recurrent;  // per gate: [1, hidden, hidden], transposed
  std::vector<NodeId> bias;       // per gate: [1, hidden]; may be empty
  std::vector<NodeId> peepholes;  // of gates i, o, f: [1, hidden]; may be empty
};

// [1, batch, hidden] each; the cell is kNoNode but for LSTM.
struct RecurrentState {
  NodeId hidden = kNoNode;
  NodeId cell = kNoNode;
};

struct Activation {
  std::string name;
  double alpha = 0;
  double beta = 0;
};

// For each direction, its activations f, g, h as far as the kind has them. Reports unknown names.
std::optional<std::vector<std::vector<Activation>>> parse_activations(RecurrentKind kind, std::int64_t directions,
                                                                      AttrDict attributes, CallBuilder& build);

class CellStep {
 public:
  CellStep(CallBuilder& build, RecurrentKind kind, const RecurrentWeights& weights, const std::vector<Activation>& activations,
           AttrDict attributes);

  // `projected`: x times w plus its bias, [1, batch, gates * hidden].
  RecurrentState apply(NodeId projected, const RecurrentState& state);

 private:
  RecurrentState apply_rnn(const std::vector<NodeId>& gates, const RecurrentState& state);
  RecurrentState apply_gru(const std::vector<NodeId>& gates, const RecurrentState& state);
  RecurrentState apply_lstm(const std::vector<NodeId>& gates, const RecurrentState& state);
  // hidden times the gate's recurrent weights plus their bias
  NodeId recur(NodeId hidden, std::size_t gate);
  NodeId peep(NodeId sum, NodeId cell, std::size_t gate);
  NodeId clipped(NodeId x);
  NodeId activate(NodeId x, std::size_t activation);

  CallBuilder& build_;
  RecurrentKind kind_;
  const RecurrentWeights& weights_;
  const std::vector<Activation>& activations_;
  std::optional<double> clip_;
  bool linear_before_reset_;
  bool input_forget_;
};

}  // namespace vouch
