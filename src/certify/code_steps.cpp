#include "certify/code_steps.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <variant>

#include "certify/coq_command.h"
#include "certify/coq_text.h"
#include "certify/splice.h"
#include "lower/neutral.h"
#include "lower/path.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

// A part of an assignment that is not text yet: a view or an acceptor, at a path.
struct Access {
  bool accepts = false;
  View view;
  Acceptor acceptor;
  Path path;
};
using StatePiece = std::variant<std::string, Access>;
using Line = std::vector<StatePiece>;

struct Rewritten {
  std::string rule;
  Line line;
};

Path after(Path path, PathKind half) {
  path.insert(path.begin(), {half, {}});
  return path;
}

Access read(const View& view, Path path) { return {false, view, {}, std::move(path)}; }
Access place(const Acceptor& acceptor, Path path) { return {true, {}, acceptor, std::move(path)}; }

// What is read is a constant.
bool is_constant(const View& view, Path path) {
  switch (view->kind) {
    case ViewKind::Const: return true;
    case ViewKind::Lay: through_layout(view->layout, path); return is_constant(view->args[0], path);
    case ViewKind::Pair: {
      std::size_t half = path.at(0).kind == PathKind::Fst ? 0 : 1;
      return is_constant(view->args[half], Path(path.begin() + 1, path.end()));
    }
    case ViewKind::Var:
    case ViewKind::Accept:
    case ViewKind::Op:
    case ViewKind::Pad:
    case ViewKind::If: return false;
  }
  fault("no such view");
}

std::string op_rule(Op op) {
  switch (op) {
    case Op::Neg: return "cge.2";
    case Op::Add: return "cge.3";
    case Op::Mul: return "cge.4";
    default: return fmt::format("cge, {}", op_row(op).text);
  }
}

std::string layout_rule(const Layout& of, const Path& path) {
  bool first = path.size() > 1 && path[1].kind == PathKind::Fst;
  switch (of->kind) {
    case LayoutKind::Zip: return first ? "cge.5" : "cge.6";
    case LayoutKind::At: return "cge.7";
    case LayoutKind::Split: return "cge.8";
    case LayoutKind::Join: return "cge.9";
    case LayoutKind::Fst: return "cge.12";
    case LayoutKind::Snd: return "cge.13";
    case LayoutKind::Unzip:
    case LayoutKind::Trans:
    case LayoutKind::Rev:
    case LayoutKind::Slide:
    case LayoutKind::Slice:
    case LayoutKind::Repeat:
    case LayoutKind::Each: return "cge, layout";
  }
  fault("no such layout");
}

std::string step_rule(const Step& step) {
  switch (step.kind) {
    case StepKind::At: return "cga.6";
    case StepKind::Fst: return "cga.7";
    case StepKind::Snd: return "cga.8";
    case StepKind::Offset: return "cga, offset";
    case StepKind::Lay:
      return step.layout->kind == LayoutKind::Split ? "cga.4" : step.layout->kind == LayoutKind::Join ? "cga.5" : "cga, layout";
  }
  fault("no such step");
}

// zipAcc1 and zipAcc2 are two steps here: into the zip, then into a half.
bool is_zip_half(const Acceptor& acceptor, const Path& path) {
  std::size_t n = acceptor.steps.size();
  return n >= 2 && is_at(path, 0) && acceptor.steps[n - 2].kind == StepKind::Lay &&
         acceptor.steps[n - 2].layout->kind == LayoutKind::Zip &&
         (acceptor.steps[n - 1].kind == StepKind::Fst || acceptor.steps[n - 1].kind == StepKind::Snd);
}

class CodeWriter {
 public:
  CodeWriter(const CNames& names, const std::vector<Type>& types, const std::string& environment, std::string names_of)
      : names_(names), names_of_(std::move(names_of)) {
    for (std::size_t v = 0; v < types.size(); ++v) {
      types_[static_cast<unsigned>(v)] = types[v];
    }
    environments_.push_back(environment);
  }

  CodeSteps write(const Comm& command) {
    std::size_t last = define(command);
    std::string text = translate(command, last, 1);
    return {definitions_ + lemmas_, fmt::format("p{}", last), fmt::format("text_{}", last), text};
  }

 private:
  // Each command has a name, its parts first.
  std::size_t define(const Comm& command) {
    std::string whole = coq_command_head(command);
    std::vector<std::size_t> parts;
    for (const Comm& part : command->parts) {
      parts.push_back(define(part));
      whole += fmt::format(" p{}", parts.back());
    }
    std::size_t number = commands_.size();
    commands_.push_back(parts);
    definitions_ += fmt::format("Definition p{} : comm := {}.\n", number, whole);
    return number;
  }

