#include "instance/held_contents.h"

#include <algorithm>

#include "facts/index_terms.h"
#include "graph/size_range.h"
#include "tensor/element.h"

namespace vouch {
namespace {

class Held {
 public:
  Held(const Instance& instance, const std::vector<Term>& stated, DType dtype, const std::vector<Type>& operands,
       const KnownContents& contents)
      : instance_(instance), stated_(stated), dtype_(dtype), operands_(operands), contents_(contents) {}

  bool operator()(Term element) const {
    return is_const(element) || (dtype_ == DType::Int64 && is_of_sizes(element)) || is_moved(element) ||
           holds_whatever(dtype_, element, [this](Symbol variable) { return range_of_variable(variable); });
  }

 private:
  bool is_of_sizes(Term number) const {
    return number.kind() == TermKind::IntVar
               ? is_size(number->symbol)
               : std::all_of(number.args().begin(), number.args().end(), [this](Term arg) { return is_of_sizes(arg); });
  }

  const FreeSymbol* found(Symbol variable) const {
    auto at = std::find_if(instance_.symbols.begin(), instance_.symbols.end(),
                           [&](const FreeSymbol& symbol) { return symbol.name == variable; });
    return at == instance_.symbols.end() ? nullptr : &*at;
  }

  bool is_size(Symbol variable) const {
    const FreeSymbol* symbol = found(variable);
    return symbol != nullptr && (symbol->kind == SymbolKind::Size || symbol->kind == SymbolKind::Branches);
  }

  bool is_moved(Term element) const {
    for (std::size_t k = 0; k < contents_.size(); ++k) {
      bool same_type = contents_[k] != nullptr && operands_[k].is_tensor() && operands_[k].dtype() == dtype_;
      bool same_types = contents_[k] != nullptr && operands_[k].is_tuple() &&
                        std::all_of(operands_[k].items().begin(), operands_[k].items().end(),
                                    [&](Type item) { return item.is_tensor() && item.dtype() == dtype_; });
      if ((same_type || same_types) && std::find(contents_[k]->begin(), contents_[k]->end(), element) != contents_[k]->end()) {
        return true;
      }
    }
    return false;
  }

  NumberRange range_of_variable(Symbol variable) const {
    NumberRange out = range_by_type(variable);
    if (const FreeSymbol* symbol = found(variable); symbol != nullptr && symbol->at_least) {
      out.low = std::max(out.low, Rational(*symbol->at_least));
    }
    for (Term condition : stated_) {
      narrow(out, int_var(variable), condition);
    }
    return out;
  }

  // By what is stated: bounds that are numbers.
  static void narrow(NumberRange& range, Term variable, Term guard) {
    if (guard.kind() == TermKind::And) {
      for (Term part : guard.args()) {
        narrow(range, variable, part);
      }
    } else if (guard.kind() == TermKind::IntLe && guard.arg(0) == variable && is_const(guard.arg(1))) {
      range.high = std::min(range.high, guard.arg(1)->value);
    } else if (guard.kind() == TermKind::IntLe && guard.arg(1) == variable && is_const(guard.arg(0))) {
      range.low = std::max(range.low, guard.arg(0)->value);
    }
  }

  // Attributes are of int64; so is what is no element of an input.
  NumberRange range_by_type(Symbol variable) const {
    NumberRange any = range_of(DType::Int64);
    if (is_size(variable)) {
      return {0, any.high};
    }
    for (const InputTensor& input : instance_.inputs) {
      bool of_it = input.contents && std::any_of(input.contents->begin(), input.contents->end(),
                                                 [&](Term element) { return mentions(element, variable); });
      if (of_it || (input.fill && mentions(*input.fill, variable))) {
        return range_of(input.type.dtype());
      }
    }
    return any;
  }

  const Instance& instance_;
  const std::vector<Term>& stated_;
  const DType dtype_;
  const std::vector<Type>& operands_;
  const KnownContents& contents_;
};

}  // namespace

std::optional<std::vector<Term>> held_contents(const Instance& instance, const std::vector<Term>& stated,
                                               const CallTyping& typing, const std::vector<Type>& operands,
                                               const KnownContents& contents) {
  if (typing.contents.empty() || !typing.contents[0] || instance.own_types) {
    return typing.contents.empty() ? std::nullopt : typing.contents[0];
  }
  const std::vector<Term>& elements = *typing.contents[0];
  Held held(instance, stated, typing.results[0].dtype(), operands, contents);
  return std::all_of(elements.begin(), elements.end(), held) ? std::optional(elements) : std::nullopt;
}

}  // namespace vouch
