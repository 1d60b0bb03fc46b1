#include "driver/option_values.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "driver/help_text.h"

namespace vouch {
namespace {

// Options that name a file for what a command found.
constexpr std::array<std::string_view, 6> kReports = {"--json", "--sarif", "--junit", "--badge", "--report", "--trace"};
// Endings of what people write themselves.
constexpr std::array<std::string_view, 5> kSources = {".gsl", ".fun", ".tk", ".sched", ".onnx"};

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string ending_of(const std::string& value) { return std::filesystem::path(value).extension().string(); }

std::string refusal_of_option(const std::string& value) {
  return value.starts_with("--")
             ? fmt::format("'{}' is an option, and a value is expected here (a file of this name: ./{})", value, value)
             : "";
}

std::string refusal_as_report(const std::string& value) {
  return has(kSources, ending_of(value))
             ? fmt::format(
                   "'{}' is the name of a source, and would be written over: the file for the result is expected here, "
                   "or - for standard output",
                   value)
             : "";
}

}  // namespace

std::string refusal_as_folder(const std::string& value) {
  static constexpr std::array<std::string_view, 9> kOfFiles = {".c", ".h", ".v", ".o", ".a", ".so", ".onnx", ".fun", ".tk"};
  std::error_code ignored;
  return has(kOfFiles, ending_of(value)) && !std::filesystem::is_directory(value, ignored)
             ? fmt::format("'{}' is the name of a file, and a folder is expected here", value)
             : "";
}

void refuse_unlikely_values(CLI::App& app) {
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : sub->get_options([](CLI::Option* of) { return !of->get_positional() && takes_value(*of); })) {
      option->check(refusal_of_option, "");
      if (has(kReports, option->get_name())) {
        option->check(refusal_as_report, "");
      }
    }
  }
}

}  // namespace vouch
