#include "notation/tk_from_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "notation/tk_header.h"
#include "notation/tk_meaning.h"
#include "support/fault.h"
#include "tensor/element.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

bool has_reduction(Term term) {
  return term.kind() == TermKind::Reduce || std::any_of(term.args().begin(), term.args().end(), has_reduction);
}

// Something in it may be no integer where all tensors hold integers.
bool has_fraction(Term term) {
  if (term.kind() == TermKind::RealDiv || (term.kind() == TermKind::RealConst && denominator(term->value) != 1)) {
    return true;
  }
  if (term.kind() == TermKind::Call) {
    switch (term->fn) {
      case Fn::Abs:
      case Fn::Sign:
      case Fn::Floor:
      case Fn::Ceil:
      case Fn::Round:
      case Fn::Trunc:
      case Fn::Max:
      case Fn::Min:
      case Fn::Mod:
      case Fn::Fmod:
      case Fn::TruncDiv: break;
      default: return true;
    }
  }
  return std::any_of(term.args().begin(), term.args().end(), has_fraction);
}

bool is_number(Term term) { return term.kind() == TermKind::RealConst; }

std::vector<Term> variables(const std::vector<Symbol>& names) {
  std::vector<Term> out;
  for (Symbol name : names) {
    out.push_back(int_var(name));
  }
  return out;
}

// Where a term stands: its index variables with their extents, and the conditions around it.
struct Scope {
  std::vector<Symbol> indices;
  Extents extents;
  Term guard = bool_const(true);
};

class Maker {
 public:
  Maker(const Kernel& kernel, Diagnostics& diagnostics) : kernel_(kernel), diagnostics_(diagnostics) {}

