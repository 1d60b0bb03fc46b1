// Scopes as bytes: how they are kept between runs. What proofs of one rule fixed is nearly the same in each: words (terms, names)
// and nodes stand once, in tables, and a scope says which of them it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rule/scope.h"

namespace vouch {

// How the value of an attribute begins.
enum class ScopeValueKind : std::uint8_t { Number, String, Tuple };

std::string scope_bytes(const std::vector<Scope>& scopes);
// Nothing where the bytes are not such.
std::optional<std::vector<Scope>> read_scope_bytes(std::string_view bytes);

}  // namespace vouch
