#include "notation/tk_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/tk_meaning.h"
#include "support/symbols.h"
#include "term/substitute.h"

namespace vouch {
namespace {

class Tables {
 public:
  explicit Tables(TkKernel& kernel) : kernel_(kernel) {}

  void convert() {
    for (TkStatement& statement : kernel_.statements) {
      for (TkSummand& summand : statement.summands) {
        summand.body = converted(summand.body);
        summand.guard = converted(summand.guard);
      }
    }
    kernel_.statements.insert(kernel_.statements.begin(), made_.begin(), made_.end());
  }

 private:
  Term converted(Term term) {
    return replace_reads(term, [&](Symbol tensor, std::span<const Term> at) {
      bool by_data = std::any_of(at.begin(), at.end(), [](Term index) { return index.kind() == TermKind::IntOf; });
      bool input = contains(kernel_.inputs, tensor);
      return by_data && input && kernel_.stored_type(tensor) != kernel_.computed_type()
                 ? std::optional(read(local(tensor), {at.begin(), at.end()}))
                 : std::nullopt;
    });
  }

  Symbol local(Symbol tensor) {
    auto [at, is_new] = locals_.try_emplace(tensor, Symbol());
    if (is_new) {
      std::vector<Term> shape = kernel_.tensor(tensor).shape;
      at->second = fresh_name(Symbol(tensor.name() + "_converted"), [&](Symbol name) { return is_taken(name); });
      kernel_.tensors.push_back({at->second, at->second, shape});
      TkStatement statement;
      statement.target = at->second;
      std::vector<Term> indices;
      for (std::size_t a = 0; a < shape.size(); ++a) {
        statement.indices.push_back(fresh_name(Symbol(fmt::format("z{}", a)), [&](Symbol name) { return is_taken(name); }));
        statement.domains.push_back({statement.indices.back(), false, Term(0), shape[a]});
        indices.push_back(int_var(statement.indices.back()));
      }
      statement.summands.push_back({{}, bool_const(true), read(tensor, indices)});
      made_.push_back(std::move(statement));
    }
    return at->second;
  }

  // A loop may have the name of another statement's: only tensors and sizes are those of all.
  bool is_taken(Symbol name) const {
    return kernel_.sizes.has(name) || std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const TkTensor& tensor) {
             return tensor.name == name || tensor.written == name;
           });
  }

  TkKernel& kernel_;
  std::unordered_map<Symbol, Symbol> locals_;
  std::vector<TkStatement> made_;
};

}  // namespace

void convert_tables(TkKernel& kernel) { Tables(kernel).convert(); }

}  // namespace vouch
