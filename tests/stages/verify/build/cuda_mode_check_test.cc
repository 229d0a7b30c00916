// Tests of what is read out of the output of clang's CUDA mode.
#include "stages/verify/build/cuda_mode_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(CudaModeCheck, ErrorsAboutSidesAreFound) {
  EXPECT_EQ(SideErrorsIn("cuda.cu:3:5: error: reference to __host__ function 'f' in __global__ "
                         "function\n"),
            "cuda.cu:3: error: reference to __host__ function 'f' in __global__ function\n");
  EXPECT_THAT(SideErrorsIn("cuda.cu:7:5: error: no matching function for call to 'room'\n"
                           "cuda.cu:1:1: note: candidate function not viable: call to __device__ "
                           "function from __host__ function\n"),
              testing::HasSubstr("cuda.cu:7: error: no matching function for call to 'room'"));
}

TEST(CudaModeCheck, OtherErrorsAreNot) {
  EXPECT_EQ(SideErrorsIn("cuda.cu:3:5: error: use of undeclared identifier 'f'\n"), "");
  EXPECT_EQ(SideErrorsIn("/km/torch/include/a.h:3:5: error: reference to __host__ function 'f'\n"),
            "");
  EXPECT_EQ(SideErrorsIn("cuda.cu:7:5: error: no matching function for call to 'room'\n"
                         "cuda.cu:1:1: note: candidate function not viable: requires 1 argument\n"),
            "");
}

TEST(CudaModeCheck, StaticArraysOfDeviceFunctionsAreFound) {
  EXPECT_EQ(StaticVariableIn("@_ZZ4roomvE6values = internal global [4 x float] zeroinitializer\n"),
            "_ZZ4roomvE6values");
  EXPECT_EQ(StaticVariableIn("@_ZZ1kvE4tile = internal global [4 x float] undef, align 16\n"
                             "@_ZZ1kvE5table = internal constant [4 x float] zeroinitializer\n"
                             "@a = externally_initialized global float 0.0\n"),
            "");
}

}  // namespace
}  // namespace kernelmill
