#include "certify/derivation.h"

#include <fmt/format.h>

#include "certify/certificate.h"
#include "certify/code_steps.h"
#include "certify/coq_command.h"
#include "certify/coq_text.h"
#include "certify/derivation_command.h"
#include "certify/splice.h"
#include "lower/align.h"
#include "lower/lower.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

using namespace derive;

struct Expansion {
  std::string rule;
  Command command;
};

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : "; ") + item;
  }
  return "[" + text + "]";
}

std::string op_view(Op op, const std::string& argument) {
  return fmt::format("(IOp (Op{} {}) {})", op_row(op).arity, op_row(op).coq, argument);
}

class Derivation {
 public:
  explicit Derivation(const Program& program) : program_(program) {}

  std::string print(const std::string& origin) {
    unsigned r = static_cast<unsigned>(program_.inputs.size());
    Context context;
    for (unsigned v = 0; v < r; ++v) {
      context.views.push_back(fmt::format("(IVar {})", v));
    }
    context.depth = std::to_string(r + 1);
    Command command = accept(program_.term, program_.output.type, context, fmt::format("(AVar {})", r));
    std::string states = fmt::format("Definition state_0 : comm :=\n  {}.\n", show(command));
    std::string chain = "eq_refl";
    unsigned step = 0;
    while (std::optional<std::string> rule = rewrite(command)) {
      ++step;
      states += fmt::format("\n(** {} *)\nDefinition state_{} : comm :=\n  {}.\n", *rule, step, show(command));
      states += fmt::format("Lemma step_{0} : state_{1} = state_{0}.\nProof. reflexivity. Qed.\n", step, step - 1);
      chain = fmt::format("(eq_trans {} step_{})", chain, step);
    }
    return fmt::format(
        "(** The translation of {0} of {1}, rule by rule. *)\n\n{2}\n{3}\n{4}\n"
        "{10}\nTheorem translated : kernel {5} {6} {7} = last_state.\nProof. exact (eq_trans {9} unfolded). Qed.\n",
        program_.name, origin, kPreamble, definitions_, states, r, name(program_.term), coq_type(program_.output.type), step,
        chain, printed(origin, step));
  }

 private:
  static constexpr std::string_view kPreamble =
      "From Coq Require Import ZArith NArith List String.\n"
      "From Vouch Require Import lib.Size array.Syntax imp.Syntax imp.Safety lower.Lower lower.Flatten.\n"
      "From Vouch Require Import lower.SafeProof certify.Kernel certify.Print certify.Certificate.\n"
      "From Vouch Require lower.Simplify lower.Tighten.\n"
      "Import ListNotations.\nLocal Open Scope string_scope.\n\n"
      "(** A(e)(a) fills the acceptor a, of type d, with e. *)\n"
      "Definition A (e : exp) (d : ty) (xi : list nat) (rho : list view) (k : nat) (a : acc) : comm :=\n"
      "  snd (lower e) d xi rho k a.\n\n"
      "(** C(e)(c): new temporaries from depth k on, then c with the next depth and a view of e. *)\n"
      "Definition C (e : exp) (xi : list nat) (rho : list view) (k : nat) (c : nat -> view -> comm) : comm :=\n"
      "  let (pre, x) := fst (lower e) xi rho k in wrap k pre (c (k + List.length pre) x).\n\n"
      "(** The paper's macros: loops over the elements of a view. *)\n"
      "Definition mapI (w : kind) (i : nat) (n : size) (f : view -> acc -> comm) (x : view) (a : acc) : comm :=\n"
      "  CFor w i n (f (view_at x i) (acc_at a i)).\n"
      "Definition mapSeqI := mapI Seq.\nDefinition mapParI := mapI Par.\n"
      "Definition mapVecI := mapI Vec.\nDefinition mapUnrI := mapI Unr.\n"
      "Definition reduceI (w : kind) (v : nat) (n : size) (d : ty) (f : view -> view -> acc -> comm) (start : acc -> comm)\n"
      "    (x : view) (c : view -> comm) : comm :=\n"
      "  CNew v d (CSeq (CSeq (start (AVar v)) (CFor w (S v) n (f (view_at x (S v)) (IVar v) (AVar v)))) (c (IVar v))).\n"
      "Definition reduceSeqI := reduceI Seq.\nDefinition reduceUnrI := reduceI Unr.\n"
      "Definition reduceIntoI (w : kind) (i : nat) (n : size) (f : view -> view -> acc -> comm) (start : acc -> comm)\n"
      "    (x : view) (a : acc) : comm :=\n"
      "  CSeq (start a) (CFor w i n (f (view_at x i) (IAcc a) a)).\n"
      "Definition reduceInI := reduceIntoI Seq.\nDefinition reduceInUnrI := reduceIntoI Unr.\n";

