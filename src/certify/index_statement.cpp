#include "certify/index_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "array/constant.h"
#include "certify/index_lowering.h"
#include "imp/elements.h"
#include "notation/tk_meaning.h"
#include "support/fault.h"
#include "term/comparison.h"
#include "term/print.h"

namespace vouch {
namespace {

using array::Op;

// A conjunction's parts that ask of indices alone, and those that ask of data.
struct GuardParts {
  Term of_indices = bool_const(true);
  Term of_data = bool_const(true);
};

GuardParts parted(Term guard) {
  GuardParts out;
  if (guard.kind() != TermKind::And) {
    (speaks_of_scalars(guard) ? out.of_data : out.of_indices) = guard;
    return out;
  }
  for (Term part : guard.args()) {
    GuardParts inner = parted(part);
    out.of_indices = both(out.of_indices, inner.of_indices);
    out.of_data = both(out.of_data, inner.of_data);
  }
  return out;
}

// One statement's terms; `names` are its index variables, number 0 first.
class Converter {
 public:
  Converter(const TkKernel& kernel, std::vector<Symbol> names, const std::vector<Symbol>& tensors, SizeTable& sizes,
            Diagnostics& diagnostics)
      : kernel_(kernel),
        names_(std::move(names)),
        tensors_(tensors),
        sizes_(sizes),
        diagnostics_(diagnostics),
        computed_(computed_element(kernel)) {}

  // What is refused is refused there.
  void at(const TkPlace& place) { place_ = place; }

  IndexTerm index(Term term) {
    IndexTerm sum;
    for (const Monomial& monomial : monomials(term)) {
      IndexTerm part = monomial.atoms.empty() ? constant(monomial.coefficient) : scaled(monomial.coefficient, atom(monomial));
      bool zero = sum.kind == IndexTermKind::Con && sum.number == 0;
      sum = zero ? part : IndexTerm{IndexTermKind::Add, 0, 0, {}, {sum, part}};
    }
    return sum;
  }

  IndexCond condition(Term guard) {
    auto parts = [&](IndexCondKind kind) {
      IndexCond out = condition(guard.arg(0));
      for (std::size_t k = 1; k < guard.args().size(); ++k) {
        out = {kind, {}, {out, condition(guard.arg(k))}};
      }
      return out;
    };
    switch (guard.kind()) {
      case TermKind::BoolConst: {
        IndexCond yes;
        return is_true(guard) ? yes : IndexCond{IndexCondKind::Not, {}, {yes}};
      }
      case TermKind::IntLe: return {IndexCondKind::Le, {index(guard.arg(0)), index(guard.arg(1))}, {}};
      case TermKind::IntEq: return {IndexCondKind::Eq, {index(guard.arg(0)), index(guard.arg(1))}, {}};
      case TermKind::Not: return {IndexCondKind::Not, {}, {condition(guard.arg(0))}};
      case TermKind::And: return parts(IndexCondKind::And);
      case TermKind::Or: return parts(IndexCondKind::Or);
      default: refuse("the condition", guard); return {};
    }
  }

  IndexBody body(Term term) {
    auto binary = [&](Op op) { return body_operation(op, {body(term.arg(0)), body(term.arg(1))}); };
    switch (term.kind()) {
      case TermKind::RealConst: return constant_of(term);
      case TermKind::Read: {
        bool by_data = std::any_of(term.args().begin(), term.args().end(), [](Term t) { return t.kind() == TermKind::IntOf; });
        if (by_data) {
          refuse("an index that is data and not asked for its range, in", term);
          return {};
        }
        return read_of(term);
      }
      case TermKind::RealAdd: return binary(Op::Add);
      case TermKind::RealSub: return binary(Op::Sub);
      case TermKind::RealMul: return binary(Op::Mul);
      case TermKind::RealDiv: return quotient(term);
      case TermKind::RealNeg: {
        auto lowest = term.arg(0).kind() == TermKind::RealConst ? beyond_literals(-term.arg(0)->value) : std::nullopt;
        return lowest ? std::move(*lowest) : body_operation(Op::Neg, {body(term.arg(0))});
      }
      case TermKind::Call: return application(term);
      case TermKind::Select: {
        auto gathered = gathered_read(kernel_, term);
        return gathered ? read_of(*gathered) : choice(term.arg(0), body(term.arg(1)), body(term.arg(2)));
      }
      case TermKind::RealOf: return index_value(term.arg(0));
      default: refuse("the value", term); return {};
    }
  }

