#include "generators/wording/fenced_code.h"

#include <algorithm>

namespace kernelmill {

std::string Fenced(std::string_view language, std::string_view code) {
  std::size_t longest = 2, run = 0;
  for (char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string text = fence + std::string(language) + "\n" + std::string(code);
  if (!text.ends_with('\n')) text += '\n';
  return text + fence + "\n";
}

FencedBlock LastFencedBlock(std::string_view markdown) {
  FencedBlock last, open;
  std::string_view fence;
  for (std::size_t start = 0; start < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string_view line = markdown.substr(start, end - start);
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    const std::size_t next = std::min(end + 1, markdown.size());
    if (fence.empty() && ticks >= 3) {
      fence = line.substr(0, ticks);
      open = {.begin = start, .code = next};
    } else if (!fence.empty() && line == fence) {
      last = {open.begin, next, open.code, start - open.code};
      fence = {};
    }
    start = end + 1;
  }
  return last;
}

std::string LastFenced(std::string_view markdown) {
  const FencedBlock block = LastFencedBlock(markdown);
  return std::string(markdown.substr(block.code, block.code_size));
}

}  // namespace kernelmill
