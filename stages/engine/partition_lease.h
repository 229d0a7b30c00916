// Leases on the partitions of a step, so that several processes that work on one run rarely do the
// same partition. A lease is the file part-00012.lease in the folder of the step. It names its
// holder, who renews it while it works and removes it after its commit.
//
// Leases only save work. Results do not depend on them: of two processes that do one partition, the
// first one commits it, and the other one compares (partition_writer.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// A lease that nobody has renewed for this time has expired. A lease of a process of this machine
// expires when the process ends.
inline constexpr std::chrono::seconds kLeaseTime{60};

struct PartitionLease {
  std::int64_t partition = 0;
  std::string host;                // Of the holder.
  std::int64_t pid = 0;            // In the process namespace of the holder.
  std::int64_t process_start = 0;  // In ticks since the host started, as in /proc/PID/stat.
  std::string processes;           // Identifies the host's start and the process namespace.
  std::int64_t taken = 0;          // Seconds since 1970.

  Json ToJson() const;
};

// The leases in the folder of a step that have not expired, by partition. It writes nothing, so it
// compares the time of a lease with the clock of this machine.
std::vector<PartitionLease> LiveLeases(const std::string& step_folder);

// The leases that one process holds in the folder of one step. A thread renews them. The destructor
// gives them back.
class LeaseKeeper {
 public:
  explicit LeaseKeeper(std::string step_folder);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Takes a lease, also one that has expired. False if another process holds it.
  Result<bool> Take(std::int64_t partition);
  void GiveBack(std::int64_t partition);

 private:
  std::string PathOf(std::int64_t partition) const;
  Result<bool> TakeExpired(const std::string& path);
  void Renew();

  std::string folder_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::map<std::int64_t, std::string> held_;  // The text of each file.
  std::thread renewal_;                       // Started with the first lease.
};

}  // namespace kernelmill
