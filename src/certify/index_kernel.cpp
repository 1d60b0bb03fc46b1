#include "certify/index_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "array/constant.h"
#include "certify/index_names.h"
#include "certify/index_sizes.h"
#include "kernel/show_tk.h"
#include "kernel/tk_meaning.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {
namespace {

using array::Op;

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
    case Fn::Max: return Op::Max;
    case Fn::Min: return Op::Min;
    case Fn::Pow: return Op::Pow;
    case Fn::Sign:
    case Fn::Round:
    case Fn::Trunc:
    case Fn::Tan:
    case Fn::Asin:
    case Fn::Acos:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Cosh:
    case Fn::Asinh:
    case Fn::Acosh:
    case Fn::Atanh:
    case Fn::Mod:
    case Fn::Fmod:
    case Fn::TruncDiv: break;
  }
  return std::nullopt;
}

IndexBody number(const Rational& value) {
  IndexBody out;
  out.constant = *array::const_of(static_cast<float>(double_of(value)));
  return out;
}

IndexBody operation(Op op, std::vector<IndexBody> args) {
  IndexBody out;
  out.kind = IndexBodyKind::Op;
  out.op = op;
  out.args = std::move(args);
  return out;
}

bool has_data(Term term) {
  bool real = term.kind() == TermKind::RealLt || term.kind() == TermKind::RealLe || term.kind() == TermKind::RealEq;
  return real || std::any_of(term.args().begin(), term.args().end(),
                             [](Term part) { return part.sort() == Sort::Bool && has_data(part); });
}

std::vector<array::Size> sizes_of(const std::vector<Term>& terms, SizeTable& sizes, Diagnostics& diagnostics) {
  std::vector<array::Size> out;
  for (Term term : terms) {
    auto size = sizes.of(term);
    if (!size) {
      diagnostics.error_at("certificate", fmt::format("the extent '{}' is not covered by certificates", print_term(term)));
    }
    out.push_back(size.value_or(array::size_const(1)));
  }
  return out;
}

// One statement's terms; `names` are its index variables, number 0 first.
class Converter {
 public:
  Converter(const TkKernel& kernel, std::vector<Symbol> names, const std::vector<Symbol>& tensors, SizeTable& sizes,
            Diagnostics& diagnostics)
      : kernel_(kernel), names_(std::move(names)), tensors_(tensors), sizes_(sizes), diagnostics_(diagnostics) {}

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
    auto binary = [&](Op op) { return operation(op, {body(term.arg(0)), body(term.arg(1))}); };
    switch (term.kind()) {
      case TermKind::RealConst: return constant_of(term);
      case TermKind::Read: return read_of(term);
      case TermKind::RealAdd: return binary(Op::Add);
      case TermKind::RealSub: return binary(Op::Sub);
      case TermKind::RealMul: return binary(Op::Mul);
      case TermKind::RealDiv: return binary(Op::Div);
      case TermKind::RealNeg: return operation(Op::Neg, {body(term.arg(0))});
      case TermKind::Call: return application(term);
      case TermKind::Select: return choice(term.arg(0), body(term.arg(1)), body(term.arg(2)));
      case TermKind::RealOf: refuse("an index as a value,", term.arg(0)); return {};
      default: refuse("the value", term); return {};
    }
  }

  // A condition on data chooses between values that are both computed.
  IndexBody choice(Term guard, IndexBody then, IndexBody otherwise) {
    if (has_data(guard)) {
      return operation(Op::Sel, {truth(guard), std::move(then), std::move(otherwise)});
    }
    IndexBody out;
    out.kind = IndexBodyKind::If;
    out.condition = condition(guard);
    out.args = {std::move(then), std::move(otherwise)};
    return out;
  }

 private:
  IndexBody truth(Term guard) {
    auto compare = [&](Op op) { return operation(op, {body(guard.arg(0)), body(guard.arg(1))}); };
    switch (guard.kind()) {
      case TermKind::RealLt: return compare(Op::Less);
      case TermKind::RealLe: return compare(Op::LessEq);
      case TermKind::RealEq: return compare(Op::Equal);
      case TermKind::Not: return operation(Op::Sel, {truth(guard.arg(0)), number(0), number(1)});
      case TermKind::And:
      case TermKind::Or: {
        IndexBody out = truth(guard.arg(0));
        for (std::size_t k = 1; k < guard.args().size(); ++k) {
          out = operation(guard.kind() == TermKind::And ? Op::Min : Op::Max, {out, truth(guard.arg(k))});
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

  IndexBody constant_of(Term term) {
    auto rounded = array::const_of(static_cast<float>(double_of(term->value)));
    if (!rounded) {
      refuse("the number", term);
      return {};
    }
    return number(term->value);
  }

  IndexBody read_of(Term term) {
    IndexBody out;
    out.kind = IndexBodyKind::Read;
    auto at = std::find(tensors_.begin(), tensors_.end(), term->symbol);
    ensure(at != tensors_.end(), "a tensor of the statement");
    out.tensor = static_cast<unsigned>(at - tensors_.begin());
    out.extents = sizes_of(kernel_.tensor(term->symbol).shape, sizes_, diagnostics_);
    for (Term subscript : term.args()) {
      out.at.push_back(index(subscript));
    }
    return out;
  }

  IndexBody application(Term term) {
    std::vector<IndexBody> args;
    for (Term part : term.args()) {
      args.push_back(body(part));
    }
    if (term->fn == Fn::Sign) {
      IndexBody below = operation(Op::Sel, {operation(Op::Less, {args[0], number(0)}), number(-1), number(0)});
      return operation(Op::Sel, {operation(Op::Less, {number(0), args[0]}), number(1), below});
    }
    auto op = op_of(term->fn);
    if (!op) {
      refuse(fmt::format("the function '{}' in", fn_name(term->fn)), term);
      return {};
    }
    return operation(*op, std::move(args));
  }

  void refuse(std::string_view what, Term term) {
    diagnostics_.error_at("certificate", fmt::format("{} '{}' is not covered by certificates", what, print_term(term)));
  }

  const TkKernel& kernel_;
  std::vector<Symbol> names_;
  const std::vector<Symbol>& tensors_;
  SizeTable& sizes_;
  Diagnostics& diagnostics_;
};

IndexStatement converted(const TkKernel& kernel, const TkStatement& statement, const std::vector<Symbol>& tensors,
                         SizeTable& sizes, Diagnostics& diagnostics) {
  IndexStatement out;
  out.extents = sizes_of(kernel.tensor(statement.target).shape, sizes, diagnostics);
  for (const TkSummand& summand : statement.summands) {
    BoxedSummand box = boxed(kernel, statement, summand);
    std::vector<Symbol> names(statement.indices.rbegin(), statement.indices.rend());
    IndexSummand part;
    std::vector<Term> counts;
    for (const BoundIndex& loop : box.loops) {
      names.insert(names.begin(), loop.name);
      counts.push_back(loop.extent);
    }
    part.loops = sizes_of(counts, sizes, diagnostics);
    Converter convert(kernel, names, tensors, sizes, diagnostics);
    if (has_data(box.guard)) {
      part.body = convert.choice(box.guard, convert.body(box.body), number(0));
    } else {
      part.condition = convert.condition(box.guard);
      part.body = convert.body(box.body);
    }
    bool empty = std::any_of(part.loops.begin(), part.loops.end(), [](const array::Size& n) { return array::is_const(n, 0); });
    if (!empty) {
      out.summands.push_back(std::move(part));
    }
  }
  return out;
}

bool reads_tensor(const TkStatement& statement, Symbol tensor) {
  return std::any_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& summand) {
    std::vector<Symbol> body = tensors_read(summand.body);
    std::vector<Symbol> guard = tensors_read(summand.guard);
    return std::find(body.begin(), body.end(), tensor) != body.end() ||
           std::find(guard.begin(), guard.end(), tensor) != guard.end();
  });
}

// The statements that an output needs, in order, its own last.
std::vector<const TkStatement*> needed(const TkKernel& kernel, Symbol output) {
  std::set<Symbol> wanted{output};
  std::vector<const TkStatement*> out;
  for (std::size_t s = kernel.statements.size(); s-- > 0;) {
    const TkStatement& statement = kernel.statements[s];
    if (!wanted.contains(statement.target)) {
      continue;
    }
    for (const TkSummand& summand : statement.summands) {
      for (Term term : {summand.body, summand.guard}) {
        for (Symbol tensor : tensors_read(term)) {
          wanted.insert(tensor);
        }
      }
    }
    out.insert(out.begin(), &statement);
  }
  return out;
}

}  // namespace

