#include "stages/mine/mine_keys.h"

#include "manifests/json_fields.h"

namespace kernelmill {

std::vector<ConfigKey> MineKeys() {
  const MiningOptions defaults;
  return {{"mine.max_entries", ConfigType::kInteger, defaults.most_entries, "",
           "A repository whose tree has more entries is refused; a small one can name billions.",
           kAtLeastOne},
          {"mine.max_file_bytes", ConfigType::kInteger, defaults.largest_file, "bytes",
           "Larger files are not read.",
           kAtLeastOne},
          {"mine.slice_lines", ConfigType::kInteger, defaults.slice.lines, "lines",
           "A module that is longer than this with all it needs is refused.",
           kAtLeastOne},
          {"mine.slice_files", ConfigType::kInteger, defaults.slice.files, "files",
           "A module that is spread over more files than this is refused.",
           kAtLeastOne},
          {"mine.kernels", ConfigType::kBool, defaults.kernels, "",
           "Whether native kernels (CUDA and MUSA) are mined beside modules, with rows that explain "
           "them."},
          {"mine.kernel_lines", ConfigType::kInteger, defaults.kernel_slice.lines, "lines",
           "What a kernel needs beyond so many lines is left out of its slice and named in it.",
           kAtLeastOne},
          {"mine.licences", ConfigType::kStrings, ToJson(defaults.licences), "",
           "SPDX identifiers of the licences that may enter a dataset; a file under any other, or "
           "under none that can be found, is refused."},
          {"mine.opted_out", ConfigType::kStrings, ToJson(defaults.opted_out), "",
           "Beginnings of origins that want to be left out."}};
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
  options.opted_out = config.Strings("mine.opted_out");
  return options;
}

}  // namespace kernelmill
