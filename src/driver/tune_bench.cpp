#include "driver/tune_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "array/eval.h"
#include "imp/elements.h"
#include "io/cache_folder.h"
#include "io/file.h"
#include "io/whole_json.h"
#include "support/hash.h"
#include "support/process.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using array::Element;

constexpr std::uint64_t kMostArrayBytes = std::uint64_t{4} << 30;
constexpr ProcessLimits kCompiling{std::chrono::seconds(120)};
constexpr ProcessLimits kRunning{std::chrono::seconds(15), std::uint64_t{8} << 30};
constexpr std::size_t kMostRounds = 100;

// Numbers that no function of the language overflows, and small indices.
std::string_view value_of(Element element) {
  switch (element) {
    case Element::BF16: return "(uint16_t)(0x3f00 + i % 128)";
    case Element::F16: return "(uint16_t)(0x3800 + i % 512)";
    case Element::F32: return "(float)(0.5 + (double)(i * 2654435761u % 1024) / 1024)";
    case Element::F64: return "0.5 + (double)(i * 2654435761u % 1024) / 1024";
    case Element::B8: return "i % 2 == 0";
    default: return "i % 3";
  }
}

std::string array_lines(const array::Parameter& parameter, std::size_t number, bool filled) {
  std::size_t cells = array::cell_count(parameter.type, {});
  std::string type(array::c_held(parameter.element));
  std::string out = fmt::format("  {0} *x{1} = aligned_alloc(64, {2});\n  if (x{1} == NULL) return 2;\n", type, number,
                                (cells * bytes_of(parameter.element) + 64) / 64 * 64);
  return filled ? out + fmt::format("  for (uint64_t i = 0; i < {}u; ++i) x{}[i] = {};\n", cells, number,
                                    value_of(parameter.element))
                : out;
}

// Prints the seconds of one call, and a hash of the output.
constexpr std::string_view kMain = R"(#define _POSIX_C_SOURCE 200809L
#include {5}
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}
static int ascending(const void *a, const void *b) {{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}}
int main(void) {{
{1}  {0}({2});
  uint64_t hash = 14695981039346656037u;
  for (uint64_t i = 0; i < {3}u; ++i) hash = (hash ^ ((const unsigned char *)x{4})[i]) * 1099511628211u;
  double from = now();
  {0}({2});
  double once = now() - from;
  int calls = once > 0.02 ? 1 : once < 1e-5 ? 2000 : (int)(0.02 / once);
  double times[5];
  for (int k = 0; k < 5; ++k) {{
    from = now();
    for (int call = 0; call < calls; ++call) {0}({2});
    times[k] = (now() - from) / calls;
  }}
  qsort(times, 5, sizeof times[0], ascending);
  printf("%.9g %016" PRIx64 "\n", times[2], hash);
  return 0;
}}
)";