  // What index terms cannot say is computed from the values of its parts: products, and the smaller or larger of two.
  IndexBody index_value(Term term) {
    if (is_index(term)) {
      return signed_index(term);
    }
    std::optional<IndexBody> sum;
    for (const Monomial& monomial : monomials(term)) {
      IndexBody product = constant_of(real_const(Rational(monomial.coefficient)));
      for (Term atom : monomial.atoms) {
        product = body_operation(Op::Mul, {std::move(product), atom_value(atom)});
      }
      sum = sum ? body_operation(Op::Add, {std::move(*sum), std::move(product)}) : std::move(product);
    }
    return sum.value_or(number(0));
  }

  // A number that has to be a literal of the type: zero, one, minus one.
  IndexBody number(const Rational& value) const {
    IndexBody out;
    out.constant = *array::const_in(computed_, value);
    return out;
  }

  // A condition on data chooses between values that are both computed; what it says of indices besides is asked before, where
  // that does not compute a value twice.
  IndexBody choice(Term guard, IndexBody then, IndexBody otherwise) {
    auto [of_indices, of_data] = parted(guard);
    if (!is_true(of_indices) && !is_true(of_data) && otherwise.kind == IndexBodyKind::Con) {
      IndexBody chosen = choice(of_data, std::move(then), otherwise);
      return choice(of_indices, std::move(chosen), std::move(otherwise));
    }
    if (speaks_of_scalars(guard)) {
      return body_operation(Op::Sel, {truth(guard), std::move(then), std::move(otherwise)});
    }
    IndexBody out;
    out.kind = IndexBodyKind::If;
    out.condition = condition(guard);
    out.args = {std::move(then), std::move(otherwise)};
    return out;
  }

 private:
  IndexBody comparison(Op op, Term guard) {
    bool with_sign = array::is_whole(computed_) && array::has_sign(computed_);
    if (!with_sign && of_integers(guard.arg(0)) && of_integers(guard.arg(1)) && !tensors_read(guard).empty()) {
      IndexBody truth = in_64_bits().comparison(op, guard);
      return body_operation(array::cast_op({array::Element::I64, computed_}), {std::move(truth)});
    }
    return decided_without_sign(op, guard).value_or(body_operation(op, {body(guard.arg(0)), body(guard.arg(1))}));
  }

  // Without sign, nothing is below zero and all is at least zero; compilers warn of texts that ask.
  std::optional<IndexBody> decided_without_sign(Op op, Term guard) const {
    auto is_zero = [&](Term side) { return side.kind() == TermKind::RealConst && side->value == 0; };
    if (array::is_float(computed_) || array::has_sign(computed_)) {
      return std::nullopt;
    }
    return op == Op::Less && is_zero(guard.arg(1))     ? std::optional(number(0))
           : op == Op::LessEq && is_zero(guard.arg(0)) ? std::optional(number(1))
                                                       : std::nullopt;
  }

  // Of integers that are data, indices, sizes and whole numbers, by sums and products: the same in 64 bits as in words.
  bool of_integers(Term scalar) const {
    switch (scalar.kind()) {
      case TermKind::RealConst:
        return is_integral(scalar->value) && array::const_in(array::Element::I64, scalar->value).has_value();
      case TermKind::RealOf: return true;
      case TermKind::Read: {
        array::Element stored = stored_element(kernel_, scalar->symbol);
        return stored == array::Element::I32 || stored == array::Element::I64 || stored == array::Element::U32;
      }
      case TermKind::RealAdd:
      case TermKind::RealSub:
      case TermKind::RealMul:
      case TermKind::RealNeg:
        return std::all_of(scalar.args().begin(), scalar.args().end(), [&](Term part) { return of_integers(part); });
      case TermKind::Select: return asks_of_integers(scalar.arg(0)) && of_integers(scalar.arg(1)) && of_integers(scalar.arg(2));
      default: return false;
    }
  }

  bool asks_of_integers(Term guard) const {
    return std::all_of(guard.args().begin(), guard.args().end(), [&](Term part) {
      return part.sort() == Sort::Int || (part.sort() == Sort::Bool ? asks_of_integers(part) : of_integers(part));
    });
  }

