// Text within XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// Fit for content and for attributes in either quotes; what XML has no place for is U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace vouch
