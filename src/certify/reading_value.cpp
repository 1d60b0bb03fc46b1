#include "certify/reading_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

constexpr std::size_t kMostWritten = 200'000;

CellStep at(Term index) { return {CellStep::Kind::Element, index}; }

CellPath behind(CellStep step, CellPath path) {
  path.insert(path.begin(), step);
  return path;
}

CellPath rest(const CellPath& path) { return {path.begin() + 1, path.end()}; }

CellPath indices(const std::vector<Term>& first, const CellPath& path, std::size_t dropped) {
  CellPath result;
  for (Term index : first) {
    result.push_back(at(index));
  }
  result.insert(result.end(), path.begin() + static_cast<std::ptrdiff_t>(dropped), path.end());
  return result;
}

// C's name, or the operator in `infix`.
std::string_view operator_text(Op op) {
  switch (op) {
    case Op::Neg: return "negf";
    case Op::Abs: return "fabsf";
    case Op::Sqrt: return "sqrtf";
    case Op::Exp: return "expf";
    case Op::Log: return "logf";
    case Op::Tanh: return "tanhf";
    case Op::Erf: return "erff";
    case Op::Sin: return "sinf";
    case Op::Cos: return "cosf";
    case Op::Floor: return "floorf";
    case Op::Ceil: return "ceilf";
    case Op::Add: return "+.";
    case Op::Sub: return "-.";
    case Op::Mul: return "*.";
    case Op::Div: return "/.";
    case Op::Max: return "fmaxf";
    case Op::Min: return "fminf";
    case Op::Pow: return "powf";
    case Op::Less: return "less";
    case Op::LessEq: return "less_equal";
    case Op::Equal: return "equal";
    case Op::Fma: return "fmaf";
    case Op::Sel: return "choose";
  }
  fault("no such operation");
}

}  // namespace

ValueReader::ValueReader(const Program& program, const std::vector<std::string>& inputs, ReadingWords& words)
    : program_(program), words_(words) {
  for (auto name = inputs.rbegin(); name != inputs.rend(); ++name) {  // input 0 is data variable 0
    inputs_.data.push_back([this, name = *name](const CellPath& path) { return named(name, path); });
  }
}

std::string ValueReader::read(const CellPath& path) { return read(program_.term, inputs_, path).text; }

ValueReader::Text ValueReader::failed() {
  readable_ = false;
  return {"?", Level::Word};
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
    text += " " + words_.index(step.index, true);
  }
  return {text, path.empty() ? Level::Word : Level::Application};
}

std::string ValueReader::constant(const Const& c) {
  if (c.infinite) {
    return c.negative ? "minus_infinity" : "infinity";
  }
  auto integer = [](const Integer& value) { return value < 0 ? "(" + value.str() + ")" : value.str(); };
  return c.exponent == 0 ? "whole " + integer(c.mantissa)
                         : fmt::format("dyadic {} {}", integer(c.mantissa), integer(c.exponent));
}

