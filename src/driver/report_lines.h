// Lines below a row of a report.
#pragma once

#include <string>
#include <vector>

#include "driver/coq.h"

namespace vouch {

// Why it does not hold, each line under the row.
std::vector<std::string> reasons(const std::vector<std::string>& differences, const CoqAnswer& answer);
std::string indented(const std::string& text);

}  // namespace vouch
