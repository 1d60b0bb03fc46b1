// The functional array language: syntax. Mirrors coq/array/Syntax.v, constructor by constructor.
//
// Data variables and index variables are de Bruijn numbers in two name spaces: number 0 is the innermost. What a program
// means: coq/array/Semantics.v, and eval.h here. Values are cells at the ends of paths; a loop kind changes how, never
// what. Scalar operations obey no law; binary32 evaluation is eval.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "array/ref.h"
#include "array/size.h"
#include "support/number.h"

namespace vouch::array {

// What arrays hold: IEEE binary32 and binary64, integers of 32 and 64 bits that wrap around, truth values; binary16, bfloat16 and
// integers of 8 and 16 bits, signed or not, and of 32 bits without sign, in which nothing is computed; integers of 64 bits
// without sign.
enum class Element : std::uint8_t { F32, F64, I32, I64, B8, F16, I8, U8, BF16, I16, U16, U32, U64 };
inline constexpr int kElementCount = 13;
// As in coq/array/Syntax.v.
std::string_view coq_name(Element element);
// As part of names: `float`, `int32`, …
std::string_view word_of(Element element);

// mantissa * 2^exponent, or an infinity; or, in an array, at each position the number of that position.
struct Const {
  Integer mantissa;
  Integer exponent;
  bool infinite = false;
  bool negative = false;  // of an infinity
  bool ordinal = false;
  friend bool operator==(const Const&, const Const&) = default;
};

// Comparisons give one or zero. Sel(c, x, y) is x where c is not zero; Fma(x, y, z) is x*y + z rounded once. Round
// takes ties to the even number. ExpLanes, TanhLanes, ErfLanes are fixed approximations of floats (coq/array/Binary32.v).
enum class Op : std::uint8_t {
  Neg,
  Abs,
  Sqrt,
  Exp,
  Log,
  Tanh,
  Erf,
  Sin,
  Cos,
  Floor,
  Ceil,
  Round,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Asinh,
  Acosh,
  Atanh,
  ExpLanes,
  TanhLanes,
  ErfLanes,
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Pow,
  Less,
  LessEq,
  Equal,
  Fma,
  Sel,
};
inline constexpr int kOpCount = 36;

// Conversions are operations too, numbered after these: what is held as `from`, to what holds it as `to`.
struct Cast {
  Element from = Element::F32;
  Element to = Element::F32;
};
Op cast_op(Cast cast);
std::optional<Cast> cast_of(Op op);

struct OpRow {
  Op op;
  int arity;
  std::string_view coq;   // constructor in coq/array/Syntax.v
  std::string_view text;  // name in program texts, which have no conversions
};
const OpRow& op_row(Op op);

enum class TypeKind : std::uint8_t { Num, Array, Pair };
struct TypeNode;
using Type = Ref<TypeNode>;
struct TypeNode {
  TypeKind kind = TypeKind::Num;
  Size size;                // Array
  std::vector<Type> parts;  // Array: the element; Pair: two
  friend bool operator==(const TypeNode&, const TypeNode&) = default;
};
Type type_num();
Type type_array(const Size& size, const Type& element);
Type type_pair(const Type& first, const Type& second);
// Equal with sizes equal for all values of the size variables.
bool same_type(const Type& a, const Type& b);

// Index terms denote natural numbers; typing proves that Sub does not go below zero, and Div and Mod not by zero.
enum class IndexKind : std::uint8_t { Var, Extent, Add, Sub, Mul, Div, Mod };
struct IndexNode;
using Index = Ref<IndexNode>;
struct IndexNode {
  IndexKind kind = IndexKind::Var;
  unsigned var = 0;         // Var
  Size size;                // Extent
  std::vector<Index> args;  // otherwise: two
  friend bool operator==(const IndexNode&, const IndexNode&) = default;
};
Index index_var(unsigned number);
Index index_size(const Size& size);
Index index_op(IndexKind kind, const Index& a, const Index& b);

enum class GuardKind : std::uint8_t { Less, Equal, And, Or, Not };
struct GuardNode;
using Guard = Ref<GuardNode>;
struct GuardNode {
  GuardKind kind = GuardKind::Less;
  std::vector<Index> terms;  // Less, Equal: two
  std::vector<Guard> parts;  // And, Or: two; Not: one
  friend bool operator==(const GuardNode&, const GuardNode&) = default;
};
Guard guard_compare(GuardKind kind, const Index& a, const Index& b);
Guard guard_join(GuardKind kind, std::vector<Guard> parts);
// The guard with every term mapped.
Guard mapped(const Guard& guard, const std::function<Index(const Index&)>& map);

// Array shapes seen differently; no data moves. Argument type, result type:
//   Fst, Snd        pair a b                     -> a, b
//   At index        ary n a                      -> a                 element `index`, proven < n
//   Zip, Unzip      pair (ary n a) (ary n b)    <-> ary n (pair a b)
//   Split n m       ary (n*m) a                  -> ary m (ary n a)
//   Join n m        ary m (ary n a)              -> ary (n*m) a
//   Trans           ary m (ary n a)              -> ary n (ary m a)
//   Rev n           ary n a                      -> ary n a
//   Slide w k s d   ary n a                      -> ary w (ary k a)   element (i, j) is i*s + j*d
//   Slice o n       ary m a                      -> ary n a           from offset o
//   Repeat n        a                            -> ary n a
//   Each inner      ary n a                      -> ary n b           inner: a -> b (LMap)
enum class LayoutKind : std::uint8_t { Fst, Snd, At, Zip, Unzip, Split, Join, Trans, Rev, Slide, Slice, Repeat, Each };
struct LayoutNode;
using Layout = Ref<LayoutNode>;
struct LayoutNode {
  LayoutKind kind = LayoutKind::Fst;
  Index index;              // At
  std::vector<Size> sizes;  // Split, Join, Slice: two; Slide: four; Rev, Repeat: one
  Layout inner;             // Each
  friend bool operator==(const LayoutNode&, const LayoutNode&) = default;
};
Layout layout(LayoutKind kind, std::vector<Size> sizes = {});
Layout layout_at(const Index& index);
Layout layout_each(const Layout& inner);
// It also serves in front of an acceptor.
bool is_invertible(const Layout& layout);
// The type an invertible layout takes, from the type it gives.
Type layout_source(const Layout& layout, const Type& result);

enum class LoopKind : std::uint8_t { Seq, Par, Vec, Unr };
// Where a reduction accumulates: in a fresh temporary, or straight in its destination.
enum class Place : std::uint8_t { Fresh, Into };

// What a person calls the index of a loop, or nothing. It says nothing of what a term means, so it tells none apart.
struct IndexName {
  std::string text;
  friend bool operator==(const IndexName& /*a*/, const IndexName& /*b*/) { return true; }
};

// Terms. After `;` under "binds" come index variables; the first named is number 0.
//   Var x                       data variable
//   Const d c                   a value of type d with c in every cell
//   Op o e                      e is the argument, for two a pair (x, y), for three (x, (y, z))
//   Pair e1 e2
//   Lay l e                     e seen through layout l
//   Pad lo n hi c e             ary n a -> ary (lo+n+hi) a
//   If g e1 e2
//   Map k n d1 d2 f e           ary n d1 -> ary n d2; f binds (element ; position)
//   Reduce w n d1 d2 f i e      folds from the left starting with i : d2; f binds (element, accumulator ; position)
//   Let e1 e2                   e2 binds (value of e1 ;)
//   Mem d e                     e, computed here into memory
//   Cat n m d e1 e2             ary n d, ary m d -> ary (n+m) d
enum class ExpKind : std::uint8_t { Var, Const, Op, Pair, Lay, Pad, If, Map, Reduce, Let, Mem, Cat };
struct ExpNode;
using Exp = Ref<ExpNode>;
struct ExpNode {
  ExpKind kind = ExpKind::Var;
  unsigned var = 0;
  Const constant;  // Const, Pad
  Op op = Op::Neg;
  Layout layout;
  Guard guard;
  LoopKind loop = LoopKind::Seq;
  IndexName index_name;  // Map, Reduce: of the position
  Place place = Place::Fresh;
  std::vector<Size> sizes;  // Pad: lo, n, hi; Map, Reduce: n; Cat: n, m
  std::vector<Type> types;  // Const, Mem, Cat: d; Map, Reduce: d1, d2
  std::vector<Exp> args;    // in the order above; Map: f, e; Reduce: f, i, e
  friend bool operator==(const ExpNode&, const ExpNode&) = default;
};
Exp exp_var(unsigned number);
Exp exp_const(const Type& type, const Const& constant);
Exp exp_op(Op op, const Exp& argument);
Exp exp_pair(const Exp& first, const Exp& second);
Exp exp_layout(const Layout& layout, const Exp& argument);
Exp exp_pad(const Size& lo, const Size& n, const Size& hi, const Const& constant, const Exp& argument);
Exp exp_if(const Guard& guard, const Exp& then, const Exp& otherwise);
Exp exp_map(LoopKind loop, const Size& n, const Type& from, const Type& to, const Exp& body, const Exp& array);
Exp exp_reduce(Place place, const Size& n, const Type& from, const Type& to, const Exp& body, const Exp& start, const Exp& array);
// A reduction whose loop is unrolled.
Exp exp_unrolled(const Exp& reduction);
// A map or reduction whose positions have this name.
Exp with_index_name(const Exp& loop, const std::string& name);
Exp exp_let(const Exp& value, const Exp& body);
Exp exp_mem(const Type& type, const Exp& argument);
Exp exp_cat(const Size& n, const Size& m, const Type& element, const Exp& first, const Exp& second);

// How many data and index variables `args[i]` is under.
struct Binders {
  unsigned data = 0;
  unsigned indices = 0;
};
Binders binders_of(const ExpNode& exp, std::size_t i);

// Moves a term under more binders: variables from `from` on are renumbered by `by`.
Exp shift(const Exp& exp, Binders by, Binders from = {});
Index shift(const Index& index, unsigned by, unsigned from = 0);

}  // namespace vouch::array
