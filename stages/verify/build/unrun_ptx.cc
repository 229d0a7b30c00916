#include "stages/verify/build/unrun_ptx.h"

#include <cstdint>

namespace kernelmill {
namespace {

// What clang says of it (ptx/statement.h): the name as numbers that hold eight characters each.
constexpr std::string_view kNotRun =
    "implicit instantiation of undefined template 'kernelmill::ptx::NotRun<Name{";

}  // namespace

bool NamesUnrunPtx(std::string_view log) { return log.find(kNotRun) != log.npos; }

std::string WithNamesOfPtx(std::string log) {
  for (std::size_t at = log.find(kNotRun); at != log.npos; at = log.find(kNotRun, at)) {
    std::size_t end = at + kNotRun.size();
    std::string name;
    for (std::uint64_t number = 0; end < log.size() && log[end] != '\n'; ++end) {
      if (log[end] >= '0' && log[end] <= '9') {
        number = number * 10 + static_cast<std::uint64_t>(log[end] - '0');
        continue;
      }
      for (; number != 0; number >>= 8) {
        if ((number & 0xff) >= ' ' && (number & 0xff) < 0x7f) name += static_cast<char>(number);
      }
    }
    log.replace(at, end - at, "the executor does not run inline PTX '" + name + "'");
  }
  return log;
}

}  // namespace kernelmill
