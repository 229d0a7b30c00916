#include "generators/reasoning/answer_code.h"

#include <algorithm>
#include <set>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

constexpr std::string_view kOpening = "_source = r\"\"\"\n", kClosing = "\"\"\"";

std::int64_t LineAt(std::string_view text, std::size_t at) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

// The number of the line that defines the kernel; 0 when no line does.
std::int64_t LineOfKernel(const std::string& native, const std::string& name) {
  const std::string call = name + "(";
  for (std::size_t at = native.find(call); at != native.npos; at = native.find(call, at + 1)) {
    const std::size_t start = native.rfind('\n', at) + 1;  // npos + 1 is 0.
    if (native.substr(start, at - start).find("__global__") != std::string::npos) {
      return LineAt(native, start);
    }
  }
  return 0;
}

}  // namespace

bool AnswerCode::HasName(std::string_view name) const {
  for (std::size_t at = native.find(name); at != native.npos; at = native.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !IsNamePart(native[at - 1]);
    if (begins && (end == native.size() || !IsNamePart(native[end]))) return true;
  }
  return false;
}

bool AnswerCode::HasNamesOf(std::string_view expression) const {
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && IsNamePart(expression[end])) ++end;
    const std::string_view word = expression.substr(at, end - at);
    if (!word.empty() && !IsDigit(word[0]) && !HasName(word)) return false;
    at = std::max(end, at + 1);
  }
  return true;
}

AnswerCode ReadAnswerCode(const Candidate& answer) {
  AnswerCode code;
  const std::size_t opening = answer.code.find(kOpening);
  if (opening == std::string::npos) return code;
  const std::size_t start = opening + kOpening.size();
  const std::size_t end = answer.code.find(kClosing, start);
  code.native = answer.code.substr(start, end - start);
  code.line = LineAt(answer.code, start);
  code.returns_early = code.Has("numel() == 0) return");
  code.limits_size = code.Has("a tensor is too large");
  code.contiguous = code.Has(".contiguous();");
  code.checks_launch = code.Has("KERNEL_LAUNCH_CHECK");
  std::set<std::string> seen;
  for (const DesignedKernel& plan : answer.kernels) {
    for (const std::string& name : plan.kernels) {
      const std::int64_t line = seen.insert(name).second ? LineOfKernel(code.native, name) : 0;
      if (line == 0) continue;
      if (auto facts = ReadKernelFacts(code.native, name, line)) {
        code.kernels.push_back({name, &plan, line, *std::move(facts)});
      }
    }
  }
  return code;
}

std::vector<std::string> StatementsOf(const AnswerCode& code, const AnswerKernel& kernel) {
  constexpr std::size_t kShortest = 12, kLongest = 100;
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::int64_t line = 1; line < kernel.line; ++line) at = code.native.find('\n', at) + 1;
  bool complete = false;  // Whether the line before ended a statement.
  for (std::size_t end = 0; at < code.native.size(); at = end + 1) {
    end = std::min(code.native.find('\n', at), code.native.size());
    const std::string_view whole = std::string_view(code.native).substr(at, end - at);
    if (whole == "}") break;
    const std::size_t first = whole.find_first_not_of(' ');
    if (first == whole.npos || whole.substr(first).starts_with("//")) continue;
    const std::string_view line = whole.substr(first);
    const bool begins = complete;
    complete = line.ends_with(';') || line.ends_with('{') || line.ends_with('}');
    const bool tells = line.find(" = ") != line.npos || line.find("= ") != line.npos;
    if (begins && tells && line.ends_with(';') && line.size() >= kShortest &&
        line.size() <= kLongest && line.find("blockIdx") == line.npos &&
        line.find("__shared__") == line.npos && !line.starts_with("for ") &&
        !line.starts_with("if ")) {
      lines.emplace_back(line.substr(0, line.size() - 1));
    }
  }
  return lines;
}

}  // namespace kernelmill
