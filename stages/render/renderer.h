// The renderers: functions that turn the records about one subject (a task or a native kernel) into
// rows. The step "render" calls RendererOf() for each subject. A new kind of subject is one more
// entry in the table of renderer.cc and in IsSubject() (stages/engine/subject_records.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "generators/task_rows/task_rows.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

// A row that broke a rule (generators/grounding/row_rules.h) and must not be published.
struct RejectedRow {
  TrainingRecord training;
  std::string reason;  // A name from manifests/reason.h.
  std::string detail;
};

struct Rendering {
  std::vector<WrittenRow> rows;
  std::vector<RejectedRow> rejected_rows;
  // Why the subject as a whole is rejected (a name from manifests/reason.h). An empty reason keeps
  // the subject, whether it has rows or not.
  std::string reason;
  std::string detail;
  std::string quarantined_text;  // The bytes for quarantine if it is rejected: the subject's code.
};

struct RenderInput {
  const std::vector<Record>& records;  // Everything about the subject, the subject included.
  const Record& subject;
  std::int64_t seed = 0;
  bool validation = false;  // Whether the rows are in the validation split.
};

struct Renderer {
  RecordKind subject;
  // `child` parses untrusted input. A Status that is not ok is a defect of this program, never of
  // the input.
  Result<Rendering> (*render)(const RenderInput& input, UntrustedChild& child);
};

// Null for a kind of record that is not a subject.
const Renderer* RendererOf(RecordKind kind);

}  // namespace kernelmill
