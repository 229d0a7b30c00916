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
  if (urls.empty()) return Status::Ok();
  return ReplaceFile(CertificatePath(folder), Certificate(urls).Pretty());
}

}  // namespace kernelmill
