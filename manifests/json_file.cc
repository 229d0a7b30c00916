#include "manifests/json_file.h"

#include "manifests/commit_file.h"

namespace kernelmill {

Result<Json> ReadJsonObject(const std::string& path) {
  KM_ASSIGN(const std::string text, ReadFile(path));
  Result<Json> json = Json::Parse(text);
  if (!json.ok()) return json.status().Within(path);
  if (!json->is_object()) return Status(ErrorCode::kCorrupt, path + ": it is no JSON object");
  return json;
}

}  // namespace kernelmill
