// Operators of ONNX whose meaning changed with a version: what they were before is an operator of its own in the table, which
// rules (rules/dialect/to_onnx.gsl) turn into the operator of today.
#pragma once

#include <cstdint>
#include <string_view>

namespace vouch {

struct EarlierOperator {
  std::string_view op;        // in a model
  std::string_view known_as;  // in the table
  std::int64_t before;        // of this version
  bool by_rows = true;        // along all axes from one on, as if they were one
};

inline constexpr EarlierOperator kEarlierOperators[] = {
    {"Softmax", "softmax_11", 13},
    {"LogSoftmax", "log_softmax_11", 13},
    {"Hardmax", "hardmax_11", 13},
    {"Resize", "resize_10", 11, false},  // called Upsample before opset 10
};

// Null for others.
inline const EarlierOperator* earlier_of(std::string_view op) {
  for (const EarlierOperator& row : kEarlierOperators) {
    if (row.op == op) {
      return &row;
    }
  }
  return nullptr;
}

inline const EarlierOperator* earlier_known_as(std::string_view known_as) {
  for (const EarlierOperator& row : kEarlierOperators) {
    if (row.known_as == known_as) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace vouch
