#include "manifests/config.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "manifests/is_one_of.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

std::string_view TypeName(ConfigType type) {
  switch (type) {
    case ConfigType::kBool:
      return "true or false";
    case ConfigType::kInteger:
      return "an integer";
    case ConfigType::kNumber:
      return "a number";
    case ConfigType::kString:
      return "a string";
    case ConfigType::kStrings:
      return "a list of strings";
    case ConfigType::kWeights:
      return "a mapping from names to numbers";
    case ConfigType::kItems:
      return "a list of mappings";
  }
  return "a value";
}

// " between 0 and 1"; empty when every number is accepted.
std::string Bounds(const ConfigRange& range) {
  const auto text = [](double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.15g", number);
    return std::string(digits);
  };
  if (std::isinf(range.least) && std::isinf(range.most)) return "";
  if (std::isinf(range.most)) return " at or above " + text(range.least);
  if (std::isinf(range.least)) return " at or below " + text(range.most);
  return " between " + text(range.least) + " and " + text(range.most);
}

// Reads YAML nodes against the declared keys. It visits only nodes that belong to a declared key,
// so an alias bomb is refused as an unknown key or a wrong type and is never expanded.
class Decoder {
 public:
  // `source` is what messages name: a file, or an option of the command line, which has no lines.
  Decoder(std::string source, bool has_lines) : source_(std::move(source)), has_lines_(has_lines) {}

  Status Error(const YAML::Node& node, const std::string& key, const std::string& what) const {
    std::string where = source_;
    if (has_lines_ && node.IsDefined() && node.Mark().line >= 0) {
      where += ":" + std::to_string(node.Mark().line + 1);
    }
    return Status(ErrorCode::kConfig, where + ": " + (key.empty() ? "" : key + ": ") + what);
  }

  Result<Json> Decode(const ConfigKey& key, const std::string& name, const YAML::Node& node) const {
    const Status wrong =
        Error(node, name, "must be " + std::string(TypeName(key.type)) + Found(node));
    switch (key.type) {
      case ConfigType::kBool: {
        if (!node.IsScalar()) return wrong;
        if (node.Scalar() == "true") return Json(true);
        if (node.Scalar() == "false") return Json(false);
        return wrong;
      }
      case ConfigType::kInteger: {
        if (!node.IsScalar() || node.Tag() == "!") return wrong;
        std::int64_t value = 0;
        std::istringstream stream(node.Scalar());
        if (!(stream >> value) || !stream.eof()) return wrong;
        KM_RETURN_IF_ERROR(CheckRange(key.range, name, node, static_cast<double>(value)));
        return Json(value);
      }
      case ConfigType::kNumber:
        return Number(key.range, name, node);
      case ConfigType::kString: {
        KM_ASSIGN(std::string text, Text(node, name, wrong));
        return Json(std::move(text));
      }
      case ConfigType::kStrings: {
        if (!node.IsSequence()) return wrong;
        Json::Array items;
        for (const YAML::Node& item : node) {
          const std::string item_name = name + "[" + std::to_string(items.size()) + "]";
          KM_ASSIGN(
              std::string text,
              Text(item, item_name, Error(item, item_name, "must be a string" + Found(item))));
          items.emplace_back(std::move(text));
        }
        return Json(std::move(items));
      }
      case ConfigType::kWeights: {
        if (!node.IsMap()) return wrong;
        Json::Object weights;
        for (const auto& entry : node) {
          KM_ASSIGN(const std::string key_name,
                    Text(entry.first, name,
                         Error(entry.first, name, "a name must be a string" + Found(entry.first))));
          if (weights.contains(key_name)) {
            return Error(entry.first, name, "names '" + key_name + "' twice");
          }
          KM_ASSIGN(weights[key_name], Number(key.range, name + "." + key_name, entry.second));
        }
        return Json(std::move(weights));
      }
      case ConfigType::kItems: {
        if (!node.IsSequence()) return wrong;
        Json::Array items;
        for (const YAML::Node& item : node) {
          Json::Object values;
          const std::string item_name = name + "[" + std::to_string(items.size()) + "]";
          KM_RETURN_IF_ERROR(Mapping(key.members, item_name + ".", "", item, &values));
          KM_RETURN_IF_ERROR(Complete(key.members, item_name + ".", item, &values));
          items.emplace_back(std::move(values));
        }
        return Json(std::move(items));
      }
    }
    return wrong;
  }

