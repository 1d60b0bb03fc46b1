#include "driver/region_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "check/region.h"
#include "equiv/classes.h"
#include "equiv/views.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// Elements beyond this are not written out.
constexpr std::int64_t kMostElements = 64;

std::string tuple_text(const std::vector<std::string>& items) {
  std::string out = "(";
  for (const std::string& item : items) {
    out += (out.size() == 1 ? "" : ", ") + item;
  }
  return out + (items.size() == 1 ? ",)" : ")");
}

// Of a tensor of one element, its type and the element, as rules leave it open; nothing for what is no attribute of a rule.
std::optional<std::string> attribute_text(const AttrValue& value) {
  if (const AttrTuple* items = value.tuple()) {
    std::vector<std::string> texts;
    for (const AttrValue& item : *items) {
      texts.push_back(attribute_text(item).value_or(""));
    }
    return std::find(texts.begin(), texts.end(), "") == texts.end() ? std::optional(tuple_text(texts)) : std::nullopt;
  }
  if (const Tensor* tensor = value.tensor()) {
    auto element = tensor->count() == 1 ? exact_fill(*tensor) : std::nullopt;
    return element ? std::optional(fmt::format("(\"{}\", {})", dtype_name(tensor->dtype()), print_term(*element))) : std::nullopt;
  }
  return value.graph() != nullptr ? std::nullopt : std::optional(value.text());
}

class RegionWriter {
 public:
  RegionWriter(const RegionGraphs& graphs, const std::vector<RegionCut>& cuts, const std::vector<const Tensor*>& values)
      : graphs_(graphs), cuts_(cuts), values_(values), read_(cuts.size()), source_{graphs.source}, target_{graphs.target} {}

