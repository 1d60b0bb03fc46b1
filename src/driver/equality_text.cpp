#include "driver/equality_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/json_tensor.h"
#include "io/json_text.h"

namespace vouch {
namespace {

constexpr std::pair<EquivStep::Kind, const char*> kGrounds[] = {
    {EquivStep::Kind::Value, "value"},   {EquivStep::Kind::Contents, "contents"}, {EquivStep::Kind::Congruence, "congruence"},
    {EquivStep::Kind::Region, "region"}, {EquivStep::Kind::Fold, "fold"},         {EquivStep::Kind::Bodies, "bodies"}};

// One text. What is wrong is reported, and then stands there as nothing.
class EqualityReader {
 public:
  explicit EqualityReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  EqualityText all(const JsonValue& root) {
    EqualityText out;
    if (integer(root, "vouch_equalities") != kEqualitiesVersion) {
      root.error(diagnostics_, fmt::format("expected version {} of such files", kEqualitiesVersion));
      return out;
    }
    for (const JsonValue& one : items(root, "models")) {
      out.models.push_back(model(one));
    }
    if (out.models.size() != 2) {
      root.error(diagnostics_, fmt::format("expected two models, found {}", out.models.size()));
    }
    for (const JsonValue& one : members(root, "map")) {
      out.map[one.key()] = one.string(diagnostics_).value_or("");
    }
    for (const JsonValue& one : members(root, "sizes")) {
      out.sizes[one.key()] = one.integer(diagnostics_).value_or(0);
    }
    out.exact = boolean(root.member("exact", diagnostics_));
    out.fold_tolerance = fold_tolerance(root.member("fold_tolerance", diagnostics_));
    out.verdict = string(root, "verdict");
    for (const JsonValue& one : items(root, "steps")) {
      out.steps.push_back(step(one));
    }
    return out;
  }

 private:
  ListedFile file(const JsonValue& value) { return {string(value, "path"), string(value, "hash")}; }

  ListedModel model(const JsonValue& value) {
    ListedModel out{file(value), {}};
    value.refuse_unknown_members({"path", "hash", "weights"}, diagnostics_);
    for (const JsonValue& one : value.find("weights") ? items(value, "weights") : std::vector<JsonValue>{}) {
      out.weights.push_back(file(one));
      one.refuse_unknown_members({"path", "hash"}, diagnostics_);
    }
    return out;
  }

  EquivStep step(const JsonValue& value) {
    EquivStep out;
    std::string by = string(value, "by");
    const auto* found = std::find_if(std::begin(kGrounds), std::end(kGrounds), [&](const auto& one) { return by == one.second; });
    if (found == std::end(kGrounds)) {
      value.error(diagnostics_, "a step has no known ground");
      return out;
    }
    out.kind = found->first;
    out.node = node(value.member("node", diagnostics_));
    out.equals = node(value.member("other", diagnostics_));
    if (value.find("algebra")) {
      out.exact = string(value, "algebra") == "exact";
    }
    if (auto bound = value.find("bound")) {
      out.bound = real(bound);
    }
    for (const JsonValue& one : value.find("cuts") ? items(value, "cuts") : std::vector<JsonValue>{}) {
      out.cuts.push_back(cut(one));
    }
    return out;
  }

  RegionCut cut(const JsonValue& value) {
    auto parts = value.array(diagnostics_).value_or(std::vector<JsonValue>{});
    if (parts.size() != 3) {
      value.error(diagnostics_, "expected the nodes of both sides, and whether elements are used");
      return {};
    }
    return {nodes(parts[0]), nodes(parts[1]), boolean(parts[2])};
  }

  std::vector<NodeId> nodes(const JsonValue& value) {
    std::vector<NodeId> out;
    for (const JsonValue& one : value.array(diagnostics_).value_or(std::vector<JsonValue>{})) {
      out.push_back(node(one));
    }
    return out;
  }

  NodeId node(const std::optional<JsonValue>& value) {
    auto number = value ? value->integer(diagnostics_) : std::nullopt;
    if (number && (*number < 0 || *number >= std::numeric_limits<NodeId>::max())) {
      value->error(diagnostics_, fmt::format("expected the number of a node, found {}", *number));
      return kNoNode;
    }
    return number ? static_cast<NodeId>(*number) : kNoNode;
  }

  bool boolean(const std::optional<JsonValue>& value) {
    return value && value->kind() != JsonKind::False && value->expect(JsonKind::True, diagnostics_);
  }

  FoldTolerance fold_tolerance(const std::optional<JsonValue>& value) {
    if (!value || value->kind() == JsonKind::Null) {
      return {};
    }
    double stated = real(value);
    if (!FoldTolerance::can_be(stated)) {
      value->error(diagnostics_, fmt::format("expected a number from 0 to below 1, or null, found {}", stated));
    }
    return FoldTolerance(stated);
  }

  double real(const std::optional<JsonValue>& value) { return value ? json_real(*value, diagnostics_).value_or(0) : 0; }

  std::int64_t integer(const JsonValue& object, const char* name) {
    auto value = object.member(name, diagnostics_);
    return value ? value->integer(diagnostics_).value_or(0) : 0;
  }

  std::string string(const JsonValue& object, const char* name) {
    auto value = object.member(name, diagnostics_);
    return value ? value->string(diagnostics_).value_or("") : "";
  }

  std::vector<JsonValue> items(const JsonValue& object, const char* name) {
    auto value = object.member(name, diagnostics_);
    return value ? value->array(diagnostics_).value_or(std::vector<JsonValue>{}) : std::vector<JsonValue>{};
  }

  std::vector<JsonValue> members(const JsonValue& object, const char* name) {
    auto value = object.member(name, diagnostics_);
    return value && value->expect(JsonKind::Object, diagnostics_) ? value->items() : std::vector<JsonValue>{};
  }

  Diagnostics& diagnostics_;
};

}  // namespace

const char* ground_name(EquivStep::Kind kind) {
  return std::find_if(std::begin(kGrounds), std::end(kGrounds), [&](const auto& one) { return one.first == kind; })->second;
}

std::optional<EqualityText> read_equalities(SourceRef source, Diagnostics& diagnostics) {
  auto text = JsonText::parse(std::move(source), diagnostics);
  std::optional<EqualityText> out = text ? std::optional(EqualityReader(diagnostics).all(text->root())) : std::nullopt;
  return diagnostics.has_errors() ? std::nullopt : std::move(out);
}

}  // namespace vouch
