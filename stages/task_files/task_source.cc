#include "stages/task_files/task_source.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "manifests/digest.h"
#include "manifests/local_name.h"
#include "manifests/printable.h"
#include "stages/task_files/parquet_tasks.h"
#include "stages/task_files/supplied_rows.h"
#include "stages/task_files/workload_tasks.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + PrintableLine(word);
  return text;
}

Result<std::string> DigestOfFolder(const std::string& folder) {
  KM_ASSIGN(const std::vector<std::string> files, TaskFilesIn(folder));
  if (files.empty()) {
    return Status(ErrorCode::kConfig, folder + " holds no .py file and no definition.json");
  }
  Sha256 hash;
  for (const std::string& file : files) {
    KM_ASSIGN(const Digest digest, DigestOfFile(folder + "/" + file));
    hash.Field(file).Field(digest.AsKey());
    const std::string inputs = InputsBeside(folder + "/" + file);
    std::error_code error;
    if (inputs.empty() || !fs::is_regular_file(inputs, error)) continue;
    KM_ASSIGN(const Digest of_inputs, DigestOfFile(inputs));
    hash.Field(fs::path(inputs).filename().string()).Field(of_inputs.AsKey());
  }
  return hash.Finish().Hex();
}

// The names of the file's plain columns.
Result<std::vector<std::string>> TableColumns(const std::string& path) {
  KM_ASSIGN(const std::vector<TaskColumn> columns, TaskColumns(path));
  std::vector<std::string> names;
  for (const TaskColumn& column : columns) {
    if (column.shape == ParquetShape::kPlain) names.push_back(column.name);
    // If the column were ignored, its rows would be admitted under another licence.
    if (column.shape == ParquetShape::kOther &&
        std::find(std::begin(kLicenceColumns), std::end(kLicenceColumns), column.name) !=
            std::end(kLicenceColumns)) {
      return Status(ErrorCode::kConfig, path + ": the column '" + column.name +
                                            "' is of the type " + PrintableLine(column.type) +
                                            "; a licence is text, or a list of texts");
    }
  }
  return names;
}

// The column that holds the references.
Result<std::string> ColumnOf(const TaskSource& source, const std::string& asked) {
  const std::vector<std::string> wanted =
      asked.empty()
          ? std::vector<std::string>(std::begin(kReferenceColumns), std::end(kReferenceColumns))
          : std::vector<std::string>{asked};
  const Result<std::vector<std::string>> columns = source.format == TaskFormat::kParquet
                                                       ? TableColumns(source.path)
                                                       : JsonColumns(source.path, wanted);
  if (!columns.ok() && columns.status().code() != ErrorCode::kCorrupt) return columns.status();
  // If the file cannot be read at all, its rows are rejected one by one later.
  if (!columns.ok() || columns->empty()) return wanted.front();
  for (const std::string& name : wanted) {
    if (std::find(columns->begin(), columns->end(), name) != columns->end()) return name;
  }
  return Status(ErrorCode::kConfig, source.path + " has no column " +
                                        (asked.empty() ? "of references" : "'" + asked + "'") +
                                        " but " + Listed(*columns) +
                                        (asked.empty() ? "; call it reference, or name it in a "
                                                         "configuration: column: NAME"
                                                       : ""));
}

Result<TaskSource> Resolve(const TaskSourceSpec& spec) {
  TaskSource source;
  std::error_code error;
  const fs::path path = fs::absolute(spec.tasks, error).lexically_normal();
  source.path = path.string();
  const std::string name = Printable(spec.name.empty() ? LocalName(spec.tasks) : spec.name);
  source.url = spec.url.empty() ? "urn:local:" + name : spec.url;
  source.licence = spec.licence;
  if (!fs::exists(path, error)) {
    return Status(ErrorCode::kConfig, "there is no file or folder " + spec.tasks);
  }
  if (fs::is_directory(path, error)) {
    source.format = TaskFormat::kFolder;
    KM_ASSIGN(source.sha256, DigestOfFolder(source.path));
  } else if (const std::string kind = path.extension(); fs::is_regular_file(path, error) &&
                                                    (kind == ".jsonl" || kind == ".parquet")) {
    source.format = kind == ".jsonl" ? TaskFormat::kJsonLines : TaskFormat::kParquet;
    // An empty Parquet file is damaged; that is reported later as a rejected row.
    if (source.format == TaskFormat::kJsonLines && fs::file_size(path, error) == 0) {
      return Status(ErrorCode::kConfig, spec.tasks + " is empty");
    }
    source.name = name;
    KM_ASSIGN(const Digest digest, DigestOfFile(source.path));
    source.sha256 = digest.Hex();
    KM_ASSIGN(source.column, ColumnOf(source, spec.column));
  } else {
    return Status(ErrorCode::kConfig,
                  spec.tasks + " is neither a .jsonl or .parquet file nor a folder");
  }
  if (!spec.sha256.empty() && spec.sha256 != source.sha256) {
    return Status(ErrorCode::kConfig, spec.tasks + " has the SHA-256 " + source.sha256 + ", not " +
                                          spec.sha256 + ": it is another file, or it was changed");
  }
  return source;
}

}  // namespace

std::string TaskSource::Key() const {
  return Sha256().Field(url).Field(sha256).Field(column).Finish().Hex().substr(0, 16);
}

Result<TaskSource> ResolveTasks(const TaskSourceSpec& spec, const std::string& key) {
  Result<TaskSource> source = Resolve(spec);
  return source.ok() ? std::move(source) : source.status().Within(key);
}

}  // namespace kernelmill
