// The language of index notation once more, for tests: a syntax tree of its own, a printer, and an evaluator that follows the
// language's definition by trying every point. It shares nothing with the reader that it is to doubt.
//
// A statement's value is a sum of additive terms, told apart through + and -, signs, products and dividends; each is summed over
// the indices that it names and the left side does not. Conditions, quotients `//` and remainders round down.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace vouch::testing::language {

enum class Op {
  Number,
  Index,
  Read,
  Add,
  Sub,
  Mul,
  Div,
  Quotient,
  Remainder,
  Minus,
  Max,
  Min,
  Abs,
  Select,
  Less,
  AtMost,
  Equal,
  Differ,
  More,
  AtLeast,
  And,
  Or,
  Not
};

struct Node;
using Expr = std::shared_ptr<const Node>;
struct Node {
  Op op = Op::Number;
  std::vector<Expr> args;
  double number = 0;
  std::string name;  // of an index or a tensor
};

inline Expr node(Op op, std::vector<Expr> args) { return std::make_shared<Node>(Node{op, std::move(args), 0, ""}); }
inline Expr constant(double value) { return std::make_shared<Node>(Node{Op::Number, {}, value, ""}); }
inline Expr named(Op op, std::string name, std::vector<Expr> args = {}) {
  return std::make_shared<Node>(Node{op, std::move(args), 0, std::move(name)});
}

using Point = std::map<std::string, long>;

struct Array {
  std::vector<long> shape;
  std::vector<double> elements;
};
using Arrays = std::map<std::string, Array>;

inline double value_at(const Expr& e, const Point& at, const Arrays& arrays) {
  auto arg = [&](std::size_t k) { return value_at(e->args[k], at, arrays); };
  switch (e->op) {
    case Op::Number: return e->number;
    case Op::Index: return static_cast<double>(at.at(e->name));
    case Op::Read: {
      const Array& array = arrays.at(e->name);
      std::size_t place = 0;
      for (std::size_t a = 0; a < e->args.size(); ++a) {
        place = place * static_cast<std::size_t>(array.shape[a]) + static_cast<std::size_t>(arg(a));
      }
      return array.elements.at(place);
    }
    case Op::Add: return arg(0) + arg(1);
    case Op::Sub: return arg(0) - arg(1);
    case Op::Mul: return arg(0) * arg(1);
    case Op::Div: return arg(0) / arg(1);
    case Op::Quotient: return std::floor(arg(0) / arg(1));
    case Op::Remainder: return arg(0) - arg(1) * std::floor(arg(0) / arg(1));
    case Op::Minus: return -arg(0);
    case Op::Max: return std::max(arg(0), arg(1));
    case Op::Min: return std::min(arg(0), arg(1));
    case Op::Abs: return std::abs(arg(0));
    case Op::Select: return arg(0) != 0 ? arg(1) : arg(2);
    case Op::Less: return arg(0) < arg(1);
    case Op::AtMost: return arg(0) <= arg(1);
    case Op::More: return arg(0) > arg(1);
    case Op::AtLeast: return arg(0) >= arg(1);
    case Op::Equal: return arg(0) == arg(1);
    case Op::Differ: return arg(0) != arg(1);
    case Op::And: return arg(0) != 0 && arg(1) != 0;
    case Op::Or: return arg(0) != 0 || arg(1) != 0;
    case Op::Not: return arg(0) == 0;
  }
  return 0;
}

inline void collect_indices(const Expr& e, std::set<std::string>& out) {
  if (e->op == Op::Index) {
    out.insert(e->name);
  }
  for (const Expr& part : e->args) {
    collect_indices(part, out);
  }
}

// The additive terms: sums and signs are opened, products and dividends distributed.
inline std::vector<Expr> additive_terms(const Expr& e) {
  std::vector<Expr> out;
  if (e->op == Op::Add || e->op == Op::Sub) {
    out = additive_terms(e->args[0]);
    for (const Expr& term : additive_terms(e->args[1])) {
      out.push_back(e->op == Op::Sub ? node(Op::Minus, {term}) : term);
    }
  } else if (e->op == Op::Minus) {
    for (const Expr& term : additive_terms(e->args[0])) {
      out.push_back(node(Op::Minus, {term}));
    }
  } else if (e->op == Op::Mul || e->op == Op::Div) {
    for (const Expr& left : additive_terms(e->args[0])) {
      for (const Expr& right : e->op == Op::Mul ? additive_terms(e->args[1]) : std::vector<Expr>{e->args[1]}) {
        out.push_back(node(e->op, {left, right}));
      }
    }
  } else {
    out.push_back(e);
  }
  return out;
}

struct Range {
  long begin = 0;
  long end = 0;
};
using Ranges = std::map<std::string, Range>;

