// The one import block of a slice: every outside name that its definitions use, under names that do
// not collide.
#pragma once

#include <map>
#include <set>
#include <string>

namespace kernelmill {

class ImportBlock {
 public:
  // `import module` (empty `name`) or `from module import name`, wanted under `alias`. `full` is
  // the whole dotted name that is used, so that "import torch.utils.checkpoint" can be told from
  // "import torch".
  void Need(const std::string& module, const std::string& name, const std::string& alias,
            const std::string& full);
  // Gives every import its final name, none of them in `taken`, and adds those names to it.
  void Settle(std::set<std::string, std::less<>>* taken);
  // The final name; only for what was needed, after Settle().
  const std::string& NameOf(const std::string& module, const std::string& name,
                            const std::string& alias) const;
  std::string Text(bool future_annotations) const;

 private:
  struct Key {
    std::string module;
    std::string name;
    std::string alias;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::string> names_;
  std::set<std::string> submodules_;  // To import beside "import torch".
};

}  // namespace kernelmill
