// A file of tasks, or a folder of them, that a user supplies beside repositories.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// As the configuration names it.
struct TaskSourceSpec {
  std::string tasks;    // FILE.jsonl, FILE.parquet, or a folder of .py files.
  std::string sha256;   // What TaskSource::sha256 has to be; "": whatever it is.
  std::string url;      // The origin to record; "" is "urn:local:<name>".
  std::string name;     // What origins call the file; "" is as it is called here.
  std::string column;   // That has the references; "" is the first of kReferenceColumns there is.
  std::string licence;  // SPDX; of the tasks that name none themselves.
};

// Where references are looked for.
inline constexpr std::string_view kReferenceColumns[] = {
    "reference",    "code",       "pytorch_code", "ref_code", "reference_code",
    "ref_arch_src", "torch_code", "module_code",  "source"};
// The same of what the task is called, and of its licence.
inline constexpr std::string_view kNameColumns[] = {"name", "id", "task_id", "problem_id"};
inline constexpr std::string_view kLicenceColumns[] = {"license", "licence", "licenses", "spdx"};

enum class TaskFormat { kJsonLines, kParquet, kFolder };

struct TaskSource {
  std::string url;   // Never a path of this machine.
  std::string path;  // Where it lies here.
  std::string name;  // Of the file, in origins; empty for a folder, whose files have their own.
  TaskFormat format = TaskFormat::kJsonLines;
  std::string column;  // Empty for a folder.
  std::string licence;
  // Of the file; of a folder, over the paths and hashes of its files.
  std::string sha256;

  // 16 hexadecimal digits that stand for (url, sha256, column) in keys.
  std::string Key() const;
};

// Finds and hashes the source. kConfig, naming `key` and the file, where there is none, it is of no
// known kind, it is another than `spec.sha256`, no row of it has the column, or its licences are of
// a type that cannot be read; kIo where a folder cannot.
Result<TaskSource> ResolveTasks(const TaskSourceSpec& spec, const std::string& key);

}  // namespace kernelmill
