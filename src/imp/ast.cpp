#include "imp/ast.h"

namespace vouch::array {

Acceptor step_into(Acceptor place, Step step) {
  place.steps.push_back(std::move(step));
  return place;
}

View view_var(unsigned number) {
  ViewNode node;
  node.kind = ViewKind::Var;
  node.var = number;
  return View(std::move(node));
}

View view_const(const Const& constant) {
  ViewNode node;
  node.kind = ViewKind::Const;
  node.constant = constant;
  return View(std::move(node));
}

View view_accept(Acceptor acceptor) {
  ViewNode node;
  node.kind = ViewKind::Accept;
  node.acceptor = std::move(acceptor);
  return View(std::move(node));
}

View view_layout(const Layout& of, const View& view) {
  ViewNode node;
  node.kind = ViewKind::Lay;
  node.layout = of;
  node.args = {view};
  return View(std::move(node));
}

View view_at(const View& view, unsigned loop) { return view_layout(layout_at(index_var(loop)), view); }

Comm comm_skip() { return Comm(CommNode{}); }

Comm comm_seq(const Comm& first, const Comm& second) {
  CommNode node;
  node.kind = CommKind::Seq;
  node.parts = {first, second};
  return Comm(std::move(node));
}

Comm comm_assign(Acceptor place, const View& view) {
  CommNode node;
  node.kind = CommKind::Assign;
  node.acceptor = std::move(place);
  node.view = view;
  return Comm(std::move(node));
}

Comm comm_new(unsigned var, const Type& type, const Comm& body) {
  CommNode node;
  node.kind = CommKind::New;
  node.var = var;
  node.type = type;
  node.parts = {body};
  return Comm(std::move(node));
}

Comm comm_for(LoopKind loop, unsigned var, const Size& n, const Comm& body, const IndexName& name) {
  CommNode node;
  node.kind = CommKind::For;
  node.loop = loop;
  node.index_name = name;
  node.var = var;
  node.size = n;
  node.parts = {body};
  return Comm(std::move(node));
}

}  // namespace vouch::array
