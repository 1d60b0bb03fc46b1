#include "certify/index_schedule_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace vouch {

namespace {

constexpr std::size_t kMostDigits = 12;  // of a number: no extent has more

}  // namespace

Line words_of(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  Line out;
  bool open = false;
  for (std::uint32_t at = begin; at < end && text[at] != '#'; ++at) {
    char c = text[at];
    bool mark = c == '{' || c == '}' || c == ',';
    bool space = c == ' ' || c == '\t' || c == '\r';
    if (!space && (mark || !open)) {
      out.push_back({{}, {at, at}});
    }
    if (!space) {
      out.back().text += c;
      out.back().span.end = at + 1;
    }
    open = !space && !mark;
  }
  return out;
}

bool LineReader::accept(const char* text) {
  bool found = good_ && at_ < words_.size() && words_[at_].text == text;
  at_ += found ? 1 : 0;
  return found;
}

void LineReader::expect(const char* text) {
  if (!accept(text)) {
    refuse(fmt::format("'{}'", text));
  }
}

Integer LineReader::number() {
  const std::string text = at_ < words_.size() ? words_[at_].text : "";
  bool digits = !text.empty() && text.size() <= kMostDigits &&
                std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) {
    refuse(fmt::format("a number of at most {} digits", kMostDigits));
    return 0;
  }
  ++at_;
  return Integer(text);
}

unsigned LineReader::place() {
  Integer n = number();
  if (n > 1000) {
    --at_;
    refuse("a number up to 1000");
    return 0;
  }
  return static_cast<unsigned>(n);
}

std::string LineReader::word(const char* what) {
  if (!more() || words_[at_].text == "," || words_[at_].text == "{" || words_[at_].text == "}") {
    refuse(what);
    return {};
  }
  return words_[at_++].text;
}

bool LineReader::has_name() const {
  return std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, words_.size())), words_.end(),
                     [](const Word& word) {
                       char c = word.text[0];
                       return word.text != "of" && (c == '(' || c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0);
                     });
}

std::string LineReader::rest(const char* what, const char* until) {
  std::string out;
  while (more() && words_[at_].text != "{" && words_[at_].text != "}" && (until == nullptr || words_[at_].text != until)) {
    out += (out.empty() ? "" : " ") + words_[at_++].text;
  }
  if (out.empty()) {
    refuse(what);
  }
  return out;
}

void LineReader::refuse(const std::string& expected, const std::string& hint) {
  if (good_) {
    bool is_there = at_ < words_.size();
    Span end = words_.empty() ? Span{} : Span{words_.back().span.end, words_.back().span.end};
    diagnostics_.error(source_, is_there ? words_[at_].span : end,
                       fmt::format("expected {}, found {}", expected,
                                   is_there ? fmt::format("'{}'", words_[at_].text) : std::string("the end of the line")),
                       hint);
  }
  good_ = false;
}

bool LineReader::ended() {
  if (more()) {
    refuse("the end of the line");
  }
  return good_;
}

}  // namespace vouch
