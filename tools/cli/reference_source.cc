#include "tools/cli/reference_source.h"

#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include "stages/task_files/reference_file.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {
namespace {

// The longest name of a task, so that suffixes still fit into a file name.
constexpr std::size_t kLongestName = 160;

std::string AsFileName(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return name.substr(0, kLongestName);
}

class SingleReference : public ReferenceSource {
 public:
  explicit SingleReference(ReferenceTask task) : task_(std::move(task)) {}

  Result<std::optional<ReferenceTask>> Next() override { return std::exchange(task_, {}); }

 private:
  std::optional<ReferenceTask> task_;
};

class SuppliedReferences : public ReferenceSource {
 public:
  explicit SuppliedReferences(TaskSource tasks) : tasks_(std::move(tasks)) {}

  Status Open() {
    KM_ASSIGN(rows_, SuppliedRows::Open(tasks_, kLargestReference));
    return Status::Ok();
  }

  Result<std::optional<ReferenceTask>> Next() override {
    KM_ASSIGN(std::optional<SuppliedRow> row, rows_->Next());
    if (!row) return std::optional<ReferenceTask>();
    ReferenceTask task;
    task.name = UnusedName(NameOf(*row));
    if (row->reason.empty()) {
      task.text = std::move(row->bytes);
    } else {
      task.problem = row->reason + ' ' + row->detail;
    }
    return std::optional<ReferenceTask>(std::move(task));
  }

 private:
  // The name of a task. For a file in a folder it is the path without ".py".
  std::string NameOf(const SuppliedRow& row) const {
    return AsFileName(tasks_.format == TaskFormat::kFolder
                          ? std::filesystem::path(row.origin.path).replace_extension().string()
                          : std::to_string(row.origin.row) + '_' + row.name);
  }

  // Makes the name unique, because different paths can become the same name ("a/b" and "a_b").
  // Names of rows are unique already: they start with the row's number.
  std::string UnusedName(const std::string& name) {
    if (tasks_.format != TaskFormat::kFolder) return name;
    std::string unused = name;
    for (int i = 2; !names_.insert(unused).second; ++i) unused = name + '-' + std::to_string(i);
    return unused;
  }

  const TaskSource tasks_;
  std::unique_ptr<SuppliedRows> rows_;  // Reads from tasks_.
  std::set<std::string> names_;         // Names that are in use, for folders.
};

}  // namespace

Result<std::unique_ptr<ReferenceSource>> OpenReferences(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".py") {
    ReferenceTask task;
    task.name = AsFileName(std::filesystem::path(path).stem());
    KM_ASSIGN(task.text, ReadReference(path));
    return std::unique_ptr<ReferenceSource>(std::make_unique<SingleReference>(std::move(task)));
  }
  KM_ASSIGN(TaskSource tasks, ResolveTasks({.tasks = path}, "references"));
  auto references = std::make_unique<SuppliedReferences>(std::move(tasks));
  KM_RETURN_IF_ERROR(references->Open());
  return std::unique_ptr<ReferenceSource>(std::move(references));
}

}  // namespace kernelmill