  // Reads the mapping `node`, whose keys are those of `keys` that start with `prefix`, into
  // `values`. Messages put `shown` before a name.
  Status Mapping(const std::vector<ConfigKey>& keys, const std::string& shown,
                 const std::string& prefix, const YAML::Node& node, Json::Object* values) const {
    if (node.IsNull()) return Status::Ok();
    if (!node.IsMap()) {
      const std::string group = shown + prefix;
      return Error(node, group.substr(0, group.find_last_not_of('.') + 1),
                   "must be a mapping" + Found(node));
    }
    for (const auto& entry : node) {
      if (!entry.first.IsScalar())
        return Error(entry.first, shown, "a key must be a string" + Found(entry.first));
      const std::string name = prefix + entry.first.Scalar();
      const auto key = std::find_if(keys.begin(), keys.end(),
                                    [&](const ConfigKey& k) { return k.name == name; });
      if (key != keys.end()) {
        if (values->contains(name)) return Error(entry.first, shown + name, "is given twice");
        KM_ASSIGN((*values)[name], Decode(*key, shown + name, entry.second));
        continue;
      }
      const auto in_group = [&](const std::string& full) { return full.starts_with(name + "."); };
      const bool is_group = std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& k) {
        return in_group(k.name) || std::any_of(k.old_names.begin(), k.old_names.end(), in_group);
      });
      if (!is_group) return Unknown(keys, shown, name, entry.first);
      KM_RETURN_IF_ERROR(Mapping(keys, shown, name + ".", entry.second, values));
    }
    return Status::Ok();
  }

  Status Unknown(const std::vector<ConfigKey>& keys, const std::string& shown,
                 const std::string& name, const YAML::Node& node) const {
    std::vector<std::string> known;
    for (const ConfigKey& key : keys) {
      if (IsOneOf(name, key.old_names)) {
        return Error(node, "",
                     "the key '" + shown + name + "' is now called '" + shown + key.name + "'");
      }
      known.push_back(key.name);
    }
    const std::string nearest = NearestWord(name, known);
    return Error(node, "",
                 "unknown key '" + shown + name + "'" +
                     (nearest.empty() ? "; `kernelmill config` lists every key"
                                      : "; did you mean '" + shown + nearest + "'?"));
  }

  // Adds the defaults; a key without a default must be present.
  Status Complete(const std::vector<ConfigKey>& keys, const std::string& shown,
                  const YAML::Node& node, Json::Object* values) const {
    for (const ConfigKey& key : keys) {
      if (values->contains(key.name)) continue;
      if (key.default_value.is_null()) {
        return Error(node, shown + key.name, "is missing: " + key.explanation);
      }
      (*values)[key.name] = key.default_value;
    }
    return Status::Ok();
  }

 private:
  Result<std::string> Text(const YAML::Node& node, const std::string& name,
                           const Status& wrong) const {
    if (!node.IsScalar()) return wrong;
    if (!IsUtf8(node.Scalar())) return Error(node, name, "is not UTF-8");
    return node.Scalar();
  }

  static std::string Found(const YAML::Node& node) {
    if (node.IsScalar()) return ", not '" + node.Scalar().substr(0, 40) + "'";
    if (node.IsSequence()) return ", not a list";
    if (node.IsMap()) return ", not a mapping";
    return ", not empty";
  }

  Result<Json> Number(const ConfigRange& range, const std::string& name,
                      const YAML::Node& node) const {
    const Status wrong =
        Error(node, name, "must be " + std::string(TypeName(ConfigType::kNumber)) + Found(node));
    if (!node.IsScalar()) return wrong;
    double value = 0;
    std::istringstream stream(node.Scalar());
    if (!(stream >> value) || !stream.eof() || !std::isfinite(value)) return wrong;
    KM_RETURN_IF_ERROR(CheckRange(range, name, node, value));
    return Json(value);
  }

  Status CheckRange(const ConfigRange& range, const std::string& name, const YAML::Node& node,
                    double value) const {
    if (value >= range.least && value <= range.most) return Status::Ok();
    return Error(node, name, "must lie" + Bounds(range) + Found(node));
  }

  std::string source_;
  bool has_lines_;
};

