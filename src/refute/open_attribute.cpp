#include "refute/open_attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "graph/default_attribute.h"

namespace vouch {
namespace {

bool leaves_open(const Pattern& call, OpId op, std::string_view attribute) {
  return call.kind == PatternKind::Call && call.op == op && call.attributes_as == kNone &&
         std::none_of(call.attributes.begin(), call.attributes.end(),
                      [&](const PatternAttr& given) { return given.name.name() == attribute; });
}

// The input on which the two sides differ has a call of the source with another value than the default.
bool takes_another(const Graph& source, OpId op, const AttrDef& declared) {
  for (NodeId node = 0; node < source.id_limit(); ++node) {
    const AttrValue* value =
        source.kind(node) == NodeKind::Call && source.op(node) == op ? source.attributes(node).find(declared.name) : nullptr;
    if (value != nullptr && !is_default(declared, *value)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string show_open_attributes(const Counterexample& counterexample, const Rule& rule) {
  std::string out;
  std::set<std::pair<OpId, std::string_view>> told;
  for (PatternId id : rule.source_order) {
    const Pattern& call = rule.pattern(id);
    if (call.kind != PatternKind::Call || !call.op) {
      continue;
    }
    for (const AttrDef& declared : op_def(*call.op).attributes) {
      bool both = leaves_open(call, *call.op, declared.name) &&
                  std::any_of(rule.target_order.begin(), rule.target_order.end(),
                              [&](PatternId made) { return leaves_open(rule.pattern(made), *call.op, declared.name); });
      if (both && takes_another(counterexample.source, *call.op, declared) && told.emplace(*call.op, declared.name).second) {
        std::string_view op = op_def(*call.op).name;
        out +=
            fmt::format("  '{}' of {} is not mentioned: in the source it is any, in the target the default\n", declared.name, op);
        out += call.name.empty() ? fmt::format("  to carry it over: let s = {0}(…); in the target {0}(…) {{* as s}}\n", op)
                                 : fmt::format("  to carry it over: in the target {}(…) {{* as {}}}\n", op, call.name.name());
      }
    }
  }
  return out;
}

}  // namespace vouch
