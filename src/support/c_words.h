// Names that C has taken: its keywords (and those of C++), macros, what headers and compilers know, what the C library
// defines, forms that are kept for them. Mirrors coq/certify/Names.v and coq/certify/CWords.v.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vouch {

// A function is seen by the whole program; a parameter only by the text that has it.
enum class CNameUse : std::uint8_t { Parameter, Function };

// Why the name cannot be used, as the end of a sentence ("is a keyword of C"); none if it can.
std::optional<std::string_view> c_name_fault(std::string_view name, CNameUse use);
// A name like it that can be used.
std::string c_name_like(std::string_view name, CNameUse use);

}  // namespace vouch
