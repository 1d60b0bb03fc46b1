#include "rewrite/undefined_source.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "graph/draws.h"
#include "rewrite/partial_call.h"

namespace vouch {

class UndefinedSource::Sites {
 public:
  explicit Sites(const Graph& graph)
      : graph_(graph), values_(graph), vanishing_(graph, values_, [this](NodeId call) { return defined(call); }) {}

  std::optional<std::string> find(const Match& match, Verdict proven) {
    bool fresh = true;
    for (NodeId node : match.inside) {
      if (graph_.kind(node) != NodeKind::Call || op_def(graph_.op(node)).opaque ||
          (proven == Verdict::SoundExact && computes_floats(node))) {
        continue;
      }
      const CallMeaning& meaning = meaning_of(node);
      if (meaning.partial.empty()) {
        continue;
      }
      if (std::exchange(fresh, false)) {
        values_.forget();
        vanishing_.forget();
      }
      if (auto reason = undefined_call(graph_, node, meaning, values_, vanishing_)) {
        return reason;
      }
    }
    return std::nullopt;
  }

 private:
  using Form = std::vector<const void*>;
  struct FormHash {
    std::size_t operator()(const Form& form) const noexcept {
      std::size_t h = 0x9e3779b97f4a7c15ULL;
      for (const void* word : form) {
        h = (h ^ std::hash<const void*>()(word)) * 0xff51afd7ed558ccdULL;
        h ^= h >> 32U;
      }
      return h;
    }
  };

  bool computes_floats(NodeId node) const {
    auto has_floats = [&](NodeId part) {
      return part != kNoNode && graph_.type(part).is_tensor() && is_float(graph_.type(part).dtype());
    };
    std::span<const NodeId> operands = graph_.operands(node);
    return has_floats(node) || std::any_of(operands.begin(), operands.end(), has_floats);
  }

  DefinedCall defined(NodeId call) {
    const OpDef& def = op_def(graph_.op(call));
    bool has_one = !def.opaque && !may_draw(def);
    return has_one ? DefinedCall{meaning_of(call).kernel.get(), tensor_operands(graph_, call)} : DefinedCall{};
  }

  // Of the last call of each operator, where no operand's contents are known.
  struct Last {
    AttrDict attributes;
    std::vector<Type> types;
    const CallMeaning* meaning = nullptr;
  };

  bool is_like(NodeId node, const Last& last) const {
    std::span<const NodeId> operands = graph_.operands(node);
    return last.meaning != nullptr && last.attributes == graph_.attributes(node) &&
           std::equal(operands.begin(), operands.end(), last.types.begin(), last.types.end(), [&](NodeId operand, Type type) {
             return operand == kNoNode ? !type : graph_.type(operand) == type && graph_.contents(operand) == nullptr;
           });
  }

  const CallMeaning& meaning_of(NodeId node) {
    Last& last = last_[graph_.op(node)];
    if (!is_like(node, last)) {
      const CallMeaning& meaning = find_meaning(node);
      bool has_contents = std::any_of(contents_.begin(), contents_.end(), [](const auto* known) { return known != nullptr; });
      last = {graph_.attributes(node), types_, has_contents ? nullptr : &meaning};
      return meaning;
    }
    return *last.meaning;
  }

  const CallMeaning& find_meaning(NodeId node) {
    form_.assign({&op_def(graph_.op(node)), graph_.attributes(node).id()});
    types_.clear();
    contents_.clear();
    for (NodeId operand : graph_.operands(node)) {
      types_.push_back(operand == kNoNode ? Type() : graph_.type(operand));
      contents_.push_back(operand == kNoNode ? nullptr : graph_.contents(operand));
      form_.push_back(types_.back().id());
      for (std::size_t k = 0; contents_.back() != nullptr && k < contents_.back()->size(); ++k) {
        form_.push_back((*contents_.back())[k].id());
      }
    }
    auto [at, is_new] = meanings_.try_emplace(form_);
    if (is_new) {
      at->second.kernel = shared_meaning(graph_.op(node), types_, graph_.attributes(node), contents_);
      at->second.partial = partial_terms(*at->second.kernel);
    }
    return at->second;
  }

  const Graph& graph_;
  KnownValues values_;
  Vanishing vanishing_;
  Form form_;  // scratch space
  std::vector<Type> types_;
  KnownContents contents_;
  std::unordered_map<Form, CallMeaning, FormHash> meanings_;
  std::vector<Last> last_{op_count()};
};

UndefinedSource::UndefinedSource(const Graph& graph) : sites_(std::make_unique<Sites>(graph)) {}
UndefinedSource::~UndefinedSource() = default;

std::optional<std::string> UndefinedSource::find(const Match& match, Verdict proven) { return sites_->find(match, proven); }

}  // namespace vouch
