#include "equiv/region_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "graph/op_table.h"
#include "graph/order.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// Does the attribute's text say all of it, and nothing else?
bool is_spelt(const AttrValue& value) {
  if (const std::string* text = value.string()) {
    return text->find_first_of("\"\n") == std::string::npos;
  }
  if (const AttrTuple* items = value.tuple()) {
    return std::all_of(items->begin(), items->end(), is_spelt);
  }
  return value.number() != nullptr && is_const(*value.number());
}

class Writer {
 public:
  Writer(const Region& region, Identities identities) : region_(region), graph_(*region.graph), identities_(identities) {}

  RegionWords run() {
    add_side(region_.source, region_.source_cut, "source ", 's');
    add_side(region_.target, region_.target_cut, "target ", 't');
    return std::move(out_);
  }

 private:
  using Cut = std::unordered_map<NodeId, std::uint32_t>;
  using Names = std::unordered_map<NodeId, std::string>;

  void add_side(NodeId root, const Cut& cut, std::string_view word, char letter) {
    Names names;
    for (NodeId node : post_order_within(graph_, {&root, 1}, [&](NodeId above) { return !cut.contains(above); })) {
      std::string line = head(node);
      for (NodeId operand : graph_.operands(node)) {
        line += ' ' + (operand == kNoNode ? std::string("_") : name(operand, cut, names));
      }
      names.emplace(node, fmt::format("{}{}", letter, names.size()));
      out_.text += fmt::format("{} = {}\n", names.at(node), line);
    }
    out_.text += fmt::format("{}{}\n", word, name(root, cut, names));
  }

  std::string head(NodeId node) {
    switch (graph_.kind(node)) {
      case NodeKind::Call: return fmt::format("{} {}", op_def(graph_.op(node)).name, attributes_text(graph_.attributes(node)));
      case NodeKind::Projection: return fmt::format("item {}", graph_.projection_index(node));
      default: return "tuple";
    }
  }

  std::string attributes_text(AttrDict attributes) {
    bool spelt = std::all_of(attributes.entries().begin(), attributes.entries().end(),
                             [](const auto& entry) { return is_spelt(entry.second); });
    out_.lasting = out_.lasting && spelt;
    return spelt || identities_ == Identities::Untold ? attributes.text()
                                                      : fmt::format("{}#{}", attributes.text(), attributes.id());
  }

  std::string name(NodeId node, const Cut& cut, const Names& names) {
    if (auto made = names.find(node); made != names.end()) {
      return made->second;
    }
    std::uint32_t number = cut.at(node);
    if (told_.insert(number).second) {
      const RegionInput& input = region_.inputs[number];
      std::string type = named(input.type).text();
      out_.text += fmt::format("x{}: {}{}\n", number, type, known_text(input));
    }
    return fmt::format("x{}", number);
  }

  // Sizes have the names that this text gives them: a model's may be any text.
  Term named(Term term) {
    for (Symbol size : free_variables(term)) {
      Symbol name(fmt::format("n{}", sizes_.size()));
      if (sizes_.try_emplace(size, int_var(name)).second) {
        out_.text += fmt::format("{} >= {}\n", name.name(), region_.sizes.contains(size) ? 1 : 0);
      }
    }
    return substitute(term, sizes_);
  }

  Type named(Type type) {
    std::vector<Term> extents;
    std::transform(type.extents().begin(), type.extents().end(), std::back_inserter(extents),
                   [this](Term e) { return named(e); });
    return Type::tensor(type.dtype(), std::move(extents));
  }

  std::string known_text(const RegionInput& input) {
    std::string out;
    if (input.value) {
      auto fill = exact_fill(*input.value);
      auto contents = fill ? std::optional(std::vector<Term>{*fill}) : exact_contents(*input.value);
      for (std::size_t k = 0; contents && k < contents->size(); ++k) {
        out += (k == 0 ? " = " : ", ") + print_term((*contents)[k]);
      }
    } else if (input.contents) {
      for (Term element : *input.contents) {
        out += (out.empty() ? " = " : ", ") + print_term(named(element));
      }
    }
    return out;
  }

  const Region& region_;
  const Graph& graph_;
  Identities identities_;
  RegionWords out_;
  std::unordered_set<std::uint32_t> told_;  // inputs
  Substitution sizes_;
};

}  // namespace

RegionWords region_text(const Region& region, Identities identities) { return Writer(region, identities).run(); }

}  // namespace vouch
