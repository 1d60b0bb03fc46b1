#include "theorem/coq_hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace vouch {

std::string coq_comment(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if ((text[at] == '*' && text[at + 1] == ')') || (text[at] == '(' && text[at + 1] == '*')) {
      text.insert(at + 1, " ");
    }
  }
  std::replace(text.begin(), text.end(), '"', '\'');  // Coq reads strings even in comments
  return text;
}

std::string CoqHypotheses::of_instance() {
  std::string out;
  std::set<const void*> assumed;
  int number = 0;
  auto assume = [&](Term guard, const std::string& why) {
    if (!is_true(guard) && assumed.insert(guard.id()).second) {
      out +=
          fmt::format("\n    ({} : {})", of_.names.fresh(fmt::format("legal_{}", ++number)), of_.printer.proposition(guard, {}));
      out += why.empty() ? "" : fmt::format("  (* {} *)", coq_comment(why));
    }
  };
  for (const FreeSymbol& symbol : of_.instance.symbols) {
    if (symbol.at_least) {
      assume(ge(int_var(symbol.name), *symbol.at_least), "");
    }
  }
  for (const InstanceCondition& c : of_.instance.assumptions) {
    assume(c.guard, c.why);
  }
  for (const ElementCondition& c : of_.facts.every()) {
    out += of_every_element(c);
  }
  return out;
}

// A condition of the rule, of each element inside of the tensor.
std::string CoqHypotheses::of_every_element(const ElementCondition& condition) {
  const InputTensor& input = of_.instance.inputs[condition.input];
  const std::string tensor = of_.names.of_tensor(input.name);
  std::string binders;
  std::string bounds;
  std::vector<Term> at;
  for (std::size_t axis = 0; axis < input.type.extents().size(); ++axis) {
    Symbol index(fmt::format("{} at {}", input.name.name(), axis));
    at.push_back(int_var(index));
    binders += " " + of_.names.of(index);
    bounds += fmt::format("0 <= {} < {} -> ", of_.names.of(index), of_.printer.integer(input.type.extents()[axis], {}));
  }
  Term guard = substitute(condition.guard, condition.element, read(input.name, at));
  return fmt::format("\n    ({} : {}{}{})  (* a condition of the rule *)", of_.names.fresh(tensor + "_every"),
                     binders.empty() ? "" : fmt::format("forall{} : Z, ", binders), bounds, of_.printer.proposition(guard, {}));
}

// A hypothesis about each element of a tensor: what is claimed of it, before and after its text.
std::string CoqHypotheses::of_elements(const InputTensor& input, const std::string& what, const std::string& before,
                                       const std::string& after) {
  const std::string& name = of_.names.of_tensor(input.name);
  std::string indices;
  for (std::size_t k = 0; k < input.type.extents().size(); ++k) {
    indices += " " + of_.names.fresh("i");
  }
  return fmt::format("\n    ({} : {}{}{}{}{})  (* {} *)", of_.names.fresh(name + what),
                     indices.empty() ? "" : fmt::format("forall{} : Z, ", indices), before, name, indices, after,
                     dtype_name(input.type.dtype()));
}

// What the proof uses of scalars: laws; of element types, which numbers they have, and that these are no further rounded.
std::string CoqHypotheses::of_proof(const CoqProof& proof) {
  std::string out;
  for (const auto& [name, law] : proof.laws()) {
    out += fmt::format("\n    ({} : {})", name, law);
  }
  for (const InputTensor& input : of_.instance.inputs) {
    auto range = proof.of_types().contains(input.name) ? of_.facts.elements_of(input.name) : std::nullopt;
    if (range) {
      out += of_elements(input, "_elements",
                         fmt::format("element ({}) ({}) (", numerator(range->low).str(), numerator(range->high).str()), ")");
    }
    if (proof.wholes().contains(input.name)) {
      std::string number = of_.names.fresh("k");
      out += of_elements(input, "_is_whole", fmt::format("exists {} : Z, ", number), fmt::format(" = IZR {}", number));
    }
  }
  for (const auto& [fn, law] : proof.roundings()) {
    std::string name = of_.printer.function(fn);
    std::string x = of_.names.fresh("k");
    std::string y = of_.names.fresh("k");
    switch (law) {
      case CoqProof::Rounding::GivesWhole:
        out += fmt::format("\n    ({} : forall {} : R, exists {} : Z, {} {} = IZR {})", of_.names.fresh(name + "_is_whole"), x, y,
                           name, x, y);
        break;
      case CoqProof::Rounding::KeepsWhole:
        out +=
            fmt::format("\n    ({} : forall {} : Z, {} (IZR {}) = IZR {})", of_.names.fresh(name + "_of_whole"), x, name, x, x);
        break;
      case CoqProof::Rounding::KeepsWholeByOne:
        out +=
            fmt::format("\n    ({} : forall {} : Z, {} (IZR {}) 1%R = IZR {})", of_.names.fresh(name + "_by_one"), x, name, x, x);
        break;
      case CoqProof::Rounding::Rises:
        out += fmt::format("\n    ({} : forall {} {} : R, ({} <= {})%R -> ({} {} <= {} {})%R)", of_.names.fresh(name + "_rises"),
                           x, y, x, y, name, x, name, y);
        break;
    }
  }
  return out;
}

}  // namespace vouch
