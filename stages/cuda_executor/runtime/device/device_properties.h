// The properties that queries of the device return: those of an A100 on every machine, so that launch
// configurations computed from them are the same everywhere. Builds with checks have more
// multiprocessors.
#pragma once

#include <kernelmill/runtime_api.h>

namespace kernelmill {

const cudaDeviceProp& DeviceProperties();

}  // namespace kernelmill
