#include "certify/reading_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "certify/coq_text.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

// Words of Coq, and of coq/certify/Reading.v.
constexpr std::array<std::string_view, 118> kTaken = {"IF",           "K",           "Prop",
                                                      "SProp",        "Set",         "Type",
                                                      "abs_int32",    "abs_int64",   "abs_uint64",
                                                      "acos_double",  "acosf",       "acosh_double",
                                                      "acoshf",       "after",       "andb",
                                                      "as",           "asin_double", "asinf",
                                                      "asinh_double", "asinhf",      "at",
                                                      "atan_double",  "atanf",       "atanh_double",
                                                      "atanhf",       "before",      "by",
                                                      "ceil_double",  "ceilf",       "certified",
                                                      "checked",      "choose",      "cofix",
                                                      "computes",     "convert",     "cos_double",
                                                      "cosf",         "cosh_double", "coshf",
                                                      "dyadic",       "else",        "end",
                                                      "equal",        "erf_double",  "erf_lanes",
                                                      "erff",         "exists",      "exists2",
                                                      "exp_double",   "exp_lanes",   "expf",
                                                      "fabs_double",  "fabsf",       "fix",
                                                      "floor_double", "floorf",      "fma_double",
                                                      "fmaf",         "fold",        "for",
                                                      "forall",       "from",        "fun",
                                                      "gives",        "greater",     "greater_double",
                                                      "if",           "in",          "infinity",
                                                      "kernel",       "kernel_text", "less",
                                                      "less_equal",   "lesser",      "lesser_double",
                                                      "let",          "log_double",  "logf",
                                                      "match",        "max_int32",   "max_int64",
                                                      "max_uint64",   "mem",         "min_int32",
                                                      "min_int64",    "min_uint64",  "minus_infinity",
                                                      "mod",          "neg_double",  "neg_int32",
                                                      "neg_int64",    "neg_uint64",  "negb",
                                                      "negf",         "ordinal",     "pow_double",
                                                      "powf",         "return",      "round_double",
                                                      "roundf",       "runs",        "scalars",
                                                      "sin_double",   "sinf",        "sinh_double",
                                                      "sinhf",        "sqrt_double", "sqrtf",
                                                      "tan_double",   "tanf",        "tanh_double",
                                                      "tanh_lanes",   "tanhf",       "then",
                                                      "using",        "where",       "whole",
                                                      "with"};

// From the left, as Coq reads the text.
Written joined(const std::vector<Written>& parts, std::string_view infix, std::string_view constructor) {
  Written all = parts.at(0);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    all.text += fmt::format(" {} {}", infix, parts[i].text);
    all.data = fmt::format("({} {} {})", constructor, all.data, parts[i].data);
  }
  return all;
}

// Coq writes natural numbers in unary: larger ones stay binary, as `#4000000`.
std::string numeral(const Integer& value) { return (value > 1000 ? "#" : "") + value.str(); }

Written number(const Integer& value) { return {numeral(value), fmt::format("(XSize (SConst {}))", value.str())}; }

bool has_atom(Term term, Term atom) {
  std::vector<Monomial> parts = monomials(term);
  return std::any_of(parts.begin(), parts.end(), [&](const Monomial& part) {
    return std::find(part.atoms.begin(), part.atoms.end(), atom) != part.atoms.end();
  });
}

}  // namespace

ReadingWords::ReadingWords(const std::vector<std::string>& sizes) {
  for (std::string_view taken : kTaken) {
    used_.emplace(taken);
  }
  for (const std::string& size : sizes) {
    std::string number = fmt::format("(XSize (SVar {}))", sizes_.size());
    data_[sizes_.emplace_back(rename(size))] = number;
  }
}

std::string ReadingWords::enter_index(std::size_t level) {
  std::string name = enter({"i", "j", "k", "l", "q", "r"}, "i");
  data_[name] = fmt::format("(XVar {})", level);
  return name;
}

Written ReadingWords::size_written(const std::string& text, const Size& size) {
  return {text, fmt::format("(XSize {})", coq_size(size))};
}

std::string ReadingWords::rename(const std::string& name) {
  std::string usable = name;
  while (!used_.insert(usable).second) {
    usable += "_";
  }
  return usable;
}

std::string ReadingWords::enter(const std::vector<std::string>& liked, const std::string& stem) {
  int& first_free = first_free_.try_emplace(stem, 1).first->second;
  auto free = std::find_if(liked.begin(), liked.end(), [&](const std::string& name) { return !is_used(name); });
  Entered entered = {free != liked.end() ? *free : "", stem, first_free};
  for (; entered.name.empty() || is_used(entered.name); ++first_free) {
    entered.name = stem + std::to_string(first_free);
  }
  used_.insert(entered.name);
  return entered_.emplace_back(std::move(entered)).name;
}

void ReadingWords::leave() {
  used_.erase(entered_.back().name);
  first_free_[entered_.back().stem] = entered_.back().first;
  entered_.pop_back();
}

std::string ReadingWords::size(const Size& size) const {
  switch (size->kind) {
    case SizeKind::Var: return sizes_.at(size->var);
    case SizeKind::Const: return numeral(size->value);
    case SizeKind::Add: return fmt::format("{} + {}", this->size(size->args[0]), size_factor(size->args[1]));
    case SizeKind::Mul: return fmt::format("{} * {}", size_factor(size->args[0]), size_factor(size->args[1]));
    case SizeKind::Part: return part(*size);
  }
  fault("no such size");
}

