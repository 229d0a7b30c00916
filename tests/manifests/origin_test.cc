#include "manifests/origin.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(Origin, EveryKindComesBackAsItWas) {
  const Origin mined{"https://example.org/a;b",
                     std::string(40, 'c'),
                     std::string(40, 'b'),
                     "net.py",
                     "Net",
                     3,
                     20};
  Origin generated;
  generated.generator = 2;
  generated.seed = 7;
  generated.index = 12;
  Origin supplied;
  supplied.url = "urn:local:a;b.jsonl";
  supplied.path = "a;b.jsonl";
  supplied.sha256 = std::string(64, 'a');
  supplied.row = 3;
  Origin sampled;
  sampled.model = "toy;7b";
  sampled.sampling = "{\"temperature\":0.8}";
  for (const Origin& origin : {mined, generated, supplied, sampled}) {
    const Result<Origin> back = Origin::FromJson(origin.ToJson());
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(*back, origin);
  }
  EXPECT_EQ(mined.Identifier(), mined.Swhid());
  EXPECT_EQ(generated.Identifier(), "kernelmill:generated;version=2;seed=7;index=12");
  EXPECT_EQ(supplied.Identifier(),
            "kernelmill:supplied;origin=urn:local:a%3Bb.jsonl;path=/a%3Bb.jsonl;sha256=" +
                supplied.sha256 + ";row=3");
  EXPECT_EQ(sampled.Identifier(),
            "kernelmill:sampled;model=toy%3B7b;sampling={\"temperature\":0.8};prompt=");
  EXPECT_FALSE(sampled.mined() || sampled.generated() || sampled.supplied());
  EXPECT_NE(mined, generated);
}

TEST(Origin, NoneIsBothKinds) {
  const Json::Object supplied = {
      {"url", "u"}, {"path", "p"}, {"sha256", std::string(64, 'a')}, {"row", 1}};
  for (const auto& [key, value] : Json::Object{{"sha256", "abc"},
                                               {"row", -1},
                                               {"generator", 1},
                                               {"commit", std::string(40, 'c')},
                                               {"model", "toy-7b"}}) {
    Json::Object changed = supplied;
    changed[key] = value;
    EXPECT_FALSE(Origin::FromJson(changed).ok()) << key;
  }
  Json json = Origin{"https://example.org/a"}.ToJson();
  json["generator"] = 1;
  EXPECT_FALSE(Origin::FromJson(json).ok());
  EXPECT_FALSE(Origin::FromJson(Json::Object{{"generator", 0}, {"seed", 1}, {"index", 1}}).ok());
  EXPECT_FALSE(Origin::FromJson(Json::Object{{"generator", 1}, {"seed", 1}}).ok());
}

}  // namespace
}  // namespace kernelmill