  std::string code_call(std::size_t command, std::size_t indent) const {
    return fmt::format("codeC {} {} {} p{}", names_of_, environments_.back(), indent, command);
  }

  std::string line(std::size_t indent, std::string_view words) const {
    return fmt::format("line {} (say {})", indent, coq_string(words));
  }

  void lemma(const std::string& name, const std::string& rule, const std::string& left, const std::string& right) {
    lemmas_ += fmt::format("\n(** {} *)\nLemma {} :\n  {} =\n  {}.\nProof. by_rule. Qed.\n", rule, name, left, right);
  }

  // States and proves the equations for a command; its text, as a Coq term.
  std::string translate(const Comm& command, std::size_t number, std::size_t indent) {
    switch (command->kind) {
      case CommKind::Skip: return leaf(number, indent);
      case CommKind::Assign: return assignment(command, number, indent);
      case CommKind::Seq: return sequence(command, number, indent);
      case CommKind::New: return declaration(command, number, indent);
      case CommKind::For: return loop(command, number, indent);
    }
    fault("no such command");
  }

  std::string leaf(std::size_t number, std::size_t indent) {
    lemma(fmt::format("text_{}", number), "cgc.1", code_call(number, indent), line(indent, ";"));
    return line(indent, ";");
  }

  // `parts` are the calls in `right`; with their texts in their place, that is the text.
  std::string assemble(std::size_t number, const std::string& left, const std::string& text,
                       const std::vector<std::size_t>& parts) {
    std::string rewrites = fmt::format("code_{}", number);
    for (std::size_t part : parts) {
      rewrites += fmt::format(", text_{}", part);
    }
    lemmas_ +=
        fmt::format("Definition t{0} : text := {1}.\nLemma text_{0} : {2} = t{0}.\nProof. rewrite {3}. reflexivity. Qed.\n",
                    number, text, left, rewrites);
    return fmt::format("t{}", number);
  }

  std::string sequence(const Comm& command, std::size_t number, std::size_t indent) {
    std::size_t a = commands_[number][0];
    std::size_t b = commands_[number][1];
    std::string left = code_call(number, indent);
    lemma(fmt::format("code_{}", number), "cgc.2", left, fmt::format("{} +++ {}", code_call(a, indent), code_call(b, indent)));
    std::string first = translate(command->parts[0], a, indent);
    std::string second = translate(command->parts[1], b, indent);
    return assemble(number, left, first + " +++ " + second, {a, b});
  }

  std::string declaration(const Comm& command, std::size_t number, std::size_t indent) {
    std::size_t body = commands_[number][0];
    std::string left = code_call(number, indent);
    Size extent = command->type->kind == TypeKind::Num ? Size() : type_size(command->type);
    std::string before = line(indent, "{") + " +++ " + line(indent + 1, c_declaration(names_, command->var, extent));
    std::string there = c_if_there(names_, command->var, extent);
    std::string release = c_release(names_, command->var, extent);
    std::size_t within = indent + (there.empty() ? 1 : 2);
    before += there.empty() ? "" : " +++ " + line(indent + 1, there);
    std::string behind = (there.empty() ? "" : line(indent + 1, "}") + " +++ ") +
                         (release.empty() ? "" : line(indent + 1, release) + " +++ ") + line(indent, "}");
    enter(command->var, command->type);
    lemma(fmt::format("code_{}", number), "cgc.4", left,
          fmt::format("{} +++ {} +++ {}", before, code_call(body, within), behind));
    std::string inside = translate(command->parts[0], body, within);
    environments_.pop_back();
    return assemble(number, left, fmt::format("{} +++ {} +++ {}", before, inside, behind), {body});
  }

  void enter(unsigned variable, const Type& type) {
    std::string name = fmt::format("g{}", ++environment_count_);
    lemmas_ +=
        fmt::format("\nDefinition {} : ty_env := set_ty {} {} {}.\n", name, environments_.back(), variable, coq_type(type));
    environments_.push_back(name);
    types_[variable] = type;
  }

