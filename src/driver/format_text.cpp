#include "driver/format_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/model.h"
#include "io/file.h"

namespace vouch {
namespace {

constexpr std::size_t kStep = 2;

// The line with each character of a text in quotes written as `x`, so that all others are marks and words.
std::string without_texts(std::string_view line, TextLanguage language) {
  std::string out(line);
  bool quoted = false;
  for (std::size_t k = 0; k < out.size() && language == TextLanguage::Rules; ++k) {
    if (line[k] == '"') {
      quoted = !quoted;
    } else if (quoted) {
      bool escapes = line[k] == '\\' && k + 1 < line.size();
      out[k] = 'x';
      k += escapes ? 1 : 0;
      out[k] = 'x';
    }
  }
  return out;
}

// Where the comment of a line without texts begins; its size if it has none.
std::size_t comment_at(std::string_view line, TextLanguage language) {
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '#') {
      return k;
    }
    if (language == TextLanguage::Rules && line.substr(k, 2) == "//") {
      // Within an expression `//` is a division: a comment follows an item or stands alone, as in the lexer.
      std::size_t before = line.find_last_not_of(" \t", k == 0 ? 0 : k - 1);
      bool alone =
          k == 0 || before == std::string_view::npos || std::string_view(";{},").find(line[before]) != std::string_view::npos;
      if (alone) {
        return k;
      }
    }
  }
  return line.size();
}

struct Brackets {
  std::size_t closed_first = 0;  // brackets that close what earlier lines have opened, before anything opens here
  std::ptrdiff_t balance = 0;
};

Brackets brackets_of(std::string_view code) {
  Brackets out;
  bool only_closing = true;
  for (char c : code) {
    bool opens = c == '{' || c == '(' || c == '[';
    bool closes = c == '}' || c == ')' || c == ']';
    only_closing = only_closing && (closes || c == ' ');
    out.closed_first += closes && only_closing ? 1 : 0;
    out.balance += opens ? 1 : closes ? -1 : 0;
  }
  return out;
}

std::string_view trimmed(std::string_view line) {
  std::size_t begin = line.find_first_not_of(" \t\r");
  std::size_t end = line.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin, end - begin + 1);
}

}  // namespace

TextLanguage language_of(std::string_view name) {
  return name.ends_with(".tk")    ? TextLanguage::IndexNotation
         : name.ends_with(".fun") ? TextLanguage::Program
                                  : TextLanguage::Rules;
}

std::string format_text(std::string_view text, TextLanguage language) {
  std::string out;
  std::ptrdiff_t depth = 0;
  bool empty_before = true;
  bool continued = false;  // the item before has no end yet
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      out += empty_before ? "" : "\n";
      empty_before = true;
      continue;
    }
    const std::string marks = without_texts(line, language);
    std::string_view code = trimmed(std::string_view(marks).substr(0, comment_at(marks, language)));
    Brackets brackets = brackets_of(code);
    std::ptrdiff_t level = std::max<std::ptrdiff_t>(depth - static_cast<std::ptrdiff_t>(brackets.closed_first), 0);
    level += continued && brackets.closed_first == 0 ? 1 : 0;
    out.append(static_cast<std::size_t>(level) * kStep, ' ').append(line).append("\n");
    depth = std::max<std::ptrdiff_t>(depth + brackets.balance, 0);
    if (!code.empty()) {
      bool ends = code.back() == ';' || code.back() == '{' || code.back() == '}' || code.back() == '(' || code.back() == '[';
      continued = language == TextLanguage::Program ? code.back() == '=' || (continued && depth > 0) : !ends;
    }
    empty_before = false;
  }
  while (out.ends_with("\n\n")) {
    out.pop_back();
  }
  return out;
}

ExitCode format_files(const FormatCommand& command) {
  Diagnostics diagnostics;
  ExitCode code = ExitCode::Ok;
  for (const std::string& file : command.files) {
    if (file != "-" && !file.ends_with(".gsl") && !file.ends_with(".tk") && !file.ends_with(".fun")) {
      diagnostics.error_at(file, "expected rules or a kernel (.gsl, .tk, .fun)", takers_of(file));
      continue;
    }
    auto text = read_file(file, diagnostics);
    if (!text) {
      continue;
    }
    std::string formatted = format_text(*text, language_of(file));
    if (formatted == *text && file != "-") {
      continue;
    }
    if (!command.check) {
      write_file(file, formatted, diagnostics);
    } else if (formatted != *text) {
      fmt::print("{}: not formatted\n", file);
      code = ExitCode::Refuted;
    }
  }
  return diagnostics.has_errors() ? give_up(diagnostics) : code;
}

}  // namespace vouch