  // Each term has a name.
  std::string name(const Exp& e) {
    for (const auto& [known, number] : names_) {
      if (known == e) {
        return fmt::format("e{}", number);
      }
    }
    std::string whole = coq_head(e);
    for (const Exp& arg : e->args) {
      whole += " " + name(arg);
    }
    names_.emplace_back(e, names_.size());
    definitions_ += fmt::format("Definition e{} : exp := {}.\n", names_.size() - 1, whole);
    return fmt::format("e{}", names_.size() - 1);
  }

  std::string show(const Command& command, unsigned level = 0) {
    std::string result;
    for (const Piece& piece : command) {
      if (const auto* words = std::get_if<std::string>(&piece)) {
        result += *words;
        continue;
      }
      const Call& call = *std::get<std::shared_ptr<Call>>(piece);
      std::string head = fmt::format("{} {}", list(call.context.loops), list(call.context.views));
      if (call.accepts) {
        result += fmt::format("(A {} {} {} {} {})", name(call.exp), coq_type(call.type), head, call.context.depth, call.acceptor);
        continue;
      }
      std::string k = fmt::format("k{}", level);
      std::string x = fmt::format("x{}", level);
      result += fmt::format("(C {} {} {} (fun {} {} =>\n    {}))", name(call.exp), head, call.context.depth, k, x,
                            show(call.continuation(k, x), level + 1));
    }
    return result;
  }

  // Applies a rule to the leftmost call; its name, or nothing if there is no call.
  std::optional<std::string> rewrite(Command& command) {
    for (std::size_t i = 0; i < command.size(); ++i) {
      if (const auto* call = std::get_if<std::shared_ptr<Call>>(&command[i])) {
        Expansion expansion = (*call)->accepts ? expand_acceptor(**call) : expand_continuation(**call);
        splice(command, i, expansion.command);
        return expansion.rule;
      }
    }
    return std::nullopt;
  }

  static bool is_zip(const Exp& e) { return e->layout->kind == LayoutKind::Zip && e->args[0]->kind == ExpKind::Pair; }

  static std::string layout_rule(const Layout& of, bool accepts) {
    switch (of->kind) {
      case LayoutKind::Zip: return accepts ? "a.10" : "c.8";
      case LayoutKind::Split: return accepts ? "a.11" : "c.9";
      case LayoutKind::Join: return accepts ? "a.12" : "c.10";
      case LayoutKind::Fst: return accepts ? "a.14" : "c.12";
      case LayoutKind::Snd: return accepts ? "a.15" : "c.13";
      case LayoutKind::At:
      case LayoutKind::Unzip:
      case LayoutKind::Trans:
      case LayoutKind::Rev:
      case LayoutKind::Slide:
      case LayoutKind::Slice:
      case LayoutKind::Repeat:
      case LayoutKind::Each: return accepts ? "a, layout" : "c, layout";
    }
    fault("no such layout");
  }

  static std::string op_rule(Op op, bool accepts) {
    if (op_row(op).arity == 1) {
      return accepts ? "a.4" : "c.2";
    }
    return op == Op::Mul ? (accepts ? "a.6" : "c.4") : (accepts ? "a.5" : "c.3");
  }

  static std::string rule_name(const Exp& e, const Type& type, bool accepts) {
    switch (e->kind) {
      case ExpKind::Var:
      case ExpKind::Const:
        return !accepts ? "c.1" : type->kind == TypeKind::Num ? "a.1" : type->kind == TypeKind::Array ? "a.2" : "a.3";
      case ExpKind::Op: return op_rule(e->op, accepts);
      case ExpKind::Pair: return accepts ? "a.13" : "c.11";
      case ExpKind::Lay: return layout_rule(e->layout, accepts);
      case ExpKind::Map: return e->loop == LoopKind::Par ? (accepts ? "a.8" : "c.5") : (accepts ? "a.7" : "c.6");
      case ExpKind::Reduce: return accepts ? "a.9" : "c.7";
      case ExpKind::Pad: return accepts ? "a, pad" : "c, pad";
      case ExpKind::If: return accepts ? "a, if" : "c, if";
      case ExpKind::Let: return accepts ? "a, let" : "c, let";
      case ExpKind::Mem: return accepts ? "a, mem" : "c, mem";
      case ExpKind::Cat: return accepts ? "a, cat" : "c, cat";
    }
    fault("no such term");
  }

