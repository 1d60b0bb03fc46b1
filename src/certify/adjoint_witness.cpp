#include "certify/adjoint_witness.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/index_statement.h"
#include "support/fault.h"
#include "support/symbols.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

unsigned place_of(const std::vector<Symbol>& names, Symbol name) {
  auto at = std::find(names.begin(), names.end(), name);
  ensure(at != names.end(), "a tensor of the kernel");
  return static_cast<unsigned>(at - names.begin());
}

const TkStatement& statement_of(const TkKernel& kernel, Symbol target) {
  auto at = std::find_if(kernel.statements.begin(), kernel.statements.end(),
                         [&](const TkStatement& statement) { return statement.target == target; });
  ensure(at != kernel.statements.end(), "a statement defines the tensor");
  return *at;
}

// A summand as the certificate has it: loops that start at 0.
struct Frame {
  std::vector<Symbol> names;  // number 0 first
  std::vector<Symbol> loops;  // outermost first
  std::vector<Term> begins;   // of each loop, over the variables as they are written
  bool runs = true;

  Frame(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand) : names(index_names(statement, summand)) {
    BoxedSummand box = boxed(kernel, statement, summand);
    begins = box.begins;
    runs = !runs_over_nothing(box);
    std::transform(summand.loops.begin(), summand.loops.end(), std::back_inserter(loops), [](const TkLoop& l) { return l.name; });
  }

  // The variables as they are written, over those that start at 0.
  Substitution written() const {
    Substitution out;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      out[loops[k]] = substitute(begins[k], out) + int_var(loops[k]);
    }
    return out;
  }

  // Each variable that starts at 0, number 0 first, where the ones as they are written have these values.
  std::vector<Term> from_zero(const Substitution& values) const {
    std::vector<Term> out;
    for (Symbol name : names) {
      auto loop = std::find(loops.begin(), loops.end(), name);
      Term value = values.at(name);
      out.push_back(loop == loops.end() ? value
                                        : value - substitute(begins[static_cast<std::size_t>(loop - loops.begin())], values));
    }
    return out;
  }
};

class Maker {
 public:
  Maker(const TkKernel& kernel, const TkKernel& gradient, const GradientRecord& record, Symbol of)
      : kernel_(kernel),
        gradient_(gradient),
        record_(record),
        sizes_(gradient),
        derivative_(index_kernel_of(gradient, of, sizes_, diagnostics_)),
        forward_(whole_index_kernel(kernel, sizes_, diagnostics_)),
        output_(forward_.statements.back()->target) {}

  AdjointAnswer answer(Symbol of) {
    const AdjointStatement& target = adjoint(of);
    AdjointCertificate out{forward_.kernel, derivative_.kernel, place_of(kernel_.inputs, target.of), outputs(), {}, {}};
    for (Symbol tensor : derivative_.tensors) {
      out.origins.push_back(origin(tensor));
    }
    out.changes = changes(target);
    if (refusal_.empty() && diagnostics_.has_errors()) {
      refusal_ = diagnostics_.all().front().message;
    }
    return refusal_.empty() ? AdjointAnswer{std::move(out), ""} : AdjointAnswer{std::nullopt, refusal_};
  }

 private:
  const AdjointStatement& adjoint(Symbol name) const {
    auto at = std::find_if(record_.adjoints.begin(), record_.adjoints.end(),
                           [&](const AdjointStatement& one) { return one.adjoint == name; });
    ensure(at != record_.adjoints.end(), "the adjoint of a tensor");
    return *at;
  }

  std::vector<unsigned> outputs() const {
    std::vector<unsigned> out;
    for (std::size_t local = 0; local < forward_.kernel.locals.size(); ++local) {
      if (contains(kernel_.outputs, forward_.tensors[local])) {
        out.push_back(static_cast<unsigned>(local));
      }
    }
    return out;
  }

