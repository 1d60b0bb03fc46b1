#include "build/library_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "certify/index_names.h"
#include "imp/elements.h"
#include "support/fault.h"
#include "support/hash.h"

namespace vouch {
namespace {

void place_weights(Library& library) {
  auto width = [](std::size_t type) { return std::size_t{array::bytes_of(static_cast<array::Element>(type))}; };
  for (std::size_t type = 0; type < library.weights.size(); ++type) {
    library.weights[type].assign(static_cast<std::size_t>(library.memory.weights[type]) * width(type), '\0');
  }
  for (ValueId value = 0; value < library.plan.values.size(); ++value) {
    const auto& place = library.memory.places[value];
    if (place && place->buffer == Buffer::Weights) {
      auto from = library.plan.values[value].weights->bytes();
      std::memcpy(library.weights[place->number].data() + static_cast<std::size_t>(place->offset) * width(place->number),
                  from.data(), from.size());
    }
  }
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

std::size_t reordered_kernels(const Library& library) {
  const std::vector<PlanKernel>& kernels = library.plan.kernels;
  return static_cast<std::size_t>(
      std::count_if(kernels.begin(), kernels.end(), [](const PlanKernel& kernel) { return is_reordered(kernel.tiling); }));
}

std::vector<std::string> own_names(const std::string& library) {
  // `I` is a macro of <complex.h>, which may be read before the header.
  std::vector<std::string> out{"weights", "arena",   "arena_floats", "model", "p",    "bytes",    "wide",  "code", "cells",
                               "tested",  "overlap", "more",         "at",    "plan", "plan_for", library, "I"};
  for (int type = 1; type < array::kElementCount; ++type) {
    std::string_view word = array::word_of(static_cast<array::Element>(type));
    out.push_back(fmt::format("weights_{}", word));
    out.push_back(fmt::format("arena_{}", word));
  }
  return out;
}

std::string parameter_name(const std::string& name, const std::string& library, std::vector<std::string>& taken) {
  std::string wish = c_identifier(name);
  bool is_its_own = upper_case(wish).starts_with(upper_case(library) + "_");
  taken.push_back(usable_c_name(is_its_own ? "of_" + wish : wish, taken, CNameUse::Parameter));
  return taken.back();
}

void name_tensors(Library& plan, const std::string& library, const std::vector<LibrarySize>& sizes) {
  std::vector<std::string> taken = own_names(library);
  for (const LibrarySize& size : sizes) {
    taken.push_back(size.parameter);
  }
  for (const PlanTensor& input : plan.plan.inputs) {
    plan.inputs.push_back(parameter_name(input.name, library, taken));
  }
  for (const PlanTensor& output : plan.plan.outputs) {
    plan.outputs.push_back(parameter_name(output.name, library, taken));
  }
}

Library name_library(CallPlan plan, const LibraryOptions& options) {
  Library out;
  out.memory = plan_memory(plan);
  out.plan = std::move(plan);
  out.options = options;
  name_tensors(out, out.plan.name, {});
  place_weights(out);
  out.weights_hash = content_hash(out.weights[0]);
  return out;
}

std::string shape_text(array::Element element, const Extents& extents) {
  return fmt::format("{}[{}]", array::c_held(element), fmt::join(extents, ", "));
}

array::Element element_of(const Library& library, const PlanTensor& tensor) { return library.plan.values[tensor.value].element; }

std::string count_name(const Library& library, std::string_view what, std::size_t number, const PlanTensor& tensor) {
  return fmt::format("{}_{}_{}_{}", upper_case(library.plan.name), what, number,
                     element_of(library, tensor) == array::Element::F32 ? "FLOATS" : "CELLS");
}

std::vector<LibraryBuffer> buffers_of(const Library& library) {
  std::vector<LibraryBuffer> out;
  auto add_tensors = [&](Buffer kind, const std::vector<PlanTensor>& tensors, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      out.push_back({kind, k, names[k], element_of(library, tensors[k]), library.plan.values[tensors[k].value].cells});
    }
  };
  auto add_types = [&](Buffer kind, const CellCounts& counts, const std::string& name) {
    for (std::size_t type = 0; type < counts.size(); ++type) {
      auto element = static_cast<array::Element>(type);
      if (type == 0 || counts[type] > 0) {
        out.push_back(
            {kind, type, type == 0 ? name : fmt::format("{}_{}", name, array::word_of(element)), element, counts[type]});
      }
    }
  };
  add_tensors(Buffer::Input, library.plan.inputs, library.inputs);
  add_tensors(Buffer::Output, library.plan.outputs, library.outputs);
  add_types(Buffer::Weights, library.memory.weights, "weights");
  add_types(Buffer::Arena, library.memory.arena, "arena");
  return out;
}

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
