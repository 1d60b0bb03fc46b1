// How terms become loop programs; see loop_program.h. Integers and conditions, scalars, and reductions each have a file.
#pragma once

#include <algorithm>

#include "kernel/loop_program.h"
#include "term/term.h"

namespace vouch::loops {

// Where an instruction stands: 0 once, 1 per block, 2 and on the indices of the reductions around it.
struct Place {
  std::size_t depth = 0;
  bool uniform = true;
};

struct Value {
  Register reg = kNoRegister;
  Place place;
  bool integral = false;  // int64 (or mask); else double
};

struct Interval {
  Integer low;
  Integer high;
};

// The conditions under which a subterm is evaluated: conjuncts, and the register of their conjunction.
struct Mask {
  std::vector<Term> guards;
  Value value;
  bool present() const { return value.reg != kNoRegister; }
};

// What was compiled in an enclosing scope stays valid inside; reads also depend on the mask.
struct Key {
  Term term;
  Register mask;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const { return std::hash<Term>()(key.term) * 31 + key.mask; }
};

class LoopCompiler {
 public:
  LoopCompiler(const std::unordered_map<Symbol, TensorShape>& tensors, LoopProgram& program)
      : tensors_(tensors), program_(program) {
    blocks_ = {&program_.once, &program_.block};
    scopes_.emplace_back();
    scopes_.emplace_back();
  }

  bool run(const Statement& statement, std::string& error);

 private:
  Value fresh(Place place, bool integral) {
    auto reg = static_cast<Register>(program_.uniform.size());
    program_.uniform.push_back(place.uniform);
    large_.push_back(false);
    return {reg, place, integral};
  }

  static Place join(Place a, Place b) { return {std::max(a.depth, b.depth), a.uniform && b.uniform}; }

  Value emit(LoopInstr instr, Place place, bool integral);

  // A register may hold a number of 2^63 and more as what is left modulo 2^64, where it comes of elements of uint64.
  bool is_large(Register reg) const { return reg != kNoRegister && large_[reg]; }
  void note_large(const LoopInstr& instr);

  Value emit2(LoopOp op, Value a, Value b, bool integral) {
    return emit({.op = op, .a = a.reg, .b = b.reg}, join(a.place, b.place), integral);
  }

  Value constant(const Integer& value);

  void refuse(std::string message) {
    if (error_.empty()) {
      error_ = std::move(message);
    }
  }

  template <class Make>
  Value remember(Term term, const Mask& mask, Make make) {
    // Without reads nothing depends on the mask.
    Key key{term, tensors_read(term).empty() ? kNoRegister : mask.value.reg};
    for (const auto& scope : scopes_) {
      if (auto found = scope.find(key); found != scope.end()) {
        return found->second;
      }
    }
    Value value = make();
    std::size_t depth = key.mask == kNoRegister ? value.place.depth : std::max(value.place.depth, mask.value.place.depth);
    scopes_[std::min(depth, scopes_.size() - 1)].emplace(key, value);
    return value;
  }

  // --- integer terms
  Value integer(Term t, const Mask& mask);
  Value make_integer(Term t, const Mask& mask);

  // Partial sums from the outermost place inwards, so that an inner loop adds only what changes there.
  Value sum(Term t, const Mask& mask);
  Value product(Term t, const Mask& mask);

  // --- guards
  Value inverse(Value guard) { return emit({.op = LoopOp::Not, .a = guard.reg}, guard.place, true); }

  Mask under(const Mask& mask, Term guard, Value value);
  Value condition(Term t, const Mask& mask);

  // From left to right: what is read by a later part is read where the parts before have not decided.
  Value junction(Term t, const Mask& mask);
  Value make_condition(Term t, const Mask& mask);

  // Integers are compared as integers.
  Value comparison(Term t, const Mask& mask);

  // --- scalar terms
  Value real(Value value);
  Value choose(LoopOp op, Value guard, Value then, Value otherwise, bool integral);
  Value scalar(Term t, const Mask& mask);
  Value make_scalar(Term t, const Mask& mask);
  Value arithmetic(Term t, LoopOp integral, LoopOp floating, const Mask& mask);
  Value function(Term t, const Mask& mask);

  // --- reads
  std::optional<Interval> range(Term t) const;

  // In range for sure: by intervals, or because a guard in force says so.
  bool proven_in_range(Term index, std::int64_t extent, const Mask& mask) const;
  Value read_element(Term t, const Mask& mask);

  // Whether the read is of a tensor of the target's shape, at the target's indices.
  bool is_own_position(Term t, const TensorShape& shape) const;
  Value own_position();
  bool is_read(Register reg) const;

  std::int64_t tensor_number(Symbol name) {
    auto at = std::find(program_.tensors.begin(), program_.tensors.end(), name);
    if (at == program_.tensors.end()) {
      program_.tensors.push_back(name);
      return static_cast<std::int64_t>(program_.tensors.size() - 1);
    }
    return at - program_.tensors.begin();
  }

  // --- reductions
  Value reduction(Term t, const Mask& mask);
  Value empty_reduction(Reduction reduction);

  Value compile_reduction(Term t, const Mask& mask, const std::vector<std::size_t>& order,
                          const std::vector<std::int64_t>& extents);

  // The deepest place that the reduction's free variables or its mask need. Code inside its levels may use whatever stands
  // in the blocks around, so a reduction inside another stays inside of it.
  Place outside(Term t, const std::unordered_map<Symbol, Value>& variables, const Mask& mask) const;

  // Recognises `sum read(x) * read(y)` (either perhaps selected to 0 by a mask of outer levels) whose innermost index moves
  // both addresses by constants.
  void find_product(ReduceLoop& loop);

  // address = outer + factor * index, or an address that does not move.
  static bool stepping(Register address, const ReduceLoop& loop, const std::unordered_map<Register, const LoopInstr*>& made,
                       ReduceLoop::Product& product, int side, std::size_t& accounted);
  bool is_zero(Register reg) const;

  const std::unordered_map<Symbol, TensorShape>& tensors_;
  LoopProgram& program_;
  std::vector<bool> large_;      // by register
  std::vector<Symbol> indices_;  // of the target
  std::vector<LoopBlock*> blocks_;
  std::vector<std::unordered_map<Key, Value, KeyHash>> scopes_;
  std::unordered_map<Symbol, Value> variables_;
  std::unordered_map<Symbol, Interval> ranges_;
  std::string error_;
};

}  // namespace vouch::loops
