#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/displayable.h"

namespace vouch {

void Diagnostics::add(Diagnostic diagnostic) {
  errors_ += diagnostic.severity == Severity::Error;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(SourceRef source, Span span, std::string message, std::string hint) {
  add({Severity::Error, std::move(message), std::move(source), span, {}, std::move(hint)});
}

void Diagnostics::error_at(std::string place, std::string message, std::string hint) {
  add({Severity::Error, std::move(message), nullptr, {}, std::move(place), std::move(hint)});
}

void Diagnostics::warn_at(std::string place, std::string message, std::string hint) {
  add({Severity::Warning, std::move(message), nullptr, {}, std::move(place), std::move(hint)});
}

std::string Diagnostics::text() const {
  std::string out;
  for (const Diagnostic& diagnostic : all_) {
    out += print_diagnostic(diagnostic);
  }
  return out;
}

static std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "error";
}

// The marked line with carets below it; tabs are kept so that the carets stay aligned.
static std::string excerpt(const Source& source, Span span) {
  LineColumn at = source.locate(span.begin);
  std::string_view line = source.line(at.line);
  constexpr std::size_t kWidest = 160;
  if (line.size() > kWidest) {
    return {};
  }
  std::string pad;
  for (std::size_t i = 0; i + 1 < at.column && i < line.size(); ++i) {
    pad += line[i] == '\t' ? '\t' : ' ';
  }
  std::size_t room = line.size() > pad.size() ? line.size() - pad.size() : 1;
  std::size_t width = std::clamp<std::size_t>(span.end > span.begin ? span.end - span.begin : 1, 1, room);
  return fmt::format("  {}\n  {}{}\n", line, pad, std::string(width, '^'));
}

std::string print_diagnostic(const Diagnostic& diagnostic) {
  std::string out;
  if (diagnostic.source) {
    LineColumn at = diagnostic.source->locate(diagnostic.span.begin);
    out = fmt::format("{}:{}:{}: ", diagnostic.source->name(), at.line, at.column);
  } else if (!diagnostic.place.empty()) {
    out = diagnostic.place + ": ";
  }
  out += fmt::format("{}: {}\n", severity_name(diagnostic.severity), diagnostic.message);
  if (diagnostic.source) {
    out += excerpt(*diagnostic.source, diagnostic.span);
  }
  if (!diagnostic.hint.empty()) {
    out += fmt::format("  hint: {}\n", diagnostic.hint);
  }
  return displayable(out);
}

// Letters put in, left out, changed, and neighbours in each other's place; capitals are no difference.
static std::size_t edit_distance(std::string_view a, std::string_view b) {
  auto same = [&](std::size_t i, std::size_t j) { return std::tolower(a[i - 1]) == std::tolower(b[j - 1]); };
  std::vector<std::vector<std::size_t>> of(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      of[i][j] = std::min({of[i - 1][j] + 1, of[i][j - 1] + 1, of[i - 1][j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j) && same(i, j - 1)) {
        of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
      }
    }
  }
  return of[a.size()][b.size()];
}

std::optional<std::string> suggest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t limit = word.size() <= 1 ? 0 : word.size() <= 3 ? 1 : word.size() <= 6 ? 2 : 3;
  std::size_t nearest = limit + 1;
  for (const std::string& candidate : candidates) {
    if (std::size_t distance = edit_distance(word, candidate); distance < nearest) {
      nearest = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace vouch
