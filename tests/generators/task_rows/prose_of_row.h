// The prose of a row's answer, for tests that read it.
#pragma once

#include <string>

namespace kernelmill {

// The prose of an answer, without code.
inline std::string ProseOf(const std::string& markdown) {
  std::string prose;
  bool fenced = false;
  for (std::size_t start = 0; start < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string line = markdown.substr(start, end - start);
    start = end + 1;
    if (line.starts_with("```")) {
      fenced = !fenced;
    } else if (!fenced) {
      prose += line + '\n';
    }
  }
  return prose;
}

}  // namespace kernelmill
