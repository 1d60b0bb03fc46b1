#include "theorem/coq_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_set>

#include "instance/proof_key.h"
#include "instance/stores.h"
#include "theorem/coq_hypotheses.h"
#include "theorem/coq_named.h"
#include "theorem/coq_proof.h"
#include "theorem/coq_units.h"

namespace vouch {
namespace {

// One instance as definitions and theorems.
class InstanceText {
 public:
  InstanceText(const Instance& instance, std::size_t number, CoqScalars scalars, bool name_quotients)
      : of_(instance, number, scalars, name_quotients), instance_(instance), hypotheses_of_(of_), units_(of_), named_(of_) {}

  bool write() {
    name_symbols();
    if (!can_be_stated()) {
      return false;
    }
    hypotheses_ = hypotheses_of_.of_instance();
    std::string bodies = legality();
    for (std::size_t k = 0; k < instance_.outputs.size(); ++k) {
      if (!output(k, bodies)) {
        return false;
      }
    }
    fill(bodies);
    operators_text_ = named_.text(hypotheses_);
    text_ = fmt::format("(** {} *)\n\n{}", coq_comment(instance_.label.empty() ? "The only instance." : instance_.label), bodies);
    return true;
  }

  const std::string& text() const { return text_; }
  const std::string& reason() const { return reason_; }
  const std::vector<std::string>& theorems() const { return theorems_; }
  const std::string& operators() const { return operators_text_; }
  const CoqNamed& named() const { return named_; }

 private:
  // The parameters are known once everything is printed.
  void fill(std::string& text) {
    std::string functions;
    std::string function_names;
    for (const auto& [name, parameter] : of_.printer.parameters()) {
      functions += fmt::format(" ({} : {})", name, parameter.type);
      function_names += " " + name;
    }
    replace_all(text, "@PARAMETERS", parameters_ + functions);
    replace_all(text, "@ARGUMENTS", arguments_ + function_names);
    replace_all(text, "@HYPOTHESES", hypotheses_);
  }

  void name_symbols() {
    if (of_.printer.scalars() == CoqScalars::Any) {
      parameters_ = " (scalar : Type)";
      arguments_ = " scalar";
    }
    std::set<Symbol> declared;
    for (const FreeSymbol& symbol : instance_.symbols) {
      if (!declared.insert(symbol.name).second) {
        continue;  // branches of a variadic share attributes
      }
      const std::string& name = of_.names.of(symbol.name);
      named_.quantify(name, symbol.kind);
      parameters_ += fmt::format(" ({} : {})", name, symbol.kind == SymbolKind::Real ? of_.printer.scalar_type() : "Z");
      arguments_ += " " + name;
    }
    for (const InputTensor& input : instance_.inputs) {
      if (input.contents || input.fill) {
        continue;
      }
      const std::string& name = of_.names.of_tensor(input.name);
      named_.quantify(input);
      std::string type;
      for (std::size_t k = 0; k < input.type.extents().size(); ++k) {
        type += "Z -> ";
      }
      parameters_ +=
          fmt::format(" ({} : {}{})", name, type, input.type.dtype() == DType::Bool ? "bool" : of_.printer.scalar_type());
      arguments_ += " " + name;
    }
  }

  // Everything that the statement speaks of is quantified, and no binder hides what an extent means.
  bool can_be_stated() {
    std::set<Symbol> known;
    for (const FreeSymbol& symbol : instance_.symbols) {
      known.insert(symbol.name);
    }
    std::set<Symbol> tensors;
    for (const InputTensor& input : instance_.inputs) {
      tensors.insert(input.name);
    }
    for (const InstanceOutput& output : instance_.outputs) {
      std::set<Symbol> here = known;
      here.insert(output.source_body.indices.begin(), output.source_body.indices.end());
      for (Term t : {source_of(output), target_of(output)}) {
        for (Symbol name : free_variables(t)) {
          if (!here.contains(name)) {
            reason_ = fmt::format("{} is no symbol of the instance", name.name());
            return false;
          }
        }
        for (Symbol name : tensors_read(t)) {
          if (!tensors.contains(name)) {
            reason_ = fmt::format("{} is no tensor of the instance", name.name());
            return false;
          }
        }
        if (hides(t)) {
          reason_ = "an extent speaks of a bound index of the same reduction";
          return false;
        }
      }
    }
    return true;
  }

