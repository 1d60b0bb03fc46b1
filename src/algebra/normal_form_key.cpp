// By which equal atoms and summands are found.
#include "algebra/normal_form_key.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace vouch {
namespace {

std::uint64_t pointer_key(const void* p) { return std::bit_cast<std::uintptr_t>(p); }

using LiteralKey = std::array<std::uint64_t, 3>;

LiteralKey literal_key(const Literal& literal) {
  return {literal.sign ? 2U : 1U, literal.sign ? literal.sign->number : pointer_key(literal.fact.id()), literal.mask};
}

void add_key(AtomKey& key, const Literal& literal) {
  const LiteralKey all = literal_key(literal);
  key.insert(key.end(), all.begin(), all.end());
}

void add_key(AtomKey& key, std::string_view text) {
  key.push_back(text.size());
  for (std::size_t k = 0; k < text.size(); k += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + k, std::min(text.size() - k, sizeof word));
    key.push_back(word);
  }
}

// One; a number of few digits; any other by its text.
void add_key(AtomKey& key, const Rational& value) {
  if (is_one(value)) {
    return key.push_back(0);
  }
  const auto over = int64_of(Integer(numerator(value)));
  const auto under = int64_of(Integer(denominator(value)));
  if (over && under) {
    key.insert(key.end(), {1, static_cast<std::uint64_t>(*over), static_cast<std::uint64_t>(*under)});
    return;
  }
  key.push_back(2);
  add_key(key, to_text(value));
}

}  // namespace

void add_key(AtomKey& key, const std::vector<Literal>& literals) {
  key.push_back(literals.size());
  for (const Literal& l : literals) {
    add_key(key, l);
  }
}

void add_key(AtomKey& key, const Summand& s) {
  add_key(key, s.coefficient);
  key.push_back(s.bound.size());
  for (Symbol b : s.bound) {
    key.push_back(pointer_key(&b.name()));
  }
  add_key(key, s.guards);
  key.push_back(s.factors.size());
  for (const Factor& f : s.factors) {
    key.push_back(f.atom->number);
    key.push_back(static_cast<std::uint64_t>(f.exponent));
  }
}

static void add_body(AtomKey& key, const Summand& s) {
  key.insert(key.end(), {s.bound.size(), s.guards.size(), s.factors.size()});
  for (Symbol b : s.bound) {
    key.push_back(pointer_key(&b.name()));
  }
  if (s.guards.size() == 1) {
    add_key(key, s.guards[0]);
  } else if (!s.guards.empty()) {
    std::vector<LiteralKey> guards(s.guards.size());
    std::transform(s.guards.begin(), s.guards.end(), guards.begin(), literal_key);
    std::sort(guards.begin(), guards.end());
    for (const LiteralKey& g : guards) {
      key.insert(key.end(), g.begin(), g.end());
    }
  }
  for (const Factor& f : s.factors) {
    key.push_back(f.atom->number);
    key.push_back(static_cast<std::uint64_t>(f.exponent));
  }
}

AtomKey body_key(const Summand& s) {
  AtomKey key;
  key.reserve(3 + s.bound.size() + LiteralKey().size() * s.guards.size() + 2 * s.factors.size());
  add_body(key, s);
  return key;
}

// Its summands in whatever order.
static void add_form(AtomKey& key, const NormalForm& form) {
  key.push_back(form.size());
  if (form.size() == 1) {
    add_body(key, form[0]);
    return add_key(key, form[0].coefficient);
  }
  std::vector<AtomKey> summands;
  summands.reserve(form.size());
  for (const Summand& s : form) {
    summands.push_back(body_key(s));
    add_key(summands.back(), s.coefficient);
  }
  std::sort(summands.begin(), summands.end());
  for (const AtomKey& s : summands) {
    key.insert(key.end(), s.begin(), s.end());
  }
}

AtomKey FormBuilder::key_of(const Atom& atom) {
  AtomKey key{static_cast<std::uint64_t>(atom.kind), pointer_key(&atom.symbol.name()),
              static_cast<std::uint64_t>(atom.reduction) * 2 + (atom.ordered ? 1 : 0), atom.indices.size(), atom.args.size()};
  constexpr std::size_t kOfMostAtoms = 32;
  key.reserve(kOfMostAtoms);
  add_key(key, atom.name);
  for (Term index : atom.indices) {
    key.push_back(pointer_key(index.id()));
  }
  for (Symbol b : atom.bound) {
    key.push_back(pointer_key(&b.name()));
  }
  for (const Literal& g : atom.guards) {
    add_key(key, g);
  }
  for (const NormalForm& arg : atom.args) {
    add_form(key, arg);
  }
  return key;
}

}  // namespace vouch
