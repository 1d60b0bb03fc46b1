#include "driver/counterexample_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "io/file.h"
#include "io/graph_json.h"
#include "io/json_tensor.h"
#include "io/json_text.h"
#include "tensor/element.h"

namespace vouch {
namespace {

constexpr std::array<std::string_view, 4> kFailing{"differs", "undefined", "types", "ill_typed"};

std::string tensor_json(const std::string& name, const Tensor& tensor) {
  std::string data;
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    data += i == 0 ? "" : ", ";
    data += is_float(tensor.dtype()) ? fmt::format("{}", tensor.double_at(i)) : whole_element(tensor, i).str();
  }
  return fmt::format(R"({{"name": {}, "type": "{}", "dims": [{}], "data": [{}]}})", json_quote(name), dtype_name(tensor.dtype()),
                     fmt::join(tensor.extents(), ", "), data);
}

class CounterexampleReader {
 public:
  CounterexampleReader(const std::string& path, Diagnostics& diagnostics) : path_(path), diagnostics_(diagnostics) {}

  std::optional<SavedCounterexample> read(const JsonValue& root) {
    root.refuse_unknown_members({"counterexample", "rule", "failing", "at", "reason", "source", "target", "inputs", "output",
                                 "index", "source_value", "target_value", "text"},
                                diagnostics_);
    SavedCounterexample out;
    out.rule = string(root, "rule");
    Counterexample& c = out.counterexample;
    c.label = string(root, "at");
    c.reason = string(root, "reason");
    c.failing = failing(root);
    if (auto source = graph(root, "source")) {
      c.source = std::move(*source);
    }
    if (auto target = root.member("target", diagnostics_); target && target->kind() != JsonKind::Null) {
      c.target = graph(root, "target");
    }
    read_inputs(root, c);
    read_place(root, c);
    return diagnostics_.has_errors() ? std::nullopt : std::optional(std::move(out));
  }

 private:
  std::string string(const JsonValue& root, std::string_view name) {
    auto member = root.member(name, diagnostics_);
    return member ? member->string(diagnostics_).value_or("") : "";
  }

  Failing failing(const JsonValue& root) {
    std::string word = string(root, "failing");
    for (std::size_t k = 0; k < kFailing.size(); ++k) {
      if (kFailing[k] == word) {
        return static_cast<Failing>(k);
      }
    }
    root.error(diagnostics_, fmt::format("`failing` is one of {}; found '{}'", fmt::join(kFailing, ", "), word));
    return Failing::Differs;
  }

  std::optional<Graph> graph(const JsonValue& root, std::string_view name) {
    auto member = root.member(name, diagnostics_);
    auto text = member ? std::make_shared<Source>(fmt::format("{}/{}", path_, name), std::string(member->text())) : nullptr;
    return text ? parse_graph(text, {}, diagnostics_) : std::nullopt;
  }

  void read_inputs(const JsonValue& root, Counterexample& c) {
    auto member = root.member("inputs", diagnostics_);
    auto items = member ? member->array(diagnostics_) : std::nullopt;
    for (const JsonValue& item : items.value_or(std::vector<JsonValue>{})) {
      if (auto tensor = json_tensor(item, {"name"}, {}, diagnostics_)) {
        c.inputs.push_back(std::move(*tensor));
      }
    }
    for (const Graph* side : {&c.source, c.target ? &*c.target : nullptr}) {
      if (side && !diagnostics_.has_errors() && side->inputs().size() != c.inputs.size()) {
        root.error(diagnostics_, fmt::format("{} inputs for a graph that has {}", c.inputs.size(), side->inputs().size()));
      }
    }
  }

  void read_place(const JsonValue& root, Counterexample& c) {
    auto output = root.member("output", diagnostics_);
    auto number = output ? output->integer(diagnostics_) : std::nullopt;
    c.output = static_cast<std::size_t>(std::max<std::int64_t>(number.value_or(0), 0));
    auto index = root.member("index", diagnostics_);
    auto items = index ? index->array(diagnostics_) : std::nullopt;
    for (const JsonValue& item : items.value_or(std::vector<JsonValue>{})) {
      c.index.push_back(item.integer(diagnostics_).value_or(0));
    }
  }

  const std::string& path_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<std::string> print_counterexample(const std::string& rule, const Counterexample& c, Diagnostics& diagnostics) {
  auto source = print_graph(c.source, diagnostics);
  auto target = c.target ? print_graph(*c.target, diagnostics) : std::optional<std::string>("null");
  if (!source || !target) {
    return std::nullopt;
  }
  std::string inputs;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    inputs += (k == 0 ? "\n  " : ",\n  ") + tensor_json(c.source.name(c.source.inputs()[k]), c.inputs[k]);
  }
  return fmt::format(
      "{{\"counterexample\": 1,\n\"rule\": {},\n\"failing\": \"{}\",\n\"at\": {},\n\"reason\": {},\n\"source\": {},\n"
      "\"target\": {},\n\"inputs\": [{}],\n\"output\": {},\n\"index\": [{}],\n\"source_value\": {},\n\"target_value\": {}}}\n",
      json_quote(rule), kFailing[static_cast<std::size_t>(c.failing)], json_quote(c.label), json_quote(c.reason), *source,
      *target, inputs, c.output, fmt::join(c.index, ", "),
      json_quote(c.failing == Failing::IllTyped || c.failing == Failing::Types ? "" : to_text(c.source_value)),
      json_quote(c.failing == Failing::Differs ? to_text(c.target_value) : ""));
}

bool write_counterexample(const std::string& rule, const Counterexample& c, const std::string& path, Diagnostics& diagnostics) {
  auto text = print_counterexample(rule, c, diagnostics);
  return text && write_file(path, *text, diagnostics);
}

std::optional<SavedCounterexample> read_counterexample(const std::string& path, Diagnostics& diagnostics) {
  auto text = read_file(path, diagnostics);
  auto json = text ? JsonText::parse(std::make_shared<Source>(path, std::move(*text)), diagnostics) : std::nullopt;
  return json ? CounterexampleReader(path, diagnostics).read(json->root()) : std::nullopt;
}

}  // namespace vouch
