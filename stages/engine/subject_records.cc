#include "stages/engine/subject_records.h"

#include <map>

namespace kernelmill {
namespace {

Result<Digest> SubjectOf(const Record& record) {
  if (IsSubject(record.kind)) return record.ContentId();
  if (record.lineage.empty() || record.lineage.back().inputs.empty()) {
    return Status(ErrorCode::kInternal, "a record names no subject");
  }
  return record.lineage.back().inputs.front();
}

}  // namespace

bool IsSubject(RecordKind kind) {
  return kind == RecordKind::kTask || kind == RecordKind::kKernel || kind == RecordKind::kPort;
}

Run::Propose SubjectRecords(const Run& run, std::vector<std::string> steps,
                            const OriginFilter& wanted) {
  return [&run, steps = std::move(steps), wanted](const Run::Emit& emit) -> Status {
    for (const std::string& step : steps) {
      KM_RETURN_IF_ERROR(
          run.ForEachOutput(step, [&](std::string_view, std::string_view body) -> Status {
            KM_ASSIGN(const Record record, Record::Decode(body));
            if (wanted && !wanted(record.origins)) return Status::Ok();
            KM_ASSIGN(const Digest subject, SubjectOf(record));
            return emit(std::string(subject.AsKey()), Json(Json::Array{body}).Dump());
          }));
    }
    return Status::Ok();
  };
}

Result<std::vector<Record>> ReadSubjectRecords(std::string_view body) {
  KM_ASSIGN(const Json json, Json::Parse(body));
  std::vector<Record> records;
  for (const Json& item : json.as_array()) {
    KM_ASSIGN(Record record, Record::Decode(item.as_string()));
    records.push_back(std::move(record));
  }
  return records;
}

Result<std::string> MergeSubjectRecords(std::string_view a, std::string_view b) {
  std::map<Digest, Record> merged;
  for (std::string_view body : {a, b}) {
    KM_ASSIGN(std::vector<Record> records, ReadSubjectRecords(body));
    for (Record& record : records) {
      const Digest id = record.ContentId();
      const auto [at, inserted] = merged.emplace(id, record);
      if (!inserted) at->second.Merge(record);
    }
  }
  Json::Array array;
  for (const auto& [id, record] : merged) array.emplace_back(record.Encode());
  return Json(std::move(array)).Dump();
}

Result<std::string> MergeRecords(std::string_view a, std::string_view b) {
  KM_ASSIGN(Record record, Record::Decode(a));
  KM_ASSIGN(const Record twin, Record::Decode(b));
  record.Merge(twin);
  return record.Encode();
}

}  // namespace kernelmill
