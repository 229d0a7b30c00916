// The configuration keys of packing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/config.h"

namespace kernelmill {

struct PackOptions {
  std::int64_t records_per_shard = 20000;
  std::vector<std::string> formats = {"jsonl"};  // Names from AllExportFormats().

  // kConfig when a value is out of range or names no format.
  static Result<PackOptions> Of(const Config& config);
};

std::vector<ConfigKey> PackKeys();

}  // namespace kernelmill
