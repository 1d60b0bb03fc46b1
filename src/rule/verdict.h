// What is known of a rule, or of a rule at one site.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vouch {

// From strongest to weakest, so the weaker of two is their maximum.
enum class Verdict : std::uint8_t { SoundExact, SoundReal, Unsound, IllTyped, Vacuous, Unknown };

// `sound (exact)`, `sound (real)`, `unsound`, `ill-typed`, `vacuous`, `unknown`.
std::string_view verdict_name(Verdict verdict);
std::optional<Verdict> find_verdict(std::string_view name);
bool is_sound(Verdict verdict);

}  // namespace vouch
