#include "stages/mine/mine_keys.h"

#include "manifests/json_fields.h"

namespace kernelmill {

std::vector<ConfigKey> MineKeys() {
  const MiningOptions defaults;
  return {
      {"mine.max_entries", ConfigType::kInteger, defaults.most_entries, "",
       "Repositories with more entries in their tree are rejected; a small repository can name "
       "billions.",
       kAtLeastOne},
      {"mine.max_file_bytes", ConfigType::kInteger, defaults.largest_file, "bytes",
       "Larger files are not read.", kAtLeastOne},
      {"mine.slice_lines", ConfigType::kInteger, defaults.slice.lines, "lines",
       "Modules whose slice, the module with everything it needs, is longer are rejected.",
       kAtLeastOne},
      {"mine.slice_files", ConfigType::kInteger, defaults.slice.files, "files",
       "Modules whose slice comes from more files are rejected.", kAtLeastOne},
      {"mine.kernels", ConfigType::kBool, defaults.kernels, "",
       "Whether native kernels (CUDA and MUSA) are mined as well as modules, for rows that "
       "explain them."},
      {"mine.kernel_lines", ConfigType::kInteger, defaults.kernel_slice.lines, "lines",
       "The longest slice of a kernel. Definitions beyond it are left out and listed as missing.",
       kAtLeastOne},
      {"mine.licences", ConfigType::kStrings, ToJson(defaults.licences), "",
       "SPDX identifiers of the licences that may enter a dataset. Files under another licence, "
       "or without a known licence, are rejected."},
      {"exclude_sources",
       ConfigType::kStrings,
       ToJson(defaults.exclude_sources),
       "",
       "Repositories and files of tasks whose URL starts with one of these are left out.",
       {},
       {},
       {"mine.opted_out"}}};
}

MiningOptions MiningOptionsOf(const Config& config) {
  MiningOptions options;
  options.most_entries = config.Integer("mine.max_entries");
  options.largest_file = config.Integer("mine.max_file_bytes");
  options.slice.lines = config.Integer("mine.slice_lines");
  options.slice.files = config.Integer("mine.slice_files");
  options.kernels = config.Bool("mine.kernels");
  options.kernel_slice.lines = config.Integer("mine.kernel_lines");
  options.licences = config.Strings("mine.licences");
  options.exclude_sources = config.Strings("exclude_sources");
  return options;
}

}  // namespace kernelmill
