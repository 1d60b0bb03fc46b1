// What the checked form of a kernel tests. Mirrors coq/certify/Checked.v and the limits of coq/imp/Int64Limits.v.
#pragma once

#include <vector>

#include "array/program.h"
#include "imp/checked.h"
#include "imp/flat.h"

namespace vouch::array {

// Sizes are not negative, and so small that every index fits; what is assumed of them holds; arrays are there; the output
// overlaps no input.
std::vector<Test> kernel_tests(const Program& program, const Flat& flat);

// The whole C text of a kernel: with its checked form.
std::string kernel_text(const Program& program);

// A kernel for one kind of processor (imp/print_versions.h).
struct ProgramVersion {
  std::string word;
  Program program;
};
// The same of versions that differ in their terms and in what loops are called.
std::string versions_text(const std::vector<ProgramVersion>& versions);
// Their flat programs, one after the other.
Flat versions_flat(const std::vector<ProgramVersion>& versions);

}  // namespace vouch::array