  Expansion expand_acceptor(const Call& call) {
    const Exp& e = call.exp;
    std::string rule = rule_name(e, call.type, true);
    bool into = e->kind == ExpKind::Reduce && e->place == Place::Into && may_reduce_in_place(e->args[0]);
    switch (e->kind) {
      case ExpKind::Pair:
        return {rule, sequence(accept(e->args[0], call.type->parts[0], call.context, step("FstStep", call.acceptor)),
                               accept(e->args[1], call.type->parts[1], call.context, step("SndStep", call.acceptor)))};
      case ExpKind::Lay:
        if (is_invertible(e->layout)) {
          return {rule, accept(e->args[0], layout_source(e->layout, call.type), call.context,
                               step("(LayStep " + coq_layout(e->layout) + ")", call.acceptor))};
        }
        break;
      case ExpKind::Map: return {rule, accept_map(call)};
      case ExpKind::Reduce:
        if (into) {
          return {rule + ", in place", accept_reduce(call)};
        }
        break;
      case ExpKind::Let:
        return {rule, pass(e->args[0], call.context, [call, e](const std::string& k, const std::string& x) {
                  Context inner = with_depth(call.context, k);
                  inner.views.insert(inner.views.begin(), x);
                  return accept(e->args[1], call.type, inner, call.acceptor);
                })};
      case ExpKind::Mem: return {rule, accept(e->args[0], call.type, call.context, call.acceptor)};
      case ExpKind::Cat:
        return {rule, sequence(accept(e->args[0], type_array(e->sizes[0], e->types[0]), call.context, call.acceptor),
                               accept(e->args[1], type_array(e->sizes[1], e->types[0]), call.context,
                                      step("(OffStep " + coq_size(e->sizes[0]) + ")", call.acceptor)))};
      case ExpKind::Var:
      case ExpKind::Const:
      case ExpKind::Op:
      case ExpKind::Pad:
      case ExpKind::If: break;
    }
    return {rule, copied(call)};
  }

  static std::string step(const std::string& words, const std::string& acceptor) {
    return fmt::format("(AStep {} {})", words, acceptor);
  }

  // A view of the term is assigned to the acceptor: rules a.4 to a.6, a.9, a.14 and a.15 with the C rule they contain.
  Command copied(const Call& call) {
    Continuation assign = [call](const std::string& k, const std::string& x) {
      return assignment(call.type, k, call.acceptor, x);
    };
    return passed(call.exp, call.context, assign);
  }

  static Command accept_map(const Call& call) {
    const Exp e = call.exp;
    return pass(e->args[1], call.context, [call, e](const std::string& k, const std::string& x) {
      Command body = accept(e->args[0], e->types[1], inside_loop(call.context, k, {"y" + bound(k)}), "o" + bound(k));
      return map_loop(e->loop, k, e->sizes[0], body, x, call.acceptor);
    });
  }

  static Command accept_reduce(const Call& call) {
    const Exp e = call.exp;
    return pass(e->args[2], call.context, [call, e](const std::string& k, const std::string& x) {
      Context inner = inside_loop(call.context, k, {"y" + bound(k), "z" + bound(k)});
      std::string place = "o" + bound(k);
      return reduce_into(e->loop, k, e->sizes[0], accept(e->args[0], e->types[1], inner, place),
                         accept(e->args[1], call.type, with_depth(call.context, k), place), x, call.acceptor);
    });
  }

  Expansion expand_continuation(const Call& call) {
    return {rule_name(call.exp, {}, false), passed(call.exp, call.context, call.continuation)};
  }