std::optional<std::vector<IndexKernel>> index_kernels(const TkKernel& kernel, Diagnostics& diagnostics) {
  if (kernel.dtype != "float") {
    diagnostics.error_at("certificate",
                         fmt::format("elements of type '{}' are not covered by certificates: expected float", kernel.dtype));
    return std::nullopt;
  }
  std::unordered_map<Symbol, std::string> plain = plain_names(kernel);
  std::vector<IndexKernel> out;
  for (Symbol output : kernel.outputs) {
    IndexKernel one;
    SizeTable sizes(kernel.sizes);
    std::vector<std::string> taken;
    auto usable = [&](const std::string& name, CNameUse use = CNameUse::Parameter) {
      taken.push_back(usable_c_name(name, taken, use));
      return taken.back();
    };
    one.name = usable(kernel.outputs.size() == 1 ? kernel.name : kernel.name + "_" + plain.at(output), CNameUse::Function);
    taken.insert(taken.end(), {one.name + "_tried", one.name + "_checked"});
    for (Symbol size : kernel.sizes.names) {
      taken.push_back(size.name());
    }
    std::vector<const TkStatement*> statements = needed(kernel, output);
    std::vector<Symbol> tensors;
    for (Symbol input : kernel.inputs) {
      if (!std::any_of(statements.begin(), statements.end(), [&](const TkStatement* s) { return reads_tensor(*s, input); })) {
        continue;
      }
      array::Type type = array::type_num();
      std::vector<array::Size> extents = sizes_of(kernel.tensor(input).shape, sizes, diagnostics);
      for (std::size_t a = extents.size(); a-- > 0;) {
        type = array::type_array(extents[a], type);
      }
      one.inputs.push_back({usable(plain.at(input)), type});
      tensors.push_back(input);
    }
    for (const TkStatement* statement : statements) {
      IndexStatement made = converted(kernel, *statement, tensors, sizes, diagnostics);
      if (statement->target == output) {
        one.output = std::move(made);
      } else {
        one.locals.push_back(std::move(made));
        tensors.insert(tensors.begin(), statement->target);
      }
    }
    one.output_name = usable(plain.at(output));
    one.formula = print_tk(kernel);
    one.facts = sizes.facts();
    for (const std::string& size : sizes.names()) {
      one.sizes.push_back(one.sizes.size() < kernel.sizes.names.size() ? size : usable(size));
    }
    out.push_back(std::move(one));
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace vouch