// Ignores what a parser finds: the parser is only asked whether there is another document.
class IgnoredEvents : public YAML::EventHandler {
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// Not by YAML::LoadAll(): of a text such as "," it reads empty documents until memory is used up.
Result<YAML::Node> ParseYaml(const std::string& name, std::string_view text) {
  try {
    const std::string yaml(text);
    std::istringstream stream(yaml);
    YAML::Parser parser(stream);
    IgnoredEvents ignored;
    if (parser.HandleNextDocument(ignored) && parser.HandleNextDocument(ignored)) {
      return Status(ErrorCode::kConfig,
                    name + ": goes on after its first YAML document, and a configuration is one; "
                           "remove what follows");
    }
    return YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    return Status(ErrorCode::kConfig,
                  name + ":" + std::to_string(error.mark.line + 1) + ": not YAML: " + error.msg);
  }
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

Result<Json::Object> DecodeAll(const std::vector<ConfigKey>& keys, std::string_view yaml,
                               const std::string& name, const std::vector<std::string>& overrides,
                               std::set<std::string, std::less<>>* overridden) {
  const Decoder decoder(name, true);
  Json::Object values;
  KM_ASSIGN(const YAML::Node root, ParseYaml(name, yaml));
  KM_RETURN_IF_ERROR(decoder.Mapping(keys, "", "", root, &values));
  for (const std::string& setting : overrides) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Status(ErrorCode::kUsage, "--set " + setting + ": must read key=value");
    }
    const std::string key_name = setting.substr(0, equals);
    const std::string shown = "--set " + setting;
    const Decoder from_flag(shown, false);
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const ConfigKey& k) { return k.name == key_name; });
    KM_ASSIGN(const YAML::Node value, ParseYaml(shown, setting.substr(equals + 1)));
    if (key == keys.end()) return from_flag.Unknown(keys, "", key_name, YAML::Node());
    KM_ASSIGN(values[key_name], from_flag.Decode(*key, key_name, value));
    overridden->insert(key_name);
  }
  KM_RETURN_IF_ERROR(decoder.Complete(keys, "", root, &values));
  return values;
}

}  // namespace

std::string NearestWord(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // Users often write a key without its group.
    const std::size_t dot = candidate.rfind('.');
    const std::string_view tail = std::string_view(candidate).substr(dot + 1);
    const std::size_t distance = std::min(EditDistance(word, candidate), EditDistance(word, tail));
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

Result<Config> Config::Parse(const std::vector<ConfigKey>& keys, std::string_view yaml,
                             const std::string& name, const std::vector<std::string>& overrides) {
  try {
    Config config;
    config.folder_ = std::filesystem::path(name).parent_path();
    KM_ASSIGN(config.values_, DecodeAll(keys, yaml, name, overrides, &config.overridden_));
    return config;
  } catch (const YAML::Exception& error) {
    return Status(ErrorCode::kConfig, name + ": not YAML: " + error.msg);
  }
}

Result<Config> Config::Load(const std::vector<ConfigKey>& keys, const std::string& path,
                            const std::vector<std::string>& overrides) {
  constexpr std::size_t kMaxBytes = 16 << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(ErrorCode::kNotFound, "cannot read the configuration " + path);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && !file.eof())) {
    return Status(ErrorCode::kIo, "cannot read the configuration " + path);
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxBytes) {
    return Status(ErrorCode::kConfig, path + ": a configuration must not exceed 16 MiB");
  }
  return Parse(keys, text, path, overrides);
}

