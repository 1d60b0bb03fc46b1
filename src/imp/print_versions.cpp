#include "imp/print_versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

// On other processors nothing is asked, and only the generic version runs. A compiler's option may leave newer versions out; with
// OpenMP clang compiles the bodies of parallel loops for the plain processor, where wide tiles do not fit the registers.
constexpr std::string_view kProcessor =
    "#if defined(__x86_64__) || defined(__i386__)\n"
    "#define VOUCH_FOR(features) __attribute__((target(features)))\n"
    "#define VOUCH_HAS(feature) __builtin_cpu_supports(feature)\n"
    "#else\n"
    "#define VOUCH_FOR(features)\n"
    "#define VOUCH_HAS(feature) 0\n"
    "#endif\n"
    "#ifndef VOUCH_NEWEST\n"
    "#if defined(__clang__) && defined(_OPENMP)\n"
    "#define VOUCH_NEWEST 0\n"
    "#else\n"
    "#define VOUCH_NEWEST 2\n"
    "#endif\n"
    "#endif\n";

constexpr std::string_view kAvx2 =
    "#define VOUCH_AVX2 VOUCH_FOR(\"avx2,fma\")\n"
    "static int has_avx2(void) {\n"
    "  return 1 <= VOUCH_NEWEST && VOUCH_HAS(\"avx2\") && VOUCH_HAS(\"fma\");\n"
    "}\n";

constexpr std::string_view kAvx512 =
    "#define VOUCH_AVX512 VOUCH_FOR(\"avx512f,avx512bw,avx512dq,avx512vl,fma\")\n"
    "static int has_avx512(void) {\n"
    "  return 2 <= VOUCH_NEWEST && VOUCH_HAS(\"avx512f\") && VOUCH_HAS(\"avx512bw\") && VOUCH_HAS(\"avx512dq\") &&\n"
    "         VOUCH_HAS(\"avx512vl\") && VOUCH_HAS(\"fma\");\n"
    "}\n";

std::string dispatcher(const std::string& name, const CNames& names, const std::vector<Type>& inputs, bool heap,
                       const std::vector<VersionText>& versions) {
  std::string arguments = fmt::format("({}{});\n", c_arguments(names), heap ? ", failed" : "");
  std::string text = fmt::format("\n{}({}{}) {{\n", heap ? "static void " + c_tried_name(name) : "void " + name,
                                 c_parameters(names, inputs), heap ? ", int *failed" : "");
  for (std::size_t k = versions.size(); k-- > 0;) {
    std::string_view otherwise = k + 1 == versions.size() ? "" : "else ";
    std::string question = k > 0 ? fmt::format("if ({}()) ", version_question(versions[k].word)) : "";
    text += fmt::format("  {}{}{}{}", otherwise, question, version_name(name, versions[k].word), arguments);
  }
  return text + "}\n";
}

}  // namespace

const std::vector<VersionTarget>& version_targets() {
  static const std::vector<VersionTarget> all = {{"avx2", 1, "VOUCH_AVX2", kAvx2, "Avx2"},
                                                 {"avx512", 2, "VOUCH_AVX512", kAvx512, "Avx512"}};
  return all;
}

const VersionTarget* version_target(std::string_view word) {
  const auto& all = version_targets();
  auto found = std::find_if(all.begin(), all.end(), [&](const VersionTarget& target) { return target.word == word; });
  return found == all.end() ? nullptr : &*found;
}

unsigned version_number(std::string_view word) {
  const VersionTarget* target = version_target(word);
  return target == nullptr ? 0 : target->number;
}

std::string version_name(const std::string& name, std::string_view word) { return fmt::format("{}_{}", name, word); }
std::string version_question(std::string_view word) { return fmt::format("has_{}", word); }

Flat all_bodies(const std::vector<VersionText>& versions) {
  Flat all = versions.front().body;
  for (std::size_t k = 1; k < versions.size(); ++k) {
    FlatNode both;
    both.kind = FlatKind::Seq;
    both.parts = {all, versions[k].body};
    all = Flat(std::move(both));
  }
  return all;
}

std::string print_versions(const std::string& name, const std::vector<Type>& inputs, const std::vector<VersionText>& versions) {
  ensure(!versions.empty() && versions.front().word == kGenericVersion, "one version is for any processor");
  Flat all = all_bodies(versions);
  bool heap = needs_heap(all);
  const CNames& names = versions.front().names;
  std::string targets(kProcessor);
  std::string functions;
  for (const VersionText& version : versions) {
    const VersionTarget* target = version_target(version.word);
    targets += target != nullptr ? target->text : "";
    std::string head = fmt::format("{}static void {}", target != nullptr ? fmt::format("{} ", target->macro) : "",
                                   version_name(name, version.word));
    functions += (functions.empty() ? "" : "\n") + c_function(head, version.names, inputs, heap, version.body);
  }
  return targets + "\n" + c_opening(names, all, heap) + functions + dispatcher(name, names, inputs, heap, versions) +
         (heap ? c_stopping(name, names, inputs) : "");
}

}  // namespace vouch::array
