// Operators of ONNX whose meaning changed with a version: what they were before is an operator of its own in the table, which
// rules (rules/earlier.gsl, rules/dialect/to_onnx.gsl) turn into the operator of today.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace vouch {

enum class EarlierMeaning : std::uint8_t {
  ByRows,      // along all axes from one on, as if they were one
  Scaled,      // positions are scaled about the origin
  FromAxis,    // the right operand lies along the axes of the left one from one on; no version that is written has it
  OfChannels,  // likewise, from axis 1 on
  OfGroups,    // what is a number for each channel was one for each group
};

struct EarlierOperator {
  std::string_view op;        // in a model
  std::string_view known_as;  // in the table
  std::int64_t before;        // of this version
  EarlierMeaning meaning;
};

inline constexpr EarlierOperator kEarlierOperators[] = {
    {"Softmax", "softmax_11", 13, EarlierMeaning::ByRows},
    {"LogSoftmax", "log_softmax_11", 13, EarlierMeaning::ByRows},
    {"Hardmax", "hardmax_11", 13, EarlierMeaning::ByRows},
    {"Resize", "resize_10", 11, EarlierMeaning::Scaled},  // called Upsample before opset 10
    {"Add", "add_6", 7, EarlierMeaning::FromAxis},
    {"Sub", "sub_6", 7, EarlierMeaning::FromAxis},
    {"Mul", "mul_6", 7, EarlierMeaning::FromAxis},
    {"Div", "div_6", 7, EarlierMeaning::FromAxis},
    {"Pow", "pow_6", 7, EarlierMeaning::FromAxis},
    {"And", "and_6", 7, EarlierMeaning::FromAxis},
    {"Or", "or_6", 7, EarlierMeaning::FromAxis},
    {"Xor", "xor_6", 7, EarlierMeaning::FromAxis},
    {"Equal", "equal_6", 7, EarlierMeaning::FromAxis},
    {"Greater", "greater_6", 7, EarlierMeaning::FromAxis},
    {"Less", "less_6", 7, EarlierMeaning::FromAxis},
    {"PRelu", "prelu_6", 7, EarlierMeaning::OfChannels},
    {"GroupNormalization", "group_normalization_20", 21, EarlierMeaning::OfGroups},
};

// The row that has this name; null if none has.
inline const EarlierOperator* earlier_named(std::string_view EarlierOperator::*name, std::string_view text) {
  const auto* row = std::find_if(std::begin(kEarlierOperators), std::end(kEarlierOperators),
                                 [&](const EarlierOperator& one) { return one.*name == text; });
  return row == std::end(kEarlierOperators) ? nullptr : row;
}
inline const EarlierOperator* earlier_of(std::string_view op) { return earlier_named(&EarlierOperator::op, op); }
inline const EarlierOperator* earlier_known_as(std::string_view known_as) {
  return earlier_named(&EarlierOperator::known_as, known_as);
}

}  // namespace vouch
