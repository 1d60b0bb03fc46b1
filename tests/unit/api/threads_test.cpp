// What the header promises: different threads may use different objects, and one object by its const members. Kernels, types of
// calls and terms are remembered in tables that threads share or have each; models of many sizes are optimised at once and one
// after another, and the files are the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "api/vouch.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr int kModels = 12;
constexpr int kThreads = 6;

// A transposition forth and back, a sum of two vectors that are known and the sum with it, of sizes that no other has.
std::string model_of(int k) {
  std::string columns = std::to_string(2 * k + 3);
  std::string data = "0";
  for (int i = 1; i < 2 * k + 3; ++i) {
    data += ", " + std::to_string(i % 5);
  }
  auto known = [&](const std::string& name) {
    return R"({"name": ")" + name + R"(", "kind": "parameter", "type": "float32", "dims": [)" + columns + R"(], "data": [)" +
           data + "]}, ";
  };
  auto turned = [](const std::string& name, const std::string& operand) {
    return R"({"name": ")" + name + R"(", "op": "Transpose", "operands": [")" + operand +
           R"("], "attributes": {"perm": [1, 0]}}, )";
  };
  return R"({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [)" + std::to_string(k + 2) + ", " + columns +
         R"(]}], "nodes": [)" + known("v") + known("w") + turned("t", "x") + turned("b", "t") +
         R"({"name": "s", "op": "Add", "operands": ["v", "w"]}, {"name": "y", "op": "Add", "operands": ["b", "s"]}],
          "outputs": [{"name": "y", "value": "y"}]})";
}

const char* const kRules = R"(
rule turned_back {
  let x = *;
  source Transpose(Transpose(x) {perm = (1, 0)}) {perm = (1, 0)};
  target x;
})";

class Threads : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("vouch_threads_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    for (int k = 0; k < kModels; ++k) {
      std::ofstream(path(k, "given")) << model_of(k);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(int k, const std::string& what) const { return (folder_ / (what + std::to_string(k) + ".json")).string(); }
  std::string text(int k, const std::string& what) const {
    std::ostringstream out;
    out << std::ifstream(path(k, what)).rdbuf();
    return out.str();
  }

  fs::path folder_;
};

TEST_F(Threads, OptimiseAtOnceWhatTheyOptimiseOneAfterAnother) {
  api::Rules rules = api::Rules::parse(kRules);
  std::atomic<int> next = 0;
  std::vector<api::Model> models;
  for (int k = 0; k < kModels; ++k) {
    models.push_back(api::Model::load(path(k, "given")));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int at = next++; at < 2 * kModels; at = next++) {  // each model by two threads, perhaps at once
        int k = at % kModels;
        auto done = models[static_cast<std::size_t>(k)].optimize(rules);
        done.model.save(path(k, at < kModels ? "first" : "second"));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (int k = 0; k < kModels; ++k) {
    api::Optimized alone = models[static_cast<std::size_t>(k)].optimize(rules);
    EXPECT_EQ(alone.model.calls(), 1U) << "the transpositions vanish, and what is known is added";
    alone.model.save(path(k, "alone"));
    ASSERT_FALSE(text(k, "alone").empty());
    EXPECT_EQ(text(k, "first"), text(k, "alone"));
    EXPECT_EQ(text(k, "second"), text(k, "alone"));
  }
}

}  // namespace
}  // namespace vouch
