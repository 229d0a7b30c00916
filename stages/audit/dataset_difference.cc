#include "stages/audit/dataset_difference.h"

#include <algorithm>
#include <set>

#include "corpora/dataset/dataset_reader.h"
#include "manifests/json_file.h"
#include "stages/recall/recall_step.h"
#include "stages/recipes/published_files.h"
#include "stages/samples/sample_source.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSources = "sources";

struct Listed {
  RecordKind kind;
  Digest digest;
};

Result<std::map<Digest, Listed>> RecordsIn(DatasetReader* reader) {
  std::map<Digest, Listed> records;
  KM_RETURN_IF_ERROR(reader->ForEach(Digest(), [&](const Digest& id, const Record& record, bool*) {
    records.emplace(id, Listed{record.kind, record.RecordDigest()});
    return Status::Ok();
  }));
  return records;
}

using Values = std::map<std::string, Json>;

// The pairs of values that differ.
std::map<std::string, DatasetDifference::Pair> PairsOf(const Values& a, const Values& b) {
  std::map<std::string, DatasetDifference::Pair> pairs;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other != b.end() && other->second == value) continue;
    pairs[name] = {value, other == b.end() ? Json() : other->second};
  }
  for (const auto& [name, value] : b) {
    if (!a.contains(name)) pairs[name] = {Json(), value};
  }
  return pairs;
}

Values CountsOf(const DatasetManifest& manifest) {
  Values values;
  for (const auto& [kind, count] : manifest.records) values["records." + kind] = count;
  for (const auto& [split, count] : manifest.rows) values["rows." + split] = count;
  for (const auto& [step, counts] : manifest.counts) {
    values[step + ".in"] = counts.in;
    values[step + ".kept"] = counts.kept;
    for (const auto& [reason, count] : counts.dropped) {
      values[step + ".dropped." + reason] = count;
    }
    for (const auto& [reason, count] : counts.rejected) {
      values[step + ".rejected." + reason] = count;
    }
    for (const auto& [reason, count] : counts.rejected_items) {
      values[step + ".rejected_items." + reason] = count;
    }
  }
  return values;
}

// What a dataset was made from: repositories, files and datasets of tasks, files of samples.
std::vector<std::string> SourcesIn(const Json& configuration) {
  std::set<std::string> names;
  for (const std::string_view list :
       {kSources, std::string_view(kTasksKey), std::string_view(kSamplesKey)}) {
    const Json* const items = configuration.Find(list);
    if (items == nullptr || !items->is_array()) continue;
    for (const Json& item : items->as_array()) {
      if (!item.is_object()) continue;
      std::string name = item.TextAt("url");
      for (const char* other : {"dataset", "name", "file"}) {
        if (name.empty()) name = item.TextAt(other);
      }
      std::string revision = item.TextAt("revision");
      if (revision.empty()) revision = item.TextAt("sha256");
      names.insert(revision.empty() ? name : name + " at " + revision);
    }
  }
  return {names.begin(), names.end()};
}

Values KeysIn(const Json& configuration) {
  Values values;
  for (const auto& [key, value] : configuration.as_object()) {
    if (key != kSources && key != kTasksKey && key != kSamplesKey) values[key] = value;
  }
  return values;
}

std::vector<std::string> Without(const std::vector<std::string>& all,
                                 const std::vector<std::string>& known) {
  std::vector<std::string> left;
  std::set_difference(all.begin(), all.end(), known.begin(), known.end(), std::back_inserter(left));
  return left;
}

Values FilesOf(const DatasetManifest& manifest) {
  Values values;
  for (const FileEntry& file : manifest.files) values[file.path] = file.sha256.Hex();
  return values;
}

Json JsonOf(const std::map<std::string, DatasetDifference::Pair>& pairs) {
  Json::Object object;
  for (const auto& [name, pair] : pairs) object[name] = Json::Array{pair.first, pair.second};
  return object;
}

Json JsonOf(const std::map<Digest, RecordKind>& records) {
  Json::Array array;
  for (const auto& [id, kind] : records) {
    array.emplace_back(Json::Object{{"content_id", id.Hex()}, {"kind", RecordKindName(kind)}});
  }
  return array;
}

