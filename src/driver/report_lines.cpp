#include "driver/report_lines.h"

namespace vouch {

std::vector<std::string> reasons(const std::vector<std::string>& differences, const CoqAnswer& answer) {
  std::vector<std::string> out = differences;
  if (!answer.message.empty()) {
    out.push_back(answer.message);
  }
  return out;
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (char c : text) {
    out += c;
    out += c == '\n' ? "    " : "";
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) {
    out.pop_back();
  }
  return out + "\n";
}

}  // namespace vouch