// Calls for every point of the ranges of `names`.
inline void each_point(const std::vector<std::string>& names, const Ranges& ranges, Point at,
                       const std::function<void(const Point&)>& call, std::size_t from = 0) {
  if (from == names.size()) {
    call(at);
    return;
  }
  const Range& range = ranges.at(names[from]);
  for (long value = range.begin; value < range.end; ++value) {
    at[names[from]] = value;
    each_point(names, ranges, at, call, from + 1);
  }
}

struct Sum {
  double value = 0;
  double size = 0;  // of absolute values, to compare by
};

// The statement's value at a point of its left side.
inline Sum statement_at(const Expr& value, const Point& left, const Ranges& ranges, const Arrays& arrays) {
  Sum out;
  for (const Expr& term : additive_terms(value)) {
    std::set<std::string> used;
    collect_indices(term, used);
    std::vector<std::string> summed;
    for (const std::string& name : used) {
      if (!left.contains(name)) {
        summed.push_back(name);
      }
    }
    each_point(summed, ranges, left, [&](const Point& at) {
      double one = value_at(term, at, arrays);
      out.value += one;
      out.size += std::abs(one);
    });
  }
  return out;
}

// --- text, with parentheses where they are needed and now and then where not

inline int strength(Op op) {
  switch (op) {
    case Op::Or: return 1;
    case Op::And: return 2;
    case Op::Less:
    case Op::AtMost:
    case Op::Equal:
    case Op::Differ:
    case Op::More:
    case Op::AtLeast: return 3;
    case Op::Add:
    case Op::Sub: return 4;
    case Op::Mul:
    case Op::Div:
    case Op::Quotient:
    case Op::Remainder: return 5;
    case Op::Minus:
    case Op::Not: return 6;
    default: return 7;
  }
}

class Writer {
 public:
  Writer(std::mt19937& random, const Arrays& arrays) : random_(random), arrays_(arrays) {}

  std::string text(const Expr& e, int least = 0) {
    std::string out = plain(e);
    bool needed = strength(e->op) < least;
    for (int more = pick(9) == 0 ? 1 + pick(2) : 0; needed || more > 0; --more) {
      out = "(" + space() + out + space() + ")";
      needed = false;
    }
    return out;
  }

  std::string read(const std::string& name, const std::vector<Expr>& at) {
    std::string out = name + "<";
    const std::vector<long>& shape = arrays_.at(name).shape;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      out += (a ? "," + space() : "") + std::to_string(shape[a]);
    }
    out += ">[";
    for (std::size_t a = 0; a < at.size(); ++a) {
      out += (a ? "," : "") + space() + text(at[a]);
    }
    return out + "]";
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string space() { return pick(3) == 0 ? " " : pick(40) == 0 ? " # why not\n" : ""; }

  static std::string sign(Op op) {
    static const std::map<Op, std::string> signs = {
        {Op::Add, "+"},       {Op::Sub, "-"},   {Op::Mul, "*"},      {Op::Div, "/"},     {Op::Quotient, "//"},
        {Op::Remainder, "%"}, {Op::Minus, "-"}, {Op::Less, "<"},     {Op::AtMost, "<="}, {Op::Equal, "=="},
        {Op::Differ, "!="},   {Op::More, ">"},  {Op::AtLeast, ">="}, {Op::And, "&&"},    {Op::Or, "||"},
        {Op::Not, "!"},       {Op::Max, "max"}, {Op::Min, "min"},    {Op::Abs, "abs"},   {Op::Select, "select"}};
    return signs.at(op);
  }

  static std::string number(double value) {
    std::string out = std::to_string(value);
    bool whole = value == std::floor(value);
    return whole ? std::to_string(static_cast<long>(value)) : out;
  }

  std::string plain(const Expr& e) {
    if (e->op == Op::Number) {
      return number(e->number);
    }
    if (e->op == Op::Index) {
      return e->name;
    }
    if (e->op == Op::Read) {
      return read(e->name, e->args);
    }
    int mine = strength(e->op);
    if (mine == 6) {
      return sign(e->op) + space() + text(e->args[0], 6);
    }
    if (mine == 7) {
      std::string out = sign(e->op) + "(";
      for (std::size_t k = 0; k < e->args.size(); ++k) {
        out += (k ? "," + space() : "") + text(e->args[k]);
      }
      return out + ")";
    }
    // Operators associate to the left; comparisons not at all.
    int left = mine == 3 ? 4 : mine;
    return text(e->args[0], left) + " " + sign(e->op) + " " + space() + text(e->args[1], mine + 1);
  }

  std::mt19937& random_;
  const Arrays& arrays_;
};

}  // namespace vouch::testing::language
