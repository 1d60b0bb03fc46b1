#include "autodiff/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "autodiff/chain.h"
#include "autodiff/index_change.h"
#include "notation/tk_empty.h"
#include "notation/tk_meaning.h"
#include "support/fault.h"
#include "support/symbols.h"
#include "term/substitute.h"

namespace vouch {
namespace {

std::vector<Term> as_terms(const std::vector<Symbol>& names) {
  std::vector<Term> out;
  for (Symbol name : names) {
    out.push_back(int_var(name));
  }
  return out;
}

void add_tensors_read(const TkStatement& statement, std::set<Symbol>& out) {
  for (const TkSummand& summand : statement.summands) {
    for (Term term : {summand.body, summand.guard}) {
      for (Symbol tensor : tensors_read(term)) {
        out.insert(tensor);
      }
    }
  }
}

class Differentiator {
 public:
  Differentiator(const TkKernel& kernel, std::string prefix, Ties ties, Diagnostics& diagnostics)
      : kernel_(kernel), prefix_(std::move(prefix)), ties_(ties), diagnostics_(diagnostics) {
    out_.name = kernel.name;
    out_.dtype = kernel.dtype;
    out_.tensors = kernel.tensors;
    out_.sizes = kernel.sizes;
    out_.stored = kernel.stored;
    position_ = fresh_name(Symbol("at"), [&](Symbol name) { return is_used(name); });
  }

  GradientRecord record;

  bool check(const std::vector<Symbol>& targets) {
    if (targets.empty()) {
      diagnostics_.error_at("gradient", "the kernel does not say what to differentiate by",
                            "write `grad A;` into it, or give --to A");
    }
    for (auto target = targets.begin(); target != targets.end(); ++target) {
      if (!contains(kernel_.inputs, *target)) {
        diagnostics_.error_at("gradient", fmt::format("'{}' is no input of the kernel", target->name()));
      } else if (std::find(targets.begin(), target, *target) != target) {
        diagnostics_.error_at("gradient", fmt::format("'{}' is given twice as a target", target->name()), "name it once");
      }
    }
    bool floating = kernel_.dtype == "float" || kernel_.dtype == "double";
    if (!floating) {
      diagnostics_.error_at("gradient",
                            fmt::format("a kernel of type '{}' has no gradient: expected float or double", kernel_.dtype));
    }
    for (const auto& [name, type] : kernel_.stored) {
      bool output = std::any_of(kernel_.outputs.begin(), kernel_.outputs.end(),
                                [&](Symbol version) { return kernel_.tensor(version).written == name; });
      if (output || contains(targets, name)) {
        diagnostics_.error_at(
            "gradient",
            fmt::format("'{}' is held as another type than is computed: expected {} of what is differentiated{}", name.name(),
                        kernel_.dtype, output ? "" : " by"),
            "other inputs, such as indices, may be held as any type");
      }
    }
    return !diagnostics_.has_errors();
  }

  std::optional<TkKernel> reverse(const std::vector<Symbol>& targets) {
    mark_active(targets);
    std::vector<Symbol> seeds;
    for (Symbol output : kernel_.outputs) {
      Symbol name = derived(kernel_.tensor(output).written);
      seeds.push_back(name);
      record.cotangents[output] = name;
    }
    std::set<Symbol> reached(kernel_.outputs.begin(), kernel_.outputs.end());  // what an output depends on
    for (std::size_t s = kernel_.statements.size(); s-- > 0;) {
      const TkStatement& statement = kernel_.statements[s];
      if (!reached.contains(statement.target)) {
        continue;
      }
      add_tensors_read(statement, reached);
      if (active_.contains(statement.target)) {
        define_adjoint(statement.target, s + 1);
      }
    }
    for (Symbol target : targets) {
      define_adjoint(target, 0);
      out_.outputs.push_back(adjoints_.at(target));
    }
    return finish(seeds);
  }

  std::optional<TkKernel> forward(const std::vector<Symbol>& targets) {
    mark_active(targets);
    std::vector<Symbol> seeds;
    for (Symbol target : targets) {
      adjoints_[target] = declare(derived(target), target);
      seeds.push_back(adjoints_[target]);
    }
    for (const TkStatement& statement : kernel_.statements) {
      if (active_.contains(statement.target)) {
        define_tangent(statement);
      }
    }
    for (Symbol output : kernel_.outputs) {
      if (adjoints_.contains(output)) {
        out_.outputs.push_back(adjoints_.at(output));
      } else {
        diagnostics_.error_at("tangent", fmt::format("output '{}' depends on no target", output.name()));
      }
    }
    return finish(seeds);
  }

