#include <fmt/format.h>

#include <algorithm>

#include "graph/op_def.h"
#include "graph/unknown_size.h"
#include "support/fault.h"

namespace vouch {

OpContext::OpContext(const OpDef& def, std::vector<Type> operands, AttrDict attributes)
    : def_(def), operands_(std::move(operands)), attributes_(attributes), contents_(operands_.size()) {
  kernel_.name = def.name;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!operands_[i]) {
      continue;
    }
    if (operands_[i].is_tensor()) {
      kernel_.inputs.push_back({operand_symbol(def, i), dtype(i), extents(i)});
      continue;
    }
    for (std::size_t k = 0; k < operands_[i].items().size(); ++k) {
      Type item = operands_[i].items()[k];
      if (item.is_tensor()) {
        kernel_.inputs.push_back({operand_symbol(def, i, k), item.dtype(), item.extents()});
      }
    }
  }
  looked_at_ = {0, false, 0};
}

void OpContext::look_at_items(std::size_t operand, std::uint64_t items) const {
  looked_at_.operands |= Blame::bit(operand);
  looked_at_.items |= items;
}

void OpContext::look_at(std::size_t operand) const {
  look_at_items(operand, has(operand) && operands_[operand].is_tuple() ? ~std::uint64_t{0} : 0);
}

Symbol OpContext::operand_symbol(const OpDef& def, std::size_t operand, std::optional<std::size_t> item) {
  std::string_view name = def.operands[operand].name;
  return Symbol(item ? fmt::format("{}.{}", name, *item) : std::string(name));
}

bool OpContext::has(std::size_t operand) const { return operand < operands_.size() && operands_[operand]; }

const Type& OpContext::type(std::size_t operand) const {
  ensure(has(operand), "a definition asks for an operand that is absent");
  look_at(operand);
  return operands_[operand];
}

std::size_t OpContext::item_count(std::size_t operand) const {
  ensure(has(operand), "a definition asks for the items of an operand that is absent");
  look_at_items(operand, 0);
  return operands_[operand].items().size();
}

const Type& OpContext::item_type(std::size_t operand, std::size_t item) const {
  ensure(has(operand), "a definition asks for an item of an operand that is absent");
  look_at_items(operand, Blame::bit(item));
  return operands_[operand].items()[item];
}

const std::vector<Term>* OpContext::contents(std::size_t operand) const {
  look_at(operand);
  return operand < contents_.size() && contents_[operand] ? &*contents_[operand] : nullptr;
}

void OpContext::set_contents(std::size_t operand, std::vector<Term> elements) { contents_[operand] = std::move(elements); }

Term OpContext::read(std::size_t operand, std::vector<Term> indices) const {
  ensure(indices.size() == rank(operand), "one index for each axis");
  return vouch::read(operand_symbol(def_, operand), std::move(indices));
}

Term OpContext::read_item(std::size_t operand, std::size_t item, std::vector<Term> indices) const {
  ensure(indices.size() == item_type(operand, item).rank(), "one index for each axis");
  return vouch::read(operand_symbol(def_, operand, item), std::move(indices));
}

Term OpContext::read_local(std::string_view name, std::vector<Term> indices) const {
  return vouch::read(Symbol(name), std::move(indices));
}

static const AttrDef& attr_def(const OpDef& def, std::string_view name) {
  for (const AttrDef& attr : def.attributes) {
    if (attr.name == name) {
      return attr;
    }
  }
  fault(fmt::format("{} declares no attribute {}", def.name, name));
}

bool OpContext::has_attr(std::string_view name) const { return find_attr(name) != nullptr; }

const AttrValue* OpContext::attr(std::string_view name) const {
  (void)attr_def(def_, name);
  return find_attr(name);
}

const AttrValue* OpContext::find_attr(std::string_view name) const {
  looked_at_.attributes = true;
  return attributes_.find(name);
}

