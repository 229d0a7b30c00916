#include "stages/engine/progress.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

std::atomic<bool> quiet = false;
std::mutex output_mutex;

std::string Reasons(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [reason, count] : counts) {
    text += (text.empty() ? "" : ", ") + reason + " " + std::to_string(count);
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string Duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

}  // namespace

void Warn(const std::string& line) {
  const std::lock_guard lock(output_mutex);
  std::fprintf(stderr, "%s\n", Printable(line).c_str());
}

void Say(const std::string& line) {
  if (!quiet) Warn(line);
}

void SetQuiet(bool value) { quiet = value; }

Progress::Progress(std::string step, std::int64_t total, std::int64_t already_done)
    : step_(std::move(step)),
      total_(total),
      already_done_(already_done),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()),
      shown_(started_) {
  if (already_done_ > 0 && already_done_ < total_) {
    Say(step_ + ": " + std::to_string(already_done_) + " of " + std::to_string(total_) +
        " were done before");
  }
}

Progress::~Progress() {
  if (line_open_) std::fputc('\n', stderr);
}

void Progress::Update(const StepCounts& counts) {
  const auto now = std::chrono::steady_clock::now();
  const auto pause = on_terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(15);
  if (now - shown_ < pause) return;
  shown_ = now;
  Show(counts);
}

void Progress::Show(const StepCounts& counts) {
  if (quiet) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const double rate = seconds > 0 ? static_cast<double>(counts.in) / seconds : 0;
  const std::int64_t left = total_ - already_done_ - counts.in;
  char text[256];
  std::snprintf(text, sizeof text, "%s: %lld of %lld, %.1f/s, %lld kept, %lld rejected, %s left",
                step_.c_str(), static_cast<long long>(already_done_ + counts.in),
                static_cast<long long>(total_), rate, static_cast<long long>(counts.kept),
                static_cast<long long>(counts.Rejected()),
                rate > 0 ? Duration(static_cast<double>(left) / rate).c_str() : "?");
  const std::lock_guard lock(output_mutex);
  std::fprintf(stderr, on_terminal_ ? "\r\033[K%s" : "%s\n", text);
  line_open_ = on_terminal_;
}

void Progress::Finish(const StepCounts& counts) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  if (line_open_ && !quiet) std::fputs("\r\033[K", stderr);
  line_open_ = false;
  Say(step_ + ": " + std::to_string(counts.in) + " in, " + std::to_string(counts.kept) +
      " kept, " + std::to_string(counts.Dropped()) + " dropped" + Reasons(counts.dropped) + ", " +
      std::to_string(counts.Rejected()) + " rejected" + Reasons(counts.rejected) + ", " +
      Duration(seconds));
}

}  // namespace kernelmill
