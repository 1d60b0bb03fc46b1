#include "certify/reading_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "certify/coq_text.h"
#include "imp/elements.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

constexpr std::size_t kMostWritten = 200'000;
// Of what has names: Coq unfolds them, and a name that is used twice in each definition doubles what it compares.
constexpr std::size_t kMostUnfolded = 10'000;

// C's name where elements are floats; otherwise one that says of which type. Infix where it ends with a point.
std::string operator_text(Element element, Op op) {
  if (auto cast = cast_of(op)) {
    return fmt::format("convert {} {}", coq_element(cast->from), coq_element(cast->to));
  }
  switch (op) {
    case Op::Add: return "+.";
    case Op::Sub: return "-.";
    case Op::Mul: return "*.";
    case Op::Div: return "/.";
    case Op::Less: return "less";
    case Op::LessEq: return "less_equal";
    case Op::Equal: return "equal";
    case Op::Sel: return "choose";
    case Op::ExpLanes:
    case Op::TanhLanes:
    case Op::ErfLanes: return std::string(op_row(op).text);
    default: break;
  }
  bool real = is_float(element);
  std::string_view name = op == Op::Abs && real   ? "fabs"
                          : op == Op::Max && real ? "greater"
                          : op == Op::Min && real ? "lesser"
                                                  : op_row(op).text;
  switch (element) {
    case Element::F32: return fmt::format("{}{}", name, op == Op::Max || op == Op::Min ? "" : "f");
    case Element::F64: return fmt::format("{}_double", name);
    case Element::I32: return fmt::format("{}_int32", name);
    case Element::I64:
    case Element::U64: return fmt::format("{}_{}", name, word_of(element));
    default: fault("nothing is computed in what is only stored");
  }
}

}  // namespace

ValueReader::ValueReader(const Program& program, const std::vector<std::string>& inputs, ReadingWords& words, StoredValues stored)
    : program_(program), words_(words), stored_(stored) {
  for (auto number = static_cast<unsigned>(inputs.size()); number-- > 0;) {  // input 0 is data variable 0
    inputs_.bind([this, number, name = inputs[number]](const CellPath& path) { return input(number, name, path); });
  }
}

Written ValueReader::read(const CellPath& path, std::size_t indices) {
  depth_ = indices;
  Text value = read(program_.term, inputs_, path);
  return {value.text, value.data};
}

ValueReader::Text ValueReader::failed() {
  readable_ = false;
  return {"?", Level::Word, "?"};
}

std::string ValueReader::at_most(const Text& text, Level level) {
  return text.level <= level ? text.text : "(" + text.text + ")";
}

ValueReader::Text ValueReader::named(const std::string& name, const CellPath& path) {
  std::string text = name;
  for (const CellStep& step : path) {
    if (step.kind != CellStep::Kind::Element) {
      return failed();
    }
    text += " " + words_.index(step.index, true).text;
  }
  return {text, path.empty() ? Level::Word : Level::Application, ""};
}

ValueReader::Text ValueReader::input(unsigned number, const std::string& name, const CellPath& path) {
  Text text = named(name, path);
  std::string address;
  Type type = program_.inputs[number].type;
  for (const CellStep& step : path) {
    if (step.kind != CellStep::Kind::Element || type->kind != TypeKind::Array) {
      return failed();
    }
    std::string index = words_.index(step.index, true).data;
    address = address.empty() ? index : fmt::format("(XAdd (XMul {} (XSize {})) {})", address, coq_size(type->size), index);
    type = type->parts[0];
  }
  text.data = fmt::format("(RInput {} {})", number, address.empty() ? "(XSize (SConst 0))" : address);
  return text;
}

ValueReader::Text ValueReader::stored_value(std::size_t level, const std::string& name, std::size_t unfolded,
                                            const CellPath& path) {
  unfolded_ += unfolded;
  if (unfolded_ > kMostUnfolded) {
    return failed();
  }
  Text text = named(name, path);
  std::string indices;
  for (const CellStep& step : path) {
    indices += (indices.empty() ? "" : "; ") + (readable_ ? words_.index(step.index, true).data : "?");
  }
  text.data = fmt::format("(RValue {} [{}])", level, indices);
  return text;
}

