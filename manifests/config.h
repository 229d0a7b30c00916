// The configuration mechanism: what a key is, how a YAML file and --set are checked against the
// declared keys, and how the keys are listed with their defaults. Each stage declares the keys that
// it reads as ConfigKeys; tools/cli/configuration.cc gathers them and loads one Config for a
// command, from which the stages read their values.
#pragma once

#include <limits>
#include <set>
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

// The closed interval of numbers that a key accepts. For kWeights it holds for each weight.
struct ConfigRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};
// The upper bound leaves room to convert units without overflow.
inline constexpr ConfigRange kNotNegative{0, 1e9}, kAtLeastOne{1, 1e9}, kFraction{0, 1};

struct ConfigKey {
  std::string name;  // Dotted: "mine.max_file_bytes" is `max_file_bytes` inside `mine:`.
  ConfigType type = ConfigType::kString;
  Json default_value;       // Null when the key must be given.
  std::string unit;         // "bytes", "seconds", …; empty when the value has none.
  std::string explanation;  // One or two sentences for `kernelmill config`.
  ConfigRange range = {};
  std::vector<ConfigKey> members = {};  // Of each mapping of a kItems list.
  // Full dotted names that this key had before. A configuration that uses one is refused with an
  // error that names the new key.
  std::vector<std::string> old_names = {};
};

// The effective value of every declared key. Immutable after loading, so it may be shared between
// threads.
class Config {
 public:
  // Reads `path` and then applies `overrides` ("key=value", the value in YAML). Every mistake is a
  // kConfig error with the file, the line and the key; for an unknown key it suggests the nearest
  // one.
  static Result<Config> Load(const std::vector<ConfigKey>& keys, const std::string& path,
                             const std::vector<std::string>& overrides);
  // Like Load, from the text of a YAML file; `name` is its path, for messages and for Path().
  static Result<Config> Parse(const std::vector<ConfigKey>& keys, std::string_view yaml,
                              const std::string& name, const std::vector<std::string>& overrides);

  // The key must be declared with that type.
  bool Bool(std::string_view key) const { return Value(key).as_bool(); }
  std::int64_t Integer(std::string_view key) const { return Value(key).as_int(); }
  double Number(std::string_view key) const { return Value(key).as_double(); }
  const std::string& String(std::string_view key) const { return Value(key).as_string(); }
  std::vector<std::string> Strings(std::string_view key) const;
  const Json& Value(std::string_view key) const;

  // `written`, a path in the value of `key`, as this process opens it: a relative path in the
  // configuration file is relative to the folder of that file, one in an override (--set) to the
  // working directory. Values keep the path as it was written, so that the identity of a run does
  // not depend on where the configuration lies.
  std::string Path(std::string_view key, std::string_view written) const;
  // The value of a kString key as such a path; an empty value stays empty.
  std::string Path(std::string_view key) const { return Path(key, String(key)); }

  // Every key with its effective value.
  Json ToJson() const { return Json(values_); }

  // The configuration for another process, which may have another working directory: Thaw() makes
  // an equal one of it, whose Path() names the same files. kCorrupt if it does not have `keys`.
  Json Freeze() const;
  static Result<Config> Thaw(const std::vector<ConfigKey>& keys, const Json& frozen);

 private:
  Json::Object values_;
  std::string folder_;                             // Of the configuration file.
  std::string working_folder_;                     // Of overrides; empty is that of this process.
  std::set<std::string, std::less<>> overridden_;  // Keys whose value comes from an override.
};

// The known word that is nearest to `word` by edit distance; empty when none is near.
std::string NearestWord(std::string_view word, const std::vector<std::string>& known);

// The output of `kernelmill config`: a commented YAML file that sets every key to its default, and
// the same as JSON.
std::string DescribeKeys(const std::vector<ConfigKey>& keys);
Json DescribeKeysJson(const std::vector<ConfigKey>& keys);

}  // namespace kernelmill