  // C(e)(c), one rule further.
  Command passed(const Exp& e, const Context& context, const Continuation& c) {
    switch (e->kind) {
      case ExpKind::Var: return c(context.depth, context.views.at(e->var));
      case ExpKind::Const: return c(context.depth, "(ICst " + coq_const(e->constant) + ")");
      case ExpKind::Op: return passed_op(e, context, c);
      case ExpKind::Pair:
        return passed_pair(e, context, [c](const std::string& k, const std::string& pair) { return c(k, pair); });
      case ExpKind::Lay: {
        std::string layout = renamed(e->layout, context);
        Continuation after = [c, layout](const std::string& k, const std::string& x) {
          return c(k, fmt::format("(ILay {} {})", layout, x));
        };
        return is_zip(e) ? passed_pair(e->args[0], context, after) : pass(e->args[0], context, after);
      }
      case ExpKind::Pad:
        return pass(e->args[0], context, [c, e](const std::string& k, const std::string& x) {
          return c(k, fmt::format("(IPad {} {} {} {})", coq_size(e->sizes[0]), coq_size(e->sizes[1]), coq_const(e->constant), x));
        });
      case ExpKind::If: {
        std::string guard = fmt::format("(guard_rename {} {})", list(context.loops), coq_guard(e->guard));
        return passed_two(e->args, context, [c, guard](const std::string& k, const std::string& x, const std::string& y) {
          return c(k, fmt::format("(IIf {} {} {})", guard, x, y));
        });
      }
      case ExpKind::Map: return spilled(e, type_array(e->sizes[0], e->types[1]), context, c);
      case ExpKind::Cat: return spilled(e, type_array(size_add(e->sizes[0], e->sizes[1]), e->types[0]), context, c);
      case ExpKind::Mem: return spilled(e->args[0], e->types[0], context, c);
      case ExpKind::Reduce: return passed_reduce(e, context, c);
      case ExpKind::Let:
        return pass(e->args[0], context, [e, context, c](const std::string& k, const std::string& x) {
          Context inner = with_depth(context, k);
          inner.views.insert(inner.views.begin(), x);
          return pass(e->args[1], inner, c);
        });
    }
    fault("no such term");
  }

  static std::string renamed(const Layout& of, const Context& context) {
    std::string plain = coq_layout(of);
    return plain.find("XVar") == std::string::npos ? plain : fmt::format("(lay_rename {} {})", list(context.loops), plain);
  }

  template <class Two>
  static Command passed_two(const std::vector<Exp>& args, const Context& context, Two two) {
    Exp second = args[1];
    return pass(args[0], context, [second, context, two](const std::string& k, const std::string& x) {
      return pass(second, with_depth(context, k),
                  [two, x](const std::string& k2, const std::string& y) { return two(k2, x, y); });
    });
  }

  static Command passed_pair(const Exp& pair, const Context& context, const Continuation& c) {
    return passed_two(pair->args, context, [c](const std::string& k, const std::string& x, const std::string& y) {
      return c(k, fmt::format("(IPair {} {})", x, y));
    });
  }

  static Command passed_op(const Exp& e, const Context& context, const Continuation& c) {
    Op op = e->op;
    Continuation after = [c, op](const std::string& k, const std::string& x) { return c(k, op_view(op, x)); };
    const Exp& argument = e->args[0];
    return argument->kind == ExpKind::Pair ? passed_pair(argument, context, after) : pass(argument, context, after);
  }

  static Command spilled(const Exp& e, const Type& type, const Context& context, const Continuation& c) {
    const std::string& k = context.depth;
    Command fill = accept(e, type, with_depth(context, next(k)), fmt::format("(AVar {})", k));
    return new_variable(k, type, sequence(fill, c(next(k), fmt::format("(IVar {})", k))));
  }

  static Command reduce_step(const Exp& e, const Context& context, const std::string& i) {
    const Type& type = e->types[1];
    Context inner = inside_loop(context, i, {"y" + bound(i), "z" + bound(i)});
    std::string place = "o" + bound(i);
    if (may_reduce_in_place(e->args[0])) {
      return accept(e->args[0], type, inner, place);
    }
    std::string buffer = inner.depth;
    inner.depth = next(buffer);
    return new_variable(buffer, type,
                        sequence(accept(e->args[0], type, inner, fmt::format("(AVar {})", buffer)),
                                 assignment(type, inner.depth, place, fmt::format("(IVar {})", buffer))));
  }