  TensorOrigin origin(Symbol tensor) {
    for (const auto& [of, cotangent] : record_.cotangents) {
      if (cotangent == tensor) {
        return of == output_ ? TensorOrigin(CotangentOfOutput{}) : TensorOrigin(CotangentOf{place_of(forward_.tensors, of)});
      }
    }
    for (const AdjointStatement& one : record_.adjoints) {
      if (one.adjoint == tensor) {
        return AdjointOf{place_of(forward_.tensors, one.of), changes(one)};
      }
    }
    return CopyOf{place_of(forward_.tensors, tensor)};
  }

  // Whether this gradient, by one target, has the cotangents of what the statement defines.
  bool is_followed(const TkStatement& use) const {
    if (auto cotangent = record_.cotangents.find(use.target);
        cotangent != record_.cotangents.end() && contains(derivative_.tensors, cotangent->second)) {
      return true;
    }
    return std::any_of(record_.adjoints.begin(), record_.adjoints.end(), [&](const AdjointStatement& one) {
      return one.of == use.target && contains(derivative_.tensors, one.adjoint);
    });
  }

  AdjointChanges changes(const AdjointStatement& of) {
    const TkStatement& into = statement_of(gradient_, of.adjoint);
    std::size_t at = record_.cotangents.contains(of.of) ? 1 : 0;  // the summand
    AdjointChanges out;
    for (std::size_t place : of.changes) {
      const OccurrenceChange& change = record_.changes[place];
      const TkStatement& use = kernel_.statements[change.statement];
      TkSummand summand = use.summands[change.summand];
      if (change.position) {
        summand.loops.push_back(*change.position);
      }
      Frame iteration(kernel_, use, summand);
      bool counts = iteration.runs && is_followed(use);
      if (!change.changed) {
        if (counts) {
          out.emplace_back(std::nullopt);
        }
        continue;
      }
      Frame points(gradient_, into, into.summands[at++]);
      if (counts) {
        refuse_what_is_not_covered(change);
        out.push_back(points.runs ? std::optional(terms(change, iteration, points)) : std::nullopt);
      }
    }
    return out;
  }

  AdjointChange terms(const OccurrenceChange& change, const Frame& iteration, const Frame& points) {
    Substitution renamed;
    for (std::size_t k = 0; k < points.loops.size(); ++k) {
      renamed[change.changed->loops[k].name] = int_var(points.loops[k]);
    }
    Substitution solution;
    for (const auto& [name, value] : change.changed->solution) {
      solution[name] = substitute(value, renamed);
    }
    Substitution inverse;
    for (std::size_t k = 0; k < points.loops.size(); ++k) {
      inverse[points.loops[k]] = change.changed->inverse[k];
    }
    for (std::size_t a = 0; a < change.z.size(); ++a) {
      inverse[change.z[a]] = change.change.subscripts[a];
    }
    return {converted(points.from_zero(inverse), iteration), converted(iteration.from_zero(solution), points)};
  }

  // Terms over the variables of `frame` as they are written.
  std::vector<IndexTerm> converted(const std::vector<Term>& terms, const Frame& frame) {
    Substitution written = frame.written();
    std::vector<IndexTerm> out;
    for (Term term : terms) {
      out.push_back(index_term(substitute(term, written), frame.names, sizes_, diagnostics_));
    }
    return out;
  }

  void refuse_what_is_not_covered(const OccurrenceChange& change) {
    if (!refusal_.empty()) {
      return;
    }
    if (change.by_ties) {
      refusal_ = fmt::format("'{}' is within a max or min, and at ties these take another argument than their first",
                             print_term(change.read));
    } else if (change.divides_numbers) {
      refusal_ = fmt::format("numbers are divided by numbers in the derivative by '{}', and a ring need not have their quotient",
                             print_term(change.read));
    }
  }

  const TkKernel& kernel_;
  const TkKernel& gradient_;
  const GradientRecord& record_;
  Diagnostics diagnostics_;
  SizeTable sizes_;
  NamedIndexKernel derivative_;
  NamedIndexKernel forward_;
  Symbol output_;
  std::string refusal_;
};

}  // namespace

AdjointAnswer adjoint_certificate(const TkKernel& kernel, const TkKernel& gradient, const GradientRecord& record, Symbol of) {
  return Maker(kernel, gradient, record, of).answer(of);
}

}  // namespace vouch
