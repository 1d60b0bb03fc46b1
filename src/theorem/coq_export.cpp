#include "theorem/coq_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_set>

#include "instance/proof_key.h"
#include "instance/stores.h"
#include "theorem/coq_operators.h"
#include "theorem/coq_proof.h"

namespace vouch {
namespace {

// A comment must not end early.
std::string comment(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if ((text[at] == '*' && text[at + 1] == ')') || (text[at] == '(' && text[at + 1] == '*')) {
      text.insert(at + 1, " ");
    }
  }
  std::replace(text.begin(), text.end(), '"', '\'');  // Coq reads strings even in comments
  return text;
}

// One instance as definitions and theorems.
class InstanceText {
 public:
  InstanceText(const Instance& instance, std::size_t number, CoqScalars scalars, bool name_quotients)
      : instance_(instance),
        number_(number),
        printer_(names_, truths_of(instance), scalars),
        facts_(instance, scalars, name_quotients),
        operators_(instance, number, names_, printer_, facts_) {}

  bool write() {
    name_symbols();
    if (!can_be_stated()) {
      return false;
    }
    hypotheses();
    std::string bodies = legality();
    for (std::size_t k = 0; k < instance_.outputs.size(); ++k) {
      if (!output(k, bodies)) {
        return false;
      }
    }
    fill(operators_text_);
    fill(bodies);
    text_ = fmt::format("(** {} *)\n\n{}", comment(instance_.label.empty() ? "The only instance." : instance_.label), bodies);
    return true;
  }

  const std::string& text() const { return text_; }
  const std::string& reason() const { return reason_; }
  const std::vector<std::string>& theorems() const { return theorems_; }
  const std::string& operators() const { return operators_text_; }
  const std::vector<std::string>& by_name() const { return by_name_; }
  const std::string& why_unnamed() const { return why_unnamed_; }

 private:
  // What the parameters of the theorems about elements are, of index kernels over scalars `K`.
  struct Instantiated {
    std::string binders;
    std::string hypotheses;
    std::string let;  // names that binders give a value
    std::string arguments;
  };
  // The parameters are known once everything is printed.
  void fill(std::string& text) {
    std::string functions;
    std::string function_names;
    for (const auto& [name, parameter] : printer_.parameters()) {
      functions += fmt::format(" ({} : {})", name, parameter.type);
      function_names += " " + name;
    }
    Instantiated of_kernels = instantiated();
    replace_all(text, "@PARAMETERS", parameters_ + functions);
    replace_all(text, "@ARGUMENTS", arguments_ + function_names);
    replace_all(text, "@OPERATIONS", of_kernels.binders);
    replace_all(text, "@DECIDED", of_kernels.hypotheses);
    replace_all(text, "@LET", of_kernels.let);
    replace_all(text, "@INSTANTIATED", of_kernels.arguments);
    replace_all(text, "@HYPOTHESES", hypotheses_);
  }

  Instantiated instantiated() {
    Instantiated out{" (K : Semantics.scalars) (scalar := Semantics.num K)", "", " scalar", " (Semantics.num K)"};
    for (const auto& [name, kind] : symbols_) {
      out.binders += fmt::format(" ({} : {})", name, kind == SymbolKind::Real ? "Semantics.num K" : "Z");
      out.arguments += " " + name;
    }
    for (const InputTensor* input : tensors_) {
      bool truth = printer_.is_truth(input->name);
      const std::string& name = names_.of_tensor(input->name);
      std::string indices;
      for (std::size_t axis = 0; axis < input->type.extents().size(); ++axis) {
        indices += fmt::format("{}i_{}", axis == 0 ? "" : " ", axis);
      }
      std::string list = indices;
      replace_all(list, " ", "; ");
      out.binders += fmt::format(" ({} : {})", name, truth ? "list nat -> bool" : "Kernel.tensor K");
      out.arguments += fmt::format(" ({}{} {} [{}])", indices.empty() ? "" : fmt::format("fun {} => ", indices),
                                   truth ? "truth_at" : "at_ints", name, list);
    }
    for (const auto& [name, parameter] : printer_.parameters()) {
      bool known = !parameter.of_kernels.empty();
      out.binders +=
          known ? fmt::format(" ({} := {})", name, parameter.of_kernels) : fmt::format(" ({} : {})", name, parameter.type);
      out.let += known ? " " + name : "";
      out.arguments += " " + (known ? parameter.of_kernels : name);
      if (!parameter.decided_by.empty()) {
        out.hypotheses += fmt::format("\n    ({0}_decides : decides K Syntax.{1} {0})", name, parameter.decided_by);
      }
    }
    return out;
  }

