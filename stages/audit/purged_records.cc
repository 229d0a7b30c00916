#include "stages/audit/purged_records.h"

#include <algorithm>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/records/task.h"
#include "parsers/licence_text.h"
#include "stages/publishable/licence_map.h"

namespace kernelmill {
namespace {

// A task and the form in which it was supplied, before "admit" described its inputs.
void AddTask(const Digest& id, const Record& record, std::set<Digest>* found) {
  found->insert(id);
  Record supplied;
  supplied.kind = RecordKind::kTask;
  supplied.payload = Task{.code = record.payload.TextAt("code")}.ToJson();
  found->insert(supplied.ContentId());
}

Status AddNamed(const std::string& name, bool as_task, DatasetReader* reader,
                std::set<Digest>* found) {
  KM_ASSIGN(const Digest id, reader->Resolve(name));
  KM_ASSIGN(const std::optional<Record> record, reader->Find(id));
  if (!record) return Status(ErrorCode::kNotFound, "the dataset has no record " + id.Hex());
  if (as_task && record->kind != RecordKind::kTask) {
    return Status(ErrorCode::kUsage, "--task " + name + ": record " + id.Hex() + " is of kind " +
                                         std::string(RecordKindName(record->kind)) +
                                         "; name it with --record");
  }
  const std::vector<Digest> inputs =
      record->lineage.empty() ? std::vector<Digest>() : record->lineage.back().inputs;
  if (record->kind == RecordKind::kTask) {
    AddTask(id, *record, found);
  } else if (record->kind == RecordKind::kAnnotation && !inputs.empty()) {
    return AddNamed(inputs.front().Hex(), false, reader, found);
  } else {
    found->insert(id);
  }
  if (record->kind != RecordKind::kCandidate) return Status::Ok();
  for (const Digest& input : inputs) {
    KM_ASSIGN(const std::optional<Record> from, reader->Find(input));
    if (from && from->kind == RecordKind::kSample) found->insert(input);
  }
  return Status::Ok();
}

bool IsOf(const Record& task, const PurgeRequest& request,
          const std::vector<std::string>& allowed) {
  for (const Origin& origin : task.origins) {
    const auto& urls = request.repositories;
    if (std::find(urls.begin(), urls.end(), origin.url) != urls.end()) return true;
  }
  if (request.licences.empty()) return false;
  return std::any_of(task.licences.begin(), task.licences.end(), [&](const auto& evidence) {
    return evidence.spdx != kNoAssertion && !LicenceAllowed(evidence.spdx, allowed);
  });
}

}  // namespace

Result<std::set<Digest>> NamedRecords(const std::string& folder, const PurgeRequest& request) {
  std::set<Digest> found;
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(folder));
  for (const std::string& name : request.tasks) {
    KM_RETURN_IF_ERROR(AddNamed(name, true, &reader, &found));
  }
  for (const std::string& name : request.records) {
    KM_RETURN_IF_ERROR(AddNamed(name, false, &reader, &found));
  }
  return found;
}

Result<std::set<Digest>> TasksOfSources(const std::vector<std::string>& folders,
                                        const PurgeRequest& request,
                                        const std::vector<std::string>& allowed) {
  std::set<Digest> found;
  for (const std::string& folder : folders) {
    KM_ASSIGN(DatasetReader reader, DatasetReader::Open(folder));
    KM_RETURN_IF_ERROR(reader.ForEach(Digest(), [&](const Digest& id, const Record& record, bool*) {
      if (record.kind == RecordKind::kTask && IsOf(record, request, allowed)) {
        AddTask(id, record, &found);
      }
      return Status::Ok();
    }));
  }
  return found;
}

}  // namespace kernelmill
