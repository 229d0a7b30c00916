#include "manifests/partition_manifest.h"

#include <sys/stat.h>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr char kRejectedItemsKey[] = "rejected_parts";  // Left out where there are none.

Json CountsJson(const std::map<std::string, std::int64_t>& counts) {
  return Json::Object(counts.begin(), counts.end());
}

Status ReadCounts(JsonFields* fields, std::string_view key,
                  std::map<std::string, std::int64_t>* out) {
  Json json = Json::Object();
  fields->Read(key, &json);
  if (!json.is_object()) {
    return Status(ErrorCode::kCorrupt, std::string(key) + " must be an object");
  }
  for (const auto& [name, count] : json.as_object()) {
    if (!count.is_int() || count.as_int() < 0) {
      return Status(ErrorCode::kCorrupt, std::string(key) + "." + name + " must be a count");
    }
    (*out)[name] = count.as_int();
  }
  return Status::Ok();
}

std::int64_t Sum(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

}  // namespace

void StepCounts::Add(const StepCounts& other) {
  in += other.in;
  kept += other.kept;
  outputs += other.outputs;
  for (const auto& [name, count] : other.dropped) dropped[name] += count;
  for (const auto& [name, count] : other.rejected) rejected[name] += count;
  for (const auto& [name, count] : other.rejected_items) rejected_items[name] += count;
  for (const auto& [name, count] : other.counters) counters[name] += count;
}

std::int64_t StepCounts::Dropped() const { return Sum(dropped); }
std::int64_t StepCounts::Rejected() const { return Sum(rejected); }

Status StepCounts::Check(const std::string& what) const {
  if (in == kept + Dropped() + Rejected()) return Status::Ok();
  return Status(ErrorCode::kInternal, what + ": " + std::to_string(in) + " inputs, but " +
                                          std::to_string(kept) + " kept, " +
                                          std::to_string(Dropped()) + " dropped and " +
                                          std::to_string(Rejected()) + " rejected");
}

Json StepCounts::ToJson() const {
  Json json = Json::Object{{"in", in},
                           {"kept", kept},
                           {"dropped", CountsJson(dropped)},
                           {"rejected", CountsJson(rejected)},
                           {"counters", CountsJson(counters)},
                           {"outputs", outputs}};
  if (!rejected_items.empty()) json[kRejectedItemsKey] = CountsJson(rejected_items);
  return json;
}

Result<StepCounts> StepCounts::FromJson(const Json& json) {
  StepCounts counts;
  JsonFields fields(json, "counts");
  fields.Read("in", &counts.in);
  fields.Read("kept", &counts.kept);
  KM_RETURN_IF_ERROR(ReadCounts(&fields, "dropped", &counts.dropped));
  KM_RETURN_IF_ERROR(ReadCounts(&fields, "rejected", &counts.rejected));
  if (fields.Has(kRejectedItemsKey)) {
    KM_RETURN_IF_ERROR(ReadCounts(&fields, kRejectedItemsKey, &counts.rejected_items));
  }
  KM_RETURN_IF_ERROR(ReadCounts(&fields, "counters", &counts.counters));
  fields.Read("outputs", &counts.outputs);
  KM_RETURN_IF_ERROR(fields.Finish());
  return counts;
}

Result<FileEntry> FileEntry::Of(const std::string& folder, const std::string& path) {
  FileEntry entry;
  entry.path = path;
  const std::string full = folder + "/" + path;
  struct stat status;
  if (stat(full.c_str(), &status) != 0) return Status::FromErrno("cannot stat", full);
  entry.size = status.st_size;
  KM_ASSIGN(entry.sha256, DigestOfFile(full));
  return entry;
}

Json FileEntry::ToJson() const {
  return Json::Object{{"path", path}, {"size", size}, {"sha256", sha256.Hex()}};
}

Result<FileEntry> FileEntry::FromJson(const Json& json) {
  FileEntry entry;
  JsonFields fields(json, "file");
  fields.Read("path", &entry.path);
  fields.Read("size", &entry.size);
  fields.Read("sha256", &entry.sha256);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

Json PartitionManifest::ToJson() const {
  Json::Array entries;
  for (const FileEntry& file : files) entries.push_back(file.ToJson());
  return Json::Object{{"v", kVersion},
                      {"plan", plan.Hex()},
                      {"partition", partition},
                      {"counts", counts.ToJson()},
                      {"files", std::move(entries)}};
}

Result<PartitionManifest> PartitionManifest::FromJson(const Json& json) {
  PartitionManifest manifest;
  Json counts;
  JsonFields fields(json, "partition manifest");
  fields.Version(kVersion);
  fields.Read("plan", &manifest.plan);
  fields.Read("partition", &manifest.partition);
  fields.Read("counts", &counts);
  fields.ReadArray("files", &manifest.files, FileEntry::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(manifest.counts, StepCounts::FromJson(counts));
  return manifest;
}

}  // namespace kernelmill
