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
    case IndexPlanKind::Leaf: return "PLeaf";
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

std::string plan_definitions(const IndexTiling& tiling) {
  return fmt::format(
      "(** Inputs that are copied in another arrangement, and the tiles of the output. *)\n"
      "Definition copies : packing := {}.\n\nDefinition tiles : plan :=\n  {}.\n\n",
      list(tiling.copies, [](const IndexCopy& copy) { return coq(copy); }), coq(tiling.plan));
}

// By tiles; and what the elements are, one by one, for a person to read.
std::string tiled_certificate(const IndexKernel& kernel, const IndexTiling& tiling) {
  array::Program elements = lower_index(kernel, std::nullopt);
  return plan_definitions(tiling) +
         fmt::format(
             "Theorem lowered : packs_to copies tiles index_kernel kernel.\n"
             "Proof. split; vm_compute; reflexivity. Qed.\n\n"
             "Theorem computes_index_kernel : ComputesIndex index_kernel kernel.\n"
             "Proof. exact (packs_to_sound _ _ _ _ lowered). Qed.\n\n"
             "(** The same kernel, element by element. *)\n"
             "Definition elements : source := {}.\n\n"
             "Theorem lowered_elements : lowers_to index_kernel elements.\n"
             "Proof. vm_compute. reflexivity. Qed.\n\n"
             "Theorem computes_elements : ComputesIndex index_kernel elements.\n"
             "Proof. exact (lowers_to_sound _ _ lowered_elements). Qed.\n",
             array::coq_source(elements)) +
         array::certificate_reading(elements, "computes_by_elements elements computes_index_kernel computes_elements certified");
}

}  // namespace

std::string coq_index_term(const IndexTerm& term) { return coq(term); }

std::string coq_index_kernel(const IndexKernel& kernel) { return coq(kernel); }

std::string fused_certificate(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  return fmt::format(
      "\n(** The kernel in index notation; index variables and tensors are numbered as in index/Kernel.v. *)\n"
      "From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Fuse{}.\n\n"
      "Definition index_kernel : ikernel := {}.\n\n{}"
      "(** The program with products rounded before they are added. *)\n"
      "Definition unfused_program : source := {}.\n\n"
      "Theorem lowered : {} index_kernel unfused_program.\n"
      "Proof. {}vm_compute; reflexivity. Qed.\n\n"
      "Theorem fused : fuses_to unfused_program kernel.\n"
      "Proof. vm_compute. reflexivity. Qed.\n\n"
      "(** What is computed: the kernel, its products added without being rounded; and so the kernel itself\n"
      "    wherever fma is a product and a sum, as it is of real numbers. *)\n"
      "Theorem computes_index_kernel : ComputesFused index_kernel kernel.\n"
      "Proof. exact (fuses_to_sound _ _ _ ({} lowered) fused). Qed.\n",
      tiling ? " index.Plan index.Pack index.PackProof" : "", coq(kernel), tiling ? plan_definitions(*tiling) : "",
      array::coq_source(lower_index(kernel, tiling)), tiling ? "packs_to copies tiles" : "lowers_to", tiling ? "split; " : "",
      tiling ? "packs_to_sound _ _ _ _" : "lowers_to_sound _ _");
}

std::string index_certificate(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  std::string text = fmt::format(
      "\n(** The same in index notation; index variables and tensors are numbered as in index/Kernel.v. *)\n"
      "From Vouch Require Import index.Kernel index.Lower index.LowerProof{}.\n\n"
      "Definition index_kernel : ikernel := {}.\n\n",
      tiling ? " index.Plan index.Pack index.PackProof index.Elements" : "", coq(kernel));
  return text + (tiling ? tiled_certificate(kernel, *tiling)
                        : "Theorem lowered : lowers_to index_kernel kernel.\n"
                          "Proof. vm_compute. reflexivity. Qed.\n\n"
                          "Theorem computes_index_kernel : ComputesIndex index_kernel kernel.\n"
                          "Proof. exact (lowers_to_sound _ _ lowered). Qed.\n");
}

}  // namespace vouch
