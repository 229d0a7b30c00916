// Moves the files of a dataset to or from an object store, several at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manifests/partition_manifest.h"
#include "manifests/status.h"

namespace kernelmill {

// How many files move at a time unless the user says otherwise.
inline constexpr int kUsualTransfers = 4;

struct TransferCounts {
  std::int64_t moved = 0;
  std::int64_t bytes = 0;  // Of them.
  std::int64_t there = 0;  // What was there already, and equal.
};

// Calls `move` for each file, at most `at_once` at a time; true means that it had to be moved. The
// error is that of the first file in order that has one. Shows the progress under `name`.
Result<TransferCounts> MoveFiles(const std::string& name, const std::vector<FileEntry>& files,
                                 int at_once,
                                 const std::function<Result<bool>(const FileEntry&)>& move);

}  // namespace kernelmill
