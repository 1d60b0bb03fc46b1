#include "driver/import_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/file.h"
#include "io/taso_rules.h"
#include "rule/parse.h"
#include "support/how_many.h"

namespace vouch {
namespace {

struct Variant {
  const char* file;
  TasoOptions options;
};

// Both questions that can be asked of a rule, and both readings of ewadd and ewmul.
constexpr Variant kVariants[] = {
    {"taso.gsl", {TasoQuestion::Equal, false}},
    {"taso-legal.gsl", {TasoQuestion::Legal, false}},
    {"taso-broadcast.gsl", {TasoQuestion::Equal, true}},
};

}  // namespace

ExitCode import_rules(const ImportCommand& command) {
  Diagnostics diagnostics;
  auto text = read_file(command.file, diagnostics);
  auto source = text ? std::make_shared<Source>(command.file, std::move(*text)) : nullptr;
  std::error_code error;
  std::filesystem::create_directories(command.out, error);
  for (const Variant& variant : kVariants) {
    auto rules = source ? taso_rules_text(source, variant.options, diagnostics) : std::nullopt;
    std::string path = (std::filesystem::path(command.out) / variant.file).string();
    auto parsed = rules ? parse_rules(std::make_shared<Source>(path, *rules), diagnostics) : std::nullopt;
    if (!parsed || !write_file(path, *rules, diagnostics)) {
      fmt::print(stderr, "{}", diagnostics.text());
      return ExitCode::BadInput;
    }
    fmt::print("{}: {}\n", path, how_many(parsed->size(), "rule"));
  }
  return ExitCode::Ok;
}

}  // namespace vouch
