// The processors whose registers tiles are made for (certify/index_plan.h), as commands, recipes and manifests say them.
#pragma once

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

}  // namespace vouch
