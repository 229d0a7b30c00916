// libFuzzer's entry points. They create the first corpus folder on the command line and write the
// seeds to it, so that a run starts with inputs that pass the first checks.
#include "tests/fuzz/fuzzer.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "manifests/digest.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    const std::string folder = (*arguments)[i];
    if (folder.starts_with('-')) continue;
    // The argument is an input to reproduce, not a corpus.
    if (std::filesystem::is_regular_file(folder)) break;
    std::filesystem::create_directories(folder);
    for (const std::string& seed : kernelmill::Seeds()) {
      std::ofstream(folder + "/seed-" + kernelmill::DigestOf(seed).Hex().substr(0, 16),
                    std::ios::binary)
          << seed;
    }
    break;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kernelmill::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
