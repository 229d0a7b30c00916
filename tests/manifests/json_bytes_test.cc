#include "manifests/json_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace kernelmill {
namespace {

TEST(JsonOfBytesTest, ComesBack) {
  using namespace std::string_literals;
  for (const std::string& bytes : {""s, "text"s, "\xC3\xA9"s, "\xFF\x00\x7F\x80"s, "a\0b"s}) {
    EXPECT_EQ(*BytesOfJson(JsonOfBytes(bytes)), bytes);
  }
}

TEST(JsonOfBytesTest, OtherJsonIsRefused) {
  for (const Json& json : {Json(Json::Object()), Json(1), Json(Json::Object{{"hex", "0"}}),
                           Json(Json::Object{{"hex", "0G"}}), Json(Json::Object{{"text", 1}})}) {
    EXPECT_EQ(BytesOfJson(json).status().code(), ErrorCode::kCorrupt) << json.Dump();
  }
}

}  // namespace
}  // namespace kernelmill
