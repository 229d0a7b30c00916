// Builds the import block of a slice: every outside name that its definitions use, under names that
// do not collide. CutSlice() (slicer.h) calls Need() for each imported name, Settle() once with the
// names that the slice defines, and then writes Text() at the top of the slice.
#pragma once

#include <map>
#include <set>
#include <string>

namespace kernelmill {

class ImportBlock {
 public:
  // Adds `import module` (empty `name`) or `from module import name`, preferably as `alias`. `full`
  // is the whole dotted name that the slice uses; it tells "import torch.utils.checkpoint" from
  // "import torch".
  void Need(const std::string& module, const std::string& name, const std::string& alias,
            const std::string& full);
  // Gives every import a final name that is not in `taken`, and adds the names to `taken`.
  void Settle(std::set<std::string, std::less<>>* taken);
  // The final name of an import that Need() added. Call after Settle().
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
  std::set<std::string> submodules_;  // Imported in addition to "import torch".
};

}  // namespace kernelmill
