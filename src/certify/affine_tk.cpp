#include "certify/affine_tk.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certify/affine.h"
#include "certify/index_sizes.h"
#include "certify/index_statement.h"
#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

using array::Op;

std::optional<Fn> fn_of(Op op) {
  for (int number = 0; number < kFnCount; ++number) {
    if (op_of(static_cast<Fn>(number)) == op) {
      return static_cast<Fn>(number);
    }
  }
  return std::nullopt;
}

Rational number_of(const array::Const& constant) {
  Integer power = Integer(1) << static_cast<unsigned>(abs(constant.exponent).convert_to<std::int64_t>());
  return constant.exponent < 0 ? Rational(constant.mantissa, power) : Rational(constant.mantissa * power);
}

class TkMaker {
 public:
  explicit TkMaker(const IndexKernel& kernel) : kernel_(kernel) {
    for (const std::string& size : kernel.sizes) {
      sizes_.push_back(int_var(named(size)));
    }
  }

  std::string refusal;

  TkKernel kernel() {
    out_.name = kernel_.name;
    for (Term size : sizes_) {
      out_.sizes.names.push_back(size->symbol);
    }
    for (const auto& [low, high] : kernel_.facts) {
      out_.sizes.assume(size(high) - size(low), 0);
    }
    for (const array::Parameter& input : kernel_.inputs) {
      std::vector<array::Size> extents;
      for (array::Type at = input.type; at->kind == array::TypeKind::Array; at = at->parts[0]) {
        extents.push_back(at->size);
      }
      out_.inputs.push_back(tensor(input.name, extents));
    }
    tensors_ = out_.inputs;
    for (const IndexStatement& local : kernel_.locals) {
      define(local, "part");
    }
    define(kernel_.output, kernel_.output_name);
    out_.outputs = {tensors_.front()};
    out_.grad_to = out_.inputs;
    return std::move(out_);
  }

 private:
  Symbol named(const std::string& wish) {
    Symbol name = fresh_name(Symbol(wish), [&](Symbol s) { return taken_.contains(s); });
    taken_.insert(name);
    return name;
  }

  Symbol tensor(const std::string& wish, const std::vector<array::Size>& extents) {
    Symbol name = named(wish);
    std::vector<Term> shape;
    for (const array::Size& extent : extents) {
      shape.push_back(size(extent));
    }
    out_.tensors.push_back({name, name, shape.empty() ? std::vector<Term>{1} : shape});
    return name;
  }