std::string bench_program(const array::Program& program) {
  std::string arrays;
  std::vector<std::string> arguments;
  for (const array::Parameter& input : program.inputs) {
    arrays += array_lines(input, arguments.size(), true);
    arguments.push_back(fmt::format("x{}", arguments.size()));
  }
  std::size_t output = arguments.size();
  arrays += array_lines(program.output, output, false);
  arguments.push_back(fmt::format("x{}", output));
  std::size_t bytes = array::cell_count(program.output.type, {}) * bytes_of(program.output.element);
  return fmt::format(kMain, program.name, arrays, fmt::join(arguments, ", "), bytes, output, '"' + program.name + ".h\"");
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (std::size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::optional<TuneSetting> tune_setting(const std::string& compiler, const std::string& flags, unsigned threads,
                                        Diagnostics& diagnostics) {
  std::string program = find_program(compiler);
  ProcessRun run = program.empty() ? ProcessRun{} : run_process({{program, "--version"}, {}, "", "", kCompiling});
  if (!run.ended || run.status != 0) {
    diagnostics.error_at("--compiler", fmt::format("the C compiler '{}' cannot be run", compiler),
                         "candidates are compiled and measured; '--compiler clang' names another");
    return std::nullopt;
  }
  return TuneSetting{program, words_of(flags), threads, processor(), run.said.substr(0, run.said.find('\n'))};
}

std::optional<std::uint64_t> bench_bytes(const array::Program& program, Diagnostics& diagnostics) {
  if (!program.sizes.empty()) {
    diagnostics.error_at(program.name, fmt::format("the size '{}' is no number, and times are of numbers", program.sizes.front()),
                         fmt::format("give it one: --size {}=512", program.sizes.front()));
    return std::nullopt;
  }
  long double bytes = 0;
  std::vector<array::Parameter> all = program.inputs;
  all.push_back(program.output);
  for (const array::Parameter& one : all) {
    bytes += static_cast<long double>(array::cell_count(one.type, {})) * bytes_of(one.element);
  }
  if (bytes > static_cast<long double>(kMostArrayBytes)) {
    diagnostics.error_at(program.name,
                         fmt::format("its arrays take {:.0f} bytes, more than {} are measured", bytes, kMostArrayBytes));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

TuneBench::TuneBench(const array::Program& program, TuneSetting setting, bool again)
    : name_(program.name), main_(bench_program(program)), setting_(std::move(setting)), again_(again) {
  std::string cache = cache_folder();
  std::error_code failed;
  if (!cache.empty() && (fs::create_directories(cache + "/tune", failed) || !failed)) {
    folder_ = cache + "/tune";
  }
}

Measurement TuneBench::measure(const std::string& c, const std::string& header, std::size_t rounds) {
  std::string name = key(c);
  auto [at, is_new] = measured_.try_emplace(name);
  Measurement& measured = at->second;
  if (is_new && !again_) {
    measured = find(name);
  }
  while (measured.why.empty() && measured.seconds.size() < rounds) {
    std::string program = compiled(name, c, header, measured.why);
    if (!program.empty()) {
      run_once(program, measured);
      keep(name, measured);
    }
  }
  return measured;
}

std::string TuneBench::key(const std::string& c) const {
  return content_hash(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", content_hash(c), content_hash(main_), setting_.identity,
                                  fmt::join(setting_.flags, " "), setting_.threads, setting_.machine, setting_.compiler));
}

std::string TuneBench::kept_path(const std::string& key) const { return fmt::format("{}/{}.json", folder_, key); }

Measurement TuneBench::find(const std::string& key) const {
  // A damaged file is as good as none.
  auto text = folder_.empty() ? std::nullopt : read_regular(kept_path(key), 1 << 16).bytes;
  Json kept = text ? whole_json(*text) : Json();
  Measurement out;
  bool good = kept.is_object() && kept.contains("bits") && kept["bits"].is_string() && kept.contains("seconds") &&
              kept["seconds"].is_array() && kept["seconds"].size() <= kMostRounds;
  for (const Json& seconds : good ? kept["seconds"] : Json::array()) {
    good = good && seconds.is_number() && seconds.get<double>() > 0;
    out.seconds.push_back(good ? seconds.get<double>() : 0);
  }
  out.bits = good ? kept["bits"].get<std::string>() : "";
  return good ? out : Measurement{};
}

void TuneBench::keep(const std::string& key, const Measurement& measured) const {
  if (!folder_.empty() && measured.why.empty()) {
    Diagnostics ignored;  // then it is measured again
    replace_file(kept_path(key), Json{{"seconds", measured.seconds}, {"bits", measured.bits}}.dump() + "\n", ignored);
  }
}

// The program's file; empty, and why.
std::string TuneBench::compiled(const std::string& key, const std::string& c, const std::string& header, std::string& why) {
  if (auto found = programs_.find(key); found != programs_.end()) {
    return found->second;
  }
  std::string folder = scratch_.path() + "/" + key.substr(0, 16);
  Diagnostics diagnostics;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (scratch_.path().empty() || failed || !write_file(folder + "/" + name_ + ".c", c, diagnostics, Survives::ProcessEnd) ||
      !write_file(folder + "/" + name_ + ".h", header, diagnostics, Survives::ProcessEnd) ||
      !write_file(folder + "/main_of_bench.c", main_, diagnostics, Survives::ProcessEnd)) {
    why = "its files cannot be written to a scratch folder";
    return "";
  }
  std::vector<std::string> words{setting_.compiler};
  words.insert(words.end(), setting_.flags.begin(), setting_.flags.end());
  words.insert(words.end(),
               {"-I", folder, "-o", folder + "/bench", folder + "/main_of_bench.c", folder + "/" + name_ + ".c", "-lm"});
  // A compiler that is stopped leaves its own files: where ours are.
  ProcessRun run = run_process({words, environment_with("TMPDIR", folder), folder, "", kCompiling});
  if (!run.ended || run.status != 0) {
    why = "it was not compiled: " + (run.ended ? (run.said + run.errors).substr(0, 500) : run.why);
    return "";
  }
  return programs_[key] = folder + "/bench";
}

void TuneBench::run_once(const std::string& program, Measurement& measured) const {
  std::vector<std::string> environment{fmt::format("OMP_NUM_THREADS={}", setting_.threads), "OMP_PROC_BIND=true"};
  ProcessRun run = run_process({{program}, environment, "", "", kRunning});
  std::istringstream said(run.said);
  double seconds = 0;
  std::string bits;
  if (!run.ended || run.status != 0 || !(said >> seconds >> bits) || !(seconds > 0)) {
    measured.why =
        run.late ? "it takes too long" : "it does not run: " + (run.ended ? (run.said + run.errors).substr(0, 200) : run.why);
  } else if (!measured.bits.empty() && measured.bits != bits) {
    measured.why = "its bits are not the same in each run";
  } else {
    measured.bits = bits;
    measured.seconds.push_back(seconds);
  }
}

}  // namespace vouch
