#include "instance/wrapping.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace vouch {
namespace {

bool is_conversion_call(Term term) { return term.kind() == TermKind::Call && is_conversion(term->fn); }

// The parts of both, each once.
std::vector<Term> parts_of(std::vector<Term> pending) {
  std::vector<Term> out;
  std::unordered_set<Term> seen;
  while (!pending.empty()) {
    Term term = pending.back();
    pending.pop_back();
    if (seen.insert(term).second) {
      out.push_back(term);
      pending.insert(pending.end(), term.args().begin(), term.args().end());
    }
  }
  return out;
}

class Wrapping {
 public:
  explicit Wrapping(const Stores& stores) : stores_(stores) {}

  bool survived(Term source, Term target) {
    std::vector<Term> parts = parts_of({source, target});
    std::set<DType> types;
    for (Term part : parts) {
      if (auto dtype = stores_.stored_integers(part)) {
        types.insert(*dtype);
      }
    }
    if (types.size() != 1) {
      return types.empty();
    }
    type_ = *types.begin();
    for (Term part : parts) {
      if (is_conversion_call(part) && is_reached(part.arg(0))) {
        of_integers_.insert(part->fn);
      }
    }
    return end_alike(source, target) &&
           std::all_of(parts.begin(), parts.end(), [&](Term part) { return keeps_congruence(part); });
  }

 private:
  // Is the value one that a stored integer is part of?
  bool is_reached(Term term) {
    if (auto found = reached_.find(term); found != reached_.end()) {
      return found->second;
    }
    bool out = stores_.stored_integers(term).has_value() ||
               (!is_conversion_call(term) &&
                std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return is_reached(arg); }));
    reached_.emplace(term, out);
    return out;
  }

  // Equal modulo 2^w are equal if both are elements of the type.
  bool end_alike(Term source, Term target) {
    return (!is_reached(source) && !is_reached(target)) ||
           (stores_.is_element(source, type_) && stores_.is_element(target, type_));
  }

  bool keeps_congruence(Term term) {
    if (is_conversion_call(term)) {
      return !of_integers_.contains(term->fn) || stores_.is_element(term.arg(0), type_);
    }
    if (!is_reached(term) || stores_.stored_integers(term)) {
      return true;
    }
    switch (term.kind()) {
      case TermKind::RealAdd:
      case TermKind::RealSub:
      case TermKind::RealMul:
      case TermKind::RealNeg: return stores_.is_whole(term);
      case TermKind::Select: return stores_.is_whole(term) && !is_reached(term.arg(0));
      case TermKind::Reduce:
        return (term->reduction == Reduction::Sum || term->reduction == Reduction::Product) && stores_.is_whole(term) &&
               std::none_of(term.args().begin() + 1, term.args().end(), [&](Term arg) { return is_reached(arg); });
      case TermKind::Call: return is_quotient_by_one(term);
      default: return false;
    }
  }

  bool is_quotient_by_one(Term call) const {
    return call->fn == Fn::TruncDiv && call.arg(1).kind() == TermKind::RealConst && call.arg(1)->value == 1 &&
           stores_.is_whole(call.arg(0));
  }

  const Stores& stores_;
  DType type_ = DType::Int64;
  std::set<Fn> of_integers_;  // conversions of integers that may have wrapped around
  std::unordered_map<Term, bool> reached_;
};

}  // namespace

bool survives_wrapping(const Stores& stores, Term source, Term target) { return Wrapping(stores).survived(source, target); }

// Asked of the same bodies for one instance after the other.
bool has_conversions(Term term) {
  thread_local std::unordered_map<Term, bool> known;
  auto [at, is_new] = known.try_emplace(term, false);
  if (is_new) {
    std::vector<Term> parts = parts_of({term});
    at->second = std::any_of(parts.begin(), parts.end(), is_conversion_call);
  }
  return at->second;
}

}  // namespace vouch
