#include "certify/derivation.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <variant>

#include "certify/certificate.h"
#include "certify/coq_text.h"
#include "lower/align.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

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

std::string next(const std::string& depth) {
  bool number = depth[0] >= '0' && depth[0] <= '9';
  return number ? std::to_string(std::stoul(depth) + 1) : "(S " + depth + ")";
}

std::string view_at(const std::string& view, const std::string& loop) {
  return fmt::format("(view_at {} {})", view, loop);
}
std::string acc_at(const std::string& acceptor, const std::string& loop) {
  return fmt::format("(acc_at {} {})", acceptor, loop);
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

Command loop(std::string_view kind, const std::string& variable, const Size& n, const Command& body) {
  return joined({text(fmt::format("(CFor {} {} {} ", kind, variable, coq_size(n))), body, text(")")});
}

Command assignment(const Type& type, const std::string& depth, const std::string& acceptor, const std::string& view) {
  if (type->kind == TypeKind::Num) {
    return text(fmt::format("(CAssign {} {})", acceptor, view));
  }
  return text(fmt::format("(assign {} {} {} {})", coq_type(type), depth, acceptor, view));
}

std::string_view loop_name(LoopKind kind) {
  switch (kind) {
    case LoopKind::Seq: return "Seq";
    case LoopKind::Par: return "Par";
    case LoopKind::Vec: return "Vec";
    case LoopKind::Unr: return "Unr";
  }
  fault("no such loop");
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
        "Theorem translated : kernel {5} {6} {7} = state_{8}.\nProof. exact {9}. Qed.\n\n{10}",
        program_.name, origin, kPreamble, definitions_, states, r, name(program_.term), coq_type(program_.output.type),
        step, chain, printed(origin, step));
  }

 private:
  static constexpr std::string_view kPreamble =
      "From Coq Require Import ZArith NArith List String.\n"
      "From Vouch Require Import lib.Size array.Syntax imp.Syntax lower.Lower lower.Flatten.\n"
      "From Vouch Require Import lower.SafeProof certify.Kernel certify.Print certify.Certificate.\n"
      "Import ListNotations.\nLocal Open Scope string_scope.\n\n"
      "(** A(e)(a) fills the acceptor a, of type d, with e. *)\n"
      "Definition A (e : exp) (d : ty) (xi : list nat) (rho : list view) (k : nat) (a : acc) : comm :=\n"
      "  snd (lower e) d xi rho k a.\n\n"
      "(** C(e)(c): new temporaries from depth k on, then c with the next depth and a view of e. *)\n"
      "Definition C (e : exp) (xi : list nat) (rho : list view) (k : nat) (c : nat -> view -> comm) : comm :=\n"
      "  let (pre, x) := fst (lower e) xi rho k in wrap k pre (c (k + List.length pre) x).\n";

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
        result += fmt::format("(A {} {} {} {} {})", name(call.exp), coq_type(call.type), head, call.context.depth,
                              call.acceptor);
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
        Command result(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(i));
        result.insert(result.end(), expansion.command.begin(), expansion.command.end());
        result.insert(result.end(), command.begin() + static_cast<std::ptrdiff_t>(i) + 1, command.end());
        command = std::move(result);
        return expansion.rule;
      }
    }
    return std::nullopt;
  }

  static bool is_zip(const Exp& e) {
    return e->layout->kind == LayoutKind::Zip && e->args[0]->kind == ExpKind::Pair;
  }

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
      case ExpKind::Map:
        return e->loop == LoopKind::Par ? (accepts ? "a.8" : "c.5") : (accepts ? "a.7" : "c.6");
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
      return loop(loop_name(e->loop), k, e->sizes[0],
                  accept(e->args[0], e->types[1], inside_loop(call.context, k, {view_at(x, k)}), acc_at(call.acceptor, k)));
    });
  }

  static Command accept_reduce(const Call& call) {
    const Exp e = call.exp;
    return pass(e->args[2], call.context, [call, e](const std::string& k, const std::string& x) {
      Context inner = inside_loop(call.context, k, {view_at(x, k), "(IAcc " + call.acceptor + ")"});
      return sequence(accept(e->args[1], call.type, with_depth(call.context, k), call.acceptor),
                      loop("Seq", k, e->sizes[0], accept(e->args[0], e->types[1], inner, call.acceptor)));
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
          return c(k, fmt::format("(IPad {} {} {} {})", coq_size(e->sizes[0]), coq_size(e->sizes[1]),
                                  coq_const(e->constant), x));
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
    return plain.find("XVar") == std::string::npos ? plain
                                                   : fmt::format("(lay_rename {} {})", list(context.loops), plain);
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

  static Command reduce_step(const Exp& e, const Context& context, const std::string& v, const std::string& i,
                             const std::string& array) {
    const Type& type = e->types[1];
    Context inner = inside_loop(context, i, {view_at(array, i), fmt::format("(IVar {})", v)});
    if (may_reduce_in_place(e->args[0])) {
      return accept(e->args[0], type, inner, fmt::format("(AVar {})", v));
    }
    std::string buffer = inner.depth;
    inner.depth = next(buffer);
    return new_variable(buffer, type,
                        sequence(accept(e->args[0], type, inner, fmt::format("(AVar {})", buffer)),
                                 assignment(type, inner.depth, fmt::format("(AVar {})", v), fmt::format("(IVar {})", buffer))));
  }

  static Command passed_reduce(const Exp& e, const Context& context, const Continuation& c) {
    return pass(e->args[2], context, [e, context, c](const std::string& v, const std::string& x) {
      std::string i = next(v);
      Command start = accept(e->args[1], e->types[1], with_depth(context, i), fmt::format("(AVar {})", v));
      Command steps = loop("Seq", i, e->sizes[0], reduce_step(e, context, v, i, x));
      return new_variable(v, e->types[1], sequence(sequence(start, steps), c(i, fmt::format("(IVar {})", v))));
    });
  }

  // The second and third step of the paper, at once: index arithmetic and text.
  std::string printed(const std::string& origin, unsigned last) {
    return fmt::format(
        "Definition source_of : source := {}.\n\nLemma same_term : kernel_term source_of = {}.\nProof. reflexivity. Qed.\n\n"
        "Definition last_state : comm := state_{}.\nDefinition last_text : string :=\n{}.\n\n"
        "Theorem printed :\n  c_text (kernel_name source_of) (kernel_names source_of) (kernel_inputs source_of)\n"
        "    (flatten (kernel_types (kernel_inputs source_of) (kernel_output source_of)) last_state) = last_text.\n"
        "Proof. vm_compute. reflexivity. Qed.\n",
        coq_source(program_), name(program_.term), last, coq_string(certify(program_, origin).c));
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

std::string derivation_check(const std::string& module, const std::string& c) {
  return fmt::format(
      "From Coq Require Import String List.\nFrom Vouch Require lower.Lower certify.Print certify.Certificate.\n"
      "From Vouch Require lower.Flatten lower.SafeProof.\nRequire {0}.\nImport Vouch.certify.Certificate.\n"
      "Definition text_on_disk : String.string :=\n{1}%string.\nDefinition k : source := {0}.source_of.\n"
      "Theorem derived :\n"
      "  Vouch.lower.Lower.kernel (List.length (kernel_inputs k)) (kernel_term k) (kernel_output k) = {0}.last_state /\\\n"
      "  Vouch.certify.Print.c_text (kernel_name k) (kernel_names k) (kernel_inputs k)\n"
      "    (Vouch.lower.Flatten.flatten (Vouch.lower.SafeProof.kernel_types (kernel_inputs k) (kernel_output k))\n"
      "      {0}.last_state) = text_on_disk.\n"
      "Proof. exact (conj {0}.translated {0}.printed). Qed.\nPrint Assumptions derived.\n",
      module, coq_string(c));
}

}  // namespace vouch::array
