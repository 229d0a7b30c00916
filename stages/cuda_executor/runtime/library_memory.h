// Knows which variables of loaded extensions would lie in the global memory of a device. The loader
// of extensions reports each library; the counter of memory requests (access_counter.h) asks about
// addresses outside of all allocations.
#pragma once

namespace kernelmill {

// Records a library that was loaded with dlopen().
void NoteLibrary(void* library);
// Whether the address lies in a writable segment of a noted library: there lie the variables
// declared with __device__ or __managed__, and host variables too. Constant memory, which has its
// own cache, and the compiler's tables are excluded.
bool IsDeviceVariable(const void* address);

}  // namespace kernelmill
