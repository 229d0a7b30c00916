#include "stages/engine/partition_lease.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "stages/engine/host_name.h"
#include "stages/engine/partition_writer.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kRenewal{10};
constexpr std::string_view kSuffix = ".lease";

// The time at which a process started, in ticks; 0 if there is no such process, or only what its
// parent has not waited for.
std::int64_t StartOf(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program, in parentheses, may hold anything. The state follows, then 18 fields.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;
  for (int i = 0; i < 18; ++i) fields >> field;
  std::int64_t start = 0;
  return fields >> start ? start : 0;
}

// Equal for processes that see each other under the same numbers.
std::string ProcessesHere() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code error;
  return boot + " " + fs::read_symlink("/proc/self/ns/pid", error).string();
}

PartitionLease LeaseOfThisProcess(std::int64_t partition) {
  static const std::string processes = ProcessesHere();
  return {.partition = partition,
          .host = HostName(),
          .pid = getpid(),
          .process_start = StartOf(getpid()),
          .processes = processes,
          .taken = std::time(nullptr)};
}

Result<PartitionLease> ReadLease(const std::string& text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  PartitionLease lease;
  JsonFields fields(json, "lease");
  fields.Read("partition", &lease.partition);
  fields.Read("host", &lease.host);
  fields.Read("pid", &lease.pid);
  fields.Read("process_start", &lease.process_start);
  fields.Read("processes", &lease.processes);
  fields.Read("taken", &lease.taken);
  KM_RETURN_IF_ERROR(fields.Finish());
  return lease;
}

// Seconds from the last renewal to `now`. Nothing if the file is gone.
Result<double> AgeOf(const std::string& path, const timespec& now) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return Status::FromErrno("cannot stat", path);
  return static_cast<double>(now.tv_sec - about.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - about.st_mtim.tv_nsec);
}

bool HasExpired(const std::string& text, double age) {
  if (age > static_cast<double>(kLeaseTime.count())) return true;
  const Result<PartitionLease> lease = ReadLease(text);
  // The name is given to a whole file, so that other bytes are no lease of ours.
  if (!lease.ok()) return true;
  const PartitionLease here = LeaseOfThisProcess(0);
  return lease->processes == here.processes && StartOf(lease->pid) != lease->process_start;
}

// Leases need not survive a crash of the machine, so nothing is synced.
Status WriteLease(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file.fail() ? Status::FromErrno("cannot write", path) : Status::Ok();
}

// A file that goes with its object.
struct Scratch {
  std::string path;
  ~Scratch() { unlink(path.c_str()); }
};

}  // namespace

Json PartitionLease::ToJson() const {
  return Json::Object{{"partition", partition},         {"host", host},           {"pid", pid},
                      {"process_start", process_start}, {"processes", processes}, {"taken", taken}};
}

std::vector<PartitionLease> LiveLeases(const std::string& step_folder) {
  std::vector<PartitionLease> live;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(step_folder, error)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(kSuffix)) continue;
    const Result<std::string> text = ReadFile(path);
    const Result<double> age = AgeOf(path, now);
    if (!text.ok() || !age.ok() || HasExpired(*text, *age)) continue;
    if (Result<PartitionLease> lease = ReadLease(*text); lease.ok()) live.push_back(*lease);
  }
  std::sort(live.begin(), live.end(),
            [](const auto& a, const auto& b) { return a.partition < b.partition; });
  return live;
}

LeaseKeeper::LeaseKeeper(std::string step_folder) : folder_(std::move(step_folder)) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (renewal_.joinable()) renewal_.join();
  while (!held_.empty()) GiveBack(held_.begin()->first);
}

std::string LeaseKeeper::PathOf(std::int64_t partition) const {
  return folder_ + "/" + PartName(partition) + std::string(kSuffix);
}

// Removes the lease at `path` if it has expired. False if another process holds it.
Result<bool> LeaseKeeper::TakeExpired(const std::string& path) {
  const Result<std::string> before = ReadFile(path);
  if (before.status().code() == ErrorCode::kNotFound) return true;
  if (!before.ok()) return before.status();
  // The file system's clock, which may differ from this machine's, tells how old the lease is.
  const Scratch clock{TemporaryPath(path)};
  KM_RETURN_IF_ERROR(WriteLease(clock.path, ""));
  struct stat now{};
  if (stat(clock.path.c_str(), &now) != 0) return Status::FromErrno("cannot stat", clock.path);
  const Result<double> age = AgeOf(path, now.st_mtim);
  if (age.status().code() == ErrorCode::kNotFound) return true;
  if (!age.ok()) return age.status();
  if (!HasExpired(*before, *age)) return false;
  // Of several processes that see this, one moves the file away.
  const Scratch moved{TemporaryPath(path)};
  if (rename(path.c_str(), moved.path.c_str()) != 0) {
    return errno == ENOENT ? Result<bool>(true) : Status::FromErrno("cannot move", path);
  }
  const Result<std::string> found = ReadFile(moved.path);
  if (found.ok() && *found == *before) return true;
  // Another process has taken the expired lease in between; it gets its own back.
  const Status back = NameTemporary(moved.path, path);
  return back.ok() || back.code() == ErrorCode::kExists ? Result<bool>(false) : back;
}

Result<bool> LeaseKeeper::Take(std::int64_t partition) {
  const std::string path = PathOf(partition);
  KM_ASSIGN(const bool is_free, TakeExpired(path));
  if (!is_free) return false;
  const std::string text = LeaseOfThisProcess(partition).ToJson().Dump();
  const Scratch file{TemporaryPath(path)};
  KM_RETURN_IF_ERROR(WriteLease(file.path, text));
  const Status taken = NameTemporary(file.path, path);
  if (taken.code() == ErrorCode::kExists) return false;
  KM_RETURN_IF_ERROR(taken);
  const std::lock_guard lock(mutex_);
  held_[partition] = text;
  if (!renewal_.joinable()) renewal_ = std::thread([this] { Renew(); });
  return true;
}

void LeaseKeeper::GiveBack(std::int64_t partition) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(partition);
  if (found == held_.end()) return;
  // Another process may have taken the lease after it expired, while this one was suspended.
  const std::string path = PathOf(partition);
  const Result<std::string> text = ReadFile(path);
  if (text.ok() && *text == found->second) unlink(path.c_str());
  held_.erase(found);
}

void LeaseKeeper::Renew() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kRenewal, [this] { return ended_; })) {
    // A lease that cannot be renewed is lost, and its work is not.
    for (const auto& [partition, text] : held_) {
      utimensat(AT_FDCWD, PathOf(partition).c_str(), nullptr, 0);
    }
  }
}

}  // namespace kernelmill
