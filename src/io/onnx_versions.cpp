// In which versions of ONNX's operators a call has a form. The operator table has the forms of version 20; older ones differ in
// what is an attribute and what an operand (onnx_opset.cpp), and lack what is listed here. Source: ONNX's Changelog.md.
#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

#include "io/onnx_adapt.h"
#include "io/onnx_domain.h"
#include "io/onnx_earlier.h"
#include "io/onnx_revisions.h"
#include "io/onnx_write.h"
#include "tensor/type_set.h"

namespace vouch {
namespace {

// Operators that came after version 7, the oldest that is written.
const std::unordered_map<std::string_view, std::int64_t> kSince{
    {"Expand", 8},
    {"Acosh", 9},
    {"Asinh", 9},
    {"Atanh", 9},
    {"ConstantOfShape", 9},
    {"Cosh", 9},
    {"Erf", 9},
    {"EyeLike", 9},
    {"IsNaN", 9},
    {"MeanVarianceNormalization", 9},
    {"NonZero", 9},
    {"OneHot", 9},
    {"Scan", 9},
    {"Shrink", 9},
    {"Sign", 9},
    {"Sinh", 9},
    {"Where", 9},
    {"Compress", 9},
    {"ConvInteger", 10},
    {"DequantizeLinear", 10},
    {"IsInf", 10},
    {"MatMulInteger", 10},
    {"Mod", 10},
    {"NonMaxSuppression", 10},
    {"QLinearConv", 10},
    {"QLinearMatMul", 10},
    {"QuantizeLinear", 10},
    {"ReverseSequence", 10},
    {"ThresholdedRelu", 10},
    {"BitShift", 11},
    {"Clip", 7},
    {"CumSum", 11},
    {"Det", 11},
    {"DynamicQuantizeLinear", 11},
    {"GatherElements", 11},
    {"GatherND", 11},
    {"Range", 11},
    {"Round", 11},
    {"ScatterElements", 11},
    {"ScatterND", 11},
    {"Unique", 11},
    {"Celu", 12},
    {"Einsum", 12},
    {"GreaterOrEqual", 12},
    {"LessOrEqual", 12},
    {"NegativeLogLikelihoodLoss", 12},
    {"SoftmaxCrossEntropyLoss", 12},
    {"HardSwish", 14},
    {"Trilu", 14},
    {"CastLike", 15},
    {"LayerNormalization", 17},
    {"LayerNormalizationMean", 17},
    {"LayerNormalizationInvStdDev", 17},
    {"BlackmanWindow", 17},
    {"HammingWindow", 17},
    {"HannWindow", 17},
    {"BitwiseAnd", 18},
    {"BitwiseNot", 18},
    {"BitwiseOr", 18},
    {"BitwiseXor", 18},
    {"CenterCropPad", 18},
    {"Col2Im", 18},
    {"GroupNormalization", 21},
    {"Mish", 18},
    {"Gelu", 20},
    {"Attention", 23},
    {"AttentionPresentKey", 23},
    {"AttentionPresentValue", 23},
    {"AttentionScores", 23},
    {"RMSNormalization", 23},
    {"RotaryEmbedding", 23},
    {"Swish", 24},
};

// Attributes that came later than their operators, and what they were before. `LIST`: each item.
struct Later {
  std::string_view op;
  std::string_view attribute;
  std::int64_t since;
  std::variant<std::int64_t, std::string_view> before;
};
const Later kLater[] = {
    {"ArgMax", "select_last_index", 12, 0},
    {"ArgMin", "select_last_index", 12, 0},
    {"AveragePool", "ceil_mode", 10, 0},
    {"AveragePool", "dilations", 19, 1},
    {"BatchNormalization", "training_mode", 14, 0},
    {"DepthToSpace", "mode", 11, "DCR"},
    {"Dropout", "seed", 12, 0},
    {"DropoutMask", "seed", 12, 0},
    {"GRU", "layout", 14, 0},
    {"GatherND", "batch_dims", 12, 0},
    {"LSTM", "layout", 14, 0},
    {"MaxPool", "ceil_mode", 10, 0},
    {"MaxPool", "dilations", 10, 1},
    {"MaxPool", "storage_order", 8, 0},
    {"MaxPoolIndices", "dilations", 10, 1},
    {"MaxPoolIndices", "ceil_mode", 10, 0},
    {"RNN", "layout", 14, 0},
    {"QuantizeLinear", "block_size", 21, 0},
    {"DequantizeLinear", "block_size", 21, 0},
    {"Reshape", "allowzero", 14, 0},
    {"Resize", "antialias", 18, 0},
    {"Resize", "keep_aspect_ratio_policy", 18, "stretch"},
    {"ScatterElements", "reduction", 16, "none"},
    {"ScatterND", "reduction", 16, "none"},
    {"Shape", "start", 15, 0},
};

// Element types that operators took later than others, where that was after version 7.
struct TypesLater {
  std::int64_t since;
  TypeSet types;
  std::initializer_list<std::string_view> ops;
};
constexpr TypeSet kShort = kIntegers - TypeSet{DType::Int32, DType::Int64, DType::UInt32, DType::UInt64};
constexpr TypeSet kBytes{DType::Int8, DType::UInt8};
const TypesLater kTypesLater[] = {
    {9, kIntegers, {"MatMul", "Gemm", "PRelu", "Greater", "Less"}},
    {9, kIntegers | kBool, {"Flatten"}},
    {11, kFloats | kShort | TypeSet{DType::UInt32, DType::UInt64}, {"Equal"}},
    {11, kIntegers, {"Pad"}},
    {13, kBool, {"Pad"}},
    {12, kIntegers, {"Max", "Min", "Clip", "Pow"}},
    {12, kBytes, {"MaxPool", "ReduceMax", "ReduceMin"}},
    {14, kShort, {"Add", "Sub", "Mul", "Div"}},
    {14, kIntegers, {"Relu"}},
    {14, kNarrowFloats, {"CumSum"}},
    {16, TypeSet{DType::BFloat16}, {"LeakyRelu", "PRelu", "LessOrEqual", "GreaterOrEqual", "Where"}},
    {20, kBool, {"ReduceMax", "ReduceMin"}},
    {20, kNarrowFloats, {"IsInf"}},
    {22,
     TypeSet{DType::BFloat16},
     {"Acos",         "Acosh",   "Asin",     "Asinh",       "Atan",          "Atanh",
      "Cos",          "Cosh",    "Sin",      "Sinh",        "Tan",           "Round",
      "Elu",          "Selu",    "Softplus", "Softsign",    "HardSigmoid",   "ThresholdedRelu",
      "Mish",         "Conv",    "MaxPool",  "AveragePool", "ConvTranspose", "GlobalAveragePool",
      "HardSwish",    "EyeLike", "RNN",      "GRU",         "LSTM",          "InstanceNormalization",
      "GlobalMaxPool"}},
};

bool is_before(const AttrValue& value, const Later& row) {
  if (const auto* text = std::get_if<std::string_view>(&row.before)) {
    return value.string() && *value.string() == *text;
  }
  std::int64_t number = std::get<std::int64_t>(row.before);
  auto items = value.int64s();
  return value.int64() == number || (items && std::all_of(items->begin(), items->end(), [&](auto i) { return i == number; }));
}

bool has_operand(const Graph& graph, NodeId call, std::size_t operand) {
  return operand < graph.operands(call).size() && graph.operands(call)[operand] != kNoNode;
}

bool is_open(const Graph& graph, NodeId call, std::size_t operand) {
  return has_operand(graph, call, operand) && !graph.has_value(graph.operands(call)[operand]);
}

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

std::string text_of(const Graph& graph, NodeId call, std::string_view name) {
  const AttrValue* value = graph.attributes(call).find(name);
  return value && value->string() ? *value->string() : std::string();
}

std::int64_t number_of(const Graph& graph, NodeId call, std::string_view name) {
  const AttrValue* value = graph.attributes(call).find(name);
  return value ? value->int64().value_or(0) : 0;
}

std::int64_t least_for_reduction(const Graph& graph, NodeId call, std::string_view op) {
  bool by_operand = is_open(graph, call, 1) || number_of(graph, call, "noop_with_empty_axes") != 0;
  if (op == "ReduceSum") {
    return by_operand ? 13 : 7;
  }
  return by_operand ? 18 : 7;
}

// Before version 13 all axes from `axis` on were one.
std::int64_t least_for_softmax(const Graph& graph, NodeId call) {
  const std::vector<Term>& extents = graph.type(graph.operands(call)[0]).extents();
  const AttrValue* given = graph.attributes(call).find("axis");
  auto rank = static_cast<std::int64_t>(extents.size());
  std::int64_t axis = given ? given->int64().value_or(-1) : -1;
  axis = axis < 0 ? axis + rank : axis;
  bool alone = std::all_of(extents.begin() + std::min(axis + 1, rank), extents.end(), [](Term e) { return const_int(e) == 1; });
  return alone ? 7 : 13;
}

std::int64_t least_for_resize(const Graph& graph, NodeId call) {
  std::string policy = text_of(graph, call, "keep_aspect_ratio_policy");
  if (number_of(graph, call, "antialias") != 0 || graph.attributes(call).find("axes") != nullptr ||
      (!policy.empty() && policy != "stretch")) {
    return 18;
  }
  return text_of(graph, call, "coordinate_transformation_mode") == "half_pixel_symmetric" ? 19 : 11;
}

// How several updates of one place are combined; what else is reduced has no such words.
std::int64_t least_for_scatter(const Graph& graph, NodeId call) {
  std::string reduction = text_of(graph, call, "reduction");
  return is_one_of(reduction, {"max", "min"}) ? 18 : is_one_of(reduction, {"add", "mul"}) ? 16 : 7;
}

bool parts_are_known(const Graph& graph, NodeId call) {
  std::int64_t axis = number_of(graph, call, "axis");
  for (Type item : graph.type(call).items()) {
    auto rank = static_cast<std::int64_t>(item.rank());
    if (!const_int(item.extents()[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)])) {
      return false;
    }
  }
  return true;
}

std::int64_t least_for_split(const Graph& graph, NodeId call) {
  if (has_operand(graph, call, 1)) {
    return is_open(graph, call, 1) ? 13 : 7;
  }
  return parts_are_known(graph, call) ? 7 : 18;
}

std::int64_t least_for_pad(const Graph& graph, NodeId call) {
  std::string mode = text_of(graph, call, "mode");
  return mode == "wrap" ? 19 : has_operand(graph, call, 3) ? 18 : is_open(graph, call, 1) || is_open(graph, call, 2) ? 11 : 7;
}

// Steps other than 1 came with the operands.
std::int64_t least_for_slice(const Graph& graph, NodeId call) {
  bool open = has_operand(graph, call, 4) || is_open(graph, call, 1) || is_open(graph, call, 2) || is_open(graph, call, 3);
  return open ? 10 : 7;
}

// Elementwise operators that took operands of one shape.
std::int64_t least_for_elements(const Graph& graph, NodeId call, std::string_view op) {
  if (!has_operand(graph, call, 0)) {
    return 7;  // a loop that only its body ends
  }
  Type x = graph.type(graph.operands(call)[0]);
  if (is_one_of(op, {"Max", "Min", "Sum", "Mean"})) {
    const std::vector<Type>& items = x.items();
    return std::all_of(items.begin(), items.end(), [&](Type item) { return item == items[0]; }) ? 7 : 8;
  }
  if (op == "Pow") {
    return x.dtype() == graph.type(graph.operands(call)[1]).dtype() && is_float(x.dtype()) ? 7 : 12;
  }
  return 7;
}

std::int64_t least_for_element(DType dtype) {
  return dtype == DType::BFloat16 ? 13 : kFourBits.contains(dtype) ? 21 : is_float8(dtype) ? 19 : 7;
}

// By the type of the data: the first operand, but for the choice that Where makes. bfloat16 came with version 13 for most.
std::int64_t least_for_type(const Graph& graph, NodeId call, std::string_view op) {
  std::size_t data = op == "Where" ? 1 : 0;
  Type result = graph.type(call);
  std::int64_t result_least = result.is_tensor() ? least_for_element(result.dtype()) : 7;
  if (!has_operand(graph, call, data)) {
    return result_least;
  }
  Type type = graph.type(graph.operands(call)[data]);
  type = type.is_tuple() && !type.items().empty() ? type.items()[0] : type;
  if (!type.is_tensor()) {
    return result_least;
  }
  std::int64_t least = std::max(least_for_element(type.dtype()), result_least);
  for (const TypesLater& row : kTypesLater) {
    bool later = row.types.contains(type.dtype()) && std::find(row.ops.begin(), row.ops.end(), op) != row.ops.end();
    least = later ? std::max(least, row.since) : least;
  }
  return least;
}

std::int64_t least_for_form(const Graph& graph, NodeId call, std::string_view op) {
  if (op.starts_with("Reduce")) {
    return least_for_reduction(graph, call, op);
  }
  if (is_one_of(op, {"Softmax", "LogSoftmax", "Hardmax"})) {
    return least_for_softmax(graph, call);
  }
  if (op == "Clip") {
    return is_open(graph, call, 1) || is_open(graph, call, 2) ? 11 : 7;
  }
  if (op == "Squeeze" || op == "Unsqueeze") {
    return is_open(graph, call, 1) ? 13 : 7;
  }
  if (op == "Dropout" || op == "DropoutMask") {
    return has_operand(graph, call, 1) || has_operand(graph, call, 2) ? 12 : 7;
  }
  if (op == "Gemm") {
    return has_operand(graph, call, 2) ? 7 : 11;
  }
  if (op.starts_with("Attention")) {
    return has_operand(graph, call, 6) ? 24 : 23;
  }
  return op == "Resize"  ? least_for_resize(graph, call)
         : op == "Split" ? least_for_split(graph, call)
         : op == "Pad"   ? least_for_pad(graph, call)
         : op == "Slice" ? least_for_slice(graph, call)
                         : least_for_elements(graph, call, op);
}

// ONNX Runtime knows some operators before ONNX does, in its own domain or in ONNX's, and ONNX had some under another name: what
// the model has is written as it was. From which opset on; nothing if the model does not have it so.
std::optional<std::int64_t> known_before(const Graph& graph, NodeId call, const OnnxKept* kept, std::int64_t since) {
  const OnnxNodeKept* known = kept != nullptr ? kept->find(graph.name(call)) : nullptr;
  auto of_table = known != nullptr ? operator_of_onnx(known->domain, known->op) : std::nullopt;
  if (!of_table || successor(*of_table) != op_def(graph.op(call)).name ||
      (is_standard_domain(known->domain) && kept->opset >= since)) {
    return std::nullopt;
  }
  return *of_table == successor(*of_table) ? 7 : revision_of(*of_table, kept->opset);
}

}  // namespace

