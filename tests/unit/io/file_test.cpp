#include "io/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "io/tensor_file.h"
#include "io/whole_json.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("vouch_file_" + std::to_string(::getpid()) + "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  void put(const std::string& name, const std::string& bytes) const { std::ofstream(path(name)) << bytes; }

  fs::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(FileTest, WrittenBytesAreReadBack) {
  std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file(path("x"), bytes, diagnostics_));
  EXPECT_EQ(read_file(path("x"), diagnostics_), bytes);
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(FileTest, FailedWriteLeavesTheOldFileAndNoTemporary) {
  ASSERT_TRUE(write_file(path("x"), "old", diagnostics_));
  fs::create_directory(path("taken"));
  put("taken/inside", "");
  EXPECT_FALSE(write_file(path("taken"), "new", diagnostics_));  // a folder that is not empty cannot be replaced
  EXPECT_EQ(file_count(), 2U);
  EXPECT_EQ(read_file(path("x"), diagnostics_), "old");
  EXPECT_FALSE(write_file(path("no/such/folder/x"), "new", diagnostics_));
  EXPECT_EQ(diagnostics_.error_count(), 2U);
}

TEST_F(FileTest, WrittenFilesHaveOrdinaryModes) {
  mode_t before = ::umask(022);
  ASSERT_TRUE(write_file(path("x"), "y", diagnostics_));
  ::umask(before);
  EXPECT_EQ(fs::status(path("x")).permissions(), fs::perms(0644));
}

TEST_F(FileTest, ReadingNamesTheFileItCannotRead) {
  EXPECT_FALSE(read_file(path("absent"), diagnostics_));
  EXPECT_FALSE(read_file(folder_.string(), diagnostics_));
  put("big", "0123456789");
  EXPECT_FALSE(read_file(path("big"), diagnostics_, 9));
  EXPECT_TRUE(read_file(path("big"), diagnostics_, 10));
  EXPECT_FALSE(read_file_part(path("big"), 8, 3, diagnostics_));
  EXPECT_EQ(read_file_part(path("big"), 8, 2, diagnostics_), "89");
  EXPECT_EQ(diagnostics_.error_count(), 4U);
  EXPECT_NE(diagnostics_.text().find("absent"), std::string::npos);
}

TEST_F(FileTest, TensorsComeBackInBothForms) {
  double values[] = {1.5, -0.0, 3};
  NamedTensor named{"gpu_0/x", Tensor::of_doubles(DType::Float32, {3, 1}, values)};
  ASSERT_TRUE(write_tensor(folder_.string(), "in_", named, diagnostics_));
  ASSERT_TRUE(write_tensor_proto(path("x.pb"), named, diagnostics_));
  for (const char* name : {"in_gpu_0_x.json", "in_gpu_0_x.float32.bin", "x.pb"}) {
    auto read = read_tensor(path(name), diagnostics_);
    ASSERT_TRUE(read) << diagnostics_.text();
    EXPECT_EQ(read->name, "gpu_0/x");
    EXPECT_TRUE(read->tensor == named.tensor) << name;
  }
  auto folder = read_tensor_folder(folder_.string(), diagnostics_);
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->inputs.size(), 1U);
  EXPECT_TRUE(folder->outputs.empty());
}

TEST_F(FileTest, TensorFilesThatLieAreRefused) {
  put("in_a.json", R"({"name": "a", "type": "float32", "dims": [1000000000, 1000]})");
  put("in_a.float32.bin", "1234");
  EXPECT_FALSE(read_tensor(path("in_a.json"), diagnostics_));
  put("in_b.json", R"({"name": "b", "type": "float33", "dims": [1]})");
  EXPECT_FALSE(read_tensor(path("in_b.json"), diagnostics_));
  put("in_c.json", R"({"name": "c", "type": "int8", "dims": [-1]})");
  EXPECT_FALSE(read_tensor(path("in_c.json"), diagnostics_));
  put("d.pb", "\x08\x02\x10");
  EXPECT_FALSE(read_tensor(path("d.pb"), diagnostics_));
  EXPECT_EQ(diagnostics_.error_count(), 4U) << diagnostics_.text();
  EXPECT_NE(diagnostics_.text().find("needs 4000000000000 bytes, found 4"), std::string::npos) << diagnostics_.text();
  EXPECT_NE(diagnostics_.text().find("/dims"), std::string::npos);
}

