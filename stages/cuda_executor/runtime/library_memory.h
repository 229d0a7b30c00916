// The variables of loaded extensions, by the memory that they would lie in on a device.
#pragma once

namespace kernelmill {

// Notes a library that dlopen has loaded.
void NoteLibrary(void* library);
// Whether an address is one of a variable with __device__ or __managed__. Constant memory, which
// has a cache of its own, and what the compiler keeps in tables is not.
bool IsDeviceVariable(const void* address);

}  // namespace kernelmill
