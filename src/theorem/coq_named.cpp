#include "theorem/coq_named.h"

#include <fmt/format.h>

namespace vouch {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

void CoqNamed::Instantiated::define(const std::string& name, const std::string& value) {
  binders += " (" + name + " := " + value + ")";
  let += " " + name;
}

// Any, or the reals: whatever the error function is, conversions and infinities are, and powers but for natural exponents.
void CoqNamed::bind_scalars(Instantiated& out) const {
  if (of_.over_reals()) {
    out.binders = " (the_unknowns : unknowns) (the_powers : powers the_unknowns)";
    out.define("K", "numbers the_unknowns");
  } else {
    out.binders = " (K : Semantics.scalars)";
    out.define("scalar", "Semantics.num K");
    out.arguments = " (Semantics.num K)";
  }
}

// As theorems about elements have it, a function from its indices.
void CoqNamed::bind_tensor(const InputTensor& input, Instantiated& out) {
  bool truth = of_.printer.is_truth(input.name);
  const std::string& name = of_.names.of_tensor(input.name);
  const std::string& whole = of_.names.of_whole_tensor(input.name);
  std::string indices;
  for (std::size_t axis = 0; axis < input.type.extents().size(); ++axis) {
    indices += fmt::format("{}i_{}", axis == 0 ? "" : " ", axis);
  }
  std::string list = indices;
  replace_all(list, " ", "; ");
  out.bind(whole, truth ? "list nat -> bool" : "Kernel.tensor K");
  out.define(name, fmt::format("{}{} {} [{}]", indices.empty() ? "" : fmt::format("fun {} => ", indices),
                               truth ? "truth_at" : "at_ints", whole, list));
  out.arguments += " " + name;
}

CoqNamed::Instantiated CoqNamed::instantiated() {
  Instantiated out;
  bind_scalars(out);
  for (const auto& [name, kind] : symbols_) {
    out.bind(name, kind == SymbolKind::Real ? "Semantics.num K" : "Z");
    out.arguments += " " + name;
  }
  for (const InputTensor* input : tensors_) {
    bind_tensor(*input, out);
  }
  for (const auto& [name, parameter] : of_.printer.parameters()) {
    if (parameter.of_kernels.empty()) {
      out.bind(name, parameter.type);
    } else {
      out.define(name, parameter.of_kernels);
    }
    out.arguments += " " + name;
    if (!parameter.decided_by.empty()) {
      out.hypotheses += fmt::format("\n    ({0}_decides : decides K Syntax.{1} {0})", name, parameter.decided_by);
    }
  }
  return out;
}

// Where axes are longer than 1, the output's indices lie inside of them: said once, as each read asks for it.
std::string CoqNamed::last_indices(const InstanceOutput& output, const std::vector<std::pair<std::size_t, Term>>& stretched) {
  const std::vector<Symbol>& indices = output.source_body.indices;
  Facts box;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    box.push_back(in_range(int_var(indices[axis]), output.source_type.extents()[axis]));
  }
  std::string out;
  for (const auto& [axis, extent] : stretched) {
    Facts large = box;
    large.push_back(ge(extent, 2));
    if (axis < indices.size() && of_.facts.entails(large, le(int_var(indices[axis]), extent - 1))) {
      out += fmt::format("  note_last {} {}.\n", of_.printer.integer(extent, {}), of_.names.of(indices[axis]));
    }
  }
  return out;
}

void CoqNamed::state(const InstanceOutput& output, const std::string& suffix, const std::string& of_scalars,
                     const std::string& legal) {
  auto sides = operators_.sides(output);
  if (!sides) {
    why_unnamed_ = operators_.reason();
    return;
  }
  std::string extents;
  std::string indices;
  std::string intros;
  for (std::size_t axis = 0; axis < output.source_body.indices.size(); ++axis) {
    const std::string& name = of_.names.of(output.source_body.indices[axis]);
    extents += (axis == 0 ? "" : "; ") + of_.printer.integer(output.source_type.extents()[axis], {});
    indices += " " + name;
    intros += fmt::format(" {} {}", name, of_.names.fresh(name + "_in"));
  }
  std::string noted = last_indices(output, sides->stretched);
  std::string known = legal.empty() ? "" : fmt::format("  known ({}@INSTANTIATED).\n", legal);
  theorems_.push_back("operators_agree_" + suffix);
  text_ += sides->definitions;
  text_ += fmt::format(
      "Theorem operators_agree_{0}@OPERATIONS@HYPOTHESES@DECIDED{1} :\n  same [{2}]\n    {3}\n    {4}.\n"
      "Proof.\n{5}  by_indices.{6}\n{9}"
      "  transitivity (source_{0}@INSTANTIATED{7}).\n  {{ unfold source_{0}; subst@LET. {8}denotes. }}\n"
      "  transitivity (target_{0}@INSTANTIATED{7}).\n  {{ apply outputs_agree_{0}; supposed. }}\n"
      "  unfold target_{0}; subst@LET. symmetry. {8}denotes.\nQed.\n\n",
      suffix, of_scalars, extents, sides->source, sides->target, known, intros.empty() ? "" : fmt::format(" intros{}.", intros),
      indices, of_.over_reals() ? "over_numbers. " : "", noted);
}

std::string CoqNamed::text(const std::string& hypotheses) {
  Instantiated of_kernels = instantiated();
  std::string out = text_;
  replace_all(out, "@OPERATIONS", of_kernels.binders);
  replace_all(out, "@DECIDED", of_kernels.hypotheses);
  replace_all(out, "@LET", of_kernels.let);
  replace_all(out, "@INSTANTIATED", of_kernels.arguments);
  replace_all(out, "@HYPOTHESES", hypotheses);
  return out;
}

}  // namespace vouch
