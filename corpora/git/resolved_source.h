// A Git repository at one commit, ready to be mined.
#pragma once

#include <string>

namespace kernelmill {

struct ResolvedSource {
  // The origin to record. Never a path of this machine, never a credential.
  std::string url;
  std::string git_dir;  // Where GitRepository::Open finds it.
  std::string commit;   // 40 hexadecimal digits; "" for a repository that cannot be used.
  std::string trouble;  // Why it cannot be used: damaged, empty, or reaching outside its folder.

  // 16 hexadecimal digits that stand for (url, commit) in keys.
  std::string Key() const;
};

}  // namespace kernelmill