ValueReader::Text ValueReader::constant(const Const& c, const CellPath& path) {
  if (c.ordinal) {
    if (!begins_with_element(path)) {
      return failed();
    }
    Written index = words_.index(path[0].index, true);
    return {"ordinal " + index.text, Level::Application, fmt::format("(RIndex {})", index.data)};
  }
  std::string data = fmt::format("(RConst {})", coq_const(c));
  if (c.infinite) {
    return {c.negative ? "minus_infinity" : "infinity", Level::Word, data};
  }
  auto integer = [](const Integer& value) { return value < 0 ? "(" + value.str() + ")" : value.str(); };
  return {
      c.exponent == 0 ? "whole " + integer(c.mantissa) : fmt::format("dyadic {} {}", integer(c.mantissa), integer(c.exponent)),
      Level::Application, data};
}

ValueReader::Text ValueReader::read(const Exp& e, const Scope& scope, const CellPath& path) {
  if (!readable_ || ++written_ > kMostWritten) {
    return failed();
  }
  ++unfolded_;
  switch (e->kind) {
    case ExpKind::Var: return (*scope.data.at(scope.data.size() - 1 - e->var))(path);
    case ExpKind::Const: return constant(e->constant, path);
    case ExpKind::Op: return read_op(e, scope);
    case ExpKind::Pair:
      if (path.empty() || path[0].kind == CellStep::Kind::Element) {
        return failed();
      }
      return read(e->args[path[0].kind == CellStep::Kind::First ? 0 : 1], scope, rest_of(path));
    case ExpKind::Lay: return read(e->args[0], scope, through(e->layout, scope, path));
    case ExpKind::Pad: return read_pad(e, scope, path);
    case ExpKind::If: return read_if(e, scope, path);
    case ExpKind::Map: return read_map(e, scope, path);
    case ExpKind::Reduce: return read_reduce(e, scope, path);
    case ExpKind::Let: return read_let(e, scope, path);
    case ExpKind::Mem: return read(e->args[0], scope, path);
    case ExpKind::Cat: return read_cat(e, scope, path);
  }
  fault("no such term");
}

ValueReader::Text ValueReader::read_op(const Exp& e, const Scope& scope) {
  std::string name = operator_text(program_.computed, e->op);
  std::vector<Text> args;
  std::string data = fmt::format("(ROp{} {}", op_row(e->op).arity, op_row(e->op).coq);
  for (const CellPath& path : argument_paths(op_row(e->op).arity)) {
    args.push_back(read(e->args[0], scope, path));
    data += " " + args.back().data;
  }
  data += ")";
  if (name.back() == '.') {
    bool product = e->op == Op::Mul || e->op == Op::Div;
    return {fmt::format("{} {} {}", at_most(args[0], product ? Level::Product : Level::Sum), name,
                        at_most(args[1], product ? Level::Application : Level::Product)),
            product ? Level::Product : Level::Sum, data};
  }
  std::string text = name;
  for (const Text& arg : args) {
    text += " " + at_most(arg, Level::Word);
  }
  return {text, Level::Application, data};
}

ValueReader::Text ValueReader::choice(const Written& condition, const Text& then, const Text& otherwise) const {
  return {fmt::format("if {} then {} else {}", condition.text, at_most(then, Level::Sum), at_most(otherwise, Level::Sum)),
          Level::Whole, fmt::format("(RIf {} {} {})", condition.data, then.data, otherwise.data)};
}

