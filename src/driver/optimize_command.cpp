#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/diff.h"
#include "driver/equiv_command.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/optimize_summary.h"
#include "driver/picture.h"
#include "driver/progress.h"
#include "driver/shipped.h"
#include "driver/standard_streams.h"
#include "driver/trace_json.h"
#include "graph/eval.h"
#include "io/file.h"
#include "optimize/gate.h"
#include "support/hash.h"

namespace vouch {
namespace {

class OptimizeRun {
 public:
  explicit OptimizeRun(const OptimizeCommand& command) : command_(command) {}

  ExitCode run() {
    auto model = load_model(command_.model, diagnostics_);
    auto rules = load_named_or_shipped(command_.rules, diagnostics_);
    if (!model || !rules) {
      return give_up(diagnostics_);
    }
    trace_.hashed = !command_.trace.empty() || !command_.replay.empty() || command_.prove_result;
    // Before anything is written, which may replace the model.
    auto hash = trace_.hashed ? model_hash() : std::optional(std::string());
    if (!hash) {
      return give_up(diagnostics_);
    }
    model_hash_ = std::move(*hash);
    rules_ = std::move(*rules);
    leave_out_wrong_rules();
    Graph graph = model->graph;
    summary_.model = command_.model;
    summary_.rules = &rules_;
    summary_.before = calls_by_operator(graph);
    if (!(command_.replay.empty() ? search(graph) : replay_trace(graph))) {
      return give_up(diagnostics_);
    }
    summary_.after = calls_by_operator(graph);
    if (!command_.io.empty() && !compare(*model, graph)) {
      return give_up(diagnostics_);
    }
    bool same = std::all_of(summary_.differences.begin(), summary_.differences.end(), [](const auto& d) { return d.within; });
    FilesTogether files;
    if (same && !write(*model, graph)) {
      return give_up(diagnostics_);
    }
    if (!same) {
      fmt::print(stderr, "{}: the outputs differ from what they were: nothing is written\n", command_.model);
    }
    bool told = command_.json.empty() || give_json(command_.json, summary_json(summary_), diagnostics_);
    if (told && !json_alone(command_.json) && command_.out != "-") {
      fmt::print("{}", summary_text(summary_));
      flush_output();  // where it cannot be shown, nothing is written
    }
    if (!told || !files.commit(diagnostics_)) {
      return give_up(diagnostics_);
    }
    return !same ? ExitCode::Refuted : command_.prove_result ? judge_written() : ExitCode::Ok;
  }

 private:
  // The file that was written against the file that was read: engine, folding and writer together.
  ExitCode judge_written() const {
    EquivCommand judged;
    judged.a = command_.model;
    judged.b = command_.out;
    judged.io = command_.io;
    judged.quiet = json_alone(command_.json);
    judged.making = std::make_shared<Making>(Making{{command_.model, model_hash_, trace_}, rules_});
    return judge_equivalence(judged);
  }

  void leave_out_wrong_rules() {
    std::vector<std::string> names;
    for (const Rule& rule : rules_) {
      if (is_expected_wrong(rule)) {
        names.push_back(rule.name);
      }
    }
    if (!names.empty()) {
      summary_.left_out.push_back(
          fmt::format("{} (the author expects {} to be wrong)", fmt::join(names, ", "), names.size() == 1 ? "it" : "them"));
    }
    std::erase_if(rules_, is_expected_wrong);
  }

  bool search(Graph& graph) {
    Progress progress("rewriting");
    OptimizeOptions options;
    options.fold = command_.fold;
    options.allow_cost = command_.allow_cost;
    options.on_progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    auto start = std::chrono::steady_clock::now();
    Gate gate(rules_, command_.allow_unproven);
    options.admissions = gate.admissions();
    summary_.result = optimize(graph, rules_, options, &trace_);
    summary_.proving_seconds = gate.seconds();
    summary_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    collect_verdicts();
    if (!summary_.result.rewriting.cycle.empty()) {
      diagnostics_.error_at(command_.model, summary_.result.rewriting.cycle, "leave one of these rules out");
      return false;
    }
    return true;
  }

  // Each recorded match is checked and applied; nothing is searched.
  bool replay_trace(Graph& graph) {
    auto text = read_file(command_.replay, diagnostics_);
    auto file = text ? parse_trace(std::make_shared<Source>(command_.replay, std::move(*text)), diagnostics_) : std::nullopt;
    if (!file) {
      return false;
    }
    if (model_hash_ != file->model_hash) {
      diagnostics_.error_at(command_.model, fmt::format("this is not the model that the trace began with ('{}')", file->model));
      return false;
    }
    Gate gate(rules_, command_.allow_unproven);
    if (!replay(graph, rules_, file->trace, gate.admissions(), trace_, diagnostics_)) {
      return false;
    }
    count_steps();
    collect_verdicts();
    return true;
  }

