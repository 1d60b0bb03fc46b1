// The command line as data: what CLI11's options say, as manual page, as Markdown, as completions of shells, and as suggestions
// for what is misspelt. There is no second list of options.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace vouch {

// `did you mean 'check'?` for the first word that is no subcommand, or an option that the subcommand does not have; for a file
// which subcommands take it, for a word too many how an output is named; empty if nothing is near.
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);

// A page for man(1), in roff.
std::string manual_page(const CLI::App& app);
// The same in Markdown, for docs/command-line.md.
std::string manual_markdown(const CLI::App& app);
// A script for `bash`, `zsh` or `fish`; empty for other shells.
std::string completion_script(const CLI::App& app, std::string_view shell);

// What the exit codes mean, one a line.
std::string exit_code_table();

// Adds `man` and `completions`, which print these.
void add_manual_commands(CLI::App& app);

}  // namespace vouch
