// Errors as values. Nothing in kernelmill throws across a function boundary of its own: a call that
// can fail returns Status, or Result<T> when it also has something to give.
//
// Two kinds of trouble exist and only one of them is an error. Bad *input* (a file that does not
// parse, a module that does not run) is data: it becomes a Reject record (corpora/reject.h). A
// Status that is not ok means that *we* cannot go on (disk, configuration, a corrupt manifest, a
// sandbox that does not start), ends the run, and tells the user what to do about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kernelmill {

// Every way a run can fail. Closed: add a value here, a line in ErrorName and one in ExitCodeOf.
enum class ErrorCode {
  kOk,
  kUsage,        // The command line is wrong.
  kConfig,       // The configuration names an unknown key, or a value has the wrong type.
  kNotFound,     // A file, repository, revision or record that was named does not exist.
  kCorrupt,      // Bytes on disk do not match what a manifest, a checksum or a schema says.
  kIo,           // The operating system refused a read or a write.
  kDiskFull,     // ENOSPC or EDQUOT. Retryable: free some room and run the same command again.
  kExists,       // A first writer was there before us, or an output is not ours to overwrite.
  kPlanChanged,  // A run cannot resume because its inputs or its configuration changed.
  kBusy,         // Another process holds the output folder. Retryable.
  kUnreachable,  // A remote does not answer, or refuses access. Retryable.
  kSandbox,      // The machine does not let us make a sandbox.
  kWorker,       // The torch worker, or a mining child, failed for a reason of its own.
  kInterrupted,  // SIGINT or SIGTERM. Retryable: the same command resumes.
  kRefused,      // What was to be checked did not pass: the answer is in the output.
  kBudget,       // More of our own faults than the configuration allows.
  kInternal,     // A broken invariant of kernelmill itself: a defect, please report it.
};

// A stable, lower-case name ("disk_full"), as written to logs and JSON.
std::string_view ErrorName(ErrorCode code);

// 0 done, 1 permanent failure, 75 (EX_TEMPFAIL) when running the same command again can help.
int ExitCodeOf(ErrorCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  // `message` names the file, key or record, and says what to do.
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return Status(); }
  // An I/O failure of `what` on `path`, from the current errno; ENOSPC becomes kDiskFull.
  static Status FromErrno(std::string_view what, std::string_view path);

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same error with "`context`: " before its message.
  Status Within(std::string_view context) const;

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

// Either a value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit by design
    if (status_.ok()) status_ = Status(ErrorCode::kInternal, "a Result was made of an ok Status");
  }
  Result(ErrorCode code, std::string message) : status_(code, std::move(message)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace kernelmill

#define KM_CONCAT_INNER(a, b) a##b
#define KM_CONCAT(a, b) KM_CONCAT_INNER(a, b)

// Returns the Status of `expr` from the enclosing function unless it is ok.
#define KM_RETURN_IF_ERROR(expr)                                   \
  do {                                                             \
    if (auto km_status = (expr); !km_status.ok()) return km_status; \
  } while (false)

// KM_ASSIGN(auto x, F()): x is F()'s value, or the enclosing function returns F()'s Status.
#define KM_ASSIGN(lhs, expr) KM_ASSIGN_INNER(KM_CONCAT(km_result_, __LINE__), lhs, expr)
#define KM_ASSIGN_INNER(tmp, lhs, expr)   \
  auto tmp = (expr);                      \
  if (!tmp.ok()) return tmp.status();     \
  lhs = std::move(tmp).value()
