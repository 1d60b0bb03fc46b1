// The checked form of a kernel, `int NAME_checked(…)`: the tests it makes before it calls the kernel. Mirrors
// coq/certify/Checked.v, which proves what is known where all are passed.
#pragma once

#include <string>
#include <vector>

#include "imp/print_c.h"

namespace vouch::array {

enum class TestKind : std::uint8_t { Negative, TooLarge, Broken, Missing, Overlap };
struct Test {
  TestKind kind = TestKind::Negative;
  unsigned var = 0;    // Negative: the size; Missing, Overlap: the array
  unsigned other = 0;  // Overlap: the other array
  std::vector<Size>
      sizes;  // TooLarge: one; Broken: first <= second is assumed; Missing: a count of elements; Overlap: counts of bytes
};

// What the checked form returns where memory for a temporary cannot be had; 0 where all is well.
inline constexpr unsigned kNoMemory = 6;
unsigned code_of(const Test& test);

// The functions that the tests call, then the checked form. With arrays on the heap the kernel is called by its form that
// says whether memory could not be had.
std::string print_checked(const std::string& name, const CNames& names, const std::vector<Type>& inputs, bool heap,
                          const std::vector<Test>& tests);

}  // namespace vouch::array
