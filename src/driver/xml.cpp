#include "driver/xml.h"

#include "support/displayable.h"

namespace vouch {

std::string xml_text(std::string_view text) {
  std::string out;
  for (char c : displayable(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace vouch
