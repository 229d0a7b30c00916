#include "manifests/dataset_manifest.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kDigestKey = "manifest_digest";

Json StepCountsJson(const std::map<std::string, StepCounts>& counts) {
  Json::Object object;
  for (const auto& [step, count] : counts) object[step] = count.ToJson();
  return object;
}

Json PlanJson(const std::vector<DatasetManifest::StepPlan>& plan) {
  Json::Array array;
  for (const auto& [step, identity] : plan) {
    array.emplace_back(Json::Object{{"step", step}, {"identity", identity.Hex()}});
  }
  return array;
}

Json FilesJson(const std::vector<FileEntry>& files) {
  Json::Array array;
  for (const FileEntry& file : files) array.push_back(file.ToJson());
  return array;
}

Json::Object WithoutDigest(const DatasetManifest& manifest) {
  Json::Object object = {
      {"v", kVersion},
      {"merkle_root", manifest.merkle_root.Hex()},
      {"records", Json::Object(manifest.records.begin(), manifest.records.end())},
      {"rows", Json::Object(manifest.rows.begin(), manifest.rows.end())},
      {"counts", StepCountsJson(manifest.counts)},
      {"plan", PlanJson(manifest.plan)},
      {"versions", Json::Object(manifest.versions.begin(), manifest.versions.end())},
      {"files", FilesJson(manifest.files)}};
  if (manifest.contaminated) object["contaminated"] = true;
  if (manifest.near_equal_rows > 0) object["near_equal_rows"] = manifest.near_equal_rows;
  return object;
}

Status Mistyped(std::string_view key, std::string_view expected) {
  return Status(ErrorCode::kCorrupt, std::string(kManifestName) + ": '" + std::string(key) +
                                         "' must hold " + std::string(expected));
}

// Calls `take`, Status(const std::string& key, const Json& value), for each member of an object.
template <typename Take>
Status ReadMembers(const Json& json, std::string_view key, Take take) {
  if (!json.is_object()) return Mistyped(key, "an object");
  for (const auto& [name, value] : json.as_object()) KM_RETURN_IF_ERROR(take(name, value));
  return Status::Ok();
}

Status ReadCounts(const Json& json, std::string_view key,
                  std::map<std::string, std::int64_t>* counts) {
  return ReadMembers(json, key, [&](const std::string& name, const Json& value) {
    if (!value.is_int() || value.as_int() < 0) return Mistyped(key, "counts");
    (*counts)[name] = value.as_int();
    return Status::Ok();
  });
}

Result<DatasetManifest::StepPlan> StepPlanFromJson(const Json& json) {
  DatasetManifest::StepPlan plan;
  JsonFields fields(json, "plan");
  fields.Read("step", &plan.step);
  fields.Read("identity", &plan.identity);
  KM_RETURN_IF_ERROR(fields.Finish());
  return plan;
}

}  // namespace

Digest DatasetManifest::ManifestDigest() const {
  return DigestOf(Json(WithoutDigest(*this)).Dump());
}

std::string DatasetManifest::Encode() const {
  Json::Object object = WithoutDigest(*this);
  object[std::string(kDigestKey)] = ManifestDigest().Hex();
  return Json(std::move(object)).Pretty();
}

Result<DatasetManifest> DatasetManifest::Decode(std::string_view bytes) {
  const std::string name(kManifestName);
  Result<Json> json = Json::Parse(bytes);
  if (!json.ok()) return json.status().Within(name);
  DatasetManifest manifest;
  Json records, rows, counts, versions;
  Digest digest;
  JsonFields fields(*json, name);
  fields.Version(kVersion);
  fields.Read("merkle_root", &manifest.merkle_root);
  fields.Read("records", &records);
  fields.Read("rows", &rows);
  fields.Read("counts", &counts);
  if (fields.Has("near_equal_rows")) fields.Read("near_equal_rows", &manifest.near_equal_rows);
  fields.ReadArray("plan", &manifest.plan, StepPlanFromJson);
  fields.Read("versions", &versions);
  fields.ReadArray("files", &manifest.files, FileEntry::FromJson);
  if (fields.Has("contaminated")) fields.Read("contaminated", &manifest.contaminated);
  fields.Read(kDigestKey, &digest);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(ReadCounts(records, "records", &manifest.records));
  KM_RETURN_IF_ERROR(ReadCounts(rows, "rows", &manifest.rows));
  KM_RETURN_IF_ERROR(
      ReadMembers(counts, "counts", [&](const std::string& step, const Json& value) -> Status {
        KM_ASSIGN(manifest.counts[step], StepCounts::FromJson(value));
        return Status::Ok();
      }));
  KM_RETURN_IF_ERROR(
      ReadMembers(versions, "versions", [&](const std::string& what, const Json& value) {
        if (!value.is_string()) return Mistyped("versions", "strings");
        manifest.versions[what] = value.as_string();
        return Status::Ok();
      }));
  if (manifest.ManifestDigest() != digest) {
    return Status(ErrorCode::kCorrupt, name + ": its content does not match its manifest_digest");
  }
  if (manifest.Encode() != bytes) {
    return Status(ErrorCode::kCorrupt, name + ": not in the form in which kernelmill writes it");
  }
  return manifest;
}

}  // namespace kernelmill
