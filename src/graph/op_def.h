// How an operator is declared: operands, attributes, and one definition from which typing, evaluation, proof,
// differentiation and code generation all follow. No operator is defined anywhere else.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/attribute.h"
#include "graph/type.h"
#include "kernel/kernel.h"

namespace vouch {

class OpContext;

enum class OperandKind : std::uint8_t {
  Required,
  Optional,  // may be absent
  Tuple,     // a tuple of any length (the operands of Concat)
  OptionalTuple,
};

// What the elements of an operand are to a definition.
enum class OperandDomain : std::uint8_t {
  Elements,     // data: read, element by element
  List,         // integers that decide sizes and positions: a shape, pads, starts
  Sizes,        // the same where 0 and -1 have meanings of their own (Reshape)
  Axes,         // distinct axes of the first operand, from either end; their order means nothing
  NewAxes,      // the same of the result
  OrderedAxes,  // distinct axes whose order has a meaning
  Steps,        // a list of integers other than 0
};

struct OperandDef {
  std::string_view name;
  OperandKind kind = OperandKind::Required;
  OperandDomain domain = OperandDomain::Elements;
};

// IntOrInts: a tuple of integers, or one that stands for each axis (or a number of sections).
enum class AttrType : std::uint8_t {
  Int,
  Float,
  String,
  Ints,
  IntOrInts,
  Floats,
  Strings,
  Tensor,
  DType,
  Graph,
  Tuple,
};

// How many items a list has, as far as the rank of the first operand decides it: whoever leaves the items open (a
// rule) knows by it how many there are.
enum class AttrLength : std::uint8_t {
  Any,
  Spatial,       // one for each axis after the first two
  SpatialPairs,  // the begins of those axes, then the ends
  Rank,          // one for each axis
};

struct Required {};  // the attribute must be given
struct Absent {};    // may be missing; the definition asks `has_attr`

// Which values an attribute may have, besides its type: whoever has to go through them (a rule that leaves it open) finds here
// all that can be told apart.
enum class AttrDomain : std::uint8_t {
  Any,          // all of the type; a definition takes them as terms
  Flag,         // 0 and 1
  Axis,         // an axis, from either end
  Position,     // between axes, from either end; whatever lies beyond is the end
  Axes,         // distinct axes of the first operand, from either end; their order means nothing
  NewAxes,      // the same of the result
  OrderedAxes,  // distinct axes whose order has a meaning
  Permutation,  // of the axes
  Count,        // of results
  OneElement,   // a tensor of one element, whatever its type
  PlainAxes,    // as OrderedAxes, none counted from the end: of an operand or, one for each of its axes, of the result
};

struct AttrDef {
  std::string_view name;
  AttrType type = AttrType::Int;
  // A missing attribute means this value.
  std::variant<Required, Absent, std::int64_t, double, std::string_view> otherwise = Required{};
  AttrLength length = AttrLength::Any;
  std::vector<std::string_view> choices = {};  // of a string that is one of a few
  // Of a list that may be missing: then every item is this,
  std::optional<std::int64_t> each_if_absent = {};
  // or it is the only list that is legal there.
  bool implied_if_absent = false;
  AttrDomain domain = AttrDomain::Any;

