#include "theorem/coq_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/store_terms.h"
#include "facts/index_terms.h"
#include "support/fault.h"
#include "term/comparison.h"
#include "term/infinity.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// A read is written once for each case, and each is one for Coq.
constexpr std::size_t kMostChoices = 4;

Symbol local_name(std::size_t number) { return Symbol(fmt::format("local~{}", number)); }

// The largest of sizes of which one is the largest of others: of these proofs take too long.
bool is_of_several(Term size) {
  auto within = [](Term term, const auto& self) -> bool {
    return term.kind() == TermKind::IntMax ||
           std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return self(arg, self); });
  };
  return std::any_of(size.args().begin(), size.args().end(), [&](Term arg) {
    return arg.kind() == TermKind::IntMax
               ? std::any_of(arg.args().begin(), arg.args().end(), [&](Term of) { return within(of, within); })
               : is_of_several(arg);
  });
}

bool is_reduction(Term term) { return term.kind() == TermKind::Reduce && !infinite_sign(term); }

// A minimum, maximum or choice of indices, none inside of another.
std::optional<Term> first_choice(Term term, const std::function<bool(Term)>& is_one) {
  for (Term arg : term.args()) {
    if (auto found = first_choice(arg, is_one)) {
      return found;
    }
  }
  bool chooses = term.kind() == TermKind::IntMin || term.kind() == TermKind::IntMax || term.kind() == TermKind::IntSelect;
  return chooses && is_one(term) ? std::optional(term) : std::nullopt;
}

}  // namespace

std::string CoqKernelWriter::refuse(const std::string& why) {
  reason_ = reason_.empty() ? why : reason_;
  return "";
}

bool CoqKernelWriter::moves(Term term, const Place& at) {
  return std::any_of(at.bound.begin(), at.bound.end(), [&](const BoundIndex& index) { return mentions(term, index.name); });
}

// Reductions below the root become tensors of their own, over the indices that they speak of.
Term CoqKernelWriter::hoisted(Term term, const std::vector<BoundIndex>& bound, bool is_root) {
  if (!is_reduction(term)) {
    return with_arguments(term, [&](Term arg) { return hoisted(arg, bound, false); });
  }
  std::vector<BoundIndex> inner = bound;
  std::vector<Term> args(term.args().begin(), term.args().end());
  for (std::size_t k = 0; k < term->bound.size(); ++k) {
    inner.push_back({term->bound[k], args[k + 2]});
  }
  args[0] = hoisted(args[0], inner, false);
  Term sum = rebuild(term, args);
  if (is_root) {
    return sum;
  }
  Defined local;
  std::vector<Term> at;
  for (const BoundIndex& index : bound) {
    if (mentions(sum, index.name)) {
      local.axes.push_back(index);
      at.push_back(int_var(index.name));
    }
  }
  local.value = sum;
  auto known = std::find_if(locals_.begin(), locals_.end(), [&](const Defined& other) { return other.value == sum; });
  auto place = static_cast<std::size_t>(known - locals_.begin());
  if (known == locals_.end()) {
    locals_.push_back(std::move(local));
  }
  return read(local_name(place), std::move(at));
}

// What a statement speaks of.
void CoqKernelWriter::note(Term term) {
  for (Symbol name : tensors_read(term)) {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      if (operands_[k].name == name && std::find(out_.read.begin(), out_.read.end(), k) == out_.read.end()) {
        out_.read.push_back(k);
      }
    }
  }
  for (Symbol name : free_variables(term)) {
    if (std::find(out_.parameters.begin(), out_.parameters.end(), name) == out_.parameters.end()) {
      out_.parameters.push_back(name);
    }
  }
}

