#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "build/library_c.h"
#include "imp/elements.h"
#include "support/fault.h"

namespace vouch {
namespace {

std::string prototype(const PlanKernel& kernel) {
  std::string parameters;
  for (const array::Parameter& input : kernel.kernel.inputs) {
    parameters += fmt::format("const {} *, ", array::c_held(input.element));
  }
  return fmt::format("void {}({}{} *);\n", kernel.name, parameters, array::c_held(kernel.kernel.output_element));
}

std::string call_line(const Library& library, const PlanCall& call) {
  std::vector<std::string> arguments;
  for (ValueId argument : call.arguments) {
    arguments.push_back(place_text(library, argument));
  }
  arguments.push_back(place_text(library, call.result));
  return fmt::format("  {}({}); /* {} */\n", library.plan.kernels[call.kernel].name, fmt::join(arguments, ", "), call_note(call));
}

bool other_types(const Library& library) {
  std::vector<LibraryBuffer> buffers = buffers_of(library);
  return std::any_of(buffers.begin(), buffers.end(), [](const LibraryBuffer& b) { return b.element != array::Element::F32; });
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
  for (const LibraryBuffer& buffer : buffers_of(library)) {
    text += uses(library, buffer.kind, buffer.number) ? "" : fmt::format("  (void)({});\n", buffer.name);
  }
  return text;
}

}  // namespace

std::string call_note(const PlanCall& call) {
  std::vector<std::string> nodes;
  for (const PlanNode& node : call.nodes) {
    nodes.push_back(comment_text(node.op) + ": " + comment_text(node.name));
  }
  return fmt::format("{}", fmt::join(nodes, "; "));
}

std::string run_parameters(const Library& library) {
  std::vector<std::string> parameters;
  for (const LibrarySize& size : library.sizes) {
    parameters.push_back("size_t " + size.parameter);
  }
  for (const LibraryBuffer& buffer : buffers_of(library)) {
    if (buffer.kind == Buffer::Input || buffer.kind == Buffer::Output) {
      parameters.push_back(parameter_text(buffer));
    }
  }
  return fmt::format("{}", fmt::join(parameters, ", "));
}

std::string run_arguments(const Library& library) {
  std::vector<std::string> arguments;
  for (const LibrarySize& size : library.sizes) {
    arguments.push_back(size.parameter);
  }
  arguments.insert(arguments.end(), library.inputs.begin(), library.inputs.end());
  arguments.insert(arguments.end(), library.outputs.begin(), library.outputs.end());
  return fmt::format("{}", fmt::join(arguments, ", "));
}

std::string parameter_text(const LibraryBuffer& buffer) {
  return fmt::format("{}{} *{}", buffer.written() ? "" : "const ", array::c_held(buffer.element), buffer.name);
}

std::string plan_prototype(const Library& library) {
  std::vector<std::string> parameters;
  for (const LibraryBuffer& buffer : buffers_of(library)) {
    parameters.push_back(parameter_text(buffer));
  }
  return fmt::format("void {}_plan({})", library.plan.name, fmt::join(parameters, ", "));
}

std::string place_text(const Library& library, ValueId value) {
  const auto& place = library.memory.places[value];
  ensure(place.has_value(), "what a call reads or writes has a place");
  for (const LibraryBuffer& buffer : buffers_of(library)) {
    if (buffer.kind == place->buffer && buffer.number == place->number) {
      return fmt::format("{} + {}", buffer.name, place->offset);
    }
  }
  fault("no such buffer");
}

std::string library_calls(const Library& library) {
  std::string text = fmt::format("/* {}: the calls of its kernels, in order. Each kernel has a certificate of its own. */\n\n",
                                 library.plan.name);
  text += other_types(library) ? "#include <stdbool.h>\n#include <stdint.h>\n\n" : "";
  for (const PlanKernel& kernel : library.plan.kernels) {
    text += prototype(kernel);
  }
  std::string signature = plan_prototype(library);
  text += fmt::format("{0};\n\n{0} {{\n", signature);
  std::string calls;
  for (const PlanCall& call : library.plan.calls) {
    calls += call_line(library, call);
  }
  return text + unused(library) + calls + "}\n";
}

}  // namespace vouch
