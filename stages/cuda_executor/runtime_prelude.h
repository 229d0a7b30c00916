// The headers of torch that the executor's own files include, as one precompiled header: reading
// them takes longer than everything else in those files. CudaToolchain
// (stages/verify/build/cuda_toolchain.h) compiles it once for all kinds of build; the files include
// what they need as well.
#pragma once

#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/library.h>
#include <torch/types.h>