ValueReader::Text ValueReader::read(const Exp& e, const Scope& scope, const CellPath& path) {
  if (!readable_ || ++written_ > kMostWritten) {
    return failed();
  }
  switch (e->kind) {
    case ExpKind::Var: return scope.data.at(scope.data.size() - 1 - e->var)(path);
    case ExpKind::Const: return {constant(e->constant), e->constant.infinite ? Level::Word : Level::Application};
    case ExpKind::Op: return read_op(e, scope);
    case ExpKind::Pair:
      if (path.empty() || path[0].kind == CellStep::Kind::Element) {
        return failed();
      }
      return read(e->args[path[0].kind == CellStep::Kind::First ? 0 : 1], scope, rest(path));
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
  const CellStep first{CellStep::Kind::First};
  const CellStep second{CellStep::Kind::Second};
  std::string_view name = operator_text(e->op);
  if (op_row(e->op).arity == 1) {
    return {fmt::format("{} {}", name, at_most(read(e->args[0], scope, {}), Level::Word)), Level::Application};
  }
  Text a = read(e->args[0], scope, {first});
  if (op_row(e->op).arity == 3) {
    Text b = read(e->args[0], scope, {second, first});
    Text c = read(e->args[0], scope, {second, second});
    return {fmt::format("{} {} {} {}", name, at_most(a, Level::Word), at_most(b, Level::Word), at_most(c, Level::Word)),
            Level::Application};
  }
  Text b = read(e->args[0], scope, {second});
  if (name.back() != '.') {
    return {fmt::format("{} {} {}", name, at_most(a, Level::Word), at_most(b, Level::Word)), Level::Application};
  }
  bool product = e->op == Op::Mul || e->op == Op::Div;
  return {fmt::format("{} {} {}", at_most(a, product ? Level::Product : Level::Sum), name,
                      at_most(b, product ? Level::Application : Level::Product)),
          product ? Level::Product : Level::Sum};
}

ValueReader::Text ValueReader::choice(const std::string& condition, const Text& then, const Text& otherwise) const {
  return {fmt::format("if {} then {} else {}", condition, at_most(then, Level::Sum), at_most(otherwise, Level::Sum)),
          Level::Whole};
}

ValueReader::Text ValueReader::read_pad(const Exp& e, const Scope& scope, const CellPath& path) {
  if (path.empty() || path[0].kind != CellStep::Kind::Element) {
    return failed();
  }
  Term low = words_.size_index(e->sizes[0]);
  std::string index = words_.index(path[0].index, false);
  std::string condition = fmt::format("({} <=? {}) && ({} <? {})", words_.size(e->sizes[0]), index, index,
                                      words_.index(low + words_.size_index(e->sizes[1]), false));
  Text inside = read(e->args[0], scope, behind(at(path[0].index - low), rest(path)));
  return choice(condition, inside, {constant(e->constant), Level::Application});
}

ValueReader::Text ValueReader::read_if(const Exp& e, const Scope& scope, const CellPath& path) {
  Text then = read(e->args[0], scope, path);
  return choice(guard(e->guard, scope), then, read(e->args[1], scope, path));
}

ValueReader::Text ValueReader::read_map(const Exp& e, const Scope& scope, const CellPath& path) {
  if (path.empty() || path[0].kind != CellStep::Kind::Element) {
    return failed();
  }
  Scope inner = scope;
  inner.positions.push_back(path[0].index);
  inner.data.push_back([this, array = e->args[1], scope, step = path[0]](const CellPath& below) {
    return read(array, scope, behind(step, below));
  });
  return read(e->args[0], inner, rest(path));
}

// The step may look at its accumulator only where it writes it: at `path`.
ValueReader::Text ValueReader::read_reduce(const Exp& e, const Scope& scope, const CellPath& path) {
  Text start = read(e->args[1], scope, path);
  std::string position = words_.enter_index();
  std::string accumulator = words_.enter_scalar();
  CellStep step = at(int_var(position));
  Scope inner = scope;
  inner.positions.push_back(step.index);
  inner.data.push_back([this, accumulator, path](const CellPath& below) {
    return below == path ? Text{accumulator, Level::Word} : failed();
  });
  inner.data.push_back([this, array = e->args[2], scope, step](const CellPath& below) {
    return read(array, scope, behind(step, below));
  });
  Text body = read(e->args[0], inner, path);
  words_.leave();
  words_.leave();
  return {fmt::format("fold {} < {} from {} as {} gives {}", position, words_.size(e->sizes[0]),
                      at_most(start, Level::Sum), accumulator, body.text),
          Level::Whole};
}

std::string ValueReader::definition(const std::string& name, const Exp& stored, const Scope& scope) {
  CellPath path;
  std::string parameters;
  for (Type type = stored->types[0]; type->kind == TypeKind::Array; type = type->parts[0]) {
    std::string index = words_.enter_index();
    path.push_back(at(int_var(index)));
    parameters += " " + index;
  }
  std::string value = read(stored, scope, path).text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    words_.leave();
  }
  return fmt::format("let {} := {}{} in\n", name, path.empty() ? "" : "fun" + parameters + " => ", value);
}

// What is stored gets a name; what is a view is read through.
ValueReader::Text ValueReader::read_let(const Exp& e, const Scope& scope, const CellPath& path) {
  const Exp& value = e->args[0];
  Scope inner = scope;
  Type type = value->kind == ExpKind::Mem ? value->types[0] : Type();
  while (type && type->kind == TypeKind::Array) {
    type = type->parts[0];
  }
  if (!type || type->kind != TypeKind::Num) {
    inner.data.push_back([this, value, scope](const CellPath& below) { return read(value, scope, below); });
    return read(e->args[1], inner, path);
  }
  std::string name = words_.enter_value();
  std::string stored = definition(name, value, scope);
  inner.data.push_back([this, name](const CellPath& below) { return named(name, below); });
  Text body = read(e->args[1], inner, path);
  words_.leave();
  return {stored + body.text, Level::Whole};
}

