#include "build/piecewise.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "notation/tk_from_kernel.h"
#include "notation/tk_interval.h"
#include "term/eval.h"
#include "term/substitute.h"

namespace vouch {
namespace {

Box box_of(const Kernel& kernel, const Statement& statement) {
  Box box;
  const TensorDecl* target = declaration_of(kernel, statement.target);
  for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
    box[statement.indices[axis]] = {Term(0), target->extents[axis] - Term(1)};
  }
  return box;
}

class Choices {
 public:
  explicit Choices(Box box) : box_(std::move(box)) {}

  Term apart(Term term) {
    if (term.args().empty() || term.sort() == Sort::Int) {
      return term.sort() == Sort::Int ? decide(term) : term;
    }
    Choices within(box_);  // a bound name may hide another
    for (std::size_t k = 0; k < term->bound.size(); ++k) {
      within.box_[term->bound[k]] = {Term(0), term.arg(k + 2) - Term(1)};
    }
    Term made = with_arguments(term, [&](Term arg) { return within.apart(arg); });
    return made.kind() == TermKind::Read ? chosen(made, 0) : made;
  }

 private:
  static constexpr int kMostChoices = 8;  // four axes, each from below and from above

  // What the ranges decide.
  Term decide(Term term) {
    if (term.args().empty() || term.kind() == TermKind::IntOf) {
      return term;
    }
    Term made = with_arguments(term, [&](Term arg) { return arg.sort() == Sort::Int ? decide(arg) : decide_within(arg); });
    if (auto split = own_choice(made)) {
      auto known = decided(split->guard, box_);
      bool surely = decided(split->unless, box_).value_or(false);
      return known || surely ? decide(known.value_or(false) ? split->then : split->otherwise) : made;
    }
    return made;
  }

  // A guard, with what is decided of the integers that it compares.
  Term decide_within(Term guard) {
    return guard.args().empty()
               ? guard
               : with_arguments(guard, [&](Term arg) { return arg.sort() == Sort::Int ? decide(arg) : decide_within(arg); });
  }

  struct Split {
    Term whole;
    Term guard;
    Term unless;  // where it holds, `otherwise` is right, too
    Term then;
    Term otherwise;
  };

  // The first choice within an integer term.
  static std::optional<Split> choice(Term term) {
    for (Term arg : term.args()) {
      if (auto inner = arg.sort() == Sort::Int && term.kind() != TermKind::IntOf ? choice(arg) : std::nullopt) {
        return inner;
      }
    }
    return own_choice(term);
  }

  static std::optional<Split> own_choice(Term term) {
    switch (term.kind()) {
      case TermKind::IntSelect: return Split{term, term.arg(0), negate(term.arg(0)), term.arg(1), term.arg(2)};
      case TermKind::IntMin:
        return Split{term, le(term.arg(0), term.arg(1)), le(term.arg(1), term.arg(0)), term.arg(0), term.arg(1)};
      case TermKind::IntMax:
        return Split{term, le(term.arg(1), term.arg(0)), le(term.arg(0), term.arg(1)), term.arg(0), term.arg(1)};
      default: return std::nullopt;
    }
  }

  static Term replaced(Term term, Term what, Term by) {
    if (term == what) {
      return by;
    }
    if (term.args().empty() || term.kind() == TermKind::IntOf) {
      return term;
    }
    return with_arguments(term, [&](Term arg) { return replaced(arg, what, by); });
  }

  // The read as a choice of reads without choices.
  Term chosen(Term read_term, int depth) {
    for (Term subscript : read_term.args()) {
      auto split = depth < kMostChoices ? choice(subscript) : std::nullopt;
      if (!split) {
        continue;
      }
      auto with = [&](Term by) {
        std::vector<Term> at;
        for (Term one : read_term.args()) {
          at.push_back(replaced(one, split->whole, by));
        }
        return chosen(rebuild(read_term, at), depth + 1);
      };
      return select(split->guard, with(split->then), with(split->otherwise));
    }
    return read_term;
  }

  Box box_;
};

// Numbers at every point of some indices of a statement.
class Tables {
 public:
  explicit Tables(Kernel& kernel) : kernel_(kernel) {}

