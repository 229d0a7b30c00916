#include "stages/mine/mine_keys.h"

namespace kernelmill {

std::vector<ConfigKey> MineKeys() {
  const MiningOptions defaults;
  return {{"mine.max_entries", ConfigType::kInteger, defaults.most_entries, "",
           "A repository whose tree has more entries is refused; a small one can name billions."},
          {"mine.max_file_bytes", ConfigType::kInteger, defaults.largest_file, "bytes",
           "Larger files are not read."},
          {"mine.slice_lines", ConfigType::kInteger, defaults.slice.lines, "lines",
           "A module that is longer than this with all it needs is refused."},
          {"mine.slice_files", ConfigType::kInteger, defaults.slice.files, "files",
           "A module that is spread over more files than this is refused."}};
}

MiningOptions MiningOptionsOf(const Config& config) {
  MiningOptions options;
  options.most_entries = config.Integer("mine.max_entries");
  options.largest_file = config.Integer("mine.max_file_bytes");
  options.slice.lines = config.Integer("mine.slice_lines");
  options.slice.files = config.Integer("mine.slice_files");
  return options;
}

}  // namespace kernelmill
