#include "corpora/git/source_lock.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

const SourceLock kLock = {.sources = {{.git = "../x",
                                       .revision = "HEAD",
                                       .url = "urn:local:x",
                                       .commit = std::string(40, 'a'),
                                       .trouble = ""},
                                      {.git = "https://host/y",
                                       .revision = "2026-01-31",
                                       .url = "https://host/y",
                                       .commit = "",
                                       .trouble = "its remote is empty"}}};

TEST(SourceLock, KeepsItsBytes) {
  const Result<SourceLock> read = SourceLock::Decode(kLock.Encode(), "sources.lock");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->sources, kLock.sources);
  EXPECT_EQ(read->Encode(), kLock.Encode());
  // The order of a file that somebody edited does not matter.
  const Result<SourceLock> edited =
      SourceLock::Decode(R"({"v":1,"sources":[{"git":"b","revision":"r","url":"u","trouble":"t"},)"
                         R"({"git":"a","revision":"r","url":"u","trouble":"t"}]})",
                         "sources.lock");
  ASSERT_TRUE(edited.ok()) << edited.status().message();
  EXPECT_EQ(edited->sources[0].git, "a");
}

TEST(SourceLock, FindsByNameAndRevision) {
  EXPECT_EQ(kLock.Find("../x", "HEAD"), &kLock.sources[0]);
  EXPECT_EQ(kLock.Find("../x", "main"), nullptr);
  EXPECT_EQ(kLock.Find("x", "HEAD"), nullptr);
}

TEST(SourceLock, RefusesOtherFiles) {
  const std::string good = kLock.Encode();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[]"), replaced("\"v\": 1", "\"v\": 2"),
        replaced(std::string(40, 'a'), std::string(39, 'a')),
        replaced(std::string(40, 'a'), std::string(40, 'A')), replaced("\"url\"", "\"uri\""),
        replaced("its remote is empty", "")}) {
    const Status status = SourceLock::Decode(text, "sources.lock").status();
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_NE(status.message().find("sources.lock"), std::string::npos) << status.message();
  }
}

TEST(SourceLock, RefusesTwoCommitsOfOneSource) {
  SourceLock lock = kLock;
  lock.sources.push_back(kLock.sources[0]);
  lock.sources.back().commit = std::string(40, 'b');
  const Status status = SourceLock::Decode(lock.Encode(), "sources.lock").status();
  EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
  EXPECT_NE(status.message().find("'../x' at the same revision twice"), std::string::npos);
}

}  // namespace
}  // namespace kernelmill
