// Text from files, made fit to be shown: in a terminal, in XML, in JSON.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// UTF-8 in which each byte that is none, and each control character but the tab and the end of a line, is U+FFFD; so is what XML
// has no place for (surrogates, U+FFFE, U+FFFF).
std::string displayable(std::string_view text);

// At most so many bytes, then `…`; cut between characters.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace vouch
