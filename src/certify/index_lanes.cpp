#include "certify/index_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/coq_text.h"
#include "certify/index_coq.h"

namespace vouch {
namespace {

using array::Exp;
using array::ExpKind;
using array::ExpNode;
using array::Op;

constexpr std::string_view kFormula =
    "\nIn lanes: exp, tanh and erf are exp_lanes, tanh_lanes and erf_lanes of the C text, which are off by less than 1, 1.4 and "
    "1.2\n"
    "units in the last place.\n";

Op lane_op(Op op) {
  switch (op) {
    case Op::Exp: return Op::ExpLanes;
    case Op::Tanh: return Op::TanhLanes;
    case Op::Erf: return Op::ErfLanes;
    default: return op;
  }
}

bool has_lanes(const IndexBody& body) {
  return (body.kind == IndexBodyKind::Op && lane_op(body.op) != body.op) ||
         std::any_of(body.args.begin(), body.args.end(), [](const IndexBody& arg) { return has_lanes(arg); });
}

bool has_lanes(const IndexStatement& statement) {
  return std::any_of(statement.summands.begin(), statement.summands.end(),
                     [](const IndexSummand& summand) { return has_lanes(summand.body); });
}

// Of floats of any length.
bool calls_functions(const IndexKernel& kernel) {
  return has_lanes(kernel.output) || std::any_of(kernel.locals.begin(), kernel.locals.end(),
                                                 [](const IndexStatement& statement) { return has_lanes(statement); });
}

bool calls_functions(const Exp& e) {
  return (e->kind == ExpKind::Op && lane_op(e->op) != e->op) ||
         std::any_of(e->args.begin(), e->args.end(), [](const Exp& arg) { return calls_functions(arg); });
}

void to_lanes(IndexBody& body) {
  if (body.kind == IndexBodyKind::Op) {
    body.op = lane_op(body.op);
  }
  std::for_each(body.args.begin(), body.args.end(), [](IndexBody& arg) { to_lanes(arg); });
}

void to_lanes(IndexStatement& statement) {
  std::for_each(statement.summands.begin(), statement.summands.end(), [](IndexSummand& summand) { to_lanes(summand.body); });
}

Exp to_lanes(const Exp& e) {
  ExpNode node = *e;
  if (node.kind == ExpKind::Op) {
    node.op = lane_op(node.op);
  }
  std::transform(node.args.begin(), node.args.end(), node.args.begin(), [](const Exp& arg) { return to_lanes(arg); });
  return Exp(std::move(node));
}

void refuse(const std::string& name, const std::string& place, Diagnostics& diagnostics) {
  diagnostics.error_at(place,
                       fmt::format("--lanes has exp, tanh and erf of floats of 32 bits, and '{}' has them of doubles", name),
                       "compile it without --lanes: the C library computes them then");
}

}  // namespace

std::optional<array::Program> in_lanes(const array::Program& written, const std::string& place, Diagnostics& diagnostics) {
  if (written.computed != array::Element::F32 && calls_functions(written.term)) {
    refuse(written.name, place, diagnostics);
    return std::nullopt;
  }
  array::Program out = written;
  out.term = to_lanes(written.term);
  out.formula += kFormula;
  return out;
}

std::optional<std::vector<IndexKernel>> in_lanes(const std::vector<IndexKernel>& written, const std::string& place,
                                                 Diagnostics& diagnostics) {
  std::vector<IndexKernel> out;
  for (const IndexKernel& kernel : written) {
    if (kernel.computed != array::Element::F32 && calls_functions(kernel)) {
      refuse(kernel.name, place, diagnostics);
      return std::nullopt;
    }
    out.push_back(in_lanes(kernel));
  }
  return out;
}

bool has_lanes(const IndexKernel& written) { return written.computed == array::Element::F32 && calls_functions(written); }

IndexKernel in_lanes(const IndexKernel& written) {
  IndexKernel out = written;
  std::for_each(out.locals.begin(), out.locals.end(), [](IndexStatement& statement) { to_lanes(statement); });
  to_lanes(out.output);
  out.formula += kFormula;
  return out;
}

std::string lanes_certificate(const IndexKernel& written) {
  return fmt::format(
      "\n(** The kernel as it is written; what is computed has approximations of exp, tanh and erf. So it is the written\n"
      "    kernel over numbers of which exp is ExpLanes, tanh is TanhLanes and erf is ErfLanes. *)\n"
      "From Vouch Require Import index.Lanes.\n\n"
      "Definition written_kernel : ikernel := {}.\n\n"
      "Theorem lanes : KernelLanes written_kernel index_kernel.\n"
      "Proof. exact (kernel_lanes written_kernel). Qed.\n",
      coq_index_kernel(written));
}

std::string lanes_certificate(const array::Program& written, const std::string& name) {
  return fmt::format(
      "\n(** The program as it is written; what is computed has approximations of exp, tanh and erf. So it is the written\n"
      "    program over numbers of which exp is ExpLanes, tanh is TanhLanes and erf is ErfLanes. *)\n"
      "From Vouch Require Import index.Lanes.\n\n"
      "Definition written : source := {}.\n\n"
      "Theorem lanes : ProgramLanes (kernel_term written) (kernel_term {}).\n"
      "Proof. exact (program_lanes (kernel_term written)). Qed.\n",
      array::coq_source(written), name);
}

}  // namespace vouch
