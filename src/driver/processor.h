// The processors whose registers tiles are made for (certify/index_plan.h), as commands, recipes and manifests say them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "certify/index_plan.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vouch {

// Of the processor that this runs on: the longest of those vectors that it has.
std::string native_target();

// `--target`, one of those names or `native`, which is that of the processor that this runs on.
CLI::Option* add_target(CLI::App& app, std::string& target, const std::string& what);
// What `said`, such a word, names.
std::string target_name(const std::string& said);

// As `target` of a recipe or manifest, which says none where it is the one that is taken by itself.
void put_target(nlohmann::ordered_json& json, const std::string& target);
// That of a recipe or manifest; nothing where what it says is no name of one.
std::optional<std::string> read_target(const nlohmann::ordered_json& json);

}  // namespace vouch
