#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "array/typing.h"
#include "certify/affine.h"
#include "certify/affine_sum.h"
#include "certify/affine_value.h"
#include "certify/index_lowering.h"
#include "support/fault.h"

namespace vouch {
namespace {

using array::Op;

// Numbers of tensors until all locals are known: locals from 0, inputs from here.
constexpr unsigned kInputs = 1U << 20;

void renumber(IndexBody& body, unsigned before) {
  if (body.kind == IndexBodyKind::Read) {
    body.tensor = body.tensor >= kInputs ? before + (body.tensor - kInputs) : before - 1 - body.tensor;
  }
  for (IndexBody& arg : body.args) {
    renumber(arg, before);
  }
}

void renumber(IndexStatement& statement, std::size_t before) {
  for (IndexSummand& summand : statement.summands) {
    renumber(summand.body, static_cast<unsigned>(before));
  }
}

class AffineMaker {
 public:
  AffineMaker(const array::Program& program, const AffineElement& element) : program_(program), element_(element) {}

  std::string refusal;
  std::string mend;

  IndexKernel kernel() {
    IndexKernel out;
    out.name = program_.name;
    out.sizes = program_.sizes;
    out.facts = program_.facts;
    out.inputs = program_.inputs;
    out.output_name = program_.output.name;
    out.output_element = program_.output.element;
    out.computed = program_.computed;
    out.formula = program_.formula;
    Scope scope;
    std::vector<array::Size> extents = *number_extents(program_.output.type);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      scope.push_back({element_.indices[axis], extents[axis]});
    }
    out.output = statement(scope, element_.value);
    renumber(out.output, locals_.size());
    for (std::size_t k = 0; k < locals_.size(); ++k) {
      renumber(locals_[k].statement, k);
      out.locals.push_back(std::move(locals_[k].statement));
    }
    return out;
  }

 private:
  using Scope = std::vector<AffineIndex>;
  struct Local {
    Scope scope;
    Affine value;
    IndexStatement statement;
  };

  void refuse(std::string what, std::string how) {
    if (refusal.empty()) {
      refusal = std::move(what);
      mend = std::move(how);
    }
  }

  IndexTerm term(Term of, const Scope& scope) {
    AffineTerms terms(scope, program_.sizes);
    IndexTerm out = terms.term(of);
    not_affine(terms.refusal());
    return out;
  }

  IndexCond condition(const AffineCondition& of, const Scope& scope) {
    AffineTerms terms(scope, program_.sizes);
    IndexCond out = terms.condition(of);
    not_affine(terms.refusal());
    return out;
  }

  void not_affine(const std::string& found) {
    if (!found.empty()) {
      refuse(fmt::format("expected an index that is affine, a sum of multiples of positions and sizes, found '{}'", found),
             "give the sizes in it values: --size NAME=VALUE");
    }
  }

  // A sum of terms, of which some are sums over positions, in their order.
  IndexStatement statement(const Scope& scope, const Affine& value) {
    std::vector<Affine> parts{value};
    while (parts.back()->kind == AffineKind::Op && parts.back()->op == Op::Add && has_sum(parts.back())) {
      Affine whole = parts.back();
      parts.back() = whole->args[1];
      parts.push_back(whole->args[0]);
    }
    bool sums = std::any_of(parts.begin(), parts.end(), [](const Affine& part) { return part->kind == AffineKind::Sum; });
    if (!sums) {
      parts = {value};
    }
    IndexStatement out;
    for (const AffineIndex& axis : scope) {
      out.extents.push_back(axis.extent);
    }
    for (std::size_t k = parts.size(); k-- > 0;) {
      out.summands.push_back(summand(scope, parts[k]));
    }
    return out;
  }

  IndexSummand summand(Scope scope, const Affine& value) {
    IndexSummand out;
    if (value->kind != AffineKind::Sum) {
      out.body = body(value, scope);
      return out;
    }
    AffineSum sum = sum_from_zero(value);
    if (!sum.refusal.empty()) {
      refuse(sum.refusal, sum.mend);
      return out;
    }
    for (const AffineIndex& loop : sum.loops) {
      out.loops.push_back(loop.extent);
      scope.push_back(loop);
    }
    if (sum.condition) {
      out.condition = condition(*sum.condition, scope);
    }
    out.body = body(sum.body, scope);
    return out;
  }

  IndexBody body(const Affine& value, const Scope& scope) {
    IndexBody out;
    switch (value->kind) {
      case AffineKind::Constant: out.constant = value->constant; return out;
      case AffineKind::Index:
        out.kind = IndexBodyKind::Index;
        out.at = {term(value->at[0], scope)};
        return out;
      case AffineKind::Read:
        return read(kInputs + static_cast<unsigned>(value->number), *number_extents(program_.inputs[value->number].type),
                    value->at, scope);
      case AffineKind::Stored: return stored(value, scope);
      case AffineKind::Op:
        out.kind = IndexBodyKind::Op;
        out.op = value->op;
        for (const Affine& arg : value->args) {
          out.args.push_back(body(arg, scope));
        }
        return out;
      case AffineKind::If:
        out.kind = IndexBodyKind::If;
        out.condition = condition(value->condition, scope);
        out.args = {body(value->args[0], scope), body(value->args[1], scope)};
        return out;
      case AffineKind::Pad: return padded(value, scope);
      case AffineKind::Sum: return local(scope, value, {});
      case AffineKind::Running:
        refuse("expected an accumulator that is only added to, found one that is used otherwise",
               "compile it with its own loops: without --plan");
        return out;
    }
    fault("no such value");
  }

