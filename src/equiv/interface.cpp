#include "equiv/interface.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/foreign.h"
#include "term/print.h"

namespace vouch {
namespace {

bool is_used(const Graph& graph, NodeId input) { return !graph.uses(input).empty() || graph.output_count(input) != 0; }

bool may_be_one_type(Type a, Type b) { return a.is_tensor() && b.is_tensor() && a.dtype() == b.dtype() && a.rank() == b.rank(); }

class Matcher {
 public:
  Matcher(const Graph& a, const Graph& b, const PairOptions& options) : a_(a), b_(b), options_(options) {}

  Interface run() {
    if (options_.by_position) {
      match_positions();
    } else {
      match_inputs();
      match_outputs();
    }
    give_sizes();
    for (const Interface::Input& input : out_.inputs) {
      if (input.a != kNoNode && input.b != kNoNode) {
        unify(input);
      }
    }
    check_names();
    return std::move(out_);
  }

 private:
  std::string name_in_b(const std::string& name) const {
    auto given = options_.names.find(name);
    return given == options_.names.end() ? name : given->second;
  }

  void mismatch(std::string what, std::string a, std::string b) {
    out_.mismatches.push_back({std::move(what), std::move(a), std::move(b)});
  }

  void match_positions() {
    if (a_.inputs().size() != b_.inputs().size() || a_.outputs().size() != b_.outputs().size()) {
      mismatch("the number of inputs and outputs", fmt::format("{}, {}", a_.inputs().size(), a_.outputs().size()),
               fmt::format("{}, {}", b_.inputs().size(), b_.outputs().size()));
      return;
    }
    for (std::size_t k = 0; k < a_.inputs().size(); ++k) {
      out_.inputs.push_back({a_.inputs()[k], b_.inputs()[k]});
    }
    for (std::size_t k = 0; k < a_.outputs().size(); ++k) {
      add_output(k, k);
    }
  }

  void match_inputs() {
    std::vector<NodeId> left(b_.inputs());
    std::vector<NodeId> lonely;
    for (NodeId input : a_.inputs()) {
      std::string name = name_in_b(a_.name(input));
      auto found = std::find_if(left.begin(), left.end(), [&](NodeId other) { return b_.name(other) == name; });
      if (found == left.end()) {
        lonely.push_back(input);
      } else {
        out_.inputs.push_back({input, *found});
        left.erase(found);
      }
    }
    for (NodeId input : lonely) {
      match_by_type(input, left);
    }
    for (NodeId input : left) {
      out_.inputs.push_back({kNoNode, input});
      if (is_used(b_, input)) {
        mismatch(fmt::format("input '{}'", b_.name(input)), "", b_.type(input).text());
      }
    }
  }

  // The first input of the other model that has no namesake, if its type may be this one's.
  void match_by_type(NodeId input, std::vector<NodeId>& left) {
    bool used = is_used(a_, input);
    auto next = std::find_if(left.begin(), left.end(), [&](NodeId other) { return is_used(b_, other); });
    if (used && next != left.end() && may_be_one_type(a_.type(input), b_.type(*next))) {
      out_.notes.push_back(
          fmt::format("input '{}' is '{}' of the second model, by position and type", a_.name(input), b_.name(*next)));
      out_.inputs.push_back({input, *next});
      left.erase(next);
      return;
    }
    out_.inputs.push_back({input, kNoNode});
    if (used) {
      mismatch(fmt::format("input '{}'", a_.name(input)), a_.type(input).text(), "");
    }
  }

