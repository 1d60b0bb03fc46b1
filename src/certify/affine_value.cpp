#include "certify/affine_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "support/fault.h"

namespace vouch {
namespace {

using array::begins_with_element;
using array::behind;
using array::CellPath;
using array::CellStep;
using array::Const;
using array::element_step;
using array::Exp;
using array::ExpKind;
using array::Guard;
using array::Index;
using array::IndexKind;
using array::PathTerms;
using array::rest_of;
using array::Size;
using array::size_term;

constexpr std::size_t kMostRead = 20'000;  // terms, each as often as it is read

Affine node(AffineKind kind, std::vector<Affine> args = {}) {
  AffineNode out;
  out.kind = kind;
  out.args = std::move(args);
  return Affine(std::move(out));
}

class Reader {
 public:
  explicit Reader(const array::Program& program) : program_(program) {}

  AffineAnswer answer() {
    Scope scope;
    for (std::size_t number = program_.inputs.size(); number-- > 0;) {
      if (!number_extents(program_.inputs[number].type)) {
        refuse(fmt::format("expected inputs of numbers, found pairs in '{}'", program_.inputs[number].name),
               "give the halves of the pairs as two inputs");
        return finish();
      }
      scope.data.push_back([this, number](const CellPath& path) { return at_indices(AffineKind::Read, number, path); });
    }
    auto extents = number_extents(program_.output.type);
    if (!extents) {
      refuse("expected an output of numbers, found pairs", "write one kernel for each half");
      return finish();
    }
    CellPath path = bind(extents->size(), element_.indices);
    element_.value = read(program_.term, scope, path);
    return finish();
  }

 private:
  using Value = std::function<Affine(const CellPath&)>;
  struct Scope {
    std::vector<Value> data;      // innermost last
    std::vector<Term> positions;  // likewise
  };

  AffineAnswer finish() { return {refusal_.empty() ? std::optional(std::move(element_)) : std::nullopt, refusal_, mend_}; }

  Affine refuse(std::string what, std::string mend) {
    if (refusal_.empty()) {
      refusal_ = std::move(what);
      mend_ = std::move(mend);
    }
    return node(AffineKind::Constant);
  }

  Affine unreadable() {
    return refuse(
        "expected a value that is read element by element, found a whole array or pair of which one cell depends on others",
        "let each cell of an accumulator depend on that cell alone");
  }

  // Indices are numbered by depth, as in the statement of an element.
  Term enter() { return int_var(fmt::format("i{}", depth_++)); }

  CellPath bind(std::size_t rank, std::vector<Term>& indices) {
    CellPath path;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      indices.push_back(enter());
      path.push_back(element_step(indices.back()));
    }
    return path;
  }

  Affine at_indices(AffineKind kind, std::size_t number, const CellPath& path) {
    AffineNode out;
    out.kind = kind;
    out.number = number;
    for (const CellStep& step : path) {
      if (step.kind != CellStep::Kind::Element) {
        return unreadable();
      }
      out.at.push_back(step.index);
    }
    return Affine(std::move(out));
  }

  Affine read(const Exp& e, const Scope& scope, const CellPath& path) {
    if (!refusal_.empty()) {
      return node(AffineKind::Constant);
    }
    if (++read_ > kMostRead) {
      return refuse(fmt::format("an element has more than {} terms", kMostRead),
                    "store what is used several times: let x = mem(…)");
    }
    switch (e->kind) {
      case ExpKind::Var: return scope.data.at(scope.data.size() - 1 - e->var)(path);
      case ExpKind::Const: return constant(e->constant, path);
      case ExpKind::Op: return operation(e, scope);
      case ExpKind::Pair:
        return path.empty() || begins_with_element(path)
                   ? unreadable()
                   : read(e->args[path[0].kind == CellStep::Kind::First ? 0 : 1], scope, rest_of(path));
      case ExpKind::Lay: {
        auto inner = array::layout_path(e->layout, path, terms(scope));
        return inner ? read(e->args[0], scope, *inner) : unreadable();
      }
      case ExpKind::Pad: return padded(e, scope, path);
      case ExpKind::If: {
        AffineNode out;
        out.kind = AffineKind::If;
        out.condition = condition(e->guard, scope);
        out.args = {read(e->args[0], scope, path), read(e->args[1], scope, path)};
        return Affine(std::move(out));
      }
      case ExpKind::Map: return mapped(e, scope, path);
      case ExpKind::Reduce: return summed(e, scope, path);
      case ExpKind::Let: return let(e, scope, path);
      case ExpKind::Mem: return read(e->args[0], scope, path);
      case ExpKind::Cat:
        return refuse("expected an array that one term gives, found 'cat(…, …)'", "write a kernel for each part of the array");
    }
    fault("no such term");
  }

  Affine constant(const Const& value, const CellPath& path) {
    AffineNode out;
    out.constant = value;
    if (value.ordinal) {
      if (!begins_with_element(path)) {
        return unreadable();
      }
      out.kind = AffineKind::Index;
      out.at = {path[0].index};
    }
    return Affine(std::move(out));
  }

