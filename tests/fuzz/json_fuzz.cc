// Fuzzes JSON: accepted text has one canonical form, and the compact and pretty forms read back as
// the same value.
#include "manifests/json.h"

#include "tests/fuzz/fuzzer.h"

namespace kernelmill {

void Fuzz(std::string_view bytes) {
  const Result<Json> json = Json::Parse(bytes);
  if (!json.ok()) {
    KM_PROMISE(!json.status().message().empty());
    return;
  }
  KM_PROMISE(IsUtf8(bytes));
  for (const std::string& text : {json->Dump(), json->Pretty()}) {
    const Result<Json> again = Json::Parse(text);
    KM_PROMISE(again.ok());
    KM_PROMISE(*again == *json);
    KM_PROMISE(again->Dump() == json->Dump());
  }
}

std::vector<std::string> Seeds() {
  return {R"({"a":[1,-2,3.5,1e300,true,false,null],"b":{"c":"\u00e9\ud83d\ude00\n"},"":""})",
          "[[[[[[[[]]]]]]]]",
          "9223372036854775807",
          "-0.0",
          "\"\xc3\xa9\"",
          " [ ] "};
}

}  // namespace kernelmill
