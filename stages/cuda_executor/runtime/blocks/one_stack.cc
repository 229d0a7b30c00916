#include <sys/mman.h>

#include <cstring>

#include "stages/cuda_executor/runtime/block.h"

namespace kernelmill {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t kStackOfMover = 32 << 10;

}  // namespace

OneStack::~OneStack() {
  if (first_ != nullptr) munmap(first_ - Block::kGuard, Block::kStackSize + Block::kGuard);
}

char* OneStack::First() {
  if (first_ == nullptr) first_ = Block::NewStack();
  return first_;
}

bool OneStack::Has(const void* address) const {
  const char* const byte = static_cast<const char*>(address);
  return first_ != nullptr && byte >= first_ && byte < first_ + Block::kStackSize;
}

void OneStack::Begin(Fiber* fiber, void (*enter)(transfer_t)) {
  // The context is made elsewhere: a thread runs on the stack. It holds no address of its own
  // place.
  alignas(64) char image[1024];
  char* const end = image + sizeof(image);
  char* const context = static_cast<char*>(make_fcontext(end, sizeof(image), enter));
  fiber->kept.assign(context, end);
  fiber->context = First() + Block::kStackSize - fiber->kept.size();
}

transfer_t OneStack::Switch(Fiber* from, Fiber* to) {
  if (mover_ == nullptr) {
    stack_of_mover_.resize(kStackOfMover);
    mover_ = make_fcontext(stack_of_mover_.data() + kStackOfMover, kStackOfMover, &Move);
  }
  from_ = from;
  to_ = to;
  return jump_fcontext(mover_, this);
}

void OneStack::Move(transfer_t from) {
  OneStack& self = *static_cast<OneStack*>(from.data);
  char* const end = self.First() + Block::kStackSize;
  while (true) {
    self.from_->context = from.fctx;
    // A context lies at the lowest byte that is in use.
    if (self.Has(from.fctx)) self.from_->kept.assign(static_cast<char*>(from.fctx), end);
    const std::vector<char>& kept = self.to_->kept;
    if (!kept.empty()) std::memcpy(end - kept.size(), kept.data(), kept.size());
    from = jump_fcontext(self.to_->context, nullptr);
  }
}

}  // namespace kernelmill
