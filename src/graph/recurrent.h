// Recurrent operators (RNN, GRU, LSTM) as graphs of operators that have kernels: one step after the other, in the
// equations of ONNX's operator documentation. So their meaning is that of MatMul, Add, Sigmoid, …
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

bool is_recurrent(OpId op);

// A graph with one input for each operand that is present, in order, and the call's results as outputs. All sizes must
// be numbers and the call well-typed. Reports at `place` what cannot be built (an unknown activation, more
// than 2^16 steps).
std::optional<Graph> unroll_recurrence(OpId op, const std::vector<Type>& operands, AttrDict attributes, const std::string& place,
                                       Diagnostics& diagnostics);

}  // namespace vouch
