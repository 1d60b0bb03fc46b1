// A kernel in index notation as its first statement's index kernel.
#pragma once

#include <gtest/gtest.h>

#include "certify/index_kernel.h"
#include "notation/tk_parse.h"

namespace vouch {

inline IndexKernel parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto kernel = parse_tk(std::make_shared<Source>("kernel", text), {}, {}, diagnostics);
  EXPECT_TRUE(kernel.has_value()) << diagnostics.text();
  auto parts = index_kernels(kernel.value(), diagnostics);
  EXPECT_TRUE(parts.has_value()) << diagnostics.text();
  return parts.value().at(0);
}

}  // namespace vouch
