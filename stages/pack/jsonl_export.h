// The export formats "jsonl" and "jsonl_zst", as entries of AllExportFormats() (export.h).
// data/<split>.jsonl has one row per line in canonical JSON; data/<split>.jsonl.zst has the same
// lines in one zstd frame. A split without rows has no file.
#pragma once

#include "stages/pack/export.h"

namespace kernelmill {

std::vector<std::string> JsonlExportFiles(const std::map<std::string, std::int64_t>& rows,
                                          const PackOptions& options);
Result<std::unique_ptr<Export>> OpenJsonlExport(const std::string& dataset,
                                                const PackOptions& options);
std::unique_ptr<ExportCheck> CheckJsonlExport(const std::string& dataset,
                                              const std::vector<std::string>& files,
                                              const ExportCheck::Report& report);

std::vector<std::string> JsonlZstExportFiles(const std::map<std::string, std::int64_t>& rows,
                                             const PackOptions& options);
Result<std::unique_ptr<Export>> OpenJsonlZstExport(const std::string& dataset,
                                                   const PackOptions& options);
std::unique_ptr<ExportCheck> CheckJsonlZstExport(const std::string& dataset,
                                                 const std::vector<std::string>& files,
                                                 const ExportCheck::Report& report);

}  // namespace kernelmill