  static std::set<Symbol> truths_of(const Instance& instance) {
    std::set<Symbol> out;
    for (const InputTensor& input : instance.inputs) {
      if (input.type.dtype() == DType::Bool) {
        out.insert(input.name);
      }
    }
    return out;
  }

  static void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
  }

  void name_symbols() {
    if (printer_.scalars() == CoqScalars::Any) {
      parameters_ = " (scalar : Type)";
      arguments_ = " scalar";
    }
    std::set<Symbol> declared;
    for (const FreeSymbol& symbol : instance_.symbols) {
      if (!declared.insert(symbol.name).second) {
        continue;  // branches of a variadic share attributes
      }
      const std::string& name = names_.of(symbol.name);
      symbols_.emplace_back(name, symbol.kind);
      parameters_ += fmt::format(" ({} : {})", name, symbol.kind == SymbolKind::Real ? printer_.scalar_type() : "Z");
      arguments_ += " " + name;
    }
    for (const InputTensor& input : instance_.inputs) {
      if (input.contents || input.fill) {
        continue;
      }
      const std::string& name = names_.of_tensor(input.name);
      tensors_.push_back(&input);
      std::string type;
      for (std::size_t k = 0; k < input.type.extents().size(); ++k) {
        type += "Z -> ";
      }
      parameters_ += fmt::format(" ({} : {}{})", name, type, input.type.dtype() == DType::Bool ? "bool" : printer_.scalar_type());
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
  Term stated(Term body) const { return printer_.scalars() == CoqScalars::Reals ? without_stores(body) : body; }
  Term source_of(const InstanceOutput& output) const { return stated(output.source_body.value); }
  Term target_of(const InstanceOutput& output) const { return stated(element_at(output.target_body, index_terms(output))); }

  static std::vector<Term> index_terms(const InstanceOutput& output) {
    std::vector<Term> out;
    for (Symbol index : output.source_body.indices) {
      out.push_back(int_var(index));
    }
    return out;
  }

  void hypotheses() {
    int number = 0;
    auto assume = [&](Term guard, const std::string& why) {
      if (!is_true(guard) && assumed_.insert(guard.id()).second) {
        hypotheses_ +=
            fmt::format("\n    ({} : {})", names_.fresh(fmt::format("legal_{}", ++number)), printer_.proposition(guard, {}));
        hypotheses_ += why.empty() ? "" : fmt::format("  (* {} *)", comment(why));
      }
    };
    for (const FreeSymbol& symbol : instance_.symbols) {
      if (symbol.at_least) {
        assume(ge(int_var(symbol.name), *symbol.at_least), "");
      }
    }
    for (const InstanceCondition& c : instance_.assumptions) {
      assume(c.guard, c.why);
    }
    for (const ElementCondition& c : facts_.every()) {
      hypotheses_ += of_every_element(c);
    }
  }

  // A condition of the rule, of each element inside of the tensor.
  std::string of_every_element(const ElementCondition& condition) {
    const InputTensor& input = instance_.inputs[condition.input];
    const std::string tensor = names_.of_tensor(input.name);
    std::string binders;
    std::string bounds;
    std::vector<Term> at;
    for (std::size_t axis = 0; axis < input.type.extents().size(); ++axis) {
      Symbol index(fmt::format("{} at {}", input.name.name(), axis));
      at.push_back(int_var(index));
      binders += " " + names_.of(index);
      bounds += fmt::format("0 <= {} < {} -> ", names_.of(index), printer_.integer(input.type.extents()[axis], {}));
    }
    Term guard = substitute(condition.guard, condition.element, read(input.name, at));
    return fmt::format("\n    ({} : {}{}{})  (* a condition of the rule *)", names_.fresh(tensor + "_every"),
                       binders.empty() ? "" : fmt::format("forall{} : Z, ", binders), bounds, printer_.proposition(guard, {}));
  }

  // A hypothesis about each element of a tensor: what is claimed of it, before and after its text.
  std::string of_elements(const InputTensor& input, const std::string& what, const std::string& before,
                          const std::string& after) {
    const std::string& name = names_.of_tensor(input.name);
    std::string indices;
    for (std::size_t k = 0; k < input.type.extents().size(); ++k) {
      indices += " " + names_.fresh("i");
    }
    return fmt::format("\n    ({} : {}{}{}{}{})  (* {} *)", names_.fresh(name + what),
                       indices.empty() ? "" : fmt::format("forall{} : Z, ", indices), before, name, indices, after,
                       dtype_name(input.type.dtype()));
  }

  // What the proof uses of scalars: laws; of element types, which numbers they have, and that these are no further rounded.
  std::string hypotheses_of(const CoqProof& proof) {
    std::string out;
    for (const auto& [name, law] : proof.laws()) {
      out += fmt::format("\n    ({} : {})", name, law);
    }
    for (const InputTensor& input : instance_.inputs) {
      auto range = proof.of_types().contains(input.name) ? facts_.elements_of(input.name) : std::nullopt;
      if (range) {
        out += of_elements(input, "_elements",
                           fmt::format("element ({}) ({}) (", numerator(range->low).str(), numerator(range->high).str()), ")");
      }
      if (proof.wholes().contains(input.name)) {
        std::string number = names_.fresh("k");
        out += of_elements(input, "_is_whole", fmt::format("exists {} : Z, ", number), fmt::format(" = IZR {}", number));
      }
    }
    for (const auto& [fn, law] : proof.roundings()) {
      std::string name = printer_.function(fn);
      std::string x = names_.fresh("k");
      std::string y = names_.fresh("k");
      switch (law) {
        case CoqProof::Rounding::GivesWhole:
          out += fmt::format("\n    ({} : forall {} : R, exists {} : Z, {} {} = IZR {})", names_.fresh(name + "_is_whole"), x, y,
                             name, x, y);
          break;
        case CoqProof::Rounding::KeepsWhole:
          out += fmt::format("\n    ({} : forall {} : Z, {} (IZR {}) = IZR {})", names_.fresh(name + "_of_whole"), x, name, x, x);
          break;
        case CoqProof::Rounding::KeepsWholeByOne:
          out +=
              fmt::format("\n    ({} : forall {} : Z, {} (IZR {}) 1%R = IZR {})", names_.fresh(name + "_by_one"), x, name, x, x);
          break;
        case CoqProof::Rounding::Rises:
          out += fmt::format("\n    ({} : forall {} {} : R, ({} <= {})%R -> ({} {} <= {} {})%R)", names_.fresh(name + "_rises"),
                             x, y, x, y, name, x, name, y);
          break;
      }
    }
    return out;
  }

  // Sizes that equal others, so that proofs may replace them.
  std::string units() {
    std::string out;
    for (const NamedQuotient& q : facts_.quotients()) {
      out += fmt::format("  destruct (ex_intro (fun q => q = {} / {}) _ eq_refl) as [{} {}].\n", printer_.integer(q.dividend, {}),
                         printer_.integer(q.divisor, {}), names_.of(q.name), names_.fresh("quotient"));
    }
    for (Term fact : facts_.of_quotients()) {
      out += fmt::format("  assert ({} : {}) by integers.\n", names_.fresh("unit"), printer_.proposition(fact, {}));
    }
    assert_equals(facts_.solved(), out);
    for (const ShortQuotient& q : facts_.shortened()) {
      shorten(q, out);
    }
    for (Term equation : facts_.shorter()) {
      out += fmt::format("  assert ({} : {}) by without_factor.\n", names_.fresh("product"), printer_.proposition(equation, {}));
    }
    assert_equals(facts_.solved_by_shortened(), out);
    std::unordered_set<Term> seen;
    for (const InstanceCondition& c : instance_.assumptions) {
      settle_choices(c.guard, seen, out);
    }
    return out;
  }

  void assert_equals(const std::vector<std::pair<Symbol, Term>>& equals, std::string& out) {
    for (const auto& [name, value] : equals) {
      if (value.sort() == Sort::Int) {
        out += fmt::format("  assert ({} : {} = {}) by integers.\n", names_.fresh("unit"), names_.of(name),
                           printer_.integer(value, {}));
      }
    }
  }

  // A quotient without a factor of both gets a name, which stands wherever the quotient is written.
  void shorten(const ShortQuotient& q, std::string& out) {
    std::string shorter = printer_.integer(floor_div(q.dividend, q.divisor), {});
    for (const ShortQuotient::Written& written : q.written) {
      std::string text = printer_.integer(written.quotient, {});
      if (text != shorter) {
        std::string same = names_.fresh("shorter");
        out += fmt::format("  assert ({0} : {1} = {2}) by (shorter_quotient {3}).\n  try rewrite {0} in *.\n  clear {0}.\n", same,
                           text, shorter, printer_.integer(written.factor, {}));
      }
    }
    std::string quotient = names_.fresh("quotient");
    out += fmt::format(
        "  destruct (ex_intro (fun q => q = {0}) _ eq_refl) as [{1} {2}].\n  try rewrite <- {2} in *.\n  clear {2}.\n", shorter,
        names_.of(q.name), quotient);
  }

  // Of sizes that are told by an equality, those that are the same either way.
  void settle_choices(Term term, std::unordered_set<Term>& seen, std::string& out) {
    if (!seen.insert(term).second) {
      return;
    }
    for (Term arg : term.args()) {
      settle_choices(arg, seen, out);
    }
    bool told = term.kind() == TermKind::IntSelect && term.arg(0).kind() == TermKind::IntEq;
    if (told && facts_.equal(term, term.arg(2), {})) {
      std::string settled = names_.fresh("settled");
      out += fmt::format("  assert ({} : {} = {}) by integers.\n  try rewrite {} in *.\n", settled, printer_.integer(term, {}),
                         printer_.integer(term.arg(2), {}), settled);
    }
  }

  // What the target owes.
  std::string legality() {
    std::string statement;
    std::set<const void*> stated;
    for (const InstanceCondition& c : instance_.obligations) {
      if (!is_true(c.guard) && stated.insert(c.guard.id()).second) {
        statement += fmt::format("{}\n    {}", statement.empty() ? "" : " /\\", printer_.proposition(c.guard, {}));
      }
    }
    if (statement.empty()) {
      return {};
    }
    std::string name = fmt::format("target_is_legal_{}", number_);
    theorems_.push_back(name);
    is_legal_ = name;
    return fmt::format("Theorem {}@PARAMETERS@HYPOTHESES :{}.\nProof.\n{}  repeat split; integers.\nQed.\n\n", name, statement,
                       units());
  }

  bool output(std::size_t k, std::string& bodies) {
    const InstanceOutput& output = instance_.outputs[k];
    Term source = source_of(output);
    Term target = target_of(output);
    std::string suffix = fmt::format("{}_{}", number_, k + 1);
    std::string binders;
    std::string indices;
    std::string bounds;
    Facts box;
    for (std::size_t axis = 0; axis < output.source_body.indices.size(); ++axis) {
      Symbol index = output.source_body.indices[axis];
      Term extent = output.source_type.extents()[axis];
      const std::string& name = names_.of(index);
      binders += fmt::format(" ({} : Z)", name);
      indices += " " + name;
      bounds += fmt::format("\n    ({} : 0 <= {} < {})", names_.fresh(name + "_in"), name, printer_.integer(extent, {}));
      box.push_back(in_range(int_var(index), extent));
    }
    for (auto [side, term] : {std::pair("source", source), std::pair("target", target)}) {
      bodies += fmt::format("Definition {}_{}@PARAMETERS{} : {} :=\n  {}%R.\n\n", side, suffix, binders, printer_.scalar_type(),
                            printer_.scalar(term, {}));
    }
    CoqProof proof(facts_, names_, printer_);
    std::optional<std::string> script = proof.prove(source, target, box);
    if (!script) {
      reason_ = fmt::format("output {}: {}", k + 1, proof.reason());
      return false;
    }
    std::string name = fmt::format("outputs_agree_{}", suffix);
    theorems_.push_back(name);
    std::string of_scalars = hypotheses_of(proof);
    bodies += fmt::format(
        "Theorem {0}@PARAMETERS{1}@HYPOTHESES{7}{2} :\n    source_{3}@ARGUMENTS{4} = target_{3}@ARGUMENTS{4}.\n"
        "Proof.\n  unfold source_{3}, target_{3}.\n{5}{6}Qed.\n\n",
        name, binders, bounds, suffix, indices, units(), *script, of_scalars);
    state_operators(output, suffix, of_scalars);
    return true;
  }

  // Why the theorem is about elements alone; empty if nothing is known against operators by name.
  std::string why_elements() const {
    if (printer_.scalars() == CoqScalars::Reals) {
      return "it is over the real numbers";
    }
    bool of_elements =
        !facts_.every().empty() || std::any_of(instance_.assumptions.begin(), instance_.assumptions.end(),
                                               [](const InstanceCondition& c) { return !tensors_read(c.guard).empty(); });
    return of_elements ? "a condition speaks of elements" : "";
  }

  // The same of operators by name, if they are index kernels.
  void state_operators(const InstanceOutput& output, const std::string& suffix, const std::string& of_scalars) {
    std::string why = why_elements();
    auto sides = why.empty() ? operators_.sides(output) : std::nullopt;
    if (!sides) {
      why_unnamed_ = why.empty() ? operators_.reason() : why;
      return;
    }
    std::string extents;
    std::string indices;
    std::string intros;
    for (std::size_t axis = 0; axis < output.source_body.indices.size(); ++axis) {
      const std::string& name = names_.of(output.source_body.indices[axis]);
      extents += (axis == 0 ? "" : "; ") + printer_.integer(output.source_type.extents()[axis], {});
      indices += " " + name;
      intros += fmt::format(" {} {}", name, names_.fresh(name + "_in"));
    }
    std::string legal = is_legal_.empty() ? "" : fmt::format("  known ({}@INSTANTIATED).\n", is_legal_);
    by_name_.push_back("operators_agree_" + suffix);
    operators_text_ += sides->definitions;
    operators_text_ += fmt::format(
        "Theorem operators_agree_{0}@OPERATIONS@HYPOTHESES@DECIDED{1} :\n  same [{2}]\n    {3}\n    {4}.\n"
        "Proof.\n  subst@LET.\n{5}  by_indices.{6}\n"
        "  transitivity (source_{0}@INSTANTIATED{7}).\n  {{ unfold source_{0}. denotes. }}\n"
        "  transitivity (target_{0}@INSTANTIATED{7}).\n  {{ apply outputs_agree_{0}; assumption. }}\n"
        "  unfold target_{0}. symmetry. denotes.\nQed.\n\n",
        suffix, of_scalars, extents, sides->source, sides->target, legal, intros.empty() ? "" : fmt::format(" intros{}.", intros),
        indices);
  }

  const Instance& instance_;
  std::size_t number_;
  CoqNames names_;
  CoqPrinter printer_;
  CoqFacts facts_;
  CoqOperators operators_;
  std::vector<std::pair<std::string, SymbolKind>> symbols_;
  std::vector<const InputTensor*> tensors_;
  std::string is_legal_;  // the theorem that says so of the target, if anything has to be said
  std::string operators_text_;
  std::vector<std::string> by_name_;
  std::string why_unnamed_;
  std::set<const void*> assumed_;
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
  for_each_instance(rule, options.instances, [&](const Instance& instance) {
    if (instance.target_error.empty() && instance.unsupported.empty() && keys.insert(proof_key(instance)).second &&
        !CoqFacts(instance, CoqScalars::Reals, false).contradicts({})) {
      all.push_back(instance);
    }
    return true;
  });
  out.distinct = all.size();
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
    out.by_name.insert(out.by_name.end(), text->by_name().begin(), text->by_name().end());
    out.why_unnamed = out.why_unnamed.empty() ? text->why_unnamed() : out.why_unnamed;
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
      comment(rule.name), scope, what_scalars_are(out.scalars), bodies);
  if (!out.operators.empty()) {
    out.operators =
        "(** ** Operators by name: index kernels (index/Kernel.v), each as the operator table defines the call alone *)\n\n"
        "From Vouch Require Import tensor.Named.\nLocal Open Scope Z_scope.\n\n" +
        out.operators;
  }
  return out;
}

}  // namespace vouch