std::vector<std::string> Config::Strings(std::string_view key) const {
  std::vector<std::string> strings;
  for (const Json& item : Value(key).as_array()) strings.push_back(item.as_string());
  return strings;
}

std::string Config::Path(std::string_view key, std::string_view written) const {
  if (written.empty()) return "";
  // An absolute path stays as it is.
  return std::filesystem::path(overridden_.contains(key) ? working_folder_ : folder_) / written;
}

Json Config::Freeze() const {
  const auto absolute = [](const std::string& folder) {
    std::error_code error;
    return (folder.empty() ? std::filesystem::current_path(error)
                           : std::filesystem::absolute(folder, error))
        .string();
  };
  return Json::Object{{"values", values_},
                      {"folder", absolute(folder_)},
                      {"working_folder", absolute(working_folder_)},
                      {"overridden", kernelmill::ToJson(std::vector<std::string>(
                                         overridden_.begin(), overridden_.end()))}};
}

Result<Config> Config::Thaw(const std::vector<ConfigKey>& keys, const Json& frozen) {
  Config config;
  Json values;
  std::vector<std::string> overridden;
  JsonFields fields(frozen, "configuration");
  fields.Read("values", &values);
  fields.Read("folder", &config.folder_);
  fields.Read("working_folder", &config.working_folder_);
  fields.Read("overridden", &overridden);
  KM_RETURN_IF_ERROR(fields.Finish());
  for (const ConfigKey& key : keys) {
    if (values.Find(key.name) == nullptr) {
      return Status(ErrorCode::kCorrupt, "configuration: there is no " + key.name);
    }
  }
  config.values_ = std::move(values.as_object());
  config.overridden_ = {overridden.begin(), overridden.end()};
  return config;
}

const Json& Config::Value(std::string_view key) const { return values_.find(key)->second; }

std::string DescribeKeys(const std::vector<ConfigKey>& keys) {
  std::string text;
  std::string group;
  for (const ConfigKey& key : keys) {
    const std::size_t dot = key.name.find('.');
    const std::string this_group = dot == std::string::npos ? "" : key.name.substr(0, dot);
    const std::string indent = this_group.empty() ? "" : "  ";
    if (this_group != group && !this_group.empty()) text += this_group + ":\n";
    group = this_group;
    text += indent + "# " + key.explanation + "\n";
    text += indent + "# Type: " + std::string(TypeName(key.type)) + Bounds(key.range) +
            (key.unit.empty() ? "" : "; unit: " + key.unit) +
            (key.default_value.is_null() ? "; must be given" : "") + ".\n";
    for (const ConfigKey& member : key.members) {
      text += indent + "#   " + member.name + ": " + std::string(TypeName(member.type)) +
              (member.default_value.is_null() ? ", must be given" : "") + ". " +
              member.explanation + "\n";
    }
    const std::string value = key.default_value.is_null() ? "" : " " + key.default_value.Dump();
    const std::string name = this_group.empty() ? key.name : key.name.substr(dot + 1);
    text += indent + (key.default_value.is_null() ? "# " : "") + name + ":" + value + "\n\n";
  }
  return text;
}

Json DescribeKeysJson(const std::vector<ConfigKey>& keys) {
  Json::Array all;
  for (const ConfigKey& key : keys) {
    Json entry = Json::Object{{"name", key.name},
                              {"type", TypeName(key.type)},
                              {"default", key.default_value},
                              {"unit", key.unit},
                              {"explanation", key.explanation}};
    if (!key.members.empty()) entry["members"] = DescribeKeysJson(key.members);
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace kernelmill
