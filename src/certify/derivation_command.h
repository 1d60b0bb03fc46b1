// Commands with calls of the two translators in them, as Coq text: what a derivation rewrites.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "array/ast.h"

namespace vouch::array::derive {

struct Call;
// A command, as text with calls of the translators in it.
using Piece = std::variant<std::string, std::shared_ptr<Call>>;
using Command = std::vector<Piece>;

// Everything is Coq text: under a continuation, depths and views are names.
struct Context {
  std::vector<std::string> loops;
  std::vector<std::string> views;
  std::string depth;
};

using Continuation = std::function<Command(const std::string& depth, const std::string& view)>;

struct Call {
  Exp exp;
  Context context;
  Type type;                  // A
  std::string acceptor;       // A
  Continuation continuation;  // C
  bool accepts = false;       // A or C
};

std::string next(const std::string& depth);
// What is bound at a depth, which is a number or a name, is called after it.
std::string bound(const std::string& depth);
Context with_depth(Context context, const std::string& depth);
Context inside_loop(Context context, const std::string& loop, std::vector<std::string> views);
Command accept(const Exp& e, const Type& type, const Context& context, const std::string& acceptor);
Command pass(const Exp& e, const Context& context, Continuation continuation);
Command joined(std::initializer_list<Command> parts);
Command text(std::string words);
Command sequence(const Command& first, const Command& second);
Command new_variable(const std::string& name, const Type& type, const Command& body);
// The paper's macros, under which views and acceptors are bound: y, z are elements, o the place to fill.
std::string_view map_macro(LoopKind kind);
Command map_loop(LoopKind kind, const std::string& variable, const Size& n, const Command& body, const std::string& view,
                 const std::string& acceptor);
struct Folding {
  LoopKind loop;
  std::string accumulator;  // variable
  Size count;
  Type type;
  Command step;
  Command start;
  std::string view;
};
Command reduce_loop(const Folding& fold, const std::string& index, const Command& rest);
Command reduce_into(LoopKind kind, const std::string& index, const Size& count, const Command& step, const Command& start,
                    const std::string& view, const std::string& acceptor);
Command assignment(const Type& type, const std::string& depth, const std::string& acceptor, const std::string& view);

}  // namespace vouch::array::derive
