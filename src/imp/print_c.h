// Flat programs as C99 text with OpenMP pragmas. Mirrors coq/certify/Print.v: the certificate compares the two texts
// character by character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "array/program.h"
#include "imp/elements.h"
#include "imp/flat.h"

namespace vouch::array {

struct CNames {
  std::vector<std::string> variables;  // inputs, then the output; later variables are v12
  std::vector<std::string> sizes;
  Elements elements = {};
  std::vector<std::string> loops = {};  // from the number after the output's; missing or "": i12
};

CNames c_names(const Program& program);

// Its parts, by themselves.
std::string c_size(const CNames& names, const Size& size);
std::string c_guard(const CNames& names, const Guard& guard);
// A variable, or an element of one.
std::string c_access(const CNames& names, unsigned variable, const Index& index);
// `float v4;`, what encloses the life of such a variable if it may not be there, and what ends it, or nothing.
std::string c_declaration(const CNames& names, unsigned variable, const Size& size);
std::string c_if_there(const CNames& names, unsigned variable, const Size& size);
std::string c_release(const CNames& names, unsigned variable, const Size& size);
// What stands in front of a loop: nothing; a pragma; where there may be no iteration of what several threads share, the
// condition on which they are asked for, then the pragma. A short loop around an unrolled one is to stay one: compilers would
// unroll it as well, and then have more values at hand than registers. And the loop's first line.
std::vector<std::string> c_pragmas(const CNames& names, LoopKind loop, const Size& count, bool around_unrolled);
std::string c_loop(const CNames& names, unsigned variable, const Size& count);
// The parameter list between the parentheses; `inputs` gives the types.
enum class CPointers : std::uint8_t {
  Restrict,
  Plain,
  Header
};  // a header: C++ has no `restrict`, and texts alone have our names
std::string c_parameters(const CNames& names, const std::vector<Type>& inputs, CPointers pointers = CPointers::Restrict);
// The same, as the arguments of a call.
std::string c_arguments(const CNames& names);
// Of a kernel, the form that says whether memory could not be had, and the one that tests what it is given.
std::string c_tried_name(const std::string& name);
std::string c_checked_name(const std::string& name);
// Some array is too large for the stack.
bool needs_heap(const Flat& body);
// Headers, the functions that the body needs, and the allocator if memory is taken.
std::string c_opening(const CNames& names, const Flat& body, bool heap);
// `HEAD(parameters) {`, the body, `}`; with `heap` it is told where to say that memory could not be had.
std::string c_function(const std::string& head, const CNames& names, const std::vector<Type>& inputs, bool heap,
                       const Flat& body);
// The function that calls that form of the kernel, and stops where memory could not be had.
std::string c_stopping(const std::string& name, const CNames& names, const std::vector<Type>& inputs);
// A file without the checked form: headers, the allocator where it is needed, the kernel.
std::string print_c(const std::string& name, const CNames& names, const std::vector<Type>& inputs, const Flat& body);

}  // namespace vouch::array
