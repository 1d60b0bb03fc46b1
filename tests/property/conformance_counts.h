// How many cases of ONNX's suite each operator's definition passes: as the command says it, and as it is.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace vouch {

using PassedCases = std::map<std::string, std::size_t>;  // by operator of the table

// How many operators pass fewer cases than `vouch verify --trust` says; each is printed.
std::size_t claimed_too_much(const PassedCases& passed);
// The table in C++ that the command reads.
std::string operators_text(const PassedCases& passed);

}  // namespace vouch