  static bool hides(Term t) {
    if (t.kind() == TermKind::Reduce) {
      for (Symbol name : t->bound) {
        for (std::size_t k = 2; k < t.args().size(); ++k) {
          if (mentions(t.arg(k), name)) {
            return true;
          }
        }
      }
    }
    return std::any_of(t.args().begin(), t.args().end(), [](Term a) { return hides(a); });
  }

  // Over the reals nothing is rounded where it is stored.
  Term stated(Term body) const { return of_.printer.scalars() == CoqScalars::Reals ? without_stores(body) : body; }
  Term source_of(const InstanceOutput& output) const { return stated(output.source_body.value); }
  Term target_of(const InstanceOutput& output) const { return stated(element_at(output.target_body, index_terms(output))); }

  static std::vector<Term> index_terms(const InstanceOutput& output) {
    std::vector<Term> out;
    for (Symbol index : output.source_body.indices) {
      out.push_back(int_var(index));
    }
    return out;
  }

  // What the target owes.
  std::string legality() {
    std::string statement;
    std::set<const void*> stated;
    for (const InstanceCondition& c : instance_.obligations) {
      if (!is_true(c.guard) && stated.insert(c.guard.id()).second) {
        statement += fmt::format("{}\n    {}", statement.empty() ? "" : " /\\", of_.printer.proposition(c.guard, {}));
      }
    }
    if (statement.empty()) {
      return {};
    }
    std::string name = fmt::format("target_is_legal_{}", of_.number);
    theorems_.push_back(name);
    is_legal_ = name;
    return fmt::format("Theorem {}@PARAMETERS@HYPOTHESES :{}.\nProof.\n{}  repeat split; integers.\nQed.\n\n", name, statement,
                       units_.lines());
  }

  bool output(std::size_t k, std::string& bodies) {
    const InstanceOutput& output = instance_.outputs[k];
    Term source = source_of(output);
    Term target = target_of(output);
    std::string suffix = fmt::format("{}_{}", of_.number, k + 1);
    std::string binders;
    std::string indices;
    std::string bounds;
    Facts box;
    for (std::size_t axis = 0; axis < output.source_body.indices.size(); ++axis) {
      Symbol index = output.source_body.indices[axis];
      Term extent = output.source_type.extents()[axis];
      const std::string& name = of_.names.of(index);
      binders += fmt::format(" ({} : Z)", name);
      indices += " " + name;
      bounds += fmt::format("\n    ({} : 0 <= {} < {})", of_.names.fresh(name + "_in"), name, of_.printer.integer(extent, {}));
      box.push_back(in_range(int_var(index), extent));
    }
    for (auto [side, term] : {std::pair("source", source), std::pair("target", target)}) {
      bodies += fmt::format("Definition {}_{}@PARAMETERS{} : {} :=\n  {}%R.\n\n", side, suffix, binders,
                            of_.printer.scalar_type(), of_.printer.scalar(term, {}));
    }
    CoqProof proof(of_.facts, of_.names, of_.printer);
    std::optional<std::string> script = proof.prove(source, target, box);
    if (!script) {
      reason_ = fmt::format("output {}: {}", k + 1, proof.reason());
      return false;
    }
    std::string name = fmt::format("outputs_agree_{}", suffix);
    theorems_.push_back(name);
    std::string of_scalars = hypotheses_of_.of_proof(proof);
    bodies += fmt::format(
        "Theorem {0}@PARAMETERS{1}@HYPOTHESES{7}{2} :\n    source_{3}@ARGUMENTS{4} = target_{3}@ARGUMENTS{4}.\n"
        "Proof.\n  unfold source_{3}, target_{3}.\n{5}{6}Qed.\n\n",
        name, binders, bounds, suffix, indices, units_.lines(), *script, of_scalars);
    named_.state(output, suffix, of_scalars, is_legal_);
    return true;
  }

