#include "driver/chain_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/how_many.h"

namespace vouch {
namespace {

struct Claims {
  std::set<std::size_t> rewrites;
  std::map<std::string, std::size_t> passes;
  std::size_t bodies = 0;
  std::size_t same = 0;
};

Claims claims_of(const Chain& chain) {
  Claims out;
  for (const ChainStep& step : chain.steps) {
    if (const auto* rule = std::get_if<ChainRule>(&step.ground)) {
      out.rewrites.insert(rule->rewrite);
    } else if (const auto* pass = std::get_if<Pass>(&step.ground)) {
      ++out.passes[std::string(pass_name(*pass))];
    } else if (std::holds_alternative<ChainBody>(step.ground)) {
      ++out.bodies;
    } else {
      ++out.same;
    }
  }
  return out;
}

const StepsFound* steps_of(const ChainFound& chain, const VerifyFindings& found) {
  auto same =
      std::find_if(found.steps.begin(), found.steps.end(), [&](const StepsFound& one) { return one.folder == chain.folder; });
  return same == found.steps.end() ? nullptr : &*same;
}

std::size_t theorems_among(const std::set<std::size_t>& rewrites, const StepsFound* steps) {
  return static_cast<std::size_t>(
      std::count_if(rewrites.begin(), rewrites.end(), [&](std::size_t step) { return steps && steps->why_not(step).empty(); }));
}

}  // namespace

std::string chain_verdict(const ChainFound& found) {
  return !found.chain.why.empty() ? "none" : found.is_open() ? "undecided" : "proven";
}

std::string chain_claims(const Chain& chain) {
  Claims claims = claims_of(chain);
  std::vector<std::string> out;
  if (!claims.rewrites.empty()) {
    out.push_back(how_many(claims.rewrites.size(), "rewrite"));
  }
  for (const auto& [pass, count] : claims.passes) {
    out.push_back(fmt::format("{} of {}", count, pass));
  }
  if (claims.bodies != 0) {
    out.push_back(fmt::format("{} of graphs within calls", claims.bodies));
  }
  return out.empty() ? "nothing is claimed" : fmt::format("{}", fmt::join(out, "; "));
}

std::string chain_rows(const VerifyFindings& found) {
  std::size_t width = 5;
  for (const ChainFound& one : found.chains) {
    width = std::max(width, one.library.size());
  }
  std::string out = fmt::format("{:<{}}  verdict     time  nodes  axioms  if these hold\n", "chain", width);
  for (const ChainFound& one : found.chains) {
    out += fmt::format("{:<{}}  {:<9} {}  {:>5}  {:<6}  {}\n", one.library, width, chain_verdict(one),
                       one.kept ? "   kept" : fmt::format("{:>5.2f} s", one.answer.seconds), one.chain.nodes.size(),
                       one.answer.axioms.empty() ? "-" : one.answer.axioms, chain_claims(one.chain));
    std::string why = one.chain.why.empty() ? one.answer.message : one.chain.why;
    out += why.empty() ? "" : fmt::format("  {}\n", why);
  }
  return out;
}

nlohmann::ordered_json chains_json(const VerifyFindings& found) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ChainFound& one : found.chains) {
    Claims claims = claims_of(one.chain);
    nlohmann::ordered_json passes = nlohmann::ordered_json::object();
    for (const auto& [pass, count] : claims.passes) {
      passes[pass] = count;
    }
    out.push_back({{"library", one.library},
                   {"folder", one.folder},
                   {"verdict", chain_verdict(one)},
                   {"nodes", one.chain.nodes.size()},
                   {"rewrites", claims.rewrites.size()},
                   {"theorems", theorems_among(claims.rewrites, steps_of(one, found))},
                   {"passes", passes},
                   {"bodies", claims.bodies},
                   {"same_calls", claims.same},
                   {"axioms", one.answer.axioms},
                   {"kept", one.kept},
                   {"time_ms", one.answer.seconds * 1000},
                   {"message", one.chain.why.empty() ? one.answer.message : one.chain.why}});
  }
  return out;
}

}  // namespace vouch
