#include "stages/pack/pack_keys.h"

#include <set>

#include "manifests/json_fields.h"
#include "stages/pack/export.h"

namespace kernelmill {
namespace {

constexpr char kRecordsPerShard[] = "pack.records_per_shard";
constexpr char kRowsPerParquetFile[] = "pack.rows_per_parquet_file";
constexpr char kFormats[] = "pack.formats";

}  // namespace

std::vector<ConfigKey> PackKeys() {
  std::string formats;
  for (const ExportFormat& format : AllExportFormats()) {
    formats += " " + std::string(format.name) + " (" + std::string(format.explanation) + ");";
  }
  if (!formats.empty()) formats.back() = '.';
  const PackOptions defaults;
  return {
      {kRecordsPerShard, ConfigType::kInteger, defaults.records_per_shard, "records",
       "The most records in one file under shards/. The number does not change the Merkle root.",
       kAtLeastOne},
      {kRowsPerParquetFile, ConfigType::kInteger, defaults.rows_per_parquet_file, "rows",
       "The most rows in one Parquet file.", kAtLeastOne},
      {kFormats, ConfigType::kStrings, ToJson(defaults.formats), "",
       "The formats in which rows are also written under data/, for trainers:" + formats},
  };
}

Result<PackOptions> PackOptions::Of(const Config& config) {
  PackOptions options;
  options.records_per_shard = config.Integer(kRecordsPerShard);
  options.rows_per_parquet_file = config.Integer(kRowsPerParquetFile);
  options.formats = config.Strings(kFormats);
  std::set<std::string> named;
  for (const std::string& format : options.formats) {
    KM_RETURN_IF_ERROR(FindExportFormat(format).status().Within(kFormats));
    if (!named.insert(format).second) {
      return Status(ErrorCode::kConfig, std::string(kFormats) + ": names " + format + " twice");
    }
  }
  return options;
}

}  // namespace kernelmill
