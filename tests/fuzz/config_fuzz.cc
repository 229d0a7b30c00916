// Fuzzes configurations: every mistake must be an error with its place, and every value must have
// its declared type.
#include "manifests/config.h"

#include "tests/fuzz/fuzzer.h"

namespace kernelmill {
namespace {

const std::vector<ConfigKey>& Keys() {
  static const std::vector<ConfigKey> keys = {
      {"seed", ConfigType::kInteger, 7, "", "An integer."},
      {"mine.max_file_bytes", ConfigType::kInteger, 1048576, "bytes", "In a group."},
      {"mine.licences", ConfigType::kStrings, Json::Array{"MIT"}, "", "Strings."},
      {"mix", ConfigType::kWeights, Json::Object{}, "", "Weights.", kNotNegative},
      {"flag", ConfigType::kBool, true, "", "A truth."},
      {"threshold", ConfigType::kNumber, 0.5, "", "A number.", kFraction},
      {"sources",
       ConfigType::kItems,
       Json(),
       "",
       "Items.",
       {},
       {{"git", ConfigType::kString, Json(), "", "Must be given."},
        {"revision", ConfigType::kString, "HEAD", "", "May be left out."}}},
  };
  return keys;
}

}  // namespace

void Fuzz(std::string_view bytes) {
  const Result<Config> config = Config::Parse(Keys(), bytes, "fuzz.yaml", {});
  if (!config.ok()) {
    KM_PROMISE(config.status().code() == ErrorCode::kConfig);
    KM_PROMISE(config.status().message().starts_with("fuzz.yaml"));
    return;
  }
  static_cast<void>(config->Integer("seed"));
  static_cast<void>(config->Strings("mine.licences"));
  static_cast<void>(config->Bool("flag"));
  static_cast<void>(config->Number("threshold"));
  for (const Json& item : config->Value("sources").as_array()) {
    KM_PROMISE(item.Find("git")->is_string() && item.Find("revision")->is_string());
  }
  // The effective values, as JSON (which is YAML), must be a configuration with the same meaning.
  const Json json = config->ToJson();
  KM_PROMISE(Json::Parse(json.Dump()).ok());
}

std::vector<std::string> Seeds() {
  return {"seed: 7\nsources:\n  - git: a\n    revision: main\n  - git: \"b\\tc\"\n",
          "sources: [{git: a}]\nmine: {max_file_bytes: 3, licences: [MIT, \"x\"]}\nmix: {a: 1, b: "
          "2.5}\n",
          "sources: [{git: a}]\nmine.max_file_bytes: 4\nflag: false\nthreshold: 1e-3\n",
          "a: &a [*a, *a]\nsources: *a\n",
          "%YAML 1.2\n---\n? seed\n: !!int 3\n...\n",
          "sources:\n- {git: |\n    block\n  }\n# comment\n"};
}

}  // namespace kernelmill
