#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "driver/index_commands.h"
#include "driver/json_output.h"
#include "driver/kernel_commands.h"
#include "driver/kernel_schedule.h"
#include "driver/kernel_texts.h"
#include "driver/processor.h"
#include "driver/progress.h"
#include "driver/tune_bench.h"
#include "driver/tune_candidates.h"
#include "io/file.h"
#include "support/parallel.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kFinalists = 4;
constexpr std::size_t kFinalRounds = 5;
// Another schedule than the planner's is chosen where it takes less than this of its time.
constexpr double kWorthIt = 0.98;

struct Tried {
  TuneCandidate candidate;
  std::string c;
  std::string header;
  Measurement measured;

  bool good() const { return measured.why.empty() && !measured.seconds.empty(); }
  double seconds() const { return median(measured.seconds); }
};

struct Given {
  KernelRecipe recipe;
  SourceRef source;
  std::vector<IndexKernel> kernels;
  std::vector<std::optional<std::optional<IndexTiling>>> own;  // what lies beside the source, of each
};

std::optional<Given> read_kernels(const TuneCommand& command, Diagnostics& diagnostics) {
  Given out;
  out.recipe = {comment_name(std::filesystem::path(command.kernel).filename().string()), command.sizes};
  out.recipe.planned = out.recipe.is_functional();
  out.recipe.target = native_target();
  auto text = read_kernel_file(command.kernel, diagnostics);
  if (!text || !take_schedule(command.kernel, out.recipe, diagnostics)) {
    return std::nullopt;
  }
  out.source = std::make_shared<Source>(command.kernel, std::move(*text));
  auto kernels = scheduled_kernels(out.recipe, out.source, diagnostics);
  auto tilings = kernels ? tilings_of(*kernels, out.recipe, out.source, diagnostics) : std::nullopt;
  if (!tilings) {
    return std::nullopt;
  }
  out.own.resize(kernels->size());
  for (std::size_t k = 0; out.recipe.schedule && k < kernels->size(); ++k) {
    out.own[k] = (*tilings)[k];
  }
  out.kernels = std::move(*kernels);
  return out;
}

// One kernel: its candidates, measured until the time is over; the planner's in any case.
class Tuner {
 public:
  Tuner(const Given& given, const IndexKernel& kernel, TuneBench& bench, bool reorder, Clock::time_point end)
      : given_(given), kernel_(kernel), bench_(bench), reorder_(reorder), end_(end), progress_("tune " + kernel.name) {}

  std::vector<Tried> tried(const std::optional<std::optional<IndexTiling>>& own) {
    try_all(first_candidates(kernel_, own, *tile_target(given_.recipe.target), reorder_));
    if (!tried_.empty() && tried_[0].good()) {
      try_near();
      compare_best();
    }
    return std::move(tried_);
  }

 private:
  // Positions of those with a time, the fastest first: by the first round, which another run of the same tuning finds again.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < tried_.size(); ++i) {
      if (tried_[i].good()) {
        out.push_back(i);
      }
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](std::size_t a, std::size_t b) { return tried_[a].measured.seconds[0] < tried_[b].measured.seconds[0]; });
    return out;
  }

  void try_all(const std::vector<TuneCandidate>& candidates) {
    std::size_t total = tried_.size() + candidates.size();
    for (const TuneCandidate& candidate : candidates) {
      if (!tried_.empty() && Clock::now() >= end_) {
        return;
      }
      progress_.update(tried_.size(), total, candidate.what);
      tried_.push_back(with_texts(candidate));
      measure(tried_.back(), 1);
    }
  }

  // Around the fastest of those that the planner made.
  void try_near() {
    std::vector<TuneCandidate> known;
    for (const Tried& one : tried_) {
      known.push_back(one.candidate);
    }
    std::vector<std::size_t> fastest = order();
    auto planned = std::find_if(fastest.begin(), fastest.end(), [&](std::size_t i) { return known[i].target.has_value(); });
    if (planned != fastest.end()) {
      try_all(candidates_near(kernel_, *known[*planned].target, known));
    }
  }

  Tried with_texts(const TuneCandidate& candidate) const {
    KernelRecipe recipe = given_.recipe;
    recipe.schedule = candidate.schedule;
    Diagnostics refused;
    Tried out{candidate, "", "", {}};
    auto all = compile_texts(recipe, given_.source, refused);
    for (const KernelTexts& one : all ? *all : std::vector<KernelTexts>{}) {
      if (one.name == kernel_.name) {
        out.c = one.c;
        out.header = one.others.at(one.name + ".h");
      }
    }
    out.measured.why = out.c.empty() ? "there is no C text: " + refused.text() : "";
    return out;
  }

  void measure(Tried& one, std::size_t rounds) {
    if (one.measured.why.empty()) {
      one.measured = bench_.measure(one.c, one.header, rounds);
    }
    auto first = std::find_if(tried_.begin(), tried_.end(),
                              [&](const Tried& other) { return other.good() && same_order(other.candidate, one.candidate); });
    if (one.good() && first != tried_.end() && one.measured.bits != first->measured.bits) {
      one.measured.why = fmt::format("it computes other bits than {}: the compiler, or a flag, changes what floats mean",
                                     first == tried_.begin() ? "the planner's" : first->candidate.what);
    }
  }

  // The fastest and the planner's in turns, so that whatever else the machine does is borne by all of them.
  void compare_best() {
    std::vector<std::size_t> best = order();
    best.resize(std::min(best.size(), kFinalists));
    if (std::find(best.begin(), best.end(), 0U) == best.end()) {
      best.push_back(0);
    }
    for (std::size_t round = 2; round <= kFinalRounds; ++round) {
      for (std::size_t i : best) {
        if (Clock::now() >= end_) {
          return;
        }
        progress_.update(round, kFinalRounds, "the best in turns");
        measure(tried_[i], round);
      }
    }
  }

  const Given& given_;
  const IndexKernel& kernel_;
  TuneBench& bench_;
  bool reorder_;
  Clock::time_point end_;
  Progress progress_;
  std::vector<Tried> tried_;
};

