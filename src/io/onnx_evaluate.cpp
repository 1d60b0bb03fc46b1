#include "io/onnx_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/foreign.h"
#include "io/evaluated_node.h"
#include "io/onnx_domain.h"
#include "io/onnx_tensor.h"

namespace vouch {
namespace {

struct Evaluated {
  std::string_view op;
  EvaluatedResults (*compute)(EvaluatedNode&);
  std::string_view domain = {};
};

constexpr std::string_view kTraining = "ai.onnx.preview.training";

constexpr Evaluated kEvaluated[] = {
    {"Adagrad", evaluate_adagrad, kTraining},
    {"Adam", evaluate_adam, kTraining},
    {"BatchNormalization", evaluate_batch_normalization},
    {"BitShift", evaluate_bit_shift},
    {"BitwiseAnd", evaluate_bitwise_and},
    {"BitwiseNot", evaluate_bitwise_not},
    {"BitwiseOr", evaluate_bitwise_or},
    {"BitwiseXor", evaluate_bitwise_xor},
    {"BlackmanWindow", evaluate_blackman_window},
    {"Compress", evaluate_compress},
    {"DFT", evaluate_dft},
    {"Det", evaluate_det},
    {"GridSample", evaluate_grid_sample},
    {"HammingWindow", evaluate_hamming_window},
    {"HannWindow", evaluate_hann_window},
    {"MaxUnpool", evaluate_max_unpool},
    {"MelWeightMatrix", evaluate_mel_weight_matrix},
    {"Momentum", evaluate_momentum, kTraining},
    {"NonMaxSuppression", evaluate_non_max_suppression},
    {"NonZero", evaluate_non_zero},
    {"ReverseSequence", evaluate_reverse_sequence},
    {"RoiAlign", evaluate_roi_align},
    {"STFT", evaluate_stft},
    {"TfIdfVectorizer", evaluate_tf_idf_vectorizer},
    {"TopK", evaluate_top_k},
    {"Unique", evaluate_unique},
};

// What the graph declares of a result is what whoever reads it counts on.
// Of a result that its model gives no type, or an element type without a shape.
bool fits_unshaped(Type declared, const Tensor& tensor) {
  onnx::TypeProto type;
  if (!type.ParseFromString(foreign_spelling(declared))) {
    return false;
  }
  bool untyped = type.value_case() == onnx::TypeProto::VALUE_NOT_SET;
  return untyped || (type.has_tensor_type() && !type.tensor_type().has_shape() &&
                     dtype_of_onnx(type.tensor_type().elem_type()) == tensor.dtype());
}

bool fits(Type declared, const Tensor& tensor) {
  if (is_foreign(declared)) {
    return fits_unshaped(declared, tensor);
  }
  if (!declared.is_tensor() || declared.dtype() != tensor.dtype() || declared.rank() != tensor.rank()) {
    return false;
  }
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    auto size = const_int(declared.extents()[axis]);
    if (size && *size != tensor.extents()[axis]) {
      return false;
    }
  }
  return true;
}

}  // namespace

EvaluatedNode::EvaluatedNode(const onnx::NodeProto& node, std::int64_t opset, const std::vector<Tensor>& operands,
                             const MemoryBudget& memory)
    : node_(node), opset_(opset), operands_(operands), memory_(memory) {
  std::size_t next = 0;
  for (const std::string& name : node.input()) {
    places_.push_back(name.empty() || next == operands.size() ? std::nullopt : std::optional(next++));
  }
}

std::int64_t EvaluatedNode::int_operand(std::size_t k, std::int64_t otherwise) const {
  return has(k) && operand(k).count() > 0 ? operand(k).int_at(0) : otherwise;
}

double EvaluatedNode::float_operand(std::size_t k, double otherwise) const {
  return has(k) && operand(k).count() > 0 ? operand(k).double_at(0) : otherwise;
}

const onnx::AttributeProto* EvaluatedNode::find(std::string_view name) const {
  auto found = std::find_if(node_.attribute().begin(), node_.attribute().end(), [&](const auto& a) { return a.name() == name; });
  return found == node_.attribute().end() ? nullptr : &*found;
}

std::int64_t EvaluatedNode::integer(std::string_view name, std::int64_t otherwise) const {
  const onnx::AttributeProto* given = find(name);
  return given != nullptr ? given->i() : otherwise;
}

double EvaluatedNode::real(std::string_view name, double otherwise) const {
  const onnx::AttributeProto* given = find(name);
  return given != nullptr ? static_cast<double>(given->f()) : otherwise;
}

std::vector<std::int64_t> EvaluatedNode::integers(std::string_view name, std::vector<std::int64_t> otherwise) const {
  const onnx::AttributeProto* given = find(name);
  return given != nullptr ? std::vector<std::int64_t>(given->ints().begin(), given->ints().end()) : std::move(otherwise);
}