std::string ReadingWords::part(const array::SizeNode& size) const {
  const std::string& all = sizes_.at(size.var);
  std::string by = numeral(size.value);
  switch (size.part) {
    case array::SizePart::Quotient: return fmt::format("{} / {}", all, by);
    case array::SizePart::Remainder: return fmt::format("{} mod {}", all, by);
    case array::SizePart::Digit: return fmt::format("{} / {} mod {}", all, by, numeral(size.base));
    case array::SizePart::Started: return fmt::format("({} mod {} + ({} - 1)) / {}", all, by, by, by);
  }
  fault("no such part");
}

std::string ReadingWords::size_factor(const Size& size) const {
  bool word = size->kind == SizeKind::Var || size->kind == SizeKind::Const;
  return word ? this->size(size) : "(" + this->size(size) + ")";
}

Term ReadingWords::part_index(const array::SizeNode& size) const {
  Term all = int_var(sizes_.at(size.var));
  Term by = int_const(size.value);
  Term blocks = floor_div(all, by);
  switch (size.part) {
    case array::SizePart::Quotient: return blocks;
    case array::SizePart::Remainder: return all - by * blocks;
    case array::SizePart::Digit: return blocks - int_const(size.base) * floor_div(blocks, int_const(size.base));
    case array::SizePart::Started: return floor_div(all - by * blocks + by - Term(1), by);
  }
  fault("no such part");
}

Term ReadingWords::size_index(const Size& size) const {
  switch (size->kind) {
    case SizeKind::Var: return int_var(sizes_.at(size->var));
    case SizeKind::Const: return int_const(size->value);
    case SizeKind::Add: return size_index(size->args[0]) + size_index(size->args[1]);
    case SizeKind::Mul: return size_index(size->args[0]) * size_index(size->args[1]);
    case SizeKind::Part: return part_index(*size);
  }
  fault("no such size");
}

// `a - b * (a / b)` as one atom `(a mod b)`, which stands in the term as a variable of that name. Of a quotient nothing may be
// left: Coq finds the difference again where the remainder is all that became of it.
Term ReadingWords::with_remainders(Term term) const {
  for (const Monomial& monomial : monomials(term)) {
    for (Term atom : monomial.atoms) {
      if (atom.kind() != TermKind::FloorDiv || atom.arg(0) == term) {
        continue;
      }
      Term rest = term + atom.arg(1) * atom - atom.arg(0);
      if (monomials(rest).size() < monomials(term).size() && !has_atom(rest, atom)) {
        Written dividend = index(atom.arg(0), true);
        Written divisor = index(atom.arg(1), true);
        std::string name = fmt::format("({} mod {})", dividend.text, divisor.text);
        data_[name] = fmt::format("(XMod {} {})", dividend.data, divisor.data);
        return with_remainders(rest + int_var(name));
      }
    }
  }
  return term;
}

Term ReadingWords::divided(Term a, Term b, bool quotient) const {
  std::vector<Monomial> parts = monomials(a);
  bool plain = std::all_of(parts.begin(), parts.end(), [](const Monomial& monomial) {
    return monomial.coefficient >= 0 && std::all_of(monomial.atoms.begin(), monomial.atoms.end(), [](Term atom) {
             return atom.kind() == TermKind::IntVar && atom->symbol.name().front() != '(';
           });
  });
  if (plain) {
    return quotient ? floor_div(a, b) : a - b * floor_div(a, b);
  }
  Written dividend = index(a, true);
  Written divisor = index(b, true);
  std::string name = fmt::format("({} {} {})", dividend.text, quotient ? "/" : "mod", divisor.text);
  data_[name] = fmt::format("({} {} {})", quotient ? "XDiv" : "XMod", dividend.data, divisor.data);
  return int_var(name);
}

Written ReadingWords::index_word(Term atom) const {
  if (atom.kind() == TermKind::IntVar) {
    std::string name(atom->symbol.name());
    return {name, data_.at(name)};
  }
  Written dividend = index(atom.arg(0), true);
  Written divisor = index(atom.arg(1), true);
  bool quotient = atom.kind() == TermKind::FloorDiv;
  return {fmt::format("({} {} {})", dividend.text, quotient ? "/" : "mod", divisor.text),
          fmt::format("({} {} {})", quotient ? "XDiv" : "XMod", dividend.data, divisor.data)};
}

Written ReadingWords::index(Term term, bool argument) const {
  if (term.kind() == TermKind::IntVar || term.kind() == TermKind::FloorDiv || term.kind() == TermKind::FloorMod) {
    return index_word(term);
  }
  Term plain = with_remainders(term);
  if (plain != term) {
    return index(plain, argument);
  }
  // A difference is one subtraction: natural numbers stop at zero.
  std::vector<Written> added;
  std::vector<Written> subtracted;
  for (const Monomial& monomial : monomials(term)) {
    std::vector<Written> factors;
    Integer size = monomial.coefficient < 0 ? Integer(-monomial.coefficient) : monomial.coefficient;
    if (size != 1 || monomial.atoms.empty()) {
      factors.push_back(number(size));
    }
    for (Term atom : monomial.atoms) {
      factors.push_back(index(atom, true));
    }
    (monomial.coefficient < 0 ? subtracted : added).push_back(joined(factors, "*", "XMul"));
  }
  Written all = added.empty() ? number(0) : joined(added, "+", "XAdd");
  if (!subtracted.empty()) {
    Written less = joined(subtracted, "+", "XAdd");
    all.text += subtracted.size() == 1 ? " - " + less.text : " - (" + less.text + ")";
    all.data = fmt::format("(XSub {} {})", all.data, less.data);
  }
  if (argument && all.text.find(' ') != std::string::npos) {
    all.text = "(" + all.text + ")";
  }
  return all;
}

}  // namespace vouch::array
