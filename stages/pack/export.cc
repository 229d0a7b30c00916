#include "stages/pack/export.h"

#include "stages/pack/jsonl_export.h"
#include "stages/pack/parquet_export.h"

namespace kernelmill {

const std::vector<ExportFormat>& AllExportFormats() {
  static const std::vector<ExportFormat> kFormats = {
      {"parquet", "data/<split>-00000-of-00001.parquet and so on", ParquetExportFiles,
       OpenParquetExport, CheckParquetExport},
      {"jsonl", "data/<split>.jsonl, one JSON object per row", JsonlExportFiles, OpenJsonlExport,
       CheckJsonlExport},
      {"jsonl_zst", "data/<split>.jsonl.zst, the same as one zstd frame", JsonlZstExportFiles,
       OpenJsonlZstExport, CheckJsonlZstExport},
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
                "unknown export format '" + std::string(name) + "'; the formats are: " + known);
}

}  // namespace kernelmill
