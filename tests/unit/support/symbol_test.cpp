// Names are interned once, whichever thread asks, and however many share a slot of what a thread asked last.
#include "support/symbol.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace vouch {
namespace {

std::vector<Symbol> many_symbols() {
  std::vector<Symbol> out;
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < 5000; ++k) {
      out.emplace_back("name " + std::to_string(k));
    }
  }
  return out;
}

TEST(Symbol, IsTheSameInEveryThread) {
  std::vector<Symbol> there;
  std::thread other([&] { there = many_symbols(); });
  std::vector<Symbol> here = many_symbols();
  other.join();
  EXPECT_EQ(here, there);
  for (std::size_t k = 0; k < here.size(); ++k) {
    EXPECT_EQ(here[k].name(), "name " + std::to_string(k % 5000));
  }
}

}  // namespace
}  // namespace vouch
