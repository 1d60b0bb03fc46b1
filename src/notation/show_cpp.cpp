#include "notation/show_cpp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "notation/c_names.h"
#include "notation/show_tk.h"

namespace vouch {
namespace {

bool is_scalar(const TkKernel& kernel, Symbol tensor) { return kernel.tensor(tensor).extents() == Extents{1}; }

std::string parameter(const TkKernel& kernel, Symbol tensor, const std::string& name) {
  if (is_scalar(kernel, tensor)) {
    return fmt::format("{} &{}", kernel.dtype, name);
  }
  std::string extents;
  for (std::int64_t extent : kernel.tensor(tensor).extents()) {
    extents += fmt::format("[{}]", extent);
  }
  return fmt::format("{} (&{}){}", kernel.dtype, name, extents);
}

std::string pointer(const TkKernel& kernel, Symbol tensor, const std::string& name) {
  std::string first = "&" + name;
  for (std::size_t axis = 0; !is_scalar(kernel, tensor) && axis < kernel.tensor(tensor).extents().size(); ++axis) {
    first += "[0]";
  }
  return first;
}

// The order of the parameters, and names that C or C++ do not leave to them.
std::string parameters_comment(const TkKernel& kernel, const std::unordered_map<Symbol, std::string>& names) {
  std::unordered_map<Symbol, std::string> plain = plain_names(kernel);
  std::string renamed;
  auto list = [&](const std::vector<Symbol>& tensors) {
    std::vector<std::string> out;
    for (Symbol tensor : tensors) {
      out.push_back(names.at(tensor));
      renamed += plain.at(tensor) == out.back() ? "" : fmt::format(" {} is called {} here.", plain.at(tensor), out.back());
    }
    return out.empty() ? std::string("none") : fmt::format("{}", fmt::join(out, ", "));
  };
  std::string inputs = list(kernel.inputs);
  std::string outputs = list(kernel.outputs);
  return fmt::format("/* Inputs: {}; outputs: {}.{} */\n", inputs, outputs, renamed);
}

std::string body(const TkKernel& kernel, const std::vector<CCall>& calls, const std::unordered_map<Symbol, std::string>& names) {
  std::string out;
  for (Symbol input : kernel.inputs) {
    bool is_read = std::any_of(calls.begin(), calls.end(), [&](const CCall& call) {
      return std::find(call.arguments.begin(), call.arguments.end(), input) != call.arguments.end();
    });
    out += is_read ? "" : fmt::format("  (void){};\n", names.at(input));
  }
  for (const CCall& call : calls) {
    std::vector<std::string> arguments;
    for (Symbol tensor : call.arguments) {
      arguments.push_back(pointer(kernel, tensor, names.at(tensor)));
    }
    out += fmt::format("  ::{}({});\n", call.function, fmt::join(arguments, ", "));  // a parameter may be called as it is
  }
  return out;
}

}  // namespace

std::string cpp_signature(const TkKernel& kernel) {
  std::unordered_map<Symbol, std::string> names = c_names(kernel);
  std::vector<std::string> parameters;
  for (const auto* tensors : {&kernel.inputs, &kernel.outputs}) {
    for (Symbol tensor : *tensors) {
      parameters.push_back(parameter(kernel, tensor, names.at(tensor)));
    }
  }
  return fmt::format("void {}({})", c_function_name(kernel), fmt::join(parameters, ", "));
}

CppText print_cpp(const TkKernel& kernel, const std::vector<CCall>& calls, const std::string& header_name) {
  std::unordered_map<Symbol, std::string> names = c_names(kernel);
  const char* plain = "/* Calls certified C functions. No certificate covers this text. */\n";
  std::string signature = cpp_signature(kernel);
  CppText out;
  out.header = fmt::format("{}{}#pragma once\n{};\n", plain, parameters_comment(kernel, names), signature);
  out.source = fmt::format("{}#include \"{}\"\n\n", plain, header_name);
  for (const CCall& call : calls) {
    out.source += fmt::format("#include \"{}\"\n", call.header);
  }
  out.source += fmt::format("\n{} {{\n{}}}\n", signature, body(kernel, calls, names));
  return out;
}

}  // namespace vouch
