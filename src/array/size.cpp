#include "array/size.h"

#include <algorithm>
#include <optional>

#include "support/fault.h"

namespace vouch::array {

Size size_var(unsigned number) { return Size({SizeKind::Var, number, {}, {}, {}, {}}); }
Size size_const(const Integer& value) { return Size({SizeKind::Const, 0, value, {}, {}, {}}); }
Size size_add(const Size& a, const Size& b) { return Size({SizeKind::Add, 0, {}, {a, b}, {}, {}}); }
Size size_mul(const Size& a, const Size& b) { return Size({SizeKind::Mul, 0, {}, {a, b}, {}, {}}); }

Size size_part(SizePart part, unsigned number, const Integer& by, const Integer& base) {
  return Size({SizeKind::Part, number, by, {}, part, base});
}

bool is_word(const Size& size) { return size->kind == SizeKind::Var || size->kind == SizeKind::Const; }

bool is_const(const Size& size, int value) { return size->kind == SizeKind::Const && size->value == value; }

namespace {

// Quotients and whether a block is started are atoms; what is left is a difference of others.
Term quotient_atom(unsigned number, const Integer& by) { return int_var("s" + std::to_string(number) + "/" + by.str()); }

Term part_term(const SizeNode& size) {
  switch (size.part) {
    case SizePart::Quotient: return quotient_atom(size.var, size.value);
    case SizePart::Remainder: return size_term(size_var(size.var)) - int_const(size.value) * quotient_atom(size.var, size.value);
    case SizePart::Digit:
      return quotient_atom(size.var, size.value) - int_const(size.base) * quotient_atom(size.var, size.value * size.base);
    case SizePart::Started: return int_var("s" + std::to_string(size.var) + "+" + size.value.str());
  }
  fault("no such part");
}

Integer part_value(const SizeNode& size, const Integer& all) {
  switch (size.part) {
    case SizePart::Quotient: return all / size.value;
    case SizePart::Remainder: return all % size.value;
    case SizePart::Digit: return all / size.value % size.base;
    case SizePart::Started: return all % size.value == 0 ? 0 : 1;
  }
  fault("no such part");
}

std::string print_part(const SizeNode& size, const std::string& all) {
  std::string by = size.value.str();
  switch (size.part) {
    case SizePart::Quotient: return all + " / " + by;
    case SizePart::Remainder: return all + " % " + by;
    case SizePart::Digit: return all + " / " + by + " % " + size.base.str();
    case SizePart::Started: return "(" + all + " % " + by + " + " + Integer(size.value - 1).str() + ") / " + by;
  }
  fault("no such part");
}

}  // namespace

Term size_term(const Size& size) {
  switch (size->kind) {
    case SizeKind::Var: return int_var("s" + std::to_string(size->var));
    case SizeKind::Const: return int_const(size->value);
    case SizeKind::Add: return size_term(size->args[0]) + size_term(size->args[1]);
    case SizeKind::Mul: return size_term(size->args[0]) * size_term(size->args[1]);
    case SizeKind::Part: return part_term(*size);
  }
  fault("no such size");
}

bool same_size(const Size& a, const Size& b) { return a == b || size_term(a) == size_term(b); }

Size worked_out(const Size& size) {
  Term term = size_term(size);
  return term.kind() == TermKind::IntConst ? size_const(numerator(term->value)) : size;
}

bool coefficients_nonnegative(Term polynomial) {
  for (const Monomial& monomial : monomials(polynomial)) {
    if (monomial.coefficient < 0) {
      return false;
    }
  }
  return true;
}

namespace {

// Of a part of a size: which, and by what.
struct PartAtom {
  unsigned number;
  Integer by;
  bool quotient;
};

std::optional<PartAtom> part_atom(const std::string& atom) {
  std::size_t mark = atom.find_first_of("/+");
  if (atom.empty() || atom[0] != 's' || mark == std::string::npos) {
    return std::nullopt;
  }
  return PartAtom{static_cast<unsigned>(std::stoul(atom.substr(1, mark - 1))), Integer(atom.substr(mark + 1)), atom[mark] == '/'};
}

Term block(SizePart part, unsigned number, const Integer& by, const Integer& base = 0) {
  return int_const(by) * size_term(size_part(part, number, by, base));
}

// Not negative, whatever the sizes: full blocks are no more than there is; what is left fits the block that is started, of which
// there is one at most; blocks that are left by larger ones are fewer than one of these holds.
std::vector<Term> part_facts(Term polynomial) {
  std::vector<PartAtom> atoms;
  for (const Monomial& monomial : monomials(polynomial)) {
    for (Term atom : monomial.atoms) {
      if (auto part = atom.kind() == TermKind::IntVar ? part_atom(atom->symbol.name()) : std::nullopt) {
        atoms.push_back(*part);
      }
    }
  }
  std::vector<Term> out;
  for (const PartAtom& a : atoms) {
    if (a.quotient) {
      out.push_back(size_term(size_var(a.number)) - block(SizePart::Quotient, a.number, a.by));
    } else {
      Term started = block(SizePart::Started, a.number, a.by);
      out.push_back(started - size_term(size_part(SizePart::Remainder, a.number, a.by)));
      out.push_back(int_const(a.by) - started);
    }
    for (const PartAtom& b : atoms) {
      if (a.quotient && b.quotient && a.number == b.number && b.by > a.by && b.by % a.by == 0) {
        out.push_back(int_const(b.by - a.by) - block(SizePart::Digit, a.number, a.by, b.by / a.by));
      }
    }
  }
  return out;
}

bool after_part_facts(Term polynomial) {
  std::vector<Term> facts = part_facts(polynomial);
  auto enough = [&](Term rest) {
    return std::any_of(facts.begin(), facts.end(), [&](Term fact) { return coefficients_nonnegative(rest - fact); });
  };
  return enough(polynomial) || std::any_of(facts.begin(), facts.end(), [&](Term fact) { return enough(polynomial - fact); });
}

}  // namespace

bool term_nonnegative(const std::vector<SizeFact>& facts, Term polynomial) {
  auto after = [&](const SizeFact& fact) {
    return coefficients_nonnegative(polynomial - (size_term(fact.second) - size_term(fact.first)));
  };
  return coefficients_nonnegative(polynomial) || std::any_of(facts.begin(), facts.end(), after) || after_part_facts(polynomial);
}

bool size_at_most(const std::vector<SizeFact>& facts, const Size& a, const Size& b) {
  return term_nonnegative(facts, size_term(b) - size_term(a));
}

Integer size_value(const Size& size, const std::vector<Integer>& values) {
  switch (size->kind) {
    case SizeKind::Var: return values.at(size->var);
    case SizeKind::Const: return size->value;
    case SizeKind::Add: return size_value(size->args[0], values) + size_value(size->args[1], values);
    case SizeKind::Mul: return size_value(size->args[0], values) * size_value(size->args[1], values);
    case SizeKind::Part: return part_value(*size, values.at(size->var));
  }
  fault("no such size");
}

std::string print_size(const Size& size, const std::vector<std::string>& names) {
  switch (size->kind) {
    case SizeKind::Var: return names.at(size->var);
    case SizeKind::Const: return size->value.str();
    case SizeKind::Add: {
      std::string right = print_size(size->args[1], names);
      bool group = size->args[1]->kind == SizeKind::Add;
      return print_size(size->args[0], names) + " + " + (group ? "(" + right + ")" : right);
    }
    case SizeKind::Mul: {
      std::string left = print_size(size->args[0], names);
      std::string right = print_size(size->args[1], names);
      bool group_left = size->args[0]->kind == SizeKind::Add;
      bool group_right = !is_word(size->args[1]);
      return (group_left ? "(" + left + ")" : left) + " * " + (group_right ? "(" + right + ")" : right);
    }
    case SizeKind::Part: return print_part(*size, names.at(size->var));
  }
  fault("no such size");
}

}  // namespace vouch::array