  IndexBody truth(Term guard) {
    auto compare = [&](Op op) { return comparison(op, guard); };
    switch (guard.kind()) {
      case TermKind::RealLt: return compare(Op::Less);
      case TermKind::RealLe: return compare(Op::LessEq);
      case TermKind::RealEq: return compare(Op::Equal);
      case TermKind::Not: return body_operation(Op::Sel, {truth(guard.arg(0)), number(0), number(1)});
      case TermKind::And:
      case TermKind::Or: {
        IndexBody out = truth(guard.arg(0));
        for (std::size_t k = 1; k < guard.args().size(); ++k) {
          out = body_operation(guard.kind() == TermKind::And ? Op::Min : Op::Max, {out, truth(guard.arg(k))});
        }
        return out;
      }
      default: {
        IndexBody out;
        out.kind = IndexBodyKind::If;
        out.condition = condition(guard);
        out.args = {number(1), number(0)};
        return out;
      }
    }
  }

  bool is_index(Term term) const {
    std::vector<Monomial> parts = monomials(term);
    return std::all_of(parts.begin(), parts.end(), [&](const Monomial& m) {
      bool of_sizes = std::all_of(m.atoms.begin(), m.atoms.end(),
                                  [&](Term a) { return a.kind() == TermKind::IntVar && sizes_.has(a->symbol); });
      return of_sizes || (m.atoms.size() == 1 && is_index_atom(m.atoms[0]));
    });
  }

  bool is_index_atom(Term atom) const {
    bool divided = atom.kind() == TermKind::FloorDiv || atom.kind() == TermKind::FloorMod;
    return atom.kind() == TermKind::IntVar || (divided && const_int(atom.arg(1)) && is_index(atom.arg(0)));
  }

  // Below zero, the opposite of a number.
  IndexBody signed_index(Term term) {
    auto natural = [&](Term t) {
      IndexBody out;
      out.kind = IndexBodyKind::Index;
      out.at = {index(t)};
      return out;
    };
    std::vector<Monomial> parts = monomials(term);
    bool never_below = std::all_of(parts.begin(), parts.end(), [](const Monomial& m) {
      return m.coefficient > 0 &&
             std::none_of(m.atoms.begin(), m.atoms.end(), [](Term a) { return a.kind() == TermKind::FloorDiv; });
    });
    return never_below ? natural(term) : choice(le(0, term), natural(term), body_operation(Op::Neg, {natural(-term)}));
  }

  IndexBody atom_value(Term atom) {
    switch (atom.kind()) {
      case TermKind::IntMin: return body_operation(Op::Min, {index_value(atom.arg(0)), index_value(atom.arg(1))});
      case TermKind::IntMax: return body_operation(Op::Max, {index_value(atom.arg(0)), index_value(atom.arg(1))});
      case TermKind::IntSelect: return choice(atom.arg(0), index_value(atom.arg(1)), index_value(atom.arg(2)));
      default: break;
    }
    if (!is_index_atom(atom)) {
      refuse("an index as a value,", atom);
      return {};
    }
    return signed_index(atom);
  }

  static IndexTerm constant(const Integer& value) { return {IndexTermKind::Con, 0, value, {}, {}}; }

  static IndexTerm scaled(const Integer& by, IndexTerm term) {
    return by == 1 ? term : IndexTerm{IndexTermKind::Scale, 0, by, {}, {std::move(term)}};
  }

  IndexTerm atom(const Monomial& monomial) {
    Term term = monomial.atoms[0];
    bool of_sizes = std::all_of(monomial.atoms.begin(), monomial.atoms.end(),
                                [&](Term a) { return a.kind() == TermKind::IntVar && sizes_.has(a->symbol); });
    if (auto size = of_sizes ? sizes_.of(product_of(monomial.atoms)) : std::nullopt) {
      return {IndexTermKind::Size, 0, 0, *size, {}};
    }
    if (monomial.atoms.size() == 1 && term.kind() == TermKind::IntVar) {
      auto at = std::find(names_.begin(), names_.end(), term->symbol);
      ensure(at != names_.end(), "an index variable of the statement");
      return {IndexTermKind::Var, static_cast<unsigned>(at - names_.begin()), 0, {}, {}};
    }
    bool quotient = term.kind() == TermKind::FloorDiv;
    if (monomial.atoms.size() == 1 && (quotient || term.kind() == TermKind::FloorMod)) {
      return {quotient ? IndexTermKind::Div : IndexTermKind::Mod, 0, Integer(*const_int(term.arg(1))), {}, {index(term.arg(0))}};
    }
    refuse("the index", term);
    return {};
  }