  Term size(const array::Size& of) const {
    Substitution names;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      names.emplace(array::size_term(array::size_var(static_cast<unsigned>(k)))->symbol, sizes_[k]);
    }
    return substitute(array::size_term(of), names);
  }

  void define(const IndexStatement& statement, const std::string& wish) {
    TkStatement out;
    out.target = tensor(wish, statement.extents);
    const std::vector<Term>& shape = out_.tensors.back().shape;
    std::vector<Symbol> names;
    for (Term extent : shape) {
      out.indices.push_back(named("i"));
      out.domains.push_back({out.indices.back(), false, 0, extent});
    }
    for (const IndexSummand& summand : statement.summands) {
      names_.assign(out.indices.begin(), out.indices.begin() + static_cast<std::ptrdiff_t>(statement.extents.size()));
      TkSummand part;
      for (const array::Size& extent : summand.loops) {
        part.loops.push_back({named("k"), 0, size(extent)});
        out.domains.push_back({part.loops.back().name, true, 0, part.loops.back().end});
        names_.push_back(part.loops.back().name);
      }
      part.guard = condition(summand.condition);
      part.body = body(summand.body);
      out.summands.push_back(std::move(part));
    }
    tensors_.insert(tensors_.begin(), out.target);
    out_.statements.push_back(std::move(out));
  }

  Term term(const IndexTerm& of) const {
    switch (of.kind) {
      case IndexTermKind::Var: return int_var(names_.at(names_.size() - 1 - of.var));
      case IndexTermKind::Con: return int_const(of.number);
      case IndexTermKind::Size: return size(of.size);
      case IndexTermKind::Add: return term(of.args[0]) + term(of.args[1]);
      case IndexTermKind::Scale: return int_const(of.number) * term(of.args[0]);
      case IndexTermKind::Div: return floor_div(term(of.args[0]), int_const(of.number));
      case IndexTermKind::Mod: return floor_mod(term(of.args[0]), int_const(of.number));
    }
    fault("no such index term");
  }

  Term condition(const IndexCond& of) const {
    switch (of.kind) {
      case IndexCondKind::True: return bool_const(true);
      case IndexCondKind::Le: return le(term(of.terms[0]), term(of.terms[1]));
      case IndexCondKind::Eq: return eq(term(of.terms[0]), term(of.terms[1]));
      case IndexCondKind::And: return both(condition(of.parts[0]), condition(of.parts[1]));
      case IndexCondKind::Or: return either(condition(of.parts[0]), condition(of.parts[1]));
      case IndexCondKind::Not: return negate(condition(of.parts[0]));
    }
    fault("no such condition");
  }

  Term body(const IndexBody& of) {
    switch (of.kind) {
      case IndexBodyKind::Con:
        if (of.constant.infinite) {
          return refuse("an infinity");
        }
        return real_const(number_of(of.constant));
      case IndexBodyKind::Index: return real_of(term(of.at[0]));
      case IndexBodyKind::Read: {
        std::vector<Term> at;
        for (const IndexTerm& subscript : of.at) {
          at.push_back(term(subscript));
        }
        return read(tensors_.at(of.tensor), at.empty() ? std::vector<Term>{0} : at);
      }
      case IndexBodyKind::Gather: fault("a functional program has no index that is data");
      case IndexBodyKind::Op: return operation(of);
      case IndexBodyKind::If: return select(condition(of.condition), body(of.args[0]), body(of.args[1]));
    }
    fault("no such body");
  }

  Term operation(const IndexBody& of) {
    if (of.op == Op::Sel) {
      return chosen(of);
    }
    std::vector<Term> args;
    for (const IndexBody& arg : of.args) {
      args.push_back(body(arg));
    }
    switch (of.op) {
      case Op::Add: return args[0] + args[1];
      case Op::Sub: return args[0] - args[1];
      case Op::Mul: return args[0] * args[1];
      case Op::Div: return args[0] / args[1];
      case Op::Neg: return -args[0];
      default: break;
    }
    auto fn = array::cast_of(of.op) ? std::nullopt : fn_of(of.op);
    return fn ? call(*fn, args) : refuse(fmt::format("'{}'", array::op_row(of.op).text));
  }

  // What is chosen by a comparison of numbers.
  Term chosen(const IndexBody& of) {
    const IndexBody& by = of.args[0];
    bool compares = by.kind == IndexBodyKind::Op && (by.op == Op::Less || by.op == Op::LessEq || by.op == Op::Equal);
    if (!compares) {
      return refuse("'sel' by something else than a comparison");
    }
    Term a = body(by.args[0]);
    Term b = body(by.args[1]);
    Term guard = by.op == Op::Less ? real_lt(a, b) : by.op == Op::LessEq ? real_le(a, b) : real_eq(a, b);
    return select(guard, body(of.args[1]), body(of.args[2]));
  }

  Term refuse(std::string what) {
    refusal = refusal.empty() ? std::move(what) : refusal;
    return real_const(0);
  }

  const IndexKernel& kernel_;
  TkKernel out_;
  std::vector<Term> sizes_;
  std::set<Symbol> taken_;
  std::vector<Symbol> tensors_;  // as the statement that is made numbers them
  std::vector<Symbol> names_;    // of its indices, from outside in
};

}  // namespace

std::optional<TkKernel> affine_tk(const array::Program& program, const std::string& place, Diagnostics& diagnostics) {
  auto kernel = affine_kernel(program, place, diagnostics);
  if (!kernel) {
    return std::nullopt;
  }
  TkMaker maker(*kernel);
  TkKernel made = maker.kernel();
  if (!maker.refusal.empty()) {
    diagnostics.error_at(
        place, fmt::format("the kernel '{}' is not read as index notation with names: it has {}", program.name, maker.refusal),
        "gradients are of the other operations");
    return std::nullopt;
  }
  SizeTable sizes(made);
  IndexKernel whole = whole_index_kernel(made, sizes, diagnostics).kernel;
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  if (!reads_alike(program, whole)) {
    diagnostics.error_at(place,
                         fmt::format("the kernel '{}' is not read as index notation with names: expected elements that it "
                                     "writes alike, found conditions, paddings or choices that it writes otherwise",
                                     program.name),
                         "give the padded array as an input");
    return std::nullopt;
  }
  return made;
}

}  // namespace vouch
