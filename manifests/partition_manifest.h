// The manifest of one finished partition of a step's inputs: what became of the inputs, in counts,
// and the files with the outputs. The engine writes it last (stages/engine/partition_writer.h),
// which commits the partition, because readers open only files that a manifest names. Manifests of
// datasets use the same counts and file entries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

// The outcome of a step's inputs. Invariant: in = kept + all dropped + all rejected.
struct StepCounts {
  std::int64_t in = 0;
  std::int64_t kept = 0;
  std::map<std::string, std::int64_t> dropped;   // By reason.
  std::map<std::string, std::int64_t> rejected;  // By reason.
  // By reason: rejected items of kept inputs, such as one row of a task. They are not in the sum.
  std::map<std::string, std::int64_t> rejected_items;
  std::map<std::string, std::int64_t> counters;  // Further counts of the step, by name.
  std::int64_t outputs = 0;

  void Add(const StepCounts& other);
  // kInternal, with `what` in the message, when the invariant does not hold.
  Status Check(const std::string& what) const;
  std::int64_t Dropped() const;
  std::int64_t Rejected() const;

  Json ToJson() const;
  static Result<StepCounts> FromJson(const Json& json);
  friend bool operator==(const StepCounts&, const StepCounts&) = default;
};

struct FileEntry {
  std::string path;  // Relative to the manifest's folder.
  std::int64_t size = 0;
  Digest sha256;

  // The entry of the file `path` under `folder`, which is read for its size and hash.
  static Result<FileEntry> Of(const std::string& folder, const std::string& path);
  Json ToJson() const;
  static Result<FileEntry> FromJson(const Json& json);
  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

struct PartitionManifest {
  Digest plan;  // Plan::Identity().
  std::int64_t partition = 0;
  StepCounts counts;
  std::vector<FileEntry> files;

  Json ToJson() const;
  static Result<PartitionManifest> FromJson(const Json& json);
};

}  // namespace kernelmill
