#include "facts/family.h"

#include <fmt/format.h>

#include "term/print.h"

namespace vouch {

Term family_item(Symbol name, Term branch) { return int_of(read(name, {branch})); }

Symbol position_name(Term length, Term size) {
  return Symbol(fmt::format("branch of {} by {}", print_term(length), print_term(size)));
}

std::optional<FamilyItem> as_family_item(Term term) {
  bool is_item = term.kind() == TermKind::IntOf && term.arg(0).kind() == TermKind::Read && term.arg(0).args().size() == 1;
  return is_item ? std::optional(FamilyItem{term.arg(0)->symbol, term.arg(0).arg(0)}) : std::nullopt;
}

bool Families::has(Term item) const {
  auto found = as_family_item(item);
  return found && (items.contains(found->name) || sums.contains(found->name) || positions.contains(found->name));
}

}  // namespace vouch
