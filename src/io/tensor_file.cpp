#include "io/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <set>

#include "io/file.h"
#include "io/json_text.h"
#include "io/npy.h"
#include "io/onnx_tensor.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "raw tensors are little-endian, as this machine must be");

constexpr std::uint64_t kMostDescriptionBytes = 1 << 20;

struct Description {
  std::string name;
  DType dtype;
  Extents extents;
  std::size_t bytes;
};

std::optional<Extents> extents_of(const JsonValue& dims, Diagnostics& diagnostics) {
  Extents out;
  auto items = dims.array(diagnostics);
  if (!items) {
    return std::nullopt;
  }
  for (const JsonValue& item : *items) {
    auto extent = item.integer(diagnostics);
    if (!extent) {
      return std::nullopt;
    }
    out.push_back(*extent);
  }
  if (!element_count(out)) {
    dims.error(diagnostics, "these extents are negative or have no element count within 64 bits");
    return std::nullopt;
  }
  return out;
}

std::optional<Description> read_description(const std::string& path, Diagnostics& diagnostics) {
  auto text = read_file(path, diagnostics, kMostDescriptionBytes);
  auto json = text ? JsonText::parse(std::make_shared<Source>(path, std::move(*text)), diagnostics) : std::nullopt;
  if (!json) {
    return std::nullopt;
  }
  auto name = json->root().member("name", diagnostics);
  auto type = json->root().member("type", diagnostics);
  auto dims = json->root().member("dims", diagnostics);
  if (!name || !type || !dims) {
    return std::nullopt;
  }
  auto name_text = name->string(diagnostics);
  auto type_text = type->string(diagnostics);
  auto extents = extents_of(*dims, diagnostics);
  if (!name_text || !type_text || !extents) {
    return std::nullopt;
  }
  auto dtype = parse_dtype(*type_text);
  if (!dtype) {
    type->error(diagnostics, fmt::format("unknown element type '{}'", *type_text), "such as float32, int64, bool");
    return std::nullopt;
  }
  auto bytes = static_cast<std::size_t>(*element_count(*extents)) * byte_size(*dtype);
  return Description{*name_text, *dtype, *extents, bytes};
}

std::optional<NamedTensor> read_raw(const std::string& path, Diagnostics& diagnostics) {
  auto description = read_description(path, diagnostics);
  if (!description) {
    return std::nullopt;
  }
  std::string bin = fs::path(path).replace_extension(fmt::format("{}.bin", dtype_name(description->dtype))).string();
  auto raw = read_file(bin, diagnostics, std::max<std::uint64_t>(description->bytes, kMostFileBytes));
  if (!raw) {
    return std::nullopt;
  }
  if (raw->size() != description->bytes) {
    diagnostics.error_at(bin, fmt::format("a tensor {}[{}] needs {} bytes, found {}", dtype_name(description->dtype),
                                          fmt::join(description->extents, ", "), description->bytes, raw->size()));
    return std::nullopt;
  }
  std::vector<std::byte> bytes(raw->size());
  if (!raw->empty()) {
    std::memcpy(bytes.data(), raw->data(), raw->size());
  }
  return NamedTensor{description->name, Tensor(description->dtype, description->extents, std::move(bytes))};
}

std::optional<NamedTensor> read_proto(const std::string& path, Diagnostics& diagnostics) {
  auto bytes = read_file(path, diagnostics);
  onnx::TensorProto proto;
  if (!bytes || !parse_message(*bytes, proto, path, diagnostics)) {
    return std::nullopt;
  }
  auto tensor = tensor_of_proto(proto, {fs::absolute(path).parent_path().string(), path}, diagnostics);
  return tensor ? std::optional(NamedTensor{proto.name(), std::move(*tensor)}) : std::nullopt;
}

std::optional<NamedTensor> read_npy(const fs::path& path, Diagnostics& diagnostics) {
  auto bytes = read_file(path.string(), diagnostics);
  auto tensor = bytes ? tensor_of_npy(*bytes, path.string(), diagnostics) : std::nullopt;
  std::string name = path.stem().string();
  for (std::string_view prefix : {"in_", "out_"}) {
    name = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  }
  return tensor ? std::optional(NamedTensor{name, std::move(*tensor)}) : std::nullopt;
}

