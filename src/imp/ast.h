// The imperative language. Mirrors coq/imp/Syntax.v and the flat programs of coq/imp/Flat.v.
//
// Data variables and loop variables are numbered by nesting depth, one numbering for both; in index terms, variable i is
// loop variable i.
#pragma once

#include <optional>
#include <vector>

#include "array/ast.h"

namespace vouch::array {

// One step from a place to a part of it. Offset n: ary (n+m) a -> its last m elements; Lay l: the result of an
// invertible layout -> its argument.
enum class StepKind : std::uint8_t { At, Fst, Snd, Offset, Lay };
struct Step {
  StepKind kind = StepKind::At;
  Index index;           // At
  Size size;             // Offset
  array::Layout layout;  // Lay
  friend bool operator==(const Step&, const Step&) = default;
};

// A place that can be written: steps taken inside the variable `root`, the first step first.
struct Acceptor {
  unsigned root = 0;
  std::vector<Step> steps;
  friend bool operator==(const Acceptor&, const Acceptor&) = default;
};
Acceptor step_into(Acceptor place, Step step);

// What can be read without moving data; Accept reads through an acceptor.
enum class ViewKind : std::uint8_t { Var, Accept, Const, Op, Pair, Lay, Pad, If };
struct ViewNode;
using View = Ref<ViewNode>;
struct ViewNode {
  ViewKind kind = ViewKind::Var;
  unsigned var = 0;
  Acceptor acceptor;
  array::Const constant;  // Const, Pad
  array::Op op = Op::Neg;
  array::Layout layout;
  Guard guard;
  std::vector<Size> sizes;  // Pad: lo, n
  std::vector<View> args;
  friend bool operator==(const ViewNode&, const ViewNode&) = default;
};
View view_var(unsigned number);
View view_const(const Const& constant);
View view_accept(Acceptor acceptor);
View view_layout(const Layout& layout, const View& view);
// Element number "loop variable i".
View view_at(const View& view, unsigned loop);

enum class CommKind : std::uint8_t { Skip, Seq, Assign, New, For };
struct CommNode;
using Comm = Ref<CommNode>;
struct CommNode {
  CommKind kind = CommKind::Skip;
  unsigned var = 0;   // New: the variable; For: the loop variable
  Acceptor acceptor;  // Assign
  View view;          // Assign
  Type type;          // New
  LoopKind loop = LoopKind::Seq;
  IndexName index_name;     // For
  Size size;                // For: iterations
  std::vector<Comm> parts;  // Seq: two; New, For: one
  friend bool operator==(const CommNode&, const CommNode&) = default;
};
Comm comm_skip();
Comm comm_seq(const Comm& first, const Comm& second);
Comm comm_assign(Acceptor place, const View& view);
Comm comm_new(unsigned var, const Type& type, const Comm& body);
Comm comm_for(LoopKind loop, unsigned var, const Size& n, const Comm& body, const IndexName& name = {});

}  // namespace vouch::array