  std::optional<TkKernel> run() {
    out_.name = kernel_.name.empty() ? "kernel" : kernel_.name;
    out_.dtype = element_type_name(computed_type(kernel_));
    for (const auto* decls : {&kernel_.inputs, &kernel_.locals, &kernel_.outputs}) {
      for (const TensorDecl& decl : *decls) {
        declare(decl);
        if (decls != &kernel_.locals && decl.dtype != out_.computed_type()) {
          out_.stored.emplace(plain_[decl.name], decl.dtype);
        } else if (decl.dtype != out_.computed_type()) {
          refuse(fmt::format("'{}' has elements of type {} between steps in {}", decl.name.name(), dtype_name(decl.dtype),
                             out_.dtype));
        }
      }
    }
    for (const TensorDecl& decl : kernel_.inputs) {
      out_.inputs.push_back(plain_[decl.name]);
    }
    for (const Statement& statement : kernel_.statements) {
      if (!failed_) {
        define(statement);
      }
    }
    for (const TensorDecl& decl : kernel_.outputs) {
      out_.outputs.push_back(plain_[decl.name]);
    }
    return failed_ ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  void refuse(std::string message) {
    if (!failed_) {
      diagnostics_.error_at(kernel_.name, std::move(message));
    }
    failed_ = true;
  }

  Symbol fresh(std::string wish) {
    std::replace(wish.begin(), wish.end(), '.', '_');
    Symbol name = fresh_name(Symbol(wish), [&](Symbol s) { return taken_.contains(s); });
    taken_.insert(name);
    return name;
  }

  void declare(const TensorDecl& decl) {
    if (element_type_name(decl.dtype).empty()) {
      refuse(fmt::format("'{}' has elements of type {}: no type of C holds one", decl.name.name(), dtype_name(decl.dtype)));
    }
    Extents extents;
    for (Term extent : decl.extents) {
      auto known = const_int(extent);
      if (!known || *known < 1) {
        refuse(fmt::format("'{}' has an axis of size {}: expected a number of at least 1", decl.name.name(), print_term(extent)));
      }
      extents.push_back(known.value_or(1));
    }
    plain_[decl.name] = fresh(decl.name.name());
    add_tensor(plain_[decl.name], extents);
  }

  void add_tensor(Symbol name, Extents extents) {
    if (extents.empty()) {
      extents.push_back(1);
    }
    out_.tensors.push_back({name, name, shape_of(extents)});
  }

  void define(const Statement& statement) {
    Scope scope;
    Substitution renamed;
    scope.extents = out_.tensor(plain_[statement.target]).extents();
    for (std::size_t a = 0; a < scope.extents.size(); ++a) {
      Symbol wish = a < statement.indices.size() ? statement.indices[a] : Symbol("o");
      scope.indices.push_back(fresh(wish.name()));
      if (a < statement.indices.size()) {
        renamed[wish] = int_var(scope.indices.back());
      }
    }
    Term value = replace_reads(substitute(statement.value, renamed), [&](Symbol tensor, std::span<const Term> at) {
      std::vector<Term> subscripts(at.begin(), at.end());
      if (subscripts.empty()) {
        subscripts.push_back(Term(0));
      }
      return std::optional<Term>(read(plain_.at(tensor), subscripts));
    });
    check(value);
    if (!failed_) {
      finish(plain_[statement.target], scope, value);
    }
  }

  // What no later step is to meet; parts first, for they say why.
  void check(Term term) {
    for (Term part : term.args()) {
      bool by_data = term.kind() == TermKind::Read && part.kind() == TermKind::IntOf;
      check(by_data ? part.arg(0) : part);
    }
    if (term.kind() == TermKind::IntOf) {
      refuse(fmt::format("'{}' is an index that is data", print_term(term)));
    } else if (term.kind() == TermKind::RealVar) {
      refuse(fmt::format("'{}' has no value", print_term(term)));
    } else if (term.kind() == TermKind::IntSelect) {
      refuse(fmt::format("'{}' is an index that is chosen", print_term(term)));
    } else if (term.kind() == TermKind::Read) {
      for (Term subscript : term.args()) {
        std::string_view why = subscript.kind() == TermKind::IntOf ? "" : why_not_linear(subscript);
        if (!why.empty()) {
          refuse(fmt::format("the subscript '{}' {}", print_term(subscript), why));
        }
      }
    } else if (term.kind() == TermKind::Reduce) {
      for (Term extent : term.args().subspan(2)) {
        if (!const_int(extent)) {
          refuse(fmt::format("'{}' is summed over a size that is no number", print_term(term)));
        }
      }
    }
  }

  void finish(Symbol target, const Scope& scope, Term value) {
    TkStatement out{target, scope.indices, {}, {}, {}, {}};
    add(value, {}, scope, out);
    out_.statements.push_back(std::move(out));
  }

  // Adds `value` within its loops to the statement. `scope` counts the loops as indices.
  void add(Term value, const std::vector<TkLoop>& loops, const Scope& scope, TkStatement& out) {
    if (!has_reduction(value)) {
      out.summands.push_back({loops, scope.guard, value});
      return;
    }
    Term left = value.arg(0);
    switch (value.kind()) {
      case TermKind::RealAdd:
      case TermKind::RealSub:
        add(left, loops, scope, out);
        add(value.kind() == TermKind::RealAdd ? value.arg(1) : -value.arg(1), loops, scope, out);
        return;
      case TermKind::RealNeg:
        return add_scaled(
            left, [](Term x) { return -x; }, loops, scope, out);
      case TermKind::RealMul:
        if (is_number(left)) {
          return add_scaled(
              value.arg(1), [left](Term x) { return left * x; }, loops, scope, out);
        }
        break;
      case TermKind::RealDiv:
        if (is_number(value.arg(1))) {
          Term by = value.arg(1);
          return add_scaled(
              left, [by](Term x) { return x / by; }, loops, scope, out);
        }
        break;
      case TermKind::Reduce:
        if (value->reduction == Reduction::Sum) {
          return add_sum(value, loops, scope, out);
        }
        break;
      default: break;
    }
    Term plain = hoisted(value, scope);
    out.summands.push_back({loops, scope.guard, plain});
  }

  // A sum times a number is the sum of the products; what is not a sum is scaled as it is.
  template <class Scale>
  void add_scaled(Term value, Scale scale, const std::vector<TkLoop>& loops, const Scope& scope, TkStatement& out) {
    std::size_t before = out.summands.size();
    add(value, loops, scope, out);
    for (std::size_t k = before; k < out.summands.size(); ++k) {
      out.summands[k].body = scale(out.summands[k].body);
    }
  }

  // The body and guard of a reduction under names of its own, its indices added to the scope.
  std::pair<Term, Term> opened(Term reduction, std::vector<TkLoop>& loops, Scope& scope) {
    Substitution renamed;
    for (std::size_t k = 0; k < reduction->bound.size(); ++k) {
      Symbol name = fresh(reduction->bound[k].name());
      renamed[reduction->bound[k]] = int_var(name);
      scope.indices.push_back(name);
      scope.extents.push_back(*const_int(reduction.arg(k + 2)));
      loops.push_back({name, Term(0), Term(scope.extents.back())});
    }
    return {substitute(reduction.arg(0), renamed), substitute(reduction.arg(1), renamed)};
  }

  void add_sum(Term sum, std::vector<TkLoop> loops, Scope scope, TkStatement& out) {
    auto [body, guard] = opened(sum, loops, scope);
    scope.guard = both(scope.guard, guard);
    bool empty = std::find(scope.extents.begin(), scope.extents.end(), 0) != scope.extents.end();
    if (!empty) {
      add(body, loops, scope, out);
    }
  }

  // The term with a read of a local for each of its outermost reductions.
  Term hoisted(Term term, const Scope& scope) {
    if (!has_reduction(term)) {
      return term;
    }
    if (term.kind() == TermKind::Reduce) {
      return local(term, scope);
    }
    std::vector<Term> args;
    for (std::size_t k = 0; k < term.args().size(); ++k) {
      Scope inner = scope;
      if (term.kind() == TermKind::Select && k > 0) {
        Term condition = args[0];
        inner.guard = both(inner.guard, k == 1 ? condition : opposite(condition));
      }
      args.push_back(hoisted(term.arg(k), inner));
    }
    return rebuild(term, args);
  }

  // A local with an axis for each index that the reduction, or a condition around it, depends on.
  Term local(Term reduction, const Scope& scope) {
    Scope own;
    std::vector<Symbol> free = free_variables(reduction);
    std::vector<Symbol> of_guard = free_variables(scope.guard);
    for (std::size_t k = 0; k < scope.indices.size(); ++k) {
      Symbol name = scope.indices[k];
      if (std::find(free.begin(), free.end(), name) != free.end() ||
          std::find(of_guard.begin(), of_guard.end(), name) != of_guard.end()) {
        own.indices.push_back(name);
        own.extents.push_back(scope.extents[k]);
      }
    }
    own.guard = scope.guard;
    std::vector<Term> at = variables(own.indices);
    if (own.indices.empty()) {
      own.indices.push_back(fresh("o"));
      own.extents.push_back(1);
      at.emplace_back(0);
    }
    if (reduction->reduction != Reduction::Sum) {
      return halved(reduction, own, at);
    }
    Symbol name = fresh("total");
    add_tensor(name, own.extents);
    TkStatement out{name, own.indices, {}, {}, {}, {}};
    add_sum(reduction, {}, own, out);
    out_.statements.push_back(std::move(out));
    return read(name, at);
  }

  // All elements of the reduction, then the last axis halved until it has one element, then the axis before it.
  Term halved(Term reduction, const Scope& scope, std::vector<Term> at) {
    std::vector<TkLoop> loops;
    Scope all = scope;
    auto [body, guard] = opened(reduction, loops, all);
    Symbol name = fresh("each");
    add_tensor(name, all.extents);
    TkStatement each{name, all.indices, {}, {}, {}, {}};
    all.guard = both(all.guard, guard);
    add(body, {}, all, each);
    if (!is_true(all.guard)) {
      each.summands.push_back({{}, opposite(all.guard), neutral(reduction->reduction)});
    }
    out_.statements.push_back(std::move(each));
    std::size_t kept = scope.indices.size();
    for (std::size_t axis = all.extents.size(); axis-- > kept;) {
      while (all.extents[axis] > 1) {
        name = half(name, axis, reduction->reduction, all);
      }
      if (all.extents[axis] == 0) {
        refuse("a maximum, minimum or product over no elements");
      }
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(kept), Term(0));
    }
    return read(name, at);
  }

