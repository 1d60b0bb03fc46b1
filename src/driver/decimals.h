// Numbers of pages and pictures.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// Quotients of whole numbers in the text as decimals of 7 digits: `11258999/1125899906842624` is 1e-08 to a reader. What is exact
// stays in traces and tooltips.
std::string with_decimals(std::string_view text);

}  // namespace vouch