  // The same declaration with this domain.
  AttrDef in(AttrDomain which) const {
    AttrDef out = *this;
    out.domain = which;
    return out;
  }
};

// What joins tensors along an axis, or cuts one into a tuple of any length: the attribute `axis` says along which.
enum class Along : std::uint8_t {
  None,
  Join,         // the items of operand 0
  CutBySizes,   // into the sizes that operand 1 lists
  CutAtPoints,  // at the points, or into the number of equal sections, that the one attribute of domain Count says
};

struct OpTraits {
  bool commutative = false;  // of its two operands
  bool elementwise = false;  // each result element depends on the elements of its own (broadcast) position
  bool of_sizes = false;     // the result depends on the operands' sizes alone (Shape, Size)
  bool lists_alike = false;  // its operands that are lists or ordered axes have one element for each axis that they speak of
  Along along = Along::None;
};

// Operators whose further results ONNX makes optional (Dropout, MaxPool, BatchNormalization, LayerNormalization) have
// one result here, the first; each further result is an operator of its own with the same operands and attributes,
// named in `further`: `y, mask = Dropout(x)` is `y = Dropout(x)` and `mask = DropoutMask(x)`. So whoever asks for one
// result need not project it from a tuple, and a result that nobody asks for costs nothing.
struct OpDef {
  std::string_view name;
  std::vector<OperandDef> operands = {};
  std::vector<AttrDef> attributes = {};
  OpTraits traits = {};
  // Types the call and gives its meaning, both through the context. Called with symbolic sizes by the checker and
  // with numbers by the interpreter.
  void (*define)(OpContext&) = nullptr;
  // For operators without a kernel of their own (If, Loop, LSTM, GRU, ScatterND): typed, left alone by rules;
  // `define` gives types only.
  bool opaque = false;
  // True: it is one result of type tuple (even of one item); false: a single tensor.
  bool several_results = false;
  std::vector<std::string_view> further = {};  // operators that give ONNX's results 2, 3, …; empty text: unsupported
};

// What a call was found ill-typed by: other operands, or other values of attributes if these were looked at, might be legal.
struct Blame {
  // Position k; of the 64th on, the last bit.
  static std::uint64_t bit(std::size_t position) { return std::uint64_t{1} << std::min<std::size_t>(position, 63); }

  std::uint64_t operands = ~std::uint64_t{0};  // by `bit`
  bool attributes = true;
  std::uint64_t items = ~std::uint64_t{0};  // of operands that are tuples of as many: likewise
};

// What sizes that are variables may be.
enum class SizeDomain : std::uint8_t {
  AtLeastOne,   // as those of tensors are that are given
  AtLeastZero,  // they may have been read from elements
};

// What a definition needs of a call, and where it says what the call means. Integer attributes and sizes are terms;
// `..._value` accessors ask for a concrete number and fail the call if it is symbolic.
class OpContext {
 public:
  using Body = std::function<Term(const std::vector<Term>& indices)>;

  OpContext(const OpDef& def, std::vector<Type> operands, AttrDict attributes);

  const OpDef& def() const { return def_; }

  // --- operands, by position in the declaration; `item` selects within a tuple operand
  bool has(std::size_t operand) const;
  const Type& type(std::size_t operand) const;
  std::size_t item_count(std::size_t operand) const;
  const Type& item_type(std::size_t operand, std::size_t item) const;
  // For what is said of a failure, which does not follow from all of it.
  std::string type_text(std::size_t operand) const { return operands_[operand].text(); }
  std::size_t rank(std::size_t operand) const { return type(operand).rank(); }
  Term extent(std::size_t operand, std::size_t axis) const { return type(operand).extents()[axis]; }
  const std::vector<Term>& extents(std::size_t operand) const { return type(operand).extents(); }
  DType dtype(std::size_t operand) const { return type(operand).dtype(); }
  // The elements, as integer or scalar terms, if they are known (constants, or sizes carried as terms).
  const std::vector<Term>* contents(std::size_t operand) const;
  // The element of an operand; counts as a legality condition that the index is in range unless a guard says so.
  Term read(std::size_t operand, std::vector<Term> indices) const;
  Term read_item(std::size_t operand, std::size_t item, std::vector<Term> indices) const;
  // Of a local made by `local`.
  Term read_local(std::string_view name, std::vector<Term> indices) const;

  // An index to reduce over, named as wished unless a size or attribute of the call has that name.
  BoundIndex bound(std::string_view wish, Term extent) const;

  // --- attributes, defaults filled in
  bool has_attr(std::string_view name) const;
  const AttrValue* attr(std::string_view name) const;
  Term attr_int(std::string_view name) const;
  std::vector<Term> attr_ints(std::string_view name) const;
  Term attr_float(std::string_view name) const;
  std::string attr_string(std::string_view name) const;
  std::int64_t attr_int_value(std::string_view name);
  std::vector<std::int64_t> attr_ints_value(std::string_view name);
  // `axis` in [-rank, rank), made non-negative; fails the call if it is out of range.
  std::size_t normal_axis(std::int64_t axis, std::size_t rank, std::string_view what = "axis");

