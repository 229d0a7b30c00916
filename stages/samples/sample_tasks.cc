#include "stages/samples/sample_tasks.h"

#include "corpora/kernelbench_checkout.h"

namespace kernelmill {

void SampleTasks::Add(const Record& task) {
  const Digest id = task.ContentId();
  ids_.insert(id.Hex());
  const auto name = task.attributes.find("name");
  if (name != task.attributes.end() && name->second.is_string() &&
      !name->second.as_string().empty()) {
    names_[name->second.as_string()].insert(id);
  }
  for (const Origin& origin : task.origins) {
    if (!origin.supplied()) continue;
    if (const auto problem = KernelBenchProblemAt(origin.path)) names_[*problem].insert(id);
  }
}

void SampleTasks::AddAlias(const Digest& other, const Digest& task) {
  if (other == task) return;
  ids_.insert(other.Hex());
  aliases_.insert_or_assign(other, task);
}

Digest SampleTasks::Resolved(const Digest& id) const {
  const auto alias = aliases_.find(id);
  return alias == aliases_.end() ? id : alias->second;
}

Result<Digest> SampleTasks::Find(const std::string& name) const {
  std::set<Digest> found;
  if (const auto named = names_.find(name); named != names_.end()) {
    for (const Digest& id : named->second) found.insert(Resolved(id));
  } else if (name.size() >= kShortestTaskPrefix) {
    for (auto id = ids_.lower_bound(name); id != ids_.end() && id->starts_with(name); ++id) {
      KM_ASSIGN(const Digest digest, Digest::FromHex(*id));
      found.insert(Resolved(digest));
      if (found.size() > 1) break;
    }
  }
  if (found.size() == 1) return *found.begin();
  if (found.empty()) return Status(ErrorCode::kNotFound, "no task is called " + name);
  return Status(ErrorCode::kUsage, "several tasks are called " + name);
}

}  // namespace kernelmill
