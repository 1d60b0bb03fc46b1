// One node of ONNX on numbers, for the operators that onnx_evaluate.h lists.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx_proto.h"
#include "tensor/memory_budget.h"
#include "tensor/tensor.h"

namespace vouch {

class EvaluatedNode {
 public:
  // `operands`: those that the node has, in order, without what subgraphs capture. `opset`: of the model that it is from.
  EvaluatedNode(const onnx::NodeProto& node, std::int64_t opset, const std::vector<Tensor>& operands, const MemoryBudget& memory);

  std::size_t result_count() const { return static_cast<std::size_t>(node_.output_size()); }
  bool has(std::size_t operand) const { return operand < places_.size() && places_[operand]; }
  // One that is there.
  const Tensor& operand(std::size_t k) const { return operands_[*places_[k]]; }
  // The only element of an operand, or what is meant where it is not given.
  std::int64_t int_operand(std::size_t k, std::int64_t otherwise) const;
  double float_operand(std::size_t k, double otherwise) const;

  bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::vector<std::int64_t> integers(std::string_view name, std::vector<std::int64_t> otherwise) const;
  std::vector<double> reals(std::string_view name) const;  // empty where it is not given
  bool before(std::int64_t opset) const { return opset_ < opset; }
  // The attribute as an axis of operand 0; nothing, having failed, if there is no such axis.
  std::optional<std::size_t> axis(std::string_view name, std::int64_t otherwise);

  // Always nothing: the call has no value, and this is why.
  std::nullopt_t fail(std::string why);
  // Fails unless these operands are there, of at least so many axes each.
  bool needs(std::initializer_list<std::size_t> ranks);
  // Fails if there is no place for such a result.
  bool may_have(DType dtype, const Extents& extents);
  const std::string& why() const { return why_; }

 private:
  const onnx::AttributeProto* find(std::string_view name) const;

  const onnx::NodeProto& node_;
  std::int64_t opset_;
  const std::vector<Tensor>& operands_;
  const MemoryBudget& memory_;
  std::vector<std::optional<std::size_t>> places_;  // of the node's inputs among the operands
  std::string why_;
};

using EvaluatedResults = std::optional<std::vector<Tensor>>;

// Of a node of ONNX's own domain that the table defines once its operands are known; nothing, and no reason, of others.
EvaluatedResults evaluate_again(const onnx::NodeProto& node, std::int64_t opset, const std::vector<Tensor>& operands,
                                const MemoryBudget& memory, std::string& why);

EvaluatedResults evaluate_top_k(EvaluatedNode& node);
EvaluatedResults evaluate_non_zero(EvaluatedNode& node);
EvaluatedResults evaluate_compress(EvaluatedNode& node);
EvaluatedResults evaluate_unique(EvaluatedNode& node);
EvaluatedResults evaluate_non_max_suppression(EvaluatedNode& node);
EvaluatedResults evaluate_reverse_sequence(EvaluatedNode& node);
EvaluatedResults evaluate_grid_sample(EvaluatedNode& node);
EvaluatedResults evaluate_roi_align(EvaluatedNode& node);
EvaluatedResults evaluate_max_unpool(EvaluatedNode& node);
EvaluatedResults evaluate_det(EvaluatedNode& node);
EvaluatedResults evaluate_hann_window(EvaluatedNode& node);
EvaluatedResults evaluate_hamming_window(EvaluatedNode& node);
EvaluatedResults evaluate_blackman_window(EvaluatedNode& node);
EvaluatedResults evaluate_mel_weight_matrix(EvaluatedNode& node);
EvaluatedResults evaluate_dft(EvaluatedNode& node);
EvaluatedResults evaluate_stft(EvaluatedNode& node);
EvaluatedResults evaluate_tf_idf_vectorizer(EvaluatedNode& node);
EvaluatedResults evaluate_adagrad(EvaluatedNode& node);
EvaluatedResults evaluate_adam(EvaluatedNode& node);
EvaluatedResults evaluate_momentum(EvaluatedNode& node);
EvaluatedResults evaluate_batch_normalization(EvaluatedNode& node);
EvaluatedResults evaluate_bit_shift(EvaluatedNode& node);
EvaluatedResults evaluate_bitwise_and(EvaluatedNode& node);
EvaluatedResults evaluate_bitwise_or(EvaluatedNode& node);
EvaluatedResults evaluate_bitwise_xor(EvaluatedNode& node);
EvaluatedResults evaluate_bitwise_not(EvaluatedNode& node);

// --- places in a tensor whose one axis is looked at: `outer` times `size` times `inner` elements
struct AxisView {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;

  AxisView(const Extents& extents, std::size_t axis);
  std::int64_t at(std::int64_t o, std::int64_t k, std::int64_t i) const { return (o * size + k) * inner + i; }
};

// Copies one element; both have one type.
void copy_element(const Tensor& from, std::int64_t at, Tensor& to, std::int64_t place);
bool holds_nan(const Tensor& tensor);
// Of two elements of one tensor; numbers that are no NaN, or truth values.
bool is_less(const Tensor& tensor, std::int64_t a, std::int64_t b);

}  // namespace vouch
