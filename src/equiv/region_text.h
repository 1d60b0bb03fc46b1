// What a region says: for people, and as a key, since regions of one text have one proof.
#pragma once

#include <cstdint>
#include <string>

#include "check/region.h"

namespace vouch {

struct RegionWords {
  std::string text;
  bool lasting = true;  // it says all of it, in any run
};

// Graphs and tensors in attributes have no text of their own: where identities are told, these keep them apart, in this run.
enum class Identities : std::uint8_t { Told, Untold };

RegionWords region_text(const Region& region, Identities identities);

}  // namespace vouch
