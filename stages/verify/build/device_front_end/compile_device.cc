// A program that compiles device code with NVRTC (NVIDIA's CUDA compiler as a library). It needs no
// GPU.
//
//   compile_device LIBNVRTC COUNT OPTION…
//
// Reads 0.cu, 1.cu … and for each a file with one template instantiation per line (0.names). Prints
// for each source the compiler's log and a line "@@kernelmill STATUS", where 0 means that it
// compiles. Exit code 2 means that the library cannot be loaded.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

// The functions of nvrtc.h that are used here.
using Program = void*;
struct Nvrtc {
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const*,
                const char* const*);
  int (*destroy)(Program*);
  int (*add_name)(Program, const char* expression);
  int (*compile)(Program, int options, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
};

template <typename Function>
bool Load(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Returns whether the source compiles, and prints the log.
bool Compile(const Nvrtc& nvrtc, const std::string& stem, const std::vector<const char*>& options) {
  Program program = nullptr;
  const std::string source = ReadText(stem + ".cu");
  if (nvrtc.create(&program, source.c_str(), "device", 0, nullptr, nullptr) != 0) return false;
  std::ifstream instantiations(stem + ".names");
  for (std::string line; std::getline(instantiations, line);) {
    nvrtc.add_name(program, line.c_str());
  }
  const int failed = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  std::size_t size = 0;
  nvrtc.log_size(program, &size);
  std::string log(size + 1, '\0');
  nvrtc.log(program, log.data());
  std::fputs(log.c_str(), stdout);
  nvrtc.destroy(&program);
  return failed == 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  void* const library = dlopen(arguments[1], RTLD_NOW);
  Nvrtc nvrtc;
  if (library == nullptr || !Load(library, "nvrtcCreateProgram", &nvrtc.create) ||
      !Load(library, "nvrtcDestroyProgram", &nvrtc.destroy) ||
      !Load(library, "nvrtcAddNameExpression", &nvrtc.add_name) ||
      !Load(library, "nvrtcCompileProgram", &nvrtc.compile) ||
      !Load(library, "nvrtcGetProgramLogSize", &nvrtc.log_size) ||
      !Load(library, "nvrtcGetProgramLog", &nvrtc.log)) {
    std::puts(dlerror());
    return 2;
  }
  const std::vector<const char*> options(arguments + 3, arguments + count);
  for (int i = 0; i < std::atoi(arguments[2]); ++i) {
    const bool ok = Compile(nvrtc, std::to_string(i), options);
    std::printf("\n@@kernelmill %d\n", ok ? 0 : 1);
    std::fflush(stdout);
  }
  return 0;
}
