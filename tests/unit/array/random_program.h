// Random well-typed programs, the same for the same seed on every machine.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "array/builder.h"
#include "support/fault.h"

namespace vouch::array {

// Programs over the sizes n and m, with inputs of all shapes, in which every form of the language occurs.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {}

  Program make(const std::string& name) {
    Report report = [](const std::string& message, const std::string&) { fault(message); };
    builder_.emplace(std::vector<std::string>{"n", "m"}, std::vector<SizeFact>{}, report);
    for (const Type& type : {type_num(), array(num(), pick_size()), array(array(num(), pick_size()), pick_size()),
                             array(type_pair(num(), num()), pick_size())}) {
      unsigned level = builder_->next_level();
      scope_.push_back({level, type});
      builder_->input("a" + std::to_string(level), type);
    }
    Type result = pick_type(3);
    Built term = generate(result, 5);
    scope_.clear();
    return *builder_->finish(name, {"out", result}, term);
  }

 private:
  struct Bound {
    unsigned level;
    Type type;
  };
  struct Position {
    unsigned level;
    Size bound;
  };

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  static Type num() { return type_num(); }
  static Type array(const Type& element, const Size& n) { return type_array(n, element); }

  Size pick_size() {
    switch (below(6)) {
      case 0: return size_var(0);
      case 1: return size_var(1);
      case 2: return size_mul(size_var(0), size_const(1 + below(3)));
      case 3: return size_add(size_var(1), size_const(below(3)));
      default: return size_const(below(4));
    }
  }

  Type pick_type(unsigned depth) {
    switch (depth == 0 ? 0 : below(4)) {
      case 0: return num();
      case 1: return type_pair(pick_type(depth - 1), pick_type(depth - 1));
      default: return array(pick_type(depth - 1), pick_size());
    }
  }

  Const pick_const() {
    if (below(12) == 0) {
      return {0, 0, true, below(2) == 0};
    }
    return {static_cast<int>(below(9)) - 4, static_cast<int>(below(3)) - 1, false, false};
  }

  // OpenMP has no loop on threads or in lanes within a loop in lanes.
  LoopKind pick_loop() {
    auto loop = static_cast<LoopKind>(below(4));
    bool concurrent = loop == LoopKind::Par || loop == LoopKind::Vec;
    return lanes_ > 0 && concurrent ? LoopKind::Seq : loop;
  }

  Built leaf(const Type& type) {
    std::vector<unsigned> fitting;
    for (const Bound& bound : scope_) {
      if (same_type(bound.type, type)) {
        fitting.push_back(bound.level);
      }
    }
    if (!fitting.empty() && below(8) != 0) {
      return builder_->variable(fitting[below(static_cast<unsigned>(fitting.size()))]);
    }
    return builder_->constant(type, pick_const());
  }

  Built generate(const Type& type, unsigned fuel) {
    if (fuel == 0) {
      return leaf(type);
    }
    switch (below(14)) {
      case 0: return leaf(type);
      case 1: return let(type, fuel);
      case 2: return builder_->mem(generate(type, fuel - 1));
      case 3: return choice(type, fuel);
      case 4: return reduction(type, fuel);
      case 5: return part(type, fuel);
      default: break;
    }
    switch (type->kind) {
      case TypeKind::Num: return number(fuel);
      case TypeKind::Pair: return builder_->pair(generate(type->parts[0], fuel - 1), generate(type->parts[1], fuel - 1));
      case TypeKind::Array: return array_term(type, fuel);
    }
    fault("no such type");
  }

  Built under(const std::vector<Type>& types, const Size* bound, unsigned outside, unsigned level,
              const std::function<Built()>& body) {
    for (const Type& type : types) {
      scope_.push_back({outside++, type});
    }
    if (bound != nullptr) {
      positions_.push_back({level, *bound});
    }
    Built result = body();
    if (bound != nullptr) {
      positions_.pop_back();
    }
    scope_.resize(scope_.size() - types.size());
    return result;
  }

  Built let(const Type& type, unsigned fuel) {
    Type bound = pick_type(2);
    Built value = generate(bound, fuel - 1);
    unsigned outside = builder_->next_level();
    return builder_->let(
        value, [&](const Built&) { return under({bound}, nullptr, outside, 0, [&] { return generate(type, fuel - 1); }); });
  }

  Index pick_index() {
    Index i = positions_.empty() ? index_size(size_const(below(3)))
                                 : builder_->position(positions_[below(static_cast<unsigned>(positions_.size()))].level);
    switch (below(4)) {
      case 0: return index_op(IndexKind::Mod, i, index_size(size_const(2)));
      case 1: return index_op(IndexKind::Add, i, index_size(size_var(0)));
      default: return i;
    }
  }

  Built choice(const Type& type, unsigned fuel) {
    Guard guard = guard_compare(below(2) == 0 ? GuardKind::Less : GuardKind::Equal, pick_index(), pick_index());
    if (below(3) == 0) {
      guard = guard_join(GuardKind::Not, {guard});
    }
    if (below(4) == 0) {
      guard = guard_join(below(2) == 0 ? GuardKind::And : GuardKind::Or,
                         {guard, guard_compare(GuardKind::Less, pick_index(), pick_index())});
    }
    return builder_->choose(guard, generate(type, fuel - 1), generate(type, fuel - 1));
  }

  Built reduction(const Type& type, unsigned fuel) {
    Size n = pick_size();
    Type element = pick_type(1);
    Built elements = generate(array(element, n), fuel - 1);
    Built start = generate(type, fuel - 1);
    unsigned outside = builder_->next_level();
    Built out = builder_->reduce(
        below(2) == 0 ? Place::Into : Place::Fresh, elements, start, [&](const Built&, const Built&, unsigned level) {
          return under({start->type, element}, &n, outside, level, [&] { return generate(type, fuel - 1); });
        });
    return below(4) == 0 ? Builder::unrolled(std::move(out)) : out;
  }

