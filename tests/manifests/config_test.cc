#include "manifests/config.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace kernelmill {
namespace {

using ::testing::HasSubstr;

const std::vector<ConfigKey>& Keys() {
  static const std::vector<ConfigKey> keys = {
      {"seed", ConfigType::kInteger, 7, "", "The seed."},
      {"mine.max_file_bytes", ConfigType::kInteger, 1048576, "bytes", "Larger files are left out."},
      {"mine.allow", ConfigType::kStrings, Json::Array{"MIT"}, "", "Licences."},
      {"mix", ConfigType::kWeights, Json::Object{}, "", "Weights.", {0}},
      {"dedup", ConfigType::kBool, true, "", "Whether to."},
      {"threshold", ConfigType::kNumber, 0.5, "", "How near.", kFraction},
      {"rows", ConfigType::kInteger, 3, "", "How many.", kAtLeastOne, {}, {"mine.count", "size"}},
      {"tokenizer", ConfigType::kString, "", "", "A file."},
      {"sources",
       ConfigType::kItems,
       Json(),
       "",
       "Repositories.",
       {},
       {{"git", ConfigType::kString, Json(), "", "A path or URL."},
        {"revision", ConfigType::kString, "HEAD", "", "A revision.", {}, {}, {"commit"}}}},
  };
  return keys;
}

Result<Config> Parse(std::string_view yaml, const std::vector<std::string>& overrides = {}) {
  return Config::Parse(Keys(), yaml, "test.yaml", overrides);
}

constexpr char kSources[] = "sources: [{git: a}]\n";

TEST(Config, RefusesWhatIsNotUtf8OrGivenTwice) {
  for (const char* yaml : {"sources: []\nmix: {\xbd: 1}", "sources: []\nmine: {allow: [\xbd]}",
                           "sources: [{git: \xbd}]"}) {
    EXPECT_THAT(Parse(yaml).status().message(), HasSubstr("is not UTF-8")) << yaml;
  }
  EXPECT_THAT(Parse("sources: []\nmix: {a: 1, a: 2}").status().message(),
              HasSubstr("names 'a' twice"));
}

TEST(Config, FillsInDefaultsAndReadsNestedKeys) {
  const auto config = Parse(
      "seed: 11\nmine:\n  allow: [BSD-2-Clause, ISC]\nmix: {translate: 45}\n"
      "sources:\n  - git: /some/where\n  - {git: x, revision: v1}\n");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->Integer("seed"), 11);
  EXPECT_EQ(config->Integer("mine.max_file_bytes"), 1048576);
  EXPECT_EQ(config->Strings("mine.allow"), (std::vector<std::string>{"BSD-2-Clause", "ISC"}));
  EXPECT_EQ(config->Value("mix").Find("translate")->as_double(), 45);
  const auto& sources = config->Value("sources").as_array();
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].Find("revision")->as_string(), "HEAD");
  EXPECT_EQ(sources[1].Find("revision")->as_string(), "v1");
}

TEST(Config, OverridesWinOverTheFile) {
  const auto config = Parse(std::string("seed: 1\n") + kSources,
                            {"seed=3", "mine.max_file_bytes=10", "dedup=false"});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->Integer("seed"), 3);
  EXPECT_EQ(config->Integer("mine.max_file_bytes"), 10);
  EXPECT_FALSE(config->Bool("dedup"));
}

struct Mistake {
  const char* yaml;
  const char* message;
};

