// What bench/port_names.py asks of the name map. Reads a name of CUDA's and one of MUSA's on each
// line of the standard input, with a tab between them, and prints what stands for MUSA's in CUDA:
// the name of the line if the judge takes both for one thing, another name, or an empty line where
// the map lacks it.
//   port_loops < PAIRS
#include <iostream>
#include <string>

#include "corpora/kernel_backend.h"
#include "parsers/cuda_names.h"
#include "parsers/cuda_rewrite.h"

namespace {

using namespace kernelmill;

// Whether the judge rewrites both to the same name somewhere in a program.
bool AreOne(const std::string& cuda, const std::string& musa) {
  for (const auto& [before, after] : {std::pair("", ""), {"", "::x"}, {"DeviceType::", ""}}) {
    if (RewriteDeviceNames(before + cuda + after, kCudaBackend) ==
        RewriteDeviceNames(before + musa + after, kMusaBackend)) {
      return true;
    }
  }
  return false;
}

std::string CudaNameFor(const std::string& cuda, const std::string& musa) {
  for (const auto headers : {kMusaBackend.toolkit_headers, kMusaBackend.answer_headers}) {
    for (const NamePair& header : headers) {
      if (header.own == musa) return std::string(header.cuda);
    }
  }
  return AreOne(cuda, musa) ? cuda : CudaNameOf(musa, kMusaBackend);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = line.find('\t');
    std::cout << (tab == line.npos ? "" : CudaNameFor(line.substr(0, tab), line.substr(tab + 1)))
              << "\n";
  }
  return 0;
}
