#include "manifests/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace kernelmill {
namespace {

TEST(Json, RefusesWhatIsNotOneWholeDocument) {
  for (const std::string& text :
       {std::string(), std::string("{} {}"), std::string("[1]\0[2]", 7), std::string("1\0", 2),
        std::string("\"\xff\""), std::string("{\"a\":1,\"a\":2}"), std::string("NaN"),
        std::string("8072035e-331"), std::string(R"("\ud33d\ude00")"),
        std::string("9223372036854775808"), std::string(300, '[') + std::string(300, ']')}) {
    EXPECT_FALSE(Json::Parse(text).ok()) << text;
  }
}

TEST(Json, TheCanonicalFormReadsBackAsTheSameValue) {
  const Result<Json> json = Json::Parse(R"( {"b": [1, -2.5, 1e300, null], "a": "é\u0000"} )");
  ASSERT_TRUE(json.ok()) << json.status().message();
  EXPECT_EQ(json->Dump(), R"({"a":"é\u0000","b":[1,-2.5,1e300,null]})");
  EXPECT_EQ(*Json::Parse(json->Dump()), *json);
  EXPECT_EQ(*Json::Parse(json->Pretty()), *json);
}

TEST(Json, ANumberThatIsNotFiniteIsWrittenAsNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Json json = Json::Object{
      {"a", Json::Array{infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 1.5}}};
  EXPECT_EQ(json.Dump(), R"({"a":[null,null,null,1.5]})");
  EXPECT_TRUE(Json::Parse(json.Pretty()).ok());
}

}  // namespace
}  // namespace kernelmill
