#include "parsers/tokenizer.h"

#include <gmock/gmock.h>

#include <random>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

std::string SpellingOf(int byte) {
  static const std::vector<std::string> kSpellings = [] {
    std::vector<std::string> spellings;
    for (int each = 0, next = 256; each < 256; ++each) {
      const bool printable = (each >= 0x21 && each <= 0x7e) || (each >= 0xa1 && each != 0xad);
      const int character = printable ? each : next++;
      spellings.push_back(character < 0x80
                              ? std::string(1, static_cast<char>(character))
                              : std::string{static_cast<char>(0xc0 | character >> 6),
                                            static_cast<char>(0x80 | (character & 0x3f))});
    }
    return spellings;
  }();
  return kSpellings[static_cast<std::size_t>(byte)];
}

// A tokenizer with these merges, each "a b" to "ab", in order of rank.
Json TokenizerJson(const std::vector<std::string>& merges) {
  Json::Object vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary[SpellingOf(byte)] = byte;
  Json::Array merge_list;
  for (const std::string& merge : merges) {
    std::string joined = merge;
    joined.erase(joined.find(' '), 1);
    vocabulary.emplace(joined, static_cast<std::int64_t>(vocabulary.size()));
    merge_list.emplace_back(merge);
  }
  return Json::Object{
      {"added_tokens", Json::Array{Json::Object{{"content", "<|end|>"}},
                                   Json::Object{{"content", "<|end|><|end|>"}}}},
      {"normalizer", nullptr},
      {"pre_tokenizer", Json::Object{{"type", "ByteLevel"}, {"add_prefix_space", false}}},
      {"model",
       Json::Object{
           {"type", "BPE"}, {"vocab", std::move(vocabulary)}, {"merges", std::move(merge_list)}}}};
}

std::int64_t Count(const Json& json, std::string_view text) {
  return Tokenizer::Parse(json.Dump()).value().Count(text).value();
}

TEST(Tokenizer, MergesTheBestPairFirst) {
  const Json json = TokenizerJson({"b c", "a b", "bc d", "a bc"});
  EXPECT_EQ(Count(json, ""), 0);
  EXPECT_EQ(Count(json, "ab"), 1);
  EXPECT_EQ(Count(json, "abc"), 1);   // Merged as a bc → abc, not as ab c.
  EXPECT_EQ(Count(json, "abcd"), 2);  // Merged as a bcd.
  EXPECT_EQ(Count(json, "abcab"), 2);
  EXPECT_EQ(Count(json, "ab ab"), 3);  // The space belongs to the second piece.
}

TEST(Tokenizer, TakesWholePiecesFirstWhereToldTo) {
  Json json = TokenizerJson({"a b", "b c", "ab c", "x abc"});
  json["model"]["vocab"]["qrs"] = 1000;
  EXPECT_EQ(Count(json, "qrs"), 3);
  json["model"]["ignore_merges"] = true;
  EXPECT_EQ(Count(json, "qrs"), 1);
}

TEST(Tokenizer, AddedTokensAreOneTokenEach) {
  const Json json = TokenizerJson({});
  EXPECT_EQ(Count(json, "a<|end|>b"), 3);
  EXPECT_EQ(Count(json, "<|end|><|end|>"), 1);
  EXPECT_EQ(Count(json, "<|end|><|en"), 5);
}

