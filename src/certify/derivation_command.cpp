#include "certify/derivation_command.h"

#include <fmt/format.h>

#include <cctype>

#include "certify/coq_text.h"
#include "support/fault.h"

namespace vouch::array::derive {

std::string next(const std::string& depth) {
  bool number = depth[0] >= '0' && depth[0] <= '9';
  return number ? std::to_string(std::stoul(depth) + 1) : "(S " + depth + ")";
}

std::string bound(const std::string& depth) {
  std::string name;
  for (char c : depth) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? std::string(1, c) : "";
  }
  return name;
}

Context with_depth(Context context, const std::string& depth) {
  context.depth = depth;
  return context;
}

Context inside_loop(Context context, const std::string& loop, std::vector<std::string> views) {
  context.loops.insert(context.loops.begin(), loop);
  context.views.insert(context.views.begin(), views.begin(), views.end());
  context.depth = next(loop);
  return context;
}

Command accept(const Exp& e, const Type& type, const Context& context, const std::string& acceptor) {
  return {std::make_shared<Call>(Call{e, context, type, acceptor, {}, true})};
}

Command pass(const Exp& e, const Context& context, Continuation continuation) {
  return {std::make_shared<Call>(Call{e, context, {}, "", std::move(continuation), false})};
}

Command joined(std::initializer_list<Command> parts) {
  Command result;
  for (const Command& part : parts) {
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

Command text(std::string words) { return {std::move(words)}; }

Command sequence(const Command& first, const Command& second) {
  return joined({text("(CSeq "), first, text(" "), second, text(")")});
}

Command new_variable(const std::string& name, const Type& type, const Command& body) {
  return joined({text(fmt::format("(CNew {} {} ", name, coq_type(type))), body, text(")")});
}

std::string_view map_macro(LoopKind kind) {
  switch (kind) {
    case LoopKind::Seq: return "mapSeqI";
    case LoopKind::Par: return "mapParI";
    case LoopKind::Vec: return "mapVecI";
    case LoopKind::Unr: return "mapUnrI";
  }
  fault("no such loop");
}

Command map_loop(LoopKind kind, const std::string& variable, const Size& n, const Command& body, const std::string& view,
                 const std::string& acceptor) {
  return joined(
      {text(fmt::format("({} {} {} (fun y{} o{} => ", map_macro(kind), variable, coq_size(n), bound(variable), bound(variable))),
       body, text(fmt::format(") {} {})", view, acceptor))});
}

Command reduce_loop(const Folding& fold, const std::string& index, const Command& rest) {
  const std::string& v = fold.accumulator;
  return joined({text(fmt::format("(reduce{}I {} {} {} (fun y{} z{} o{} => ", fold.loop == LoopKind::Unr ? "Unr" : "Seq", v,
                                  coq_size(fold.count), coq_type(fold.type), bound(index), bound(index), bound(index))),
                 fold.step, text(fmt::format(") (fun o{} => ", bound(v))), fold.start,
                 text(fmt::format(") {} (fun r{} => ", fold.view, bound(v))), rest, text("))")});
}

Command reduce_into(LoopKind kind, const std::string& index, const Size& count, const Command& step, const Command& start,
                    const std::string& view, const std::string& acceptor) {
  return joined({text(fmt::format("(reduceIn{}I {} {} (fun y{} z{} o{} => ", kind == LoopKind::Unr ? "Unr" : "", index,
                                  coq_size(count), bound(index), bound(index), bound(index))),
                 step, text(fmt::format(") (fun o{} => ", bound(index))), start, text(fmt::format(") {} {})", view, acceptor))});
}

Command assignment(const Type& type, const std::string& depth, const std::string& acceptor, const std::string& view) {
  if (type->kind == TypeKind::Num) {
    return text(fmt::format("(CAssign {} {})", acceptor, view));
  }
  return text(fmt::format("(assign {} {} {} {})", coq_type(type), depth, acceptor, view));
}

}  // namespace vouch::array::derive
