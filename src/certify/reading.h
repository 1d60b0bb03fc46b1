// What a kernel computes, as a Coq theorem that a person can read: scalar by scalar, with names, sizes and addresses.
#pragma once

#include <optional>
#include <string>

#include "array/program.h"

namespace vouch::array {

// How the statement of a program whose own text is certified is proven.
inline const std::string kByProgram = "computes_by kernel certified";

// The theorem `computes` about `kernel`, `kernel_text` and `certified` of a certificate, with its proof (the tactics of
// coq/certify/Computes.v and coq/index/Elements.v). Nothing if the kernel does not read so: pairs among inputs or output, an
// array that is accumulated from other cells than the one that is written, more than a page of text, or names whose definitions
// are long once they are unfolded. `by`: the tactic that
// proves it, and what it is given first.
std::optional<std::string> readable_theorem(const Program& program, const std::string& by = kByProgram);

// What the program does at one element, nothing stored, as a `statement` of coq/certify/Statement.v: the same for programs that
// do the same, however they store and compare. Under `indices` index variables, those of the output's axes if it has axes.
// Nothing where that is not known, or is too long.
std::optional<std::string> element_statement(const Program& program, std::size_t indices);

}  // namespace vouch::array