  CoqInstance of_;
  const Instance& instance_;
  CoqHypotheses hypotheses_of_;
  CoqUnits units_;
  CoqNamed named_;
  std::string is_legal_;  // the theorem that says so of the target, if anything has to be said
  std::string operators_text_;
  std::string parameters_;
  std::string arguments_;
  std::string hypotheses_;
  std::string text_;
  std::string reason_;
  std::vector<std::string> theorems_;
};

// The instances that differ, then some of them evenly.
std::vector<Instance> chosen(const Rule& rule, const CoqOptions& options, CoqRule& out) {
  std::set<std::vector<std::uintptr_t>> keys;
  std::vector<Instance> all;
  Enumeration looked_at = for_each_instance(rule, options.instances, [&](const Instance& instance) {
    if (instance.target_error.empty() && instance.unsupported.empty() && keys.insert(proof_key(instance)).second &&
        !CoqFacts(instance, CoqScalars::Reals, false).contradicts({})) {
      all.push_back(instance);
    }
    return true;
  });
  out.distinct = all.size();
  out.complete = looked_at.complete;
  std::size_t count = std::min(all.size(), options.most_theorems);
  std::vector<Instance> some;
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t at = count == 1 ? all.size() - 1 : k * (all.size() - 1) / (count - 1);
    some.push_back(std::move(all[at]));
  }
  return some;
}

// The theorems of all instances; false, with the reason, if one has none.
bool write_bodies(const std::vector<Instance>& instances, CoqScalars scalars, std::string& bodies, CoqRule& out) {
  bodies.clear();
  out.theorems.clear();
  out.operators.clear();
  out.by_name.clear();
  out.outputs = 0;
  out.why_unnamed.clear();
  for (std::size_t k = 0; k < instances.size(); ++k) {
    auto text = std::make_unique<InstanceText>(instances[k], k + 1, scalars, false);
    if (!text->write()) {
      std::string reason = text->reason();
      text = std::make_unique<InstanceText>(instances[k], k + 1, scalars, true);
      if (!text->write()) {
        out.reason = fmt::format("{} ({})", reason, instances[k].label);
        out.theorems.clear();
        return false;
      }
    }
    bodies += text->text();
    out.outputs += instances[k].outputs.size();
    out.operators += text->operators();
    out.by_name.insert(out.by_name.end(), text->named().theorems().begin(), text->named().theorems().end());
    out.why_unnamed = out.why_unnamed.empty() ? text->named().why_unnamed() : out.why_unnamed;
    out.theorems.insert(out.theorems.end(), text->theorems().begin(), text->theorems().end());
  }
  out.scalars = scalars;
  out.reason.clear();
  return true;
}

const char* what_scalars_are(CoqScalars scalars) {
  return scalars == CoqScalars::Reals
             ? "Elements are real numbers: nothing is said of rounding."
             : "Elements are of any type, with any operations, comparisons and stores, but for the laws that a theorem names.";
}

}  // namespace

CoqRule coq_rule(const Rule& rule, const CoqOptions& options) {
  CoqRule out;
  std::vector<Instance> instances = chosen(rule, options, out);
  if (instances.empty()) {
    out.reason = "no instance";
    return out;
  }
  std::string bodies;
  if (!write_bodies(instances, CoqScalars::Any, bodies, out)) {
    out.why_reals = out.reason;
    if (!write_bodies(instances, CoqScalars::Reals, bodies, out)) {
      return out;
    }
  }
  out.stated = instances.size();
  std::string scope = out.stated == out.distinct
                          ? fmt::format("All {} instances that differ are stated.", out.distinct)
                          : fmt::format("{} of the {} instances that differ are stated.", out.stated, out.distinct);
  out.text = fmt::format(
      "(** Rule {}. {}\n\n    Each theorem is about one instance. Sizes and attributes are integers, tensors functions from "
      "their\n"
      "    indices. {}\n    Checked by Coq with the library Vouch. *)\n\n"
      "From Vouch Require Import tensor.Prove.\nSet Default Goal Selector \"!\".\nLocal Open Scope Z_scope.\n\n{}",
      coq_comment(rule.name), scope, what_scalars_are(out.scalars), bodies);
  if (!out.operators.empty()) {
    out.operators =
        "(** ** Operators by name: index kernels (index/Kernel.v), each as the operator table defines the call alone *)\n\n"
        "From Vouch Require Import tensor.Named.\nLocal Open Scope Z_scope.\n\n" +
        out.operators;
  }
  return out;
}

}  // namespace vouch