  RegionText run(const std::vector<RegionOutput>& outputs) {
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      for (NodeId node : cuts_[k].source) {
        source_.made.emplace(node, fmt::format("x{}", k));
      }
      for (NodeId node : cuts_[k].target) {
        target_.made.emplace(node, fmt::format("x{}", k));
      }
    }
    find_views();
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      add_input(k);
    }
    std::vector<std::string> sources;
    std::vector<std::string> targets;
    for (const auto& [source, target] : outputs) {
      std::string name = side(source, source_, 's');
      sources.push_back(name[0] == 'x' ? "Identity(" + name + ")" : name);  // a source is a call
      targets.push_back(side(target, target_, 't'));
    }
    out_.items += fmt::format("  source {};\n", fmt::join(sources, ", "));
    for (Symbol size : ordered_) {
      out_.items += graphs_.sizes.contains(size) ? fmt::format("  where {} >= 1;\n", sizes_.at(size).name()) : "";
    }
    out_.items += fmt::format("  target {};\n", fmt::join(targets, ", "));
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      if (read_[k].any && !read_[k].by_source) {
        fail(fmt::format("x{} is read by the target alone", k));
      } else if (read_[k].any && !read_[k].by_target) {
        out_.items += fmt::format("  drop x{};\n", k);
      }
    }
    return std::move(out_);
  }

 private:
  struct Side {
    const Graph& graph;
    std::map<NodeId, std::string> made = {};
    std::size_t count = 0;
  };
  // Of inputs that are any tensors.
  struct Reads {
    bool any = false;
    bool by_source = false;
    bool by_target = false;
  };

  void fail(std::string why) { out_.why = out_.why.empty() ? std::move(why) : out_.why; }

  const Graph& graph_of(std::size_t k) const { return cuts_[k].source.empty() ? graphs_.target : graphs_.source; }
  NodeId node_of(std::size_t k) const { return cuts_[k].source.empty() ? cuts_[k].target[0] : cuts_[k].source[0]; }

  void find_views() {
    std::vector<const Tensor*> hidden(values_);
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      hidden[k] = cuts_[k].shown ? nullptr : hidden[k];
    }
    for (ParameterView& view : parameter_views(hidden)) {
      views_.emplace(view.input, std::move(view));
    }
  }

  void add_input(std::size_t k) {
    Type type = graph_of(k).type(node_of(k));
    std::string form;
    if (cuts_[k].shown && values_[k] != nullptr && (exact_fill(*values_[k]) || values_[k]->count() <= kMostElements)) {
      form = constant_text(*values_[k]);
    } else if (const auto* contents = unvalued_contents(k); contents != nullptr) {
      form = list_text(type, *contents);
    } else if (auto view = views_.find(k); view != views_.end()) {
      form = view_text(view->second);
      note_read(view->second.of, k);
    } else {
      read_[k] = {true, !cuts_[k].source.empty(), !cuts_[k].target.empty()};
      form = any_text(type);
    }
    out_.items += fmt::format("  let x{} = {};\n", k, form);
    for (std::size_t axis = 0; read_[k].any && axis < type.rank(); ++axis) {
      name_size(k, axis, type.extents()[axis]);
    }
  }

  // What is known of elements that are terms over sizes. A tensor of numbers is shown by its value, or not at all.
  const std::vector<Term>* unvalued_contents(std::size_t k) const {
    return graph_of(k).has_value(node_of(k)) ? nullptr : graph_of(k).contents(node_of(k));
  }

  // Where the view `k` is read, what it is a view of is.
  void note_read(std::size_t of, std::size_t k) {
    read_[of].by_source = read_[of].by_source || !cuts_[k].source.empty();
    read_[of].by_target = read_[of].by_target || !cuts_[k].target.empty();
    if (auto view = views_.find(of); view != views_.end()) {
      note_read(view->second.of, k);
    }
  }

  std::string any_text(Type type) {
    std::vector<std::string> extents;
    for (Term extent : type.extents()) {
      Symbol name = is_var(extent) ? *free_variables(extent).begin() : Symbol();
      extents.push_back(is_var(extent) && !sizes_.contains(name) ? "any" : term_text(extent));
    }
    return fmt::format("* {{shape = {}, dtype = {}}}", tuple_text(extents), dtype_name(type.dtype()));
  }

  static bool is_var(Term term) {
    auto names = free_variables(term);
    return names.size() == 1 && term == int_var(*names.begin());
  }

  void name_size(std::size_t k, std::size_t axis, Term extent) {
    Symbol name = is_var(extent) ? *free_variables(extent).begin() : Symbol();
    if (is_var(extent) && !sizes_.contains(name)) {
      Symbol fresh(fmt::format("n{}", sizes_.size()));
      sizes_.emplace(name, fresh);
      ordered_.push_back(name);
      out_.items += fmt::format("  attr {} = x{}.shape[{}];\n", fresh.name(), k, axis);
    }
  }

  std::string term_text(Term term) {
    Substitution names;
    for (Symbol size : free_variables(term)) {
      auto known = sizes_.find(size);
      if (known == sizes_.end()) {
        fail("a size is that of no input's axis");
        return "0";
      }
      names.emplace(size, int_var(known->second));
    }
    return print_term(substitute(term, names));
  }

  std::string list_text(Type type, const std::vector<Term>& elements) {
    std::vector<std::string> texts;
    std::transform(elements.begin(), elements.end(), std::back_inserter(texts), [this](Term e) { return term_text(e); });
    std::string dtype(dtype_name(type.dtype()));
    if (type.rank() == 0) {
      return fmt::format("const {{value = {}, shape = (), dtype = {}}}", texts.at(0), dtype);
    }
    std::string flat = fmt::format("const {{value = {}, dtype = {}}}", tuple_text(texts), dtype);
    return type.rank() == 1 ? flat : fmt::format("Reshape({}, {})", flat, shape_text(type));
  }

  std::string shape_text(Type type) {
    std::vector<std::string> extents;
    std::transform(type.extents().begin(), type.extents().end(), std::back_inserter(extents),
                   [this](Term e) { return term_text(e); });
    return fmt::format("const {{value = {}, dtype = int64}}", tuple_text(extents));
  }

  std::string constant_text(const Tensor& value) {
    Type type = Type::tensor(value.dtype(), value.extents());
    // Axes and the like are known to a rule where they are listed.
    bool listed = !is_float(value.dtype()) && value.rank() == 1 && value.count() <= kMostElements;
    if (auto fill = listed ? std::nullopt : exact_fill(value)) {
      std::vector<std::string> extents;
      for (std::int64_t extent : value.extents()) {
        extents.push_back(std::to_string(extent));
      }
      return fmt::format("const {{value = {}, shape = {}, dtype = {}}}", print_term(*fill), tuple_text(extents),
                         dtype_name(value.dtype()));
    }
    auto elements = exact_contents(value);
    if (!elements) {
      fail("a constant has elements that are no numbers of a rule");
      return "*";
    }
    return list_text(type, *elements);
  }

  std::string view_text(const ParameterView& view) {
    const Tensor& value = *values_[view.input];
    if (const Tensor& of = *values_[view.of];
        of.bytes().size() == value.bytes().size() && std::equal(of.bytes().begin(), of.bytes().end(), value.bytes().begin())) {
      return fmt::format("Reshape(x{}, {})", view.of, shape_text(Type::tensor(value.dtype(), value.extents())));
    }
    std::vector<std::string> perm(value.rank());
    for (std::size_t axis = 0; axis < view.indices.size(); ++axis) {
      for (std::size_t k = 0; k < perm.size(); ++k) {
        if (view.indices[axis] == int_var(fmt::format("@{}", k))) {
          perm[k] = std::to_string(axis);
        }
      }
    }
    if (view.indices.size() != perm.size() || std::find(perm.begin(), perm.end(), "") != perm.end()) {
      fail("a parameter is a view of another one that no single call makes");
    }
    return fmt::format("Transpose(x{}) {{perm = {}}}", view.of, tuple_text(perm));
  }

  // The name of a node, once its calls are written, operands first.
  std::string side(NodeId root, Side& side, char letter) {
    std::vector<std::pair<NodeId, bool>> pending{{root, false}};
    while (!pending.empty() && out_.why.empty()) {
      auto [node, ready] = pending.back();
      pending.pop_back();
      if (side.made.contains(node)) {
        continue;
      }
      if (!ready) {
        pending.emplace_back(node, true);
        for (NodeId operand : side.graph.operands(node)) {
          if (operand != kNoNode) {
            pending.emplace_back(operand, false);
          }
        }
        continue;
      }
      std::string name = fmt::format("{}{}", letter, side.count++);
      out_.items += fmt::format("  let {} = {};\n", name, form_of(node, side));
      side.made.emplace(node, std::move(name));
    }
    return side.made.emplace(root, "x").first->second;
  }

  std::string form_of(NodeId node, const Side& side) {
    std::vector<std::string> operands;
    for (NodeId operand : side.graph.operands(node)) {
      operands.push_back(operand == kNoNode ? "_" : side.made.at(operand));
    }
    while (!operands.empty() && operands.back() == "_") {
      operands.pop_back();
    }
    switch (side.graph.kind(node)) {
      case NodeKind::Tuple: return tuple_text(operands);
      case NodeKind::Projection: return fmt::format("{}[{}]", operands[0], side.graph.projection_index(node));
      case NodeKind::Call: return call_text(side.graph, node, operands);
      default: fail("a tensor is read that is no cut"); return "*";
    }
  }

  std::string call_text(const Graph& graph, NodeId node, const std::vector<std::string>& operands) {
    const OpDef& def = op_def(graph.op(node));
    std::string out(def.name);
    const char* separator = "(";
    for (const std::string& operand : operands) {
      out += separator + operand;
      separator = ", ";
    }
    out += operands.empty() ? "()" : ")";
    separator = " {";
    AttrDict attributes = canonical_attributes(def, graph.attributes(node));
    for (const auto& [name, value] : attributes.entries()) {
      auto text = attribute_text(value);
      if (!text) {
        fail(fmt::format("the attribute '{}' is no attribute of a rule", name.name()));
      }
      out += fmt::format("{}{} = {}", separator, name.name(), text.value_or("any"));
      separator = ", ";
    }
    for (const AttrDef& attr : def.attributes) {  // what is not given here is open in a pattern
      if (std::holds_alternative<Absent>(attr.otherwise) && attributes.find(attr.name) == nullptr) {
        out += fmt::format("{}{} = _", separator, attr.name);
        separator = ", ";
      }
    }
    return out + (separator[0] == ',' ? "}" : "");
  }

  const RegionGraphs& graphs_;
  const std::vector<RegionCut>& cuts_;
  const std::vector<const Tensor*>& values_;
  std::map<std::size_t, ParameterView> views_;
  std::vector<Reads> read_;
  Side source_;
  Side target_;
  std::map<Symbol, Symbol> sizes_;  // of the models, as the rule names them
  std::vector<Symbol> ordered_;
  RegionText out_;
};

}  // namespace

RegionText region_text(const RegionGraphs& graphs, const std::vector<RegionOutput>& outputs, const std::vector<RegionCut>& cuts,
                       const std::vector<const Tensor*>& values) {
  return RegionWriter(graphs, cuts, values).run(outputs);
}

}  // namespace vouch
