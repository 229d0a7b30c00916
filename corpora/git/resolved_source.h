// A Git repository at one commit, ready to be mined: what stages/fetch/source.h returns for a
// configured source, and what the mining steps read from.
#pragma once

#include <string>

namespace kernelmill {

struct ResolvedSource {
  // The URL to record as the origin. Never a path of this machine, never a credential.
  std::string url;
  std::string git_dir;  // The path for GitRepository::Open.
  std::string commit;   // 40 hexadecimal digits; "" for a repository that cannot be used.
  // Why it cannot be used: damaged, empty, or it refers to files outside its folder.
  std::string trouble;

  // 16 hexadecimal digits that identify (url, commit) in keys.
  std::string Key() const;
};

}  // namespace kernelmill