  // Of each rule that fired, the weakest verdict that let it: the trace has it for each step.
  void collect_verdicts() {
    std::map<std::string, std::string> weakest;  // `unproven` sorts after `sound`
    for (const auto& step : trace_.steps) {
      if (const auto* rewrite = std::get_if<TraceStep>(&step)) {
        std::string& verdict = weakest[rewrite->rule];
        verdict = std::max(verdict, rewrite->verdict);
      }
    }
    summary_.verdicts.assign(weakest.begin(), weakest.end());
  }

  void count_steps() {
    RewriteResult& counts = summary_.result.rewriting;
    counts.fired.resize(rules_.size());
    for (const auto& step : trace_.steps) {
      const auto* rewrite = std::get_if<TraceStep>(&step);
      for (std::size_t r = 0; rewrite != nullptr && r < rules_.size(); ++r) {
        counts.fired[r] += rules_[r].name == rewrite->rule ? 1 : 0;
      }
      counts.steps += rewrite != nullptr ? 1 : 0;
      if (rewrite == nullptr) {
        const auto& pass = std::get<PassStep>(step);
        summary_.result.folded += pass.pass == Pass::FoldParameters || pass.pass == Pass::UnpackParameters ? pass.changes : 0;
        summary_.result.merged += pass.pass == Pass::MergeCommon ? pass.changes : 0;
      }
    }
  }

  std::optional<std::string> model_hash() {
    auto bytes = read_file(command_.model, diagnostics_);
    return bytes ? std::optional(content_hash(*bytes)) : std::nullopt;
  }

  bool compare(const OnnxModel& model, const Graph& after) {
    const Graph& before = model.graph;
    auto given = read_tensor_folder(command_.io, diagnostics_);
    auto inputs = given ? load_inputs(before, given->inputs, diagnostics_, model.defaults) : std::nullopt;
    auto old_outputs = inputs ? eval_graph(before, *inputs, diagnostics_, run_options(command_.memory)) : std::nullopt;
    auto new_outputs = old_outputs ? eval_graph(after, *inputs, diagnostics_, run_options(command_.memory)) : std::nullopt;
    for (std::size_t k = 0; new_outputs && k < new_outputs->size(); ++k) {
      double error = compare_tensors((*new_outputs)[k], (*old_outputs)[k]).relative();
      constexpr double kTolerance = 1e-4;
      summary_.differences.push_back({before.outputs()[k].name, error, error <= kTolerance});
    }
    return new_outputs.has_value();
  }

  bool write(const OnnxModel& model, const Graph& after) {
    const Graph& before = model.graph;
    if (!command_.out.empty()) {
      OnnxWriteOptions options{model.kept.get(), {}, command_.external_data};
      if (command_.opset != 0) {
        options.opset = command_.opset;
      }
      if (!save_model(after, model.name, command_.out, diagnostics_, options)) {
        return false;
      }
      summary_.written = command_.out;
    }
    if (!command_.trace.empty() &&
        !write_file(command_.trace, print_trace({command_.model, model_hash_, trace_}), diagnostics_)) {
      return false;
    }
    return command_.report.empty() ||
           write_file(command_.report, summary_html(summary_, trace_, pictures(before, after)), diagnostics_);
  }

  // What was removed and added in colour; a picture that cannot be had says why in its place.
  static std::vector<ReportPicture> pictures(const Graph& before, const Graph& after) {
    ModelDiff found = diff_models(before, after);
    return {picture("what changed", before, after, diff_picture(found, before, after, 0)),
            picture("before", before, before, picture_of_graph(before)), picture("after", after, after, picture_of_graph(after))};
  }

  static ReportPicture picture(const std::string& title, const Graph& a, const Graph& b, const std::string& dot) {
    constexpr std::size_t kMostNodes = 4000;
    std::size_t nodes = std::max(a.live_count(), b.live_count());
    if (nodes > kMostNodes) {
      return {
          title, "",
          fmt::format("{} nodes, and Graphviz lays out {} in useful time; 'vouch draw --scope 2' draws less", nodes, kMostNodes)};
    }
    Diagnostics missing;
    auto svg = render(dot, "svg", missing);
    return {title, svg.value_or(""), missing.text()};
  }

  const OptimizeCommand& command_;
  Diagnostics diagnostics_;
  std::vector<Rule> rules_;
  Trace trace_;
  OptimizeSummary summary_;
  std::string model_hash_;
};

}  // namespace

ExitCode optimize_model(const OptimizeCommand& command) { return OptimizeRun(command).run(); }

}  // namespace vouch
