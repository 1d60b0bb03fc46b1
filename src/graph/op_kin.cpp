#include "graph/op_kin.h"

#include <algorithm>

namespace vouch {

AttrRole role_of(const AttrDef& attribute) {
  switch (attribute.domain) {
    case AttrDomain::Axis:
    case AttrDomain::Position:
    case AttrDomain::Axes:
    case AttrDomain::NewAxes:
    case AttrDomain::OrderedAxes:
    case AttrDomain::PlainAxes:
    case AttrDomain::Permutation: return AttrRole::Axis;
    case AttrDomain::Flag: return AttrRole::Flag;
    case AttrDomain::Count:
    case AttrDomain::OneElement: return AttrRole::Other;
    case AttrDomain::Any: break;
  }
  if (attribute.each_if_absent) {
    return *attribute.each_if_absent == 1 ? AttrRole::Step : *attribute.each_if_absent == 0 ? AttrRole::Padding : AttrRole::Other;
  }
  const auto* otherwise = std::get_if<std::int64_t>(&attribute.otherwise);
  return attribute.type == AttrType::Int && otherwise != nullptr && *otherwise == 1 ? AttrRole::Group : AttrRole::Other;
}

std::vector<OpId> kin_of(OpId op) {
  static const std::vector<std::vector<std::string_view>> kFamilies{
      {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"},
      {"MaxPool", "AveragePool"},
      {"GlobalMaxPool", "GlobalAveragePool"},
      {"max_pool2d", "avg_pool2d"},
      {"sum", "max", "min", "prod", "mean"}};
  std::vector<OpId> out;
  for (const auto& family : kFamilies) {
    if (std::find(family.begin(), family.end(), op_def(op).name) == family.end()) {
      continue;
    }
    for (std::string_view name : family) {
      auto other = find_op(name);
      if (other && *other != op) {
        out.push_back(*other);
      }
    }
  }
  return out;
}

}  // namespace vouch