std::optional<CoqKernel> CoqKernelWriter::write(const std::vector<BoundIndex>& axes, Term value) {
  Defined output{axes, hoisted(value, axes, true)};
  for (const Defined& defined : locals_) {
    note(defined.value);
  }
  note(output.value);
  std::sort(out_.read.begin(), out_.read.end());
  std::vector<Formula> locals;
  for (std::size_t k = 0; k < locals_.size(); ++k) {
    locals.push_back(formula(locals_[k], k));
  }
  Formula defined = formula(output, locals_.size());
  std::string inputs;
  for (std::size_t k : out_.read) {
    std::vector<BoundIndex> box;
    for (Term extent : operands_[k].extents) {
      box.push_back({Symbol(), extent});
      note(extent);
    }
    inputs += (inputs.empty() ? "" : "; ") + extents(box);
  }
  for (std::size_t k = 0; k < out_.numbers.size(); ++k) {
    inputs += inputs.empty() ? "[]" : "; []";
  }
  for (const Defined& local : locals_) {
    std::for_each(local.axes.begin(), local.axes.end(), [this](const BoundIndex& axis) { note(axis.extent); });
  }
  std::for_each(axes.begin(), axes.end(), [this](const BoundIndex& axis) { note(axis.extent); });
  auto is_of = [](const std::vector<BoundIndex>& box, Symbol name) {
    return std::any_of(box.begin(), box.end(), [&](const BoundIndex& axis) { return axis.name == name; });
  };
  std::erase_if(out_.parameters, [&](Symbol name) {
    bool is_number = std::find(out_.numbers.begin(), out_.numbers.end(), real_var(name)) != out_.numbers.end();
    return is_number || is_of(axes, name) ||
           std::any_of(locals_.begin(), locals_.end(), [&](const Defined& local) { return is_of(local.axes, name); });
  });
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (const auto& [moving, extent] : stretched_) {
      if (moving == int_var(axes[axis].name)) {
        out_.stretched.emplace_back(axis, extent);
      }
    }
  }
  out_.text = whole(inputs, locals, defined);
  return reason_.empty() ? std::optional(out_) : std::nullopt;
}

std::string CoqKernelWriter::extents(const std::vector<BoundIndex>& axes) {
  std::string out;
  for (const BoundIndex& axis : axes) {
    out += (out.empty() ? "" : "; ") + printer_.integer(axis.extent, {});
  }
  return "[" + out + "]";
}

std::string CoqKernelWriter::whole(const std::string& inputs, const std::vector<Formula>& locals, const Formula& output) const {
  auto printed = [&](const Formula& formula) {
    return out_.reduces && formula.is_sum ? fmt::format("Sums ({})", formula.text) : formula.text;
  };
  std::string before;
  for (const Formula& local : locals) {
    before += (before.empty() ? "" : "; ") + printed(local);
  }
  return fmt::format("{} [{}] [{}]\n    ({})", out_.reduces ? "reducing" : "operator", inputs, before, printed(output));
}

CoqKernelWriter::Formula CoqKernelWriter::formula(const Defined& defined, std::size_t locals) {
  Place at{locals, defined.axes};
  if (!is_reduction(defined.value)) {
    return {fmt::format("elementwise {} {}", extents(defined.axes), scalar(defined.value, at))};
  }
  bool is_sum = defined.value->reduction == Reduction::Sum;
  out_.reduces = out_.reduces || !is_sum;
  return {reduction(defined, at), is_sum};
}

std::string CoqKernelWriter::reduction(const Defined& defined, Place at) {
  Term value = defined.value;
  std::vector<BoundIndex> loops;
  for (std::size_t k = 0; k < value->bound.size(); ++k) {
    if (moves(value.arg(k + 2), at)) {
      return refuse("an extent speaks of an index");
    }
    loops.push_back({value->bound[k], value.arg(k + 2)});
  }
  at.bound.insert(at.bound.end(), loops.begin(), loops.end());
  std::string guard = is_true(value.arg(1)) ? "Kernel.CTrue" : condition(value.arg(1), at);
  const std::string joins =
      value->reduction == Reduction::Sum ? "summed" : fmt::format("reduces {}", kernel_reduction(value->reduction));
  return fmt::format("{} {} {} {} {}", joins, extents(defined.axes), extents(loops), guard, scalar(value.arg(0), at));
}

std::string CoqKernelWriter::applied(const char* constructor, const std::string& operation, Term term, const Place& at) {
  std::string out = fmt::format("({} Syntax.{}", constructor, operation);
  for (Term arg : term.args()) {
    out += " " + scalar(arg, at);
  }
  return out + ")";
}

std::string CoqKernelWriter::scalar(Term term, const Place& at) {
  switch (term.kind()) {
    case TermKind::RealConst:
      return is_integral(term->value) ? fmt::format("(Kernel.BCon (Syntax.Dyadic ({}) 0))", numerator(term->value).str())
                                      : number(term, at);
    case TermKind::RealVar: return number(term, at);
    case TermKind::RealOf:
      return moves(term, at) ? fmt::format("(Kernel.BIndex {})", index(term.arg(0), at))
                             : fmt::format("(Kernel.BCon (Syntax.Dyadic {} 0))", printer_.integer(term.arg(0), {}));
    case TermKind::Read: return element(term, at);
    case TermKind::RealAdd: return applied("Kernel.BOp2", "Add", term, at);
    case TermKind::RealSub: return applied("Kernel.BOp2", "Sub", term, at);
    case TermKind::RealMul: return applied("Kernel.BOp2", "Mul", term, at);
    case TermKind::RealDiv: return applied("Kernel.BOp2", "Div", term, at);
    case TermKind::RealNeg: return applied("Kernel.BOp1", "Neg", term, at);
    case TermKind::Call: return function(term, at);
    case TermKind::Select: return choice(term.arg(0), scalar(term.arg(1), at), scalar(term.arg(2), at), at);
    case TermKind::Reduce:
      return fmt::format("(Kernel.BCon (Syntax.Infinity {}))", !infinite_sign(term).value());  // others are tensors of their own
    default: fault("a scalar term is expected");
  }
}