Term OpContext::attr_int(std::string_view name) const {
  const AttrDef& declared = attr_def(def_, name);
  if (const AttrValue* value = find_attr(name)) {
    return *value->number();
  }
  const auto* otherwise = std::get_if<std::int64_t>(&declared.otherwise);
  ensure(otherwise != nullptr, "an absent attribute without default");
  return *otherwise;
}

std::vector<Term> OpContext::attr_ints(std::string_view name) const {
  std::vector<Term> out;
  const AttrValue* value = attr(name);
  ensure(value != nullptr, "an absent attribute without default");
  for (const AttrValue& item : *value->tuple()) {
    out.push_back(*item.number());
  }
  return out;
}

Term OpContext::attr_float(std::string_view name) const {
  const AttrDef& declared = attr_def(def_, name);
  if (const AttrValue* value = find_attr(name)) {
    Term number = *value->number();
    return number.sort() == Sort::Int ? real_of(number) : number;
  }
  const auto* otherwise = std::get_if<double>(&declared.otherwise);
  ensure(otherwise != nullptr, "an absent attribute without default");
  return real_const(rational_of(*otherwise));
}

std::string OpContext::attr_string(std::string_view name) const {
  const AttrDef& declared = attr_def(def_, name);
  if (const AttrValue* value = find_attr(name)) {
    return *value->string();
  }
  const auto* otherwise = std::get_if<std::string_view>(&declared.otherwise);
  ensure(otherwise != nullptr, "an absent attribute without default");
  return std::string(*otherwise);
}

std::int64_t OpContext::attr_int_value(std::string_view name) {
  auto value = const_int(attr_int(name));
  if (!value) {
    want_number(name, fmt::format("attribute {} must be a number here", name));
  }
  return value.value_or(0);
}

std::vector<std::int64_t> OpContext::attr_ints_value(std::string_view name) {
  std::vector<std::int64_t> out;
  for (Term item : attr_ints(name)) {
    auto value = const_int(item);
    if (!value) {
      want_number(name, fmt::format("attribute {} must consist of numbers here", name));
    }
    out.push_back(value.value_or(0));
  }
  return out;
}

