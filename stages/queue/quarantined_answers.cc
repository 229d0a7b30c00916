#include "stages/queue/quarantined_answers.h"

#include <filesystem>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/json_fields.h"
#include "manifests/json_file.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

fs::path FolderOfQuarantine(const std::string& output) {
  return fs::path(output) / kRunFolderName / "quarantine";
}

}  // namespace

Json JsonOfFields(const MessageFields& fields) {
  Json::Object json;
  for (const auto& [name, value] : fields) json[name] = value;
  return json;
}

Json QuarantinedAnswer::ToJson() const {
  return Json::Object{
      {"pool", pool}, {"tries", tries}, {"reason", reason}, {"message", JsonOfFields(message)}};
}

Result<QuarantinedAnswer> QuarantinedAnswer::FromJson(const Json& json) {
  QuarantinedAnswer answer;
  Json message;
  JsonFields fields(json, "answer in quarantine");
  fields.Read("pool", &answer.pool);
  fields.Read("tries", &answer.tries);
  fields.Read("reason", &answer.reason);
  fields.Read("message", &message);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!message.is_object()) {
    return Status(ErrorCode::kCorrupt, "answer in quarantine: its message is no object");
  }
  for (const auto& [name, value] : message.as_object()) {
    answer.message.emplace_back(name, value.is_string() ? value.as_string() : "");
  }
  return answer;
}

std::string QuarantineFileOf(const std::string& output, const std::string& place) {
  return (FolderOfQuarantine(output) / (place + ".json")).string();
}

Status KeepQuarantined(const std::string& output, const std::string& place,
                       const QuarantinedAnswer& answer) {
  KM_RETURN_IF_ERROR(MakeFolders(FolderOfQuarantine(output)));
  return ReplaceFile(QuarantineFileOf(output, place), answer.ToJson().Pretty());
}

Result<QuarantinedAnswer> ReadQuarantined(const std::string& output, const std::string& place) {
  KM_ASSIGN(const Json json, ReadJsonObject(QuarantineFileOf(output, place)));
  return QuarantinedAnswer::FromJson(json);
}

std::set<std::string> QuarantinedPlaces(const std::string& output) {
  std::set<std::string> places;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(FolderOfQuarantine(output), error)) {
    if (entry.path().extension() == ".json") places.insert(entry.path().stem().string());
  }
  return places;
}

Status ForgetQuarantined(const std::string& output) {
  std::error_code error;
  fs::remove_all(FolderOfQuarantine(output), error);
  if (!error) return Status::Ok();
  return Status(ErrorCode::kIo,
                "cannot remove " + FolderOfQuarantine(output).string() + ": " + error.message());
}

}  // namespace kernelmill