std::string CoqKernelWriter::function(Term call, const Place& at) {
  if (is_conversion(call->fn)) {
    bool known = !conversion_.empty() && printer_.converts(call->fn, conversion_);
    return known ? fmt::format("(Kernel.BOp1 {} {})", conversion_, scalar(call.arg(0), at))
                 : refuse(fmt::format("index kernels have no {}, or several", called(call->fn)));
  }
  std::string name = kernel_operation(call->fn, printer_.scalars());
  return name.empty() ? refuse(fmt::format("index kernels have no {}", called(call->fn)))
                      : applied(call.args().size() == 1 ? "Kernel.BOp1" : "Kernel.BOp2", name, call, at);
}

// A tensor of no axes: the theorem is for whatever numbers stand there.
std::string CoqKernelWriter::number(Term number, const Place& at) {
  auto known = std::find(out_.numbers.begin(), out_.numbers.end(), number);
  std::size_t place = static_cast<std::size_t>(known - out_.numbers.begin());
  if (known == out_.numbers.end()) {
    out_.numbers.push_back(number);
  }
  return fmt::format("(reading {} [])", at.locals + out_.read.size() + place);
}

// Where an index is one of two, the element at either.
std::string CoqKernelWriter::element(Term read, const Place& at) {
  auto choice_of_index = first_choice(read, [&](Term t) { return moves(t, at) && !stretched(t, at); });
  if (choice_of_index) {
    if (++choices_ > kMostChoices) {
      return refuse("many of its indices are one of two");
    }
    Term chosen = *choice_of_index;
    bool told = chosen.kind() == TermKind::IntSelect;
    Term a = chosen.arg(told ? 1 : 0);
    Term b = chosen.arg(told ? 2 : 1);
    Term guard = told ? chosen.arg(0) : chosen.kind() == TermKind::IntMin ? le(a, b) : le(b, a);
    return choice(guard, scalar(replaced(read, chosen, a), at), scalar(replaced(read, chosen, b), at), at);
  }
  for (std::size_t k = 0; k < at.locals; ++k) {
    if (read->symbol == local_name(k)) {
      std::vector<Term> box;
      for (const BoundIndex& axis : locals_[k].axes) {
        box.push_back(axis.extent);
      }
      return reading(at.locals - 1 - k, read.args(), box, at);
    }
  }
  for (std::size_t k = 0; k < out_.read.size(); ++k) {
    if (operands_[out_.read[k]].name == read->symbol) {
      return reading(at.locals + k, read.args(), operands_[out_.read[k]].extents, at);
    }
  }
  return refuse("what it reads is no tensor of the instance");
}

std::string CoqKernelWriter::reading(std::size_t tensor, std::span<const Term> indices, const std::vector<Term>& extents,
                                     const Place& at) {
  std::string out;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    out += fmt::format("{}({}, {})", k == 0 ? "" : "; ", index(indices[k], at), printer_.integer(extents[k], {}));
  }
  return fmt::format("(reading {} [{}])", tensor, out);
}

// Comparisons of elements give 1 or 0, by which `Sel` chooses; guards of indices are conditions.
std::string CoqKernelWriter::choice(Term guard, const std::string& then, const std::string& otherwise, const Place& at) {
  if (!speaks_of_scalars(guard)) {
    return fmt::format("(Kernel.BIf {} {} {})", condition(guard, at), then, otherwise);
  }
  auto selected = [&](const char* operation) {
    return fmt::format("(Kernel.BOp3 Syntax.Sel {} {} {})", applied("Kernel.BOp2", operation, guard, at), then, otherwise);
  };
  switch (guard.kind()) {
    case TermKind::RealLt: return selected("Less");
    case TermKind::RealLe: return selected("LessEq");
    case TermKind::RealEq: return selected("Equal");
    case TermKind::Not: return choice(guard.arg(0), otherwise, then, at);
    default: break;
  }
  bool both = guard.kind() == TermKind::And;
  std::string out = both ? then : otherwise;
  for (std::size_t k = guard.args().size(); k-- > 0;) {
    out = both ? choice(guard.arg(k), out, otherwise, at) : choice(guard.arg(k), then, out, at);
  }
  return out;
}

