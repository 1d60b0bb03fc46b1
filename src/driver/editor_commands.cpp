#include "driver/editor_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "driver/format_text.h"
#include "driver/language_server.h"

namespace vouch {

void add_editor_commands(CLI::App& app, ExitCode& code) {
  auto format = std::make_shared<FormatCommand>();
  CLI::App* fmt_app = app.add_subcommand("fmt", "Format rules and kernels: indentation and blanks");
  fmt_app->add_option("files", format->files, "files (.gsl, .tk, .fun); - for standard input and output")->required();
  fmt_app->add_flag("--check", format->check, "write nothing; exit code 1 if a file is not formatted");
  fmt_app->callback([format, &code] { code = format_files(*format); });
  CLI::App* lsp = app.add_subcommand("lsp", "Serve editors: the Language Server Protocol on standard input and output");
  lsp->callback([&code] { code = serve_language(std::cin, std::cout); });
}

}  // namespace vouch
