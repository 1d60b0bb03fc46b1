#include "io/onnx_tensor.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>

#include "io/file.h"

namespace vouch {
namespace {

using Proto = onnx::TensorProto;

constexpr struct {
  DType dtype;
  int onnx;
} kTypes[] = {
    {DType::Float32, Proto::FLOAT},
    {DType::Float64, Proto::DOUBLE},
    {DType::Float16, Proto::FLOAT16},
    {DType::BFloat16, Proto::BFLOAT16},
    {DType::Int8, Proto::INT8},
    {DType::Int16, Proto::INT16},
    {DType::Int32, Proto::INT32},
    {DType::Int64, Proto::INT64},
    {DType::UInt8, Proto::UINT8},
    {DType::UInt16, Proto::UINT16},
    {DType::UInt32, Proto::UINT32},
    {DType::UInt64, Proto::UINT64},
    {DType::Bool, Proto::BOOL},
    // Newer than the library that reads messages.
    {DType::Float8E4M3FN, 17},
    {DType::Float8E4M3FNUZ, 18},
    {DType::Float8E5M2, 19},
    {DType::Float8E5M2FNUZ, 20},
    {DType::UInt4, 21},
    {DType::Int4, 22},
};
static_assert(std::size(kTypes) == kDTypeCount, "every element type has a number in ONNX");

struct Shape {
  DType dtype;
  Extents extents;
  std::int64_t count;
  std::size_t bytes;
};

std::optional<Shape> shape_of(const Proto& proto, const std::string& place, Diagnostics& diagnostics) {
  auto dtype = dtype_of_onnx(proto.data_type());
  if (!dtype) {
    diagnostics.error_at(place, fmt::format("tensors of element type {} are not supported", onnx_type_name(proto.data_type())));
    return std::nullopt;
  }
  Extents extents(proto.dims().begin(), proto.dims().end());
  auto count = element_count(extents);
  if (!count) {
    diagnostics.error_at(place,
                         fmt::format("a tensor of extents [{}] has no element count within 64 bits", fmt::join(extents, ", ")));
    return std::nullopt;
  }
  return Shape{*dtype, extents, *count, static_cast<std::size_t>(onnx_byte_count(*dtype, *count))};
}

bool counts_agree(const Shape& shape, std::uint64_t found, std::string_view what, const std::string& place,
                  Diagnostics& diagnostics) {
  auto expected = static_cast<std::uint64_t>(what == "bytes" ? shape.bytes : static_cast<std::size_t>(shape.count));
  if (found == expected) {
    return true;
  }
  diagnostics.error_at(place, fmt::format("a tensor {}[{}] needs {} {}, found {}", dtype_name(shape.dtype),
                                          fmt::join(shape.extents, ", "), expected, what, found));
  return false;
}

// Two elements of 4 bits to a byte, the first one in its low half.
std::vector<std::byte> unpacked(const std::string& raw, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(static_cast<std::uint8_t>(raw[i / 2]) >> (i % 2 == 0 ? 0 : 4));
  }
  return bytes;
}

std::string packed(std::span<const std::byte> bytes) {
  std::string raw((bytes.size() + 1) / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    raw[i / 2] = static_cast<char>(static_cast<std::uint8_t>(raw[i / 2]) | (static_cast<std::uint8_t>(bytes[i]) & 15U)
                                                                               << (i % 2 == 0 ? 0 : 4));
  }
  return raw;
}

// A bool byte is 0 or 1 whatever the file says.
Tensor of_bytes(const Shape& shape, const std::string& raw) {
  if (bit_width(shape.dtype) == 4) {
    return {shape.dtype, shape.extents, unpacked(raw, static_cast<std::size_t>(shape.count))};
  }
  const auto* first = reinterpret_cast<const std::byte*>(raw.data());
  std::vector<std::byte> bytes(first, first + raw.size());
  if (shape.dtype == DType::Bool) {
    for (std::byte& byte : bytes) {
      byte = std::byte{byte != std::byte{0}};
    }
  }
  return {shape.dtype, shape.extents, std::move(bytes)};
}

template <class To, class Field>
std::optional<Tensor> of_field(const Shape& shape, const Field& field, const std::string& place, Diagnostics& diagnostics) {
  if (!counts_agree(shape, static_cast<std::uint64_t>(field.size()), "elements", place, diagnostics)) {
    return std::nullopt;
  }
  std::string raw(shape.bytes, '\0');
  for (int i = 0; i < field.size(); ++i) {
    To value = static_cast<To>(field[i]);
    std::memcpy(raw.data() + static_cast<std::size_t>(i) * sizeof(To), &value, sizeof(To));
  }
  return of_bytes(shape, raw);
}

// Elements of 4 bits are packed into bytes there, too.
std::optional<Tensor> of_bytes_field(const Shape& shape, const Proto& proto, const std::string& place, Diagnostics& diagnostics) {
  if (!counts_agree(shape, static_cast<std::uint64_t>(proto.int32_data().size()), "bytes", place, diagnostics)) {
    return std::nullopt;
  }
  std::string raw;
  for (std::int32_t value : proto.int32_data()) {
    raw.push_back(static_cast<char>(value));
  }
  return of_bytes(shape, raw);
}

// Which typed field holds which element type: see the comments of onnx.proto.
std::optional<Tensor> of_typed_field(const Shape& shape, const Proto& proto, const std::string& place, Diagnostics& diagnostics) {
  switch (shape.dtype) {
    case DType::Float32: return of_field<float>(shape, proto.float_data(), place, diagnostics);
    case DType::Float64: return of_field<double>(shape, proto.double_data(), place, diagnostics);
    case DType::Float16:
    case DType::BFloat16:
    case DType::UInt16: return of_field<std::uint16_t>(shape, proto.int32_data(), place, diagnostics);
    case DType::Int16: return of_field<std::int16_t>(shape, proto.int32_data(), place, diagnostics);
    case DType::Int4:
    case DType::UInt4: return of_bytes_field(shape, proto, place, diagnostics);
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
    case DType::Int8:
    case DType::UInt8: return of_field<std::uint8_t>(shape, proto.int32_data(), place, diagnostics);
    case DType::Bool: return of_field<bool>(shape, proto.int32_data(), place, diagnostics);
    case DType::Int32: return of_field<std::int32_t>(shape, proto.int32_data(), place, diagnostics);
    case DType::Int64: return of_field<std::int64_t>(shape, proto.int64_data(), place, diagnostics);
    case DType::UInt32: return of_field<std::uint32_t>(shape, proto.uint64_data(), place, diagnostics);
    case DType::UInt64: return of_field<std::uint64_t>(shape, proto.uint64_data(), place, diagnostics);
  }
  return std::nullopt;
}

struct External {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

std::optional<External> external_of(const Proto& proto, const std::string& place, Diagnostics& diagnostics) {
  External out;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") {
      out.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      std::uint64_t number = 0;
      const std::string& text = entry.value();
      auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (failure != std::errc() || end != text.data() + text.size()) {
        diagnostics.error_at(place, fmt::format("external data: expected a number as {}, found '{}'", entry.key(), text));
        return std::nullopt;
      }
      entry.key() == "offset" ? out.offset = number : out.length.emplace(number);
    }
  }
  return out;
}

