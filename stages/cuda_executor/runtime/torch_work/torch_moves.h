// Finds work that torch's operators, or CUDA's copies, do while they only seem to move data:
//   "_cast_of_rounded"   a conversion of what another conversion of torch's has rounded: together
//                        they round to the narrower type
//   "_cast_of_view"      a conversion of memory that is seen as numbers of another type than the
//                        one that it was made for: it computes with their bits
//   "_enlarging_copy"    operators have written more elements to a tensor than there are elements in
//                        what they have read: they repeat some
//   "_device_copy"       CUDA's runtime has copied from the device to the device. Where the task is to
//                        move data, this is the task, as a copy of torch's is, whoever wrote the memory
// A kernel may read what is rounded, seen as another type or repeated by stride; these are about
// operators alone. Rounded values are known by their contents, so that a kernel that copies them does
// not make them others (torch_results.h). What a kernel changes is its own.
//
// Used by the thread that calls forward().
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelmill {

class TorchMoves {
 public:
  // Begins to follow operators. `given`: the inputs and parameters.
  void Begin(const std::vector<at::Tensor>& given);
  // An operator has read some tensors, and made others or written to them.
  void After(const char* name, const std::vector<at::Tensor>& read,
             const std::vector<at::Tensor>& made);
  void AddFound(const char* kind, const char* name) { found_.emplace(kind, name); }
  // What was found, and the operator that has done it.
  const std::map<std::string, std::string>& found() const { return found_; }

 private:
  // Elements at some addresses.
  struct Part {
    const char *first, *end;
    std::int64_t elements, size;  // `size`: the bytes of one.
  };
  // What operators have written to an allocation since Begin().
  struct Written {
    std::int64_t elements = 0;
    std::vector<Part> from;
  };
  static Part PartOf(const at::Tensor& tensor);
  static std::int64_t DistinctIn(std::vector<Part> parts);
  void NoteType(const at::Tensor& tensor);

  std::map<std::uint64_t, at::ScalarType> types_;  // By MemoryState::number.
  std::map<std::uint64_t, Written> written_;
  std::map<std::string, std::string> found_;
};
TorchMoves& TheTorchMoves();

// Whether a conversion between two types may change numbers that are in range of both.
bool Rounds(at::ScalarType from, at::ScalarType to);

}  // namespace kernelmill
