#include "driver/coq_together.h"

#include <fmt/format.h>

namespace vouch {
namespace {

// Of C text, about two seconds of Coq's time.
constexpr std::size_t kBytesTogether = 64 * 1024;

std::string module_of(const std::string& name, const std::string& text) {
  return fmt::format("Module {0}.\n{1}\nEnd {0}.\n", name, text);
}

}  // namespace

std::vector<std::vector<std::size_t>> questions_together(const std::vector<CoqQuestion>& questions, unsigned jobs) {
  std::size_t most = (questions.size() + jobs - 1) / jobs;
  std::vector<std::vector<std::size_t>> out;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    bytes += questions[i].c.size();
    if (out.empty() || out.back().size() == most || bytes > kBytesTogether) {
      out.emplace_back();
      bytes = questions[i].c.size();
    }
    out.back().push_back(i);
  }
  return out;
}

std::string text_together(const std::vector<CoqQuestion>& questions, const std::vector<std::size_t>& which) {
  std::string text;
  for (std::size_t i : which) {
    const CoqQuestion& question = questions[i];
    std::string all = module_of("Kernel", question.certificate);
    all += question.derivation ? module_of("Derivation", *question.derivation) : "";
    all += question.adjoint ? module_of("Adjoint", *question.adjoint) : "";
    text += module_of(fmt::format("s{}", i), all);
  }
  return text;
}

CompiledQuestion compiled_together(const CoqQuestion& question, std::size_t at, const std::string& file) {
  auto within = [&](bool there, std::string_view name) {
    return there ? array::CompiledText{file, fmt::format("{}.s{}.{}", file, at, name)} : array::CompiledText{};
  };
  return {within(true, "Kernel"), within(question.derivation.has_value(), "Derivation"),
          within(question.adjoint.has_value(), "Adjoint")};
}

}  // namespace vouch