ValueReader::Text ValueReader::read_cat(const Exp& e, const Scope& scope, const CellPath& path) {
  if (path.empty() || path[0].kind != CellStep::Kind::Element) {
    return failed();
  }
  Term first = words_.size_index(e->sizes[0]);
  std::string condition = fmt::format("{} <? {}", words_.index(path[0].index, false), words_.size(e->sizes[0]));
  Text then = read(e->args[0], scope, path);
  return choice(condition, then, read(e->args[1], scope, behind(at(path[0].index - first), rest(path))));
}

// `lay_path` of coq/array/Semantics.v. Well-typed terms are read at paths that reach into the layout, except where
// a whole array is named.
CellPath ValueReader::through(const Layout& of, const Scope& scope, CellPath path) {
  auto size = [&](std::size_t i) { return words_.size_index(of->sizes[i]); };
  auto is_index = [&](std::size_t i) { return i < path.size() && path[i].kind == CellStep::Kind::Element; };
  switch (of->kind) {
    case LayoutKind::Fst: return behind({CellStep::Kind::First, 0}, path);
    case LayoutKind::Snd: return behind({CellStep::Kind::Second, 0}, path);
    case LayoutKind::At: return behind(at(index(of->index, scope)), path);
    case LayoutKind::Zip:
    case LayoutKind::Unzip:
      if (path.size() >= 2) {
        std::swap(path[0], path[1]);
        return path;
      }
      break;
    case LayoutKind::Split:
      if (is_index(0) && is_index(1)) {
        return indices({path[0].index * size(0) + path[1].index}, path, 2);
      }
      break;
    case LayoutKind::Join:
      if (is_index(0)) {
        Term quotient = floor_div(path[0].index, size(0));
        return indices({quotient, path[0].index - quotient * size(0)}, path, 1);
      }
      break;
    case LayoutKind::Trans:
      if (is_index(0) && is_index(1)) {
        return indices({path[1].index, path[0].index}, path, 2);
      }
      break;
    case LayoutKind::Rev:
      if (is_index(0)) {
        return indices({size(0) - path[0].index - 1}, path, 1);
      }
      break;
    case LayoutKind::Slide:
      if (is_index(0) && is_index(1)) {
        return indices({path[0].index * size(2) + path[1].index * size(3)}, path, 2);
      }
      break;
    case LayoutKind::Slice:
      if (is_index(0)) {
        return indices({size(0) + path[0].index}, path, 1);
      }
      break;
    case LayoutKind::Repeat:
      if (is_index(0)) {
        return rest(path);
      }
      break;
    case LayoutKind::Each:
      if (!path.empty()) {
        return behind(path[0], through(of->inner, scope, rest(path)));
      }
      break;
  }
  failed();
  return path;
}

Term ValueReader::index(const Index& of, const Scope& scope) const {
  auto arg = [&](std::size_t i) { return index(of->args[i], scope); };
  switch (of->kind) {
    case IndexKind::Var: return scope.positions.at(scope.positions.size() - 1 - of->var);
    case IndexKind::Extent: return words_.size_index(of->size);
    case IndexKind::Add: return arg(0) + arg(1);
    case IndexKind::Sub: return arg(0) - arg(1);
    case IndexKind::Mul: return arg(0) * arg(1);
    case IndexKind::Div: return floor_div(arg(0), arg(1));
    case IndexKind::Mod: return arg(0) - arg(1) * floor_div(arg(0), arg(1));
  }
  fault("no such index term");
}

std::string ValueReader::guard(const Guard& of, const Scope& scope) const {
  auto term = [&](std::size_t i) { return words_.index(index(of->terms[i], scope), false); };
  auto part = [&](std::size_t i) { return "(" + guard(of->parts[i], scope) + ")"; };
  switch (of->kind) {
    case GuardKind::Less: return fmt::format("{} <? {}", term(0), term(1));
    case GuardKind::Equal: return fmt::format("{} =? {}", term(0), term(1));
    case GuardKind::And: return fmt::format("{} && {}", part(0), part(1));
    case GuardKind::Or: return fmt::format("{} || {}", part(0), part(1));
    case GuardKind::Not: return "negb " + part(0);
  }
  fault("no such guard");
}

}  // namespace vouch::array
