#include "array/ast.h"

#include <fmt/format.h>

#include <array>

#include "support/fault.h"

namespace vouch::array {
namespace {

constexpr std::array<OpRow, kOpCount> kOps = {{
    {Op::Neg, 1, "Neg", "neg"},
    {Op::Abs, 1, "Abs", "abs"},
    {Op::Sqrt, 1, "Sqrt", "sqrt"},
    {Op::Exp, 1, "Exp", "exp"},
    {Op::Log, 1, "Log", "log"},
    {Op::Tanh, 1, "Tanh", "tanh"},
    {Op::Erf, 1, "Erf", "erf"},
    {Op::Sin, 1, "Sin", "sin"},
    {Op::Cos, 1, "Cos", "cos"},
    {Op::Floor, 1, "Floor", "floor"},
    {Op::Ceil, 1, "Ceil", "ceil"},
    {Op::Round, 1, "Round", "round"},
    {Op::Tan, 1, "Tan", "tan"},
    {Op::Asin, 1, "Asin", "asin"},
    {Op::Acos, 1, "Acos", "acos"},
    {Op::Atan, 1, "Atan", "atan"},
    {Op::Sinh, 1, "Sinh", "sinh"},
    {Op::Cosh, 1, "Cosh", "cosh"},
    {Op::Asinh, 1, "Asinh", "asinh"},
    {Op::Acosh, 1, "Acosh", "acosh"},
    {Op::Atanh, 1, "Atanh", "atanh"},
    {Op::ExpLanes, 1, "ExpLanes", "exp_lanes"},
    {Op::TanhLanes, 1, "TanhLanes", "tanh_lanes"},
    {Op::ErfLanes, 1, "ErfLanes", "erf_lanes"},
    {Op::Add, 2, "Add", "add"},
    {Op::Sub, 2, "Sub", "sub"},
    {Op::Mul, 2, "Mul", "mul"},
    {Op::Div, 2, "Div", "div"},
    {Op::Max, 2, "Max", "max"},
    {Op::Min, 2, "Min", "min"},
    {Op::Pow, 2, "Pow", "pow"},
    {Op::Less, 2, "Less", "less"},
    {Op::LessEq, 2, "LessEq", "lesseq"},
    {Op::Equal, 2, "Equal", "equal"},
    {Op::Fma, 3, "Fma", "fma"},
    {Op::Sel, 3, "Sel", "select"},
}};

constexpr bool rows_in_order() {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].op != static_cast<Op>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(rows_in_order(), "the table of scalar operations follows the enumeration");

struct CastRow {
  std::string coq;
  std::string text;
  OpRow row;
};

std::vector<CastRow> cast_rows() {
  std::vector<CastRow> rows(kElementCount * kElementCount);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    auto from = static_cast<Element>(k / kElementCount);
    auto to = static_cast<Element>(k % kElementCount);
    rows[k].coq = fmt::format("(Cast {} {})", coq_name(from), coq_name(to));
    rows[k].text = fmt::format("{}_of_{}", word_of(to), word_of(from));
    rows[k].row = {static_cast<Op>(kOps.size() + k), 1, rows[k].coq, rows[k].text};
  }
  return rows;
}

Index shift_index(const Index& index, unsigned by, unsigned from) {
  switch (index->kind) {
    case IndexKind::Var: return index->var < from ? index : index_var(index->var + by);
    case IndexKind::Extent: return index;
    case IndexKind::Add:
    case IndexKind::Sub:
    case IndexKind::Mul:
    case IndexKind::Div:
    case IndexKind::Mod:
      return index_op(index->kind, shift_index(index->args[0], by, from), shift_index(index->args[1], by, from));
  }
  fault("no such index term");
}

Guard shift_guard(const Guard& guard, unsigned by, unsigned from) {
  return mapped(guard, [&](const Index& index) { return shift_index(index, by, from); });
}

Layout shift_layout(const Layout& of, unsigned by, unsigned from) {
  LayoutNode node = *of;
  if (node.index) {
    node.index = shift_index(node.index, by, from);
  }
  if (node.inner) {
    node.inner = shift_layout(node.inner, by, from);
  }
  return Layout(std::move(node));
}

}  // namespace

std::string_view coq_name(Element element) {
  constexpr std::array<std::string_view, kElementCount> kNames = {"F32", "F64",  "I32", "I64", "B8",  "F16", "I8",
                                                                  "U8",  "BF16", "I16", "U16", "U32", "U64"};
  return kNames[static_cast<std::size_t>(element)];
}