  IndexBody read(unsigned tensor, const std::vector<array::Size>& extents, const std::vector<Term>& at, const Scope& scope) {
    IndexBody out;
    out.kind = IndexBodyKind::Read;
    out.tensor = tensor;
    out.extents = extents;
    for (Term subscript : at) {
      out.at.push_back(term(subscript, scope));
    }
    return out;
  }

  // Outside of a tensor, index notation reads 0. The position in the padded axis stays to be seen: where the axis begins is where
  // the zeros end.
  IndexBody padded(const Affine& value, const Scope& scope) {
    std::vector<Affine> pads{value};
    while (pads.back()->args[0]->kind == AffineKind::Pad) {
      pads.push_back(pads.back()->args[0]);
    }
    const Affine& inside = pads.back()->args[0];
    bool reads = inside->kind == AffineKind::Read || inside->kind == AffineKind::Stored;
    bool zeros = std::all_of(pads.begin(), pads.end(), [](const Affine& pad) { return is_zero(pad->constant); });
    if (!reads || !zeros) {
      refuse("expected '.pad(…)' by 0 of an input or of what 'mem' stores, found another",
             "store what is padded, let x = mem(…), and pad that by 0");
      return {};
    }
    IndexBody out = body(inside, scope);
    std::size_t own = out.at.size() - std::min(out.at.size(), inside->at.size());
    for (const Affine& pad : pads) {
      auto axis = std::find(inside->at.begin(), inside->at.end(), pad->at[1] - pad->at[0]);
      if (axis != inside->at.end()) {
        IndexTerm low = term_scaled(-1, term(pad->at[0], scope));
        out.at[own + static_cast<std::size_t>(axis - inside->at.begin())] = term_sum(term(pad->at[1], scope), low);
      }
    }
    return out;
  }

  IndexBody stored(const Affine& value, const Scope& scope) {
    const AffineDefinition& definition = element_.stored.at(value->number);
    Scope own;
    for (std::size_t axis = 0; axis < definition.indices.size(); ++axis) {
      own.push_back({definition.indices[axis], definition.extents[axis]});
    }
    std::vector<Term> at = value->at;
    return local(scope, definition.value, own, at);
  }

  // The value as a local over those indices around that it depends on, and over its own.
  IndexBody local(const Scope& around, const Affine& value, const Scope& own, const std::vector<Term>& at = {}) {
    std::set<Symbol> free = free_indices(value, element_.stored);
    Scope scope;
    std::vector<Term> places;
    for (const AffineIndex& index : around) {
      bool hidden = std::any_of(own.begin(), own.end(), [&](const AffineIndex& one) { return one.name == index.name; });
      if (!hidden && free.contains(index.name->symbol)) {
        scope.push_back(index);
        places.push_back(index.name);
      }
    }
    scope.insert(scope.end(), own.begin(), own.end());
    places.insert(places.end(), at.begin(), at.end());
    std::vector<array::Size> extents;
    for (const AffineIndex& axis : scope) {
      extents.push_back(axis.extent);
    }
    return read(number_of(scope, value), extents, places, around);
  }

  unsigned number_of(const Scope& scope, const Affine& value) {
    auto same_scope = [&](const Scope& other) {
      return std::equal(scope.begin(), scope.end(), other.begin(), other.end(),
                        [](const AffineIndex& a, const AffineIndex& b) { return a.name == b.name && a.extent == b.extent; });
    };
    for (std::size_t k = 0; k < locals_.size(); ++k) {
      if (same_scope(locals_[k].scope) && locals_[k].value == value) {
        return static_cast<unsigned>(k);
      }
    }
    IndexStatement made = statement(scope, value);
    locals_.push_back({scope, value, std::move(made)});
    return static_cast<unsigned>(locals_.size() - 1);
  }

  const array::Program& program_;
  const AffineElement& element_;
  std::vector<Local> locals_;
};

}  // namespace

std::optional<IndexKernel> affine_kernel(const array::Program& program, const std::string& place, Diagnostics& diagnostics) {
  auto refuse = [&](const std::string& what, const std::string& mend) {
    diagnostics.error_at(place, fmt::format("the kernel '{}' is not read as index notation: {}", program.name, what), mend);
    return std::nullopt;
  };
  AffineAnswer answer = affine_element(program);
  if (!answer.element) {
    return refuse(answer.refusal, answer.mend);
  }
  AffineMaker maker(program, *answer.element);
  IndexKernel kernel = maker.kernel();
  if (!maker.refusal.empty()) {
    return refuse(maker.refusal, maker.mend);
  }
  if (!reads_alike(program, kernel)) {
    return refuse("expected elements that index notation writes alike, found conditions or paddings that it writes otherwise",
                  "compile it with its own loops: without --plan");
  }
  return kernel;
}

}  // namespace vouch