// The file inside `folder`, links followed; nothing if it would lie outside, or is no file (to open a pipe is to wait for a
// writer).
std::optional<std::filesystem::path> path_inside(const std::string& folder, const std::string& location) {
  namespace fs = std::filesystem;
  fs::path relative(location);
  if (location.empty() || relative.is_absolute() || location.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  std::error_code failure;
  fs::path root = fs::weakly_canonical(folder, failure);
  fs::path target = failure ? fs::path() : fs::weakly_canonical(root / relative, failure);
  if (failure) {
    return std::nullopt;
  }
  fs::path inside = target.lexically_relative(root);
  bool escapes = inside.empty() || *inside.begin() == ".." || *inside.begin() == ".";
  bool stream = fs::exists(target, failure) && !fs::is_regular_file(target, failure);
  return escapes || stream ? std::nullopt : std::optional(target);
}

std::optional<Tensor> of_external(const Shape& shape, const Proto& proto, const TensorSource& source, Diagnostics& diagnostics) {
  auto external = external_of(proto, source.place, diagnostics);
  if (!external || (external->length && !counts_agree(shape, *external->length, "bytes", source.place, diagnostics))) {
    return std::nullopt;
  }
  auto bytes = external_bytes(proto, shape.bytes, source, diagnostics);
  return bytes ? std::optional(of_bytes(shape, *bytes)) : std::nullopt;
}

// The row-major position of each stored element: either given flat, or as one index per axis.
std::optional<std::vector<std::int64_t>> sparse_positions(const Extents& extents, const Tensor& indices, std::int64_t stored) {
  bool flat = indices.rank() == 1;
  bool fits = !is_float(indices.dtype()) && (flat || indices.rank() == 2) && !extents.empty() &&
              indices.count() == stored * (flat ? 1 : static_cast<std::int64_t>(extents.size()));
  std::vector<std::int64_t> out;
  std::int64_t count = element_count(extents).value_or(0);
  for (std::int64_t i = 0; fits && i < stored; ++i) {
    std::int64_t at = flat ? indices.int_at(i) : 0;
    for (std::size_t axis = 0; !flat && axis < extents.size(); ++axis) {
      std::int64_t index = indices.int_at(i * static_cast<std::int64_t>(extents.size()) + static_cast<std::int64_t>(axis));
      fits = fits && index >= 0 && index < extents[axis];
      at = fits ? at * extents[axis] + index : 0;
    }
    fits = fits && at >= 0 && at < count;
    out.push_back(at);
  }
  return fits ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<DType> dtype_of_onnx(int data_type) {
  for (const auto& row : kTypes) {
    if (row.onnx == data_type) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::uint64_t onnx_byte_count(DType dtype, std::int64_t count) {
  auto elements = static_cast<std::uint64_t>(count);
  return bit_width(dtype) == 4 ? (elements + 1) / 2 : elements * byte_size(dtype);
}

int onnx_of_dtype(DType dtype) {
  for (const auto& row : kTypes) {
    if (row.dtype == dtype) {
      return row.onnx;
    }
  }
  return Proto::UNDEFINED;
}

std::string onnx_type_name(int data_type) {
  return Proto::DataType_IsValid(data_type) ? Proto::DataType_Name(static_cast<Proto::DataType>(data_type))
                                            : std::to_string(data_type);
}

std::optional<Tensor> tensor_of_proto(const Proto& proto, const TensorSource& source, Diagnostics& diagnostics) {
  auto shape = shape_of(proto, source.place, diagnostics);
  if (!shape) {
    return std::nullopt;
  }
  if (proto.has_segment()) {
    diagnostics.error_at(source.place, "tensors stored in segments are not supported");
    return std::nullopt;
  }
  if (proto.data_location() == Proto::EXTERNAL) {
    return of_external(*shape, proto, source, diagnostics);
  }
  if (!proto.has_raw_data()) {
    return of_typed_field(*shape, proto, source.place, diagnostics);
  }
  if (!counts_agree(*shape, proto.raw_data().size(), "bytes", source.place, diagnostics)) {
    return std::nullopt;
  }
  return of_bytes(*shape, proto.raw_data());
}

std::optional<Tensor> tensor_of_sparse(const onnx::SparseTensorProto& proto, const TensorSource& source,
                                       Diagnostics& diagnostics) {
  constexpr std::int64_t kMostDense = std::int64_t{1} << 26;
  auto values = tensor_of_proto(proto.values(), source, diagnostics);
  auto indices = tensor_of_proto(proto.indices(), source, diagnostics);
  if (!values || !indices) {
    return std::nullopt;
  }
  Extents extents(proto.dims().begin(), proto.dims().end());
  auto count = element_count(extents);
  auto positions = sparse_positions(extents, *indices, values->count());
  if (!count || *count > kMostDense || !positions) {
    diagnostics.error_at(source.place, fmt::format("a sparse tensor of extents [{}] is too large, or its {} indices "
                                                   "do not fit its extents and {} values",
                                                   fmt::join(extents, ", "), indices->count(), values->count()));
    return std::nullopt;
  }
  Tensor out(values->dtype(), extents);
  std::size_t width = byte_size(out.dtype());
  for (std::size_t i = 0; i < positions->size(); ++i) {
    std::memcpy(out.mutable_bytes().data() + static_cast<std::size_t>((*positions)[i]) * width,
                values->bytes().data() + i * width, width);
  }
  return out;
}

std::optional<std::string> external_bytes(const Proto& proto, std::optional<std::uint64_t> count, const TensorSource& source,
                                          Diagnostics& diagnostics) {
  auto external = external_of(proto, source.place, diagnostics);
  if (!external) {
    return std::nullopt;
  }
  auto path = source.folder.empty() ? std::nullopt : path_inside(source.folder, external->location);
  auto length = count ? count : external->length;
  if (!path || !length) {
    diagnostics.error_at(source.place,
                         path ? std::string("external data: the tensor does not say how many bytes it has")
                              : fmt::format("external data '{}' must be a file inside the model's folder", external->location));
    return std::nullopt;
  }
  if (source.files != nullptr) {
    source.files->insert(path->string());
  }
  return read_file_part(path->string(), external->offset, *length, diagnostics);
}

void fill_proto(const Tensor& tensor, const std::string& name, Proto& proto) {
  proto.set_data_type(onnx_of_dtype(tensor.dtype()));
  for (std::int64_t extent : tensor.extents()) {
    proto.add_dims(extent);
  }
  if (!name.empty()) {
    proto.set_name(name);
  }
  if (bit_width(tensor.dtype()) == 4) {
    return proto.set_raw_data(packed(tensor.bytes()));
  }
  proto.mutable_raw_data()->assign(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
}

}  // namespace vouch
