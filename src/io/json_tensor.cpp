#include "io/json_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace vouch {
namespace {

std::optional<std::string> text_of(const JsonValue& object, Diagnostics& diagnostics) {
  auto member = object.member("type", diagnostics);
  return member ? member->string(diagnostics) : std::nullopt;
}

class TensorReader {
 public:
  TensorReader(Diagnostics& diagnostics, const std::string& weights) : diagnostics_(diagnostics), weights_(weights) {}

  std::optional<Tensor> tensor(const JsonValue& object, std::vector<std::string> also_known) {
    auto type = json_dtype(object, diagnostics_);
    auto member = object.member("dims", diagnostics_);
    auto dims = member ? member->array(diagnostics_) : std::nullopt;
    if (!type || !dims) {
      return std::nullopt;
    }
    for (const char* known : {"type", "dims", "data", "hex", "bytes"}) {
      also_known.emplace_back(known);
    }
    object.refuse_unknown_members(also_known, diagnostics_);
    Extents extents;
    for (const JsonValue& dim : *dims) {
      auto extent = dim.integer(diagnostics_);
      if (!extent) {
        return std::nullopt;
      }
      extents.push_back(*extent);
    }
    if (!element_count(extents)) {
      object.find("dims")->error(diagnostics_, "these sizes have no element count within 64 bits");
      return std::nullopt;
    }
    return filled(object, *type, std::move(extents));
  }

 private:
  std::optional<Tensor> filled(const JsonValue& object, DType type, Extents extents) {
    if (auto data = object.find("data")) {
      return from_data(*data, type, std::move(extents));
    }
    if (auto hex = object.find("hex")) {
      return from_hex(*hex, type, std::move(extents));
    }
    if (auto range = object.find("bytes")) {
      return from_weights(*range, type, std::move(extents));
    }
    object.error(diagnostics_, "expected a member 'data', 'hex' or 'bytes'");
    return std::nullopt;
  }

  bool count_fits(const JsonValue& value, std::int64_t expected, std::size_t found, std::string_view what) {
    if (static_cast<std::size_t>(expected) != found) {
      value.error(diagnostics_, fmt::format("expected {} {}, found {}", expected, what, found));
      return false;
    }
    return true;
  }

  std::optional<Tensor> from_data(const JsonValue& data, DType type, Extents extents) {
    auto items = data.array(diagnostics_);
    if (!items || !count_fits(data, *element_count(extents), items->size(), "elements")) {
      return std::nullopt;
    }
    Tensor out(type, std::move(extents));
    for (std::int64_t i = 0; i < out.count(); ++i) {
      if (!set_element(out, i, (*items)[static_cast<std::size_t>(i)])) {
        return std::nullopt;
      }
    }
    return out;
  }

  bool set_element(Tensor& out, std::int64_t i, const JsonValue& item) {
    if (is_float(out.dtype())) {
      auto number = json_real(item, diagnostics_);
      if (number) {
        out.set_double(i, *number);
      }
      return number.has_value();
    }
    std::optional<std::int64_t> number;
    std::uint64_t large = 0;
    auto [end, failure] = std::from_chars(item.text().data(), item.text().data() + item.text().size(), large);
    if (out.dtype() == DType::UInt64 && failure == std::errc() && end == item.text().data() + item.text().size()) {
      number = static_cast<std::int64_t>(large);
    } else {
      number = item.integer(diagnostics_);
    }
    if (!number) {
      return false;
    }
    out.set_int(i, *number);
    bool negative = out.dtype() == DType::UInt64 && *number < 0 && item.text().starts_with('-');
    if (out.int_at(i) != *number || negative) {
      item.error(diagnostics_, fmt::format("{} does not fit {}", *number, dtype_name(out.dtype())));
      return false;
    }
    return true;
  }

  std::optional<Tensor> from_bytes(const JsonValue& value, std::string_view bytes, DType type, Extents extents) {
    auto size = *element_count(extents) * static_cast<std::int64_t>(byte_size(type));
    if (!count_fits(value, size, bytes.size(), "bytes")) {
      return std::nullopt;
    }
    std::vector<std::byte> held(bytes.size());
    std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), held.begin());
    return Tensor(type, std::move(extents), std::move(held));
  }

  std::optional<Tensor> from_hex(const JsonValue& value, DType type, Extents extents) {
    auto digits = value.string(diagnostics_);
    if (!digits) {
      return std::nullopt;
    }
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits->size(); i += 2) {
      unsigned byte = 0;
      auto [end, failure] = std::from_chars(digits->data() + i, digits->data() + i + 2, byte, 16);
      if (failure != std::errc() || end != digits->data() + i + 2) {
        value.error(diagnostics_, "expected pairs of hexadecimal digits");
        return std::nullopt;
      }
      bytes += static_cast<char>(byte);
    }
    if (digits->size() % 2 != 0) {
      value.error(diagnostics_, "expected pairs of hexadecimal digits");
      return std::nullopt;
    }
    return from_bytes(value, bytes, type, std::move(extents));
  }

  std::optional<Tensor> from_weights(const JsonValue& value, DType type, Extents extents) {
    auto range = value.array(diagnostics_);
    if (!range || !count_fits(value, 2, range->size(), "numbers")) {
      return std::nullopt;
    }
    auto begin = (*range)[0].integer(diagnostics_);
    auto end = (*range)[1].integer(diagnostics_);
    if (!begin || !end) {
      return std::nullopt;
    }
    if (*begin < 0 || *end < *begin || static_cast<std::uint64_t>(*end) > weights_.size()) {
      value.error(diagnostics_,
                  fmt::format("bytes {} to {} are not in the file of weights, which has {}", *begin, *end, weights_.size()));
      return std::nullopt;
    }
    std::string_view bytes(weights_);
    return from_bytes(value, bytes.substr(static_cast<std::size_t>(*begin), static_cast<std::size_t>(*end - *begin)), type,
                      std::move(extents));
  }

  Diagnostics& diagnostics_;
  const std::string& weights_;
};

}  // namespace

std::optional<double> json_real(const JsonValue& value, Diagnostics& diagnostics) {
  if (!value.expect(JsonKind::Number, diagnostics)) {
    return std::nullopt;
  }
  double number = 0;
  auto [end, failure] = std::from_chars(value.text().data(), value.text().data() + value.text().size(), number);
  if (failure != std::errc() || end != value.text().data() + value.text().size()) {
    value.error(diagnostics, fmt::format("{} is beyond the range of doubles", value.text()));
    return std::nullopt;
  }
  return number;
}

std::optional<DType> json_dtype(const JsonValue& object, Diagnostics& diagnostics) {
  auto name = text_of(object, diagnostics);
  auto found = name ? parse_dtype(*name) : std::nullopt;
  if (name && !found) {
    object.find("type")->error(diagnostics, fmt::format("unknown element type '{}'", *name));
  }
  return found;
}

std::optional<Tensor> json_tensor(const JsonValue& object, std::vector<std::string> other_members, const std::string& weights,
                                  Diagnostics& diagnostics) {
  return TensorReader(diagnostics, weights).tensor(object, std::move(other_members));
}

}  // namespace vouch
