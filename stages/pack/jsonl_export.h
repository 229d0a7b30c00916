// data/<split>.jsonl: one row a line, canonical JSON. A split without rows has no file.
#pragma once

#include "stages/pack/export.h"

namespace kernelmill {

Result<std::unique_ptr<Export>> OpenJsonlExport(const std::string& dataset);
std::unique_ptr<ExportCheck> CheckJsonlExport(const std::string& dataset,
                                              const std::vector<std::string>& files,
                                              const ExportCheck::Report& report);

}  // namespace kernelmill
