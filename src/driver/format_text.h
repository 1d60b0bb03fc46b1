// The formatter of the three languages: indentation by two spaces for each bracket that is open, no blanks at the ends of lines,
// at most one empty line in a row, one end of line at the end. Words, marks and comments stay as they are and where they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/exit_code.h"

namespace vouch {

enum class TextLanguage : std::uint8_t { Rules, IndexNotation, Program };

// By the ending of the name: .gsl, .tk, .fun; else Rules.
TextLanguage language_of(std::string_view name);

// Formatting what is formatted changes nothing.
std::string format_text(std::string_view text, TextLanguage language);

struct FormatCommand {
  std::vector<std::string> files;  // - is standard input, and is written to standard output
  bool check = false;              // write nothing; Refuted if a file is not formatted
};
ExitCode format_files(const FormatCommand& command);

}  // namespace vouch
