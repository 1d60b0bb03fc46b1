#include "certify/index_coq.h"

#include <fmt/format.h>

#include "certify/certificate.h"
#include "certify/coq_text.h"
#include "certify/index_plan.h"
#include "support/fault.h"

namespace vouch {
namespace {

std::string number(const Integer& value) { return fmt::format("({})%Z", value.str()); }

template <class T, class F>
std::string list(const std::vector<T>& items, F print) {
  std::vector<std::string> out;
  for (const T& item : items) {
    out.push_back(print(item));
  }
  return fmt::format("[{}]", fmt::join(out, "; "));
}

std::string sizes(const std::vector<array::Size>& values) {
  return list(values, [](const array::Size& size) { return array::coq_size(size); });
}

std::string coq(const IndexTerm& t) {
  switch (t.kind) {
    case IndexTermKind::Var: return fmt::format("(IVar {})", t.var);
    case IndexTermKind::Con: return fmt::format("(ICon {})", number(t.number));
    case IndexTermKind::Size: return fmt::format("(ISize {})", array::coq_size(t.size));
    case IndexTermKind::Add: return fmt::format("(IAdd {} {})", coq(t.args[0]), coq(t.args[1]));
    case IndexTermKind::Scale: return fmt::format("(IScale {} {})", number(t.number), coq(t.args[0]));
    case IndexTermKind::Div: return fmt::format("(IDiv {} {}%positive)", coq(t.args[0]), t.number.str());
    case IndexTermKind::Mod: return fmt::format("(IMod {} {}%positive)", coq(t.args[0]), t.number.str());
  }
  fault("no such index term");
}

std::string coq(const IndexCond& c) {
  switch (c.kind) {
    case IndexCondKind::True: return "CTrue";
    case IndexCondKind::Le: return fmt::format("(CLe {} {})", coq(c.terms[0]), coq(c.terms[1]));
    case IndexCondKind::Eq: return fmt::format("(CEq {} {})", coq(c.terms[0]), coq(c.terms[1]));
    case IndexCondKind::And: return fmt::format("(CAnd {} {})", coq(c.parts[0]), coq(c.parts[1]));
    case IndexCondKind::Or: return fmt::format("(COr {} {})", coq(c.parts[0]), coq(c.parts[1]));
    case IndexCondKind::Not: return fmt::format("(CNot {})", coq(c.parts[0]));
  }
  fault("no such condition");
}

std::string coq(const IndexBody& b) {
  switch (b.kind) {
    case IndexBodyKind::Con: return fmt::format("(BCon {})", array::coq_const(b.constant));
    case IndexBodyKind::Gather: {
      auto part = [&](std::size_t from, std::size_t to) {
        std::string text;
        for (std::size_t a = from; a < to; ++a) {
          text += fmt::format("{}({}, {})", a == from ? "" : "; ", coq(b.at[a]), array::coq_size(b.extents[a]));
        }
        return text;
      };
      return fmt::format("(BGather {} {} {} [{}] [{}])", coq(b.args[0]), array::coq_size(b.chosen), b.tensor, part(0, b.axis),
                         part(b.axis, b.at.size()));
    }
    case IndexBodyKind::Index: return fmt::format("(BIndex {})", coq(b.at[0]));
    case IndexBodyKind::Read: {
      std::string at;
      for (std::size_t a = 0; a < b.at.size(); ++a) {
        at += fmt::format("{}({}, {})", a == 0 ? "" : "; ", coq(b.at[a]), array::coq_size(b.extents[a]));
      }
      return fmt::format("(BRead {} [{}])", b.tensor, at);
    }
    case IndexBodyKind::Op: {
      std::string out = fmt::format("(BOp{} {}", b.args.size(), array::op_row(b.op).coq);
      for (const IndexBody& arg : b.args) {
        out += " " + coq(arg);
      }
      return out + ")";
    }
    case IndexBodyKind::If: return fmt::format("(BIf {} {} {})", coq(b.condition), coq(b.args[0]), coq(b.args[1]));
  }
  fault("no such body");
}

std::string coq(const IndexStatement& s) {
  return fmt::format("{{| st_extents := {};\n     st_summands := {} |}}", sizes(s.extents),
                     list(s.summands, [](const IndexSummand& p) {
                       return fmt::format("\n       {{| su_loops := {}; su_cond := {};\n          su_body := {} |}}",
                                          sizes(p.loops), coq(p.condition), coq(p.body));
                     }));
}

std::string coq(const IndexPlan& plan) {
  switch (plan.kind) {
    case IndexPlanKind::Leaf: return fmt::format("(PLeaf {})", plan.inner);
    case IndexPlanKind::Each:
      return fmt::format("(PEach {} {} {})", array::coq_loop(plan.loop), array::coq_size(plan.extent), coq(plan.parts[0]));
    case IndexPlanKind::Tiles:
      return fmt::format("(PTiles {} {} {} {} {})", array::coq_loop(plan.loop), plan.count.str(), plan.width.str(), plan.inner,
                         coq(plan.parts[0]));
    case IndexPlanKind::Split:
      return fmt::format("(PSplit {} {}\n    {}\n    {})", array::coq_size(plan.counted()), array::coq_size(plan.wide()),
                         coq(plan.parts[0]), coq(plan.parts[1]));
    case IndexPlanKind::Blocks:
      return fmt::format("(PBlocks {} {} {})", array::coq_size(plan.counted()), plan.width.str(), coq(plan.parts[0]));
    case IndexPlanKind::Merge: return fmt::format("(PMerge {} {})", plan.width.str(), coq(plan.parts[0]));
    case IndexPlanKind::Move: return fmt::format("(PMove {} {})", plan.inner, coq(plan.parts[0]));
    case IndexPlanKind::Over:
      return fmt::format("(POver {} {} {})", plan.inner, array::coq_size(plan.wide()), coq(plan.parts[0]));
    case IndexPlanKind::Under: return fmt::format("(PUnder {} {})", plan.width.str(), coq(plan.parts[0]));
    case IndexPlanKind::Cut: return fmt::format("(PCut {} {}\n    {})", plan.count.str(), plan.width.str(), coq(plan.parts[0]));
    case IndexPlanKind::Then:
      return fmt::format("(PThen {} {}\n    {}\n    {})", plan.count.str(), plan.width.str(), coq(plan.parts[0]),
                         coq(plan.parts[1]));
    case IndexPlanKind::Tab:
      return fmt::format("(PTab {} [{}]\n    {})", plan.inner, fmt::join(plan.over, "; "), coq(plan.parts[0]));
    case IndexPlanKind::Finish: return fmt::format("(PFinish\n    {})", coq(plan.parts[0]));
  }
  fault("no such plan");
}

std::string coq(const IndexAxis& axis) {
  switch (axis.kind) {
    case IndexAxisKind::Whole: return fmt::format("({}, Whole {} {})", axis.axis, axis.low.str(), axis.high.str());
    case IndexAxisKind::Block: return fmt::format("({}, Block {})", axis.axis, axis.width.str());
    case IndexAxisKind::Lane: return fmt::format("({}, Lane {})", axis.axis, axis.width.str());
  }
  fault("no such axis");
}

std::string coq(const IndexCopy& copy) {
  return fmt::format("({}, {}, {})", copy.input, sizes(copy.extents), list(copy.form, [](const IndexAxis& a) { return coq(a); }));
}

std::string coq(const IndexKernel& kernel) {
  return fmt::format("{{|\n  ik_facts := {};\n  ik_inputs := {};\n  ik_locals := {};\n  ik_output :=\n  {} |}}",
                     list(kernel.facts,
                          [](const array::SizeFact& fact) {
                            return fmt::format("({}, {})", array::coq_size(fact.first), array::coq_size(fact.second));
                          }),
                     list(kernel.inputs, [](const array::Parameter& input) { return array::coq_type(input.type); }),
                     list(kernel.locals, [](const IndexStatement& s) { return coq(s); }), coq(kernel.output));
}

std::string copy_definitions(const IndexTiling& tiling) {
  return fmt::format("(** Inputs that are copied in another arrangement. *)\nDefinition copies : packing := {}.\n\n",
                     list(tiling.copies, [](const IndexCopy& copy) { return coq(copy); }));
}

std::string local_plan_definitions(const std::vector<std::optional<IndexPlan>>& plans) {
  return fmt::format("(** Plans of locals, and of inputs' copies among them. *)\nDefinition local_tiles : plans := {}.\n\n",
                     list(plans, [](const std::optional<IndexPlan>& plan) { return plan ? "\n  Some " + coq(*plan) : "None"; }));
}

std::string plan_definition(const IndexTiling& tiling) {
  return fmt::format("(** The tiles of the output. *)\nDefinition tiles : plan :=\n  {}.\n\n", coq(tiling.plan));
}

// How a program comes of a kernel in index notation.
struct Way {
  std::string modules;
  std::string definitions;
  std::string relation;
  std::string proof;
  std::string sound;
};

Way way_of(const std::optional<IndexTiling>& tiling) {
  if (!tiling) {
    return {"", "", "lowers_to", "vm_compute. reflexivity", "lowers_to_sound _ _"};
  }
  auto plans = plans_of_locals(*tiling);
  if (plans.empty()) {
    return {" index.Plan index.Pack index.PackProof", copy_definitions(*tiling) + plan_definition(*tiling),
            "packs_to copies tiles", "split; vm_compute; reflexivity", "packs_to_sound _ _ _ _"};
  }
  std::string definitions = local_plan_definitions(plans) + plan_definition(*tiling);
  if (tiling->copies.empty()) {
    return {" index.Plan index.Locals", definitions, "plans_to local_tiles tiles", "vm_compute. reflexivity",
            "plans_to_sound _ _ _ _"};
  }
  return {" index.Plan index.Pack index.Locals", copy_definitions(*tiling) + definitions,
          "packs_plan_to copies local_tiles tiles", "split; vm_compute; reflexivity", "packs_plan_to_sound _ _ _ _ _"};
}

// That the program computes a kernel that is defined before under that name: `computes_KERNEL`.
std::string lowering_theorems(const Way& way, const std::string& name) {
  return way.definitions + fmt::format(
                               "Theorem lowered : {0} {1} kernel.\n"
                               "Proof. {2}. Qed.\n\n"
                               "Theorem computes_{1} : ComputesIndex {1} kernel.\n"
                               "Proof. exact ({3} lowered). Qed.\n",
                               way.relation, name, way.proof, way.sound);
}

// What the elements are, one by one, for a person to read.
std::string element_theorems(const IndexKernel& kernel, const std::string& name) {
  array::Program elements = lower_index(kernel, std::nullopt);
  return fmt::format(
             "\n(** The same kernel, element by element. *)\n"
             "Definition elements : source := {0}.\n\n"
             "Theorem lowered_elements : lowers_to {1} elements.\n"
             "Proof. vm_compute. reflexivity. Qed.\n\n"
             "Theorem computes_elements : ComputesIndex {1} elements.\n"
             "Proof. exact (lowers_to_sound _ _ lowered_elements). Qed.\n",
             array::coq_source(elements), name) +
         array::certificate_reading(elements,
                                    fmt::format("computes_by_elements elements computes_{} computes_elements certified", name));
}

std::string coq(const IndexPiece& piece) {
  auto terms = [](const std::vector<IndexTerm>& all) { return list(all, [](const IndexTerm& t) { return coq(t); }); };
  return fmt::format(
      "\n      {{| pc_where := {}; pc_to := {};\n         pc_from := {}; pc_here := [];\n         pc_there := {} |}}",
      coq(piece.where), terms(piece.to), terms(piece.from), list(piece.there, [](const IndexCond& c) { return coq(c); }));
}

std::string coq(const std::vector<std::vector<IndexPiece>>& pieces) {
  return list(pieces, [](const std::vector<IndexPiece>& of_summand) {
    return list(of_summand, [](const IndexPiece& piece) { return coq(piece); });
  });
}

std::string regrouping_theorems(const IndexRegrouping& regrouping, bool fused) {
  if (fused) {
    return coq_regrouping(regrouping) +
           "\n(** The text leaves the elements of the ordered kernel, its products added without being rounded; and those of "
           "the\n"
           "    kernel as it was written where addition has its laws and fma is a product and a sum. *)\n"
           "Theorem computes_index_kernel : FusedReordered index_kernel ordered_kernel kernel kernel_text.\n"
           "Proof. exact (fused_regrouped_text _ _ pieces _ _ reordered computes_ordered_kernel certified). Qed.\n";
  }
  return coq_regrouping(regrouping) +
         "\n(** The text leaves the elements of the ordered kernel, bit for bit; and those of the kernel as it was written\n"
         "    where addition has its laws. *)\n"
         "Theorem computes_index_kernel : Reordered index_kernel ordered_kernel kernel kernel_text.\n"
         "Proof. exact (regrouped_text _ _ pieces _ _ reordered computes_ordered_kernel certified). Qed.\n";
}

std::string kernel_definition(const char* name, const IndexKernel& kernel) {
  return fmt::format("Definition {} : ikernel := {}.\n\n", name, coq(kernel));
}

std::string reordered_certificate(const IndexKernel& kernel, const IndexTiling& tiling, bool fused) {
  Way way = way_of(tiling);
  Reordering order = reordered(kernel, tiling.splits);
  std::string computes = fused ? coq_fused_lowering(kernel, tiling)
                               : lowering_theorems(way, "ordered_kernel") + element_theorems(order.kernel(), "ordered_kernel");
  return fmt::format(
             "\n(** The kernel in index notation; index variables and tensors are numbered as in index/Kernel.v. *)\n"
             "From Vouch Require Import index.Kernel index.Lower index.LowerProof{} index.Elements.\n"
             "From Vouch Require Import regroup.Regroup regroup.Composed.\n\n",
             way.modules) +
         kernel_definition("index_kernel", kernel) + "(** What is computed: the same sums in another order. *)\n" +
         kernel_definition("ordered_kernel", order.kernel()) + computes + regrouping_theorems(order.regrouping(), fused);
}

}  // namespace

std::string coq_index_term(const IndexTerm& term) { return coq(term); }

std::string coq_index_kernel(const IndexKernel& kernel) { return coq(kernel); }

std::string coq_regrouping(const IndexRegrouping& regrouping) {
  return fmt::format(
      "\n(** Which terms of the kernel's sums are which of those that are computed. *)\n"
      "Definition pieces : witness := {{|\n  wi_places := {};\n  wi_locals := {};\n  wi_output := {} |}}.\n\n"
      "Theorem reordered : regroups index_kernel ordered_kernel pieces = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n",
      list(regrouping.places, [](std::size_t place) { return std::to_string(place); }),
      list(regrouping.locals, [](const std::vector<std::vector<IndexPiece>>& local) { return coq(local); }),
      coq(regrouping.output));
}

std::string coq_lowering(const std::optional<IndexTiling>& tiling, const std::string& name) {
  Way way = way_of(tiling);
  std::string modules = way.modules.empty() ? "" : fmt::format("From Vouch Require Import{}.\n\n", way.modules);
  return modules + lowering_theorems(way, name);
}

std::string coq_fused_lowering(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  Way way = way_of(tiling);
  std::string_view computed = tiling && !tiling->splits.empty() ? "ordered_kernel" : "index_kernel";
  return fmt::format(
      "From Vouch Require Import index.Fuse{0}.\n\n{1}"
      "(** The program with products rounded before they are added. *)\n"
      "Definition unfused_program : source := {2}.\n\n"
      "Theorem lowered : {3} {6} unfused_program.\n"
      "Proof. {4}. Qed.\n\n"
      "Theorem fused : fuses_to unfused_program kernel.\n"
      "Proof. vm_compute. reflexivity. Qed.\n\n"
      "(** What is computed: the kernel, its products added without being rounded; and so the kernel itself\n"
      "    wherever fma is a product and a sum, as it is of real numbers. *)\n"
      "Theorem computes_{6} : ComputesFused {6} kernel.\n"
      "Proof. exact (fuses_to_sound _ _ _ ({5} lowered) fused). Qed.\n",
      way.modules, way.definitions, array::coq_source(lower_index(kernel, tiling)), way.relation, way.proof, way.sound, computed);
}

std::string fused_certificate(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  if (tiling && !tiling->splits.empty()) {
    return reordered_certificate(kernel, *tiling, true);
  }
  return "\n(** The kernel in index notation; index variables and tensors are numbered as in index/Kernel.v. *)\n"
         "From Vouch Require Import index.Kernel index.Lower index.LowerProof.\n\n" +
         kernel_definition("index_kernel", kernel) + coq_fused_lowering(kernel, tiling);
}

std::string index_certificate(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  if (tiling && !tiling->splits.empty()) {
    return reordered_certificate(kernel, *tiling, false);
  }
  Way way = way_of(tiling);
  return fmt::format(
             "\n(** The same in index notation; index variables and tensors are numbered as in index/Kernel.v. *)\n"
             "From Vouch Require Import index.Kernel index.Lower index.LowerProof{}{}.\n\n",
             way.modules, tiling ? " index.Elements" : "") +
         kernel_definition("index_kernel", kernel) + lowering_theorems(way, "index_kernel") +
         (tiling ? element_theorems(kernel, "index_kernel") : "");
}

}  // namespace vouch
