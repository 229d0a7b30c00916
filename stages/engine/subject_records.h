// Groups records by subject into the inputs of a step, for the steps that need all records about a
// task or native kernel together ("perturb", "check", "render"), and merges equal records. Tasks,
// mined native kernels and mined ports are subjects. Any other record (annotation, candidate,
// check) is about the subject that the last derivation of the record names first.
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
// about it among the outputs of the finished `steps`. With `wanted`, only records of these origins.
// The records of one subject come separately; MergeSubjectRecords joins them.
Run::Propose SubjectRecords(const Run& run, std::vector<std::string> steps,
                            const OriginFilter& wanted = nullptr);
Result<std::string> MergeSubjectRecords(std::string_view a, std::string_view b);

// Decodes the body of such an input.
Result<std::vector<Record>> ReadSubjectRecords(std::string_view body);

// Joins two encoded records of equal content: one record with the origins of both.
Result<std::string> MergeRecords(std::string_view a, std::string_view b);

}  // namespace kernelmill
