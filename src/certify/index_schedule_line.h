// Lines of schedules, word by word.
#pragma once

#include <string>
#include <vector>

#include "certify/index_schedule.h"

namespace vouch {

struct Word {
  std::string text;
  Span span;
};
using Line = std::vector<Word>;

// Of that part of a text: a word is `{`, `}`, `,`, or what lies between these and white space; `#` begins a comment.
Line words_of(std::string_view text, std::uint32_t begin, std::uint32_t end);

// The words of one line, read from left to right; what is not expected is reported once.
class LineReader {
 public:
  LineReader(const Line& words, const SourceRef& source, Diagnostics& diagnostics)
      : words_(words), source_(source), diagnostics_(diagnostics) {}

  bool good() const { return good_; }
  bool more() const { return good_ && at_ < words_.size(); }
  bool accept(const char* text);
  void expect(const char* text);
  Integer number();
  unsigned place();
  std::string word(const char* what);
  // The words up to a brace, that word or the end.
  std::string rest(const char* what, const char* until = nullptr);
  // A word that is left begins like a name, or a size in parentheses.
  bool has_name() const;
  // Nothing is left over.
  bool ended();
  void refuse(const std::string& expected, const std::string& hint = {});

 private:
  const Line& words_;
  const SourceRef& source_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace vouch