  // A tensor like `of`, whose elements 2j and 2j + 1 along the axis are joined.
  Symbol half(Symbol of, std::size_t axis, Reduction reduction, Scope& all) {
    std::int64_t count = all.extents[axis];
    all.extents[axis] = (count + 1) / 2;
    Symbol name = fresh("half");
    add_tensor(name, all.extents);
    std::vector<Term> at = variables(all.indices);
    for (std::size_t done = axis + 1; done < at.size(); ++done) {
      at[done] = Term(0);
    }
    Term twice = Term(2) * int_var(all.indices[axis]);
    at[axis] = twice;
    Term even = read(of, at);
    at[axis] = twice + Term(1);
    Term odd = read(of, at);
    Term joined =
        reduction == Reduction::Product ? even * odd : call(reduction == Reduction::Max ? Fn::Max : Fn::Min, {even, odd});
    Term value = count % 2 == 0 ? joined : select(lt(twice + Term(1), Term(count)), joined, even);
    out_.statements.push_back({name, all.indices, {{{}, bool_const(true), value}}, {}, {}, {}});
    return name;
  }

  // No element of the type that is computed is below it, or above.
  Term neutral(Reduction reduction) const {
    NumberRange range = range_of(out_.computed_type());
    return real_const(reduction == Reduction::Product ? Rational(1) : reduction == Reduction::Max ? range.low : range.high);
  }

  const Kernel& kernel_;
  Diagnostics& diagnostics_;
  TkKernel out_;
  std::unordered_map<Symbol, Symbol> plain_;
  std::set<Symbol> taken_;  // names of tensors and of indices
  bool failed_ = false;
};

}  // namespace

DType computed_type(const Kernel& kernel) {
  auto has = [&](DType dtype) {
    auto is_it = [&](const TensorDecl& decl) { return decl.dtype == dtype; };
    return std::any_of(kernel.inputs.begin(), kernel.inputs.end(), is_it) ||
           std::any_of(kernel.outputs.begin(), kernel.outputs.end(), is_it);
  };
  bool quantised = has(DType::Int8) || has(DType::UInt8) || has(DType::Int16) || has(DType::UInt16);
  if (has(DType::Float64)) {
    return DType::Float64;
  }
  if (has(DType::Float32) || has(DType::Float16) || has(DType::BFloat16)) {
    return quantised ? DType::Float64 : DType::Float32;
  }
  if (std::any_of(kernel.statements.begin(), kernel.statements.end(), [](const Statement& s) { return has_fraction(s.value); })) {
    return DType::Float64;
  }
  return has(DType::UInt64) ? DType::UInt64 : has(DType::Int64) || has(DType::UInt32) ? DType::Int64 : DType::Int32;
}

std::optional<TkKernel> tk_from_kernel(const Kernel& kernel, Diagnostics& diagnostics) {
  ensure(!kernel.outputs.empty(), "a kernel has an output");
  return Maker(kernel, diagnostics).run();
}

}  // namespace vouch
