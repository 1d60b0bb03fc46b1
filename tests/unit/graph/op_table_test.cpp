// The table as a whole: names, declarations, and that typing works through it.
#include "graph/op_table.h"

#include <gtest/gtest.h>

#include <set>

namespace vouch {
namespace {

TEST(OpTable, NamesAreUnique) {
  std::set<std::string_view> names;
  for (std::size_t op = 0; op < op_count(); ++op) {
    EXPECT_TRUE(names.insert(op_def(static_cast<OpId>(op)).name).second) << op_def(static_cast<OpId>(op)).name;
  }
}

TEST(OpTable, TypesABroadcastAddition) {
  Term n = int_var("n");
  Type a = Type::tensor(DType::Float32, {n, Term(1)});
  Type b = Type::tensor(DType::Float32, {Term(4)});
  auto typing = type_call(*find_op("Add"), {a, b}, {}, {nullptr, nullptr});
  ASSERT_EQ(typing->error, "");
  EXPECT_EQ(typing->results[0].text(), "float32[n, 4]");
}

TEST(OpTable, RefusesSizesThatDoNotBroadcast) {
  Type a = Type::tensor(DType::Float32, Extents{2, 3});
  Type b = Type::tensor(DType::Float32, Extents{4});
  auto typing = type_call(*find_op("Add"), {a, b}, {}, {nullptr, nullptr});
  EXPECT_NE(typing->error.find("do not broadcast"), std::string::npos) << typing->error;
}

}  // namespace
}  // namespace vouch