Json JsonOf(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

Json JsonOf(const DatasetDifference::Side& side) {
  return Json::Object{{"manifest_digest", side.manifest_digest.Hex()},
                      {"merkle_root", side.merkle_root.Hex()}};
}

}  // namespace

std::vector<std::string> ChangedColumns(const Record& a, const Record& b) {
  std::set<std::string> columns;
  if (a.origins != b.origins) columns.insert("origins");
  if (a.licences != b.licences) columns.insert("licences");
  if (a.lineage != b.lineage) columns.insert("lineage");
  for (const auto* side : {&a, &b}) {
    const Record& other = side == &a ? b : a;
    for (const auto& [name, value] : side->attributes) {
      const auto found = other.attributes.find(name);
      if (found == other.attributes.end() || !(found->second == value)) columns.insert(name);
    }
  }
  return {columns.begin(), columns.end()};
}

Json DatasetDifference::ToJson() const {
  Json::Array changes;
  for (const auto& [id, one] : changed) {
    changes.emplace_back(Json::Object{{"content_id", id.Hex()},
                                      {"kind", RecordKindName(one.kind)},
                                      {"columns", JsonOf(one.columns)}});
  }
  return Json::Object{{"equal", Equal()},
                      {"a", JsonOf(a)},
                      {"b", JsonOf(b)},
                      {"removed", JsonOf(removed)},
                      {"added", JsonOf(added)},
                      {"changed", std::move(changes)},
                      {"equal_records", equal_records},
                      {"counts", JsonOf(counts)},
                      {"versions", JsonOf(versions)},
                      {"removed_sources", JsonOf(removed_sources)},
                      {"added_sources", JsonOf(added_sources)},
                      {"configuration", JsonOf(configuration)},
                      {"files", JsonOf(files)}};
}

Result<DatasetDifference> CompareDatasets(const std::string& a, const std::string& b) {
  KM_ASSIGN(DatasetReader first, DatasetReader::Open(a));
  KM_ASSIGN(DatasetReader second, DatasetReader::Open(b));
  const DatasetManifest &before = first.manifest(), &after = second.manifest();
  DatasetDifference difference;
  difference.a = {before.ManifestDigest(), before.merkle_root};
  difference.b = {after.ManifestDigest(), after.merkle_root};

  KM_ASSIGN(auto left, RecordsIn(&first));
  KM_RETURN_IF_ERROR(
      second.ForEach(Digest(), [&](const Digest& id, const Record& record, bool*) -> Status {
        const auto found = left.find(id);
        if (found == left.end()) {
          difference.added.emplace(id, record.kind);
          return Status::Ok();
        }
        if (found->second.digest == record.RecordDigest()) {
          ++difference.equal_records;
        } else {
          KM_ASSIGN(const std::optional<Record> twin, first.Find(id));
          difference.changed[id] = {record.kind, ChangedColumns(*twin, record)};
        }
        left.erase(found);
        return Status::Ok();
      }));
  for (const auto& [id, listed] : left) difference.removed.emplace(id, listed.kind);

  difference.counts = PairsOf(CountsOf(before), CountsOf(after));
  difference.versions = PairsOf(Values(before.versions.begin(), before.versions.end()),
                                Values(after.versions.begin(), after.versions.end()));
  KM_ASSIGN(const Json old_configuration, ReadJsonObject(a + "/" + std::string(kConfigurationName)));
  KM_ASSIGN(const Json new_configuration, ReadJsonObject(b + "/" + std::string(kConfigurationName)));
  const std::vector<std::string> old_sources = SourcesIn(old_configuration);
  const std::vector<std::string> new_sources = SourcesIn(new_configuration);
  difference.removed_sources = Without(old_sources, new_sources);
  difference.added_sources = Without(new_sources, old_sources);
  difference.configuration = PairsOf(KeysIn(old_configuration), KeysIn(new_configuration));
  for (const auto& [path, pair] : PairsOf(FilesOf(before), FilesOf(after))) {
    difference.files.push_back(path);
  }
  return difference;
}

}  // namespace kernelmill
