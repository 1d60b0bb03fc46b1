// Whether what has to have a value is what is known to have one, or a part of it: seen by other names of indices alone.
#include <algorithm>
#include <span>
#include <utility>

#include "check/definedness.h"

namespace vouch {
namespace {

// Which of these are named inside, in order.
void add_named(Term term, const std::vector<Symbol>& bound, std::vector<Symbol>& out) {
  if (term.kind() == TermKind::IntVar && std::find(bound.begin(), bound.end(), term->symbol) != bound.end() &&
      std::find(out.begin(), out.end(), term->symbol) == out.end()) {
    out.push_back(term->symbol);
  }
  std::for_each(term.args().begin(), term.args().end(), [&](Term arg) { add_named(arg, bound, out); });
}

void add_named(const NormalForm& form, const std::vector<Symbol>& bound, std::vector<Symbol>& out) {
  for (const Summand& s : form) {
    for (const Factor& f : s.factors) {
      std::for_each(f.atom->indices.begin(), f.atom->indices.end(), [&](Term index) { add_named(index, bound, out); });
      std::for_each(f.atom->args.begin(), f.atom->args.end(), [&](const NormalForm& arg) { add_named(arg, bound, out); });
    }
  }
}

std::vector<Symbol> named(const Equality::Piece& piece) {
  std::vector<Symbol> out;
  add_named(piece.body, piece.bound, out);
  return out;
}

bool has_free(const Equality::Piece& piece, Symbol name) {
  auto is_in = [&](const std::vector<Symbol>& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return !is_in(piece.bound) &&
         (is_in(free_symbols(piece.body)) ||
          std::any_of(piece.guards.begin(), piece.guards.end(), [&](const Literal& g) { return is_in(free_symbols(g)); }));
}

// Is the one the other, with other names of its indices and perhaps more guards? What was moved along axes is, and nothing need
// be solved to see it.
bool is_renamed(FormBuilder& forms, const Equality::Piece& value, const Equality::Piece& by) {
  const std::vector<Symbol> theirs = named(by);
  const std::vector<Symbol> ours = named(value);
  if (theirs.size() != by.bound.size() || ours.size() != theirs.size() ||
      std::any_of(ours.begin(), ours.end(), [&](Symbol name) { return has_free(by, name); })) {
    return false;
  }
  Substitution rename;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    rename.emplace(theirs[k], int_var(ours[k]));
  }
  auto atom = [&](const NormalForm& form) { return forms.make_atom(AtomKind::Group, {}, {}, {form}); };
  return atom(forms.substituted(by.body, rename)) == atom(value.body) &&
         std::all_of(by.guards.begin(), by.guards.end(), [&](const Literal& guard) {
           return std::find(value.guards.begin(), value.guards.end(), forms.substituted(guard, rename)) != value.guards.end();
         });
}

}  // namespace

// Of what does not name an index it is enough to speak at 0, if that is one of the values of the index.
Equality::Piece Definedness::without_unnamed(Equality::Piece piece, const Context& context) {
  const std::vector<Symbol> names = free_symbols(piece.body);
  for (Symbol index : std::vector<Symbol>(piece.bound)) {
    if (std::find(names.begin(), names.end(), index) != names.end()) {
      continue;
    }
    std::vector<Literal> at_zero;
    std::vector<Literal> others;
    for (const Literal& guard : piece.guards) {
      const std::vector<Symbol> in_guard = free_symbols(guard);
      const bool speaks = std::find(in_guard.begin(), in_guard.end(), index) != in_guard.end();
      (speaks ? at_zero : others).push_back(speaks ? forms_.substituted(guard, {{index, Term(0)}}) : guard);
    }
    const Context here = context.with(others);
    if (std::all_of(at_zero.begin(), at_zero.end(), [&](const Literal& guard) { return equality_.entails(here, guard); })) {
      std::erase(piece.bound, index);
      piece.guards = std::move(others);
    }
  }
  return piece;
}

// The smaller of a position and of a last one is inside of a tensor where the position is: what is broadcast is read so.
Equality::Piece Definedness::without_limit(Equality::Piece piece, const Context& context) {
  const Atom& position = *piece.body[0].factors[0].atom;
  const NormalForm& at = position.args[0];
  if (!is_one_atom(at, AtomKind::Whole) || at[0].factors[0].atom->indices[0].kind() != TermKind::IntMin) {
    return piece;
  }
  const std::span<const Term> args = at[0].factors[0].atom->indices[0].args();
  for (std::size_t last : {0, 1}) {
    if (tensors_read(args[last]).empty() && equality_.entails(context.with(piece.guards), {ge(args[last], 0), nullptr, 0})) {
      piece.body = forms_.function(position.name, {forms_.integer(args[1 - last])});
      return piece;
    }
  }
  return piece;
}

bool Definedness::is_said(const Equality::Piece& piece, const std::vector<Equality::Piece>& known, const Context& context) {
  auto is_among = [&](const Equality::Piece& one, const std::vector<Equality::Piece>& all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& other) { return is_renamed(forms_, one, other); });
  };
  if (is_among(piece, known)) {
    return true;
  }
  std::vector<Equality::Piece> shorter;
  for (const Equality::Piece& one : known) {
    if (named(one).size() < one.bound.size()) {
      shorter.push_back(without_unnamed(one, context));
    }
  }
  const Equality::Piece least = without_unnamed(piece, context);
  if (!shorter.empty() && is_among(least, shorter)) {
    return true;
  }
  const bool looks_up = is_one_atom(piece.body, AtomKind::Function) && is_position(piece.body[0].factors[0].atom->name);
  const Equality::Piece looser = looks_up ? without_limit(least, context) : least;
  return looks_up && (is_among(looser, known) || is_among(looser, shorter));
}

}  // namespace vouch
