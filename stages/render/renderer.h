// The rows that are written about one subject. A new kind of subject is one more entry of the
// table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "generators/task_rows/known_task.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

struct Rendering {
  std::vector<WrittenRow> rows;
  // Why the subject is refused, of manifests/reason.h, and the bytes for quarantine; "" keeps it,
  // with its rows or without one.
  std::string reason;
  std::string detail;
  std::string original;
};

struct RenderInput {
  const std::vector<Record>& records;  // All that is known about the subject, itself among them.
  const Record& subject;
  std::int64_t seed = 0;
  bool validation = false;  // Which side of the split the rows are on.
};

struct Renderer {
  RecordKind subject;
  // `child` parses untrusted input. A Status is a fault of ours.
  Result<Rendering> (*render)(const RenderInput& input, UntrustedChild& child);
};

// Nothing for records that are no subject.
const Renderer* RendererOf(RecordKind kind);

}  // namespace kernelmill
