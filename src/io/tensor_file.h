// Tensors in files: raw little-endian elements in `NAME.TYPE.bin` described by `NAME.json`
// (`{"name": "x", "type": "float32", "dims": [1, 3]}`), or ONNX's TensorProto in `.pb`,
// or NumPy's `.npy`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "tensor/tensor.h"

namespace vouch {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// By the ending of `path`: `.pb` is a TensorProto; `.json` the description of a raw file; `.bin` that raw file, whose
// description lies beside it; `.npy` an array, which is called as the file, without `in_` and `out_`.
std::optional<NamedTensor> read_tensor(const std::string& path, Diagnostics& diagnostics);

// `PREFIXNAME.TYPE.bin` and `PREFIXNAME.json` in `folder`; characters of the name other than letters, digits, `.`,
// `-` and `_` become `_` in file names. Each file is written atomically, the description last.
bool write_tensor(const std::string& folder, const std::string& prefix, const NamedTensor& tensor, Diagnostics& diagnostics);
// All of them so, in a folder that is made if it is not there; names that would share a file get numbers.
bool write_tensors(const std::string& folder, const std::string& prefix, const std::vector<NamedTensor>& tensors,
                   Diagnostics& diagnostics);
bool write_tensor_proto(const std::string& path, const NamedTensor& tensor, Diagnostics& diagnostics);

// The tensors of a folder whose files begin with `in_`, and with `out_`, in the order of file names; or with `input_` and
// `output_` and end in `.pb`, as ONNX has its test data.
struct TensorFolder {
  std::vector<NamedTensor> inputs;
  std::vector<NamedTensor> outputs;
};
std::optional<TensorFolder> read_tensor_folder(const std::string& folder, Diagnostics& diagnostics);

}  // namespace vouch
