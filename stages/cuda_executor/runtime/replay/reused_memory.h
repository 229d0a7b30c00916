// Finds memory that torch's caching allocator may give to a new tensor while another stream still uses
// it. The allocator takes a released block for the next tensor of the block's stream at once, because
// the stream orders the two. It does not know of other streams that use the block, unless
// record_stream() says so (torch.Tensor.record_stream: https://docs.pytorch.org/docs/stable/notes/cuda.html).
// Here released memory is not given to anybody while a call is recorded, so only the order tells.
//
// It is lenient: a block is taken once, by the next tensor that fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "stages/cuda_executor/runtime/replay/stream_order.h"

namespace kernelmill {

class ReusedMemory {
 public:
  explicit ReusedMemory(StreamOrder* order) : order_(order) {}
  void Begin();
  // Tensors by MemoryState::number, allocated and released while `stream` is the current one; or
  // what cudaMallocAsync() has allocated on it.
  void OnAllocated(std::uint64_t number, std::size_t size, cudaStream_t stream);
  void OnReleased(std::uint64_t number);
  // cudaFreeAsync() on a stream. Returns false if a step that uses it may still run then.
  bool OnFreed(std::uint64_t number, cudaStream_t stream);
  // record_stream() has named another stream that uses it.
  void OnShared(std::uint64_t number) { shared_.insert(number); }
  // The last step of the order uses it. Returns false if a step of another stream may still use it,
  // too, as another tensor's.
  bool OnUsed(std::uint64_t number);

 private:
  struct Block {
    std::size_t size;
    cudaStream_t stream;
    Steps users;  // Those that nothing orders before the next step of its stream.
  };
  Steps Unordered(const Steps& users, const Steps& last) const;

  StreamOrder* order_;
  std::map<std::uint64_t, Block> tensors_;
  std::map<std::uint64_t, Steps> users_before_;  // Of the block that a tensor has been given.
  std::set<std::uint64_t> shared_;
  std::vector<Block> released_;
};

}  // namespace kernelmill
