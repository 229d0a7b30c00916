// The export format "parquet", as an entry of AllExportFormats() (export.h).
// data/<split>-00000-of-000NN.parquet hold the rows of a split in files with a bounded number of
// rows, all with the schema of stages/pack/parquet_row.h. A split without rows has no file.
//
// The files have format version 2.6, row groups of at most 1,000 rows, zstd compression, a checksum
// on every page, and nothing that differs between two runs.
#pragma once

#include "stages/pack/export.h"

namespace kernelmill {

std::vector<std::string> ParquetExportFiles(const std::map<std::string, std::int64_t>& rows,
                                            const PackOptions& options);
Result<std::unique_ptr<Export>> OpenParquetExport(const std::string& dataset,
                                                  const PackOptions& options);
// Compares values, not bytes, because another version of the Parquet library may write other bytes.
std::unique_ptr<ExportCheck> CheckParquetExport(const std::string& dataset,
                                                const std::vector<std::string>& files,
                                                const ExportCheck::Report& report);

}  // namespace kernelmill
