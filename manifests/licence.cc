#include "manifests/licence.h"

#include "manifests/json_fields.h"

namespace kernelmill {

std::string_view LicenceLevelName(LicenceLevel level) {
  switch (level) {
    case LicenceLevel::kFileHeader:
      return "file_header";
    case LicenceLevel::kNearestFile:
      return "nearest_file";
    case LicenceLevel::kPackageMetadata:
      return "package_metadata";
    case LicenceLevel::kGenerator:
      return "generator";
    case LicenceLevel::kDeclared:
      return "declared";
    case LicenceLevel::kNone:
      return "none";
  }
  return "none";
}

std::string LicenceEvidence::TextBlob() const {
  if (!text_blob.empty()) return text_blob;
  // Evidence of these levels that names no text is the text itself.
  const bool is_text = level == LicenceLevel::kNearestFile || level == LicenceLevel::kGenerator;
  return is_text ? blob : "";
}

Json LicenceEvidence::ToJson() const {
  Json json = Json::Object{
      {"spdx", spdx}, {"level", LicenceLevelName(level)}, {"path", path}, {"blob", blob}};
  if (!chosen.empty()) json["chosen"] = chosen;
  if (!text_blob.empty()) {
    json["text_path"] = text_path;
    json["text_blob"] = text_blob;
  }
  if (!copyright.empty()) json["copyright"] = kernelmill::ToJson(copyright);
  return json;
}

Result<LicenceEvidence> LicenceEvidence::FromJson(const Json& json) {
  LicenceEvidence evidence;
  std::string level;
  JsonFields fields(json, "licence");
  fields.Read("spdx", &evidence.spdx);
  fields.Read("level", &level);
  fields.Read("path", &evidence.path);
  fields.Read("blob", &evidence.blob);
  if (fields.Has("chosen")) fields.Read("chosen", &evidence.chosen);
  if (fields.Has("text_blob")) {
    fields.Read("text_path", &evidence.text_path);
    fields.Read("text_blob", &evidence.text_blob);
  }
  if (fields.Has("copyright")) fields.Read("copyright", &evidence.copyright);
  KM_RETURN_IF_ERROR(fields.Finish());
  for (LicenceLevel candidate :
       {LicenceLevel::kFileHeader, LicenceLevel::kNearestFile, LicenceLevel::kPackageMetadata,
        LicenceLevel::kGenerator, LicenceLevel::kDeclared, LicenceLevel::kNone}) {
    if (LicenceLevelName(candidate) == level) {
      evidence.level = candidate;
      return evidence;
    }
  }
  return Status(ErrorCode::kCorrupt, "licence: unknown level '" + level + "'");
}

}  // namespace kernelmill
