// What `vouch equiv` found, for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "equiv/equiv.h"

namespace vouch {

std::string verdict_text(const EquivResult& result);
std::string equiv_text(const EquivResult& result);
nlohmann::ordered_json equiv_json(const EquivResult& result);

}  // namespace vouch
