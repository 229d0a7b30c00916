// The configuration mechanism: what a key is, how a YAML file and --set are read against the keys
// that exist, and how every key is listed with its default. The keys themselves are declared by the
// stages that read them (stages/*/…_keys) and gathered in tools/cli/configuration.cc.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

enum class ConfigType {
  kBool,
  kInteger,
  kNumber,
  kString,
  kStrings,  // A list of strings.
  kWeights,  // A mapping from names to numbers.
  kItems,    // A list of mappings, each described by ConfigKey::members.
};

// What numbers a key takes, both ends among them; of weights, each of them.
struct ConfigRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};
// Products of such numbers, in other units, still fit.
inline constexpr ConfigRange kNotNegative{0, 1e9}, kAtLeastOne{1, 1e9}, kPart{0, 1};

struct ConfigKey {
  std::string name;  // Dotted: "mine.max_file_bytes" is `max_file_bytes` inside `mine:`.
  ConfigType type = ConfigType::kString;
  Json default_value;       // Null when the key must be given.
  std::string unit;         // "bytes", "seconds", …; empty when the value has none.
  std::string explanation;  // One or two sentences for `kernelmill config`.
  ConfigRange range = {};
  std::vector<ConfigKey> members = {};
};

class Config {
 public:
  // Reads `path` and then applies `overrides` ("key=value", the value in YAML). Every mistake is a
  // kConfig error with the file, the line and the key; an unknown key comes with the nearest one.
  static Result<Config> Load(const std::vector<ConfigKey>& keys, const std::string& path,
                             const std::vector<std::string>& overrides);
  // Like Load, from the text of a YAML file; `name` stands for it in messages.
  static Result<Config> Parse(const std::vector<ConfigKey>& keys, std::string_view yaml,
                              const std::string& name, const std::vector<std::string>& overrides);

  // Each asserts that the key was declared with that type.
  bool Bool(std::string_view key) const { return Value(key).as_bool(); }
  std::int64_t Integer(std::string_view key) const { return Value(key).as_int(); }
  double Number(std::string_view key) const { return Value(key).as_double(); }
  const std::string& String(std::string_view key) const { return Value(key).as_string(); }
  std::vector<std::string> Strings(std::string_view key) const;
  const Json& Value(std::string_view key) const;

  // Every key with its effective value.
  Json ToJson() const { return Json(values_); }

 private:
  Json::Object values_;
};

// The known word nearest to `word` by edit distance, or empty when none is near.
std::string NearestWord(std::string_view word, const std::vector<std::string>& known);

// The listing behind `kernelmill config`: a commented YAML file that sets every key to its default.
std::string DescribeKeys(const std::vector<ConfigKey>& keys);
Json DescribeKeysJson(const std::vector<ConfigKey>& keys);

}  // namespace kernelmill
