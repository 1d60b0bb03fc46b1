#include "io/raw_bytes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

std::string letters(std::size_t count) {
  std::string text(count, 'a');
  for (std::size_t k = 0; k < count; ++k) {
    text[k] = static_cast<char>('a' + k % 23);
  }
  return text;
}

TEST(RawBytes, WhatIsThereStaysWhenTheyGrow) {
  RawBytes bytes;
  EXPECT_EQ(bytes.view(), "");
  std::string written;
  for (std::size_t more : {3, 4096, 1, 100'000}) {
    std::size_t before = bytes.size();
    written += letters(more);
    bytes.resize(before + more);
    std::copy_n(written.data() + before, more, bytes.data() + before);
    EXPECT_EQ(bytes.view(), written);
  }
  bytes.resize(2);
  EXPECT_EQ(bytes.view(), "ab");
}

TEST(RawBytes, WhatIsMovedFromHasNone) {
  RawBytes bytes;
  bytes.resize(2);
  std::copy_n("ab", 2, bytes.data());
  RawBytes moved = std::move(bytes);
  EXPECT_EQ(moved.view(), "ab");
  EXPECT_EQ(bytes.view(), "");  // NOLINT(bugprone-use-after-move): what it promises
  bytes.resize(1);
  bytes.data()[0] = 'c';
  EXPECT_EQ(bytes.view(), "c");
}

// A pipe does not say how long it is, and gives a part at a time.
TEST(RawBytes, LargeFilesAreReadFromPipesToo) {
  fs::path pipe = fs::path(testing::TempDir()) / ("vouch_pipe_" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string written = letters(300'001);
  std::thread writer([&] { std::ofstream(pipe) << written; });
  Diagnostics diagnostics;
  auto bytes = read_large_file(pipe.string(), diagnostics);
  writer.join();
  fs::remove(pipe);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_TRUE(bytes->view() == written);
}

}  // namespace
}  // namespace vouch
