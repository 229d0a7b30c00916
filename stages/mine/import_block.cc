#include "stages/mine/import_block.h"

#include <array>
#include <string_view>

namespace kernelmill {
namespace {

// Submodules that "import torch" alone does not load.
constexpr std::array<std::string_view, 2> kLoadedOnDemand = {"torch.utils.checkpoint",
                                                             "einops.layers.torch"};

}  // namespace

void ImportBlock::Need(const std::string& module, const std::string& name, const std::string& alias,
                       const std::string& full) {
  names_.emplace(Key{module, name, alias}, "");
  for (std::string_view submodule : kLoadedOnDemand) {
    if (name.empty() && module != submodule && full.starts_with(submodule)) {
      submodules_.emplace(submodule);
    }
  }
}

void ImportBlock::Settle(std::set<std::string, std::less<>>* taken) {
  // get_inputs() always draws with torch.
  names_.emplace(Key{"torch", "", "torch"}, "");
  for (auto& [key, settled] : names_) {
    settled = key.alias;
    for (int i = 2; taken->contains(settled); ++i) settled = key.alias + "_" + std::to_string(i);
    taken->insert(settled);
  }
}

const std::string& ImportBlock::NameOf(const std::string& module, const std::string& name,
                                       const std::string& alias) const {
  return names_.at(Key{module, name, alias});
}

std::string ImportBlock::Text(bool future_annotations) const {
  std::string modules;
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [key, settled] : names_) {
    if (key.name.empty()) {
      modules += "import " + key.module;
      modules += settled == key.module ? "\n" : " as " + settled + "\n";
    } else {
      names[key.module].insert(key.name == settled ? settled : key.name + " as " + settled);
    }
  }
  for (const std::string& submodule : submodules_) modules += "import " + submodule + "\n";
  std::string text = future_annotations ? "from __future__ import annotations\n\n" : "";
  text += modules;
  for (const auto& [module, imported] : names) {
    text += "from " + module + " import ";
    std::string_view separator = "";
    for (const std::string& name : imported) {
      text += separator;
      text += name;
      separator = ", ";
    }
    text += "\n";
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace kernelmill
