#include "stages/pack/export.h"

#include "stages/pack/jsonl_export.h"

namespace kernelmill {

const std::vector<ExportFormat>& AllExportFormats() {
  static const std::vector<ExportFormat> kFormats = {
      {"jsonl", "data/<split>.jsonl, one JSON object a row", OpenJsonlExport, CheckJsonlExport},
  };
  return kFormats;
}

Result<const ExportFormat*> FindExportFormat(std::string_view name) {
  std::string known;
  for (const ExportFormat& format : AllExportFormats()) {
    if (format.name == name) return &format;
    known += (known.empty() ? "" : ", ") + std::string(format.name);
  }
  return Status(ErrorCode::kConfig,
                "unknown export format '" + std::string(name) + "'; known are: " + known);
}

}  // namespace kernelmill
