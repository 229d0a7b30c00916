// Builds the kernels in kernels/*.cu as a candidate's sources are built, and runs the Python file
// beside each, which checks their results.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "manifests/commit_file.h"
#include "stages/verify/build/extension_build.h"
#include "stages/worker/sandbox.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {

struct Topic {
  std::string name;
  std::filesystem::path path;
};

inline std::vector<Topic> Topics() {
  std::vector<Topic> topics;
  for (const auto& entry : std::filesystem::directory_iterator(VerifyTests() / "kernels")) {
    if (entry.path().extension() == ".cu" || entry.path().extension() == ".mu") {
      topics.push_back({entry.path().stem(), entry.path()});
    }
  }
  std::sort(topics.begin(), topics.end(),
            [](const Topic& a, const Topic& b) { return a.name < b.name; });
  return topics;
}

inline std::string Quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

// Builds each topic and runs the checks of all in one process.
inline void RunSuite(BuildKind kind, const std::string& kind_name,
                     const std::vector<Topic>& topics) {
  Result<ExtensionCache> cache = ExtensionCache::Open(ExtensionCache::DefaultFolder());
  ASSERT_TRUE(cache.ok()) << cache.status().message();
  Result<CudaRuntime> runtime = cache->Runtime(kind);
  ASSERT_TRUE(runtime.ok()) << runtime.status().message();
  std::string command = "env KERNELMILL_BUILD_KIND=" + kind_name;
  for (const auto& [name, value] : runtime->environment)
    command += " " + name + "=" + Quoted(value);
  command += " " + Quoted(CheckoutRoot() / ".venv" / "bin" / "python") + " -B " +
             Quoted(VerifyTests() / "run_checks.py") + " " + Quoted(runtime->python_folder);
  for (const Topic& topic : topics) {
    ExtensionSources sources;
    sources.name = topic.name;
    Result<std::string> text = ReadFile(topic.path);
    ASSERT_TRUE(text.ok()) << text.status().message();
    // Diagnostics and launch records use this file name.
    sources.cuda_sources = {"#line 1 \"" + topic.path.filename().string() + "\"\n" + *text};
    if (topic.path.extension() == ".mu") sources.backend = &kMusaBackend;
    if (sources.name == "fast_math") sources.defines = {{"__USE_FAST_MATH__", "1"}};
    sources.vendor_libraries = sources.name.starts_with("vendor_");
    Result<BuiltExtension> built = BuildExtension(sources, *cache, *runtime);
    ASSERT_TRUE(built.ok()) << built.status().message();
    EXPECT_TRUE(built->ok) << topic.name << ": " << built->reason << "\n" << built->log;
    if (!built->ok) continue;
    command += " " + Quoted(topic.name + "=" + built->library.string());
  }

  FILE* const checks = popen((command + " 2>&1").c_str(), "r");
  ASSERT_NE(checks, nullptr);
  std::string output;
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, checks))
    output.append(buffer, got);
  EXPECT_EQ(pclose(checks), 0) << output;
  EXPECT_EQ(output.find("failed "), std::string::npos) << output;
  EXPECT_NE(output.find(" checks\n"), std::string::npos) << output;
}

}  // namespace kernelmill