std::vector<double> EvaluatedNode::reals(std::string_view name) const {
  const onnx::AttributeProto* given = find(name);
  return given != nullptr ? std::vector<double>(given->floats().begin(), given->floats().end()) : std::vector<double>();
}

std::string EvaluatedNode::text(std::string_view name, std::string_view otherwise) const {
  const onnx::AttributeProto* given = find(name);
  return given != nullptr ? given->s() : std::string(otherwise);
}

std::optional<std::size_t> EvaluatedNode::axis(std::string_view name, std::int64_t otherwise) {
  auto rank = static_cast<std::int64_t>(operand(0).rank());
  std::int64_t given = integer(name, otherwise);
  if (given < -rank || given >= rank) {
    return fail(fmt::format("{} {} is no axis of a tensor of rank {}", name, given, rank));
  }
  return static_cast<std::size_t>(given < 0 ? given + rank : given);
}

std::nullopt_t EvaluatedNode::fail(std::string why) {
  why_ = std::move(why);
  return std::nullopt;
}

bool EvaluatedNode::may_have(DType dtype, const Extents& extents) {
  auto count = element_count(extents);
  std::int64_t bytes = count ? bytes_of(dtype, *count) : INT64_MAX;
  if (memory_.suffices(bytes)) {
    return true;
  }
  fail("it would take " + memory_.refusal(bytes));
  return false;
}

bool EvaluatedNode::needs(std::initializer_list<std::size_t> ranks) {
  std::size_t k = 0;
  for (std::size_t rank : ranks) {
    if (!has(k)) {
      fail(fmt::format("operand {} is missing", k + 1));
      return false;
    }
    if (operand(k).rank() < rank) {
      fail(fmt::format("operand {} must have rank {} or more, found {}", k + 1, rank, operand(k).rank()));
      return false;
    }
    ++k;
  }
  return true;
}

AxisView::AxisView(const Extents& extents, std::size_t axis) {
  for (std::size_t k = 0; k < extents.size(); ++k) {
    (k < axis ? outer : k == axis ? size : inner) *= extents[k];
  }
}

void copy_element(const Tensor& from, std::int64_t at, Tensor& to, std::int64_t place) {
  std::size_t width = byte_size(from.dtype());
  std::span<const std::byte> element = from.bytes().subspan(static_cast<std::size_t>(at) * width, width);
  std::copy(element.begin(), element.end(), to.mutable_bytes().begin() + place * static_cast<std::ptrdiff_t>(width));
}

bool holds_nan(const Tensor& tensor) {
  for (std::int64_t at = 0; is_float(tensor.dtype()) && at < tensor.count(); ++at) {
    if (std::isnan(tensor.double_at(at))) {
      return true;
    }
  }
  return false;
}

bool is_less(const Tensor& tensor, std::int64_t a, std::int64_t b) {
  if (is_float(tensor.dtype())) {
    return tensor.double_at(a) < tensor.double_at(b);
  }
  std::int64_t left = tensor.int_at(a);
  std::int64_t right = tensor.int_at(b);
  return tensor.dtype() == DType::UInt64 ? static_cast<std::uint64_t>(left) < static_cast<std::uint64_t>(right) : left < right;
}

std::vector<std::string_view> evaluated_onnx_operators() {
  std::vector<std::string_view> out;
  std::transform(std::begin(kEvaluated), std::end(kEvaluated), std::back_inserter(out), [](const Evaluated& e) { return e.op; });
  return out;
}

std::optional<std::vector<Tensor>> evaluate_onnx(const ForeignCall& call, const std::vector<Tensor>& operands,
                                                 const MemoryBudget& memory, std::string& why) {
  why.clear();
  onnx::NodeProto proto;
  auto known = std::find_if(std::begin(kEvaluated), std::end(kEvaluated), [&](const Evaluated& e) {
    return e.op == call.op && (e.domain.empty() ? is_standard_domain(call.domain) : e.domain == call.domain);
  });
  bool is_function = !call.meaning.empty() && is_standard_domain(call.domain);
  if ((known == std::end(kEvaluated) && !is_function) || call.is_value || !proto.ParseFromString(call.spelling)) {
    return std::nullopt;
  }
  EvaluatedNode node(proto, call.opset, operands, memory);
  EvaluatedResults results =
      known == std::end(kEvaluated) ? evaluate_again(proto, call.opset, operands, memory, why) : known->compute(node);
  if (!results) {
    why = why.empty() ? node.why() : why;
    return std::nullopt;
  }
  for (std::size_t k = 0; k < call.results.size(); ++k) {
    if (k >= results->size() || !fits(call.results[k], (*results)[k])) {
      std::string found = k < results->size() ? Type::tensor((*results)[k].dtype(), (*results)[k].extents()).text() : "nothing";
      why = fmt::format("result {} is declared as {} and would be {}", k + 1, call.results[k].text(), found);
      return std::nullopt;
    }
  }
  results->resize(call.results.size(), Tensor(DType::Bool, {0}));
  return results;
}

}  // namespace vouch
