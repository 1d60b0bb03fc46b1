#include "build/data_reads.h"

#include <algorithm>
#include <map>
#include <set>

#include "build/statements.h"
#include "notation/tk_from_kernel.h"
#include "notation/tk_meaning.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 22;  // far below 2^24, where floats stop to be all integers

bool is_data(Term term) {
  return term.kind() == TermKind::IntOf ||
         (term.sort() != Sort::Real && std::any_of(term.args().begin(), term.args().end(), is_data));
}

class DataReads {
 public:
  DataReads(Kernel& kernel, const std::function<bool(Symbol)>& plain) : kernel_(kernel), plain_(plain) {
    for (const auto* decls : {&kernel.inputs, &kernel.locals, &kernel.outputs}) {
      for (const TensorDecl& decl : *decls) {
        extents_[decl.name] = decl.extents;
        types_[decl.name] = decl.dtype;
      }
    }
  }

  void run() {
    std::vector<Statement> all = std::move(kernel_.statements);
    kernel_.statements.clear();
    for (Statement& statement : all) {
      std::map<Symbol, Term> ranges;
      for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
        ranges.emplace(statement.indices[axis], extents_.at(statement.target)[axis]);
      }
      reads_there_ = one_by_data(statement.value) ? std::optional(computed_type(alone(kernel_, statement))) : std::nullopt;
      statement.value = walk(statement.value, ranges);
      kernel_.statements.push_back(std::move(statement));
    }
  }

 private:
  // The term without indices that are data; `ranges` are the extents of the indices around it.
  Term walk(Term term, const std::map<Symbol, Term>& ranges) {
    if (term.args().empty() || term.sort() == Sort::Int) {
      return term;
    }
    bool compares = term.kind() == TermKind::IntLe || term.kind() == TermKind::IntEq;
    if ((compares || term.kind() == TermKind::RealOf) && is_data(term)) {
      auto a = element_of(term.arg(0), ranges);
      auto b = compares ? element_of(term.arg(1), ranges) : a;
      return !a || !b ? term : !compares ? *a : term.kind() == TermKind::IntLe ? real_le(*a, *b) : real_eq(*a, *b);
    }
    std::map<Symbol, Term> inner = ranges;
    for (std::size_t k = 0; k < term->bound.size(); ++k) {
      inner.insert_or_assign(term->bound[k], term.arg(k + 2));
    }
    Term made = with_arguments(term, [&](Term arg) { return walk(arg, inner); });
    if (made.kind() != TermKind::Read) {
      return made;
    }
    auto there = read_there(made, ranges);
    return there ? *there : summed(made, ranges);
  }

  // No read has two subscripts that are data.
  static bool one_by_data(Term term) {
    auto by_data = term.kind() == TermKind::Read ? std::count_if(term.args().begin(), term.args().end(), is_data) : 0;
    return by_data <= 1 && std::all_of(term.args().begin(), term.args().end(), one_by_data);
  }

  // The element at an index of integers, or zero outside of the axis: index notation has it as it is, of tensors that are held as
  // what is computed.
  std::optional<Term> read_there(Term read_term, const std::map<Symbol, Term>& ranges) {
    std::vector<Term> at(read_term.args().begin(), read_term.args().end());
    auto data = std::find_if(at.begin(), at.end(), is_data);
    if (data == at.end() || reads_there_ != types_.at(read_term->symbol)) {
      return std::nullopt;
    }
    auto index = element_of(*data, ranges);
    auto whole = [&](Symbol tensor) { return is_integer(types_.at(tensor)) && is_signed(types_.at(tensor)); };
    std::vector<Symbol> of_index = index ? tensors_read(*index) : std::vector<Symbol>{};
    if (!index || !std::all_of(of_index.begin(), of_index.end(), whole)) {
      return std::nullopt;
    }
    *data = int_of(*index);
    return element_at(read_term->symbol, at, extents_.at(read_term->symbol));
  }

  // The integer as a scalar: what its elements hold, computed as its tensors are.
  std::optional<Term> element_of(Term term, const std::map<Symbol, Term>& ranges) {
    if (!is_data(term)) {
      return real_of(term);
    }
    switch (term.kind()) {
      case TermKind::IntOf: return walk(term.arg(0), ranges);
      case TermKind::IntAdd:
      case TermKind::IntMul: return of_monomials(term, ranges);
      case TermKind::IntMin:
      case TermKind::IntMax: {
        auto a = element_of(term.arg(0), ranges);
        auto b = element_of(term.arg(1), ranges);
        return a && b ? std::optional(call(term.kind() == TermKind::IntMin ? Fn::Min : Fn::Max, {*a, *b})) : std::nullopt;
      }
      case TermKind::IntSelect: {
        auto a = element_of(term.arg(1), ranges);
        auto b = element_of(term.arg(2), ranges);
        return a && b ? std::optional(select(walk(term.arg(0), ranges), *a, *b)) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  std::optional<Term> of_monomials(Term term, const std::map<Symbol, Term>& ranges) {
    std::optional<Term> sum;
    for (const Monomial& monomial : monomials(term)) {
      Term product = real_of(int_const(monomial.coefficient));
      for (Term atom : monomial.atoms) {
        auto factor = element_of(atom, ranges);
        if (!factor) {
          return std::nullopt;
        }
        product = product == real_const(1) ? *factor : product * *factor;
      }
      sum = sum ? *sum + product : product;
    }
    return sum;
  }

  // Subscripts that are data are taken one after the other.
  Term summed(Term read_term, const std::map<Symbol, Term>& ranges) {
    std::vector<Term> at(read_term.args().begin(), read_term.args().end());
    auto data = std::find_if(at.begin(), at.end(), is_data);
    if (data == at.end()) {
      return read_term;
    }
    const std::vector<Term>& extents = extents_.at(read_term->symbol);
    Term extent = extents[static_cast<std::size_t>(data - at.begin())];
    auto index = element_of(*data, ranges);
    auto count = const_int(extent);
    if (!index || !count || *count > kMostPositions) {
      return read_term;
    }
    Symbol position = fresh(Symbol("v"), ranges);
    Term chosen = chosen_by(*index, position, extent, ranges);
    *data = int_var(position);
    std::map<Symbol, Term> inner = ranges;
    inner.emplace(position, extent);
    Term element = summed(rebuild(read_term, at), inner);
    Term body = plain_(read_term->symbol) ? chosen * element : select(real_eq(chosen, real_const(1)), element, real_const(0));
    return reduce(Reduction::Sum, {{position, extent}}, bool_const(true), body);
  }

  // A read of the local that is 1 where the index is `position`.
  Term chosen_by(Term index, Symbol position, Term extent, const std::map<Symbol, Term>& ranges) {
    std::vector<Symbol> names;
    std::vector<Term> extents;
    std::vector<Term> at;
    for (Symbol name : free_variables(index)) {
      if (auto range = ranges.find(name); range != ranges.end()) {
        names.push_back(name);
        extents.push_back(range->second);
        at.push_back(int_var(name));
      }
    }
    names.push_back(position);
    extents.push_back(extent);
    at.push_back(int_var(position));
    Term value = select(real_eq(index, real_of(int_var(position))), real_const(1), real_const(0));
    auto known = locals_.find(value);
    if (known == locals_.end() || known->second.second != extents) {
      Symbol local = fresh(Symbol("chosen"), {});
      extents_[local] = extents;
      types_[local] = computed_type(kernel_);
      kernel_.locals.push_back({local, computed_type(kernel_), extents});
      kernel_.statements.push_back({local, names, value});
      known = locals_.insert_or_assign(value, std::pair(local, extents)).first;
    }
    return read(known->second.first, at);
  }

  Symbol fresh(Symbol wish, const std::map<Symbol, Term>& ranges) {
    return fresh_name(wish, [&](Symbol name) { return extents_.contains(name) || ranges.contains(name); });
  }

  struct Before {
    bool operator()(Term a, Term b) const { return compare(a, b) < 0; }
  };

  Kernel& kernel_;
  const std::function<bool(Symbol)>& plain_;
  std::map<Symbol, std::vector<Term>> extents_;
  std::map<Symbol, DType> types_;
  std::optional<DType> reads_there_;  // what the statement is computed in, if a read at an index that is data may stay one
  std::map<Term, std::pair<Symbol, std::vector<Term>>, Before> locals_;
};

}  // namespace

void take_data_reads_apart(Kernel& kernel, const std::function<bool(Symbol)>& plain) { DataReads(kernel, plain).run(); }

}  // namespace vouch