  std::vector<Tensor> run() {
    for (Statement& statement : kernel_.statements) {
      const TensorDecl* target = declaration_of(kernel_, statement.target);
      extents_.clear();
      for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
        extents_[statement.indices[axis]] = const_int(target->extents[axis]).value_or(0);
      }
      statement.value = walk(statement.value, {});
    }
    return std::move(made_);
  }

 private:
  Term walk(Term term, std::set<Symbol> bound) {
    if (term.kind() == TermKind::RealOf && !is_const(term)) {
      auto known = tables_.find({statement_names(), term});
      auto table = known != tables_.end() ? std::optional(known->second) : tabulated(term, bound);
      return table.value_or(term);
    }
    bound.insert(term->bound.begin(), term->bound.end());
    return with_arguments(term, [&](Term arg) { return arg.sort() != Sort::Int ? walk(arg, bound) : arg; });
  }

  std::vector<Symbol> statement_names() const {
    std::vector<Symbol> names;
    for (const auto& [name, extent] : extents_) {
      names.push_back(name);
    }
    return names;
  }

  std::optional<Term> tabulated(Term term, const std::set<Symbol>& bound) {
    constexpr std::int64_t kMostCells = std::int64_t{1} << 22;
    constexpr std::int64_t kMostExact = std::int64_t{1} << 24;
    std::vector<Symbol> names = free_variables(term);
    std::vector<std::int64_t> extents;
    std::int64_t cells = 1;
    for (Symbol name : names) {
      auto extent = extents_.find(name);
      if (extent == extents_.end() || bound.contains(name) || (cells *= extent->second) > kMostCells || cells < 1) {
        return std::nullopt;
      }
      extents.push_back(extent->second);
    }
    if (names.empty() || !tensors_read(term).empty()) {
      return std::nullopt;
    }
    Tensor table(is_float(computed_type(kernel_)) ? DType::Float32 : DType::Int64, extents);
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      EvalEnvironment at;
      std::int64_t rest = cell;
      for (std::size_t axis = names.size(); axis-- > 0; rest /= extents[axis]) {
        at.integers[names[axis]] = rest % extents[axis];
      }
      auto value = eval_int(term.arg(0), at);
      const Integer* number = std::get_if<Integer>(&value);
      if (!number || *number > kMostExact || *number < -kMostExact) {
        return std::nullopt;
      }
      table.set_double(cell, static_cast<double>(static_cast<std::int64_t>(*number)));
    }
    return read_of(term, names, std::move(table));
  }

  Term read_of(Term term, const std::vector<Symbol>& names, Tensor table) {
    Symbol name = fresh_name(Symbol("count"), [&](Symbol s) { return declaration_of(kernel_, s) != nullptr; });
    TensorDecl decl{name, table.dtype(), {}};
    std::vector<Term> at;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      decl.extents.emplace_back(table.extents()[axis]);
      at.push_back(int_var(names[axis]));
    }
    kernel_.inputs.push_back(std::move(decl));
    made_.push_back(std::move(table));
    return tables_[{statement_names(), term}] = read(name, std::move(at));
  }

  struct Less {
    bool operator()(const std::pair<std::vector<Symbol>, Term>& a, const std::pair<std::vector<Symbol>, Term>& b) const {
      return a.first != b.first ? a.first < b.first : compare(a.second, b.second) < 0;
    }
  };

  Kernel& kernel_;
  std::map<Symbol, std::int64_t> extents_;
  std::map<std::pair<std::vector<Symbol>, Term>, Term, Less> tables_;
  std::vector<Tensor> made_;
};

}  // namespace

const TensorDecl* declaration_of(const Kernel& kernel, Symbol name) {
  for (const auto* decls : {&kernel.inputs, &kernel.locals, &kernel.outputs}) {
    for (const TensorDecl& decl : *decls) {
      if (decl.name == name) {
        return &decl;
      }
    }
  }
  return nullptr;
}

void take_choices_apart(Kernel& kernel) {
  for (Statement& statement : kernel.statements) {
    statement.value = Choices(box_of(kernel, statement)).apart(statement.value);
  }
}

std::vector<Tensor> make_tables(Kernel& kernel) { return Tables(kernel).run(); }

}  // namespace vouch
