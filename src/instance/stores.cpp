#include "instance/stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "instance/ranges.h"
#include "support/fault.h"
#include "tensor/element.h"
#include "term/infinity.h"
#include "term/substitute.h"
#include "term/uninterpreted.h"

namespace vouch {
namespace {

bool is_float_number(Term value) { return is_const(value) && has_number(DType::Float32, value->value); }

std::optional<int> number_of(Term term) { return term.kind() == TermKind::Call ? uninterpreted_number(term->fn) : std::nullopt; }

// Sizes and indices are numbers of 64 bits (the rewriter sees to it); what data decides may be any.
bool is_of_sizes(Term integer) {
  if (integer.kind() == TermKind::IntOf) {
    return false;
  }
  return std::all_of(integer.args().begin(), integer.args().end(), is_of_sizes);
}

// Between which constants the term lies, whatever is read: what is clamped.
struct Clamp {
  std::optional<Rational> low;
  std::optional<Rational> high;
};

Clamp clamp_of(Term term) {
  if (term.kind() == TermKind::RealConst) {
    return {term->value, term->value};
  }
  bool least = term.kind() == TermKind::Call && term->fn == Fn::Min;
  if (!least && (term.kind() != TermKind::Call || term->fn != Fn::Max)) {
    return {};
  }
  Clamp a = clamp_of(term.arg(0));
  Clamp b = clamp_of(term.arg(1));
  auto either = [&](const auto& x, const auto& y) {
    return !x ? y : !y ? x : std::optional(least ? std::min(*x, *y) : std::max(*x, *y));
  };
  auto both = [&](const auto& x, const auto& y) { return x && y ? either(x, y) : std::optional<Rational>(); };
  return {least ? both(a.low, b.low) : either(a.low, b.low), least ? either(a.high, b.high) : both(a.high, b.high)};
}

Term on_scalars(Term term, const std::function<Term(Term)>& map, std::size_t count) {
  std::vector<Term> args(term.args().begin(), term.args().end());
  for (std::size_t k = 0; k < count; ++k) {
    if (args[k].sort() == Sort::Real) {
      args[k] = map(args[k]);
    }
  }
  return rebuild(term, args);
}

}  // namespace

bool holds_all(DType from, DType to) {
  if (from == to) {
    return true;
  }
  // The exponents of one are beyond those of the other.
  bool narrow = (from == DType::BFloat16 && to == DType::Float16) || (is_float8(from) && is_float8(to));
  bool truth = to == DType::Bool;
  bool fraction = is_float(from) && !is_float(to);
  bool sign = is_integer(from) && is_signed(from) && is_integer(to) && !is_signed(to);
  return !narrow && !truth && !fraction && !sign && exact_bits(from) <= exact_bits(to);
}

namespace {

const std::vector<Symbol>& names_beside_branches() {
  static const auto* names = [] {
    auto* all = new std::vector<Symbol>();  // never freed: symbols outlive statics
    for (int k = 0; k < kDTypeCount; ++k) {
      for (std::string_view where : {"before", "after"}) {
        all->emplace_back(fmt::format("{} a branch of {}", where, dtype_name(static_cast<DType>(k))));
      }
    }
    return all;
  }();
  return *names;
}

}  // namespace

Symbol beside_a_branch(DType dtype, bool after) {
  return names_beside_branches()[2 * static_cast<std::size_t>(dtype) + (after ? 1 : 0)];
}

std::optional<DType> Stores::type_of(Symbol read) const {
  auto said = std::find_if(types_.begin(), types_.end(), [&](const auto& entry) { return entry.first == read; });
  if (said != types_.end()) {
    return said->second;
  }
  const std::vector<Symbol>& names = names_beside_branches();
  auto at = std::find(names.begin(), names.end(), read);
  return at == names.end() ? std::nullopt : std::optional(static_cast<DType>((at - names.begin()) / 2));
}

Stores::Stores(const Instance& instance) : own_types_(instance.own_types), key_{instance.own_types ? 2U : 1U, 0} {
  constexpr std::size_t kInWord = 12;  // 2 * 20^12 and 20^7 are numbers of 64 bits
  auto note = [&](DType dtype) {
    if (std::find(numbered_.begin(), numbered_.end(), dtype) == numbered_.end()) {
      numbered_.push_back(dtype);
      std::uint64_t& word = key_[numbered_.size() <= kInWord ? 0 : 1];
      word = word * (kDTypeCount + 1) + static_cast<std::uint64_t>(dtype) + 1;
    }
  };
  auto note_all = [&](Type type, const auto& self) -> void {
    if (type && type.is_tensor()) {
      note(type.dtype());
    } else if (type) {
      std::for_each(type.items().begin(), type.items().end(), [&](Type item) { self(item, self); });
    }
  };
  for (const InputTensor& input : instance.inputs) {
    types_.emplace_back(input.name, input.type.dtype());
    for (Term element : input.contents.value_or(std::vector<Term>())) {
      note_element(element, input.type.dtype());
    }
    if (input.fill) {
      note_element(*input.fill, input.type.dtype());
    }
  }
  for (const InstanceNode& node : instance.nodes) {
    note_all(node.type, note_all);
  }
  for (int k = 0; k < kDTypeCount; ++k) {  // then those that no tensor has, for what calls keep in between
    if (std::find(numbered_.begin(), numbered_.end(), static_cast<DType>(k)) == numbered_.end()) {
      numbered_.push_back(static_cast<DType>(k));
    }
  }
}

void Stores::note_element(Term element, DType dtype) {
  if (element.kind() == TermKind::RealVar || element.kind() == TermKind::Read || element.kind() == TermKind::IntVar) {
    types_.emplace_back(element->symbol, dtype);
  }
}

bool Stores::fits(Term value, DType to, bool trusted) const {
  auto all = [&](std::size_t from) {
    return std::all_of(value.args().begin() + static_cast<std::ptrdiff_t>(from), value.args().end(),
                       [&](Term arg) { return arg.sort() != Sort::Real || fits(arg, to, trusted); });
  };
  switch (value.kind()) {
    case TermKind::RealConst: return has_number(to, value->value);
    case TermKind::RealOf: {
      auto element = value.arg(0).kind() == TermKind::IntVar ? type_of(value.arg(0)->symbol) : std::nullopt;
      return element ? holds_all(*element, to) : to == DType::Int64 && is_of_sizes(value.arg(0));
    }
    case TermKind::RealVar:
    case TermKind::Read: {
      auto dtype = type_of(value->symbol);
      bool attribute = !dtype && value.kind() == TermKind::RealVar;
      return attribute ? trusted && holds_all(DType::Float32, to) : dtype && holds_all(*dtype, to);
    }
    case TermKind::Select: return all(1);
    case TermKind::RealNeg: return has_negative_zero(to) && all(0);
    case TermKind::Reduce:
      return (value->reduction == Reduction::Max || value->reduction == Reduction::Min) && fits(value.arg(0), to, trusted);
    case TermKind::Call: return call_fits(value, to, trusted);
    default: return false;
  }
}

bool Stores::call_fits(Term call, DType to, bool trusted) const {
  if (auto number = uninterpreted_number(call->fn)) {
    // Over the reals a store is gone, and with it what it wrapped.
    return is_store(call->fn) ? trusted && holds_all(stored_type(*number), to) : holds_all(converted_type(call->fn), to);
  }
  Clamp clamp = clamp_of(call);
  if (is_integer(to) && clamp.low && clamp.high && has_number(to, *clamp.low) && has_number(to, *clamp.high) && is_whole(call)) {
    return true;
  }
  bool args = std::all_of(call.args().begin(), call.args().end(), [&](Term arg) { return fits(arg, to, trusted); });
  bool unsigned_zero = is_float(to) && !has_negative_zero(to);  // what is rounded may be -0
  switch (call->fn) {
    case Fn::Max:
    case Fn::Min: return args;
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Trunc: return args && !unsigned_zero;
    case Fn::Abs: return args && (is_float(to) || (is_integer(to) && !is_signed(to)));
    case Fn::Mod: return args && is_integer(to);
    case Fn::Fmod: return args && !unsigned_zero;
    // No larger than the dividend; but the least number has no negation.
    case Fn::TruncDiv: {
      bool not_minus_one = call.arg(1).kind() == TermKind::RealConst && call.arg(1)->value != -1;
      return is_integer(to) && args && (not_minus_one || !is_signed(to));
    }
    default: return false;
  }
}

bool Stores::is_whole(Term value) const {
  auto all = [&](std::size_t from) {
    return std::all_of(value.args().begin() + static_cast<std::ptrdiff_t>(from), value.args().end(),
                       [&](Term arg) { return arg.sort() != Sort::Real || is_whole(arg); });
  };
  switch (value.kind()) {
    case TermKind::RealConst: return is_integral(value->value);
    case TermKind::RealOf: return true;
    case TermKind::Read: {
      auto dtype = type_of(value->symbol);
      return dtype && !is_float(*dtype);
    }
    case TermKind::Select: return all(1);
    case TermKind::RealNeg:
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::Reduce: return all(0);
    case TermKind::Call: return is_whole_call(value);
    default: return false;
  }
}

bool Stores::lies_within(Term value, DType to) const {
  if (!own_types_ || to == DType::Bool || !is_whole(value)) {
    return false;
  }
  Ranges ranges([this](Term term) -> std::optional<DType> {
    if (term.kind() == TermKind::Read || term.kind() == TermKind::RealVar) {
      return type_of(term->symbol);
    }
    // Of what wrapped around nothing is said: it is a number modulo another (instance/wrapping.h).
    bool converted = number_of(term) && is_conversion(term->fn);
    return converted ? std::optional(converted_type(term->fn)) : std::nullopt;
  });
  auto range = ranges.of(value);
  const int bits = std::min(exact_bits(to), exact_bits(DType::Float32));  // kRounding is into float32
  const Rational exact(Integer(1) << static_cast<unsigned>(bits));
  NumberRange all = is_float(to) ? NumberRange{-exact, exact} : range_of(to);
  return range && all.holds(range->low) && all.holds(range->high);
}

DType Stores::stored_type(int number) const {
  return number == kUnsigned   ? DType::Float64
         : number == kRounding ? DType::Float32
                               : numbered_[static_cast<std::size_t>(number)];
}

bool Stores::is_whole_call(Term call) const {
  if (auto number = uninterpreted_number(call->fn)) {
    return !is_float(is_store(call->fn) ? stored_type(*number) : converted_type(call->fn));
  }
  switch (call->fn) {
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Trunc:
    case Fn::TruncDiv: return true;
    case Fn::Max:
    case Fn::Min:
    case Fn::Abs:
    case Fn::Mod:
    case Fn::Fmod: return std::all_of(call.args().begin(), call.args().end(), [&](Term arg) { return is_whole(arg); });
    default: return false;
  }
}

Term Stores::pushed(DType to, Term value) const {
  auto inner = [&](Term part) { return stored(to, part); };
  if (value.kind() == TermKind::Select) {
    return on_scalars(value, inner, 3);
  }
  bool reduced = value.kind() == TermKind::Reduce && (value->reduction == Reduction::Max || value->reduction == Reduction::Min);
  bool called = value.kind() == TermKind::Call && (value->fn == Fn::Max || value->fn == Fn::Min || value->fn == Fn::Abs);
  bool through = reduced || called || value.kind() == TermKind::RealNeg;
  // Floats of 8 bits give NaN for what is too large, so that the lesser of two is another one; and some have no -0.
  return is_float(to) && !is_float8(to) && through ? on_scalars(value, inner, reduced ? 1 : value.args().size()) : Term();
}

Term Stores::stored(DType to, Term value) const {
  if (is_integer(to) && !is_whole(value)) {
    return converted(DType::Float64, to, value);
  }
  if (to == DType::Bool || fits(value, to, true) || (is_integer(to) && lies_within(value, to))) {
    return value;
  }
  if (Term inside = pushed(to, value)) {
    return inside;
  }
  auto at = std::find(numbered_.begin(), numbered_.end(), to);
  return call(uninterpreted(static_cast<int>(at - numbered_.begin())), {value});
}

// The float nearest to the larger of two integers is the larger of those nearest to each.
Term Stores::converted_inside(DType from, DType to, Term value) const {
  bool rounded = is_integer(from) && is_float(to) && !is_float8(to) && is_whole(value);
  bool reduced = value.kind() == TermKind::Reduce && (value->reduction == Reduction::Max || value->reduction == Reduction::Min);
  bool called = value.kind() == TermKind::Call && (value->fn == Fn::Max || value->fn == Fn::Min);
  auto inner = [&](Term part) { return converted(from, to, part); };
  return rounded && (reduced || called || value.kind() == TermKind::Select)
             ? on_scalars(value, inner, reduced ? 1 : value.args().size())
             : Term();
}

Term Stores::converted(DType from, DType to, Term value) const {
  if (Term inside = converted_inside(from, to, value)) {
    return inside;
  }
  bool whole = is_integer(to) && !is_float(from);
  // Modulo 2^w, what was taken modulo more before.
  while (whole && number_of(value) && is_conversion(value->fn) && !is_float(source_type(value->fn)) &&
         is_integer(converted_type(value->fn)) && bit_width(to) <= bit_width(converted_type(value->fn))) {
    Term inside = value.arg(0);
    value = inside;
  }
  // Integers have no -0: the float that a number becomes is not what floats compute for it, bit for bit, but a function of it.
  bool computed = !is_float(from) && is_float(to) && !fits(value, DType::Int64, false);
  // (What is an integer is the same integer of floats that hold it, and of integers again.)
  if ((is_integer(to) || is_float(to)) && !computed && fits(value, to, false)) {
    return value;
  }
  if ((whole || is_float(to)) && lies_within(value, to)) {
    return whole ? value : call(uninterpreted(kRounding), {value});
  }
  // A number becomes the same element of a type whichever type it had, but for fractions and what is out of range.
  DType source = is_float(from) && !is_float(to) ? from : to;
  return call(conversion(source, to), {value});
}

Term Stores::without_roundings(Term term) const {
  return without_stores(term, [this](Fn store) { return is_float(stored_type(*uninterpreted_number(store))); });
}

std::optional<DType> Stores::stored_integers(Term term) const {
  if (term.kind() != TermKind::Call || !is_store(term->fn)) {
    return std::nullopt;
  }
  DType dtype = stored_type(*uninterpreted_number(term->fn));
  return is_integer(dtype) ? std::optional(dtype) : std::nullopt;
}

bool Stores::is_element(Term value, DType to) const {
  if (value.kind() == TermKind::Select) {
    return is_element(value.arg(1), to) && is_element(value.arg(2), to);
  }
  return stored_integers(value) == to || fits(value, to, false) || lies_within(value, to);
}

std::uint64_t Stores::integers() const {
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < numbered_.size(); ++k) {
    out |= static_cast<std::uint64_t>(is_integer(numbered_[k])) << k;
  }
  return out;
}

