// The file that says why two models are equal, as data (its form: equality_trace.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equiv/equiv.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

inline constexpr int kEqualitiesVersion = 1;

struct ListedFile {
  std::string path;
  std::string hash;
};
struct ListedModel {
  ListedFile file;
  std::vector<ListedFile> weights;
};

struct EqualityText {
  std::vector<ListedModel> models;  // two
  std::map<std::string, std::string> map;
  std::map<std::string, std::int64_t> sizes;
  bool exact = false;
  FoldTolerance fold_tolerance;
  std::string verdict;
  std::vector<EquivStep> steps;
};

// What a step rests on, as the file has it: `congruence`.
const char* ground_name(EquivStep::Kind kind);

// Reports what is missing, of another kind or beyond its range, each with its place.
std::optional<EqualityText> read_equalities(SourceRef source, Diagnostics& diagnostics);

}  // namespace vouch