  std::string loop(const Comm& command, std::size_t number, std::size_t indent) {
    std::size_t body = commands_[number][0];
    std::string left = code_call(number, indent);
    std::string before;
    const CommNode& inner = *command->parts[0];
    bool around_unrolled = inner.kind == CommKind::For && inner.loop == LoopKind::Unr;
    for (const std::string& pragma : c_pragmas(names_, command->loop, command->size, around_unrolled)) {
      before += line(indent, pragma) + " +++ ";
    }
    before += line(indent, c_loop(names_, command->var, command->size));
    lemma(fmt::format("code_{}", number), command->loop == LoopKind::Par ? "cgc.6" : "cgc.5", left,
          fmt::format("{} +++ {} +++ {}", before, code_call(body, indent + 1), line(indent, "}")));
    std::string inside = translate(command->parts[0], body, indent + 1);
    return assemble(number, left, fmt::format("{} +++ {} +++ {}", before, inside, line(indent, "}")), {body});
  }

  // The paper's chain: one equation after the other, the leftmost access first.
  std::string assignment(const Comm& command, std::size_t number, std::size_t indent) {
    Line state = {place(command->acceptor, {}), " = ", read(command->view, {}), ";"};
    std::string left = code_call(number, indent);
    std::string now = show(state, indent);
    lemma(fmt::format("code_{}", number), "cgc.3", left, now);
    std::string chain = fmt::format("code_{}", number);
    for (unsigned i = 1; std::optional<std::string> rule = rewrite(state); ++i) {
      std::string next = show(state, indent);
      lemma(fmt::format("code_{}_{}", number, i), *rule, now, next);
      chain = fmt::format("(eq_trans {} code_{}_{})", chain, number, i);
      now = next;
    }
    lemmas_ += fmt::format("Lemma text_{0} :\n  {1} = {2}.\nProof. exact {3}. Qed.\n", number, left, now, chain);
    return now;
  }

  std::string show(const Line& state, std::size_t indent) const {
    std::string text;
    std::string words;
    auto flush = [&] {
      if (!words.empty()) {
        text += fmt::format("{}say {}", text.empty() ? "" : " +++ ", coq_string(words));
        words.clear();
      }
    };
    for (const StatePiece& piece : state) {
      if (const auto* plain = std::get_if<std::string>(&piece)) {
        words += *plain;
        continue;
      }
      flush();
      const Access& access = std::get<Access>(piece);
      text += fmt::format("{}code{} {} {} {} {}", text.empty() ? "" : " +++ ", access.accepts ? "A" : "E", names_of_,
                          environments_.back(), access.accepts ? coq_acceptor(access.acceptor) : coq_view(access.view),
                          coq_path(access.path));
    }
    flush();
    return fmt::format("line {} ({})", indent, text);
  }