std::string_view word_of(Element element) {
  constexpr std::array<std::string_view, kElementCount> kWords = {
      "float", "double", "int32", "int64", "bool", "float16", "int8", "uint8", "bfloat16", "int16", "uint16", "uint32", "uint64"};
  return kWords[static_cast<std::size_t>(element)];
}

Op cast_op(Cast cast) {
  return static_cast<Op>(kOpCount + static_cast<int>(cast.from) * kElementCount + static_cast<int>(cast.to));
}

std::optional<Cast> cast_of(Op op) {
  int number = static_cast<int>(op) - kOpCount;
  return number < 0
             ? std::nullopt
             : std::optional(Cast{static_cast<Element>(number / kElementCount), static_cast<Element>(number % kElementCount)});
}

const OpRow& op_row(Op op) {
  static const std::vector<CastRow> kCasts = cast_rows();
  auto number = static_cast<std::size_t>(op);
  return number < kOps.size() ? kOps[number] : kCasts[number - kOps.size()].row;
}

Type type_num() { return Type({TypeKind::Num, {}, {}}); }
Type type_array(const Size& size, const Type& element) { return Type({TypeKind::Array, size, {element}}); }
Type type_pair(const Type& first, const Type& second) { return Type({TypeKind::Pair, {}, {first, second}}); }

bool same_type(const Type& a, const Type& b) {
  if (a->kind != b->kind || (a->kind == TypeKind::Array && !same_size(a->size, b->size))) {
    return false;
  }
  for (std::size_t i = 0; i < a->parts.size(); ++i) {
    if (!same_type(a->parts[i], b->parts[i])) {
      return false;
    }
  }
  return true;
}

Index index_var(unsigned number) { return Index({IndexKind::Var, number, {}, {}}); }
Index index_size(const Size& size) { return Index({IndexKind::Extent, 0, size, {}}); }
Index index_op(IndexKind kind, const Index& a, const Index& b) { return Index({kind, 0, {}, {a, b}}); }

Guard guard_compare(GuardKind kind, const Index& a, const Index& b) { return Guard({kind, {a, b}, {}}); }
Guard guard_join(GuardKind kind, std::vector<Guard> parts) { return Guard({kind, {}, std::move(parts)}); }

Guard mapped(const Guard& guard, const std::function<Index(const Index&)>& map) {
  GuardNode node = *guard;
  for (Index& term : node.terms) {
    term = map(term);
  }
  for (Guard& part : node.parts) {
    part = mapped(part, map);
  }
  return Guard(std::move(node));
}

Layout layout(LayoutKind kind, std::vector<Size> sizes) { return Layout({kind, {}, std::move(sizes), {}}); }
Layout layout_at(const Index& index) { return Layout({LayoutKind::At, index, {}, {}}); }
Layout layout_each(const Layout& inner) { return Layout({LayoutKind::Each, {}, {}, inner}); }

bool is_invertible(const Layout& of) {
  switch (of->kind) {
    case LayoutKind::Zip:
    case LayoutKind::Unzip:
    case LayoutKind::Split:
    case LayoutKind::Join:
    case LayoutKind::Trans:
    case LayoutKind::Rev: return true;
    case LayoutKind::Each: return is_invertible(of->inner);
    case LayoutKind::Fst:
    case LayoutKind::Snd:
    case LayoutKind::At:
    case LayoutKind::Slide:
    case LayoutKind::Slice:
    case LayoutKind::Repeat: return false;
  }
  fault("no such layout");
}

Type layout_source(const Layout& of, const Type& result) {
  auto element = [](const Type& array) { return array->parts[0]; };
  switch (of->kind) {
    case LayoutKind::Zip:
      return type_pair(type_array(result->size, element(result)->parts[0]), type_array(result->size, element(result)->parts[1]));
    case LayoutKind::Unzip:
      return type_array(result->parts[0]->size, type_pair(element(result->parts[0]), element(result->parts[1])));
    case LayoutKind::Split: return type_array(size_mul(of->sizes[0], of->sizes[1]), element(element(result)));
    case LayoutKind::Join: return type_array(of->sizes[1], type_array(of->sizes[0], element(result)));
    case LayoutKind::Trans: return type_array(element(result)->size, type_array(result->size, element(element(result))));
    case LayoutKind::Each: return type_array(result->size, layout_source(of->inner, element(result)));
    case LayoutKind::Rev: return result;
    case LayoutKind::Fst:
    case LayoutKind::Snd:
    case LayoutKind::At:
    case LayoutKind::Slide:
    case LayoutKind::Slice:
    case LayoutKind::Repeat: fault("a layout without inverse in front of an acceptor");
  }
  fault("no such layout");
}

