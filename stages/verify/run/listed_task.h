// A task of a dataset as far as judging needs it, for lists of candidates (candidate_list.h) and
// for requests to `serve`, which name tasks by their ids.
#pragma once

#include <memory>
#include <string>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/records/task_contract.h"
#include "manifests/status.h"

namespace kernelmill {

struct ListedTask {
  std::shared_ptr<const std::string> reference;
  TaskContract contract;
};

// The task whose content_id is `task` or begins with it. kNotFound if the dataset has none; kUsage
// for a prefix that is malformed or ambiguous. `dataset` names the dataset in messages.
Result<ListedTask> FindListedTask(DatasetReader* reader, const std::string& task,
                                  const std::string& dataset);

}  // namespace kernelmill