std::int64_t least_opset(const Graph& graph, NodeId call, const OnnxKept* kept) {
  std::string_view op = op_def(graph.op(call)).name;
  constexpr std::int64_t kOfLowered = 13;
  if (graph.op(call) == foreign_op() || !onnx_domain(op).empty()) {
    return 1;
  }
  if (const EarlierOperator* earlier = earlier_known_as(op)) {
    constexpr std::size_t kScales = 1;  // as it was read, or as operators that are older still
    std::int64_t least = earlier->meaning == EarlierMeaning::OfGroups                                  ? 18
                         : earlier->meaning == EarlierMeaning::Scaled && is_open(graph, call, kScales) ? 9
                                                                                                       : 7;
    return std::max(least, least_for_type(graph, call, earlier->op));
  }
  if (std::islower(static_cast<unsigned char>(op[0])) != 0) {
    return std::max(kOfLowered, least_for_scatter(graph, call));
  }
  auto since = kSince.find(op);
  std::int64_t least = since == kSince.end() ? 7 : known_before(graph, call, kept, since->second).value_or(since->second);
  for (const Later& row : kLater) {
    const AttrValue* value = row.op == op ? graph.attributes(call).find(row.attribute) : nullptr;
    least = value != nullptr && !is_before(*value, row) ? std::max(least, row.since) : least;
  }
  return std::max({least, least_for_form(graph, call, op), least_for_type(graph, call, op), least_for_scatter(graph, call)});
}

void drop_later(std::string_view op, std::int64_t opset, std::vector<onnx::AttributeProto>& attributes) {
  for (const Later& row : kLater) {
    if (row.op == op && opset < row.since) {
      std::erase_if(attributes, [&](const onnx::AttributeProto& attribute) { return attribute.name() == row.attribute; });
    }
  }
}

}  // namespace vouch
