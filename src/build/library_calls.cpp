#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "build/library_c.h"
#include "support/fault.h"

namespace vouch {
namespace {

std::string prototype(const PlanKernel& kernel) {
  std::string parameters;
  for (std::size_t k = 0; k < kernel.kernel.inputs.size(); ++k) {
    parameters += "const float *, ";
  }
  return fmt::format("void {}({}float *);\n", kernel.name, parameters);
}

std::string call_line(const Library& library, const PlanCall& call) {
  std::vector<std::string> arguments;
  for (ValueId argument : call.arguments) {
    arguments.push_back(place_text(library, argument));
  }
  arguments.push_back(place_text(library, call.result));
  return fmt::format("  {}({}); /* {} */\n", library.plan.kernels[call.kernel].name, fmt::join(arguments, ", "), call_note(call));
}

// Whether a call reads or writes there.
bool uses(const Library& library, Buffer buffer, std::size_t number) {
  auto there = [&](ValueId value) {
    const Place& place = *library.memory.places[value];
    return place.buffer == buffer && place.number == number;
  };
  return std::any_of(library.plan.calls.begin(), library.plan.calls.end(), [&](const PlanCall& call) {
    return there(call.result) || std::any_of(call.arguments.begin(), call.arguments.end(), there);
  });
}

// A line for each parameter that no call uses.
std::string unused(const Library& library) {
  std::string text;
  auto line = [&](Buffer buffer, std::size_t number, const std::string& name) {
    text += uses(library, buffer, number) ? "" : fmt::format("  (void)({});\n", name);
  };
  for (std::size_t k = 0; k < library.inputs.size(); ++k) {
    line(Buffer::Input, k, library.inputs[k]);
  }
  line(Buffer::Weights, 0, "weights");
  line(Buffer::Arena, 0, "arena");
  return text;
}

}  // namespace

std::string call_note(const PlanCall& call) { return comment_text(call.op) + ": " + comment_text(call.node); }

std::string tensor_parameters(const Library& library) {
  std::vector<std::string> parameters;
  for (const std::string& input : library.inputs) {
    parameters.push_back("const float *" + input);
  }
  for (const std::string& output : library.outputs) {
    parameters.push_back("float *" + output);
  }
  return fmt::format("{}", fmt::join(parameters, ", "));
}

std::string place_text(const Library& library, ValueId value) {
  const auto& place = library.memory.places[value];
  ensure(place.has_value(), "what a call reads or writes has a place");
  switch (place->buffer) {
    case Buffer::Input: return fmt::format("{} + {}", library.inputs[place->number], place->offset);
    case Buffer::Output: return fmt::format("{} + {}", library.outputs[place->number], place->offset);
    case Buffer::Weights: return fmt::format("weights + {}", place->offset);
    case Buffer::Arena: return fmt::format("arena + {}", place->offset);
  }
  fault("no such buffer");
}

std::string library_calls(const Library& library) {
  std::string text = fmt::format("/* {}: the calls of its kernels, in order. Each kernel has a certificate of its own. */\n\n",
                                 library.plan.name);
  for (const PlanKernel& kernel : library.plan.kernels) {
    text += prototype(kernel);
  }
  std::string signature =
      fmt::format("void {}_plan({}, const float *weights, float *arena)", library.plan.name, tensor_parameters(library));
  text += fmt::format("{0};\n\n{0} {{\n", signature);
  std::string calls;
  for (const PlanCall& call : library.plan.calls) {
    calls += call_line(library, call);
  }
  return text + unused(library) + calls + "}\n";
}

std::string library_weights(const Library& library) {
  std::string text = fmt::format(
      "/* {0}: its weights, the bits of binary32 numbers. SHA-256 of them, little-endian: {1} */\n#include \"{0}.h\"\n\n"
      "const union {0}_cells {0}_weights = {{{{\n",
      library.plan.name, library.weights_hash);
  constexpr std::int64_t kInLine = 8;
  for (std::int64_t cell = 0; cell < library.memory.weight_cells; ++cell) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, library.weights.data() + cell * 4, 4);
    text += fmt::format("{}0x{:x}u,{}", cell % kInLine == 0 ? "  " : " ", bits, cell % kInLine == kInLine - 1 ? "\n" : "");
  }
  return text + "\n}};\n";
}

}  // namespace vouch