 private:
  std::optional<std::vector<OccurrenceTerm>> occurrences_in(const TkSummand& summand, Symbol tensor, Term seed) {
    return occurrences(kernel_, summand.body, tensor, seed, ties_, position_, diagnostics_);
  }

  bool is_used(Symbol name) const {
    auto named = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    };
    return kernel_.sizes.has(name) || named(kernel_.tensors) ||
           std::any_of(kernel_.statements.begin(), kernel_.statements.end(), [&](const TkStatement& statement) {
             return contains(statement.indices, name) ||
                    std::any_of(statement.summands.begin(), statement.summands.end(),
                                [&](const TkSummand& summand) { return named(summand.loops); });
           });
  }

  // A fresh name for the derivative of a tensor.
  Symbol derived(Symbol of) {
    auto taken = [&](Symbol name) {
      return kernel_.sizes.has(name) ||
             std::any_of(out_.tensors.begin(), out_.tensors.end(), [&](const TkTensor& t) { return t.name == name; }) ||
             std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const TkTensor& t) { return t.written == name; });
    };
    // A target may be called as the derivative of an output is: both are what the signature says.
    Symbol wanted(prefix_ + of.name());
    return taken(wanted) ? fresh_name(Symbol(prefix_ + "_" + of.name()), taken) : wanted;
  }

  Symbol declare(Symbol name, Symbol like) {
    out_.tensors.push_back({name, name, kernel_.tensor(like).shape});
    return name;
  }

  // What depends on a target.
  void mark_active(const std::vector<Symbol>& targets) {
    active_.insert(targets.begin(), targets.end());
    for (const TkStatement& statement : kernel_.statements) {
      for (const TkSummand& summand : statement.summands) {
        for (Symbol tensor : tensors_read(summand.body)) {
          if (active_.contains(tensor)) {
            active_.insert(statement.target);
          }
        }
      }
    }
  }

  // d(version) = seed of an output + every use in the statements from `first` on.
  void define_adjoint(Symbol version, std::size_t first) {
    const TkTensor& tensor = kernel_.tensor(version);
    TkStatement out;
    out.indices = target_indices(version, tensor.shape.size(), first);
    if (auto seed = record.cotangents.find(version); seed != record.cotangents.end()) {
      if (std::none_of(out_.tensors.begin(), out_.tensors.end(), [&](const TkTensor& t) { return t.name == seed->second; })) {
        declare(seed->second, version);
      }
      if (!used_before(version, first)) {
        adjoints_[version] = seed->second;
        return;
      }
      out.summands.push_back({{}, bool_const(true), read(seed->second, as_terms(out.indices))});
    }
    std::vector<std::size_t> changes;
    for (std::size_t s = first; s < kernel_.statements.size(); ++s) {
      for (std::size_t k = 0; adjoints_.contains(kernel_.statements[s].target) && k < kernel_.statements[s].summands.size();
           ++k) {
        add_uses(s, k, tensor, out, changes);
      }
    }
    out.target = declare(derived(version), version);
    adjoints_[version] = out.target;
    record.adjoints.push_back({version, out.target, std::move(changes)});
    out_.statements.push_back(std::move(out));
  }

  bool used_before(Symbol version, std::size_t first) const {
    for (std::size_t s = first; s < kernel_.statements.size(); ++s) {
      for (const TkSummand& summand : kernel_.statements[s].summands) {
        if (contains(tensors_read(summand.body), version)) {
          return true;
        }
      }
    }
    return false;
  }

  // The names of the first occurrence's subscripts where they are plain and distinct.
  std::vector<Symbol> target_indices(Symbol version, std::size_t rank, std::size_t first) {
    std::vector<Symbol> names(rank);
    for (std::size_t s = first; s < kernel_.statements.size(); ++s) {
      for (const TkSummand& summand : kernel_.statements[s].summands) {
        auto found = occurrences_in(summand, version, real_const(1));
        if (!found || found->empty()) {
          continue;
        }
        for (std::size_t a = 0; a < rank; ++a) {
          Term subscript = found->front().read.arg(a);
          bool is_index = subscript.kind() == TermKind::IntVar && !kernel_.sizes.has(subscript->symbol);
          if (is_index && !contains(names, subscript->symbol)) {
            names[a] = subscript->symbol;
          }
        }
        return filled(names);
      }
    }
    return filled(names);
  }

  std::vector<Symbol> filled(std::vector<Symbol> names) const {
    for (std::size_t a = 0; a < names.size(); ++a) {
      if (names[a].empty()) {
        names[a] = fresh_name(Symbol(fmt::format("z{}", a)), [&](Symbol name) {
          return contains(names, name) || kernel_.sizes.has(name) ||
                 std::any_of(out_.tensors.begin(), out_.tensors.end(), [&](const TkTensor& t) { return t.name == name; });
        });
      }
    }
    return names;
  }

  void add_uses(std::size_t s, std::size_t k, const TkTensor& tensor, TkStatement& out, std::vector<std::size_t>& changes) {
    const TkStatement& use = kernel_.statements[s];
    const TkSummand& summand = use.summands[k];
    Term seed = read(adjoints_.at(use.target), as_terms(use.indices));
    auto found = occurrences_in(summand, tensor.name, seed);
    if (!found) {
      return;
    }
    for (const OccurrenceTerm& occurrence : *found) {
      IndexChange change{use.indices, {}, both(summand.guard, occurrence.guard), {}};
      const std::vector<Term>& shape = kernel_.tensor(use.target).shape;
      for (std::size_t a = 0; a < use.indices.size(); ++a) {
        change.domain.push_back({use.indices[a], Term(0), shape[a]});
      }
      for (const TkLoop& loop : summand.loops) {
        change.variables.push_back(loop.name);
        change.domain.push_back(loop);
      }
      change.subscripts.assign(occurrence.read.args().begin(), occurrence.read.args().end());
      Term partial = occurrence.partial;
      if (occurrence.position) {
        const auto& [loop, axis, is_chosen] = *occurrence.position;
        change.variables.push_back(loop.name);
        change.domain.push_back(loop);
        change.subscripts[axis] = int_var(loop.name);
        partial = select(is_chosen, partial, real_const(0));
      }
      auto changed = change_indices(change, out.indices, tensor.shape, kernel_.sizes);
      changes.push_back(record.changes.size());
      auto position = occurrence.position ? std::optional(occurrence.position->loop) : std::nullopt;
      record.changes.push_back({occurrence.read, change, out.indices, tensor.shape, kernel_.sizes, changed, s, k, position,
                                occurrence.by_ties, occurrence.divides_numbers});
      if (changed) {
        Substitution solution(changed->solution.begin(), changed->solution.end());
        TkSummand added{changed->loops, changed->guard, substitute(partial, solution), sizes_of(kernel_, use, summand)};
        out.summands.push_back(renamed_apart(std::move(added), out));
      }
    }
  }

  // An index has one domain in a statement's text: loops of different summands get different names.
  TkSummand renamed_apart(TkSummand summand, const TkStatement& statement) const {
    auto taken = [&](Symbol name) {
      return contains(statement.indices, name) || is_tensor(name) || kernel_.sizes.has(name) ||
             std::any_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& other) {
               return std::any_of(other.loops.begin(), other.loops.end(), [&](const TkLoop& l) { return l.name == name; });
             });
    };
    for (std::size_t k = 0; k < summand.loops.size(); ++k) {
      Symbol old = summand.loops[k].name;
      auto mine = [&](Symbol name) {
        return taken(name) ||
               std::any_of(summand.loops.begin(), summand.loops.end(), [&](const TkLoop& l) { return l.name == name; });
      };
      if (!taken(old)) {
        continue;
      }
      Symbol name = fresh_name(old, mine);
      summand.loops[k].name = name;
      for (TkLoop& loop : summand.loops) {
        loop.begin = substitute(loop.begin, old, int_var(name));
        loop.end = substitute(loop.end, old, int_var(name));
      }
      summand.guard = substitute(summand.guard, old, int_var(name));
      summand.body = substitute(summand.body, old, int_var(name));
    }
    return summand;
  }

  bool is_tensor(Symbol name) const {
    return std::any_of(out_.tensors.begin(), out_.tensors.end(), [&](const TkTensor& t) { return t.name == name; });
  }

  void define_tangent(const TkStatement& statement) {
    TkStatement out;
    out.indices = statement.indices;
    for (const TkSummand& summand : statement.summands) {
      for (Symbol tensor : tensors_read(summand.body)) {
        if (!adjoints_.contains(tensor)) {
          continue;
        }
        auto found = occurrences_in(summand, tensor, real_const(1));
        for (const OccurrenceTerm& occurrence : found ? *found : std::vector<OccurrenceTerm>{}) {
          std::vector<Term> at(occurrence.read.args().begin(), occurrence.read.args().end());
          Term seed = element_at(adjoints_.at(tensor), at, kernel_.tensor(tensor).shape);
          out.summands.push_back({summand.loops, both(summand.guard, occurrence.guard), tidy_product(seed, occurrence.partial),
                                  sizes_of(kernel_, statement, summand)});
        }
      }
    }
    out.target = declare(derived(statement.target), statement.target);
    adjoints_[statement.target] = out.target;
    out_.statements.push_back(std::move(out));
  }

  // Puts the statements of the kernel that the derivatives read before them, and lists the inputs that are read.
  std::optional<TkKernel> finish(const std::vector<Symbol>& seeds) {
    std::set<Symbol> needed;
    for (const TkStatement& statement : out_.statements) {
      add_tensors_read(statement, needed);
    }
    std::vector<TkStatement> before;
    for (std::size_t s = kernel_.statements.size(); s-- > 0;) {
      if (needed.contains(kernel_.statements[s].target)) {
        add_tensors_read(kernel_.statements[s], needed);
        before.insert(before.begin(), kernel_.statements[s]);
      }
    }
    out_.statements.insert(out_.statements.begin(), before.begin(), before.end());
    for (Symbol input : kernel_.inputs) {
      if (needed.contains(input)) {
        out_.inputs.push_back(input);
      }
    }
    for (Symbol seed : seeds) {
      if (needed.contains(seed)) {
        out_.inputs.push_back(seed);
      }
    }
    for (const TkStatement& statement : out_.statements) {
      bool apart = std::none_of(statement.indices.begin(), statement.indices.end(), [&](Symbol i) { return out_.sizes.has(i); });
      ensure(apart, "no index of a derivative is a size");
    }
    drop_unused_tensors();
    require_what_is_supposed();
    std::erase_if(out_.stored, [&](const auto& one) { return !contains(out_.inputs, one.first); });
    return diagnostics_.has_errors() ? std::nullopt : std::optional(std::move(out_));
  }

  // What the kernel is not for, or the derivative was not derived for, and what the derivative does not show: a text of it says
  // so.
  void require_what_is_supposed() {
    TkKernel shown = out_;
    for (TkStatement& statement : shown.statements) {
      for (TkSummand& summand : statement.summands) {
        summand.supposed.clear();
      }
    }
    std::vector<Symbol> seen = sizes_from_one(shown);
    std::vector<Symbol> wanted = sizes_from_one(kernel_);
    std::vector<Symbol> supposed = sizes_from_one(out_);
    wanted.insert(wanted.end(), supposed.begin(), supposed.end());
    for (Symbol size : wanted) {
      if (!contains(seen, size)) {
        out_.sizes.assume(int_var(size) - Term(1), 0);
      }
    }
  }

  void drop_unused_tensors() {
    std::erase_if(out_.tensors, [&](const TkTensor& tensor) {
      return !contains(out_.inputs, tensor.name) && std::none_of(out_.statements.begin(), out_.statements.end(),
                                                                 [&](const TkStatement& s) { return s.target == tensor.name; });
    });
  }

  const TkKernel& kernel_;
  std::string prefix_;
  Ties ties_;
  Diagnostics& diagnostics_;
  TkKernel out_;
  Symbol position_;  // the loop over an axis whose index is data
  std::set<Symbol> active_;
  std::unordered_map<Symbol, Symbol> adjoints_;
};

}  // namespace

std::optional<TkKernel> gradient(const TkKernel& kernel, const std::vector<Symbol>& targets, Diagnostics& diagnostics,
                                 GradientRecord* record, Ties ties) {
  Differentiator differentiator(kernel, "d", ties, diagnostics);
  auto out = differentiator.check(targets) ? differentiator.reverse(targets) : std::nullopt;
  if (record) {
    *record = std::move(differentiator.record);
  }
  return out;
}

std::optional<TkKernel> tangent(const TkKernel& kernel, const std::vector<Symbol>& targets, Diagnostics& diagnostics, Ties ties) {
  Differentiator differentiator(kernel, "t", ties, diagnostics);
  return differentiator.check(targets) ? differentiator.forward(targets) : std::nullopt;
}

}  // namespace vouch
