#include "generators/kernel_prose/port_prose.h"

#include <algorithm>
#include <string_view>

#include "corpora/kernel_backend.h"
#include "generators/kernel_prose/kernel_prose.h"
#include "generators/kernel_prose/port_changes.h"
#include "generators/task_rows/ported_kernels.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/number_format.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/wording.h"

namespace kernelmill {
namespace {

const std::vector<std::string_view>& Questions() {
  static const std::vector<std::string_view> kQuestions = {
      "Port this CUDA code to {title}. Say what you change and why, and then give the whole code.",
      "Rewrite the following CUDA code for {title}. List every difference first.",
      "This code runs on NVIDIA GPUs. What has to change for {title}? Give the ported code as "
      "well.",
      "I move a PyTorch extension from CUDA to {title}. Please port {names}, and explain the "
      "changes."};
  return kQuestions;
}

// What a name of the platform is for, by how it is spelled in CUDA's version.
std::string_view PurposeOf(std::string_view name) {
  struct Purpose {
    std::string_view part, text;
  };
  // The first that fits counts.
  static constexpr Purpose kPurposes[] = {
      {"getCurrentCUDAStream", "the stream that torch uses"},
      {"getDefaultCUDAStream", "the default stream"},
      {"CUDAStreamGuard", "makes a stream current"},
      {"CUDAGuard", "makes the tensor's device current"},
      {"LAUNCH_CHECK", "checks a launch"},
      {"_CHECK", "checks for errors"},
      {"KERNEL_LOOP", "the loop of a thread over its elements"},
      {"bfloat16", "the 16-bit brain float"},
      {"curand", "random numbers"},
      {"cudaStream_t", "the type of a stream"},
      {"cudaGetLastError", "the error of the last launch"},
      {"cuda", "the runtime"},
  };
  for (const Purpose& purpose : kPurposes) {
    if (name.find(purpose.part) != name.npos) return purpose.text;
  }
  return "torch's interface to the platform";
}

std::string Row(const std::string& old, const std::string& now, std::string_view what) {
  return "| " + old + " | " + now + " | " + std::string(what) + " |\n";
}

std::string Table(const PortChanges& changes, std::string_view title) {
  std::string rows;
  if (!changes.old_headers.empty() || !changes.new_headers.empty()) {
    rows +=
        Row(QuotedList(changes.old_headers, 12), QuotedList(changes.new_headers, 12), "headers");
  }
  for (const auto& [old, now] : changes.platform) {
    rows += Row(Quoted(old), Quoted(now), PurposeOf(old));
  }
  if (rows.empty()) return "";
  return "| CUDA | " + std::string(title) + " | |\n| --- | --- | --- |\n" + rows + "\n";
}

// Why the platform needs a change of another kind; "" where nothing general is known.
std::string_view ReasonOf(const PortChanges::Change& change) {
  const auto replaces = [&](std::string_view old, std::string_view now) {
    return change.old.find(old) != change.old.npos && change.now.find(now) != change.now.npos &&
           change.old.find(now) == change.old.npos;
  };
  if (replaces("is_cuda", "is_privateuseone")) {
    return ", because torch knows the MUSA device by its name for devices of other libraries, "
           "PrivateUse1";
  }
  if (replaces("kCUDA", "kMUSA")) return ", torch_musa's name for the type of the device";
  if (change.old.find("AND_HALF") != change.old.npos &&
      change.now.find("AND_HALF") == change.now.npos && !change.now.empty()) {
    return ", so that this version has no instance for 16-bit floats";
  }
  if (change.old.empty() && change.now.find("MUSA_ARCH > 21") != change.now.npos) {
    return ", which leaves the code out for mp_21, the architecture of an MTT S80";
  }
  return "";
}

std::string Others(const PortChanges& changes) {
  std::string text;
  for (const auto& change : changes.others) {
    const std::string reason(ReasonOf(change));
    const std::string& only = change.old.empty() ? change.now : change.old;
    const std::string subject =
        only.starts_with("#if") ? Quoted(only) + " and its `#endif` are" : Quoted(only) + " is";
    text += "- " +
            (change.old.empty()   ? subject + " added"
             : change.now.empty() ? subject + " left out"
                                  : Quoted(change.old) + " becomes " + Quoted(change.now)) +
            reason + ".\n";
  }
  return text;
}

std::string OwnNames(const PortChanges& changes, std::string_view title) {
  std::string text;
  if (!changes.own.empty()) {
    constexpr std::size_t kMost = 6;
    text = "Names of this code follow the platform: ";
    const std::size_t shown = std::min(changes.own.size(), kMost);
    for (std::size_t i = 0; i < shown; ++i) {
      text +=
          (i == 0 ? "" : ", ") + Quoted(changes.own[i].old) + " → " + Quoted(changes.own[i].now);
    }
    if (shown < changes.own.size()) {
      text += ", and " + std::to_string(changes.own.size() - shown) + " more in the same way";
    }
    text += ".";
  }
  if (changes.messages > 0) {
    Append(&text,
           std::string("String literals name ") + std::string(title) + " in the place of CUDA.");
  }
  return text;
}

// What is the same in both versions, as far as it depends on the device.
std::string Unchanged(const KernelPort& port, const PortChanges& changes) {
  std::string text = changes.others.empty()
                         ? "Only names and headers change: apart from them and from comments, "
                           "both versions are the same, token by token."
                         : "Apart from comments, all other code is the same in both versions, "
                           "token by token.";
  const std::vector<std::string> warp = WarpFunctionsIn(port.port_code);
  if (!warp.empty()) {
    Append(&text, WarpWidthText("The device code", warp));
  } else if (port.port_code.find("warpSize") == std::string::npos) {
    Append(
        &text,
        "There is no `warpSize`, no shuffle and no vote in it, so no call depends on the width of "
        "a warp (32 lanes on NVIDIA GPUs, 128 threads per warp on an MTT S80 or S4000).");
  }
  if (port.port_code.find("__shared__") != std::string::npos) {
    Append(&text, "Shared memory and `__syncthreads()` mean the same on both platforms.");
  }
  return text;
}

}  // namespace

TrainingRecord WritePortRow(const Digest& port_id, const KernelPort& port, std::int64_t seed) {
  const Wording wording(port_id, seed);
  const KernelBackend& backend = *FindKernelBackend(port.port_backend);
  const PortChanges changes = PortChangesOf(port);
  TrainingRecord record;
  record.family = Family::kPort;
  record.backend = backend.name;
  const std::size_t asked = wording.Index("mined port", Questions().size());
  record.prompt_template = "mined-port-" + std::to_string(asked);
  record.task_id = port_id;
  const std::string title(backend.title);
  std::string question = FillPlaceholders(
      Questions()[asked], {{"title", title}, {"names", QuotedList(port.kernels, 3)}});
  record.messages.push_back({"user", question + "\n\n" + Fenced("cuda", port.code)});
  std::string answer = Table(changes, title);
  if (const std::string names = OwnNames(changes, title); !names.empty()) {
    answer += names + "\n\n";
  }
  if (const std::string others = Others(changes); !others.empty()) {
    answer += "Beyond that:\n\n" + others + "\n";
  }
  answer += Unchanged(port, changes) + "\n\n" + Fenced("cuda", port.port_code);
  record.messages.push_back({"assistant", std::move(answer)});
  return record;
}

}  // namespace kernelmill
