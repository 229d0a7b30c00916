#include "stages/measure/measure_step.h"

#include <gmock/gmock.h>

#include "corpora/records/row_attributes.h"
#include "manifests/commit_file.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

Result<MeasureOptions> Options(const std::vector<std::string>& settings) {
  KM_ASSIGN(const Config config, Config::Parse(MeasureKeys(), "{}", "test.yaml", settings));
  return MeasureOptions::Of(config);
}

class MeasureStepTest : public testing::Test {
 protected:
  void SetUp() override {
    std::map<Digest, std::string> records;
    module_.AddTo(&records);
    // The attributes as `render` sets them.
    module_.row.attributes = RowAttributes{.split = "train", .difficulty_static = 0.5}.ToJson();
  }

  Outcome Measure(const std::vector<std::string>& settings) {
    MeasureStep step(Options(settings).value());
    Lane lane;
    return step.Process({"key", module_.row.Encode()}, lane).value();
  }
  RowAttributes AttributesFor(const std::vector<std::string>& settings) {
    const Outcome outcome = Measure(settings);
    EXPECT_EQ(outcome.fate, Fate::kKept);
    const Record record = Record::Decode(outcome.outputs.at(0).body).value();
    EXPECT_EQ(record.ContentId(), module_.row.ContentId());
    EXPECT_EQ(record.lineage, module_.row.lineage);
    return RowAttributes::Of(record).value();
  }

  DescribedModule module_{.answer = std::string(410, 'p')};
};

TEST_F(MeasureStepTest, EstimatesSayThatTheyAre) {
  const RowAttributes attributes = AttributesFor({});
  EXPECT_EQ(attributes.split, "train");
  EXPECT_EQ(attributes.answer_tokens, 100);
  EXPECT_GT(attributes.prompt_tokens, 10);
  EXPECT_EQ(attributes.tokenizer, kEstimated);
  EXPECT_EQ(attributes.weight, 1);
  EXPECT_EQ(attributes.difficulty_static, 0.5);
}

TEST_F(MeasureStepTest, ATokenizerCountsAndIsNamed) {
  // A tokenizer with one token per byte.
  TemporaryFolder folder;
  Json vocabulary;
  for (int byte = 0, next = 256; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
    const int character = printable ? byte : next++;
    std::string spelling;
    if (character < 0x80) {
      spelling = static_cast<char>(character);
    } else {
      spelling = {static_cast<char>(0xc0 | character >> 6),
                  static_cast<char>(0x80 | (character & 0x3f))};
    }
    vocabulary[spelling] = byte;
  }
  const Json json = Json::Object{
      {"pre_tokenizer", Json::Object{{"type", "ByteLevel"}, {"add_prefix_space", false}}},
      {"model", Json::Object{{"type", "BPE"}, {"vocab", vocabulary}, {"merges", Json::Array{}}}}};
  const std::string path = folder.path() + "/tokenizer.json";
  ASSERT_TRUE(ReplaceFile(path, json.Dump()).ok());
  const RowAttributes attributes = AttributesFor({"tokenizer=" + path});
  EXPECT_EQ(attributes.answer_tokens, 410);
  EXPECT_EQ(attributes.tokenizer, "sha256:" + DigestOf(json.Dump()).Hex());
}

TEST_F(MeasureStepTest, OverTheBudgetIsRejectedWhole) {
  const RowAttributes attributes = AttributesFor({});
  const std::int64_t tokens = attributes.prompt_tokens + attributes.answer_tokens;
  EXPECT_EQ(AttributesFor({"max_tokens=" + std::to_string(tokens)}), attributes);
  const Outcome over = Measure({"max_tokens=" + std::to_string(tokens - 1)});
  EXPECT_EQ(over.fate, Fate::kRejected);
  EXPECT_EQ(over.reason, "over_budget");
  EXPECT_EQ(over.original, module_.row.Encode());
  EXPECT_EQ(over.origins, module_.row.origins);
}

TEST_F(MeasureStepTest, WhatIsWrongIsNamed) {
  const auto message = [](const std::string& setting) {
    const Result<MeasureOptions> options = Options({setting});
    EXPECT_FALSE(options.ok());
    return options.status().message();
  };
  EXPECT_THAT(message("max_tokens=-1"), HasSubstr("max_tokens"));
  EXPECT_THAT(message("tokenizer=/no/such/tokenizer.json"), HasSubstr("/no/such/tokenizer.json"));
}

}  // namespace
}  // namespace kernelmill