std::size_t OpContext::normal_axis(std::int64_t axis, std::size_t rank, std::string_view what) {
  auto limit = static_cast<std::int64_t>(rank);
  if (axis < -limit || axis >= limit) {
    fail(fmt::format("{} {} is out of range for rank {}: expected {} to {}", what, axis, rank, -limit, limit - 1));
    return 0;
  }
  return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

void OpContext::require(Term guard, std::string message) {
  if (is_false(guard)) {
    fail(std::move(message));
  } else if (!is_true(guard) && reads_operands(guard)) {
    data_condition_ = data_condition_.empty() ? std::move(message) : data_condition_;
  } else if (!is_true(guard)) {
    conditions_.push_back({guard, std::move(message)});
  }
}

void OpContext::suppose(Term guard, std::string message) {
  std::size_t before = conditions_.size();
  require(guard, std::move(message));
  if (conditions_.size() != before) {
    conditions_.back().supposed = true;
  }
}

bool OpContext::supposes_not_empty(Term size) {
  if (size_domain_ == SizeDomain::AtLeastZero) {
    return false;
  }
  if (std::find(supposed_not_empty_.begin(), supposed_not_empty_.end(), size) == supposed_not_empty_.end()) {
    supposed_not_empty_.push_back(size);
  }
  return true;
}

void OpContext::fail(std::string message) {
  if (error_.empty()) {
    error_ = std::move(message);
    blame_ = looked_at_;
  }
}

void OpContext::fail_undecided(std::string message) {
  undecided_ = undecided_ || error_.empty();
  fail(std::move(message));
}

void OpContext::want_number(std::string_view attribute, std::string message) {
  number_wanted_ = error_.empty() ? std::string(attribute) : number_wanted_;
  fail_undecided(std::move(message));
}

static void collect_names(Term term, std::vector<Symbol>& names) {
  if (!is_const(term)) {
    std::vector<Symbol> found = free_variables(term);
    names.insert(names.end(), found.begin(), found.end());
  }
}

static void collect_names(const Type& type, std::vector<Symbol>& names) {
  if (type.is_tensor()) {
    for (Term extent : type.extents()) {
      collect_names(extent, names);
    }
  } else if (type) {
    for (const Type& item : type.items()) {
      collect_names(item, names);
    }
  }
}

static void collect_names(const AttrValue& value, std::vector<Symbol>& names) {
  if (const Term* number = value.number()) {
    collect_names(*number, names);
  } else if (const AttrTuple* items = value.tuple()) {
    for (const AttrValue& item : *items) {
      collect_names(item, names);
    }
  }
}

// Sizes are named by users: an index of the same name would capture them.
Symbol OpContext::index_name(std::string_view wish) const {
  if (!taken_) {
    taken_.emplace();
    for (const Type& type : operands_) {
      collect_names(type, *taken_);
    }
    for (const auto& [name, value] : attributes_.entries()) {
      collect_names(value, *taken_);
    }
    for (const auto& known : contents_) {
      for (Term element : known ? *known : std::vector<Term>()) {
        collect_names(element, *taken_);
      }
    }
  }
  Symbol name(wish);
  for (int k = 1; std::find(taken_->begin(), taken_->end(), name) != taken_->end(); ++k) {
    name = Symbol(fmt::format("{}_{}", wish, k));
  }
  return name;
}

BoundIndex OpContext::bound(std::string_view wish, Term extent) const { return {index_name(wish), extent}; }

static const std::string& result_index(std::size_t axis) {
  thread_local std::vector<std::string> names;
  while (names.size() <= axis) {
    names.push_back(fmt::format("i{}", names.size()));
  }
  return names[axis];
}

// Results use `i0`, `i1`, …; definitions choose other names for what they reduce over.
std::vector<Term> OpContext::index_terms(std::size_t rank, std::vector<Symbol>& names) const {
  std::vector<Term> out;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    names.push_back(index_name(result_index(axis)));
    out.push_back(int_var(names.back()));
  }
  return out;
}

void OpContext::result(DType dtype, std::vector<Term> extents, const Body& body) {
  if (failed()) {
    return;
  }
  std::size_t position = results_.size();
  results_.push_back(Type::tensor(dtype, extents));
  if (!want_meaning_) {
    return;
  }
  Statement statement;
  statement.target = Symbol(def_.several_results ? fmt::format("y.{}", position) : std::string("y"));
  statement.value = body(index_terms(extents.size(), statement.indices));
  kernel_.outputs.push_back({statement.target, dtype, std::move(extents)});
  kernel_.statements.push_back(std::move(statement));
}

void OpContext::local(std::string_view name, DType dtype, std::vector<Term> extents, const Body& body) {
  if (failed() || !want_meaning_) {
    return;
  }
  for (const TensorDecl& input : kernel_.inputs) {
    ensure(input.name != Symbol(name), "a local has a name of its own");
  }
  Statement statement;
  statement.target = Symbol(name);
  statement.value = body(index_terms(extents.size(), statement.indices));
  kernel_.locals.push_back({statement.target, dtype, std::move(extents)});
  kernel_.statements.push_back(std::move(statement));
}

void OpContext::opaque_result(DType dtype, std::vector<Term> extents) {
  if (!failed()) {
    results_.push_back(Type::tensor(dtype, std::move(extents)));
  }
}

bool OpContext::reads_operands(Term term) const {
  std::vector<Symbol> read = tensors_read(term);
  return std::any_of(kernel_.inputs.begin(), kernel_.inputs.end(),
                     [&](const TensorDecl& input) { return std::find(read.begin(), read.end(), input.name) != read.end(); });
}

Term OpContext::fresh_extent() {
  made_fresh_extent_ = true;
  return unknown_size();
}

std::vector<Type> OpContext::result_types() const { return results_; }

}  // namespace vouch