  // --- legality
  // False: the call is ill-typed, with this message. Undecided: recorded as a condition of the call, unless it depends
  // on data (then evaluation, which knows the data, decides).
  void require(Term guard, std::string message);
  // As `require`, for what the definition takes for granted of a symbolic number though other numbers are legal, too: whoever
  // leaves the number open has to say that it is so.
  void suppose(Term guard, std::string message);
  // May the result's meaning take for granted that this size, a variable, is at least 1? If so, that is noted.
  bool supposes_not_empty(Term size);
  void fail(std::string message);
  // As `fail`, where the call may be legal, and have a meaning, once more is known of it than here.
  void fail_undecided(std::string message);
  // As this, for an integer attribute that is symbolic and has to be a number.
  void want_number(std::string_view attribute, std::string message);
  bool failed() const { return !error_.empty(); }
  // Does the term read an operand of this call? (It may speak of other data, which has a meaning outside.)
  bool reads_operands(Term term) const;

  bool made_fresh_extent() const { return made_fresh_extent_; }

  // --- results
  // Declares the next result; `body` is called (only when the meaning is wanted) with one index per axis.
  void result(DType dtype, std::vector<Term> extents, const Body& body);
  // An intermediate tensor, readable by later bodies.
  void local(std::string_view name, DType dtype, std::vector<Term> extents, const Body& body);
  // A result of an opaque operator.
  void opaque_result(DType dtype, std::vector<Term> extents);
  // A size that nothing known determines (a reshape to data).
  Term fresh_extent();

  // --- for those who call a definition
  struct Condition {
    Term guard;
    std::string message;
    bool supposed = false;  // by `suppose`
  };
  void set_contents(std::size_t operand, std::vector<Term> elements);
  void set_size_domain(SizeDomain sizes) { size_domain_ = sizes; }
  void want_meaning(bool wanted) { want_meaning_ = wanted; }
  const std::string& error() const { return error_; }
  Blame blame() const { return blame_; }  // of the error
  bool undecided() const { return undecided_; }
  const std::string& number_wanted() const { return number_wanted_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::vector<Term>& supposed_not_empty() const { return supposed_not_empty_; }
  // Not empty: the first condition that depends on data, and so is not among these.
  const std::string& data_condition() const { return data_condition_; }
  std::vector<Type> result_types() const;
  // Inputs are named as the operands (`x`, items of a tuple operand `xs.0`, `xs.1`, …), results `y` or `y.0`, …; no
  // operand is called `y`.
  const Kernel& meaning() const { return kernel_; }
  static Symbol operand_symbol(const OpDef& def, std::size_t operand, std::optional<std::size_t> item = {});

 private:
  void look_at(std::size_t operand) const;
  void look_at_items(std::size_t operand, std::uint64_t items) const;
  const AttrValue* find_attr(std::string_view name) const;
  Symbol index_name(std::string_view wish) const;
  std::vector<Term> index_terms(std::size_t rank, std::vector<Symbol>& names) const;

  const OpDef& def_;
  std::vector<Type> operands_;
  AttrDict attributes_;
  std::vector<std::optional<std::vector<Term>>> contents_;
  std::vector<Condition> conditions_;
  SizeDomain size_domain_ = SizeDomain::AtLeastOne;
  std::vector<Term> supposed_not_empty_;
  std::string error_;
  mutable Blame looked_at_;  // so far
  Blame blame_;
  std::vector<Type> results_;
  Kernel kernel_;
  mutable std::optional<std::vector<Symbol>> taken_;  // names of sizes and attributes, once asked for
  bool want_meaning_ = false;
  bool made_fresh_extent_ = false;
  std::string data_condition_;
  bool undecided_ = false;
  std::string number_wanted_;
};

}  // namespace vouch
