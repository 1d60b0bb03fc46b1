// Element types in C. Mirrors coq/certify/Elements.v: what is written is proven to be what is computed there.
//
// Integers wrap around, through functions on the unsigned type that the text defines; a quotient is cut towards zero, and is 0
// where the divisor is. A float that no integer of the type is near becomes the smallest one; of 8 and 16 bits, and without
// sign, 0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "array/ast.h"
#include "imp/flat.h"

namespace vouch::array {

// The type a kernel computes in, and those that its inputs, then its output, are stored in.
struct Elements {
  Element computed = Element::F32;
  std::vector<Element> stored;

  Element of(unsigned variable) const { return variable < stored.size() ? stored[variable] : computed; }
};

bool is_float(Element element);
bool is_whole(Element element);
bool has_sign(Element element);
// `float`, `int64_t`, …; as C has no type of 16 bits for floats, names that texts define, and what they stand for.
std::string_view c_type(Element element);
std::string_view c_held(Element element);
// The definitions of such names, for parameters of these types.
std::string c_typedefs(const std::vector<Element>& stored);
unsigned bytes_of(Element element);
// There is a conversion from the one to the other.
bool castable(Element from, Element to);
// `new_floats`: the allocator of temporaries.
std::string c_allocator_name(Element element);
std::string c_literal(Element element, const Const& constant);
// The function that makes a value of an index.
std::string c_position(Element element);

// The functions of loops' bounds.
inline constexpr std::string_view kAtLeast = "at_least";
inline constexpr std::string_view kAtMost = "at_most";
// The operation in that type; a conversion's operand is in the type it comes from.
std::string c_operation(Element element, Op op, const std::vector<std::string>& operands);
// Of the functions that C does not have, those that the program calls, in order, as texts.
std::vector<std::string> c_definitions(const Elements& elements, const Flat& body);

// Some type's operations do not include this one.
bool has_operation(Element element, Op op);

}  // namespace vouch::array
