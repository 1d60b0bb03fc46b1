// What `--help` prints of the options, and how an option and its value are called, here as in the manual page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Error;
class Option;
}  // namespace CLI

namespace vouch {

// `-o`, `--output`; a flag that takes something back is `--no-fold`.
std::vector<std::string> option_names(const CLI::Option& option);
bool takes_value(const CLI::Option& option);
// `N`, `VALUE`, `bash|zsh|fish`; empty for a flag.
std::string value_word(const CLI::Option& option);

// Subcommands by what one has (rules, models, kernels), values by one word, exit codes below; and `help SUBCOMMAND`.
void shape_help(CLI::App& app);

// What a wrong command line is answered with: what is wrong, the nearest word, where to read on.
std::string usage_error(const CLI::App& app, const CLI::Error& error, int argc, const char* const* argv);

}  // namespace vouch