std::string CoqKernelWriter::joined(const char* constructor, Term guard, const Place& at) {
  std::string out = condition(guard.arg(0), at);
  for (std::size_t k = 1; k < guard.args().size(); ++k) {
    out = fmt::format("({} {} {})", constructor, out, condition(guard.arg(k), at));
  }
  return out;
}

std::string CoqKernelWriter::condition(Term guard, const Place& at) {
  auto compared = [&](const char* constructor) {
    return fmt::format("({} {} {})", constructor, index(guard.arg(0), at), index(guard.arg(1), at));
  };
  switch (guard.kind()) {
    case TermKind::BoolConst: return is_true(guard) ? "Kernel.CTrue" : "(Kernel.CNot Kernel.CTrue)";
    case TermKind::IntLe: return compared("Kernel.CLe");
    case TermKind::IntEq: return compared("Kernel.CEq");
    case TermKind::And: return joined("Kernel.CAnd", guard, at);
    case TermKind::Or: return joined("Kernel.COr", guard, at);
    case TermKind::Not: return fmt::format("(Kernel.CNot {})", condition(guard.arg(0), at));
    default: return refuse("what is summed is told by comparing elements");
  }
}

std::string CoqKernelWriter::index(Term term, const Place& at) {
  if (term.kind() == TermKind::IntVar) {
    for (std::size_t k = at.bound.size(); k-- > 0;) {
      if (at.bound[k].name == term->symbol) {
        return fmt::format("(Kernel.IVar {})", at.bound.size() - 1 - k);
      }
    }
  }
  if (!tensors_read(term).empty()) {
    return refuse("an index is data");
  }
  if (!moves(term, at)) {
    return fmt::format("(Kernel.ICon {})", printer_.integer(term, {}));
  }
  auto divided = [&](const char* constructor) {
    return moves(term.arg(1), at) || !facts_.entails({}, ge(term.arg(1), 1))
               ? refuse("an index is divided by what may be 0, or by another index")
               : fmt::format("({} {} (Z.to_pos {}))", constructor, index(term.arg(0), at), printer_.integer(term.arg(1), {}));
  };
  switch (term.kind()) {
    case TermKind::IntAdd: {
      std::string out = index(term.arg(0), at);
      for (std::size_t k = 1; k < term.args().size(); ++k) {
        out = fmt::format("(Kernel.IAdd {} {})", out, index(term.arg(k), at));
      }
      return out;
    }
    case TermKind::IntMul: return product(term, at);
    case TermKind::FloorDiv: return divided("Kernel.IDiv");
    case TermKind::FloorMod: return divided("Kernel.IMod");
    case TermKind::IntMin:
      if (auto out = stretched(term, at)) {
        return *out;
      }
      [[fallthrough]];
    default: return refuse("a condition speaks of the smaller of two indices");
  }
}

// min(i, n - 1) where i is below n, or n is 1: along that axis one element stands for all.
std::optional<std::string> CoqKernelWriter::stretched(Term term, const Place& at) {
  if (term.kind() != TermKind::IntMin) {
    return std::nullopt;
  }
  for (bool first : {true, false}) {
    Term moving = term.arg(first ? 0 : 1);
    Term last = term.arg(first ? 1 : 0);
    if (!moves(moving, at) || moves(last, at)) {
      continue;
    }
    Facts large{ge(last, 1)};
    for (const BoundIndex& index : at.bound) {
      large.push_back(in_range(int_var(index.name), index.extent));
    }
    if (is_of_several(last)) {
      return refuse("an axis is as long as the longest of several");
    }
    if (facts_.entails({}, ge(last, 0)) && facts_.entails(large, le(moving, last))) {
      if (std::pair of_one(moving, last + 1); std::find(stretched_.begin(), stretched_.end(), of_one) == stretched_.end()) {
        stretched_.push_back(of_one);
      }
      return fmt::format("(Kernel.IScale (stretched {}) {})", printer_.integer(last + 1, {}), index(moving, at));
    }
  }
  return std::nullopt;
}

std::string CoqKernelWriter::product(Term term, const Place& at) {
  std::vector<Term> still;
  std::optional<Term> moving;
  for (Term factor : term.args()) {
    if (!moves(factor, at)) {
      still.push_back(factor);
    } else if (moving) {
      return refuse("two indices are multiplied");
    } else {
      moving = factor;
    }
  }
  return fmt::format("(Kernel.IScale {} {})", printer_.integer(product_of(still), {}), index(*moving, at));
}

}  // namespace vouch
