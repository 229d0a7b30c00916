# task: matmul
# expect: refused
# why: host code walks the ELF tables of libtorch_cpu in memory, from an address that it may import, finds MKL's
#      sgemm in the dynamic symbols without importing it, and the kernel calls it through a struct; right under the
#      judge only. allowed_symbols.cc sees imports by name only (it says so), and the call runs in
#      Running::kKernel, where device memory is open and the replay repeats it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <elf.h>
#include <cstdint>
#include <cstring>

typedef void (*Product)(const char*, const char*, const int*, const int*, const int*, const float*,
                        const float*, const int*, const float*, const int*, const float*, float*,
                        const int*);

static const char* start_of(const void* inside) {
  std::uintptr_t page = reinterpret_cast<std::uintptr_t>(inside) & ~std::uintptr_t{4095};
  while (std::memcmp(reinterpret_cast<const void*>(page), "\177ELF", 4) != 0) page -= 4096;
  return reinterpret_cast<const char*>(page);
}

static const void* named(const char* base, const char* name) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
  const auto* parts = reinterpret_cast<const Elf64_Phdr*>(base + header->e_phoff);
  const Elf64_Dyn* entry = nullptr;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type == PT_DYNAMIC) {
      entry = reinterpret_cast<const Elf64_Dyn*>(base + parts[i].p_vaddr);
    }
  }
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* table = nullptr;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const auto value = static_cast<std::uintptr_t>(entry->d_un.d_ptr);
    const auto from = reinterpret_cast<std::uintptr_t>(base);
    const void* const place = reinterpret_cast<const void*>(value < from ? value + from : value);
    if (entry->d_tag == DT_SYMTAB) symbols = static_cast<const Elf64_Sym*>(place);
    if (entry->d_tag == DT_STRTAB) strings = static_cast<const char*>(place);
    if (entry->d_tag == DT_GNU_HASH) table = static_cast<const std::uint32_t*>(place);
  }
  if (symbols == nullptr || strings == nullptr || table == nullptr) return nullptr;
  std::uint32_t hash = 5381;
  for (const char* c = name; *c != 0; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
  const std::uint32_t count = table[0], first = table[1];
  const std::uint32_t* const buckets = table + 4 + 2 * table[2];
  const std::uint32_t* const chain = buckets + count;
  std::uint32_t i = buckets[hash % count];
  if (i < first) return nullptr;
  for (;; ++i) {
    if ((chain[i - first] | 1u) == (hash | 1u) &&
        std::strcmp(strings + symbols[i].st_name, name) == 0 && symbols[i].st_shndx != SHN_UNDEF) {
      return base + symbols[i].st_value;
    }
    if ((chain[i - first] & 1u) != 0) return nullptr;
  }
}

static Product product = nullptr;

static void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  const float one = 1.0f, zero = 0.0f;
  product("N", "N", &n, &m, &k, &one, b, &n, a, &k, &zero, c, &n);
}

struct Job { void (*run)(const float*, const float*, float*, int, int, int); };

__global__ void matmul_kernel(Job job, const float* a, const float* b, float* c, int m, int n, int k) {
  if (threadIdx.x + blockIdx.x == 0) job.run(a, b, c, m, n, k);
}

torch::Tensor multiply_matrices(torch::Tensor a, torch::Tensor b) {
  if (product == nullptr) {
    const char* const base = start_of(reinterpret_cast<const void*>(&at::_ops::alias::call));
    for (const char* name : {"sgemm_", "SGEMM", "sgemm", "mkl_blas_sgemm"}) {
      if (product == nullptr) product = reinterpret_cast<Product>(const_cast<void*>(named(base, name)));
    }
    TORCH_CHECK(product != nullptr, "no product");
  }
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  matmul_kernel<<<1, 1>>>(Job{&multiply}, a.data_ptr<float>(), b.data_ptr<float>(),
                          c.data_ptr<float>(), m, n, k);
  return c;
}
"""

ext = load_inline(name="multiply_matrices",
                  cpp_sources="torch::Tensor multiply_matrices(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=CUDA, functions=["multiply_matrices"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.multiply_matrices(a, b)
