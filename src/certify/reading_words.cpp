#include "certify/reading_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/fault.h"

namespace vouch::array {
namespace {

// Words of Coq, and of coq/certify/Reading.v.
constexpr std::array<std::string_view, 66> kTaken = {
    "IF", "K", "Prop", "SProp", "Set", "Type", "after", "andb", "as", "at", "before", "by", "ceilf", "certified", "checked",
    "choose", "cofix", "computes", "cosf", "dyadic", "else", "end", "equal", "erff", "exists", "exists2", "expf", "fabsf", "fix",
    "floorf", "fmaf", "fmaxf", "fminf", "fold", "for", "forall", "from", "fun", "gives", "if", "in", "infinity", "kernel",
    "kernel_text", "less", "less_equal", "let", "logf", "match", "minus_infinity", "mod", "negb", "negf", "powf", "return",
    "runs", "scalars", "sinf", "sqrtf", "tanhf", "then", "using", "where", "whole", "with", "mem"};

std::string product_text(const std::vector<std::string>& factors) { return fmt::format("{}", fmt::join(factors, " * ")); }

std::string sum_text(const std::vector<std::string>& summands) { return fmt::format("{}", fmt::join(summands, " + ")); }

}  // namespace

ReadingWords::ReadingWords(const std::vector<std::string>& sizes) {
  for (const std::string& size : sizes) {
    sizes_.push_back(rename(size));
  }
}

bool ReadingWords::is_used(const std::string& name) const {
  return std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end() ||
         std::find(used_.begin(), used_.end(), name) != used_.end();
}

std::string ReadingWords::rename(const std::string& name) {
  std::string usable = name;
  while (is_used(usable)) {
    usable += "_";
  }
  used_.push_back(usable);
  return usable;
}

std::string ReadingWords::enter(const std::vector<std::string>& liked, const std::string& stem) {
  auto free = std::find_if(liked.begin(), liked.end(), [&](const std::string& name) { return !is_used(name); });
  std::string name = free != liked.end() ? *free : "";
  for (int number = 1; name.empty() || is_used(name); ++number) {
    name = stem + std::to_string(number);
  }
  used_.push_back(name);
  return name;
}

std::string ReadingWords::size(const Size& size) const {
  switch (size->kind) {
    case SizeKind::Var: return sizes_.at(size->var);
    case SizeKind::Const: return size->value.str();
    case SizeKind::Add: return fmt::format("{} + {}", this->size(size->args[0]), size_factor(size->args[1]));
    case SizeKind::Mul: return fmt::format("{} * {}", size_factor(size->args[0]), size_factor(size->args[1]));
  }
  fault("no such size");
}

std::string ReadingWords::size_factor(const Size& size) const {
  bool word = size->kind == SizeKind::Var || size->kind == SizeKind::Const;
  return word ? this->size(size) : "(" + this->size(size) + ")";
}

Term ReadingWords::size_index(const Size& size) const {
  switch (size->kind) {
    case SizeKind::Var: return int_var(sizes_.at(size->var));
    case SizeKind::Const: return int_const(size->value);
    case SizeKind::Add: return size_index(size->args[0]) + size_index(size->args[1]);
    case SizeKind::Mul: return size_index(size->args[0]) * size_index(size->args[1]);
  }
  fault("no such size");
}

// `a - b * (a / b)` as one atom `(a mod b)`, which stands in the term as a variable of that name.
Term ReadingWords::with_remainders(Term term) const {
  for (const Monomial& monomial : monomials(term)) {
    for (Term atom : monomial.atoms) {
      if (atom.kind() != TermKind::FloorDiv || atom.arg(0) == term) {
        continue;
      }
      Term rest = term + atom.arg(1) * atom - atom.arg(0);
      if (monomials(rest).size() < monomials(term).size()) {
        return with_remainders(rest + int_var(fmt::format("({} mod {})", index(atom.arg(0), true), index(atom.arg(1), true))));
      }
    }
  }
  return term;
}

std::string ReadingWords::index(Term term, bool argument) const {
  if (term.kind() == TermKind::IntVar) {
    return std::string(term->symbol.name());
  }
  if (term.kind() == TermKind::FloorDiv || term.kind() == TermKind::FloorMod) {
    return fmt::format("({} {} {})", index(term.arg(0), true), term.kind() == TermKind::FloorDiv ? "/" : "mod",
                       index(term.arg(1), true));
  }
  Term plain = with_remainders(term);
  if (plain != term) {
    return index(plain, argument);
  }
  // A difference is one subtraction: natural numbers stop at zero.
  std::vector<std::string> added;
  std::vector<std::string> subtracted;
  for (const Monomial& monomial : monomials(term)) {
    std::vector<std::string> factors;
    Integer size = monomial.coefficient < 0 ? Integer(-monomial.coefficient) : monomial.coefficient;
    if (size != 1 || monomial.atoms.empty()) {
      factors.push_back(size.str());
    }
    for (Term atom : monomial.atoms) {
      factors.push_back(index(atom, true));
    }
    (monomial.coefficient < 0 ? subtracted : added).push_back(product_text(factors));
  }
  std::string text = added.empty() ? "0" : sum_text(added);
  if (!subtracted.empty()) {
    text += subtracted.size() == 1 ? " - " + subtracted[0] : " - (" + sum_text(subtracted) + ")";
  }
  return argument && text.find(' ') != std::string::npos ? "(" + text + ")" : text;
}

}  // namespace vouch::array
