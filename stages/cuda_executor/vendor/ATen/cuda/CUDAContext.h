// torch's header, which declares its cuBLAS handle too.
#pragma once

#include <cublas_v2.h>
#include <kernelmill/torch_cuda.h>
