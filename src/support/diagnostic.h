// What a user is told about bad input: what, where, expected and found, how to mend.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace vouch {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;  // one sentence: what is wrong, with expected and found
  SourceRef source;     // null when the input is not a text (a binary model, say)
  Span span;            // within `source`
  std::string place;    // for inputs that are no text: `node 'conv1'`, `/nodes/3/op`
  std::string hint;     // how to mend it; may be empty
};

// Front ends take a `Diagnostics&`, report every error they can find, and return std::optional.
class Diagnostics {
 public:
  void error(SourceRef source, Span span, std::string message, std::string hint = {});
  void error_at(std::string place, std::string message, std::string hint = {});
  void warn_at(std::string place, std::string message, std::string hint = {});
  void add(Diagnostic diagnostic);

  bool has_errors() const { return errors_ != 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  // Every diagnostic as `print_diagnostic` shows it.
  std::string text() const;

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

// `file:line:col: error: message`, the source line, carets, `hint: …`; ends in a newline.
std::string print_diagnostic(const Diagnostic& diagnostic);

// The candidate nearest to `word` by edit distance, if near enough to be a misspelling.
std::optional<std::string> suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace vouch