TEST(Config, EveryMistakeNamesItsLineAndKey) {
  const Mistake mistakes[] = {
      {"seed: 1\nsource: []\n", "test.yaml:2: unknown key 'source'; did you mean 'sources'?"},
      {"mine: {max_file_byte: 3}\nsources: []", "did you mean 'mine.max_file_bytes'?"},
      {"max_file_bytes: 3\nsources: []", "did you mean 'mine.max_file_bytes'?"},
      {"sources: [{git: a, revison: b}]", "did you mean 'sources[0].revision'?"},
      {"sources: [{revision: b}]", "sources[0].git: is missing"},
      {"seed: seven\nsources: []", "test.yaml:1: seed: must be an integer, not 'seven'"},
      {"seed: 1.5\nsources: []", "seed: must be an integer"},
      {"seed: 99999999999999999999\nsources: []", "seed: must be an integer"},
      {"seed: \"7\"\nsources: []", "seed: must be an integer"},
      {"dedup: yes\nsources: []", "dedup: must be true or false"},
      {"threshold: .inf\nsources: []", "threshold: must be a number"},
      {"threshold: 1.5\nsources: []", "threshold: must lie between 0 and 1, not '1.5'"},
      {"rows: 0\nsources: []", "rows: must lie between 1 and 1000000000, not '0'"},
      {"mix: {a: 1, b: -1}\nsources: []", "test.yaml:1: mix.b: must lie at or above 0, not '-1'"},
      {"mix: {a: .nan}\nsources: []", "mix.a: must be a number, not '.nan'"},
      {"mix: {a: {b: 1}}\nsources: []", "mix.a: must be a number, not a mapping"},
      {"sources: {git: a}", "sources: must be a list of mappings, not a mapping"},
      {"mine: 3\nsources: []", "test.yaml:1: mine: must be a mapping, not '3'"},
      {"mine: {allow: [MIT, [x]]}\nsources: []", "mine.allow[1]: must be a string, not a list"},
      {"sources: [3]", "sources[0]: must be a mapping, not '3'"},
      {"size: 3\nsources: []", "test.yaml:1: the key 'size' is now called 'rows'"},
      {"mine: {count: 3}\nsources: []", "the key 'mine.count' is now called 'rows'"},
      {"sources: [{git: a, commit: b}]",
       "the key 'sources[0].commit' is now called 'sources[0].revision'"},
      {"seed: 1\nseed: 2\nsources: []", "seed: is given twice"},
      {"seed: 1", "sources: is missing"},
      {"", "sources: is missing"},
      {"seed: [1", "not YAML"},
      {"- 1", "must be a mapping, not a list"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto config = Parse(mistake.yaml);
    ASSERT_FALSE(config.ok()) << mistake.yaml;
    EXPECT_EQ(config.status().code(), ErrorCode::kConfig);
    EXPECT_THAT(config.status().message(), HasSubstr(mistake.message)) << mistake.yaml;
  }
  EXPECT_THAT(Parse(kSources, {"sed=3"}).status().message(), HasSubstr("did you mean 'seed'?"));
  EXPECT_THAT(Parse(kSources, {"size=3"}).status().message(), HasSubstr("is now called 'rows'"));
  EXPECT_THAT(Parse(kSources, {"seed=x"}).status().message(),
              HasSubstr("--set seed=x: seed: must be an integer, not 'x'"));
  EXPECT_THAT(Parse(kSources, {"seed"}).status().message(), HasSubstr("must read key=value"));
}

TEST(Config, AFrozenConfigurationNamesTheSameFilesElsewhere) {
  const auto config =
      Config::Parse(Keys(), "tokenizer: b.json\n", "a/run.yaml", {"sources=[{git: ../y}]"});
  ASSERT_TRUE(config.ok()) << config.status().message();
  const auto thawed = Config::Thaw(Keys(), config->Freeze());
  ASSERT_TRUE(thawed.ok()) << thawed.status().message();
  EXPECT_EQ(thawed->ToJson(), config->ToJson());
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(thawed->Path("tokenizer"), here + "/a/b.json");
  EXPECT_EQ(thawed->Path("sources", "../y"), here + "/../y");
  EXPECT_EQ(thawed->Path("tokenizer", ""), "");
  // Frozen once more, in another working directory, it is the same.
  EXPECT_EQ(thawed->Freeze(), config->Freeze());
  std::vector<ConfigKey> more = Keys();
  more.push_back({.name = "added", .default_value = 1});
  EXPECT_EQ(Config::Thaw(more, config->Freeze()).status().code(), ErrorCode::kCorrupt);
}

TEST(Config, PathsAreRelativeToTheFileThatNamesThem) {
  const auto config = Config::Parse(Keys(), std::string("tokenizer: a/b.json\n") + kSources,
                                    "/some/where/c.yaml", {"sources=[{git: ../y}]"});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->String("tokenizer"), "a/b.json");
  EXPECT_EQ(config->Path("tokenizer"), "/some/where/a/b.json");
  EXPECT_EQ(config->Path("tokenizer", "/else"), "/else");
  EXPECT_EQ(config->Path("tokenizer", ""), "");
  // A path in an override is relative to the working directory.
  EXPECT_EQ(config->Path("sources", "../y"), "../y");
  const auto beside = Parse(std::string("tokenizer: b.json\n") + kSources);
  ASSERT_TRUE(beside.ok()) << beside.status().message();
  EXPECT_EQ(beside->Path("tokenizer"), "b.json");
}

TEST(Config, AnAliasBombIsRefusedWithoutBeingExpanded) {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string item = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + item + ", " + item +
            ", " + item + ", " + item + "]\n";
  }
  EXPECT_EQ(Parse(yaml).status().code(), ErrorCode::kConfig);
}

TEST(Config, WhatFollowsTheFirstDocumentIsRefused) {
  for (const std::string_view yaml : {",", "a: 1\n---\na: 2\n", "a: 1\n---\n,"}) {
    EXPECT_THAT(Parse(std::string(yaml)).status().message(),
                testing::HasSubstr("goes on after its first YAML document"))
        << yaml;
  }
}

TEST(Config, TheListingOfKeysIsItselfAValidConfiguration) {
  const auto config = Parse(DescribeKeys(Keys()) + kSources);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->Value("mine.allow"), Json(Json::Array{"MIT"}));
}

}  // namespace
}  // namespace kernelmill