namespace {

// May floats give -0 for it? Nothing that is read is -0, and sums of opposites are 0.
bool may_be_negative_zero(Term value) {
  auto any = [&](std::size_t from) {
    return std::any_of(value.args().begin() + static_cast<std::ptrdiff_t>(from), value.args().end(),
                       [](Term arg) { return arg.sort() == Sort::Real && may_be_negative_zero(arg); });
  };
  auto is_positive = [](Term number) { return number.kind() == TermKind::RealConst && number->value > 0; };
  switch (value.kind()) {
    case TermKind::RealConst:
    case TermKind::RealVar:
    case TermKind::RealOf:
    case TermKind::Read: return false;
    case TermKind::RealSub: return may_be_negative_zero(value.arg(0));
    case TermKind::RealAdd: return may_be_negative_zero(value.arg(0)) && may_be_negative_zero(value.arg(1));
    case TermKind::RealMul:
      return is_positive(value.arg(0))   ? may_be_negative_zero(value.arg(1))
             : is_positive(value.arg(1)) ? may_be_negative_zero(value.arg(0))
                                         : true;
    case TermKind::RealDiv:
      return is_positive(value.arg(1)) ? may_be_negative_zero(value.arg(0)) : value.arg(0).kind() != TermKind::RealConst;
    case TermKind::Select: return any(1);
    case TermKind::Call: return value->fn != Fn::Abs && (any(0) || (value->fn != Fn::Max && value->fn != Fn::Min));
    default: return !infinite_sign(value);
  }
}

}  // namespace

Term constant_element_of(Term computed) {
  return computed.sort() == Sort::Real && may_be_negative_zero(computed) ? call(uninterpreted(kUnsigned), {computed}) : computed;
}

Term attribute_of(Term computed, bool wide) {
  Term value = computed.sort() == Sort::Int ? real_of(computed) : computed;
  bool given = (value.kind() == TermKind::RealVar && !wide) || is_float_number(value);
  return value.sort() != Sort::Real || given ? computed : call(uninterpreted(kRounding), {value});
}

}  // namespace vouch
