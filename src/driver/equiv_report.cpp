#include "driver/equiv_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/how_many.h"
#include "term/print.h"

namespace vouch {
namespace {

std::string index_text(const Extents& extents, std::int64_t position) {
  std::string out;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    std::int64_t extent = std::max<std::int64_t>(extents[axis], 1);
    out = fmt::format("{}{}{}", position % extent, out.empty() ? "" : ", ", out);
    position /= extent;
  }
  return "[" + out + "]";
}

const std::string& name_of(const EquivResult& result, NodeId node) { return result.pair->names[node]; }

std::int64_t not_zero(const Tensor& tensor) {
  std::int64_t out = 0;
  for (std::int64_t at = 0; at < tensor.count(); ++at) {
    out += tensor.double_at(at) != 0 ? 1 : 0;
  }
  return out;
}

std::string divergence_text(const EquivResult& result) {
  const Divergence& found = *result.simulation.divergence;
  const PairedOutput& output = result.pair->outputs[found.output];
  const std::vector<Tensor>& witness = result.simulation.witness;
  std::string out;
  for (std::size_t k = 0; k < witness.size(); ++k) {
    out += fmt::format("  on input {}: {}, {} of {} elements not 0\n", result.pair->graph.name(result.pair->graph.inputs()[k]),
                       Type::tensor(witness[k].dtype(), witness[k].extents()).text(), not_zero(witness[k]), witness[k].count());
  }
  if (!found.failure.empty()) {
    return out + fmt::format("  output {}: the second model has no such value there ({})\n", output.a_name, found.failure);
  }
  const Fingerprint& print = result.simulation.rounds[found.round].prints[output.a];
  return out + fmt::format("  output {}{}: {:.9g} in the first model, {:.9g} in the second\n", output.a_name,
                           index_text(print.extents, found.position), found.a, found.b);
}

std::string step_text(const BlamedStep& blamed) {
  std::string what = blamed.rule.empty() ? fmt::format("pass '{}'", blamed.pass) : fmt::format("rule '{}'", blamed.rule);
  std::string made = blamed.rule.empty() || blamed.tensor.empty() ? "" : fmt::format(" that made '{}'", blamed.tensor);
  return blamed.step == 0 ? "no step of the trace" : fmt::format("step {} of the trace, {}{}", blamed.step, what, made);
}

std::string place_text(const EquivResult& result) {
  std::string out;
  if (result.first_differing != kNoNode) {
    out += fmt::format("  first tensor of the second model without its equal in the first: {}\n",
                       name_of(result, result.first_differing));
  }
  if (result.first_differing_name != kNoNode) {
    out += fmt::format("  first that differs from its namesake: {}\n", name_of(result, result.first_differing_name));
  }
  if (result.blamed) {
    const BlamedStep& blamed = *result.blamed;
    out += fmt::format("  by {}: {}\n", step_text(blamed), blamed.reason);
  }
  return out;
}

std::string open_text(const EquivResult& result) {
  std::string out;
  for (std::size_t output : result.unproven) {
    out += fmt::format("  output {}: not shown to be equal\n", result.pair->outputs[output].a_name);
  }
  for (const OpenRegion& region : result.open) {
    out += fmt::format("  open: {} (second model) and {} (first model): {}\n", name_of(result, region.b),
                       name_of(result, region.a), region.reason);
  }
  return out;
}

std::string scope_text(const EquivResult& result) {
  std::string out;
  for (Symbol size : result.pair->sizes) {
    out += fmt::format("{}{}", out.empty() ? "  for all sizes " : ", ", size.name());
  }
  out += out.empty() ? "" : " of at least 1 that both models admit\n";
  for (const std::string& note : result.pair->notes) {
    out += "  " + note + "\n";
  }
  return out;
}

std::string mismatch_text(const EquivResult& result) {
  std::string out;
  for (const Mismatch& m : result.mismatches) {
    out += fmt::format("  {:<28} {:<32} {}\n", m.what, m.a.empty() ? "-" : m.a, m.b.empty() ? "-" : m.b);
  }
  return out;
}

std::map<EquivStep::Kind, std::size_t> counted(const EquivResult& result) {
  std::map<EquivStep::Kind, std::size_t> out;
  for (const EquivStep& step : result.steps) {
    ++out[step.kind];
  }
  return out;
}

nlohmann::ordered_json divergence_json(const EquivResult& result) {
  const Divergence& found = *result.simulation.divergence;
  nlohmann::ordered_json out{{"output", result.pair->outputs[found.output].a_name}};
  if (!found.failure.empty()) {
    out["failure"] = found.failure;
    return out;
  }
  out["position"] = found.position;
  out["first"] = found.a;
  out["second"] = found.b;
  return out;
}

nlohmann::ordered_json made_by_json(const BlamedStep& blamed) {
  nlohmann::ordered_json out{{"step", blamed.step}};
  for (const auto& [key, text] : {std::pair("rule", &blamed.rule), {"pass", &blamed.pass}, {"tensor", &blamed.tensor}}) {
    if (!text->empty()) {
      out[key] = *text;
    }
  }
  out["reason"] = blamed.reason;
  return out;
}

}  // namespace

