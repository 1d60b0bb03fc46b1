#include "driver/library_stack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "driver/folder_check.h"
#include "imp/compiler_flags.h"
#include "io/file.h"
#include "support/at_signal.h"
#include "support/process.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kReturnAddress = 8;
constexpr std::string_view kOutlined = "._omp_fn.";  // gcc's mark of a parallel loop's body, which its library calls
constexpr std::uint64_t kMostGraph = 64 << 20;

// The library's C files, written below the folder; all but the example.
std::optional<std::vector<std::string>> written_sources(const BuiltLibrary& built, const std::string& folder, std::string& why) {
  std::vector<std::string> sources;
  for (const auto& [file, text] : built.files) {
    if ((!file.ends_with(".c") && !file.ends_with(".h")) || file == "example.c") {
      continue;
    }
    Diagnostics diagnostics;
    std::error_code failed;
    fs::create_directories((fs::path(folder) / file).parent_path(), failed);
    if (failed || !write_file(folder + "/" + file, text, diagnostics, Survives::ProcessEnd)) {
      why = "the library cannot be written to a scratch folder";
      return std::nullopt;
    }
    if (file.ends_with(".c")) {
      sources.push_back(file);
    }
  }
  return sources;
}

}  // namespace

void CallGraph::add(const std::string& text) {
  static const std::regex kNode(R"re(node: \{ title: "([^"]*)" label: "[^"]*\\n([0-9]+) bytes \(([a-z,]+)\))re");
  static const std::regex kEdge(R"re(edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)")re");
  for (std::sregex_iterator at(text.begin(), text.end(), kNode), end; at != end; ++at) {
    std::string name = (*at)[1];
    Function& function = functions_[name];
    function.bytes = std::stoll((*at)[2]) + kReturnAddress;
    function.bounded = (*at)[3] != "dynamic";
    if (std::size_t mark = name.find(kOutlined); mark != std::string::npos) {
      functions_[name.substr(0, mark)].calls.insert(name);
    }
  }
  for (std::sregex_iterator at(text.begin(), text.end(), kEdge), end; at != end; ++at) {
    functions_[(*at)[1]].calls.insert((*at)[2]);
  }
}

std::optional<std::int64_t> CallGraph::deepest(const std::string& function, std::string& why) const {
  std::map<std::string, std::optional<std::int64_t>> known;
  if (!function.empty()) {
    return depth(function, known, why);
  }
  std::int64_t most = 0;
  for (const auto& [name, ignored] : functions_) {
    auto bytes = depth(name, known, why);
    if (!bytes) {
      return std::nullopt;
    }
    most = std::max(most, *bytes);
  }
  return most;
}

std::optional<std::int64_t> CallGraph::depth(const std::string& function,
                                             std::map<std::string, std::optional<std::int64_t>>& known, std::string& why) const {
  auto [at, fresh] = known.emplace(function, std::nullopt);
  if (!fresh) {
    why = at->second ? why : fmt::format("{} calls itself", function);
    return at->second;
  }
  if (function == "__indirect_call") {
    why = "a function is called through a pointer";
    return std::nullopt;
  }
  auto found = functions_.find(function);
  if (found == functions_.end()) {
    return at->second = 0;  // of the C library
  }
  if (!found->second.bounded) {
    why = fmt::format("the frame of {} has no bound", function);
    return std::nullopt;
  }
  std::int64_t most = 0;
  for (const std::string& callee : found->second.calls) {
    auto bytes = depth(callee, known, why);
    if (!bytes) {
      return std::nullopt;
    }
    most = std::max(most, *bytes);
  }
  return known[function] = found->second.bytes + most;
}

std::optional<StackBound> stack_bound(const BuiltLibrary& built, std::string& why) {
  std::string gcc = find_program("gcc");
  ScratchFolder scratch;
  if (gcc.empty() || scratch.path().empty()) {
    why = gcc.empty() ? "gcc was not found" : no_scratch_folder();
    return std::nullopt;
  }
  auto sources = written_sources(built, scratch.path(), why);
  if (!sources) {
    return std::nullopt;
  }
  std::vector<std::string> options = library_flags(built.library.options);
  options.insert(options.begin(), std::string(kCDialect));
#ifdef __x86_64__
  if (built.library.options.fma && built.library.options.targets.empty()) {
    options.emplace_back(kFmaInstruction);
  }
#endif
  ProcessRequest request{{gcc, "-c", "-fcallgraph-info=su"}, environment_with("TMPDIR", scratch.path()), scratch.path(), {}, {}};
  request.words.insert(request.words.end(), options.begin(), options.end());
  request.words.insert(request.words.end(), sources->begin(), sources->end());
  ProcessRun run = run_process(request);
  if (!run.ended || run.status != 0) {
    why = run.ended ? "gcc refuses the library or the option -fcallgraph-info=su" : run.why;
    return std::nullopt;
  }
  CallGraph graph;
  for (const std::string& source : *sources) {
    FileBytes text = read_regular((fs::path(scratch.path()) / fs::path(source).stem()).string() + ".ci", kMostGraph);
    if (!text.bytes) {
      why = fmt::format("gcc wrote no call graph of {}", source);
      return std::nullopt;
    }
    graph.add(*text.bytes);
  }
  auto of_run = graph.deepest(built.library.plan.name + "_run", why);
  auto of_any = of_run ? graph.deepest("", why) : std::nullopt;
  return of_any ? std::optional(StackBound{*of_run, *of_any, fmt::format("gcc {}", fmt::join(options, " "))}) : std::nullopt;
}

}  // namespace vouch