  // What no literal is: the least of its type, one less than the least literal; without sign, the numbers from 2^63 on, twice
  // their half and what is left of it.
  std::optional<IndexBody> beyond_literals(const Rational& value) const {
    const Rational half_of_range = Rational(Integer(1) << (computed_ == array::Element::I32 ? 31 : 63));
    bool least = computed_ == array::Element::I32 || computed_ == array::Element::I64;
    if (least && value == -half_of_range) {
      return body_operation(Op::Sub, {number(value + 1), number(1)});
    }
    if (computed_ != array::Element::U64 || value < half_of_range || value >= 2 * half_of_range || denominator(value) != 1) {
      return std::nullopt;
    }
    Integer half = numerator(value) / 2;
    return body_operation(Op::Add, {body_operation(Op::Mul, {number(2), number(half)}), number(value - 2 * half)});
  }

  IndexBody constant_of(Term term) {
    if (auto written = beyond_literals(term->value)) {
      return std::move(*written);
    }
    auto value = array::const_in(computed_, term->value);
    if (!value || value->infinite) {
      refuse(value ? "beyond the largest number of its type," : "the number", term);
    }
    IndexBody out;
    out.constant = value.value_or(array::Const());
    return out;
  }

  // What an index is computed from has to be integers throughout.
  IndexBody index_from_data(Term scalar) {
    for (Symbol tensor : tensors_read(scalar)) {
      if (!array::is_whole(stored_element(kernel_, tensor))) {
        refuse(fmt::format("as an index, '{}' of type {} in", tensor.name(), array::c_type(stored_element(kernel_, tensor))),
               scalar);
        return {};
      }
    }
    return in_64_bits().body(scalar);
  }

  Converter in_64_bits() const {
    Converter out(*this);
    out.computed_ = array::Element::I64;
    return out;
  }

  void choose_axis(Term term, IndexBody& out) {
    for (Term subscript : term.args()) {
      if (subscript.kind() != TermKind::IntOf) {
        out.at.push_back(index(subscript));
        continue;
      }
      if (out.kind == IndexBodyKind::Gather) {
        refuse("a second index that is data in", term);
        return;
      }
      out.kind = IndexBodyKind::Gather;
      out.axis = static_cast<unsigned>(out.at.size());
      out.args = {index_from_data(subscript.arg(0))};
    }
    if (out.kind == IndexBodyKind::Gather) {
      out.chosen = out.extents[out.axis];
      out.extents.erase(out.extents.begin() + out.axis);
    }
  }

  IndexBody read_of(Term term) {
    IndexBody out;
    out.kind = IndexBodyKind::Read;
    auto at = std::find(tensors_.begin(), tensors_.end(), term->symbol);
    ensure(at != tensors_.end(), "a tensor of the statement");
    out.tensor = static_cast<unsigned>(at - tensors_.begin());
    out.extents = index_sizes(kernel_, place_, kernel_.tensor(term->symbol).shape, sizes_, diagnostics_);
    choose_axis(term, out);
    array::Element stored = stored_element(kernel_, term->symbol);
    if (stored == computed_) {
      return out;
    }
    if (out.kind == IndexBodyKind::Gather) {
      refuse("a tensor of another type than is computed, read at an index that is data,", term);
      return {};
    }
    if (!array::castable(stored, computed_)) {
      refuse(fmt::format("'{}' of type {}, where {} is computed, in", term->symbol.name(), array::word_of(stored),
                         array::word_of(computed_)),
             term);
      return {};
    }
    // What is computed here, and is an output too, is read as it is stored.
    bool input = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), term->symbol) != kernel_.inputs.end();
    IndexBody held = input ? std::move(out) : body_operation(array::cast_op({computed_, stored}), {std::move(out)});
    return body_operation(array::cast_op({stored, computed_}), {std::move(held)});
  }

