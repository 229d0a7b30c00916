#include "stages/fetch/source_pins.h"

#include <algorithm>
#include <set>
#include <utility>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

Status DoesNotMatch(const std::string& name, const std::string& what) {
  return Status(ErrorCode::kConfig, name + ": the lock does not fit the configuration: " + what +
                                        "; write it anew with `kernelmill lock`");
}

}  // namespace

Status PinSources(const SourceLock& lock, const std::string& name, std::vector<SourceSpec>* specs) {
  std::set<std::pair<std::string, std::string>> asked;
  for (SourceSpec& spec : *specs) {
    const LockedSource* locked = lock.Find(spec.Name(), spec.RevisionName());
    if (locked == nullptr) {
      return DoesNotMatch(name, "it has no " + spec.Describe() + " at revision '" +
                                    PrintableLine(spec.RevisionName()) + "'");
    }
    asked.emplace(locked->git, locked->revision);
    spec.commit = locked->commit;
    spec.trouble = locked->trouble;
    spec.url = locked->url;
    spec.pinned = true;
  }
  for (const LockedSource& locked : lock.sources) {
    if (asked.contains({locked.git, locked.revision})) continue;
    return DoesNotMatch(name, "the configuration has no source '" + PrintableLine(locked.git) +
                                  "' at revision '" + PrintableLine(locked.revision) + "'");
  }
  return Status::Ok();
}

void PreferCommits(const SourceLock& lock, std::vector<SourceSpec>* specs) {
  for (SourceSpec& spec : *specs) {
    const LockedSource* held = lock.Find(spec.Name(), spec.RevisionName());
    if (held != nullptr && IsUrl(spec.git)) spec.commit = held->commit;
  }
}

SourceLock LockOf(const std::vector<SourceSpec>& specs,
                  const std::vector<ResolvedSource>& resolved) {
  SourceLock lock;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    lock.sources.push_back({.git = specs[i].Name(),
                            .revision = specs[i].RevisionName(),
                            .url = resolved[i].url,
                            .commit = resolved[i].commit,
                            .trouble = resolved[i].trouble});
  }
  std::sort(lock.sources.begin(), lock.sources.end());
  return lock;
}

}  // namespace kernelmill
