// ONNX TensorProto to Tensor and back. Element counts are checked against the bytes that are there, so that memory
// follows the file's size and not its claims.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "io/onnx_proto.h"
#include "tensor/tensor.h"

namespace vouch {

// `float32`, …; nothing for types that Vouch has not (string, complex).
std::optional<DType> dtype_of_onnx(int data_type);
int onnx_of_dtype(DType dtype);
// Of so many elements in a file: those of 4 bits lie two to a byte.
std::uint64_t onnx_byte_count(DType dtype, std::int64_t count);
// ONNX's own name (`FLOAT`, `STRING`), or the number if it has none.
std::string onnx_type_name(int data_type);

// Where external data may lie: inside this folder only. Empty: external data is refused.
struct TensorSource {
  std::string folder;
  std::string place;                       // for messages
  std::set<std::string>* files = nullptr;  // takes the real path of each file that was read
};

std::optional<Tensor> tensor_of_proto(const onnx::TensorProto& proto, const TensorSource& source, Diagnostics& diagnostics);
// Dense; refused above 2^26 elements, since a sparse tensor's size is a mere claim.
std::optional<Tensor> tensor_of_sparse(const onnx::SparseTensorProto& proto, const TensorSource& source,
                                       Diagnostics& diagnostics);

// The bytes of elements that lie in a file of their own: `count` of them, or as many as the tensor says if that is nothing.
std::optional<std::string> external_bytes(const onnx::TensorProto& proto, std::optional<std::uint64_t> count,
                                          const TensorSource& source, Diagnostics& diagnostics);

// Type, extents and raw bytes; the name may be empty.
void fill_proto(const Tensor& tensor, const std::string& name, onnx::TensorProto& proto);

}  // namespace vouch
