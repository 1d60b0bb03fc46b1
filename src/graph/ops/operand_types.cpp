// The element types that each operand may have, and how finely a definition tells them apart. Of ONNX's operators: what their
// newest version takes (onnx/docs/Operators.md, opset 22), restricted to the types that tensors have here; the versions that took
// less are in io/onnx_versions.cpp. Others: numbers where they compute, any type where they move elements.
#include "graph/operand_types.h"

#include <fmt/format.h>

#include <unordered_map>

#include "support/fault.h"

namespace vouch {
namespace {

constexpr TypeSet kWords{DType::Int32, DType::Int64};  // of 32 and 64 bits
constexpr TypeSet kWordNumbers = kFloats | kWords | TypeSet{DType::UInt32, DType::UInt64};
constexpr TypeSet kSize{DType::Int64};
constexpr TypeSet kScale{DType::Float32};  // of quantised operators of one version
constexpr TypeSet kBytes{DType::Int8, DType::UInt8};
constexpr TypeSet kScales = kFloats - TypeSet{DType::Float64};
constexpr TypeSet kQuantized = kBytes | TypeSet{DType::Int16, DType::UInt16} | kStorage;
constexpr TypeSet kExtremal = kWordNumbers | kBytes | kBool;                                           // ReduceMax, ReduceMin
constexpr TypeSet kCounted{DType::Float32, DType::Float64, DType::Int16, DType::Int32, DType::Int64};  // Range

struct Row {
  TypeSense sense;
  std::vector<TypeSet> operands;
  std::vector<std::string_view> ops;
};

std::vector<Row> axiswise_rows() {
  return {
      {TypeSense::Kinds, {kNumbers}, {"Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "maximum", "minimum", "Abs", "Sign"}},
      {TypeSense::Kinds, {kNumbers}, {"Clip", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}},
      {TypeSense::Kinds, {kNumbers - TypeSet{DType::BFloat16}}, {"Shrink"}},
      {TypeSense::Fractions, {kNumbers}, {"Erf"}},
      {TypeSense::Fractions, {kFloats | kWords, kNumbers}, {"Pow"}},
      {TypeSense::Kinds, {kFloats}, {"Sum", "Mean", "Exp", "Log", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Tanh", "Sin"}},
      {TypeSense::Kinds, {TypeSet{DType::Float32}}, {"Celu"}},
      {TypeSense::Kinds, {kFloats}, {"Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh"}},
      {TypeSense::Kinds, {kFloats}, {"LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish", "Gelu", "Elu", "Selu"}},
      {TypeSense::Kinds, {kFloats}, {"Softplus", "Softsign", "Mish", "ThresholdedRelu"}},
      {TypeSense::Kinds, {kFloats}, {"IsNaN"}},
      {TypeSense::Each, {kFloats}, {"IsInf"}},
      {TypeSense::Kinds, {kFloats | kSignedIntegers}, {"Neg", "Relu"}},
      {TypeSense::Kinds, {kWordNumbers}, {"PRelu"}},
      {TypeSense::Kinds, {kFloats, kFloats, kBool}, {"Dropout", "DropoutMask"}},
      {TypeSense::Kinds, {kPlainTypes}, {"Equal", "compare"}},
      {TypeSense::Kinds, {kBool}, {"And", "Or", "Xor", "Not"}},
      {TypeSense::Moves, {kBool, kPlainTypes}, {"Where"}},
      {TypeSense::Moves, {kAllTypes}, {"Identity"}},
      {TypeSense::Each, {kAllTypes}, {"Cast", "CastLike", "convert"}},
  };
}

// As today's, but for where the right operand lies.
std::vector<Row> earlier_rows() {
  return {
      {TypeSense::Kinds, {kNumbers}, {"add_6", "sub_6", "mul_6", "div_6", "less_6", "greater_6"}},
      {TypeSense::Fractions, {kFloats | kWords, kNumbers}, {"pow_6"}},
      {TypeSense::Kinds, {kWordNumbers}, {"prelu_6"}},
      {TypeSense::Kinds, {kPlainTypes}, {"equal_6"}},
      {TypeSense::Kinds, {kBool}, {"and_6", "or_6", "xor_6"}},
      {TypeSense::Widths, {kFloats}, {"softmax_11", "log_softmax_11", "hardmax_11", "group_normalization_20"}},
      {TypeSense::Each, {kPlainTypes, TypeSet{DType::Float32}}, {"resize_10"}},
  };
}

std::vector<Row> reducing_rows() {
  return {
      {TypeSense::Kinds, {kWordNumbers}, {"MatMul"}},
      {TypeSense::Fractions, {kWordNumbers}, {"Gemm"}},
      {TypeSense::Kinds, {kNumbers}, {"dense", "bias_add", "dot_general", "conv2d", "max_pool2d", "avg_pool2d"}},
      {TypeSense::Kinds, {kNumbers - TypeSet{DType::BFloat16}}, {"Einsum"}},
      {TypeSense::Kinds, {kFloats}, {"Conv", "ConvTranspose", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"}},
      {TypeSense::Widths, {kFloats}, {"LpPool", "GlobalLpPool", "LpNormalization"}},
      {TypeSense::Kinds, {kFloats | kBytes}, {"MaxPool", "MaxPoolIndices"}},
      {TypeSense::Widths,
       {kFloats},
       {"BatchNormalization", "BatchNormalizationMean", "BatchNormalizationVariance", "batch_norm"}},
      {TypeSense::Widths, {kFloats}, {"LRN", "layer_norm", "InstanceNormalization", "MeanVarianceNormalization"}},
      {TypeSense::Each,
       {kFloats},
       {"LayerNormalization", "LayerNormalizationMean", "LayerNormalizationInvStdDev", "GroupNormalization"}},
      {TypeSense::Kinds, {kWordNumbers, kSize}, {"ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceSumSquare"}},
      {TypeSense::Fractions, {kWordNumbers, kSize}, {"ReduceL2", "ReduceLogSum", "ReduceLogSumExp"}},
      {TypeSense::Kinds, {kExtremal, kSize}, {"ReduceMax", "ReduceMin"}},
      {TypeSense::Kinds, {kNumbers}, {"reduce_sum", "reduce_mean", "reduce_prod", "ArgMax", "ArgMin"}},
      {TypeSense::Kinds, {kPlainTypes}, {"reduce_max", "reduce_min"}},
      {TypeSense::Kinds, {kWordNumbers, kWords}, {"CumSum"}},
      {TypeSense::Widths, {kFloats}, {"Softmax", "LogSoftmax", "Hardmax"}},
      {TypeSense::Each,
       {kFloats, kFloats, kFloats, kPlainTypes, kFloats, kFloats, kSize},
       {"Attention", "AttentionPresentKey", "AttentionPresentValue", "AttentionScores"}},
      {TypeSense::Kinds, {kFloats, kFloats, kFloats, kSize}, {"RotaryEmbedding"}},
  };
}

std::vector<Row> moving_rows() {
  return {
      {TypeSense::Moves, {kAllTypes, kSize}, {"Reshape", "Squeeze", "Unsqueeze"}},
      {TypeSense::Moves, {kPlainTypes, kSize}, {"Expand", "Tile", "Split", "GatherND", "Trilu"}},
      {TypeSense::Moves, {kAllTypes}, {"reshape", "Flatten", "squeeze", "unsqueeze", "Transpose", "transpose", "Shape", "Size"}},
      {TypeSense::Moves, {kPlainTypes}, {"broadcast_in_dim", "Concat", "concatenate", "split", "slice", "reverse", "pad"}},
      {TypeSense::Moves, {kPlainTypes}, {"DepthToSpace", "SpaceToDepth"}},
      {TypeSense::Moves, {kPlainTypes, kWords}, {"Slice", "Gather", "GatherElements"}},
      {TypeSense::Moves, {kPlainTypes, kIntegers}, {"dynamic_slice"}},
      {TypeSense::Moves, {kPlainTypes, kPlainTypes, kIntegers}, {"dynamic_update_slice"}},
      {TypeSense::Moves, {kAllTypes, kSize, kAllTypes, kWords}, {"Pad"}},
      {TypeSense::Moves, {kPlainTypes, kSize, kPlainTypes}, {"ScatterND"}},
      {TypeSense::Kinds, {kPlainTypes, kWords, kPlainTypes}, {"ScatterElements", "scatter_rows"}},
      {TypeSense::Each, {kNumbers, kNumbers, kPlainTypes}, {"OneHot"}},
      {TypeSense::Each, {kPlainTypes, kFloats, TypeSet{DType::Float32}, kSize}, {"Resize"}},
      {TypeSense::Each, {kAllTypes}, {"Constant", "iota"}},
      {TypeSense::Each, {kPlainTypes}, {"EyeLike"}},
      {TypeSense::Each, {kSize}, {"ConstantOfShape"}},
      {TypeSense::Each, {kCounted}, {"Range"}},
  };
}

std::vector<Row> other_rows() {
  return {
      {TypeSense::Moves, {kBool, kPlainTypes}, {"select"}},
      {TypeSense::Kinds, {kNumbers}, {"clamp"}},
      {TypeSense::Widths, {kFloats}, {"SkipLayerNormalization", "SkipLayerNormalizationSum"}},
      {TypeSense::Widths, {kFloats}, {"SkipSimplifiedLayerNormalization", "SkipSimplifiedLayerNormalizationSum"}},
      {TypeSense::Widths, {kFloats}, {"BiasGelu", "FastGelu", "QuickGelu", "Swish", "FusedConv", "FusedMatMul", "FusedGemm"}},
      {TypeSense::Each, {kFloats}, {"RMSNormalization", "SimplifiedLayerNormalization"}},
      {TypeSense::Each, {kBytes}, {"MatMulInteger", "ConvInteger"}},
      {TypeSense::Each, {kBytes, kBytes, kFloats, kFloats, kBytes, kBytes, kFloats}, {"MatMulIntegerToFloat"}},
      {TypeSense::Each,
       {kBytes, kScale, kBytes, kBytes, kScale, kBytes, kScale, kBytes, TypeSet{DType::Int32}},
       {"QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul"}},
      {TypeSense::Each, {kBytes, kScale, kBytes, kBytes, kScale, kBytes, TypeSet{DType::Int32}, kScale, kBytes}, {"QGemm"}},
      {TypeSense::Each,
       {kBytes, kScale, kBytes, kScale, kBytes},
       {"QLinearSigmoid", "QLinearLeakyRelu", "QLinearGlobalAveragePool"}},
      {TypeSense::Each, {TypeSet{DType::Float32}}, {"DynamicQuantizeLinear"}},
      {TypeSense::Each, {kScales | TypeSet{DType::Int32}, kScales, kQuantized}, {"QuantizeLinear"}},
      {TypeSense::Each, {kQuantized | TypeSet{DType::Int32}, kScales, kQuantized | TypeSet{DType::Int32}}, {"DequantizeLinear"}},
      {TypeSense::Each,
       {kFloats, kWords, kFloats},
       {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLossLogProbability"}},
      {TypeSense::Each, {kPlainTypes}, {"RNN", "GRU", "LSTM"}},
      {TypeSense::Each, {kAllTypes}, {"If", "Loop", "Scan", "foreign"}},
  };
}

using Rows = std::unordered_map<std::string_view, OperandTypes>;

Rows rows_by_name() {
  Rows all;
  for (auto theme : {axiswise_rows, earlier_rows, reducing_rows, moving_rows, other_rows}) {
    for (const Row& row : theme()) {
      for (std::string_view op : row.ops) {
        ensure(all.emplace(op, OperandTypes{row.sense, row.operands, theme == axiswise_rows}).second,
               fmt::format("operator {} has one row of element types", op));
      }
    }
  }
  return all;
}

}  // namespace

const OperandTypes& operand_types_of(std::string_view op) {
  static const auto* rows = new Rows(rows_by_name());
  auto row = rows->find(op);
  ensure(row != rows->end(), fmt::format("operator {} has a row of element types", op));
  return row->second;
}

}  // namespace vouch
