// Runs what forward() has done to device memory once more, with other inputs.
//
// A call of forward() is recorded: every launch with its arguments, every operator of torch, every
// copy and fill that changes device memory, and the bytes that came from the host. Then the inputs
// get other values, memory that forward() has allocated is filled anew (FillFresh()), all other
// memory gets the values that it had, and the record runs again without any of the candidate's host
// code. The outputs now hold the results for the other inputs, but for what the host has computed:
// bytes that the host wrote are those of the first inputs. So a result that host code computes,
// recognises or has kept is wrong, whatever it is disguised as.
//
// If host code reads values of the device, its launches may depend on them. Then the record runs
// with the inputs that it was made with, the host may have written only kMostOfHost bytes, and
// memory has what it had when the candidate was constructed, or is filled anew if it is younger: a
// result that an earlier call has kept is wrong. What the host has sent to the device is compared
// with what it sent in the record before, with other inputs: bytes of copies and fills, arguments
// of launches but for addresses, and numbers that operators took. Which memory a pointer names
// counts too, unless it is an input or allocated in the call: one of many tensors can stand for a
// number. A result that the host has computed from the few values that it may read is among the
// bytes that differ. A record that would take too much memory is not run.
//
// A record of two calls can also run with inputs that become the other ones in the middle of the
// first call. What that call computes says nothing; but if it has kept a result for these inputs,
// it is a wrong one, whatever checks that nobody has changed it, and the second call must not take
// it.
//
// The steps run in the order in which they were called, or in another one that the streams allow
// (stream_order.h): a result that depends on it has a race between streams.
//
// Not thread-safe; used by the thread that calls forward().
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stages/cuda_executor/runtime/replay/reused_memory.h"
#include "stages/cuda_executor/runtime/replay/stream_order.h"

namespace kernelmill {

class Replay {
 public:
  // Begins a record, and keeps the values of all memory that is not the host's.
  void Begin();
  // A second call of forward() begins.
  void NoteCall() { second_call_ = steps_.size(); }
  bool recording() const { return recording_; }

  // Adds what is to be done again on a stream, or by the host (StreamOrder::AddOfHost()). Does
  // nothing unless a call is recorded.
  void Add(std::optional<cudaStream_t> stream, std::function<void()> step);
  // The same, for bytes that came from the host: they are written again as they are now.
  void AddBytes(std::optional<cudaStream_t> stream, void* to, const void* from, std::size_t size);
  // The same, for a step that the host has sent these bytes for.
  void AddSent(std::optional<cudaStream_t> stream, std::string bytes, std::function<void()> step);
  // What was added last uses the memory at these addresses. A race for it is in the log of launches
  // then. `site`: of the launch or the call.
  void AddUses(const std::vector<const void*>& addresses, Site site);
  // The same for what host code has chosen.
  void AddNamed(const std::vector<const void*>& addresses);
  // Torch has allocated or released memory, or was told that another stream uses it.
  void OnAllocated(const void* memory, std::size_t size);
  void OnReleased(const void* memory);
  // cudaMallocAsync() and cudaFreeAsync() have, on a stream.
  void OnAllocated(const void* memory, std::size_t size, cudaStream_t stream);
  void OnFreed(const void* memory, cudaStream_t stream);
  void OnShared(const void* memory);
  // Adds the bytes that host code has left in memory that a kernel may read.
  void AddWrittenByHost();
  // Adds an operator of torch. `inputs`: as it was called (KeptInputs()). `outputs`: what it
  // returned. Outputs in memory that is older than `first_allocation` are its inputs, or views.
  void AddOperator(const c10::OperatorHandle& op, c10::Stack inputs,
                   const c10::Stack& outputs, std::uint64_t first_allocation);
  // The inputs of an operator that is about to run, with copies of the host's tensors.
  c10::Stack KeptInputs(c10::ArrayRef<const c10::IValue> inputs);

  // An input of forward(), and tensors of equal shape with its values and with other ones.
  struct Input {
    at::Tensor tensor, same, other;
  };
  struct Outcome {
    std::string why_not;       // Why the record did not run, or "".
    bool same_inputs = false;  // Whether it ran with the inputs that it was made with.
    // Whether its streams allow an order of its steps that is not the order of its calls, or leave
    // work that the caller does not wait for.
    bool other_orders = false;
    // How many of the bytes that the host has sent are others than in the record before.
    std::size_t sent_otherwise = 0;
    // Whether memory of the device that is older than the record, and that is none of `others`,
    // holds anything but what it held when the candidate was constructed.
    bool keeps = false;
  };
  // Ends the record and runs it. `others`: results and inputs of earlier calls. `changed_at`: if it
  // is not 0, the inputs change in the first call, when it has done so many hundredths of the steps
  // of all calls before the record. Throws what the record throws; a fault of a kernel is in the
  // log then.
  Outcome Run(const std::vector<Input>& inputs, const std::vector<at::Tensor>& others,
              StepOrder order, unsigned changed_at);
  StreamOrder& order() { return order_; }
  // Keeps the values of memory that is not the host's. Memory that is allocated from now on is what
  // forward() leaves, but for inputs.
  void NoteConstructed();
  // Ends the record without running it.
  void Drop();

 private:
  struct Values {
    char* first;
    std::string bytes;
    std::uint64_t number;  // MemoryState::number.
  };
  // Whether so many more bytes may be kept; otherwise the record is given up.
  bool Reserve(std::size_t bytes);
  void Restore(const Values& values) const;
  bool Keeps(const std::set<std::uint64_t>& others) const;
  void RunChanging(const std::vector<Input>& inputs, unsigned changed_at);
  void ChangeInputs();

  bool recording_ = false;
  std::string why_not_;
  std::size_t kept_bytes_ = 0;
  std::size_t host_bytes_ = 0;  // That the record writes again.
  std::uint64_t constructed_ = 0, first_allocation_ = 0, bytes_to_host_ = 0;
  std::vector<Values> before_;
  std::map<std::uint64_t, std::string> at_first_;  // By number, since NoteConstructed().
  std::size_t second_call_ = 0;
  std::uint64_t steps_before_ = 0;  // StepAlarm::steps.
  std::vector<Values> changes_;     // What inputs change to.
  std::vector<std::uint64_t> named_;
  std::vector<std::string> sent_;
  std::optional<std::vector<std::string>> sent_before_;
  std::vector<std::function<void()>> steps_;
  StreamOrder order_;
  ReusedMemory reused_{&order_};
};
Replay& TheReplay();

// Copies the values of a tensor to another one of equal shape and dtype, without an operator.
void CopyElements(const at::Tensor& to, const at::Tensor& from);

}  // namespace kernelmill
