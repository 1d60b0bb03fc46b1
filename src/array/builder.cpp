#include "array/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {

Builder::Builder(std::vector<std::string> sizes, std::vector<SizeFact> facts, Report report)
    : sizes_(std::move(sizes)), context_{std::move(facts), {}}, report_(std::move(report)) {}

Binders Builder::depth() const {
  return {static_cast<unsigned>(variables_.size()), static_cast<unsigned>(context_.bounds.size())};
}

Exp Builder::lift(const Typed& term) const {
  Binders now = depth();
  ensure(term.depth.data <= now.data && term.depth.indices <= now.indices, "a term left the scope of its variables");
  return shift(term.exp, {now.data - term.depth.data, now.indices - term.depth.indices});
}

Built Builder::fail(std::string message, std::string hint) {
  report_(std::move(message), std::move(hint));
  return std::nullopt;
}

Built Builder::make(const Exp& exp, const Type& type, std::initializer_list<const Typed*> parts) {
  std::size_t height = 0;
  for (const Typed* part : parts) {
    height = std::max(height, part->height);
  }
  if (height >= kMostHeight) {
    return fail(fmt::format("the program is nested more than {} deep", kMostHeight));
  }
  return Typed{exp, type, depth(), height + 1};
}

bool Builder::expect_array(const Built& array, std::string_view what) {
  if (array && array->type->kind != TypeKind::Array) {
    fail(fmt::format("{} needs an array, not {}", what, text(array->type)));
  }
  return array && array->type->kind == TypeKind::Array;
}

Built Builder::input(const std::string& name, const Type& type) {
  ensure(variables_.empty(), "inputs come before other terms");
  inputs_.push_back({name, type});
  return variable(next_level() - 1);
}

Built Builder::variable(unsigned level) const {
  Binders now = depth();
  if (level < inputs_.size()) {  // input 0 is variable 0 where nothing is bound
    return Typed{exp_var(now.data + level), inputs_[level].type, now};
  }
  std::size_t bound = level - inputs_.size();
  return Typed{exp_var(static_cast<unsigned>(now.data - 1 - bound)), variables_.at(bound), now};
}

Index Builder::position(unsigned level) const { return index_var(depth().indices - 1 - level); }

Built Builder::constant(const Type& type, const Const& value) { return make(exp_const(type, value), type, {}); }

Built Builder::apply(Op op, const Built& argument) {
  if (argument && !same_type(argument->type, op_argument(op))) {
    return fail(fmt::format("'{}' takes {}, not {}", op_row(op).text, text(op_argument(op)), text(argument->type)));
  }
  return argument ? make(exp_op(op, lift(*argument)), type_num(), {&*argument}) : std::nullopt;
}

Built Builder::op(Op op, const std::vector<Built>& arguments) {
  Built argument = arguments.back();
  for (std::size_t i = arguments.size() - 1; i-- > 0;) {
    argument = pair(arguments[i], argument);
  }
  for (const Built& part : arguments) {
    if (part && part->type->kind != TypeKind::Num) {
      return fail(fmt::format("'{}' takes numbers, not {}", op_row(op).text, text(part->type)), "apply it to elements, in a map");
    }
  }
  return apply(op, argument);
}

Built Builder::pair(const Built& first, const Built& second) {
  if (!first || !second) {
    return std::nullopt;
  }
  return make(exp_pair(lift(*first), lift(*second)), type_pair(first->type, second->type), {&*first, &*second});
}

namespace {

// What a layout can be applied to, as a hint.
std::string wanted(const Layout& of, const std::vector<std::string>& sizes) {
  auto size = [&](std::size_t i) { return print_size(of->sizes[i], sizes); };
  switch (of->kind) {
    case LayoutKind::Fst:
    case LayoutKind::Snd: return "only pairs have halves";
    case LayoutKind::At: return "only arrays have elements";
    case LayoutKind::Zip: return "zip takes a pair of arrays of one length";
    case LayoutKind::Unzip: return "unzip takes an array of pairs";
    case LayoutKind::Split:
      return fmt::format("split({}, {}) takes {} elements", size(0), size(1),
                         print_size(size_mul(of->sizes[0], of->sizes[1]), sizes));
    case LayoutKind::Join: return fmt::format("this join takes {} arrays of {}", size(1), size(0));
    case LayoutKind::Trans: return "transpose takes an array of arrays";
    case LayoutKind::Rev: return "reverse takes an array";
    case LayoutKind::Slide:
      return fmt::format("slide({}, {}, {}, {}) takes an array that is long enough for the last of its windows", size(0), size(1),
                         size(2), size(3));
    case LayoutKind::Slice:
      return fmt::format("slice({}, {}) takes at least {} elements", size(0), size(1),
                         print_size(size_add(of->sizes[0], of->sizes[1]), sizes));
    case LayoutKind::Repeat: return "";
    case LayoutKind::Each: return "under each: " + wanted(of->inner, sizes);
  }
  fault("no such layout");
}

}  // namespace

Built Builder::through(const Layout& of, const Built& argument) {
  if (!argument) {
    return std::nullopt;
  }
  std::optional<Type> type = layout_result(context_, of, argument->type);
  if (!type) {
    return fail(fmt::format("this layout does not apply to {}", text(argument->type)), wanted(of, sizes_));
  }
  return make(exp_layout(of, lift(*argument)), *type, {&*argument});
}