  std::optional<std::string> rewrite(Line& state) const {
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (const auto* access = std::get_if<Access>(&state[i])) {
        Rewritten step = access->accepts ? expand_acceptor(*access) : expand_view(*access);
        splice(state, i, step.line);
        return step.rule;
      }
    }
    return std::nullopt;
  }

  std::string variable(unsigned v, const Path& path) const { return c_access(names_, v, path_offset(types_.at(v), path)); }

  Rewritten expand_acceptor(const Access& access) const {
    Acceptor inner = access.acceptor;
    Path path = access.path;
    if (inner.steps.empty()) {
      return {"cga.1", {variable(inner.root, path)}};
    }
    bool zip = is_zip_half(inner, path);
    std::string rule = zip ? (inner.steps.back().kind == StepKind::Fst ? "cga.2" : "cga.3") : step_rule(inner.steps.back());
    for (int i = zip ? 2 : 1; i > 0; --i) {
      through_step(inner.steps.back(), path);
      inner.steps.pop_back();
    }
    return {rule, {place(inner, path)}};
  }

  Rewritten expand_view(const Access& access) const {
    const View& view = access.view;
    const Path& path = access.path;
    switch (view->kind) {
      case ViewKind::Var: return {"cge.1", {variable(view->var, path)}};
      case ViewKind::Accept: return {"cge, acceptor", {place(view->acceptor, path)}};
      case ViewKind::Const: return {"cge, constant", {c_literal(names_.elements.computed, view->constant)}};
      case ViewKind::Op: return {op_rule(view->op), operation(view)};
      case ViewKind::Pair: {
        ensure(!path.empty() && path[0].kind != PathKind::At, "a pair is read through one of its halves");
        bool first = path[0].kind == PathKind::Fst;
        return {first ? "cge.10" : "cge.11", {read(view->args[first ? 0 : 1], Path(path.begin() + 1, path.end()))}};
      }
      case ViewKind::Lay: return through(view, path);
      case ViewKind::Pad: return {"cge, pad", padded(view, path)};
      case ViewKind::If:
        return {"cge, if",
                {"(" + c_guard(names_, view->guard) + " ? ", read(view->args[0], path), " : ", read(view->args[1], path), ")"}};
    }
    fault("no such view");
  }

  // In the paper, the rules of zip take the pair apart too.
  static Rewritten through(const View& view, Path path) {
    std::string rule = layout_rule(view->layout, path);
    through_layout(view->layout, path);
    View argument = view->args[0];
    if (view->layout->kind == LayoutKind::Zip && argument->kind == ViewKind::Pair && !path.empty() &&
        path[0].kind != PathKind::At) {
      argument = argument->args[path[0].kind == PathKind::Fst ? 0 : 1];
      path.erase(path.begin());
    }
    return {rule, {read(argument, std::move(path))}};
  }

  // Half `half` of an argument, taken from the pair where it is one.
  static Access half_of(const Access& access, PathKind half) {
    if (access.view->kind == ViewKind::Pair && access.path.empty()) {
      return read(access.view->args[half == PathKind::Fst ? 0 : 1], {});
    }
    return read(access.view, after(access.path, half));
  }

  Line operation(const View& view) const {
    Access argument = read(view->args[0], {});
    std::vector<Access> operands = {argument};
    if (op_row(view->op).arity > 1) {
      operands = {half_of(argument, PathKind::Fst), half_of(argument, PathKind::Snd)};
    }
    if (op_row(view->op).arity > 2) {
      // The path of the third is [XRgt; XRgt], of the second [XRgt; XLft]: outermost first.
      Access rest = operands[1];
      bool pair = rest.path.empty();
      operands[1] = pair ? half_of(rest, PathKind::Fst) : read(rest.view, {{PathKind::Snd, {}}, {PathKind::Fst, {}}});
      operands.push_back(pair ? half_of(rest, PathKind::Snd) : read(rest.view, {{PathKind::Snd, {}}, {PathKind::Snd, {}}}));
    }
    return filled(view->op, operands);
  }

  // The operation's text around its operands.
  Line filled(Op op, const std::vector<Access>& operands) const {
    const std::vector<std::string> marks = {"\1", "\2", "\3"};
    std::vector<std::string> arguments(marks.begin(), marks.begin() + static_cast<std::ptrdiff_t>(operands.size()));
    bool negated = op == Op::Neg && is_constant(operands[0].view, operands[0].path);
    std::string text = c_operation(names_.elements.computed, op, arguments);
    Line line;
    std::string words;
    for (char c : text) {
      if (c > '\3') {
        words += c;
        continue;
      }
      line.emplace_back(words + (negated ? "(" : ""));
      line.emplace_back(operands[static_cast<std::size_t>(c - '\1')]);
      words = negated ? ")" : "";
    }
    line.emplace_back(words);
    return line;
  }

  Line padded(const View& view, Path path) const {
    if (!is_at(path, 0)) {
      return {c_literal(names_.elements.computed, view->constant)};
    }
    std::string guard = c_guard(names_, pad_guard(view->sizes[0], view->sizes[1], path[0].index));
    path[0] = path_at(index_minus(path[0].index, index_size(view->sizes[0])));
    return {"(" + guard + " ? ", read(view->args[0], path), " : " + c_literal(names_.elements.computed, view->constant) + ")"};
  }

  const CNames& names_;
  std::string names_of_;
  std::map<unsigned, Type> types_;
  std::vector<std::string> environments_;
  unsigned environment_count_ = 0;
  std::vector<std::vector<std::size_t>> commands_;
  std::string definitions_;
  std::string lemmas_;
};

constexpr std::string_view kStepsPreamble =
    "(** C text of a command, of an acceptor at a path, of a view at a path; g gives the types of variables. *)\n"
    "Definition codeC (nm : names) (g : ty_env) (indent : nat) (c : comm) : text := c_stmt nm indent (flatten g c).\n"
    "Definition codeA (nm : names) (g : ty_env) (a : acc) (p : spath) : text :=\n"
    "  c_access nm (root a) (offset (g (root a)) (acc_spath a p)).\n"
    "Definition codeE (nm : names) (g : ty_env) (x : view) (p : spath) : text :=\n"
    "  c_expr nm (c_temporary nm) (flat_view g x p).\n\n"
    "Ltac by_rule := match goal with |- _ = ?r => vm_cast_no_check (eq_refl r) end.\n";

}  // namespace

std::string_view code_steps_preamble() { return kStepsPreamble; }

CodeSteps code_steps(const Comm& command, const CNames& names, const std::vector<Type>& types, const std::string& environment,
                     const std::string& names_of) {
  return CodeWriter(names, types, environment, names_of).write(command);
}

}  // namespace vouch::array
