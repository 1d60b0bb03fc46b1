// Scan, as it is since opset 9: a body run along an axis of its inputs. Typed here, evaluated elsewhere.
#include <fmt/format.h>

#include <algorithm>

#include "graph/graph.h"
#include "graph/ops/operands.h"
#include "graph/ops/themes.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// One integer for each scanned or collected value; 0 where the list is absent.
std::vector<std::int64_t> each(OpContext& c, std::string_view name, std::size_t count) {
  if (!c.has_attr(name)) {
    return std::vector<std::int64_t>(count, 0);
  }
  std::vector<std::int64_t> out = c.attr_ints_value(name);
  if (!c.failed() && out.size() != count) {
    c.fail(fmt::format("{} lists {} numbers, needs {}", name, out.size(), count));
  }
  out.resize(count, 0);
  return out;
}

void require_directions(OpContext& c, const std::vector<std::int64_t>& directions) {
  for (std::int64_t direction : directions) {
    if (direction != 0 && direction != 1) {
      return c.fail(fmt::format("a direction is 0 or 1, found {}", direction));
    }
  }
}

// The items are the values that the state begins with, what is scanned, and the tuple of captured values if there are any. The
// body takes the captured values, the state, and an element of each scanned value; it gives the state and an element of each
// value that is collected.
class ScanTyping {
 public:
  explicit ScanTyping(OpContext& c) : c_(c), body_(*c.attr("body")->graph()) {}

  void run() {
    std::int64_t scanned = c_.attr_int_value("num_scan_inputs");
    while (given_ < c_.item_count(0) && c_.item_type(0, given_).is_tensor()) {
      ++given_;
    }
    bool captures = given_ + 1 == c_.item_count(0) && c_.item_type(0, given_).is_tuple();
    std::size_t captured = captures ? c_.item_type(0, given_).items().size() : 0;
    if (c_.failed() || given_ + (captures ? 1 : 0) != c_.item_count(0)) {
      return c_.fail("state and scanned values must be tensors");
    }
    if (scanned < 1 || scanned > static_cast<std::int64_t>(given_)) {
      return c_.fail(fmt::format("num_scan_inputs = {} of {} inputs", scanned, given_));
    }
    states_ = given_ - static_cast<std::size_t>(scanned);
    if (body_.inputs().size() != captured + given_ || body_.outputs().size() < states_) {
      return c_.fail(fmt::format("the body takes {} values and gives {}, needs {} and at least {}", body_.inputs().size(),
                                 body_.outputs().size(), captured + given_, states_));
    }
    for (std::size_t k = 0; k < captured && !c_.failed(); ++k) {
      take(k, c_.item_type(0, given_).items()[k]);
    }
    take_state_and_slices(captured);
    give();
  }

 private:
  void take_state_and_slices(std::size_t captured) {
    for (std::size_t k = 0; k < states_ && !c_.failed(); ++k) {
      take(captured + k, c_.item_type(0, k));
    }
    std::vector<std::int64_t> axes = each(c_, "scan_input_axes", given_ - states_);
    require_directions(c_, each(c_, "scan_input_directions", given_ - states_));
    for (std::size_t k = states_; k < given_ && !c_.failed(); ++k) {
      Type whole = c_.item_type(0, k);
      std::size_t axis = c_.normal_axis(axes[k - states_], whole.rank(), "scan_input_axes");
      if (c_.failed()) {
        return;
      }
      Terms slice = whole.extents();
      if (k == states_) {
        length_ = slice[axis];
      }
      c_.require(eq(slice[axis], length_), "what is scanned together must be as long");
      slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(axis));
      take(captured + k, Type::tensor(whole.dtype(), std::move(slice)));
    }
  }

  // The body's input is this. Sizes that the body calls by a name are those that it is given.
  void take(std::size_t input, Type found) {
    Type wanted = body_.type(body_.inputs()[input]);
    bool alike = found.is_tensor() && wanted.is_tensor() && found.dtype() == wanted.dtype() && found.rank() == wanted.rank();
    for (std::size_t axis = 0; alike && axis < found.rank(); ++axis) {
      alike = take_size(wanted.extents()[axis], found.extents()[axis]);
    }
    if (!alike && (found.is_tensor() || found != wanted)) {
      c_.fail(fmt::format("the body takes {} where it is given {}", wanted.text(), found.text()));
    }
  }

  // False: they are other numbers.
  bool take_size(Term inner, Term given) {
    std::vector<Symbol> names = free_variables(inner);
    bool is_name = names.size() == 1 && inner == int_var(names.front());
    if (is_name) {
      auto [known, is_new] = sizes_.try_emplace(names.front(), given);
      if (!is_new) {
        c_.require(eq(known->second, given), "sizes that the body calls by one name must be one");
      }
    } else if (inner == given) {
      for (Symbol name : names) {
        sizes_.try_emplace(name, int_var(name));
      }
    }
    return !const_int(inner) || !const_int(given) || inner == given;
  }

  Term outside(Term extent) {
    auto names = free_variables(extent);
    bool known = std::all_of(names.begin(), names.end(), [&](Symbol name) { return sizes_.count(name) != 0; });
    return known ? substitute(extent, sizes_) : c_.fresh_extent();
  }

  void give() {
    for (std::size_t k = 0; k < states_ && !c_.failed(); ++k) {
      Type before = c_.item_type(0, k);
      Type after = body_.type(body_.outputs()[k].node);
      if (!after.is_tensor() || before.dtype() != after.dtype() || before.rank() != after.rank()) {
        return c_.fail(fmt::format("the state is {} and becomes {}", before.text(), after.text()));
      }
      Terms extents;
      for (std::size_t axis = 0; axis < before.rank(); ++axis) {
        bool same = outside(after.extents()[axis]) == before.extents()[axis];
        extents.push_back(same ? before.extents()[axis] : c_.fresh_extent());
      }
      c_.opaque_result(before.dtype(), extents);
    }
    std::size_t collected = body_.outputs().size() - states_;
    std::vector<std::int64_t> axes = each(c_, "scan_output_axes", collected);
    require_directions(c_, each(c_, "scan_output_directions", collected));
    for (std::size_t k = 0; k < collected && !c_.failed(); ++k) {
      Type item = body_.type(body_.outputs()[states_ + k].node);
      if (!item.is_tensor()) {
        return c_.fail("what a scan collects must be a tensor");
      }
      std::size_t axis = c_.normal_axis(axes[k], item.rank() + 1, "scan_output_axes");
      Terms extents;
      for (Term extent : item.extents()) {
        extents.push_back(outside(extent));
      }
      if (!c_.failed()) {
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), length_);
        c_.opaque_result(item.dtype(), extents);
      }
    }
  }

  OpContext& c_;
  const Graph& body_;
  std::size_t given_ = 0;
  std::size_t states_ = 0;
  Term length_ = 0;
  Substitution sizes_;  // of the body, outside
};

void define_scan(OpContext& c) { ScanTyping(c).run(); }

AttrDef list(std::string_view name) { return {.name = name, .type = AttrType::Ints, .otherwise = Absent{}}; }

}  // namespace

std::vector<OpDef> scanning_ops() {
  return {{.name = "Scan",
           .operands = {{"values", OperandKind::Tuple}},
           .attributes = {{.name = "body", .type = AttrType::Graph},
                          {.name = "num_scan_inputs"},
                          list("scan_input_axes"),
                          list("scan_input_directions"),
                          list("scan_output_axes"),
                          list("scan_output_directions")},
           .define = define_scan,
           .opaque = true,
           .several_results = true}};
}

}  // namespace vouch
