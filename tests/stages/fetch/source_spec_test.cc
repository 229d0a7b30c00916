#include "stages/fetch/source_spec.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(SourceSpec, TwoWordsAreARepositoryOfGitHub) {
  EXPECT_EQ(HostedUrl("lucidrains/vit-pytorch"), "https://github.com/lucidrains/vit-pytorch");
  EXPECT_EQ(HostedUrl("a/b.c_d"), "https://github.com/a/b.c_d");
  for (const char* other :
       {"", "a", "/a", "a/", "a/b/c", "./a", "../a", "a/..", "a/.", "~/a", "a b/c", "a/b c", "-a/b",
        "a/b.git", "a.b/c", "https://x", "git@x:a/b", "a/b@c", "C:/a"}) {
    EXPECT_EQ(HostedUrl(other), std::nullopt) << other;
  }
}

TEST(SourceSpec, CredentialsAreNotNamed) {
  EXPECT_EQ(WithoutCredentials("https://user:token@host/a@b"), "https://host/a@b");
  EXPECT_EQ(WithoutCredentials("https://host/a"), "https://host/a");
  const SourceSpec spec = {.git = "https://user:t@k@host/a", .revision = "", .url = ""};
  EXPECT_EQ(spec.Name(), "https://host/a");
  EXPECT_EQ(spec.Describe(), "source 'https://host/a'");
}

TEST(SourceSpec, ADayEndsAtMidnight) {
  EXPECT_EQ(EndOfDay("1970-01-01"), 86'400);
  EXPECT_EQ(EndOfDay("2026-01-31"), 1'769'904'000);
  EXPECT_EQ(EndOfDay("2024-02-29"), 1'709'251'200);
  for (const char* none : {"2023-02-29", "2026-13-01", "2026-00-10", "2026-1-31", "main", "",
                           "2026-01-311", "20260131aa"}) {
    EXPECT_EQ(EndOfDay(none), std::nullopt) << none;
  }
}

TEST(SourceSpec, WhatGitCouldMisunderstandIsRefused) {
  const auto check = [](const std::string& git, const std::string& revision) {
    return CheckSourceSpec({.git = git, .revision = revision, .url = ""}).code();
  };
  for (const char* revision : {"", "main", "feature/x", "v1.0", "c++", "pkg@1.0", "2026-01-31"}) {
    EXPECT_EQ(check("https://x/a", revision), ErrorCode::kOk) << revision;
  }
  for (const char* revision :
       {"-x", "a:b", "^a", "a b", "a*", "HEAD~1", "a..b", "a\nb", "a@{1}", "2026-02-30"}) {
    EXPECT_EQ(check("https://x/a", revision), ErrorCode::kConfig) << revision;
  }
  for (const char* git : {"", "-a", "ext::sh", "a::b"}) {
    EXPECT_EQ(check(git, ""), ErrorCode::kConfig) << git;
  }
  EXPECT_EQ(check("/local", "HEAD~1"), ErrorCode::kOk);
}

}  // namespace
}  // namespace kernelmill
