#include "stages/audit/removal_list.h"

#include <filesystem>
#include <set>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "manifests/json_file.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
// What this purge has removed, and what those before it have.
constexpr char kOwn[] = "repositories", kEarlier[] = "earlier_repositories";
constexpr char kResult[] = "result";  // Only a purge writes it.

}  // namespace

std::string CertificatePath(const std::string& folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.string() + ".removal.json";
}

Result<std::vector<std::string>> RemovedFrom(const std::string& dataset) {
  const Result<Json> certificate = ReadJsonObject(CertificatePath(dataset));
  if (certificate.status().code() == ErrorCode::kNotFound) return std::vector<std::string>();
  if (!certificate.ok()) return certificate.status();
  std::set<std::string> urls;
  for (const char* name : {kOwn, kEarlier}) {
    const Json* const list = certificate->Find(name);
    if (list == nullptr && name == kEarlier) continue;  // Nothing was removed before.
    if (list == nullptr || !list->is_array()) {
      return Status(ErrorCode::kCorrupt, CertificatePath(dataset) + ": it does not list '" + name +
                                             "', as `purge` does");
    }
    for (const Json& url : list->as_array()) {
      if (url.is_string()) urls.insert(url.as_string());
    }
  }
  return std::vector<std::string>(urls.begin(), urls.end());
}

Json Certificate(const std::vector<std::string>& earlier) {
  return Json::Object{{"kind", "kernelmill_removal"},
                      {"v", kVersion},
                      {kOwn, Json::Array()},
                      {kEarlier, ToJson(earlier)}};
}

Status PassOnRemovals(const std::string& folder, const std::vector<std::string>& urls) {
  const std::string path = CertificatePath(folder);
  const Result<Json> there = ReadJsonObject(path);
  if (!there.ok() && there.status().code() != ErrorCode::kNotFound) return there.status();
  if (there.ok() && there->Find(kResult) != nullptr) {
    return Status(ErrorCode::kExists, path +
                                          " is the certificate of a purge, of another dataset in "
                                          "this place; name another --output, or move it away");
  }
  if (!urls.empty()) return ReplaceFile(path, Certificate(urls).Pretty());
  std::error_code error;
  std::filesystem::remove(path, error);
  return error ? Status(ErrorCode::kIo, path + ": " + error.message()) : Status::Ok();
}

}  // namespace kernelmill
