#include "stages/verify/run/listed_task.h"

#include <optional>
#include <utility>

#include "corpora/records/task.h"
#include "manifests/digest.h"

namespace kernelmill {

Result<ListedTask> FindListedTask(DatasetReader* reader, const std::string& task,
                                  const std::string& dataset) {
  KM_ASSIGN(const Digest content_id, reader->Resolve(task));
  KM_ASSIGN(const std::optional<Record> record, reader->Find(content_id));
  if (!record || record->kind != RecordKind::kTask) {
    return Status(ErrorCode::kNotFound, task + " is no task of " + dataset);
  }
  KM_ASSIGN(Task found, Task::FromJson(record->payload));
  return ListedTask{std::make_shared<const std::string>(std::move(found.code)), found.Contract()};
}

}  // namespace kernelmill
