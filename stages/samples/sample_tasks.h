// Finds the tasks that samples name. A task is named by its content_id, a unique prefix of it with
// 8 digits or more, the name in its record, or for a problem of KernelBench level_L_problem_P.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// The least digits of a content_id that name a task. Fewer may be a name that happens to consist of
// them, such as "fc" or "add", of a task that is not there.
inline constexpr std::size_t kShortestTaskPrefix = 8;

class SampleTasks {
 public:
  // `task`: a record of kind kTask. Adding a task twice does no harm.
  void Add(const Record& task);
  // Lets the names of the task `other` stand for `task` too.
  void AddAlias(const Digest& other, const Digest& task);

  // The task called `name`. kNotFound when there is none, kUsage when there are several.
  Result<Digest> Find(const std::string& name) const;

 private:
  Digest Resolved(const Digest& id) const;

  std::set<std::string> ids_;  // content_ids, in hexadecimal digits.
  std::map<std::string, std::set<Digest>> names_;
  std::map<Digest, Digest> aliases_;
};

}  // namespace kernelmill
