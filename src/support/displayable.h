// Text from files, made fit to be shown: in a terminal, in XML, in JSON.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// Bytes of the character that begins the text, which is not empty (The Unicode Standard 15, table 3-7); 0 if none does.
std::size_t character_length(std::string_view text);

// Of one whole character.
char32_t code_point(std::string_view character);

// Control characters but the tab and the end of a line, characters of no width, those that change the direction of writing,
// separators of lines and paragraphs.
bool is_hidden(char32_t code);

// UTF-8 in which each byte that is none, and each character that is hidden, is U+FFFD; so is what XML has no place for
// (surrogates, U+FFFE, U+FFFF).
std::string displayable(std::string_view text);

// At most so many bytes, then `…`; cut between characters.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace vouch
