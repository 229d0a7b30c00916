#include "stages/samples/sample_tasks.h"

#include <charconv>
#include <filesystem>
#include <optional>

namespace kernelmill {
namespace {

// "level_1_problem_19" for the origin ".../level1/19_ReLU.py" of a supplied task.
std::optional<std::string> KernelBenchName(const Origin& origin) {
  constexpr std::string_view kLevel = "level";
  if (!origin.supplied()) return std::nullopt;
  const std::filesystem::path path(origin.path);
  const std::string folder = path.parent_path().filename(), file = path.filename();
  const std::size_t digits = file.find_first_not_of("0123456789");
  if (!folder.starts_with(kLevel) || digits == 0 || digits == file.npos || file[digits] != '_') {
    return std::nullopt;
  }
  return "level_" + folder.substr(kLevel.size()) + "_problem_" + file.substr(0, digits);
}

}  // namespace

void SampleTasks::Add(const Record& task) {
  const Digest id = task.ContentId();
  ids_.insert(id.Hex());
  const auto name = task.attributes.find("name");
  if (name != task.attributes.end() && name->second.is_string() &&
      !name->second.as_string().empty()) {
    names_[name->second.as_string()].insert(id);
  }
  for (const Origin& origin : task.origins) {
    if (const auto problem = KernelBenchName(origin)) names_[*problem].insert(id);
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
  } else if (!name.empty()) {
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
