#include "stages/samples/run_tasks.h"

#include "corpora/benchmark_table.h"
#include "corpora/records/annotation.h"

namespace kernelmill {

Result<RunTasks> RunTasks::Of(const Run& run) {
  RunTasks tasks;
  std::map<Digest, Digest> admitted;  // By the hash of their text.
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("admit", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(Record record, Record::Decode(body));
        if (record.kind == RecordKind::kAnnotation) {
          KM_ASSIGN(const Annotation facts, Annotation::FromJson(record.payload));
          tasks.annotations.emplace(facts.task, std::move(record));
          return Status::Ok();
        }
        const Digest id = record.ContentId();
        admitted[DigestOf(record.payload.TextAt("code"))] = id;
        tasks.names.Add(record);
        tasks.records.emplace(id, std::move(record));
        return Status::Ok();
      }));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("recall", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(Record record, Record::Decode(body));
        const Digest id = record.ContentId();
        tasks.names.Add(record);
        const auto found = admitted.find(DigestOf(record.payload.TextAt("code")));
        if (found != admitted.end()) {
          // Admitting a task completes its inputs, which are part of its content_id.
          tasks.names.AddAlias(id, found->second);
        } else {
          tasks.records.emplace(id, std::move(record));
        }
        return Status::Ok();
      }));
  return tasks;
}

std::string RunTasks::ProtectedAs(const Digest& task) const {
  const Json::Object& attributes = records.at(task).attributes;
  const auto found = attributes.find(kProtectedAttribute);
  return found == attributes.end() ? "" : found->second.as_string();
}

}  // namespace kernelmill
