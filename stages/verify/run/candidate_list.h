// Reads lists of candidates that a user wants judged, for `verify` with a dataset: files of model
// samples with one JSON object a line, in any format of parsers/samples/sample_format.h. A sample
// names its task by the content_id of a task of the dataset, or a unique prefix of it.
#pragma once

#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

// The candidates of the list at `path` with the tasks of `dataset`. The format is that of the first
// line that has one. Keys are the ids, or the numbers of the lines. A malformed line, or a
// malformed one of several answers in a line, is an item with a problem, which names the line;
// kCorrupt if there are only such items. Code is read again from the file when it is needed.
Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset, const std::string& path);

// Identifies a list by {"bytes", "sha256"} of its file.
Result<Json> IdentityOfList(const std::string& path);
// Whether the list at `path` begins with exactly the list that `before` identifies.
bool ContinuesList(const Json& before, const std::string& path);

}  // namespace kernelmill
