#include "stages/pack/row_query.h"

#include <algorithm>

#include "corpora/dataset/row.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

constexpr char kNoLicence[] = "none";

bool HasOrigin(const Record& record, const std::string& part) {
  return std::any_of(record.origins.begin(), record.origins.end(), [&](const Origin& origin) {
    return origin.Identifier().find(part) != std::string::npos ||
           origin.symbol.find(part) != std::string::npos;
  });
}

bool HasLicence(const Record& record, const std::string& spdx) {
  if (spdx == kNoLicence) return record.licences.empty();
  return std::any_of(
      record.licences.begin(), record.licences.end(),
      [&](const LicenceEvidence& evidence) { return SameInAnyCase(evidence.spdx, spdx); });
}

bool Calls(const Annotation& annotation, const std::string& op) {
  const auto named = [&](const auto& entry) { return SameInAnyCase(entry.name, op); };
  return std::any_of(annotation.operators.begin(), annotation.operators.end(), named) ||
         std::any_of(annotation.aten.begin(), annotation.aten.end(), named);
}

// Whether the row meets the conditions that depend on its record alone.
bool Matches(const RowQuery& query, const RowInContext& row) {
  return (!query.family || row.training.family == *query.family) &&
         (query.split.empty() || row.attributes.split == query.split) &&
         (query.origin.empty() || HasOrigin(row.record, query.origin)) &&
         (query.licence.empty() || HasLicence(row.record, query.licence));
}

Status AddContext(DatasetReader* dataset, RowInContext* row) {
  if (row->record.lineage.empty()) return Status::Ok();
  for (const Digest& input : row->record.lineage.back().inputs) {
    KM_ASSIGN(const std::optional<Record> source, dataset->Find(input));
    if (!source) continue;
    if (source->kind == RecordKind::kTask && input == row->training.task_id) {
      KM_ASSIGN(row->task, Task::FromJson(source->payload));
    } else if (source->kind == RecordKind::kAnnotation) {
      KM_ASSIGN(row->annotation, Annotation::FromJson(source->payload));
    } else if (source->kind == RecordKind::kKernel && input == row->training.task_id) {
      KM_ASSIGN(row->kernel, KernelSource::FromJson(source->payload));
    }
  }
  return Status::Ok();
}

}  // namespace

Status FindRows(DatasetReader* dataset, const RowQuery& query, const VisitRow& visit) {
  Digest first;
  if (!query.id_prefix.empty()) {
    KM_ASSIGN(first, SmallestIdWithPrefix(query.id_prefix));
  }
  return dataset->ForEach(first, [&](const Digest& id, const Record& record, bool* more) -> Status {
    if (!id.Hex().starts_with(query.id_prefix)) {
      *more = false;
      return Status::Ok();
    }
    if (record.kind != RecordKind::kTraining) return Status::Ok();
    KM_ASSIGN(Row exported, Row::Of(record));
    RowInContext row;
    row.content_id = id;
    row.record = record;
    row.training = std::move(exported.training);
    row.attributes = std::move(exported.attributes);
    if (!Matches(query, row)) return Status::Ok();
    KM_RETURN_IF_ERROR(AddContext(dataset, &row));
    if (!query.op.empty() && !(row.annotation && Calls(*row.annotation, query.op))) {
      return Status::Ok();
    }
    return visit(row, more);
  });
}

}  // namespace kernelmill
