#include "driver/index_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <memory>

#include "array/parse.h"
#include "certify/affine_tk.h"
#include "driver/index_proof.h"
#include "driver/model.h"
#include "driver/option_values.h"
#include "driver/processor.h"
#include "io/file.h"
#include "io/kernel_json.h"

namespace vouch {

std::optional<SizeValues> parse_sizes(const std::vector<std::string>& texts, Diagnostics& diagnostics) {
  SizeValues values;
  for (const std::string& text : texts) {
    std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    bool good = equals != std::string::npos && equals > 0;
    auto [at, problem] = std::from_chars(good ? text.data() + equals + 1 : end, end, value);
    if (!good || problem != std::errc() || at != end) {
      diagnostics.error_at("--size", fmt::format("expected NAME=VALUE, found '{}'", text));
      return std::nullopt;
    }
    values[text.substr(0, equals)] = value;
  }
  return values;
}

std::optional<array::Program> read_program(const SourceRef& source, const std::vector<std::string>& sizes,
                                           Diagnostics& diagnostics) {
  auto values = parse_sizes(sizes, diagnostics);
  return values ? array::parse_program(source, diagnostics, {values->begin(), values->end()}) : std::nullopt;
}

std::optional<FunctionalKernel> read_functional_kernel(const SourceRef& source, const std::vector<std::string>& sizes,
                                                       Diagnostics& diagnostics) {
  auto program = read_program(source, sizes, diagnostics);
  auto kernel = program ? affine_tk(*program, source->name(), diagnostics) : std::nullopt;
  if (kernel) {
    prove_reads(*kernel, diagnostics);
  }
  return kernel && !diagnostics.has_errors() ? std::optional(FunctionalKernel{std::move(*program), std::move(*kernel)})
                                             : std::nullopt;
}

std::optional<TkKernel> read_index_kernel(const SourceRef& source, const std::vector<std::string>& sizes,
                                          Diagnostics& diagnostics) {
  if (source->name().ends_with(".fun")) {
    auto functional = read_functional_kernel(source, sizes, diagnostics);
    return functional ? std::optional(std::move(functional->kernel)) : std::nullopt;
  }
  auto values = parse_sizes(sizes, diagnostics);
  auto kernel = values ? read_kernel(source, *values, diagnostics) : std::nullopt;
  if (kernel && prove_sizes(*kernel, diagnostics)) {
    prove_reads(*kernel, diagnostics);
  }
  return diagnostics.has_errors() ? std::nullopt : kernel;
}

std::optional<std::string> read_kernel_file(const std::string& path, Diagnostics& diagnostics) {
  bool other = path.ends_with(".gsl") || path.ends_with(".onnx");
  if (other) {
    diagnostics.error_at(path, "expected a kernel (.tk, .fun)", takers_of(path));
  }
  return other ? std::nullopt : read_file(path, diagnostics, kMostKernelBytes);
}

std::optional<TkKernel> load_kernel(const std::string& path, const std::vector<std::string>& sizes, Diagnostics& diagnostics) {
  auto text = read_kernel_file(path, diagnostics);
  return text ? read_index_kernel(std::make_shared<Source>(path, *text), sizes, diagnostics) : std::nullopt;
}

void add_index_commands(CLI::App& app, ExitCode& code) {
  auto show = std::make_shared<ShowCommand>();
  CLI::App* show_app = app.add_subcommand("show", "Show the indices of a kernel in index notation");
  show_app->add_option("kernel", show->kernel, "the kernel (.json, .tk or .fun)")->required();
  show_app->add_option("--size", show->sizes, "NAME=VALUE, for a size that has a name");
  show_app->add_option("--json", show->json, "the indices and messages, for machines: to this file, or - for standard output");
  show_app->callback([show, &code] { code = show_kernel(*show); });

  auto grad = std::make_shared<GradCommand>();
  CLI::App* grad_app = app.add_subcommand("grad", "Differentiate a kernel in index notation");
  auto* kernel = grad_app->add_option(
      "kernel", grad->kernel, "the kernel in index notation (.tk or .json), or a functional program that is one too (.fun)");
  auto* op = grad_app->add_option("--op", grad->call.op, "an operator instead of a kernel")->excludes(kernel);
  grad_app->add_option("--operand", grad->call.operands, "its operands' sizes in order, such as --operand 1,3,8,8")->needs(op);
  grad_app->add_option("--attr", grad->call.attributes, "NAME=VALUE, its attributes, such as --attr strides=2,2")->needs(op);
  grad_app->add_option("-o,--output", grad->out, "the folder for NAME.tk, NAME.json, NAME.c, NAME.h")
      ->required()
      ->check(refusal_as_folder, "");
  grad_app->add_option("--size", grad->sizes, "NAME=VALUE, for a size that has a name");
  grad_app->add_option("--to", grad->targets, "differentiate by these inputs instead of the kernel's own targets")
      ->delimiter(',');
  grad_app->add_flag("--forward", grad->forward, "forward mode: tangents of the outputs");
  grad_app
      ->add_option("--ties", grad->ties,
                   "where both arguments of max or min are equal, differentiate to the first, the second or half of each; so "
                   "max(x, 0) has at 0 the derivative 1, 0 or 1/2 (first)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Ties>{{"first", Ties::First}, {"second", Ties::Second}, {"half", Ties::Half}}))
      ->type_name("first|second|half");
  add_target(*grad_app, grad->target, "tiles for the registers of that processor; the same bits by all")->capture_default_str();
  grad_app->add_flag("--cpp", grad->cpp, "also NAME.cpp and NAME.hpp, with references to arrays");
  grad_app->add_flag("--check", grad->check, "prove the change of indices, compare with exact differences on every element");
  grad_app->callback([grad, &code] { code = differentiate_kernel(*grad); });
}

}  // namespace vouch
