// Programs by their words: no shell reads them; limits of time; what they print; that they are not there.
#include "support/process.h"

#include <gtest/gtest.h>

#include "support/displayable.h"

namespace vouch {
namespace {

ProcessRun run(std::vector<std::string> words, std::string_view input = {}) {
  words[0] = find_program(words[0]);
  return run_process({std::move(words), std::nullopt, {}, input, {}});
}

TEST(Process, WordsAreNotReadByAShell) {
  ProcessRun said = run({"printf", "%s|", "a'b; echo $HOME", "`id`", ""});
  EXPECT_TRUE(said.ended);
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.said, "a'b; echo $HOME|`id`||");
}

TEST(Process, ReadsItsInputAndTellsItsStatus) {
  EXPECT_EQ(run({"cat"}, std::string(100'000, 'x')).said.size(), 100'000U);
  ProcessRun failed = run({"sh", "-c", "echo to errors >&2; exit 7"});
  EXPECT_TRUE(failed.ended);
  EXPECT_EQ(failed.status, 7);
  EXPECT_EQ(failed.errors, "to errors\n");
  EXPECT_EQ(failed.said, "");
}

TEST(Process, EndsWhenItsTimeIsOver) {
  ProcessRequest request{{find_program("sleep"), "60"}, std::nullopt, {}, {}, {}};
  request.limits.time = std::chrono::seconds(0);
  ProcessRun run = run_process(request);
  EXPECT_FALSE(run.ended);
  EXPECT_TRUE(run.late);
}

TEST(Process, SaysThatItIsNotThere) {
  EXPECT_EQ(find_program("no-program-has-this-name"), "");
  ProcessRun run = run_process({{"/no/such/program"}, std::nullopt, {}, {}, {}});
  EXPECT_FALSE(run.ended);
  EXPECT_NE(run.why.find("could not be started"), std::string::npos);
}

TEST(Displayable, KeepsTextAndReplacesWhatIsNone) {
  EXPECT_EQ(displayable("a\tb\nü𝄞"), "a\tb\nü𝄞");
  EXPECT_EQ(displayable("\x01\x1b[m\x7f"), "\uFFFD\uFFFD[m\uFFFD");
  EXPECT_EQ(displayable("\xff\xc0\xaf"), "\uFFFD\uFFFD\uFFFD");                // overlong
  EXPECT_EQ(displayable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");                // a surrogate
  EXPECT_EQ(displayable("\xc2\x85\xef\xbf\xbe"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // a control character; U+FFFE, byte by byte
  EXPECT_EQ(displayable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");      // beyond U+10FFFF
  EXPECT_EQ(displayable("x\xe2\x82"), "x\uFFFD\uFFFD");
}

TEST(Displayable, IsCutBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("aüb", 2), "a…");
  EXPECT_EQ(shortened("ü", 1), "…");
}

}  // namespace
}  // namespace vouch
