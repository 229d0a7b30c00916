// Finds and hashes the files and folders of tasks that a user supplies besides repositories.
// ResolveTasks() is called for each entry of `sources` that names tasks, before a run starts and by
// an audit, and for the files given to `answer` and `generate --fingerprints`. SuppliedRows
// (supplied_rows.h) then reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// A source of tasks as written in the configuration.
struct TaskSourceSpec {
  std::string tasks;    // FILE.jsonl, FILE.parquet, or a folder of .py or definition.json files.
  std::string sha256;   // The expected TaskSource::sha256; "" accepts any.
  std::string url;      // The origin to record; "" is "urn:local:<name>".
  std::string name;     // The file's name in origins; "" is its name on this machine.
  std::string column;   // The column of references; "" is the first of kReferenceColumns that
                        // exists.
  std::string licence;  // SPDX expression for tasks that name no licence themselves.
};

// The columns that are searched for references, for names of tasks, and for licences.
inline constexpr std::string_view kReferenceColumns[] = {
    "reference",    "code",       "pytorch_code", "ref_code", "reference_code",
    "ref_arch_src", "torch_code", "module_code",  "source"};
inline constexpr std::string_view kNameColumns[] = {"name", "id", "task_id", "problem_id"};
inline constexpr std::string_view kLicenceColumns[] = {"license", "licence", "licenses", "spdx"};

enum class TaskFormat { kJsonLines, kParquet, kFolder };

struct TaskSource {
  std::string url;   // Never a path of this machine.
  std::string path;  // Its path on this machine.
  std::string name;  // The file's name in origins; empty for a folder, whose files have their own
                     // names.
  TaskFormat format = TaskFormat::kJsonLines;
  std::string column;  // Empty for a folder.
  std::string licence;
  // The hash of the file, or for a folder the hash over the paths and hashes of its files, those that
  // describe inputs included.
  std::string sha256;

  // 16 hexadecimal digits that identify (url, sha256, column) in keys of inputs.
  std::string Key() const;
};

// Finds and hashes the source. kConfig, with a message that names `key` and the file, if the file
// does not exist, is of an unknown kind, does not have the hash `spec.sha256`, has no row with the
// column, or has a licence column of an unsupported type. kIo if a folder cannot be read.
Result<TaskSource> ResolveTasks(const TaskSourceSpec& spec, const std::string& key);

}  // namespace kernelmill