  static Command passed_reduce(const Exp& e, const Context& context, const Continuation& c) {
    return pass(e->args[2], context, [e, context, c](const std::string& v, const std::string& x) {
      std::string i = next(v);
      Command start = accept(e->args[1], e->types[1], with_depth(context, i), "o" + bound(v));
      return reduce_loop({e->loop, v, e->sizes[0], e->types[1], reduce_step(e, context, i), start, x}, i, c(i, "r" + bound(v)));
    });
  }

  // The second step of the paper, its macros by their definitions, and the third, C text.
  std::string printed(const std::string& origin, unsigned last) {
    Comm command = lower(program_);
    std::vector<Type> types = input_types(program_);
    types.push_back(program_.output.type);
    CodeSteps steps = code_steps(command, c_names(program_), types, "g0", "nm");
    std::string text = certify(program_, origin).c;
    std::string printed = print_c(program_.name, c_names(program_), input_types(program_), flatten(program_, command));
    return fmt::format(
        "(** mapI, reduceI *)\nDefinition last_state : comm :=\n  {0}.\nLemma unfolded : state_{1} = last_state.\n"
        "Proof. reflexivity. Qed.\n\nDefinition source_of : source := {2}.\n\n"
        "Lemma same_term : kernel_term source_of = {3}.\nProof. reflexivity. Qed.\n\n"
        "Definition nm : names := kernel_names source_of.\n"
        "Definition g0 : ty_env := kernel_types (kernel_inputs source_of) (kernel_output source_of).\n\n{4}\n{5}\n"
        "Lemma same_command : last_state = {6}.\nProof. reflexivity. Qed.\n\n"
        "Definition last_text : string :=\n{8}.\n\n"
        "Theorem printed :\n  c_text (kernel_name source_of) nm (kernel_inputs source_of) (flatten g0 last_state) = last_text.\n"
        "Proof.\n  rewrite same_command. unfold c_text. pose proof {7} as whole. unfold codeC in whole. rewrite whole.\n"
        "  vm_compute. reflexivity.\nQed.\n\n"
        "(** Index terms simplified, and loops bounded, as lower/Simplify.v and lower/Tighten.v do. *)\n"
        "Definition simple_text : string :=\n{9}.\n\n"
        "Theorem simplified :\n  c_text (kernel_name source_of) nm (kernel_inputs source_of)\n"
        "    (Tighten.tightened (Simplify.simplified (flatten g0 last_state))) ++\n"
        "  checked_text source_of = simple_text.\n"
        "Proof. vm_compute. reflexivity. Qed.\n",
        coq_command(command), last, coq_source(program_), name(program_.term), code_steps_preamble(), steps.text,
        steps.last_command, steps.last_lemma, coq_string(printed), coq_string(text));
  }

  const Program& program_;
  std::vector<std::pair<Exp, std::size_t>> names_;
  std::string definitions_;
};

}  // namespace

std::string print_derivation(const Program& program, const std::string& origin) {
  ensure(verify_program(program), "only well-typed programs are translated");
  return Derivation(program).print(origin);
}

std::string derivation_check(const std::string& theorem, const std::string& module, const std::string& text) {
  return fmt::format(
      "Theorem {0} : let k := {1}.source_of in\n"
      "  let flat := Vouch.lower.Flatten.flatten (Vouch.lower.SafeProof.kernel_types\n"
      "    (Vouch.certify.Certificate.kernel_inputs k) (Vouch.certify.Certificate.kernel_output k)) {1}.last_state in\n"
      "  let print := Vouch.certify.Print.c_text (Vouch.certify.Certificate.kernel_name k)\n"
      "    (Vouch.certify.Certificate.kernel_names k) (Vouch.certify.Certificate.kernel_inputs k) in\n"
      "  Vouch.lower.Lower.kernel (List.length (Vouch.certify.Certificate.kernel_inputs k))\n"
      "    (Vouch.certify.Certificate.kernel_term k) (Vouch.certify.Certificate.kernel_output k) = {1}.last_state /\\\n"
      "  print flat = {1}.last_text /\\\n"
      "  String.append (print (Vouch.lower.Tighten.tightened (Vouch.lower.Simplify.simplified flat)))\n"
      "    (Vouch.certify.Certificate.checked_text k) = {2}.\n"
      "Proof. exact (conj {1}.translated (conj {1}.printed {1}.simplified)). Qed.\n",
      theorem, module, text);
}

}  // namespace vouch::array
