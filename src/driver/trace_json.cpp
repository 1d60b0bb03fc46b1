#include "driver/trace_json.h"

#include <nlohmann/json.hpp>

#include "io/json_text.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;

Json node_json(NodeId node) { return node == kNoNode ? Json(nullptr) : Json(node); }

// Of a step inside a body: the calls whose bodies it is in, from the outermost inwards.
void add_body(const BodyPath& path, Json& step) {
  for (const BodyPlace& place : path) {
    step["body"].push_back({place.call, place.attribute});
  }
}

Json step_json(const TraceStep& step) {
  Json out{{"rule", step.rule},
           {"hash", step.rule_hash},
           {"verdict", step.verdict},
           {"outputs", step.outputs},
           {"output_counts", step.output_counts},
           {"output_names", step.output_names}};
  Json& match = out["match"] = Json::array();
  for (const auto& [pattern, node] : step.nodes) {
    match.push_back({pattern, node});
  }
  Json& instances = out["instances"] = Json::array();
  for (const TraceStep::Instance& instance : step.instances) {
    Json templates = Json::array();
    for (NodeId node : instance.templates) {
      templates.push_back(node_json(node));
    }
    instances.push_back({{"variadic", instance.variadic}, {"outer", instance.outer}, {"templates", std::move(templates)}});
  }
  out["operators"] = step.operators;
  if (!step.axis_numbers.empty()) {
    out["axes"] = step.axis_numbers;
  }
  Json& fresh = out["new"] = Json::array();
  for (const TraceStep::NewNode& node : step.new_nodes) {
    fresh.push_back({node.id, node.form});
  }
  out["results"] = step.results;
  add_body(step.body, out);
  return out;
}

class TraceReader {
 public:
  explicit TraceReader(Diagnostics& diagnostics) : diagnostics_(diagnostics), errors_(diagnostics.error_count()) {}

