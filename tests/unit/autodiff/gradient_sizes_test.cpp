// Sizes that a derivative is for from 1 on.
#include <gtest/gtest.h>

#include "autodiff/gradient.h"
#include "notation/tk_parse.h"

namespace vouch {
namespace {

// What a derivative was derived for does not show in it: of no terms the kernel's sum is 0, and the derivative of that is.
TEST(Gradient, RequiresTheSizesThatItWasDerivedFor) {
  const std::vector<std::pair<std::string, bool>> cases = {
      {"grad X; Y<m>[i] = select(j == 0, X<m>[i], 0) where 0 <= j < n;", true},
      {"grad X; Y<m>[i] = X<m>[i] + Z<m>[i] * W<n>[0];", true},
      {"grad X; Y<m>[i] = X<m>[i] + Z<m>[i] * W<n>[j];", false},
      {"grad X; Y<m, n>[i, j] = X<m>[i] * W<n>[j];", false},
  };
  for (const auto& [text, required] : cases) {
    Diagnostics diagnostics;
    auto kernel = parse_tk(std::make_shared<Source>("kernel.tk", "size m, n; " + text), {}, {}, diagnostics);
    ASSERT_TRUE(kernel) << diagnostics.text();
    auto derivative = gradient(*kernel, kernel->grad_to, diagnostics);
    ASSERT_TRUE(derivative) << diagnostics.text();
    EXPECT_EQ(derivative->sizes.conditions, required ? std::vector{int_var(Symbol("n")) - Term(1)} : std::vector<Term>{}) << text;
  }
}

}  // namespace
}  // namespace vouch