ValueReader::Text ValueReader::read_pad(const Exp& e, const Scope& scope, const CellPath& path) {
  if (!begins_with_element(path)) {
    return failed();
  }
  Term low = words_.size_index(e->sizes[0]);
  Written first = ReadingWords::size_written(words_.size(e->sizes[0]), e->sizes[0]);
  Written index = words_.index(path[0].index, false);
  Written end = words_.index(low + words_.size_index(e->sizes[1]), false);
  Text inside = read(e->args[0], scope, behind(element_step(path[0].index - low), rest_of(path)));
  std::string condition = fmt::format("({} <=? {}) && ({} <? {})", first.text, index.text, index.text, end.text);
  Text value = choice({condition, ""}, inside, constant(e->constant, path));
  value.data =
      fmt::format("(RPad {} {} {} {} {} {})", first.data, index.data, index.data, end.data, inside.data, coq_const(e->constant));
  return value;
}

ValueReader::Text ValueReader::read_if(const Exp& e, const Scope& scope, const CellPath& path) {
  Text then = read(e->args[0], scope, path);
  return choice(guard(e->guard, scope), then, read(e->args[1], scope, path));
}

ValueReader::Text ValueReader::read_map(const Exp& e, const Scope& scope, const CellPath& path) {
  if (!begins_with_element(path)) {
    return failed();
  }
  Scope inner = scope;
  inner.positions.push_back(path[0].index);
  inner.bind([this, array = e->args[1], scope, step = path[0]](const CellPath& below) {
    return read(array, scope, behind(step, below));
  });
  return read(e->args[0], inner, rest_of(path));
}

// The step may look at its accumulator only where it writes it: at `path`.
ValueReader::Text ValueReader::read_reduce(const Exp& e, const Scope& scope, const CellPath& path) {
  Text start = read(e->args[1], scope, path);
  std::size_t level = depth_++;
  std::string position = words_.enter_index(level);
  std::string accumulator = words_.enter_scalar();
  CellStep step = element_step(int_var(position));
  Scope inner = scope;
  inner.positions.push_back(step.index);
  inner.bind([this, accumulator, level, path](const CellPath& below) {
    return below == path ? Text{accumulator, Level::Word, fmt::format("(RScalar {})", level)} : failed();
  });
  inner.bind([this, array = e->args[2], scope, step](const CellPath& below) { return read(array, scope, behind(step, below)); });
  Text body = read(e->args[0], inner, path);
  words_.leave();
  words_.leave();
  --depth_;
  return {fmt::format("fold {} < {} from {} as {} gives {}", position, words_.size(e->sizes[0]), at_most(start, Level::Sum),
                      accumulator, body.text),
          Level::Whole, fmt::format("(RFold (XSize {}) {} {})", coq_size(e->sizes[0]), start.data, body.data)};
}

Written ValueReader::definition(const std::string& name, const Exp& stored, const Scope& scope) {
  CellPath path;
  std::string parameters;
  for (Type type = stored->types[0]; type->kind == TypeKind::Array; type = type->parts[0]) {
    std::string index = words_.enter_index(depth_++);
    path.push_back(element_step(int_var(index)));
    parameters += " " + index;
  }
  Text value = read(stored, scope, path);
  for (std::size_t i = 0; i < path.size(); ++i) {
    words_.leave();
  }
  depth_ -= path.size();
  return {fmt::format("let {} := {}{} in\n", name, path.empty() ? "" : "fun" + parameters + " => ", value.text),
          fmt::format("{} {}", path.size(), value.data)};
}

// What is stored gets a name; what is a view is read through.
ValueReader::Text ValueReader::read_let(const Exp& e, const Scope& scope, const CellPath& path) {
  const Exp& value = e->args[0];
  Scope inner = scope;
  Type type = value->kind == ExpKind::Mem ? value->types[0] : Type();
  while (type && type->kind == TypeKind::Array) {
    type = type->parts[0];
  }
  if (!type || type->kind != TypeKind::Num || stored_ == StoredValues::ReadThrough) {
    inner.bind([this, value, scope](const CellPath& below) { return read(value, scope, below); });
    return read(e->args[1], inner, path);
  }
  std::string name = words_.enter_value();
  std::size_t around = std::exchange(unfolded_, 0);
  Written stored = definition(name, value, scope);
  std::size_t unfolded = std::exchange(unfolded_, around);
  std::size_t level = depth_++;
  inner.bind([this, name, level, unfolded](const CellPath& below) { return stored_value(level, name, unfolded, below); });
  Text body = read(e->args[1], inner, path);
  words_.leave();
  --depth_;
  return {stored.text + body.text, Level::Whole, fmt::format("(RLet {} {})", stored.data, body.data)};
}