  void match_outputs() {
    std::vector<std::size_t> left(b_.outputs().size());
    for (std::size_t k = 0; k < left.size(); ++k) {
      left[k] = k;
    }
    std::vector<std::size_t> lonely;
    for (std::size_t k = 0; k < a_.outputs().size(); ++k) {
      std::string name = name_in_b(a_.outputs()[k].name);
      auto found = std::find_if(left.begin(), left.end(), [&](std::size_t other) { return b_.outputs()[other].name == name; });
      if (found == left.end()) {
        lonely.push_back(k);
      } else {
        add_output(k, *found);
        left.erase(found);
      }
    }
    for (std::size_t k : lonely) {
      const std::string& name = a_.outputs()[k].name;
      if (left.empty()) {
        mismatch(fmt::format("output '{}'", name), a_.type(a_.outputs()[k].node).text(), "");
        continue;
      }
      out_.notes.push_back(fmt::format("output '{}' is '{}' of the second model, by position", name, b_.outputs()[left[0]].name));
      add_output(k, left[0]);
      left.erase(left.begin());
    }
    for (std::size_t k : left) {
      mismatch(fmt::format("output '{}'", b_.outputs()[k].name), "", b_.type(b_.outputs()[k].node).text());
    }
  }

  void add_output(std::size_t a, std::size_t b) {
    Type x = a_.type(a_.outputs()[a].node);
    Type y = b_.type(b_.outputs()[b].node);
    bool known = x.is_tensor() && y.is_tensor();  // what an unknown operator gives may have no type
    if (known && !may_be_one_type(x, y)) {
      mismatch(fmt::format("output '{}'", a_.outputs()[a].name), x.text(), y.text());
    }
    out_.outputs.emplace_back(a, b);
  }

  void give_sizes() {
    for (const auto& [name, size] : options_.sizes) {
      out_.a_sizes.insert_or_assign(Symbol(name), Term(size));
      out_.notes.push_back(fmt::format("{} = {}, as given", name, size));
    }
  }

  void unify(const Interface::Input& input) {
    Type x = a_.type(input.a);
    Type y = b_.type(input.b);
    bool same = may_be_one_type(x, y) || (is_foreign(x) && x == y);
    for (std::size_t axis = 0; same && x.is_tensor() && axis < x.rank(); ++axis) {
      same =
          unify_size(substitute(x.extents()[axis], out_.a_sizes), substitute(y.extents()[axis], out_.b_sizes), y.extents()[axis]);
    }
    if (!same) {
      mismatch(fmt::format("input '{}'", a_.name(input.a)), x.text(), y.text());
    }
  }

  // `y` is what `declared` of the second model is so far. Where one model leaves a size open that the other fixes, the claim is
  // for that size.
  bool unify_size(Term x, Term y, Term declared) {
    if (x == y && (is_const(y) || out_.b_sizes.contains(declared->symbol))) {
      return true;
    }
    if (declared.kind() == TermKind::IntVar && !out_.b_sizes.contains(declared->symbol)) {
      out_.b_sizes.emplace(declared->symbol, x);
      if (is_const(x) && !options_.sizes.contains(declared->symbol.name())) {
        out_.notes.push_back(fmt::format("{} = {}, as the first model has it", declared->symbol.name(), print_term(x)));
      }
      return true;
    }
    if (x.kind() == TermKind::IntVar && !is_const(x)) {
      Substitution fixed{{x->symbol, y}};
      for (auto* sizes : {&out_.a_sizes, &out_.b_sizes}) {
        for (auto& [name, size] : *sizes) {
          size = substitute(size, fixed);
        }
      }
      out_.a_sizes.emplace(x->symbol, y);
      out_.notes.push_back(fmt::format("{} = {}, as the second model has it", x->symbol.name(), print_term(y)));
      return true;
    }
    return false;
  }

  // A name that was given must be there.
  void check_names() {
    auto has = [](const Graph& graph, const std::string& name) {
      return std::any_of(graph.inputs().begin(), graph.inputs().end(), [&](NodeId n) { return graph.name(n) == name; }) ||
             std::any_of(graph.outputs().begin(), graph.outputs().end(), [&](const GraphOutput& o) { return o.name == name; });
    };
    for (const auto& [name, other] : options_.names) {
      if (!has(a_, name) || !has(b_, other)) {
        mismatch(fmt::format("--map {}={}", name, other), has(a_, name) ? name : "", has(b_, other) ? other : "");
      }
    }
  }

  const Graph& a_;
  const Graph& b_;
  const PairOptions& options_;
  Interface out_;
};

}  // namespace

Interface match_interfaces(const Graph& a, const Graph& b, const PairOptions& options) { return Matcher(a, b, options).run(); }

}  // namespace vouch
