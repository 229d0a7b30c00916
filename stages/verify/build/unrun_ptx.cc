#include "stages/verify/build/unrun_ptx.h"

namespace kernelmill {
namespace {

// What clang says of it (ptx/statement.h): the name as numbers.
constexpr std::string_view kNotRun =
    "implicit instantiation of undefined template 'kernelmill::ptx::NotRun<Name{{";

}  // namespace

bool NamesUnrunPtx(std::string_view log) { return log.find(kNotRun) != log.npos; }

std::string WithNamesOfPtx(std::string log) {
  for (std::size_t at = log.find(kNotRun); at != log.npos; at = log.find(kNotRun, at)) {
    std::size_t end = at + kNotRun.size();
    std::string name;
    for (int code = 0; end < log.size() && log[end] != '\n'; ++end) {
      if (log[end] >= '0' && log[end] <= '9') {
        code = code * 10 + (log[end] - '0');
      } else if (code != 0) {
        name += static_cast<char>(code);
        code = 0;
      }
    }
    log.replace(at, end - at, "the executor does not run inline PTX '" + name + "'");
  }
  return log;
}

}  // namespace kernelmill