// The planner's is the first.
const Tried& best_of(const std::vector<Tried>& tried) {
  const Tried* best = &tried.front();
  std::size_t rounds = best->measured.seconds.size();
  for (const Tried& one : tried) {
    bool compared = one.good() && one.measured.seconds.size() >= rounds;
    if (compared && one.seconds() < best->seconds() * (best == &tried.front() ? kWorthIt : 1)) {
      best = &one;
    }
  }
  return *best;
}

std::string table_text(const IndexKernel& kernel, const std::vector<Tried>& tried) {
  std::string out = fmt::format("{}\n  {:>12}  {:>7}  schedule\n", kernel.name, "one call", "of the planner's");
  std::vector<const Tried*> rows;
  for (const Tried& one : tried) {
    rows.push_back(&one);
  }
  auto before = [](const Tried* a, const Tried* b) {
    return a->good() != b->good() ? a->good() : a->good() && a->seconds() < b->seconds();
  };
  std::stable_sort(rows.begin(), rows.end(), before);
  for (const Tried* one : rows) {
    std::string time = one->good()
                           ? fmt::format("{:>9.3f} ms  {:>16.2f}", 1e3 * one->seconds(), one->seconds() / tried.front().seconds())
                           : fmt::format("{:>12}  {:>16}", "-", "-");
    std::string why = one->good() ? "" : ": " + one->measured.why.substr(0, one->measured.why.find('\n'));
    out += fmt::format("  {}  {}{}\n", time, one->candidate.what, why);
  }
  return out + fmt::format("  chosen: {}\n", best_of(tried).candidate.what);
}

Json tried_json(const IndexKernel& kernel, const std::vector<Tried>& tried) {
  Json all = Json::array();
  for (const Tried& one : tried) {
    all.push_back({{"what", one.candidate.what},
                   {"seconds", one.good() ? Json(one.seconds()) : Json()},
                   {"rounds", one.measured.seconds.size()},
                   {"why", one.measured.why},
                   {"schedule", one.candidate.schedule}});
  }
  return {{"kernel", kernel.name}, {"chosen", best_of(tried).candidate.what}, {"candidates", all}};
}

std::string setting_text(const TuneSetting& setting) {
  return fmt::format("{}; {} {}; {} threads\n", setting.machine, setting.identity, fmt::join(setting.flags, " "),
                     setting.threads);
}

// Writes the best of each kernel; a kernel whose planner's schedule cannot be measured is an error.
ExitCode tune_all(const TuneCommand& command, const Given& given, const TuneSetting& setting, Diagnostics& diagnostics) {
  auto share = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(command.seconds / static_cast<double>(given.kernels.size())));
  std::vector<std::optional<IndexTiling>> chosen;
  std::string said = setting_text(setting);
  Json kernels = Json::array();
  for (std::size_t k = 0; k < given.kernels.size(); ++k) {
    const IndexKernel& kernel = given.kernels[k];
    TuneBench bench(lower_index(kernel, std::nullopt), setting, command.again);
    std::vector<Tried> tried = Tuner(given, kernel, bench, command.reorder, Clock::now() + share).tried(given.own[k]);
    if (!tried.front().good()) {
      diagnostics.error_at(kernel.name, "the planner's schedule cannot be measured: " + tried.front().measured.why);
      return ExitCode::Undecided;
    }
    chosen.push_back(best_of(tried).candidate.tiling);
    said += table_text(kernel, tried);
    kernels.push_back(tried_json(kernel, tried));
  }
  std::string path = command.out.empty() ? schedule_path(command.kernel) : command.out;
  auto text = schedules_text(given.kernels, chosen, diagnostics);
  Json json{{"vouch_tune", 1},        {"machine", setting.machine}, {"compiler", setting.identity},
            {"flags", setting.flags}, {"threads", setting.threads}, {"kernels", kernels},
            {"written", path}};
  if (!text || !write_file(path, *text, diagnostics) || !give_json(command.json, json, diagnostics)) {
    return ExitCode::BadInput;
  }
  if (!json_alone(command.json)) {
    fmt::print("{}written: {}\n", said, path);
  }
  return ExitCode::Ok;
}

}  // namespace

ExitCode tune_kernel(const TuneCommand& command) {
  Diagnostics diagnostics;
  ExitCode code = ExitCode::BadInput;
  auto given = read_kernels(command, diagnostics);
  bool measurable = given.has_value();
  for (std::size_t k = 0; measurable && k < given->kernels.size(); ++k) {
    measurable = bench_bytes(lower_index(given->kernels[k], std::nullopt), diagnostics).has_value();
  }
  if (measurable) {
    auto setting = tune_setting(command.compiler, command.flags, jobs_for(command.threads), diagnostics);
    code = setting ? tune_all(command, *given, *setting, diagnostics) : ExitCode::BadInput;
  }
  fmt::print(stderr, "{}", diagnostics.text());
  return code;
}

}  // namespace vouch
