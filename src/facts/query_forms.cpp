#include "facts/query_forms.h"

#include <algorithm>

namespace vouch {

const QueryForms::Form& QueryForms::form_of(const Facts& facts) {
  form_.clear();
  places_.clear();
  terms_.clear();
  for (Term term : facts) {
    const Fact& fact = read(term);
    form_.push_back(fact.text);
    for (std::size_t k = 0; k < fact.unknowns.size(); ++k) {
      auto [at, is_new] = places_.emplace(fact.unknowns[k], static_cast<std::uint32_t>(terms_.size()));
      if (is_new) {
        terms_.push_back(fact.terms[k]);
      }
      form_.push_back(at->second);
    }
  }
  return form_;
}

std::vector<QueryForms::Variable> QueryForms::variables() const {
  std::vector<Variable> out;
  for (std::uint32_t place = 0; place < terms_.size(); ++place) {
    if (terms_[place] && terms_[place].kind() == TermKind::IntVar) {
      out.push_back({terms_[place], place});
    }
  }
  return out;
}

std::uint32_t QueryForms::place_of(Term variable) const {
  auto found = places_.find(variable.id());
  return found == places_.end() ? static_cast<std::uint32_t>(terms_.size()) : found->second;
}

const QueryForms::Fact& QueryForms::read(Term term) {
  auto known = facts_.find(term);
  if (known == facts_.end()) {
    Fact fact;
    std::string text;
    write_guard(term, fact, text);
    fact.text = texts_.emplace(std::move(text), static_cast<std::uint32_t>(texts_.size())).first->second;
    known = facts_.emplace(term, std::move(fact)).first;
  }
  return known->second;
}

void QueryForms::write_guard(Term term, Fact& fact, std::string& text) {
  switch (term.kind()) {
    case TermKind::BoolConst: text += is_true(term) ? "true" : "false"; return;
    case TermKind::IntLe:
    case TermKind::IntEq:
      text += term.kind() == TermKind::IntLe ? "(<= " : "(= ";
      write_integer(term.arg(0), fact, text);
      text += ' ';
      write_integer(term.arg(1), fact, text);
      break;
    case TermKind::Not:
    case TermKind::And:
    case TermKind::Or:
      text += term.kind() == TermKind::Not ? "(not" : term.kind() == TermKind::And ? "(and" : "(or";
      for (Term part : term.args()) {
        text += ' ';
        write_guard(part, fact, text);
      }
      break;
    default: text += "(truth "; write_unknown(term.id(), term, fact, text);
  }
  text += ')';
}

void QueryForms::write_integer(Term term, Fact& fact, std::string& text) {
  text += "(+";
  for (const Monomial& m : monomials_of(term)) {
    text += ' ' + m.coefficient.str();
    if (!m.atoms.empty()) {
      text += '*';
      write_atom(m.atoms.size() == 1 ? m.atoms[0] : from_monomials({{1, m.atoms}}), fact, text);
    }
  }
  text += ')';
}

void QueryForms::write_atom(Term term, Fact& fact, std::string& text) {
  bool data = term.kind() == TermKind::IntOf && term.arg(0).kind() == TermKind::Read;
  if (!data) {
    return write_unknown(term.id(), term, fact, text);
  }
  text += "(data ";
  write_unknown(&term.arg(0)->symbol.name(), Term(), fact, text);
  for (Term index : term.arg(0).args()) {
    text += ' ';
    write_integer(index, fact, text);
  }
  text += ')';
}

void QueryForms::write_unknown(Unknown unknown, Term term, Fact& fact, std::string& text) {
  auto at = std::find(fact.unknowns.begin(), fact.unknowns.end(), unknown);
  text += '#' + std::to_string(at - fact.unknowns.begin());
  if (at == fact.unknowns.end()) {
    fact.unknowns.push_back(unknown);
    fact.terms.push_back(term);
  }
}

}  // namespace vouch
