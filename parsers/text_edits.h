// Changes to a text, which are collected first and made all at once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace kernelmill {

// Collects non-overlapping replacements of parts of a text.
class TextEdits {
 public:
  void Replace(std::size_t first, std::size_t last, std::string by) {
    edits_[first] = {last, std::move(by)};
  }
  // Several texts may be inserted in one place, in any order.
  void Insert(std::size_t at, std::string_view text) {
    auto& edit = edits_.try_emplace(at, at, "").first->second;
    if (edit.first == at) edit.second += text;
  }
  std::string Apply(std::string_view text) const {
    std::string result;
    std::size_t at = 0;
    for (const auto& [first, edit] : edits_) {
      if (first < at) continue;
      result += text.substr(at, first - at);
      result += edit.second;
      at = edit.first;
    }
    result += text.substr(at);
    return result;
  }

 private:
  std::map<std::size_t, std::pair<std::size_t, std::string>> edits_;
};

}  // namespace kernelmill
