// Inputs that group records by their subject. A task and a mined native kernel are subjects; any
// other record (annotation, candidate, check) is about the subject that its last derivation names
// first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "manifests/origin.h"
#include "stages/engine/run.h"

namespace kernelmill {

bool IsSubject(RecordKind kind);

// Proposes one input for each subject, under its content_id: a JSON array of the encoded records
// about it that the finished `steps` put out. With `wanted`, only records of such origins. The
// records of one subject come separately; MergeSubjectRecords joins them.
Run::Propose SubjectRecords(const Run& run, std::vector<std::string> steps,
                            const OriginFilter& wanted = nullptr);
Result<std::string> MergeSubjectRecords(std::string_view a, std::string_view b);

// The records of such an input.
Result<std::vector<Record>> ReadSubjectRecords(std::string_view body);

// Joins two encoded records of equal content: one record with the origins of both.
Result<std::string> MergeRecords(std::string_view a, std::string_view b);

}  // namespace kernelmill