TEST(Tokenizer, CutsByEachPatternInTurn) {
  Json json = TokenizerJson({"a b", "1 2", "2 3", "12 3"});
  const auto split = [](const std::string& regex) {
    return Json::Object{{"type", "Split"},
                        {"pattern", Json::Object{{"Regex", regex}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
  };
  json["pre_tokenizer"] = Json::Object{
      {"type", "Sequence"},
      {"pretokenizers",
       Json::Array{split("\\p{N}{1,2}"), split("a"),
                   Json::Object{
                       {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
  EXPECT_EQ(Count(json, "123"), 2);
  EXPECT_EQ(Count(json, "ab"), 2);
  EXPECT_EQ(Count(json, "xyz"), 3);
}

TEST(Tokenizer, CountsNoMoreThanTheBytesOfAnyText) {
  const Tokenizer tokenizer =
      Tokenizer::Parse(TokenizerJson({"a a", "aa aa", "b b", "Ġ a"}).Dump()).value();
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (std::uint32_t n = random() % 60; n > 0; --n) {
      text += std::vector<std::string>{"a", "aa", " ", "\n", "b", "é", "漢", "7"}[random() % 8];
    }
    const std::int64_t count = tokenizer.Count(text).value();
    EXPECT_LE(count, static_cast<std::int64_t>(text.size()));
    EXPECT_GE(count * 4, static_cast<std::int64_t>(text.size()));
  }
  // One piece of a megabyte in which all pairs can be merged.
  EXPECT_EQ(tokenizer.Count(std::string(1 << 20, 'a')).value(), 1 << 18);
  EXPECT_FALSE(tokenizer.Count("\xff").ok());
}

// tests/parsers/tokenizer_golden_test.py compares the golden file with the reference library.
TEST(Tokenizer, CountsAreThoseOfTheLibrary) {
  const Json golden = Json::Parse(ReadFile(KERNELMILL_GOLDEN "/tokenizers.json").value()).value();
  EXPECT_GT(golden.as_array().size(), 4u);
  for (const Json& entry : golden.as_array()) {
    const Tokenizer tokenizer = Tokenizer::Parse(entry.Find("tokenizer")->Dump()).value();
    Json::Array counts;
    for (const Json& text : entry.Find("texts")->as_array()) {
      counts.emplace_back(tokenizer.Count(text.as_string()).value());
    }
    EXPECT_EQ(Json(counts).Dump(), entry.Find("counts")->Dump()) << entry.Find("name")->as_string();
  }
}

TEST(Tokenizer, RefusesWhatWouldMakeACountWrong) {
  const Json good = TokenizerJson({"a b"});
  const auto message = [](const Json& json) {
    const Result<Tokenizer> tokenizer = Tokenizer::Parse(json.Dump());
    EXPECT_EQ(tokenizer.status().code(), ErrorCode::kConfig) << json.Dump().substr(0, 200);
    return tokenizer.status().message();
  };
  Json json = good;
  json["model"]["type"] = "Unigram";
  EXPECT_THAT(message(json), HasSubstr("Unigram"));
  json = good;
  json["model"]["byte_fallback"] = true;
  EXPECT_THAT(message(json), HasSubstr("byte_fallback"));
  json = good;
  json["model"]["vocab"].as_object().erase("a");
  EXPECT_THAT(message(json), HasSubstr("byte 97"));
  json = good;
  json["model"]["merges"].as_array().emplace_back("b z");
  EXPECT_THAT(message(json), HasSubstr("merge 1"));
  json = good;
  json["normalizer"] = Json::Object{{"type", "Lowercase"}};
  EXPECT_THAT(message(json), HasSubstr("Lowercase"));
  json = good;
  json["pre_tokenizer"] = Json::Object{{"type", "Metaspace"}};
  EXPECT_THAT(message(json), HasSubstr("Metaspace"));
  json = good;
  json["pre_tokenizer"] = nullptr;
  EXPECT_THAT(message(json), HasSubstr("not ByteLevel"));
  json = good;
  json["added_tokens"].as_array().push_back(Json::Object{{"content", "<x>"}, {"lstrip", true}});
  EXPECT_THAT(message(json), HasSubstr("lstrip"));
  EXPECT_THAT(message(Json::Object{{"a", 1}}), HasSubstr("no tokenizer.json"));
  EXPECT_EQ(Tokenizer::Parse("{").status().code(), ErrorCode::kConfig);
  EXPECT_EQ(Tokenizer::Load("/no/such/file").status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kernelmill