  // A half of a pair, or an element of an array.
  Built part(const Type& type, unsigned fuel) {
    if (below(2) == 0 && !positions_.empty()) {
      const Position position = positions_[below(static_cast<unsigned>(positions_.size()))];
      return builder_->at(generate(array(type, position.bound), fuel - 1), builder_->position(position.level));
    }
    Type other = pick_type(1);
    return below(2) == 0 ? builder_->through(layout(LayoutKind::Fst), generate(type_pair(type, other), fuel - 1))
                         : builder_->through(layout(LayoutKind::Snd), generate(type_pair(other, type), fuel - 1));
  }

  Built number(unsigned fuel) {
    Op op = static_cast<Op>(below(kOpCount));
    if (below(5) == 0) {
      return builder_->apply(op, generate(op_argument(op), fuel - 1));
    }
    std::vector<Built> arguments;
    for (int i = 0; i < op_row(op).arity; ++i) {
      arguments.push_back(generate(num(), fuel - 1));
    }
    return builder_->op(op, arguments);
  }

  Built map(const Type& type, unsigned fuel) {
    Type from = pick_type(1);
    Size n = type->size;
    Built elements = below(4) == 0 ? builder_->constant(array(num(), n), {}) : generate(array(from, n), fuel - 1);
    from = elements->type->parts[0];
    unsigned outside = builder_->next_level();
    LoopKind loop = pick_loop();
    return builder_->map(loop, elements, [&](const Built&, unsigned level) {
      lanes_ += loop == LoopKind::Vec ? 1 : 0;
      Built body = under({from}, &n, outside, level, [&] { return generate(type->parts[0], fuel - 1); });
      lanes_ -= loop == LoopKind::Vec ? 1 : 0;
      return body;
    });
  }

  Built array_term(const Type& type, unsigned fuel) {
    const Size& n = type->size;
    const Type& element = type->parts[0];
    bool nested = element->kind == TypeKind::Array;
    switch (below(12)) {
      case 0: return builder_->through(layout(LayoutKind::Rev, {n}), generate(type, fuel - 1));
      case 1: return builder_->through(layout(LayoutKind::Repeat, {n}), generate(element, fuel - 1));
      case 2: {
        Size offset = size_const(below(3));
        return builder_->through(layout(LayoutKind::Slice, {offset, n}),
                                 generate(array(element, size_add(n, size_add(offset, size_const(below(2))))), fuel - 1));
      }
      case 3:
        if (element->kind == TypeKind::Pair) {
          Type halves = type_pair(array(element->parts[0], n), array(element->parts[1], n));
          return builder_->through(layout(LayoutKind::Zip), generate(halves, fuel - 1));
        }
        return through_each(type, fuel);
      case 4:
        if (nested) {
          return builder_->through(layout(LayoutKind::Trans),
                                   generate(array(array(element->parts[0], n), element->size), fuel - 1));
        }
        return half_of_unzipped(type, fuel);
      case 5:
        if (nested) {
          return builder_->through(layout(LayoutKind::Split, {element->size, n}),
                                   generate(array(element->parts[0], size_mul(element->size, n)), fuel - 1));
        }
        return map(type, fuel);
      case 6:
        if (n->kind == SizeKind::Mul) {
          return builder_->through(layout(LayoutKind::Join, {n->args[0], n->args[1]}),
                                   generate(array(array(element, n->args[0]), n->args[1]), fuel - 1));
        }
        return map(type, fuel);
      case 7:
        if (n->kind == SizeKind::Add) {
          return builder_->cat(generate(array(element, n->args[0]), fuel - 1), generate(array(element, n->args[1]), fuel - 1));
        }
        return slide(type, fuel);
      case 8: return pad(type, fuel);
      default: return map(type, fuel);
    }
  }

  Built through_each(const Type& type, unsigned fuel) {
    const Type& element = type->parts[0];
    if (element->kind != TypeKind::Array) {
      return map(type, fuel);
    }
    return builder_->through(layout_each(layout(LayoutKind::Rev, {element->size})), generate(type, fuel - 1));
  }

  Built half_of_unzipped(const Type& type, unsigned fuel) {
    Built pairs = generate(array(type_pair(type->parts[0], num()), type->size), fuel - 1);
    return builder_->through(layout(LayoutKind::Fst), builder_->through(layout(LayoutKind::Unzip), pairs));
  }

  // Windows of k at distance 2, with the last one just inside.
  Built slide(const Type& type, unsigned fuel) {
    const Type& element = type->parts[0];
    if (element->kind != TypeKind::Array || element->size->kind != SizeKind::Const) {
      return map(type, fuel);
    }
    Size stride = size_const(1 + below(2));
    Size length = size_add(size_mul(type->size, stride), element->size);
    return builder_->through(layout(LayoutKind::Slide, {type->size, element->size, stride, size_const(1)}),
                             generate(array(element->parts[0], length), fuel - 1));
  }

  Built pad(const Type& type, unsigned fuel) {
    Size lo = size_const(below(2));
    Size hi = size_const(below(2));
    Built inner = builder_->pad(lo, hi, pick_const(), generate(type, fuel - 1));
    return builder_->through(layout(LayoutKind::Slice, {lo, type->size}), inner);
  }

  std::mt19937_64 random_;
  std::optional<Builder> builder_;
  std::vector<Bound> scope_;
  unsigned lanes_ = 0;  // loops in lanes around what is made
  std::vector<Position> positions_;
};

}  // namespace vouch::array
