// Lists of candidates: JSON lines {"task", "code"} or {"task", "message"}, and perhaps "id" and
// "backend". "task" is the content_id of a task of a dataset, or as many of its first digits as
// make it unique; "message" is a model's whole answer.
#pragma once

#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

// The candidates of the list at `path` with the tasks of `dataset`. Keys are the ids, or the
// numbers of the lines. A malformed line is an item with a problem, which names the line; kCorrupt
// where all lines are malformed. Code is read again from the file when it is needed.
Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset, const std::string& path);

// What identifies a list: {"bytes", "sha256"} of the file.
Result<Json> IdentityOfList(const std::string& path);
// Whether the list at `path` begins with the very list that `before` identifies.
bool ContinuesList(const Json& before, const std::string& path);

}  // namespace kernelmill
