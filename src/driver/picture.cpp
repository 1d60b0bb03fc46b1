#include "driver/picture.h"

#include <fmt/format.h>

#include "support/displayable.h"
#include "support/process.h"

namespace vouch {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : displayable(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::optional<std::string> render(const std::string& dot, std::string_view format, Diagnostics& diagnostics) {
  static const std::string program = find_program("dot");
  if (program.empty()) {
    diagnostics.error_at("dot", "Graphviz' program dot is not there",
                         "apt-get install graphviz, or write a picture that ends in .dot");
    return std::nullopt;
  }
  // Layouts of large graphs do not converge in any useful time: few rounds, straight lines, and a limit.
  constexpr std::chrono::seconds kMost{60};
  constexpr std::size_t kLargeText = 40000;
  ProcessRequest request{{program, fmt::format("-T{}", format)}, std::nullopt, {}, dot, {}};
  request.limits.time = kMost;
  if (dot.size() > kLargeText) {
    request.words.insert(request.words.end(), {"-Gnslimit=1", "-Gnslimit1=1", "-Gmclimit=0.3", "-Gsplines=line"});
  }
  ProcessRun run = run_process(request);
  if (!run.ended || run.status != 0) {
    diagnostics.error_at("dot", run.late    ? fmt::format("the graph is too large to draw in {} s", kMost.count())
                                : run.ended ? fmt::format("it failed with exit code {}", run.status)
                                            : run.why);
    return std::nullopt;
  }
  return std::move(run.said);
}

}  // namespace vouch
