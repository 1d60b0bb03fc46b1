#include "driver/library_stack.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

constexpr const char* kGraph = R"(graph: { title: "a.c"
node: { title: "run" label: "run\na.c:1:5\n100 bytes (static)\n0 dynamic objects" }
node: { title: "a.c:inner" label: "inner\na.c:2:5\n40 bytes (static)\n0 dynamic objects" }
node: { title: "a.c:other" label: "other\na.c:3:5\n24 bytes (static)\n0 dynamic objects" }
node: { title: "expf" label: "expf\n<built-in>" shape : ellipse }
edge: { sourcename: "run" targetname: "a.c:inner" label: "a.c:1:7" }
edge: { sourcename: "run" targetname: "a.c:other" label: "a.c:1:8" }
edge: { sourcename: "a.c:other" targetname: "expf" label: "a.c:1:8" }
)";

CallGraph with(const std::string& more) {
  CallGraph graph;
  graph.add(kGraph);
  graph.add(more);
  return graph;
}

TEST(CallGraph, SumsTheDeepestChainWithReturnAddresses) {
  std::string why;
  EXPECT_EQ(with("").deepest("run", why), 100 + 8 + 40 + 8);
  EXPECT_EQ(with("").deepest("a.c:other", why), 24 + 8);
  EXPECT_EQ(with("").deepest("", why), 156);
}

TEST(CallGraph, FollowsCallsIntoOtherFiles) {
  std::string why;
  CallGraph graph = with("edge: { sourcename: \"a.c:other\" targetname: \"kernel\" label: \"\" }\n");
  graph.add("node: { title: \"kernel\" label: \"kernel\\nb.c:1:1\\n1000 bytes (static)\\n0 dynamic objects\" }\n");
  EXPECT_EQ(graph.deepest("run", why), 108 + 32 + 1008);
}

TEST(CallGraph, CountsTheBodyOfAParallelLoop) {
  std::string why;
  EXPECT_EQ(with("node: { title: \"run._omp_fn.0\" label: \"f\\na.c:1:1\\n500 bytes (static)\\n0 dynamic objects\" }\n")
                .deepest("run", why),
            108 + 508);
}

TEST(CallGraph, HasNoBoundForRecursionPointersAndFramesThatGrow) {
  std::string why;
  EXPECT_FALSE(with("edge: { sourcename: \"a.c:inner\" targetname: \"run\" label: \"\" }\n").deepest("run", why));
  EXPECT_NE(why.find("calls itself"), std::string::npos) << why;
  EXPECT_FALSE(with("edge: { sourcename: \"run\" targetname: \"__indirect_call\" label: \"\" }\n").deepest("run", why));
  EXPECT_NE(why.find("through a pointer"), std::string::npos) << why;
  CallGraph grows = with("node: { title: \"grows\" label: \"grows\\na.c:9:1\\n16 bytes (dynamic)\\n1 dynamic objects\" }\n");
  EXPECT_FALSE(grows.deepest("grows", why));
  EXPECT_NE(why.find("no bound"), std::string::npos) << why;
}

}  // namespace
}  // namespace vouch
