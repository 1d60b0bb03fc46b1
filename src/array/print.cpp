#include "array/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "array/constant.h"
#include "array/typing.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

// How tightly a text binds: a term that is looser than its place asks for stands in parentheses.
enum class Level : std::uint8_t { Loose, Comparison, Sum, Product, Unary, Atom };

struct Printed {
  std::string text;
  Level level = Level::Atom;
  Type type;  // that the parser gives it
};

std::string at_level(const Printed& term, Level level) { return term.level < level ? "(" + term.text + ")" : term.text; }

std::string literal(const Const& c) {
  if (c.infinite) {
    return c.negative ? "-inf" : "inf";
  }
  Const positive = c;
  positive.mantissa = abs(c.mantissa);
  return (c.mantissa < 0 ? "-" : "") + print_const(positive);
}

bool uses(const Exp& e, unsigned variable) {
  if (e->kind == ExpKind::Var) {
    return e->var == variable;
  }
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (uses(e->args[i], variable + binders_of(*e, i).data)) {
      return true;
    }
  }
  return false;
}

// A loop over positions only: its array is zeros, and its element is not used.
bool counts_only(const Exp& body, const Exp& array, const Size& n) {
  return array->kind == ExpKind::Const && array->constant == Const() && array->types[0] == type_array(n, type_num()) &&
         !uses(body, 0);
}

