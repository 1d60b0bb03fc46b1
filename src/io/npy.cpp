#include "io/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace vouch {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Extents shape;
};

// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
class NpyHeaderReader {
 public:
  explicit NpyHeaderReader(std::string_view text) : text_(text) {}

  std::optional<NpyHeader> read() {
    NpyHeader out;
    int found = 0;
    if (!accept("{")) {
      return std::nullopt;
    }
    while (!accept("}")) {
      auto key = quoted();
      bool good = key && accept(":") && value(*key, out);
      if (!good || (!accept(",") && !at("}"))) {
        return std::nullopt;
      }
      ++found;
    }
    return found == 3 ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  bool value(const std::string& key, NpyHeader& out) {
    if (key == "fortran_order") {
      out.fortran_order = accept("True");
      return out.fortran_order || accept("False");
    }
    auto text = key == "descr" ? quoted() : std::nullopt;
    out.descr = text.value_or(out.descr);
    return key == "shape" ? tuple(out.shape) : text.has_value();
  }

  bool tuple(Extents& out) {
    if (!accept("(")) {
      return false;
    }
    while (!accept(")")) {
      constexpr std::size_t kMostDigits = 18;
      std::size_t begin = at_;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      }
      if (at_ == begin || at_ - begin > kMostDigits) {
        return false;
      }
      out.push_back(std::stoll(std::string(text_.substr(begin, at_ - begin))));
      if (!accept(",") && !at(")")) {
        return false;
      }
      skip();
    }
    return true;
  }

  std::optional<std::string> quoted() {
    if (!accept("'")) {
      return std::nullopt;
    }
    std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string out(text_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }

  void skip() { at_ = std::min(text_.find_first_not_of(" \n", at_), text_.size()); }

  bool at(std::string_view word) {
    skip();
    return text_.substr(at_, word.size()) == word;
  }

  bool accept(std::string_view word) {
    bool there = at(word);
    at_ += there ? word.size() : 0;
    return there;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<DType> dtype_of(std::string_view descr) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f2", DType::Float16}, {"f4", DType::Float32}, {"f8", DType::Float64}, {"i1", DType::Int8},
      {"i2", DType::Int16},   {"i4", DType::Int32},   {"i8", DType::Int64},   {"u1", DType::UInt8},
      {"u2", DType::UInt16},  {"u4", DType::UInt32},  {"u8", DType::UInt64},  {"b1", DType::Bool},
  };
  bool ordered = descr.size() == 3 && (descr[0] == '<' || (descr[0] == '|' && descr[2] == '1'));
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return ordered && descr.substr(1) == t.first; });
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->second);
}

// Where the header's text lies: version 1 has two bytes for its length, later ones four.
std::optional<std::string_view> header_text(std::string_view bytes) {
  std::size_t begin = kMagic.size() + 2;
  if (bytes.size() < begin + 4 || !bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  std::size_t digits = bytes[kMagic.size()] == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t k = digits; k-- > 0;) {
    length = length * 256 + static_cast<unsigned char>(bytes[begin + k]);
  }
  begin += digits;
  return length <= bytes.size() - begin ? std::optional(bytes.substr(begin, length)) : std::nullopt;
}

}  // namespace

std::optional<Tensor> tensor_of_npy(std::string_view bytes, const std::string& path, Diagnostics& diagnostics) {
  auto refuse = [&](std::string message, std::string hint) {
    diagnostics.error_at(path, std::move(message), std::move(hint));
    return std::nullopt;
  };
  auto text = header_text(bytes);
  auto header = text ? NpyHeaderReader(*text).read() : std::nullopt;
  if (!header) {
    return refuse("this is no array as NumPy saves it", "numpy.save(FILE, array) writes one array to a file");
  }
  auto dtype = dtype_of(header->descr);
  if (!dtype) {
    return refuse(fmt::format("there is no element type for NumPy's '{}'", header->descr), "convert it: array.astype('<f4')");
  }
  if (header->fortran_order && header->shape.size() > 1) {
    return refuse("expected elements in C order, found Fortran's", "save numpy.ascontiguousarray(array)");
  }
  auto count = element_count(header->shape);
  std::size_t begin = static_cast<std::size_t>(text->data() - bytes.data()) + text->size();
  std::size_t there = bytes.size() - begin;
  if (!count || static_cast<std::uint64_t>(*count) != there / byte_size(*dtype) || there % byte_size(*dtype) != 0) {
    return refuse(
        fmt::format("{}[{}] does not fit {} bytes of elements", dtype_name(*dtype), fmt::join(header->shape, ", "), there),
        "the file is cut, or has several arrays");
  }
  std::vector<std::byte> elements(there);
  if (there != 0) {
    std::memcpy(elements.data(), bytes.data() + begin, there);
  }
  return Tensor(*dtype, header->shape, std::move(elements));
}

}  // namespace vouch
