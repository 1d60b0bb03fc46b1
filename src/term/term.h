// The language of index expressions: what operators, rules, kernels and gradients mean.
//
// Three sorts. *Integer terms*: sizes, attributes and index expressions, over the unbounded integers; `//` and `%`
// are floor division and its remainder, and every modulus is assumed to be at least 1 (whoever builds one says so
// among the legality conditions). *Guards*: conditions. *Scalar terms*: tensor elements, over the reals; integer
// and boolean tensors hold integral numbers and 0 or 1. `1/0` has no meaning here: an evaluator reports it.
//
// Terms are interned: equality of structure is equality of handles. Integer terms and guards are kept in a normal
// form (expanded polynomials over atoms); scalar terms are kept as written, because floats notice the difference.
// Terms live until the process ends; construction is thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/number.h"
#include "support/symbol.h"

namespace vouch {

enum class Sort : std::uint8_t { Int, Bool, Real };

enum class TermKind : std::uint8_t {
  // integer terms
  IntConst,   // value
  IntVar,     // symbol: a size, an attribute or an index
  IntAdd,     // n-ary, normalised: monomials in order, the constant last
  IntMul,     // n-ary, normalised: constant coefficient first unless it is 1, then atoms in order
  FloorDiv,   // args: dividend, divisor
  FloorMod,   // args: dividend, divisor
  IntMin,     // two args
  IntMax,     // two args
  IntSelect,  // args: guard, then, else
  IntOf,      // arg: a scalar term known to be integral (an index that is data)
  // guards
  BoolConst,  // value: 0 or 1
  IntLe,      // args: a <= b
  IntEq,      // args: a == b
  RealLt,     // args: a < b
  RealLe,     // args: a <= b
  RealEq,     // args: a == b
  And,        // n-ary
  Or,         // n-ary
  Not,        // one arg
  // scalar terms
  RealConst,  // value
  RealVar,    // symbol: a scalar attribute such as epsilon
  RealOf,     // arg: an integer term
  Read,       // symbol: the tensor; args: one index per axis
  RealAdd,    // two args, as written
  RealSub,
  RealMul,
  RealDiv,
  RealNeg,
  Call,    // fn; args
  Select,  // args: guard, then, else; only the chosen branch has to be defined
  Reduce,  // reduction; bound: index names; args: body, guard, one extent per bound index
};

// Scalar functions. Round is half to even; Mod is floor-like (sign of the divisor), Fmod truncates (sign of the
// dividend), TruncDiv is integer division towards zero; Min, Max, Pow, Mod, Fmod, TruncDiv, Atan2 take two arguments.
enum class Fn : std::uint8_t {
  Exp,
  Log,
  Sqrt,
  Tanh,
  Erf,
  Abs,
  Sign,
  Floor,
  Ceil,
  Round,
  Trunc,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Asinh,
  Acosh,
  Atanh,
  Min,
  Max,
  Pow,
  Mod,
  Fmod,
  TruncDiv,
};
inline constexpr int kFnCount = 28;

// Over no iterations: 0, 1, minus infinity, plus infinity.
enum class Reduction : std::uint8_t { Sum, Product, Max, Min };

class Term;

struct TermNode {
  TermKind kind;
  Sort sort;
  Fn fn = Fn::Exp;
  Reduction reduction = Reduction::Sum;
  std::uint32_t depth = 1;  // longest path to a leaf
  std::size_t hash = 0;
  Symbol symbol;
  Rational value;
  std::vector<Term> args;
  std::vector<Symbol> bound;
};

// A handle to an interned node; never null except when default-constructed.
class Term {
 public:
  Term() = default;
  Term(std::int64_t value);  // NOLINT: an integer constant reads as itself

  const TermNode* operator->() const { return node_; }
  const TermNode& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  TermKind kind() const { return node_->kind; }
  Sort sort() const { return node_->sort; }
  std::span<const Term> args() const { return node_->args; }
  const Term& arg(std::size_t i) const { return node_->args[i]; }
  friend bool operator==(Term a, Term b) { return a.node_ == b.node_; }
  const void* id() const { return node_; }

 private:
  friend Term intern(TermNode&& node);
  struct Interned {
    const TermNode* node;
  };
  explicit Term(Interned interned) : node_(interned.node) {}
  const TermNode* node_ = nullptr;
};

// A total order by structure, the same in every run.
std::strong_ordering compare(Term a, Term b);

// --- integer terms
Term int_const(const Integer& value);
Term int_var(Symbol name);
Term int_var(std::string_view name);
Term floor_div(Term a, Term b);
Term floor_mod(Term a, Term b);
Term ceil_div(Term a, Term b);
Term int_min(Term a, Term b);
Term int_max(Term a, Term b);
Term int_select(Term guard, Term then, Term otherwise);
Term int_of(Term scalar);
Term product_of(std::span<const Term> factors);
Term sum_of(std::span<const Term> summands);

// --- guards
Term bool_const(bool value);
Term le(Term a, Term b);
Term lt(Term a, Term b);
Term ge(Term a, Term b);
Term gt(Term a, Term b);
Term eq(Term a, Term b);
Term ne(Term a, Term b);
Term in_range(Term index, Term extent);  // 0 <= index < extent
Term divides(Term divisor, Term dividend);
Term both(Term a, Term b);
Term either(Term a, Term b);
Term all_of(std::span<const Term> guards);
Term any_of(std::span<const Term> guards);
Term negate(Term guard);
// Comparisons of scalar terms.
Term real_lt(Term a, Term b);
Term real_le(Term a, Term b);
Term real_eq(Term a, Term b);

// --- scalar terms
Term real_const(const Rational& value);
Term real_var(Symbol name);
Term real_of(Term integer);
Term read(Symbol tensor, std::vector<Term> indices);
Term call(Fn fn, std::vector<Term> args);
Term select(Term guard, Term then, Term otherwise);

struct BoundIndex {
  Symbol name;
  Term extent;  // 0 <= name < extent
};
Term reduce(Reduction reduction, const std::vector<BoundIndex>& indices, Term guard, Term body);

// Integer operands give the normalised polynomial, scalar operands the operation as written. Both of one sort.
Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator-(Term a);
Term operator/(Term a, Term b);  // scalars only

// --- looking inside
bool is_const(Term term);                          // a constant of any sort
std::optional<std::int64_t> const_int(Term term);  // an integer constant within 64 bits
std::optional<bool> const_bool(Term guard);
bool is_true(Term guard);
bool is_false(Term guard);
// One `coefficient * product of atoms`; the constant has no atoms.
struct Monomial {
  Integer coefficient;
  std::vector<Term> atoms;  // in order, with repetition
};
std::vector<Monomial> monomials(Term integer);
Term from_monomials(const std::vector<Monomial>& sum);
// Index and attribute variables, integer and scalar, that are not bound inside; in order.
std::vector<Symbol> free_variables(Term term);
std::vector<Symbol> tensors_read(Term term);

}  // namespace vouch

template <>
struct std::hash<vouch::Term> {
  std::size_t operator()(vouch::Term term) const noexcept { return std::hash<const void*>()(term.id()); }
};