  // Of integers, what is left of a fraction would depend on where it is stored.
  IndexBody quotient(Term term) {
    if (array::is_whole(computed_)) {
      refuse("the fraction of integers", term);
      return {};
    }
    return body_operation(Op::Div, {body(term.arg(0)), body(term.arg(1))});
  }

  // a - b * (a / b), of integers; with the sign of b, if it is the remainder of floor division.
  IndexBody remainder(const IndexBody& a, const IndexBody& b, bool floored) {
    IndexBody rest = body_operation(Op::Sub, {a, body_operation(Op::Mul, {body_operation(Op::Div, {a, b}), b})});
    if (!floored || !array::has_sign(computed_)) {
      return rest;
    }
    auto negative = [&](const IndexBody& x) { return body_operation(Op::Less, {x, number(0)}); };
    IndexBody raised = body_operation(Op::Sel, {rest, body_operation(Op::Add, {rest, b}), number(0)});
    return body_operation(Op::Sel, {body_operation(Op::Equal, {negative(rest), negative(b)}), rest, raised});
  }

  // Functions that are written with others; nothing for those that are operations, or that the type does not have.
  std::optional<IndexBody> derived(Fn fn, const std::vector<IndexBody>& args) {
    if (fn == Fn::Sign) {
      IndexBody below = !array::has_sign(computed_)
                            ? number(0)
                            : body_operation(Op::Sel, {body_operation(Op::Less, {args[0], number(0)}), number(-1), number(0)});
      return body_operation(Op::Sel, {body_operation(Op::Less, {number(0), args[0]}), number(1), std::move(below)});
    }
    if (array::is_float(computed_)) {
      return fn == Fn::Trunc ? std::optional(body_operation(
                                   Op::Sel, {body_operation(Op::Less, {args[0], number(0)}), body_operation(Op::Ceil, {args[0]}),
                                             body_operation(Op::Floor, {args[0]})}))
                             : std::nullopt;
    }
    switch (fn) {
      case Fn::Floor:
      case Fn::Ceil:
      case Fn::Round:
      case Fn::Trunc: return args[0];
      case Fn::TruncDiv: return body_operation(Op::Div, args);
      case Fn::Mod:
      case Fn::Fmod: return remainder(args[0], args[1], fn == Fn::Mod);
      default: return std::nullopt;
    }
  }

  IndexBody application(Term term) {
    std::vector<IndexBody> args;
    for (Term part : term.args()) {
      args.push_back(body(part));
    }
    if (auto written = derived(term->fn, args)) {
      return std::move(*written);
    }
    auto op = op_of(term->fn);
    if (!op || !array::has_operation(computed_, *op)) {
      refuse(fmt::format("the function '{}' of elements of type {} in", fn_name(term->fn), array::c_type(computed_)), term);
      return {};
    }
    return body_operation(*op, std::move(args));
  }

  void refuse(std::string_view what, Term term) {
    not_covered(kernel_, place_, fmt::format("{} '{}' is not covered by certificates", what, print_term(term)), "", diagnostics_);
  }

  const TkKernel& kernel_;
  std::vector<Symbol> names_;
  const std::vector<Symbol>& tensors_;
  SizeTable& sizes_;
  Diagnostics& diagnostics_;
  array::Element computed_;
  TkPlace place_;
};

std::string shown_name(Symbol index) { return std::string(index.name()); }

IndexSummand summand_of(const BoxedSummand& box, Converter& convert, std::vector<array::Size> loops) {
  IndexSummand out;
  out.loops = std::move(loops);
  auto [of_indices, of_data] = parted(box.guard);
  out.condition = convert.condition(of_indices);
  out.body = convert.body(box.body);
  if (!is_true(of_data)) {
    out.body = convert.choice(of_data, std::move(out.body), convert.number(0));
  }
  return out;
}

}  // namespace

