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

TEST(CudaModeCheck, CallsByPointersAndWhatTheyMayCallAreFound) {
  const PointerCalls direct = PointerCallsIn(
      "define void @_Z1kPf(ptr noundef %x) #0 {\n"
      "  %1 = call noundef float @_Z1ff(float noundef 1.0) #2\n"
      "  %2 = call %\"struct.a::b\" @\"_Z1g\"(ptr byval(%struct.c) align 8 %x)\n"
      "  call void asm sideeffect \"\", \"~{memory}\"() #3\n}\n"
      "declare noundef float @_Z1ff(float noundef) #1\n");
  EXPECT_EQ(direct.caller, "");
  EXPECT_FALSE(direct.takes_address);
  const PointerCalls host = PointerCallsIn(
      "define void @_Z1kPf(ptr noundef %x) #0 {\n"
      "  %1 = load ptr, ptr %x, align 8\n  call void %1(ptr noundef %x, i32 noundef 4)\n}\n");
  EXPECT_EQ(host.caller, "_Z1kPf");
  EXPECT_FALSE(host.takes_address);
  const PointerCalls number =
      PointerCallsIn("define void @k() {\n  call void inttoptr (i64 16 to ptr)()\n}\n");
  EXPECT_EQ(number.caller, "k");
  const PointerCalls table = PointerCallsIn(
      "@table = externally_initialized global [1 x ptr] [ptr @_Z1ff], align 8\n"
      "define noundef float @_Z1ff(float noundef %0) #0 {\n}\n");
  EXPECT_TRUE(table.takes_address);
  EXPECT_EQ(table.foreign, "");
  const PointerCalls foreign =
      PointerCallsIn("@table = global ptr @sort, align 8\ndeclare void @sort(ptr) #1\n");
  EXPECT_EQ(foreign.foreign, "sort");
}

}  // namespace
}  // namespace kernelmill