namespace {

ExpNode node_of(ExpKind kind, std::vector<Exp> args) {
  ExpNode node;
  node.kind = kind;
  node.args = std::move(args);
  return node;
}

}  // namespace

Exp exp_var(unsigned number) {
  ExpNode node = node_of(ExpKind::Var, {});
  node.var = number;
  return Exp(std::move(node));
}

Exp exp_const(const Type& type, const Const& constant) {
  ExpNode node = node_of(ExpKind::Const, {});
  node.constant = constant;
  node.types = {type};
  return Exp(std::move(node));
}

Exp exp_op(Op op, const Exp& argument) {
  ExpNode node = node_of(ExpKind::Op, {argument});
  node.op = op;
  return Exp(std::move(node));
}

Exp exp_pair(const Exp& first, const Exp& second) { return Exp(node_of(ExpKind::Pair, {first, second})); }

Exp exp_layout(const Layout& of, const Exp& argument) {
  ExpNode node = node_of(ExpKind::Lay, {argument});
  node.layout = of;
  return Exp(std::move(node));
}

Exp exp_pad(const Size& lo, const Size& n, const Size& hi, const Const& constant, const Exp& argument) {
  ExpNode node = node_of(ExpKind::Pad, {argument});
  node.sizes = {lo, n, hi};
  node.constant = constant;
  return Exp(std::move(node));
}

Exp exp_if(const Guard& guard, const Exp& then, const Exp& otherwise) {
  ExpNode node = node_of(ExpKind::If, {then, otherwise});
  node.guard = guard;
  return Exp(std::move(node));
}

Exp exp_map(LoopKind loop, const Size& n, const Type& from, const Type& to, const Exp& body, const Exp& array) {
  ExpNode node = node_of(ExpKind::Map, {body, array});
  node.loop = loop;
  node.sizes = {n};
  node.types = {from, to};
  return Exp(std::move(node));
}

Exp exp_reduce(Place place, const Size& n, const Type& from, const Type& to, const Exp& body, const Exp& start,
               const Exp& array) {
  ExpNode node = node_of(ExpKind::Reduce, {body, start, array});
  node.place = place;
  node.sizes = {n};
  node.types = {from, to};
  return Exp(std::move(node));
}

Exp exp_unrolled(const Exp& reduction) {
  ExpNode node = *reduction;
  node.loop = LoopKind::Unr;
  return Exp(std::move(node));
}

Exp with_index_name(const Exp& loop, const std::string& name) {
  ExpNode node = *loop;
  node.index_name = {name};
  return Exp(std::move(node));
}

Exp exp_let(const Exp& value, const Exp& body) { return Exp(node_of(ExpKind::Let, {value, body})); }

Exp exp_mem(const Type& type, const Exp& argument) {
  ExpNode node = node_of(ExpKind::Mem, {argument});
  node.types = {type};
  return Exp(std::move(node));
}

Exp exp_cat(const Size& n, const Size& m, const Type& element, const Exp& first, const Exp& second) {
  ExpNode node = node_of(ExpKind::Cat, {first, second});
  node.sizes = {n, m};
  node.types = {element};
  return Exp(std::move(node));
}

Binders binders_of(const ExpNode& exp, std::size_t i) {
  switch (exp.kind) {
    case ExpKind::Map: return i == 0 ? Binders{1, 1} : Binders{};
    case ExpKind::Reduce: return i == 0 ? Binders{2, 1} : Binders{};
    case ExpKind::Let: return i == 1 ? Binders{1, 0} : Binders{};
    case ExpKind::Var:
    case ExpKind::Const:
    case ExpKind::Op:
    case ExpKind::Pair:
    case ExpKind::Lay:
    case ExpKind::Pad:
    case ExpKind::If:
    case ExpKind::Mem:
    case ExpKind::Cat: return {};
  }
  fault("no such term");
}

Index shift(const Index& index, unsigned by, unsigned from) { return by == 0 ? index : shift_index(index, by, from); }

Exp shift(const Exp& exp, Binders by, Binders from) {
  if (by.data == 0 && by.indices == 0) {
    return exp;
  }
  ExpNode node = *exp;
  if (node.kind == ExpKind::Var && node.var >= from.data) {
    node.var += by.data;
  }
  if (node.guard) {
    node.guard = shift_guard(node.guard, by.indices, from.indices);
  }
  if (node.layout) {
    node.layout = shift_layout(node.layout, by.indices, from.indices);
  }
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    Binders inner = binders_of(*exp, i);
    node.args[i] = shift(node.args[i], by, {from.data + inner.data, from.indices + inner.indices});
  }
  return Exp(std::move(node));
}

}  // namespace vouch::array
