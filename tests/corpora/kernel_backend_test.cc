#include "corpora/kernel_backend.h"

#include <gtest/gtest.h>

#include <set>

namespace kernelmill {
namespace {

TEST(KernelBackendTest, IsFoundByItsNameAlone) {
  for (const KernelBackend* backend : KernelBackends()) {
    EXPECT_EQ(FindKernelBackend(backend->name), backend);
    EXPECT_EQ(*KernelBackendNamed(backend->name), backend);
  }
  for (const char* name : {"", "hip", "CUDA", "cuda ", "pytorch"}) {
    EXPECT_EQ(FindKernelBackend(name), nullptr) << name;
    const Result<const KernelBackend*> backend = KernelBackendNamed(name);
    ASSERT_FALSE(backend.ok()) << name;
    EXPECT_EQ(backend.status().code(), ErrorCode::kConfig);
    for (const std::string& known : KernelBackendNames()) {
      EXPECT_NE(backend.status().message().find(known), std::string::npos);
    }
  }
}

TEST(KernelBackendTest, RowsAreWhole) {
  std::set<std::string_view> names, titles, suffixes;
  for (const KernelBackend* backend : KernelBackends()) {
    EXPECT_TRUE(names.insert(backend->name).second);
    EXPECT_TRUE(titles.insert(backend->title).second);
    EXPECT_TRUE(suffixes.insert(backend->source_suffix).second);
    for (const std::string_view trait :
         {backend->sources_keyword, backend->flags_keyword, backend->half_type,
          backend->bfloat16_type, backend->device_guard, backend->current_stream}) {
      EXPECT_FALSE(trait.empty()) << backend->name;
    }
    EXPECT_NE(backend->loader_imports.find("from " + std::string(backend->loader_module) +
                                           " import load_inline\n"),
              std::string_view::npos);
    for (const std::string_view headers :
         {backend->headers, backend->half_header, backend->bfloat16_header}) {
      EXPECT_TRUE(headers.starts_with("#include ") && headers.ends_with('\n')) << headers;
    }
    EXPECT_TRUE(backend->launch_check.ends_with(';'));
    ASSERT_FALSE(backend->targets.empty());
    EXPECT_EQ(*backend->TargetNamed(""), &backend->targets.front());
    EXPECT_EQ(backend->TargetNamed("none").status().code(), ErrorCode::kUsage);
    for (const DeviceTarget& target : backend->targets) {
      EXPECT_EQ(target.warp_width % 32, 0);
      EXPECT_EQ(*backend->TargetNamed(target.name), &target);
    }
    EXPECT_EQ(backend->HasCudaNames(), backend->unavailable_compiler.empty());
  }
}

}  // namespace
}  // namespace kernelmill
