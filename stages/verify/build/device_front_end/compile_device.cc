// A program that compiles device code with NVRTC (NVIDIA's CUDA compiler as a library). It needs no
// GPU.
//
//   compile_device LIBNVRTC COUNT OPTION…
//
// Reads 0.cu, 1.cu … and for each a file with one template instantiation per line (0.names). Prints
// for each source the compiler's log, the bounds of its kernels' blocks and a line "@@kernelmill
// STATUS", where 0 means that it compiles. A source that ends the compiler has an empty log. Exit code
// 2 means that the library cannot be loaded, or no process can be made.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
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
  int (*ptx_size)(Program, std::size_t*);
  int (*ptx)(Program, char*);
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

// Prints "@@bound KERNEL X Y Z" for each kernel with a largest or a required block, which the
// assembler does not report.
void PrintBounds(const Nvrtc& nvrtc, Program program) {
  std::size_t size = 0;
  if (nvrtc.ptx_size(program, &size) != 0) return;
  std::string ptx(size + 1, '\0');
  if (nvrtc.ptx(program, ptx.data()) != 0) return;
  std::istringstream lines(ptx);
  std::string kernel;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t entry = line.find(".entry "); entry != line.npos) {
      kernel = line.substr(entry + 7);
      kernel.resize(std::min(kernel.find('('), kernel.size()));
    }
    if (line.rfind(".maxntid ", 0) != 0 && line.rfind(".reqntid ", 0) != 0) continue;
    std::string sizes = line.substr(9);
    sizes.erase(std::remove(sizes.begin(), sizes.end(), ','), sizes.end());
    std::printf("\n@@bound %s %s", kernel.c_str(), sizes.c_str());
  }
}

struct Compilation {
  Program program = nullptr;
  bool ok = false;
  std::string log;
};

Compilation Attempt(const Nvrtc& nvrtc, const std::string& stem,
                    const std::vector<const char*>& options) {
  Compilation made;
  const std::string source = ReadText(stem + ".cu");
  if (nvrtc.create(&made.program, source.c_str(), "device", 0, nullptr, nullptr) != 0) return made;
  std::ifstream instantiations(stem + ".names");
  for (std::string line; std::getline(instantiations, line);) {
    nvrtc.add_name(made.program, line.c_str());
  }
  made.ok = nvrtc.compile(made.program, static_cast<int>(options.size()), options.data()) == 0;
  std::size_t size = 0;
  nvrtc.log_size(made.program, &size);
  made.log.resize(size + 1);
  nvrtc.log(made.program, made.log.data());
  return made;
}

// Returns whether the source compiles, and prints the log. nvcc takes a constexpr function of the
// host in constant expressions; NVRTC does so only where functions without a space are the
// device's.
bool Compile(const Nvrtc& nvrtc, const std::string& stem, std::vector<const char*> options) {
  Compilation made = Attempt(nvrtc, stem, options);
  if (!made.ok && made.log.find("without execution space annotations") != made.log.npos) {
    nvrtc.destroy(&made.program);
    options.push_back("--device-as-default-execution-space");
    made = Attempt(nvrtc, stem, options);
  }
  std::fputs(made.log.c_str(), stdout);
  if (made.ok) PrintBounds(nvrtc, made.program);
  if (made.program != nullptr) nvrtc.destroy(&made.program);
  return made.ok;
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
      !Load(library, "nvrtcGetProgramLog", &nvrtc.log) ||
      !Load(library, "nvrtcGetPTXSize", &nvrtc.ptx_size) ||
      !Load(library, "nvrtcGetPTX", &nvrtc.ptx)) {
    std::puts(dlerror());
    return 2;
  }
  const std::vector<const char*> options(arguments + 3, arguments + count);
  for (int i = 0; i < std::atoi(arguments[2]); ++i) {
    // A source that ends the compiler ends no other's.
    const pid_t child = fork();
    if (child == 0) {
      const bool ok = Compile(nvrtc, std::to_string(i), options);
      std::fflush(stdout);
      _exit(ok ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      std::perror("fork");
      return 2;
    }
    // Limits and other programs end this one, too: they say nothing of the source.
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU)) {
      kill(getpid(), WTERMSIG(status));
    }
    std::printf("\n@@kernelmill %d\n", status == 0 ? 0 : 1);
    std::fflush(stdout);
  }
  return 0;
}