std::optional<Op> op_of(Fn fn) {
  switch (fn) {
    case Fn::Exp: return Op::Exp;
    case Fn::Log: return Op::Log;
    case Fn::Sqrt: return Op::Sqrt;
    case Fn::Tanh: return Op::Tanh;
    case Fn::Erf: return Op::Erf;
    case Fn::Abs: return Op::Abs;
    case Fn::Sin: return Op::Sin;
    case Fn::Cos: return Op::Cos;
    case Fn::Floor: return Op::Floor;
    case Fn::Ceil: return Op::Ceil;
    case Fn::Round: return Op::Round;
    case Fn::Tan: return Op::Tan;
    case Fn::Asin: return Op::Asin;
    case Fn::Acos: return Op::Acos;
    case Fn::Atan: return Op::Atan;
    case Fn::Sinh: return Op::Sinh;
    case Fn::Cosh: return Op::Cosh;
    case Fn::Asinh: return Op::Asinh;
    case Fn::Acosh: return Op::Acosh;
    case Fn::Atanh: return Op::Atanh;
    case Fn::Max: return Op::Max;
    case Fn::Min: return Op::Min;
    case Fn::Pow: return Op::Pow;
    case Fn::Sign:
    case Fn::Trunc:
    case Fn::Mod:
    case Fn::Fmod:
    case Fn::TruncDiv: break;
  }
  return std::nullopt;
}

void not_covered(const TkKernel& kernel, const TkPlace& place, std::string message, std::string hint, Diagnostics& diagnostics) {
  if (place.source) {
    diagnostics.error(place.source, place.span, std::move(message), std::move(hint));
  } else {
    diagnostics.error_at(kernel.name.empty() ? "certificate" : fmt::format("kernel '{}'", kernel.name), std::move(message),
                         std::move(hint));
  }
}

std::vector<array::Size> index_sizes(const TkKernel& kernel, const TkPlace& place, const std::vector<Term>& extents,
                                     SizeTable& sizes, Diagnostics& diagnostics) {
  std::vector<array::Size> out;
  for (Term extent : extents) {
    auto size = sizes.of(extent);
    if (!size && sizes.is_first_refusal(extent)) {
      not_covered(
          kernel, place,
          fmt::format("expected an extent that is a sum of products of sizes, numbers and quotients by numbers, and never "
                      "negative, found '{}'",
                      print_term(extent)),
          "certificates cover no other: give its sizes values (--size), or make it a size of its own", diagnostics);
    }
    out.push_back(size.value_or(array::size_const(1)));
  }
  return out;
}

std::vector<Symbol> index_names(const TkStatement& statement, const TkSummand& summand) {
  std::vector<Symbol> names;
  std::transform(summand.loops.rbegin(), summand.loops.rend(), std::back_inserter(names),
                 [](const TkLoop& loop) { return loop.name; });
  names.insert(names.end(), statement.indices.rbegin(), statement.indices.rend());
  return names;
}

IndexTerm index_term(Term term, const std::vector<Symbol>& names, SizeTable& sizes, Diagnostics& diagnostics) {
  static const TkKernel kNone;
  static const std::vector<Symbol> kNoTensors;
  return Converter(kNone, names, kNoTensors, sizes, diagnostics).index(term);
}

bool runs_over_nothing(const BoxedSummand& summand) {
  return std::any_of(summand.loops.begin(), summand.loops.end(), [](const BoundIndex& loop) { return loop.extent == Term(0); });
}

IndexStatement index_statement(const TkKernel& kernel, const TkStatement& statement, const std::vector<Symbol>& tensors,
                               SizeTable& sizes, Diagnostics& diagnostics) {
  IndexStatement out;
  out.extents = index_sizes(kernel, statement.place, kernel.tensor(statement.target).shape, sizes, diagnostics);
  std::transform(statement.indices.begin(), statement.indices.end(), std::back_inserter(out.names), shown_name);
  for (const TkSummand& summand : statement.summands) {
    BoxedSummand box = boxed(kernel, statement, summand);
    std::vector<Term> counts;
    for (const BoundIndex& loop : box.loops) {
      counts.push_back(loop.extent);
    }
    std::vector<array::Size> loops = index_sizes(kernel, statement.place, counts, sizes, diagnostics);
    Converter convert(kernel, index_names(statement, summand), tensors, sizes, diagnostics);
    convert.at(statement.place);
    IndexSummand part = summand_of(box, convert, std::move(loops));
    std::transform(summand.loops.begin(), summand.loops.end(), std::back_inserter(part.names),
                   [](const TkLoop& loop) { return shown_name(loop.name); });
    if (!runs_over_nothing(box)) {
      out.summands.push_back(std::move(part));
    }
  }
  return out;
}

}  // namespace vouch
