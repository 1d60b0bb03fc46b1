#include "lower/tests.h"

#include <algorithm>
#include <map>

#include "imp/print_versions.h"
#include "lower/lower.h"
#include "lower/neutral.h"
#include "lower/path.h"

namespace vouch::array {
namespace {

// Size variables, sorted; coefficients are positive. A part of one counts as all of it.
using Monomial = std::vector<unsigned>;
using Polynomial = std::map<Monomial, Integer>;

Polynomial constant(const Integer& value) { return value == 0 ? Polynomial{} : Polynomial{{{}, value}}; }

Polynomial sum(Polynomial a, const Polynomial& b) {
  for (const auto& [monomial, coefficient] : b) {
    a[monomial] += coefficient;
  }
  return a;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [m, c] : a) {
    for (const auto& [n, d] : b) {
      Monomial both;
      std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(both));
      out[both] += c * d;
    }
  }
  return out;
}

Polynomial polynomial(const Size& s) {
  switch (s->kind) {
    case SizeKind::Var: return {{{s->var}, 1}};
    case SizeKind::Const: return constant(s->value);
    case SizeKind::Add: return sum(polynomial(s->args[0]), polynomial(s->args[1]));
    case SizeKind::Mul: return product(polynomial(s->args[0]), polynomial(s->args[1]));
    case SizeKind::Part: return {{{s->var}, 1}};
  }
  return {};
}

// The largest coefficient of each monomial in what has to fit.
class Total {
 public:
  Polynomial raise(Polynomial p) {
    for (const auto& [monomial, coefficient] : p) {
      Integer& most = total_[monomial];
      most = std::max(most, coefficient);
    }
    return p;
  }

  Polynomial whole(const Size& s) { return raise(polynomial(s)); }

  // A size and all its parts.
  Polynomial parts(const Size& s) {
    switch (s->kind) {
      case SizeKind::Var: return raise({{{s->var}, 1}});
      case SizeKind::Const: return raise(constant(s->value));
      case SizeKind::Add: return raise(sum(parts(s->args[0]), parts(s->args[1])));
      case SizeKind::Mul: return raise(product(parts(s->args[0]), parts(s->args[1])));
      case SizeKind::Part: return raise({{{s->var}, 1}});
    }
    return {};
  }

  // What an index does not exceed; sums and products have to fit.
  Polynomial index(const Index& e) {
    switch (e->kind) {
      case IndexKind::Var: return raise(bounds_.at(e->var));
      case IndexKind::Extent: return parts(e->size);
      case IndexKind::Add: return raise(sum(index(e->args[0]), index(e->args[1])));
      case IndexKind::Mul: return raise(product(index(e->args[0]), index(e->args[1])));
      case IndexKind::Sub:
      case IndexKind::Div:
      case IndexKind::Mod: index(e->args[1]); return index(e->args[0]);
    }
    return {};
  }

  void guard(const Guard& g) {
    for (const Index& term : g->terms) {
      index(term);
    }
    for (const Guard& part : g->parts) {
      guard(part);
    }
  }

  void expression(const FlatExp& e) {
    if (e->index) {
      index(e->index);
    }
    if (e->kind == FlatExpKind::If) {
      guard(e->guard);
    }
    for (const FlatExp& arg : e->args) {
      expression(arg);
    }
  }

  void command(const Flat& c) {
    if (c->size) {
      Polynomial size = parts(c->size);
      if (c->kind == FlatKind::New) {
        raise(sum(product(constant(8), size), constant(127)));
      } else {
        bounds_[c->var] = size;
      }
    }
    if (c->index) {
      index(c->index);
    }
    if (c->value) {
      expression(c->value);
    }
    for (const Flat& part : c->parts) {
      command(part);
    }
  }

  Size size() const {
    Size all;
    for (const auto& [monomial, coefficient] : total_) {
      Size term = term_size(monomial, coefficient);
      all = all ? size_add(all, term) : term;
    }
    return all ? all : size_const(0);
  }

 private:
  static Size term_size(const Monomial& monomial, const Integer& coefficient) {
    Size term;
    if (coefficient != 1 || monomial.empty()) {
      term = size_const(coefficient);
    }
    for (unsigned v : monomial) {
      term = term ? size_mul(term, size_var(v)) : size_var(v);
    }
    return term;
  }

  Polynomial total_;
  std::map<unsigned, Polynomial> bounds_;  // of loop variables; nested ones have different numbers
};

Size total_size(const Program& program, const Flat& flat) {
  Total total;
  total.command(flat);
  for (const SizeFact& fact : program.facts) {
    total.whole(fact.first);
    total.whole(fact.second);
  }
  std::vector<Type> types = input_types(program);
  types.push_back(program.output.type);
  for (const Type& type : types) {
    total.whole(size_mul(size_const(8), type_size(type)));
  }
  return total.size();
}

}  // namespace

std::vector<Test> kernel_tests(const Program& program, const Flat& flat) {
  std::vector<Test> tests;
  for (unsigned v = 0; v < program.sizes.size(); ++v) {
    tests.push_back({TestKind::Negative, v, 0, {}});
  }
  if (Size total = total_size(program, flat); total->kind != SizeKind::Const) {
    tests.push_back({TestKind::TooLarge, 0, 0, {total}});
  }
  for (const SizeFact& fact : program.facts) {
    tests.push_back({TestKind::Broken, 0, 0, {fact.first, fact.second}});
  }
  auto out = static_cast<unsigned>(program.inputs.size());
  Size elements = type_size(program.output.type);
  auto bytes = [](const Parameter& array) { return neutral_mul(size_const(bytes_of(array.element)), type_size(array.type)); };
  std::vector<Test> overlaps;
  for (unsigned v = 0; v < out; ++v) {
    if (program.inputs[v].type->kind != TypeKind::Num) {
      Size size = type_size(program.inputs[v].type);
      tests.push_back({TestKind::Missing, v, 0, {size}});
      overlaps.push_back({TestKind::Overlap, out, v, {bytes(program.output), bytes(program.inputs[v])}});
    }
  }
  tests.push_back({TestKind::Missing, out, 0, {elements}});
  tests.insert(tests.end(), overlaps.begin(), overlaps.end());
  return tests;
}

std::string kernel_text(const Program& program) {
  Flat flat = flat_program(program);
  CNames names = c_names(program);
  std::vector<Type> inputs = input_types(program);
  return print_c(program.name, names, inputs, flat) +
         print_checked(program.name, names, inputs, needs_heap(flat), kernel_tests(program, flat));
}

std::string versions_text(const std::vector<ProgramVersion>& versions) {
  std::vector<VersionText> texts;
  for (const ProgramVersion& version : versions) {
    texts.push_back({version.word, c_names(version.program), flat_program(version.program)});
  }
  const Program& program = versions.front().program;
  std::vector<Type> inputs = input_types(program);
  Flat all = all_bodies(texts);
  return print_versions(program.name, inputs, texts) +
         print_checked(program.name, texts.front().names, inputs, needs_heap(all), kernel_tests(program, all));
}

Flat versions_flat(const std::vector<ProgramVersion>& versions) {
  std::vector<VersionText> texts;
  for (const ProgramVersion& version : versions) {
    texts.push_back({version.word, {}, flat_program(version.program)});
  }
  return all_bodies(texts);
}

}  // namespace vouch::array
