// Finds the records that a purge leaves out by name (purge.h): those that the request names, and in
// a dataset of samples the tasks of the sources and licences that it names.
#pragma once

#include <set>
#include <string>

#include "manifests/config.h"
#include "stages/audit/purge.h"

namespace kernelmill {

// The records of the dataset in `folder` that `request` names by content_id. A record that only
// restates another one stands for it: an annotation for its task, an answer that a model wrote for
// the sample. kUsage or kNotFound for a name that stands for no record, or not for a task.
Result<std::set<Digest>> NamedRecords(const std::string& folder, const PurgeRequest& request);

// The tasks, in the datasets in `folders`, that have an origin in one of the repositories of
// `request`, or that the licences left in `allowed` do not permit to use. A task with several
// origins is among them.
Result<std::set<Digest>> TasksOfSources(const std::vector<std::string>& folders,
                                        const PurgeRequest& request,
                                        const std::vector<std::string>& allowed);

}  // namespace kernelmill