std::string loop_word(LoopKind kind) {
  switch (kind) {
    case LoopKind::Seq: return "";
    case LoopKind::Par: return "par ";
    case LoopKind::Vec: return "vec ";
    case LoopKind::Unr: return "unroll ";
  }
  fault("no such loop");
}

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program& program) : program_(program), context_{program.facts, {}} {
    for (std::size_t i = program.inputs.size(); i-- > 0;) {
      bind(program.inputs[i].name, program.inputs[i].type);
    }
    for (const Parameter& input : program.inputs) {
      taken_.insert(input.name);
    }
    taken_.insert(program.sizes.begin(), program.sizes.end());
  }

  Printed print(const Exp& e) {
    switch (e->kind) {
      case ExpKind::Var: {
        const Parameter& variable = data_.at(data_.size() - 1 - e->var);
        return {variable.name, Level::Atom, variable.type};
      }
      case ExpKind::Const: return constant(e);
      case ExpKind::Op: {
        Printed applied = operation(e);
        applied.type = type_num();
        return applied;
      }
      case ExpKind::Pair: {
        Printed a = print(e->args[0]);
        Printed b = print(e->args[1]);
        return {fmt::format("({}, {})", a.text, b.text), Level::Atom, type_pair(a.type, b.type)};
      }
      case ExpKind::Lay: return through(e);
      case ExpKind::Pad: return padded(e);
      case ExpKind::If: {
        Printed then = print(e->args[0]);
        return {fmt::format("if {} then {} else {}", guard(e->guard), then.text, print(e->args[1]).text), Level::Loose,
                then.type};
      }
      case ExpKind::Map: return map(e);
      case ExpKind::Reduce: return reduce(e);
      case ExpKind::Let: return let(e);
      case ExpKind::Mem: return {fmt::format("mem({})", typed(e->args[0], e->types[0]).text), Level::Atom, e->types[0]};
      case ExpKind::Cat: return concatenation(e);
    }
    fault("no such term");
  }

 private:
  void bind(const std::string& name, const Type& type) { data_.push_back({name, type}); }

  std::string fresh(std::string name) {
    while (taken_.contains(name)) {
      name += "_";
    }
    return name;
  }

  std::string type_text(const Type& type) const { return print_type(type, program_.sizes); }
  std::string size_text(const Size& size) const { return print_size(size, program_.sizes); }

  // With a type written exactly so.
  Printed typed(const Exp& e, const Type& type) {
    Printed printed = print(e);
    if (printed.type == type) {
      return printed;
    }
    return {fmt::format("({} : {})", printed.text, type_text(type)), Level::Atom, type};
  }

  Printed constant(const Exp& e) const {
    std::string text = literal(e->constant);
    if (e->types[0]->kind != TypeKind::Num) {
      return {fmt::format("fill({}, {})", type_text(e->types[0]), text), Level::Atom, e->types[0]};
    }
    return {text, text[0] == '-' ? Level::Unary : Level::Atom, e->types[0]};
  }

  Printed infix(const Exp& arguments, std::string_view op, Level level) {
    // Sums and products associate to the left, comparisons not at all.
    Level left = level == Level::Comparison ? Level::Sum : level;
    Level right = level == Level::Comparison ? Level::Sum : level == Level::Sum ? Level::Product : Level::Unary;
    return {fmt::format("{} {} {}", at_level(print(arguments->args[0]), left), op, at_level(print(arguments->args[1]), right)),
            level,
            {}};
  }

  Printed operation(const Exp& e) {
    const Exp& argument = e->args[0];
    const OpRow& row = op_row(e->op);
    bool pair = argument->kind == ExpKind::Pair;
    bool spread = row.arity == 1 || (pair && (row.arity == 2 || argument->args[1]->kind == ExpKind::Pair));
    if (!spread) {
      return {fmt::format("apply({}, {})", row.text, print(argument).text), Level::Atom, {}};
    }
    switch (e->op) {
      case Op::Add: return infix(argument, "+", Level::Sum);
      case Op::Sub: return infix(argument, "-", Level::Sum);
      case Op::Mul: return infix(argument, "*", Level::Product);
      case Op::Div: return infix(argument, "/", Level::Product);
      case Op::Less: return infix(argument, "<", Level::Comparison);
      case Op::LessEq: return infix(argument, "<=", Level::Comparison);
      case Op::Equal: return infix(argument, "==", Level::Comparison);
      case Op::Neg:
      case Op::Abs:
      case Op::Sqrt:
      case Op::Exp:
      case Op::Log:
      case Op::Tanh:
      case Op::Erf:
      case Op::Sin:
      case Op::Cos:
      case Op::Floor:
      case Op::Ceil:
      case Op::Round:
      case Op::Tan:
      case Op::Asin:
      case Op::Acos:
      case Op::Atan:
      case Op::Sinh:
      case Op::Cosh:
      case Op::Asinh:
      case Op::Acosh:
      case Op::Atanh:
      case Op::ExpLanes:
      case Op::TanhLanes:
      case Op::ErfLanes:
      case Op::Max:
      case Op::Min:
      case Op::Pow:
      case Op::Fma:
      case Op::Sel: break;
    }
    std::string text = print(row.arity == 1 ? argument : argument->args[0]).text;
    if (row.arity == 2) {
      text += ", " + print(argument->args[1]).text;
    } else if (row.arity == 3) {
      const Exp& rest = argument->args[1];
      text += ", " + print(rest->args[0]).text + ", " + print(rest->args[1]).text;
    }
    return {fmt::format("{}({})", row.text, text), Level::Atom, {}};
  }

  Printed through(const Exp& e) {
    const Exp& argument = e->args[0];
    Printed source = print(argument);
    std::optional<Type> type = layout_result(context_, e->layout, source.type);
    ensure(type.has_value(), "a printed program is well typed");
    if (e->layout->kind == LayoutKind::Zip && argument->kind == ExpKind::Pair) {
      return {"zip" + source.text, Level::Atom, *type};
    }
    std::string text = at_level(source, Level::Atom);
    if (e->layout->kind == LayoutKind::At) {
      return {fmt::format("{}[{}]", text, index(e->layout->index, Level::Sum)), Level::Atom, *type};
    }
    return {text + "." + layout_text(e->layout), Level::Atom, *type};
  }

  std::string layout_text(const Layout& of) {
    auto sized = [&](std::string_view name) {
      std::string text;
      for (const Size& size : of->sizes) {
        text += (text.empty() ? "" : ", ") + size_text(size);
      }
      return fmt::format("{}({})", name, text);
    };
    switch (of->kind) {
      case LayoutKind::Fst: return "fst";
      case LayoutKind::Snd: return "snd";
      case LayoutKind::At: return fmt::format("at({})", index(of->index, Level::Sum));
      case LayoutKind::Zip: return "zip";
      case LayoutKind::Unzip: return "unzip";
      case LayoutKind::Split: return sized("split");
      case LayoutKind::Join: return sized("join");
      case LayoutKind::Trans: return "transpose";
      case LayoutKind::Rev: return sized("reverse");
      case LayoutKind::Slide: return sized("slide");
      case LayoutKind::Slice: return sized("slice");
      case LayoutKind::Repeat: return sized("repeat");
      case LayoutKind::Each: return fmt::format("each({})", layout_text(of->inner));
    }
    fault("no such layout");
  }

  Printed padded(const Exp& e) {
    Printed source = print(e->args[0]);
    Type element = source.type->parts[0];
    Printed array = typed(e->args[0], type_array(e->sizes[1], element));
    Type type = type_array(size_add(size_add(e->sizes[0], e->sizes[1]), e->sizes[2]), element);
    return {fmt::format("{}.pad({}, {}, {})", at_level(array, Level::Atom), size_text(e->sizes[0]), size_text(e->sizes[2]),
                        literal(e->constant)),
            Level::Atom, type};
  }

  std::string size_index(const Size& size) const {
    bool simple = size->kind == SizeKind::Var || size->kind == SizeKind::Const;
    return simple ? size_text(size) : fmt::format("size({})", size_text(size));
  }

  std::string index(const Index& i, Level level) const {
    auto infix_index = [&](std::string_view op, Level own) {
      std::string text = fmt::format("{} {} {}", index(i->args[0], own), op,
                                     index(i->args[1], own == Level::Sum ? Level::Product : Level::Atom));
      return own < level ? "(" + text + ")" : text;
    };
    switch (i->kind) {
      case IndexKind::Var: return positions_.at(positions_.size() - 1 - i->var);
      case IndexKind::Extent: return size_index(i->size);
      case IndexKind::Add: return infix_index("+", Level::Sum);
      case IndexKind::Sub: return infix_index("-", Level::Sum);
      case IndexKind::Mul: return infix_index("*", Level::Product);
      case IndexKind::Div: return infix_index("/", Level::Product);
      case IndexKind::Mod: return infix_index("%", Level::Product);
    }
    fault("no such index term");
  }

  std::string compare(const Guard& g, std::string_view relation) const {
    return fmt::format("{} {} {}", index(g->terms[0], Level::Sum), relation, index(g->terms[1], Level::Sum));
  }

  std::string guard(const Guard& g) const {
    switch (g->kind) {
      case GuardKind::Less: return compare(g, "<");
      case GuardKind::Equal: return compare(g, "==");
      case GuardKind::And: return fmt::format("{{{}}} and {{{}}}", guard(g->parts[0]), guard(g->parts[1]));
      case GuardKind::Or: return fmt::format("{{{}}} or {{{}}}", guard(g->parts[0]), guard(g->parts[1]));
      case GuardKind::Not: return fmt::format("not {{{}}}", guard(g->parts[0]));
    }
    fault("no such guard");
  }

  // `name@position`, and what is bound by them while `body` is printed.
  Printed under(const Size& n, const std::vector<Parameter>& data, const std::string& position, const Exp& body,
                const Type* type) {
    for (const Parameter& variable : data) {
      bind(variable.name, variable.type);
    }
    positions_.push_back(position);
    context_.bounds.insert(context_.bounds.begin(), n);
    Printed result = type != nullptr ? typed(body, *type) : print(body);
    context_.bounds.erase(context_.bounds.begin());
    positions_.pop_back();
    data_.resize(data_.size() - data.size());
    return result;
  }

  std::string data_name() { return fresh(fmt::format("x{}", data_.size())); }
  std::string position_name() { return fresh(fmt::format("p{}", positions_.size())); }

  Printed map(const Exp& e) {
    const Exp& body = e->args[0];
    const Exp& array = e->args[1];
    const Size& n = e->sizes[0];
    std::string element = data_name();
    std::string position = position_name();
    std::string head = counts_only(body, array, n) ? fmt::format("generate {}{} < {}", loop_word(e->loop), position, size_text(n))
                                                   : fmt::format("map {}{}@{} in {}", loop_word(e->loop), element, position,
                                                                 typed(array, type_array(n, e->types[0])).text);
    Printed inner = under(n, {{element, e->types[0]}}, position, body, &e->types[1]);
    return {fmt::format("{} {{ {} }}", head, inner.text), Level::Atom, type_array(n, e->types[1])};
  }

  Printed reduce(const Exp& e) {
    const Exp& body = e->args[0];
    const Exp& array = e->args[2];
    const Size& n = e->sizes[0];
    std::string accumulator = data_name();
    std::string element = fresh(fmt::format("x{}", data_.size() + 1));
    std::string position = position_name();
    std::string how = loop_word(e->loop) + (e->place == Place::Into ? "into " : "");
    std::string head = counts_only(body, array, n) ? fmt::format("fold {}{} < {}", how, position, size_text(n))
                                                   : fmt::format("reduce {}{}@{} in {}", how, element, position,
                                                                 typed(array, type_array(n, e->types[0])).text);
    std::string start = typed(e->args[1], e->types[1]).text;
    Printed inner = under(n, {{accumulator, e->types[1]}, {element, e->types[0]}}, position, body, nullptr);
    return {fmt::format("{} with {} = {} {{ {} }}", head, accumulator, start, inner.text), Level::Atom, e->types[1]};
  }

  Printed let(const Exp& e) {
    Printed value = print(e->args[0]);
    std::string name = data_name();
    bind(name, value.type);
    Printed body = print(e->args[1]);
    data_.pop_back();
    return {fmt::format("let {} = {} in {}", name, value.text, body.text), Level::Loose, body.type};
  }

  Printed concatenation(const Exp& e) {
    Type second = print(e->args[1]).type;
    Printed a = typed(e->args[0], type_array(e->sizes[0], e->types[0]));
    Printed b = typed(e->args[1], type_array(e->sizes[1], second->parts[0]));
    return {fmt::format("cat({}, {})", a.text, b.text), Level::Atom, type_array(size_add(e->sizes[0], e->sizes[1]), e->types[0])};
  }

  const Program& program_;
  IndexContext context_;
  std::vector<Parameter> data_;  // in scope, innermost last
  std::vector<std::string> positions_;
  std::set<std::string> taken_;
};

std::string print_parameter(const Program& program, const Parameter& parameter) {
  return parameter.name + ": " + print_type(parameter.type, program.sizes);
}

}  // namespace

std::string print_program(const Program& program) {
  std::string sizes;
  for (const std::string& size : program.sizes) {
    sizes += (sizes.empty() ? "sizes " : ", ") + size;
  }
  std::string inputs;
  for (const Parameter& input : program.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + print_parameter(program, input);
  }
  std::string facts;
  for (const SizeFact& fact : program.facts) {
    facts += fmt::format("{}{} <= {}", facts.empty() ? "\n  where " : ", ", print_size(fact.first, program.sizes),
                         print_size(fact.second, program.sizes));
  }
  return fmt::format("kernel {}({}{}{}) -> {}{} =\n  {}\n", program.name, sizes, sizes.empty() || inputs.empty() ? "" : "; ",
                     inputs, print_parameter(program, program.output), facts, ProgramPrinter(program).print(program.term).text);
}

}  // namespace vouch::array
