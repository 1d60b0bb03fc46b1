#include "certify/coq_command.h"

#include <fmt/format.h>

#include "certify/coq_text.h"
#include "support/fault.h"

namespace vouch::array {

std::string coq_step(const Step& step) {
  switch (step.kind) {
    case StepKind::At: return fmt::format("(AtStep {})", coq_index(step.index));
    case StepKind::Fst: return "FstStep";
    case StepKind::Snd: return "SndStep";
    case StepKind::Offset: return fmt::format("(OffStep {})", coq_size(step.size));
    case StepKind::Lay: return fmt::format("(LayStep {})", coq_layout(step.layout));
  }
  fault("no such step");
}

std::string coq_acceptor(const Acceptor& acceptor) {
  std::string text = fmt::format("(AVar {})", acceptor.root);
  for (const Step& step : acceptor.steps) {
    text = fmt::format("(AStep {} {})", coq_step(step), text);
  }
  return text;
}

std::string coq_view(const View& view) {
  auto arg = [&](std::size_t i) { return coq_view(view->args[i]); };
  switch (view->kind) {
    case ViewKind::Var: return fmt::format("(IVar {})", view->var);
    case ViewKind::Accept: return fmt::format("(IAcc {})", coq_acceptor(view->acceptor));
    case ViewKind::Const: return fmt::format("(ICst {})", coq_const(view->constant));
    case ViewKind::Op: return fmt::format("(IOp (Op{} {}) {})", op_row(view->op).arity, op_row(view->op).coq, arg(0));
    case ViewKind::Pair: return fmt::format("(IPair {} {})", arg(0), arg(1));
    case ViewKind::Lay: return fmt::format("(ILay {} {})", coq_layout(view->layout), arg(0));
    case ViewKind::Pad:
      return fmt::format("(IPad {} {} {} {})", coq_size(view->sizes[0]), coq_size(view->sizes[1]), coq_const(view->constant),
                         arg(0));
    case ViewKind::If: return fmt::format("(IIf {} {} {})", coq_guard(view->guard), arg(0), arg(1));
  }
  fault("no such view");
}

std::string coq_path(const Path& path) {
  std::string text;
  for (const PathStep& step : path) {
    text += text.empty() ? "" : "; ";
    switch (step.kind) {
      case PathKind::At: text += fmt::format("XIx {}", coq_index(step.index)); break;
      case PathKind::Fst: text += "XLft"; break;
      case PathKind::Snd: text += "XRgt"; break;
    }
  }
  return "[" + text + "]";
}

std::string coq_command_head(const Comm& command) {
  switch (command->kind) {
    case CommKind::Skip: return "CSkip";
    case CommKind::Seq: return "CSeq";
    case CommKind::Assign: return fmt::format("CAssign {} {}", coq_acceptor(command->acceptor), coq_view(command->view));
    case CommKind::New: return fmt::format("CNew {} {}", command->var, coq_type(command->type));
    case CommKind::For: return fmt::format("CFor {} {} {}", coq_loop(command->loop), command->var, coq_size(command->size));
  }
  fault("no such command");
}

std::string coq_command(const Comm& command) {
  std::string text = "(" + coq_command_head(command);
  for (const Comm& part : command->parts) {
    text += " " + coq_command(part);
  }
  return text + ")";
}

}  // namespace vouch::array
