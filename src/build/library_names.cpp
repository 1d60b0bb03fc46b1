#include "build/library_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "certify/index_names.h"
#include "support/fault.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::vector<std::string> parameters(const std::vector<PlanTensor>& tensors, std::vector<std::string>& taken) {
  std::vector<std::string> out;
  for (const PlanTensor& tensor : tensors) {
    out.push_back(usable_c_name(c_identifier(tensor.name), taken, CNameUse::Parameter));
    taken.push_back(out.back());
  }
  return out;
}

std::string weight_bytes(const Library& library) {
  std::string bytes(static_cast<std::size_t>(library.memory.weight_cells) * 4, '\0');
  for (ValueId value = 0; value < library.plan.values.size(); ++value) {
    const auto& place = library.memory.places[value];
    if (place && place->buffer == Buffer::Weights) {
      auto from = library.plan.values[value].weights->bytes();
      std::memcpy(bytes.data() + place->offset * 4, from.data(), from.size());
    }
  }
  return bytes;
}

}  // namespace

std::string c_identifier(const std::string& text) {
  std::string name;
  for (unsigned char c : text) {
    name += std::isalnum(c) != 0 && c < 0x80 ? static_cast<char>(c) : '_';
  }
  name.erase(0, std::min(name.find_first_not_of('_'), name.size()));
  name = name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "m" + name : name;
  constexpr std::size_t kMostLetters = 48;
  return name.substr(0, kMostLetters);
}

Library name_library(CallPlan plan, const LibraryOptions& options) {
  Library out;
  out.memory = plan_memory(plan);
  out.plan = std::move(plan);
  out.options = options;
  std::vector<std::string> taken{"weights", "arena", "arena_floats", "model",   "p",          "n",
                                 "code",    "cells", "tested",       "overlap", out.plan.name};
  out.inputs = parameters(out.plan.inputs, taken);
  out.outputs = parameters(out.plan.outputs, taken);
  out.weights = weight_bytes(out);
  out.weights_hash = content_hash(out.weights);
  return out;
}

std::string shape_text(const Extents& extents) { return fmt::format("float[{}]", fmt::join(extents, ", ")); }

std::string comment_text(const std::string& text) {
  std::string out;
  for (unsigned char c : text) {
    bool plain = std::isalnum(c) != 0 || std::strchr(" .,:;-_+()[]<>=#@|~^&'", c) != nullptr;
    out += plain && c < 0x80 && c != 0 ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = text.find('@', at);
    out += text.substr(at, begin - at);
    if (begin == std::string_view::npos) {
      break;
    }
    std::size_t end = text.find('@', begin + 1);
    auto value = values.find(std::string(text.substr(begin + 1, end - begin - 1)));
    ensure(end != std::string_view::npos && value != values.end(), "every place in a text has a value");
    out += value->second;
    at = end + 1;
  }
  return out;
}

}  // namespace vouch
