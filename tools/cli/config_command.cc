#include <algorithm>
#include <memory>

#include "tools/cli/command.h"
#include "tools/cli/configuration.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

// The key called `name`, or the keys of the group or with the prefix `name`.
Result<std::vector<ConfigKey>> KeysNamed(const std::string& name) {
  if (name.empty()) return ConfigurationKeys();
  std::vector<ConfigKey> keys;
  std::vector<std::string> known;
  for (const ConfigKey& key : ConfigurationKeys()) {
    if (key.name == name) return std::vector<ConfigKey>{key};
    if (std::find(key.old_names.begin(), key.old_names.end(), name) != key.old_names.end()) {
      return Status(ErrorCode::kUsage, "the key '" + name + "' is now '" + key.name + "'");
    }
    if (key.name.starts_with(name)) keys.push_back(key);
    known.push_back(key.name);
  }
  if (!keys.empty()) return keys;
  const std::string nearest = NearestWord(name, known);
  return Status(ErrorCode::kUsage, "unknown key '" + name + "'" +
                                       (nearest.empty() ? "; `kernelmill config` lists every key"
                                                        : "; did you mean '" + nearest + "'?"));
}

}  // namespace

Command ConfigCommand() {
  return {
      .name = "config",
      .group = CommandGroup::kProgram,
      .summary = "Explain the configuration keys, with types, units and defaults",
      .description =
          "The output is a commented YAML file that sets every key to its default. A "
          "configuration file, or --set KEY=VALUE, changes only what it names.",
      .examples = {{"config", "Print every key."},
                   {"config answer.limit", "Explain one key."},
                   {"config mine", "Explain the keys of mine."}},
      .declare = [](CLI::App& app) -> Action {
        const auto name = std::make_shared<std::string>();
        const auto json = std::make_shared<bool>(false);
        app.add_option("key", *name, "A key, or the prefix of several; by default every key")
            ->type_name(kKeyName);
        AddJsonOption(app, json.get());
        return [name, json]() -> Status {
          KM_ASSIGN(const std::vector<ConfigKey> keys, KeysNamed(*name));
          if (!*json) return Print(DescribeKeys(keys));
          return PrintJson(Json::Object{{"keys", DescribeKeysJson(keys)}});
        };
      },
  };
}

}  // namespace kernelmill
