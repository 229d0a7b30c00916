#include "stages/cuda_executor/runtime/torch_work/torch_results.h"

#include <cstring>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/torch_work/torch_moves.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostOfAll = std::size_t{128} << 20;

// The bytes of one number: a complex one is two.
std::size_t WordOf(const at::Tensor& tensor) {
  return tensor.is_complex() ? tensor.element_size() / 2 : tensor.element_size();
}

template <typename Word>
Word WordAt(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

std::uint64_t AnyWordAt(const char* bytes, std::size_t size) {
  switch (size) {
    case 1: return WordAt<std::uint8_t>(bytes);
    case 2: return WordAt<std::uint16_t>(bytes);
    case 4: return WordAt<std::uint32_t>(bytes);
    default: return WordAt<std::uint64_t>(bytes);
  }
}

// Sums up the numbers of a tensor in row-major order.
struct Sum {
  std::size_t word;
  bool with_places;
  std::uint64_t count = 0, hash = 0, first = 0;
  bool constant = true;

  void Add(const char* bytes, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i, bytes += word) {
      const std::uint64_t value = AnyWordAt(bytes, word);
      if (count == 0) first = value;
      constant = constant && value == first;
      ++count;
      hash += MixedBits(value + (with_places ? count * 0xD6E8FEB86659FD93 : 0x2545F4914F6CDD1D));
    }
  }
};

void AddElements(const at::Tensor& tensor, std::int64_t dim, const char* bytes, Sum* sum) {
  const std::size_t item = tensor.element_size();
  if (dim == tensor.dim()) return sum->Add(bytes, item / sum->word);
  if (dim == tensor.dim() - 1 && tensor.stride(dim) == 1) {
    return sum->Add(bytes, static_cast<std::size_t>(tensor.size(dim)) * (item / sum->word));
  }
  for (std::int64_t i = 0; i < tensor.size(dim); ++i) {
    AddElements(tensor, dim + 1, bytes + i * tensor.stride(dim) * static_cast<std::int64_t>(item),
                sum);
  }
}

bool IsFollowed(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() && tensor.layout() == at::kStrided &&
         tensor.storage().data() != nullptr && tensor.numel() > 0;
}

Sum SumFor(const at::Tensor& tensor) {
  return {WordOf(tensor), !tensor.is_floating_point() && !tensor.is_complex()};
}

}  // namespace

TorchResults& TheTorchResults() {
  static auto* const results = new TorchResults;
  return *results;
}

void TorchResults::Begin(const std::vector<at::Tensor>& given) {
  given_.clear();
  made_.clear();
  rounded_.clear();
  hashed_ = 0;
  trace_.clear();
  for (const at::Tensor& tensor : given) {
    for (const Content& content : ContentsOf(tensor)) given_.insert(content);
  }
  active_ = true;
  TheTorchMoves().Begin(given);
}

std::optional<TorchResults::Content> TorchResults::ContentOf(const at::Tensor& tensor) {
  if (!IsFollowed(tensor)) return std::nullopt;
  const std::size_t bytes = static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
  if (bytes > kMostBytes || hashed_ + bytes > kMostOfAll) return std::nullopt;
  hashed_ += bytes;
  const RunningScope open(Running::kAnything);
  Sum sum = SumFor(tensor);
  AddElements(tensor, 0, static_cast<const char*>(tensor.const_data_ptr()), &sum);
  return Content{sum.hash ^ MixedBits(sum.count), sum.constant};
}

std::optional<TorchResults::Content> TorchResults::ContentOfMemory(const at::Tensor& tensor) {
  if (!IsFollowed(tensor)) return std::nullopt;
  const std::size_t bytes = tensor.storage().nbytes();
  if (bytes > kMostBytes || hashed_ + bytes > kMostOfAll) return std::nullopt;
  hashed_ += bytes;
  const RunningScope open(Running::kAnything);
  Sum sum = SumFor(tensor);
  sum.Add(static_cast<const char*>(tensor.storage().data()), bytes / sum.word);
  return Content{sum.hash ^ MixedBits(sum.count), sum.constant};
}

bool TorchResults::IsKnown(const at::Tensor& tensor) {
  const std::optional<Content> content = ContentOfMemory(tensor);
  return content && (given_.contains(*content) || made_.contains(*content));
}

TorchResults::Operands TorchResults::Before(c10::ArrayRef<const c10::IValue> inputs,
                                            const std::vector<bool>& written, bool overwrites) {
  Operands operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<at::Tensor> tensors;
    if (inputs[i].isTensor()) {
      tensors.push_back(inputs[i].toTensor());
    } else if (inputs[i].isTensorList()) {
      const auto list = inputs[i].toTensorVector();
      tensors.insert(tensors.end(), list.begin(), list.end());
    }
    const bool changes = i < written.size() && written[i];
    for (const at::Tensor& tensor : tensors) {
      if (!IsFollowed(tensor)) continue;
      (changes ? operands.written : operands.read).push_back(tensor);
      // What an operator changes must be torch's own before, unless nothing of it stays.
      const bool nothing_stays =
          overwrites && changes && tensor.is_non_overlapping_and_dense() &&
          tensor.storage().nbytes() ==
              static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
      if (changes && !nothing_stays && !IsKnown(tensor)) operands.torchs_own = false;
    }
  }
  return operands;
}

std::vector<TorchResults::Content> TorchResults::ContentsOf(const at::Tensor& tensor) {
  std::vector<Content> contents;
  for (const std::optional<Content>& content : {ContentOf(tensor), ContentOfMemory(tensor)}) {
    if (content) contents.push_back(*content);
  }
  return contents;
}

void TorchResults::FollowRounded(const char* name, const std::vector<at::Tensor>& read,
                                 const std::vector<at::Tensor>& made) {
  for (const at::Tensor& from : read) {
    bool rounded = false;
    if (!rounded_.empty()) {
      for (const Content& content : ContentsOf(from)) rounded |= rounded_.contains(content);
    }
    for (const at::Tensor& to : made) {
      const bool converts = from.scalar_type() != to.scalar_type();
      if (rounded && converts) TheTorchMoves().AddFound("_cast_of_rounded", name);
      if (!rounded && !(converts && Rounds(from.scalar_type(), to.scalar_type()))) continue;
      for (const Content& content : ContentsOf(to)) {
        if (!content.constant) rounded_.insert(content);
      }
    }
  }
}

void TorchResults::After(const char* name, const Operands& operands,
                         const std::vector<at::Tensor>& made) {
  FollowRounded(name, operands.read, made);
  TheTorchMoves().After(name, operands.read, made);
  if (!operands.torchs_own || made.empty()) return;
  for (const at::Tensor& tensor : operands.read) {
    if (!IsKnown(tensor)) return;
  }
  for (const at::Tensor& tensor : made) {
    for (const Content& content : ContentsOf(tensor)) {
      if (!content.constant && !given_.contains(content)) trace_ += std::string(name) + " ";
      made_.emplace(content, name);
    }
  }
}

std::string TorchResults::MakerOf(const std::vector<at::Tensor>& outputs) {
  active_ = false;
  if (made_.empty()) return "";
  for (const at::Tensor& output : outputs) {
    const std::optional<Content> content = ContentOf(output);
    if (!content || content->constant || given_.contains(*content)) continue;
    const auto found = made_.find(*content);
    if (found != made_.end()) return found->second;
  }
  return "";
}

}  // namespace kernelmill