Built Builder::pad(const Size& lo, const Size& hi, const Const& value, const Built& array) {
  if (!expect_array(array, "pad")) {
    return std::nullopt;
  }
  const Size& n = array->type->size;
  return make(exp_pad(lo, n, hi, value, lift(*array)), type_array(size_add(size_add(lo, n), hi), array->type->parts[0]),
              {&*array});
}

Built Builder::choose(const Guard& guard, const Built& then, const Built& otherwise) {
  if (!then || !otherwise) {
    return std::nullopt;
  }
  if (!guard_safe(context_, guard)) {
    return fail("an index term of this condition may go below zero or divide by zero");
  }
  if (!same_type(then->type, otherwise->type)) {
    return fail(fmt::format("the branches have types {} and {}", text(then->type), text(otherwise->type)));
  }
  return make(exp_if(guard, lift(*then), lift(*otherwise)), then->type, {&*then, &*otherwise});
}

Built Builder::ascribe(const Built& term, const Type& type) {
  if (term && !same_type(term->type, type)) {
    return fail(fmt::format("expected {}, found {}", text(type), text(term->type)));
  }
  return term ? make(lift(*term), type, {&*term}) : std::nullopt;
}

// Under new data variables, the outermost first, and a position below `bound`.
Built Builder::bind(const std::vector<Type>& data, const Size* bound, const std::function<Built()>& body) {
  variables_.insert(variables_.end(), data.begin(), data.end());
  if (bound != nullptr) {
    context_.bounds.insert(context_.bounds.begin(), *bound);
  }
  Built result = body();
  if (result) {
    result->exp = lift(*result);
    result->depth = depth();
  }
  if (bound != nullptr) {
    context_.bounds.erase(context_.bounds.begin());
  }
  variables_.resize(variables_.size() - data.size());
  return result;
}

Built Builder::map(LoopKind loop, const Built& array, const std::function<Built(Built, unsigned)>& body) {
  if (!expect_array(array, "map")) {
    return std::nullopt;
  }
  Size n = array->type->size;
  Type from = array->type->parts[0];
  unsigned level = next_level();
  unsigned position_level = depth().indices;
  Built result = bind({from}, &n, [&] { return body(variable(level), position_level); });
  if (!result) {
    return std::nullopt;
  }
  return make(exp_map(loop, n, from, result->type, result->exp, lift(*array)), type_array(n, result->type), {&*array, &*result});
}

Built Builder::generate(LoopKind loop, const Size& n, const std::function<Built(unsigned)>& body) {
  return map(loop, constant(type_array(n, type_num()), {}), [&](Built, unsigned level) { return body(level); });
}

Built Builder::reduce(Place place, const Built& array, const Built& start,
                      const std::function<Built(Built, Built, unsigned)>& body) {
  if (!expect_array(array, "reduce") || !start) {
    return std::nullopt;
  }
  Size n = array->type->size;
  Type from = array->type->parts[0];
  Type to = start->type;
  unsigned level = next_level();
  unsigned position_level = depth().indices;
  // The element is the innermost variable.
  Built result = bind({to, from}, &n, [&] { return body(variable(level + 1), variable(level), position_level); });
  if (result && !same_type(result->type, to)) {
    return fail(fmt::format("the step of the reduction gives {}, the accumulator is {}", text(result->type), text(to)));
  }
  if (!result) {
    return std::nullopt;
  }
  return make(exp_reduce(place, n, from, to, result->exp, lift(*start), lift(*array)), to, {&*array, &*start, &*result});
}

Built Builder::unrolled(Built reduction) {
  if (reduction) {
    reduction->exp = exp_unrolled(reduction->exp);
  }
  return reduction;
}

Built Builder::let(const Built& value, const std::function<Built(Built)>& body) {
  if (!value) {
    return std::nullopt;
  }
  unsigned level = next_level();
  Built result = bind({value->type}, nullptr, [&] { return body(variable(level)); });
  return result ? make(exp_let(lift(*value), result->exp), result->type, {&*value, &*result}) : std::nullopt;
}

Built Builder::mem(const Built& term) {
  return term ? make(exp_mem(term->type, lift(*term)), term->type, {&*term}) : std::nullopt;
}

Built Builder::cat(const Built& first, const Built& second) {
  if (!expect_array(first, "cat") || !expect_array(second, "cat")) {
    return std::nullopt;
  }
  const Type& element = first->type->parts[0];
  if (!same_type(element, second->type->parts[0])) {
    return fail(fmt::format("the elements have types {} and {}", text(element), text(second->type->parts[0])));
  }
  const Size& n = first->type->size;
  const Size& m = second->type->size;
  return make(exp_cat(n, m, element, lift(*first), lift(*second)), type_array(size_add(n, m), element), {&*first, &*second});
}

std::optional<Program> Builder::finish(const std::string& name, const Parameter& output, const Built& term) {
  if (!term) {
    return std::nullopt;
  }
  if (!same_type(term->type, output.type)) {
    fail(fmt::format("the kernel gives {}, its output is {}", text(term->type), text(output.type)));
    return std::nullopt;
  }
  Program program{name, sizes_, context_.facts, inputs_, output, lift(*term), {}};
  ensure(verify_program(program), "a program that was built is well typed");
  return program;
}

}  // namespace vouch::array