// `in_x.json`, `in_x.npy`, `in_x.pb`; and as ONNX has its test data, `input_0.pb`. Of outputs likewise.
bool stands_for(const fs::path& file, std::string_view in, std::string_view input) {
  std::string name = file.filename().string();
  bool tensor = file.extension() == ".json" || file.extension() == ".pb" || file.extension() == ".npy";
  return (tensor && name.starts_with(in)) || (file.extension() == ".pb" && name.starts_with(input));
}

std::string file_stem(const std::string& name) {
  std::string out = name;
  for (char& c : out) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
    c = plain ? c : '_';
  }
  constexpr std::size_t kLongest = 200;  // file systems take 255 bytes, with what is put before and after
  return out.substr(0, kLongest);
}

}  // namespace

std::optional<NamedTensor> read_tensor(const std::string& path, Diagnostics& diagnostics) {
  fs::path file(path);
  if (file.extension() == ".pb") {
    return read_proto(path, diagnostics);
  }
  if (file.extension() == ".bin") {  // NAME.TYPE.bin: drop both endings
    return read_raw(file.replace_extension().replace_extension(".json").string(), diagnostics);
  }
  if (file.extension() == ".json") {
    return read_raw(path, diagnostics);
  }
  if (file.extension() == ".npy") {
    return read_npy(file, diagnostics);
  }
  diagnostics.error_at(path, "expected a tensor file ending in .npy, .json, .bin or .pb");
  return std::nullopt;
}

static bool write_as(const std::string& stem, const NamedTensor& named, Diagnostics& diagnostics) {
  const Tensor& tensor = named.tensor;
  std::string description = fmt::format("{{\"name\":{},\"type\":\"{}\",\"dims\":[{}]}}\n", json_quote(named.name),
                                        dtype_name(tensor.dtype()), fmt::join(tensor.extents(), ","));
  std::string_view bytes(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  return write_file(fmt::format("{}.{}.bin", stem, dtype_name(tensor.dtype())), bytes, diagnostics) &&
         write_file(stem + ".json", description, diagnostics);
}

bool write_tensor(const std::string& folder, const std::string& prefix, const NamedTensor& named, Diagnostics& diagnostics) {
  return write_as((fs::path(folder) / (prefix + file_stem(named.name))).string(), named, diagnostics);
}

bool write_tensors(const std::string& folder, const std::string& prefix, const std::vector<NamedTensor>& tensors,
                   Diagnostics& diagnostics) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    diagnostics.error_at(folder, fmt::format("the folder cannot be made: {}", failed.message()));
    return false;
  }
  std::set<std::string> taken;
  for (const NamedTensor& tensor : tensors) {
    std::string plain = prefix + file_stem(tensor.name);
    std::string stem = plain;
    for (int k = 2; !taken.insert(stem).second; ++k) {
      stem = fmt::format("{}.{}", plain, k);
    }
    if (!write_as((fs::path(folder) / stem).string(), tensor, diagnostics)) {
      return false;
    }
  }
  return true;
}

bool write_tensor_proto(const std::string& path, const NamedTensor& named, Diagnostics& diagnostics) {
  onnx::TensorProto proto;
  fill_proto(named.tensor, named.name, proto);
  return write_file(path, message_bytes(proto), diagnostics);
}

std::optional<TensorFolder> read_tensor_folder(const std::string& folder, Diagnostics& diagnostics) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    files.push_back(at->path());
  }
  if (failure) {
    diagnostics.error_at(folder, fmt::format("the folder cannot be read: {}", failure.message()));
    return std::nullopt;
  }
  std::sort(files.begin(), files.end());
  TensorFolder out;
  bool complete = true;
  for (const fs::path& file : files) {
    bool is_input = stands_for(file, "in_", "input_");
    if (!is_input && !stands_for(file, "out_", "output_")) {
      continue;
    }
    auto tensor = read_tensor(file.string(), diagnostics);
    if (tensor && tensor->name.empty()) {
      diagnostics.error_at(file.string(), "this tensor has no name", "give it as --input NAME=FILE");
      tensor.reset();
    }
    complete &= tensor.has_value();
    if (tensor) {
      (is_input ? out.inputs : out.outputs).push_back(std::move(*tensor));
    }
  }
  return complete ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace vouch
