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

std::string FencedWithLines(std::string_view language, std::string_view code) {
  const auto lines = static_cast<std::size_t>(std::count(code.begin(), code.end(), '\n'));
  const std::size_t width = std::to_string(lines).size();
  std::string numbered;
  std::size_t line = 0;
  for (std::size_t start = 0; start < code.size();) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::string number = std::to_string(++line);
    numbered += std::string(width - std::min(width, number.size()), ' ') + number + " | ";
    numbered += code.substr(start, end - start);
    while (numbered.ends_with(' ')) numbered.pop_back();
    numbered += '\n';
    start = end + 1;
  }
  return Fenced(language, numbered);
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
