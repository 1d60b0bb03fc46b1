// Constants of infinity: matched by themselves alone, and no number of a proof stands for one.
#include <cmath>

#include "site.h"

namespace vouch {
namespace {

Tensor filled(double value, Extents extents = {}) {
  Tensor out(DType::Float32, std::move(extents));
  for (std::int64_t at = 0; at < out.count(); ++at) {
    out.set_double(at, value);
  }
  return out;
}

std::size_t fires(const char* rule, double bound, Extents extents = {}) {
  Site site;
  NodeId c = site.graph.add_constant(filled(bound, std::move(extents)));
  NodeId pair = site.graph.add_tuple(std::vector<NodeId>{site.input({2, 3}), c});
  return site.fires(rule, site.call("Max", {pair}));
}

TEST(Infinity, IsMatchedByItselfAlone) {
  const char* const rule = "rule larger { let x = * {dtype = float32}; source Max((x, -inf)); target x; }";
  EXPECT_EQ(fires(rule, -INFINITY), 1U);
  for (double other : {static_cast<double>(INFINITY), static_cast<double>(NAN), 0.0, -3.4028234663852886e38}) {
    EXPECT_EQ(fires(rule, other), 0U) << other;
  }
}

// What is proven of any number is not proven of infinity.
TEST(Infinity, IsNoNumberOfAProof) {
  const char* const rule =
      "rule any_number { let x = * {dtype = float32}; let c = const {value = any, rank = 0}; where c.value < 5; "
      "source Max((x, c)); target Max((c, x)); }";
  EXPECT_EQ(fires(rule, -1.0), 1U);
  EXPECT_EQ(fires(rule, -INFINITY), 0U);
}

TEST(Infinity, OfATarget) {
  const char* const rule =
      "rule masked { let x = * {dtype = float32}; let m = * {dtype = bool}; where x.rank == 1 and m.rank == 1; "
      "where x.shape[0] == m.shape[0]; source Where(m, x, Max((-inf, -inf))); "
      "target Where(m, x, const {value = -inf, dtype = float32}); }";
  Site site;
  NodeId m = site.input({3}, DType::Bool);
  NodeId c = site.graph.add_constant(filled(-INFINITY));
  NodeId largest = site.call("Max", {site.graph.add_tuple(std::vector<NodeId>{c, c})});
  site.graph.add_output("y", site.call("Where", {m, site.input({3}), largest}));
  std::vector<Rule> rules = rules_of(rule);
  Gate gate(rules, false);
  RewriteResult result = rewrite(site.graph, rules, {.admissions = gate.admissions()});
  ASSERT_EQ(result.steps, 1U) << (result.refusals.empty() ? "" : result.refusals[0].reason);
  NodeId made = site.graph.outputs()[0].node;
  const Tensor& constant = site.graph.value(site.graph.operands(made)[2]);
  EXPECT_EQ(constant.double_at(0), -INFINITY);
}

}  // namespace
}  // namespace vouch
