// Compares the sources of a configuration with a lock of them, and fixes their commits by it.
#pragma once

#include <string>
#include <vector>

#include "corpora/git/resolved_source.h"
#include "corpora/git/source_lock.h"
#include "manifests/status.h"
#include "stages/fetch/source_spec.h"

namespace kernelmill {

// Fixes commit and origin of each spec by the lock of the file `name`: no other ones will do.
// kConfig when the lock does not have exactly these sources; the message names the first that is
// missing in one of the two.
Status PinSources(const SourceLock& lock, const std::string& name, std::vector<SourceSpec>* specs);
// As above, for a run that is resumed: what the lock does not have stays open, and a revision
// decides when its remote no longer has the commit. Local repositories are read as they are now.
void PreferCommits(const SourceLock& lock, std::vector<SourceSpec>* specs);

// The lock of specs that were resolved; `resolved` has one for each. No two specs have the same
// name and revision.
SourceLock LockOf(const std::vector<SourceSpec>& specs,
                  const std::vector<ResolvedSource>& resolved);

}  // namespace kernelmill
