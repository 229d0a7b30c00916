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

Json LicenceEvidence::ToJson() const {
  return Json::Object{
      {"spdx", spdx}, {"level", LicenceLevelName(level)}, {"path", path}, {"blob", blob}};
}

Result<LicenceEvidence> LicenceEvidence::FromJson(const Json& json) {
  LicenceEvidence evidence;
  std::string level;
  JsonFields fields(json, "licence");
  fields.Read("spdx", &evidence.spdx);
  fields.Read("level", &level);
  fields.Read("path", &evidence.path);
  fields.Read("blob", &evidence.blob);
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
