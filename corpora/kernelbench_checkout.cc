#include "corpora/kernelbench_checkout.h"

#include <charconv>
#include <string_view>

namespace kernelmill {

std::map<int, std::filesystem::path> KernelBenchProblems(const std::string& checkout, int level) {
  namespace fs = std::filesystem;
  std::map<int, fs::path> problems;
  std::error_code error;
  const fs::path folder = fs::path(checkout) / "KernelBench" / ("level" + std::to_string(level));
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    int number = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, failure] = std::from_chars(name.data(), end, number);
    if (failure == std::errc() && rest != end && *rest == '_' && name.ends_with(".py")) {
      problems[number] = entry.path();
    }
  }
  return problems;
}

std::optional<std::string> KernelBenchProblemAt(const std::filesystem::path& path) {
  constexpr std::string_view kLevel = "level";
  const std::string folder = path.parent_path().filename(), file = path.filename();
  const std::size_t digits = file.find_first_not_of("0123456789");
  if (!folder.starts_with(kLevel) || digits == 0 || digits == file.npos || file[digits] != '_') {
    return std::nullopt;
  }
  return "level_" + folder.substr(kLevel.size()) + "_problem_" + file.substr(0, digits);
}

}  // namespace kernelmill