  Affine operation(const Exp& e, const Scope& scope) {
    AffineNode out;
    out.kind = AffineKind::Op;
    out.op = e->op;
    for (const CellPath& path : array::argument_paths(array::op_row(e->op).arity)) {
      out.args.push_back(read(e->args[0], scope, path));
    }
    return Affine(std::move(out));
  }

  Affine padded(const Exp& e, const Scope& scope, const CellPath& path) {
    if (!begins_with_element(path)) {
      return unreadable();
    }
    AffineNode out;
    out.kind = AffineKind::Pad;
    out.constant = e->constant;
    Term low = size_term(e->sizes[0]);
    out.at = {low, path[0].index, low + size_term(e->sizes[1])};
    out.args = {read(e->args[0], scope, behind(element_step(path[0].index - low), rest_of(path)))};
    return Affine(std::move(out));
  }

  Affine mapped(const Exp& e, const Scope& scope, const CellPath& path) {
    if (!begins_with_element(path)) {
      return unreadable();
    }
    Scope inner = scope;
    inner.positions.push_back(path[0].index);
    inner.data.push_back([this, array = e->args[1], scope, step = path[0]](const CellPath& below) {
      return read(array, scope, behind(step, below));
    });
    return read(e->args[0], inner, rest_of(path));
  }

  // The step may look at its accumulator only where it writes it: at `path`.
  Affine summed(const Exp& e, const Scope& scope, const CellPath& path) {
    Affine start = read(e->args[1], scope, path);
    Term index = enter();
    Scope inner = scope;
    inner.positions.push_back(index);
    inner.data.push_back([this, index, path](const CellPath& below) {
      AffineNode running;
      running.kind = AffineKind::Running;
      running.at = {index};
      return below == path ? Affine(std::move(running)) : unreadable();
    });
    inner.data.push_back([this, array = e->args[2], scope, index](const CellPath& below) {
      return read(array, scope, behind(element_step(index), below));
    });
    AffineNode out;
    out.kind = AffineKind::Sum;
    out.at = {index};
    out.extent = array::worked_out(e->sizes[0]);
    out.args = {std::move(start), read(e->args[0], inner, path)};
    --depth_;
    return Affine(std::move(out));
  }

  // What is stored is a tensor of its own; a view is read through.
  Affine let(const Exp& e, const Scope& scope, const CellPath& path) {
    const Exp& value = e->args[0];
    auto extents = value->kind == ExpKind::Mem ? number_extents(value->types[0]) : std::nullopt;
    Scope inner = scope;
    if (!extents) {
      inner.data.push_back([this, value, scope](const CellPath& below) { return read(value, scope, below); });
      return read(e->args[1], inner, path);
    }
    std::size_t outer = depth_;
    AffineDefinition definition;
    definition.extents = *extents;
    CellPath own = bind(extents->size(), definition.indices);
    definition.value = read(value, scope, own);
    depth_ = outer;
    auto known = std::find(element_.stored.begin(), element_.stored.end(), definition);
    auto number = static_cast<std::size_t>(known - element_.stored.begin());
    if (known == element_.stored.end()) {
      element_.stored.push_back(std::move(definition));
    }
    inner.data.push_back([this, number](const CellPath& below) { return at_indices(AffineKind::Stored, number, below); });
    return read(e->args[1], inner, path);
  }

  PathTerms terms(const Scope& scope) {
    return {[](const Size& size) { return size_term(size); }, [this, &scope](const Index& of) { return index(of, scope); }};
  }

  Term index(const Index& of, const Scope& scope) {
    auto arg = [&](std::size_t i) { return index(of->args[i], scope); };
    switch (of->kind) {
      case IndexKind::Var: return scope.positions.at(scope.positions.size() - 1 - of->var);
      case IndexKind::Extent: return size_term(of->size);
      case IndexKind::Add: return arg(0) + arg(1);
      case IndexKind::Sub: return arg(0) - arg(1);
      case IndexKind::Mul: return arg(0) * arg(1);
      case IndexKind::Div: return floor_div(arg(0), arg(1));
      case IndexKind::Mod: return arg(0) - arg(1) * floor_div(arg(0), arg(1));
    }
    fault("no such index term");
  }

  AffineCondition condition(const Guard& guard, const Scope& scope) {
    AffineCondition out{guard->kind, {}, {}};
    for (const Index& term : guard->terms) {
      out.terms.push_back(index(term, scope));
    }
    for (const Guard& part : guard->parts) {
      out.parts.push_back(condition(part, scope));
    }
    return out;
  }

  const array::Program& program_;
  AffineElement element_;
  std::string refusal_;
  std::string mend_;
  std::size_t depth_ = 0;  // the number of the next index
  std::size_t read_ = 0;
};

}  // namespace

AffineAnswer affine_element(const array::Program& program) { return Reader(program).answer(); }

}  // namespace vouch
