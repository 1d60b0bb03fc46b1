#include "driver/kernel_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "driver/processor.h"
#include "driver/targets.h"
#include "support/fault.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

bool is_strings(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_string(); });
}

// Every member is of the kind of the same member of `shape`, and there are no others.
bool has_shape(const Json& json, const Json& shape) {
  if (!json.is_object() || json.size() != shape.size()) {
    return false;
  }
  return std::all_of(shape.items().begin(), shape.items().end(), [&](const auto& member) {
    auto found = json.find(member.key());
    return found != json.end() && found->type() == member.value().type() && (!found->is_array() || is_strings(*found));
  });
}

bool is_plain(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' || c == '-';
}

bool is_comment_name(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return is_plain(c) || c == '%'; });
}

constexpr std::pair<Ties, std::string_view> kTies[] = {{Ties::First, "first"}, {Ties::Second, "second"}, {Ties::Half, "half"}};

std::string ties_name(Ties ties) {
  for (auto [value, name] : kTies) {
    if (value == ties) {
      return std::string(name);
    }
  }
  fault("no such ties");
}

std::optional<Ties> find_ties(const std::string& text) {
  for (auto [value, name] : kTies) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

Json derivative_json(const DerivativeRecipe& recipe) {
  return {{"forward", recipe.forward},           {"cpp", recipe.cpp},          {"ties", ties_name(recipe.ties)},
          {"targets", recipe.targets},           {"operator", recipe.call.op}, {"operands", recipe.call.operands},
          {"attributes", recipe.call.attributes}};
}

}  // namespace

std::string source_file(const KernelRecipe& recipe, const std::string& name) {
  return name + (recipe.is_functional() ? ".fun" : recipe.origin.ends_with(".json") ? ".source.json" : ".source.tk");
}

Json recipe_json(const KernelRecipe& recipe) {
  Json json{{"origin", recipe.origin}, {"sizes", recipe.sizes}, {"derivation", recipe.derivation}};
  if (recipe.planned) {
    json["planned"] = true;
  }
  if (recipe.fused) {
    json["fma"] = true;
  }
  if (recipe.lanes) {
    json["lanes"] = true;
  }
  if (recipe.reordered) {
    json["reorder"] = true;
  }
  put_target(json, recipe.target);
  if (!recipe.targets.empty()) {
    json["targets"] = recipe.targets;
  }
  if (recipe.schedule) {
    json["schedule"] = *recipe.schedule;
  }
  if (recipe.derivative) {
    json["derivative"] = derivative_json(*recipe.derivative);
  }
  return json;
}

std::optional<KernelRecipe> read_recipe(const Json& json) {
  if (!json.is_object()) {
    return std::nullopt;
  }
  KernelRecipe recipe;
  if (json.contains("derivative")) {
    const Json& derivative = json["derivative"];
    auto ties = has_shape(derivative, derivative_json({})) ? find_ties(derivative["ties"].get<std::string>()) : std::nullopt;
    if (!ties) {
      return std::nullopt;
    }
    recipe.derivative = {derivative["forward"].get<bool>(),
                         derivative["cpp"].get<bool>(),
                         *ties,
                         derivative["targets"].get<std::vector<std::string>>(),
                         {derivative["operator"].get<std::string>(), derivative["operands"].get<std::vector<std::string>>(),
                          derivative["attributes"].get<std::vector<std::string>>()}};
  }
  Json rest = json;
  rest.erase("derivative");
  recipe.planned = rest.value("planned", Json()) == Json(true);
  if (recipe.planned) {
    rest.erase("planned");
  }
  recipe.fused = rest.value("fma", Json()) == Json(true);
  if (recipe.fused) {
    rest.erase("fma");
  }
  recipe.lanes = rest.value("lanes", Json()) == Json(true);
  if (recipe.lanes) {
    rest.erase("lanes");
  }
  recipe.reordered = rest.value("reorder", Json()) == Json(true);
  if (recipe.reordered) {
    rest.erase("reorder");
  }
  auto target = read_target(rest);
  if (!target) {
    return std::nullopt;
  }
  recipe.target = std::move(*target);
  rest.erase("target");
  if (rest.contains("targets")) {
    auto targets = read_targets(rest["targets"]);
    if (!targets) {
      return std::nullopt;
    }
    recipe.targets = std::move(*targets);
    rest.erase("targets");
  }
  if (rest.contains("schedule")) {
    if (!rest["schedule"].is_string()) {
      return std::nullopt;
    }
    recipe.schedule = rest["schedule"].get<std::string>();
    rest.erase("schedule");
  }
  if (!has_shape(rest, recipe_json({}))) {
    return std::nullopt;
  }
  recipe.origin = rest["origin"].get<std::string>();
  recipe.sizes = rest["sizes"].get<std::vector<std::string>>();
  recipe.derivation = rest["derivation"].get<bool>();
  return is_comment_name(recipe.origin) ? std::optional(recipe) : std::nullopt;
}

std::string comment_name(const std::string& name) {
  std::string shown;
  for (unsigned char c : name) {
    shown += is_plain(c) ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return shown;
}

}  // namespace vouch