ValueReader::Text ValueReader::read_cat(const Exp& e, const Scope& scope, const CellPath& path) {
  if (!begins_with_element(path)) {
    return failed();
  }
  Term first = words_.size_index(e->sizes[0]);
  Written index = words_.index(path[0].index, false);
  Written count = ReadingWords::size_written(words_.size(e->sizes[0]), e->sizes[0]);
  Text then = read(e->args[0], scope, path);
  return choice({fmt::format("{} <? {}", index.text, count.text), fmt::format("(GLess {} {})", index.data, count.data)}, then,
                read(e->args[1], scope, behind(element_step(path[0].index - first), rest_of(path))));
}

// Well-typed terms are read at paths that reach into the layout, except where a whole array is named.
CellPath ValueReader::through(const Layout& of, const Scope& scope, CellPath path) {
  auto inner = layout_path(
      of, path,
      {[&](const Size& size) { return words_.size_index(size); }, [&](const Index& position) { return index(position, scope); }});
  if (!inner) {
    failed();
    return path;
  }
  return *inner;
}

Term ValueReader::index(const Index& of, const Scope& scope) const {
  auto arg = [&](std::size_t i) { return index(of->args[i], scope); };
  switch (of->kind) {
    case IndexKind::Var: return scope.positions.at(scope.positions.size() - 1 - of->var);
    case IndexKind::Extent: return words_.size_index(of->size);
    case IndexKind::Add: return arg(0) + arg(1);
    case IndexKind::Sub: return arg(0) - arg(1);
    case IndexKind::Mul: return arg(0) * arg(1);
    case IndexKind::Div:
    case IndexKind::Mod: return words_.divided(arg(0), arg(1), of->kind == IndexKind::Div);
  }
  fault("no such index term");
}

std::pair<Written, Written> ValueReader::sides(const Guard& comparison, const Scope& scope) const {
  Term a = index(comparison->terms[0], scope);
  Term b = index(comparison->terms[1], scope);
  if (stored_ == StoredValues::ReadThrough) {
    std::vector<Monomial> more;
    std::vector<Monomial> less;
    for (Monomial monomial : monomials(b - a)) {
      bool negative = monomial.coefficient < 0;
      monomial.coefficient = abs(monomial.coefficient);
      (negative ? less : more).push_back(monomial);
    }
    a = from_monomials(less);
    b = from_monomials(more);
  }
  return {words_.index(a, false), words_.index(b, false)};
}

Written ValueReader::guard(const Guard& of, const Scope& scope) const {
  auto compared = [&](std::string_view infix, std::string_view constructor) {
    auto [a, b] = sides(of, scope);
    return Written{fmt::format("{} {} {}", a.text, infix, b.text), fmt::format("({} {} {})", constructor, a.data, b.data)};
  };
  auto both = [&](std::string_view infix, std::string_view constructor) {
    Written a = guard(of->parts[0], scope);
    Written b = guard(of->parts[1], scope);
    return Written{fmt::format("({}) {} ({})", a.text, infix, b.text), fmt::format("({} {} {})", constructor, a.data, b.data)};
  };
  switch (of->kind) {
    case GuardKind::Less: return compared("<?", "GLess");
    case GuardKind::Equal: return compared("=?", "GEqual");
    case GuardKind::And: return both("&&", "GAnd");
    case GuardKind::Or: return both("||", "GOr");
    case GuardKind::Not: {
      Written part = guard(of->parts[0], scope);
      return {fmt::format("negb ({})", part.text), fmt::format("(GNot {})", part.data)};
    }
  }
  fault("no such guard");
}

}  // namespace vouch::array