std::optional<JsonText> parse(const std::string& text, Diagnostics& diagnostics) {
  return JsonText::parse(std::make_shared<Source>("t.json", text), diagnostics);
}

TEST(JsonTextTest, EveryValueKnowsItsPlace) {
  Diagnostics diagnostics;
  auto json = parse("{\"a\\\"b\": [1, -2.5e3,\n  \"x\\u00e9\", {\"~/\": true}], \"n\": null}", diagnostics);
  ASSERT_TRUE(json) << diagnostics.text();
  auto list = json->root().find("a\"b");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 4U);
  EXPECT_EQ(list->items()[1].text(), "-2.5e3");
  EXPECT_EQ(list->items()[2].text(), "\"x\\u00e9\"");
  EXPECT_EQ(list->items()[2].string(diagnostics), "x\xc3\xa9");
  EXPECT_EQ(list->items()[2].pointer(), "/a\"b/2");
  EXPECT_EQ(list->items()[3].items()[0].pointer(), "/a\"b/3/~0~1");
  list->items()[2].integer(diagnostics);
  EXPECT_NE(diagnostics.text().find("t.json:2:3: error: expected a number, found a string"), std::string::npos)
      << diagnostics.text();
}

TEST(JsonTextTest, BadTextsAreReportedWithTheirPlace) {
  for (const char* text : {"", "{", "[1,]", "{\"a\": 1, \"a\": 2}", "[1] 2", "\"\\ud800\"", "[\"\xff\"]"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(parse(text, diagnostics)) << text;
    EXPECT_EQ(diagnostics.error_count(), 1U) << text;
    EXPECT_NE(diagnostics.text().find("t.json:1:"), std::string::npos) << diagnostics.text();
  }
}

// What nlohmann_json's own reader makes of the text is what is expected.
TEST(WholeJsonTest, IsTheTextsValue) {
  for (const char* text : {"null", "true", "[]", "{}", "-0", "[0, -7, 18446744073709551615, 2.5, 1e3, -1e-320]",
                           "{\"b\": [1, {\"x\\u00e9\": \"\\u0000~\"}], \"a\": {\"\": false}}"}) {
    EXPECT_EQ(whole_json(text), nlohmann::ordered_json::parse(text)) << text;
    EXPECT_EQ(whole_json(text).dump(), nlohmann::ordered_json::parse(text).dump()) << text;
  }
}

TEST(WholeJsonTest, WhatIsNoValueIsNullAndTold) {
  std::string deep = "{\"a\": " + std::string(200000, '[') + std::string(200000, ']') + ", \"b\": 1}";
  for (const std::string& text : {std::string("{\"a\": 1, \"a\": 2}"), std::string("[1,]"), deep}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(whole_json("t.json", text, diagnostics).is_null());
    EXPECT_EQ(diagnostics.error_count(), 1U) << diagnostics.text();
  }
}

// Members are not looked up one by one: the square of their number would be hours.
TEST(WholeJsonTest, WideTextsAreRead) {
  std::string text = "{";
  for (int k = 0; k < 1000000; ++k) {
    text += "\"m" + std::to_string(k) + "\": 1, ";
  }
  EXPECT_EQ(whole_json(text + "\"last\": 2}").size(), 1000001U);
}

TEST(JsonTextTest, NestingIsBounded) {
  Diagnostics diagnostics;
  EXPECT_TRUE(parse(std::string(kDeepestJson, '[') + std::string(kDeepestJson, ']'), diagnostics));
  EXPECT_FALSE(parse(std::string(kDeepestJson + 1, '[') + std::string(kDeepestJson + 1, ']'), diagnostics));
  EXPECT_FALSE(parse(std::string(1000000, '['), diagnostics));
}

}  // namespace
}  // namespace vouch
