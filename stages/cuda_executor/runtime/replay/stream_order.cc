#include "stages/cuda_executor/runtime/replay/stream_order.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/replay/held_copies.h"

namespace kernelmill {
namespace {

constexpr std::size_t kHandles = 4096;
constexpr char kPlaces[kHandles] = {};

// 0 for the default stream, which comes before all others.
std::size_t PlaceOf(cudaStream_t stream) {
  const char* const place = reinterpret_cast<const char*>(stream);
  return place == nullptr ? 0 : static_cast<std::size_t>(place - kPlaces) + 1;
}

// The first place that is free. More handles than places share the last one.
template <typename Handle>
Handle NewHandle(std::set<const void*>* taken) {
  const char* place = kPlaces;
  while (place < kPlaces + kHandles - 1 && taken->contains(place)) ++place;
  taken->insert(place);
  return reinterpret_cast<Handle>(const_cast<char*>(place));
}

}  // namespace

const std::map<std::string_view, StepOrder>& StepOrders() {
  static const std::map<std::string_view, StepOrder> kOrders = {
      {"as_called", StepOrder::kAsCalled},        {"default_first", StepOrder::kDefaultFirst},
      {"default_last", StepOrder::kDefaultLast},  {"in_turns", StepOrder::kInTurns},
      {"in_turns_last", StepOrder::kInTurnsLast}, {"awaited", StepOrder::kAwaited},
  };
  return kOrders;
}

void StreamOrder::Begin() {
  for (auto& [handle, stream] : streams_) stream.last.clear();
  for (auto& [handle, steps] : events_) steps.clear();
  steps_.clear();
  host_.clear();
  dropped_.clear();
  staged_.clear();
  changed_staged_ = false;
}

cudaStream_t StreamOrder::NewStream(bool blocking) {
  const auto handle = NewHandle<cudaStream_t>(&handles_);
  streams_[handle] = {blocking, {}};
  return handle;
}

cudaStream_t StreamOrder::Known(cudaStream_t stream) const {
  return streams_.contains(stream) ? stream : nullptr;
}

void StreamOrder::DropStream(cudaStream_t stream) {
  if (Known(stream) == nullptr) return;
  if (current_ == stream) current_ = nullptr;
  // Its steps go on. Beside waits for everything, only the default stream can wait for them.
  const Stream& ended = streams_[stream];
  dropped_.insert(ended.last.begin(), ended.last.end());
  if (ended.blocking) streams_[nullptr].last.insert(ended.last.begin(), ended.last.end());
  streams_.erase(stream);
  handles_.erase(stream);
}

cudaEvent_t StreamOrder::NewEvent() { return NewHandle<cudaEvent_t>(&handles_); }

void StreamOrder::DropEvent(cudaEvent_t event) {
  events_.erase(event);
  handles_.erase(event);
}

Steps StreamOrder::LastOf(cudaStream_t stream) const {
  stream = Known(stream);
  const auto found = streams_.find(stream);
  Stream own;
  if (found != streams_.end()) own = found->second;
  Steps last = own.last;
  if (stream == nullptr) {
    for (const auto& [handle, other] : streams_) {
      if (other.blocking) last.insert(other.last.begin(), other.last.end());
    }
  } else if (own.blocking) {
    const auto standard = streams_.find(nullptr);
    if (standard != streams_.end()) {
      last.insert(standard->second.last.begin(), standard->second.last.end());
    }
  }
  return last;
}

Steps StreamOrder::AwaitedBy(cudaStream_t stream) const {
  Steps awaited = LastOf(stream);
  awaited.insert(host_.begin(), host_.end());
  return awaited;
}

void StreamOrder::Add(cudaStream_t stream) {
  stream = Known(stream);
  Steps after = AwaitedBy(stream);
  streams_[stream].last = {steps_.size()};
  steps_.push_back({PlaceOf(stream), std::move(after), true});
}

void StreamOrder::Record(cudaEvent_t event, cudaStream_t stream) {
  TheHeldCopies().Record(event);
  events_[event] = LastOf(stream);
}

void StreamOrder::Wait(cudaStream_t stream, cudaEvent_t event) {
  const Steps& awaited = events_[event];
  streams_[Known(stream)].last.insert(awaited.begin(), awaited.end());
}

void StreamOrder::AddStaged(const void* from, std::size_t size) {
  const RunningScope open(Running::kAnything);
  staged_.emplace(from, std::string(static_cast<const char*>(from), size));
}

void StreamOrder::CompareStaged() {
  const RunningScope open(Running::kAnything);
  for (const auto& [from, bytes] : staged_) {
    changed_staged_ = changed_staged_ || std::memcmp(from, bytes.data(), bytes.size()) != 0;
  }
}

bool StreamOrder::ChangedStaged() {
  CompareStaged();
  return changed_staged_;
}

void StreamOrder::AddOfHost() {
  Steps awaited = std::exchange(host_, {steps_.size()});
  steps_.push_back({std::nullopt, std::move(awaited), true});
}

// A step that does nothing keeps the sets small, however often the host waits.
void StreamOrder::HostWaitsFor(Steps awaited) {
  CompareStaged();
  staged_.clear();
  awaited.merge(host_);
  host_ = {steps_.size()};
  steps_.push_back({std::nullopt, std::move(awaited), false});
}

void StreamOrder::HostWaitsFor(cudaStream_t stream) {
  TheHeldCopies().OnWait(Known(stream));
  HostWaitsFor(LastOf(stream));
}

void StreamOrder::HostWaitsFor(cudaEvent_t event) {
  TheHeldCopies().OnWait(event);
  HostWaitsFor(Steps(events_[event]));
}

void StreamOrder::HostWaitsForAll() {
  TheHeldCopies().OnWaitForAll();
  Steps all = dropped_;
  for (const auto& [handle, stream] : streams_) all.insert(stream.last.begin(), stream.last.end());
  HostWaitsFor(std::move(all));
}

std::vector<std::size_t> StreamOrder::Ordered(StepOrder order) const {
  std::vector<std::size_t> numbers;  // Of what was called; the host's waits have none.
  std::size_t count = 0;
  for (const Step& step : steps_) numbers.push_back(step.called ? count++ : steps_.size());
  std::vector<std::size_t> ordered;
  std::vector<std::size_t> places(steps_.size(), 0);  // In its stream: how many steps come before it.
  std::map<std::size_t, std::size_t> lengths;         // Of streams, by their places.
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (steps_[step].place) places[step] = ++lengths[*steps_[step].place];
  }
  std::vector<std::vector<std::size_t>> behind(steps_.size());
  std::vector<std::size_t> missing;
  using Ready = std::pair<std::size_t, std::size_t>;  // The stream's turn, and the step.
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto add = [&](std::size_t step) {
    const std::optional<std::size_t>& place = steps_[step].place;
    std::size_t turn = 0;
    if (place && order == StepOrder::kDefaultFirst) turn = 1 + *place;
    if (place && order == StepOrder::kDefaultLast) turn = 1 + kHandles - *place;
    if (place && order == StepOrder::kInTurns) turn = places[step];
    // Steps of longer streams come first, until as many are left of each.
    if (place && order == StepOrder::kInTurnsLast) {
      turn = steps_.size() - lengths[*place] + places[step];
    }
    ready.emplace(turn, step);
  };
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    for (const std::size_t before : steps_[step].after) behind[before].push_back(step);
    missing.push_back(steps_[step].after.size());
    if (missing.back() == 0) add(step);
  }
  Steps awaited;
  if (order == StepOrder::kAwaited) awaited = WithAllBefore(AwaitedBy(current_));
  while (!ready.empty()) {
    const std::size_t step = ready.top().second;
    ready.pop();
    const bool runs = order != StepOrder::kAwaited || awaited.contains(step);
    if (steps_[step].called && runs) ordered.push_back(numbers[step]);
    for (const std::size_t next : behind[step]) {
      if (--missing[next] == 0) add(next);
    }
  }
  return ordered;
}

Steps StreamOrder::WithAllBefore(Steps last) const {
  std::vector<std::size_t> next(last.begin(), last.end());
  while (!next.empty()) {
    const std::size_t at = next.back();
    next.pop_back();
    for (const std::size_t before : steps_[at].after) {
      if (last.insert(before).second) next.push_back(before);
    }
  }
  return last;
}

bool StreamOrder::IsBefore(std::size_t step, const Steps& last) const {
  return last.contains(step) || WithAllBefore(last).contains(step);
}

bool StreamOrder::MayDiffer() const {
  const std::vector<std::size_t> as_called = Ordered(StepOrder::kAsCalled);
  const auto differs = [&](const auto& named) { return Ordered(named.second) != as_called; };
  return std::any_of(StepOrders().begin(), StepOrders().end(), differs);
}

}  // namespace kernelmill