  std::optional<TraceFile> file(JsonValue root) {
    root.refuse_unknown_members({"vouch_trace", "model", "steps", "end"}, diagnostics_);
    auto version = root.member("vouch_trace", diagnostics_);
    auto number = version ? version->integer(diagnostics_) : std::nullopt;
    if (number && *number != kVersion) {
      version->error(diagnostics_, "this version of traces is not known: expected " + std::to_string(kVersion) + ", found " +
                                       std::to_string(*number));
    }
    TraceFile out;
    if (auto model = root.member("model", diagnostics_)) {
      out.model = text(*model, "name");
      out.model_hash = text(*model, "hash");
    }
    out.trace.end = text(root, "end");
    for (JsonValue step : list(root, "steps")) {
      if (step.find("pass")) {
        read_pass(step, out.trace);
      } else {
        out.trace.steps.emplace_back(read_step(step));
      }
    }
    return diagnostics_.error_count() == errors_ ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  std::string text(JsonValue object, std::string_view key) {
    auto value = object.member(key, diagnostics_);
    return value ? value->string(diagnostics_).value_or("") : "";
  }

  std::vector<JsonValue> list(JsonValue object, std::string_view key) {
    auto value = object.member(key, diagnostics_);
    return value ? value->array(diagnostics_).value_or(std::vector<JsonValue>()) : std::vector<JsonValue>();
  }

  std::uint32_t number(JsonValue value) {
    auto read = value.integer(diagnostics_);
    if (read && (*read < 0 || *read >= kNone)) {
      value.error(diagnostics_, "expected a number from 0 to 4294967294, found " + std::to_string(*read));
    }
    return static_cast<std::uint32_t>(read.value_or(0));
  }

  std::vector<std::uint32_t> numbers(JsonValue object, std::string_view key) {
    std::vector<std::uint32_t> out;
    for (JsonValue item : list(object, key)) {
      out.push_back(number(item));
    }
    return out;
  }

  std::vector<std::string> texts(JsonValue object, std::string_view key) {
    std::vector<std::string> out;
    for (JsonValue item : list(object, key)) {
      out.push_back(item.string(diagnostics_).value_or(""));
    }
    return out;
  }

  std::optional<std::pair<JsonValue, JsonValue>> pair(JsonValue value) {
    auto items = value.array(diagnostics_);
    if (items && items->size() != 2) {
      value.error(diagnostics_, "expected a pair, found a list of " + std::to_string(items->size()));
    }
    return items && items->size() == 2 ? std::optional(std::pair((*items)[0], (*items)[1])) : std::nullopt;
  }

  void read_pass(JsonValue step, Trace& trace) {
    step.refuse_unknown_members({"pass", "changes", "body"}, diagnostics_);
    std::string name = text(step, "pass");
    auto pass = find_pass(name);
    if (!pass) {
      step.error(diagnostics_, "there is no pass '" + name + "'");
    }
    auto changes = step.member("changes", diagnostics_);
    trace.steps.emplace_back(PassStep{pass.value_or(Pass::RemoveDead), changes ? number(*changes) : 0, body(step)});
  }

  BodyPath body(JsonValue step) {
    BodyPath path;
    for (JsonValue entry : step.find("body") ? list(step, "body") : std::vector<JsonValue>()) {
      if (auto both = pair(entry)) {
        path.push_back({number(both->first), both->second.string(diagnostics_).value_or("")});
      }
    }
    return path;
  }

  TraceStep read_step(JsonValue step) {
    step.refuse_unknown_members({"rule", "hash", "verdict", "outputs", "output_counts", "output_names", "match", "instances",
                                 "operators", "axes", "new", "results", "body"},
                                diagnostics_);
    TraceStep out;
    out.rule = text(step, "rule");
    out.rule_hash = text(step, "hash");
    out.verdict = text(step, "verdict");
    out.outputs = numbers(step, "outputs");
    out.output_counts = numbers(step, "output_counts");
    out.output_names = texts(step, "output_names");
    for (JsonValue entry : list(step, "match")) {
      if (auto both = pair(entry)) {
        out.nodes.emplace_back(number(both->first), number(both->second));
      }
    }
    for (JsonValue entry : list(step, "instances")) {
      out.instances.push_back(read_instance(entry));
    }
    out.operators = texts(step, "operators");
    out.axis_numbers = step.find("axes") ? numbers(step, "axes") : AxisNumbers();
    for (JsonValue entry : list(step, "new")) {
      if (auto both = pair(entry)) {
        out.new_nodes.push_back({number(both->first), both->second.string(diagnostics_).value_or("")});
      }
    }
    out.results = numbers(step, "results");
    out.body = body(step);
    return out;
  }

  TraceStep::Instance read_instance(JsonValue entry) {
    auto variadic = entry.member("variadic", diagnostics_);
    auto outer = entry.member("outer", diagnostics_);
    TraceStep::Instance out{variadic ? number(*variadic) : 0, outer ? number(*outer) : 0, {}};
    for (JsonValue node : list(entry, "templates")) {
      out.templates.push_back(node.kind() == JsonKind::Null ? kNoNode : number(node));
    }
    return out;
  }

  Diagnostics& diagnostics_;
  std::size_t errors_;
};

}  // namespace

std::string print_trace(const TraceFile& file) {
  Json out{{"vouch_trace", kVersion}, {"model", {{"name", file.model}, {"hash", file.model_hash}}}};
  Json& steps = out["steps"] = Json::array();
  for (const auto& step : file.trace.steps) {
    if (const auto* rewrite = std::get_if<TraceStep>(&step)) {
      steps.push_back(step_json(*rewrite));
    } else {
      const PassStep& pass = std::get<PassStep>(step);
      steps.push_back({{"pass", pass_name(pass.pass)}, {"changes", pass.changes}});
      add_body(pass.body, steps.back());
    }
  }
  out["end"] = file.trace.end;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<TraceFile> parse_trace(const SourceRef& source, Diagnostics& diagnostics) {
  auto text = JsonText::parse(source, diagnostics);
  return text ? TraceReader(diagnostics).file(text->root()) : std::nullopt;
}

}  // namespace vouch
