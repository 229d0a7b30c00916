// Declares the configuration keys "pack.…" and reads them: how the shards and exports of a dataset
// are written. `sft` packs with these options; `export` sets the size of Parquet files in them from
// its own option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/config.h"

namespace kernelmill {

struct PackOptions {
  std::int64_t records_per_shard = 20000;
  std::int64_t rows_per_parquet_file = 50000;
  // Names from AllExportFormats().
  std::vector<std::string> formats = {"parquet", "jsonl", "jsonl_zst"};

  // kConfig when a value is out of range or names no format.
  static Result<PackOptions> Of(const Config& config);
};

std::vector<ConfigKey> PackKeys();

}  // namespace kernelmill
