// Which sizes have to be at least 1: where something is computed that has to do with them and no index is over them.
#include "notation/tk_empty.h"

#include <gtest/gtest.h>

#include "notation/tk_parse.h"
#include "support/symbols.h"

namespace vouch {
namespace {

TkKernel kernel_of(const std::string& text) {
  Diagnostics diagnostics;
  auto kernel = parse_tk(std::make_shared<Source>("kernel.tk", text), {}, {}, diagnostics);
  EXPECT_TRUE(kernel.has_value()) << diagnostics.text();
  return kernel.value_or(TkKernel());
}

std::string from_one(const TkKernel& kernel) {
  std::string out;
  for (Symbol size : sizes_from_one(kernel)) {
    out += (out.empty() ? "" : " ") + size.name();
  }
  return out;
}

TEST(SizesFromOne, AreThoseThatAreNotCountedOver) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"C<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j];", ""},
      {"C<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j] + b<n>[j];", ""},  // a summand that has nothing to do with k
      {"S<m>[i] = X<m, n>[i, j] / n;", ""},                              // within the sum
      {"S<m>[i] = X<m, n>[i, j]; Y<m>[i] = S<m>[i] / n;", "n"},          // after it
      {"Y<m>[i] = X<m>[i] * W<n>[0];", "n"},                             // the first of none
      {"Y<m>[i] = X<m>[i] + X<m>[i] * W<n>[j] + W<n>[0];", "n"},         // one summand of three
      {"size n; Y<m>[i] = select(n >= 1, X<m>[i], 0) + W<n>[j];", "n"},  // a condition on it
      {"require m >= n; Y<m>[i] = X<m>[i] where 0 <= i < n; Z<n>[j] = W<n>[j];",
       "n"},                                                                   // the end of a domain, beside other elements
      {"require m >= n; Y<n>[i] = X<m>[i] where 0 <= i < n;", "m"},            // an index over n, not over m
      {"Y<n + 1>[i] = X<n + 1>[i];", "n"},                                     // a sum
      {"Y<n, m - 1>[i, j] = X<n, m>[i, j + 1];", "m"},                         // a difference
      {"Y<n // 2>[i] = X<n>[2 * i];", "n"},                                    // a quotient
      {"Y<2 * m * n>[i] = X<m * n>[j] + X<m * n>[0] * Z<2 * m * n>[i];", ""},  // products, over a target of none
      {"Y<m>[i] = X<m, n - 2>[i, j] where 0 <= j < n - 2;", "n"},              // a sum over something else than n
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(from_one(kernel_of(text)), expected) << text;
  }
}

TEST(SizesFromOne, OfASummandAreThoseThatItNamesReadsAndSupposes) {
  TkKernel kernel = kernel_of("size k; Y<m>[i] = select(k >= 2, X<m, n>[i, 0], 0); Z<k>[j] = W<k>[j];");
  TkSummand& summand = kernel.statements[0].summands[0];
  summand.supposed = {Symbol("q")};
  std::vector<Symbol> sizes = sizes_of(kernel, kernel.statements[0], summand);
  EXPECT_EQ(sizes.size(), 4U);
  for (const char* name : {"q", "m", "n", "k"}) {
    EXPECT_TRUE(contains(sizes, Symbol(name))) << name;
  }
}

}  // namespace
}  // namespace vouch
