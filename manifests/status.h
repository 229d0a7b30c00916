// Errors as values: Status, Result<T>, and the exit code of the program. A function that can fail
// returns Status, or Result<T> when it also has a value to return; no exception crosses a function
// boundary of kernelmill. Status::Within() puts what was being read before the message: "task: …".
//
// A Status that is not ok means that kernelmill cannot go on (disk, configuration, a corrupt
// manifest, a sandbox that does not start). It ends the run and tells the user what to do. Bad
// *input* (a file that does not parse, a module that does not run) is data instead: it becomes a
// rejected record in the quarantine (corpora/quarantine.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kernelmill {

// Every way a command can fail. A new value needs a line in ErrorName and one in ExitCodeOf.
enum class ErrorCode {
  kOk,
  kUsage,        // The command line is wrong.
  kConfig,       // The configuration names an unknown key, or a value has the wrong type.
  kNotFound,     // A file, repository, revision or record that the user named does not exist.
  kCorrupt,      // Bytes on disk do not match what a manifest, a checksum or a schema says.
  kIo,           // The operating system refused a read or a write.
  kDiskFull,     // ENOSPC or EDQUOT.
  kExists,       // Another writer created the file first, or the output must not be overwritten.
  kPlanChanged,  // A run cannot resume because its inputs or its configuration changed.
  kBusy,         // Another process holds the output folder.
  kUnreachable,  // A remote does not answer, or refuses access.
  kEnvironment,  // This machine lacks a program or package that kernelmill needs.
  kSandbox,      // This machine does not allow a sandbox.
  kWorker,       // A process of ours was ended, or this machine ran short: no input is to blame.
  kInterrupted,  // SIGINT or SIGTERM.
  kRefused,      // The verdict is negative: the command did what it was asked, the answer is "no".
  kBudget,       // A Git tree has more entries, or deeper folders, than its reader allows.
  kInternal,     // A broken invariant of kernelmill, which should be reported.
};

// A stable, lower-case name ("disk_full"), as written to logs and JSON.
std::string_view ErrorName(ErrorCode code);

// What the program ends with. Scripts rely on the numbers.
enum ExitCode : int {
  kExitDone = 0,
  kExitNegative = 1,     // The answer is "no", or a file has what it must not.
  kExitUsage = 2,        // The command line, the configuration or a path that it names is wrong.
  kExitEnvironment = 3,  // kernelmill cannot do this here: a program is missing, the sandbox is
                         // forbidden, the disk fails, or kernelmill has a defect.
  kExitTryAgain = 75,    // EX_TEMPFAIL of sysexits.h: the same command can succeed later.
};
ExitCode ExitCodeOf(ErrorCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  // `message` names the file, the key or the record, and says what to do.
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return Status(); }
  // The failure of the system call `what` on `path`, from the current errno: kDiskFull after ENOSPC
  // or EDQUOT, kNotFound after ENOENT or ENOTDIR, kWorker after a shortage (shortage.h), otherwise
  // kIo.
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

// Either a value or the Status that says why there is none. The accessors of the value require
// ok().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit by design
    if (status_.ok())
      status_ = Status(ErrorCode::kInternal, "a Result was built from an ok Status");
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
#define KM_RETURN_IF_ERROR(expr)                                    \
  do {                                                              \
    if (auto km_status = (expr); !km_status.ok()) return km_status; \
  } while (false)

// KM_ASSIGN(auto x, F()): x is F()'s value, or the enclosing function returns F()'s Status.
#define KM_ASSIGN(lhs, expr) KM_ASSIGN_INNER(KM_CONCAT(km_result_, __LINE__), lhs, expr)
#define KM_ASSIGN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                    \
  if (!tmp.ok()) return tmp.status();   \
  lhs = std::move(tmp).value()