std::string verdict_text(const EquivResult& result) {
  switch (result.verdict) {
    case EquivVerdict::EqualExact: return "equal (exact)";
    case EquivVerdict::EqualReal:
      return result.folded == 0
                 ? "equal (real)"
                 : fmt::format("equal (real), {} parameters folded within {:.1e}", result.folded, result.fold_bound);
    case EquivVerdict::Different: return "different";
    case EquivVerdict::Open: return "open";
    case EquivVerdict::Mismatched: return "different: the interfaces do not match";
  }
  return "";
}

std::string equiv_text(const EquivResult& result) {
  std::string out = verdict_text(result) + "\n";
  if (result.verdict == EquivVerdict::Mismatched) {
    return out + fmt::format("  {:<28} {:<32} {}\n", "", "first model", "second model") + mismatch_text(result);
  }
  out += scope_text(result);
  if (result.verdict == EquivVerdict::Different) {
    out += divergence_text(result) + place_text(result);
  } else if (result.verdict == EquivVerdict::Open) {
    out += result.contradiction ? "  what was proven equal has other numbers: one of the two is a fault of ours\n" : "";
    out += result.simulation.failure.empty() ? "" : fmt::format("  could not be run: {}\n", result.simulation.failure);
    out += open_text(result);
  }
  auto steps = counted(result);
  std::size_t folds = steps[EquivStep::Kind::Fold];
  out += fmt::format("  tensors shown equal: {} by their values, {} by equal operands, {} by proofs{}; {} asked about\n",
                     steps[EquivStep::Kind::Value] + steps[EquivStep::Kind::Contents], steps[EquivStep::Kind::Congruence],
                     steps[EquivStep::Kind::Region], folds == 0 ? "" : fmt::format(", {} by folds", folds),
                     how_many(result.regions, "region"));
  return out;
}

nlohmann::ordered_json equiv_json(const EquivResult& result) {
  nlohmann::ordered_json out{{"vouch_equiv", 1}, {"verdict", verdict_text(result)}};
  for (const Mismatch& m : result.mismatches) {
    out["mismatches"].push_back({{"what", m.what}, {"first", m.a}, {"second", m.b}});
  }
  if (!result.pair) {
    return out;
  }
  out["exact"] = result.verdict == EquivVerdict::EqualExact;
  out["folded"] = result.folded;
  out["fold_bound"] = result.fold_bound;
  out["notes"] = result.pair->notes;
  out["sizes"] = nlohmann::ordered_json::array();
  for (Symbol size : result.pair->sizes) {
    out["sizes"].push_back(size.name());
  }
  if (result.simulation.divergence) {
    out["difference"] = divergence_json(result);
  }
  if (result.first_differing != kNoNode) {
    out["first_differing"] = name_of(result, result.first_differing);
  }
  if (result.first_differing_name != kNoNode) {
    out["first_differing_namesake"] = name_of(result, result.first_differing_name);
  }
  if (result.blamed) {
    out["made_by"] = made_by_json(*result.blamed);
  }
  out["open"] = nlohmann::ordered_json::array();
  for (const OpenRegion& region : result.open) {
    out["open"].push_back({{"first", name_of(result, region.a)},
                           {"second", name_of(result, region.b)},
                           {"reason", region.reason},
                           {"region", region.text}});
  }
  out["steps"] = result.steps.size();
  out["regions"] = result.regions;
  out["proof_seconds"] = result.proof_seconds;
  out["median_proof_seconds"] = result.median_proof_seconds;
  out["simulation_seconds"] = result.simulation_seconds;
  return out;
}

static std::string xml_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::string junit_text(const std::vector<JudgedPair>& pairs) {
  auto failures = std::count_if(pairs.begin(), pairs.end(), [](const JudgedPair& pair) { return !pair.equal; });
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"vouch equiv\" tests=\"{}\" failures=\"{}\">\n",
                  pairs.size(), failures);
  for (const JudgedPair& pair : pairs) {
    out += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">", xml_text(pair.a), xml_text(pair.b),
                       pair.seconds);
    if (!pair.equal) {
      out += fmt::format("<failure message=\"{}\">{}</failure>", xml_text(pair.verdict), xml_text(pair.text));
    }
    out += "</testcase>\n";
  }
  return out + "</testsuite>\n";
}

}  // namespace vouch
