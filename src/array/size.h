// Sizes: natural numbers, symbolic. Mirrors coq/lib/Size.v and SizeCheck.v: the tree is kept as written, since the C text
// shows it; equations and inequations are decided on its polynomial normal form (room `term`).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "array/ref.h"
#include "support/number.h"
#include "term/term.h"

namespace vouch::array {

enum class SizeKind : std::uint8_t { Var, Const, Add, Mul, Part };
// Of x things: how many full blocks of d there are, and how many things they leave; how many blocks of d are left by full blocks
// of c * d; one where something is left by full blocks of d, else none.
enum class SizePart : std::uint8_t { Quotient, Remainder, Digit, Started };

struct SizeNode;
using Size = Ref<SizeNode>;

struct SizeNode {
  SizeKind kind = SizeKind::Const;
  unsigned var = 0;        // Var, Part: number of the size variable
  Integer value;           // Const; Part: d
  std::vector<Size> args;  // Add, Mul: two
  SizePart part = SizePart::Quotient;
  Integer base;  // Digit: c
  friend bool operator==(const SizeNode&, const SizeNode&) = default;
};

Size size_var(unsigned number);
Size size_const(const Integer& value);
Size size_add(const Size& a, const Size& b);
Size size_mul(const Size& a, const Size& b);
// Of a size variable; `base` for digits alone.
Size size_part(SizePart part, unsigned number, const Integer& by, const Integer& base = 0);
bool is_const(const Size& size, int value);
// A variable or a number.
bool is_word(const Size& size);

// The polynomial that a size is.
Term size_term(const Size& size);
// Equal for all values of the size variables.
bool same_size(const Size& a, const Size& b);

// The number, if it is one whatever the size variables are; else as written.
Size worked_out(const Size& size);

// Assumed: first <= second.
using SizeFact = std::pair<Size, Size>;
// Every coefficient is non-negative, or becomes so after one of the facts is subtracted, or one that holds of the parts of sizes
// that stand in it. Sound, not complete.
bool coefficients_nonnegative(Term polynomial);
bool term_nonnegative(const std::vector<SizeFact>& facts, Term polynomial);
bool size_at_most(const std::vector<SizeFact>& facts, const Size& a, const Size& b);

// `values` gives each size variable.
Integer size_value(const Size& size, const std::vector<Integer>& values);
// As the text form of programs has it: `4 * m + 1`. `names` gives each size variable.
std::string print_size(const Size& size, const std::vector<std::string>& names);

}  // namespace vouch::array
