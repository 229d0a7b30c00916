#include "stages/pack/pack_keys.h"

#include "manifests/json_fields.h"
#include "stages/pack/export.h"

namespace kernelmill {
namespace {

constexpr char kRecordsPerShard[] = "pack.records_per_shard";
constexpr char kRowsPerParquetFile[] = "pack.rows_per_parquet_file";
constexpr char kFormats[] = "pack.formats";

Result<std::int64_t> AtLeastOne(const Config& config, const char* key) {
  const std::int64_t value = config.Integer(key);
  if (value >= 1) return value;
  return Status(ErrorCode::kConfig, std::string(key) + " must be at least 1");
}

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
       "How many records one file under shards/ holds at most. It does not change the Merkle "
       "root."},
      {kRowsPerParquetFile, ConfigType::kInteger, defaults.rows_per_parquet_file, "rows",
       "How many rows one Parquet file holds at most."},
      {kFormats, ConfigType::kStrings, ToJson(defaults.formats), "",
       "Which files for trainers are written under data/ beside the shards:" + formats},
  };
}

Result<PackOptions> PackOptions::Of(const Config& config) {
  PackOptions options;
  KM_ASSIGN(options.records_per_shard, AtLeastOne(config, kRecordsPerShard));
  KM_ASSIGN(options.rows_per_parquet_file, AtLeastOne(config, kRowsPerParquetFile));
  options.formats = config.Strings(kFormats);
  for (const std::string& format : options.formats) {
    KM_RETURN_IF_ERROR(FindExportFormat(format).status().Within(kFormats));
  }
  return options;
}

}  // namespace kernelmill
