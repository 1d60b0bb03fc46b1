#include <fmt/format.h>

#include <cstring>

#include "build/library_c.h"
#include "imp/elements.h"

namespace vouch {
namespace {

template <class Bits>
Bits bits_at(const std::string& bytes, std::int64_t cell) {
  Bits bits = 0;
  std::memcpy(&bits, bytes.data() + static_cast<std::size_t>(cell) * sizeof(Bits), sizeof(Bits));
  return bits;
}

// A literal of C: the bits of a float, an integer's value. The smallest integers have none.
std::string literal(array::Element element, const std::string& bytes, std::int64_t cell) {
  switch (element) {
    case array::Element::F32: return fmt::format("0x{:x}u", bits_at<std::uint32_t>(bytes, cell));
    case array::Element::F64: return fmt::format("UINT64_C(0x{:x})", bits_at<std::uint64_t>(bytes, cell));
    case array::Element::B8: return bits_at<std::uint8_t>(bytes, cell) != 0 ? "1" : "0";
    case array::Element::I32: {
      auto value = bits_at<std::int32_t>(bytes, cell);
      return value == INT32_MIN ? "INT32_MIN" : fmt::format("{}", value);
    }
    case array::Element::F16:
    case array::Element::BF16: return fmt::format("0x{:x}", bits_at<std::uint16_t>(bytes, cell));
    case array::Element::I8: return fmt::format("{}", bits_at<std::int8_t>(bytes, cell));
    case array::Element::U8: return fmt::format("{}", bits_at<std::uint8_t>(bytes, cell));
    case array::Element::I16: return fmt::format("{}", bits_at<std::int16_t>(bytes, cell));
    case array::Element::U16: return fmt::format("{}", bits_at<std::uint16_t>(bytes, cell));
    case array::Element::U32: return fmt::format("{}u", bits_at<std::uint32_t>(bytes, cell));
    case array::Element::U64: return fmt::format("UINT64_C({})", bits_at<std::uint64_t>(bytes, cell));
    case array::Element::I64: break;
  }
  auto value = bits_at<std::int64_t>(bytes, cell);
  return value == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", value);
}

std::string literals(array::Element element, const std::string& bytes, std::int64_t cells) {
  constexpr std::int64_t kInLine = 8;
  std::string text;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    text += fmt::format("{}{},{}", cell % kInLine == 0 ? "  " : " ", literal(element, bytes, cell),
                        cell % kInLine == kInLine - 1 ? "\n" : "");
  }
  return text + "\n";
}

bool is_text(const Library& library, std::size_t type) {
  return library.memory.weights[type] > 0 && (type != 0 || library.options.embed);
}

}  // namespace

std::string weights_name(const Library& library, array::Element element) {
  return element == array::Element::F32 ? fmt::format("{}_weights", library.plan.name)
                                        : fmt::format("{}_weights_{}", library.plan.name, array::word_of(element));
}

std::string weights_declarations(const Library& library) {
  std::string text;
  for (std::size_t type = 0; type < library.weights.size(); ++type) {
    auto element = static_cast<array::Element>(type);
    if (!is_text(library, type)) {
      continue;
    }
    std::string name = weights_name(library, element);
    text += array::is_float(element)
                ? fmt::format(
                      "union {0}_cells {{\n  uint{3}_t bits[{2}];\n  {1} numbers[{2}];\n}};\nextern const union {0}_cells {0};\n",
                      name, array::c_held(element), library.memory.weights[type], array::bytes_of(element) * 8)
                : fmt::format("extern const {} {}[{}];\n", array::c_held(element), name, library.memory.weights[type]);
  }
  return text.empty() ? "" : "/* Weights that are part of the library. */\n" + text + "\n";
}

std::string weights_argument(const Library& library, array::Element element) {
  return weights_name(library, element) + (array::is_float(element) ? ".numbers" : "");
}

std::string library_weights(const Library& library) {
  std::string text = fmt::format(
      "/* {0}: its weights; floats as their bits. SHA-256 of those of type float, little-endian: {1} */\n"
      "#include \"{0}.h\"\n",
      library.plan.name, library.weights_hash);
  for (std::size_t type = 0; type < library.weights.size(); ++type) {
    auto element = static_cast<array::Element>(type);
    if (!is_text(library, type)) {
      continue;
    }
    std::string name = weights_name(library, element);
    std::string cells = literals(element, library.weights[type], library.memory.weights[type]);
    text += array::is_float(element) ? fmt::format("\nconst union {0}_cells {0} = {{{{\n{1}}}}};\n", name, cells)
                                     : fmt::format("\nconst {} {}[{}] = {{\n{}}};\n", array::c_held(element), name,
                                                   library.memory.weights[type], cells);
  }
  return text;
}

}  // namespace vouch
