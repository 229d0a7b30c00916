// Knows which variables of loaded extensions would lie in the global memory of a device.
#pragma once

namespace kernelmill {

// Records a library that was loaded with dlopen().
void NoteLibrary(void* library);
// Whether the address lies in a variable declared with __device__ or __managed__. Constant memory,
// which has its own cache, and the compiler's tables are excluded.
bool IsDeviceVariable(const void* address);

}  // namespace kernelmill
