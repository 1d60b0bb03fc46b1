#include "kernel/bind.h"

#include <fmt/format.h>

#include <unordered_set>

#include "term/print.h"

namespace vouch {

Term BoundKernel::value_of(const Statement& statement) const {
  Substitution here = sizes;
  for (Symbol index : statement.indices) {
    here.erase(index);
  }
  return substitute(statement.value, here);
}

namespace {

class Binder {
 public:
  Binder(const Kernel& kernel, Diagnostics& diagnostics) : kernel_(kernel), diagnostics_(diagnostics) {}

  std::optional<BoundKernel> bind(std::span<const Extents> inputs, const SizeBindings& sizes, std::int64_t limit) {
    for (const auto& [name, value] : sizes.integers) {
      bound_.sizes.emplace(name, Term(value));
    }
    for (const auto& [name, value] : sizes.scalars) {
      bound_.sizes.emplace(name, real_const(value));
    }
    bool fits = bind_inputs(inputs) && bind_targets(kernel_.locals, limit) && bind_targets(kernel_.outputs, limit) &&
                check_statements();
    return fits ? std::optional(std::move(bound_)) : std::nullopt;
  }

 private:
  bool fail(std::string message) {
    diagnostics_.error_at(fmt::format("kernel `{}`", kernel_.name), std::move(message));
    return false;
  }

  bool bind_inputs(std::span<const Extents> inputs) {
    if (inputs.size() != kernel_.inputs.size()) {
      return fail(fmt::format("expected {} inputs, found {}", kernel_.inputs.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const TensorDecl& decl = kernel_.inputs[i];
      if (inputs[i].size() != decl.extents.size()) {
        return fail(fmt::format("input `{}` has rank {}, expected {}", decl.name.name(), inputs[i].size(),
                                decl.extents.size()));
      }
      ranks_.emplace(decl.name, inputs[i].size());
      for (std::size_t axis = 0; axis < inputs[i].size(); ++axis) {
        if (decl.extents[axis].kind() == TermKind::IntVar) {
          bound_.sizes.emplace(decl.extents[axis]->symbol, Term(inputs[i][axis]));
        }
      }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto expected = extents(kernel_.inputs[i]);
      if (!expected) {
        return false;
      }
      if (*expected != inputs[i]) {
        return fail(fmt::format("input `{}` has extents [{}], expected [{}]", kernel_.inputs[i].name.name(),
                                fmt::join(inputs[i], ", "), fmt::join(*expected, ", ")));
      }
    }
    return true;
  }

  std::optional<Extents> extents(const TensorDecl& decl) {
    Extents out;
    for (Term extent : decl.extents) {
      Term value = substitute(extent, bound_.sizes);
      auto number = const_int(value);
      if (!number) {
        fail(fmt::format("the extent `{}` of `{}` has no value", print_term(value), decl.name.name()));
        return std::nullopt;
      }
      out.push_back(*number);
    }
    return out;
  }

  bool bind_targets(const std::vector<TensorDecl>& decls, std::int64_t limit) {
    for (const TensorDecl& decl : decls) {
      auto own = extents(decl);
      if (!own) {
        return false;
      }
      auto count = element_count(*own);
      if (!count) {
        return fail(fmt::format("`{}` cannot have extents [{}]", decl.name.name(), fmt::join(*own, ", ")));
      }
      if (*count > limit - used_) {
        return fail(fmt::format("`{}` with extents [{}] exceeds the limit of {} elements", decl.name.name(),
                                fmt::join(*own, ", "), limit));
      }
      used_ += *count;
      if (ranks_.contains(decl.name) || !bound_.targets.emplace(decl.name, BoundTarget{decl.dtype, *own}).second) {
        return fail(fmt::format("`{}` is declared twice", decl.name.name()));
      }
    }
    return true;
  }

  bool check_statements() {
    for (const Statement& statement : kernel_.statements) {
      auto target = bound_.targets.find(statement.target);
      if (target == bound_.targets.end() || ranks_.contains(statement.target)) {
        return fail(fmt::format("`{}` is no target that is still to be computed", statement.target.name()));
      }
      if (statement.indices.size() != target->second.extents.size()) {
        return fail(fmt::format("`{}` has rank {}, its statement {} indices", statement.target.name(),
                                target->second.extents.size(), statement.indices.size()));
      }
      seen_.clear();
      if (!check_reads(statement.value)) {
        return false;
      }
      ranks_.emplace(statement.target, statement.indices.size());
    }
    if (ranks_.size() != kernel_.inputs.size() + bound_.targets.size()) {
      return fail("a local or an output is the target of no statement");
    }
    return true;
  }

  bool check_reads(Term term) {
    if (term.args().empty() && term.kind() != TermKind::Read) {
      return true;
    }
    if (!seen_.insert(term).second) {
      return true;
    }
    if (term.kind() == TermKind::Read) {
      auto rank = ranks_.find(term->symbol);
      if (rank == ranks_.end()) {
        return fail(fmt::format("`{}` is read before it is computed, or is not declared", term->symbol.name()));
      }
      if (rank->second != term.args().size()) {
        return fail(fmt::format("`{}` has rank {}, read with {} indices", term->symbol.name(), rank->second,
                                term.args().size()));
      }
    }
    for (Term arg : term.args()) {
      if (!check_reads(arg)) {
        return false;
      }
    }
    return true;
  }

  const Kernel& kernel_;
  Diagnostics& diagnostics_;
  BoundKernel bound_;
  std::unordered_map<Symbol, std::size_t> ranks_;  // of what can be read
  std::unordered_set<Term> seen_;
  std::int64_t used_ = 0;
};

}  // namespace

std::optional<BoundKernel> bind_kernel(const Kernel& kernel, std::span<const Extents> inputs, const SizeBindings& sizes,
                                       std::int64_t limit, Diagnostics& diagnostics) {
  return Binder(kernel, diagnostics).bind(inputs, sizes, limit);
}

}  // namespace vouch
