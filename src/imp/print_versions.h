// Several versions of a kernel in one C text, of which one is called for each kind of processor. Coq reads the text by
// coq/index/Versions.v, whose parser has these words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "imp/print_c.h"

namespace vouch::array {

// The version for any processor, and those that others are asked for, the oldest first: `number` is what VOUCH_NEWEST counts.
inline constexpr std::string_view kGenericVersion = "generic";
struct VersionTarget {
  std::string_view word;  // avx2
  unsigned number;
  std::string_view macro;  // VOUCH_AVX2
  std::string_view text;   // what the text says of it
  std::string_view coq;    // Avx2
};
const std::vector<VersionTarget>& version_targets();
// Nothing for `generic`.
const VersionTarget* version_target(std::string_view word);
// 0 for `generic`.
unsigned version_number(std::string_view word);

struct VersionText {
  std::string word;
  CNames names;  // those of loops are the version's own
  Flat body;
};

// `mm_avx2`; the function that asks for it, `has_avx2`.
std::string version_name(const std::string& name, std::string_view word);
std::string version_question(std::string_view word);

// Without the checked form. The first is the generic one; others follow in the order of `version_targets`.
std::string print_versions(const std::string& name, const std::vector<Type>& inputs, const std::vector<VersionText>& versions);

// All bodies, one after the other: what they need together.
Flat all_bodies(const std::vector<VersionText>& versions);

}  // namespace vouch::array
