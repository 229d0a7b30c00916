// Paragraphs about one kernel, each "" where the facts say nothing of the kind.
#pragma once

#include <string>
#include <utility>

#include "corpora/records/kernel_source.h"
#include "generators/wording/voice.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

struct KernelSubject {
  const KernelSource& kernel;
  const KernelFacts& facts;
  const Wording& wording;
  std::string row;  // Rows about one kernel choose their words each on its own.

  // Voice::Say() for one purpose.
  std::string Say(std::string purpose, const SentenceVariants& variants,
                  const SentenceValues& values = {}) const {
    return Voice(wording, row + " " + std::move(purpose)).Say(variants, values);
  }
};

// generators/kernel_prose/kernel_mapping_prose.cc
std::string SignatureProse(const KernelSubject& subject);
std::string MappingProse(const KernelSubject& subject);
std::string GuardProse(const KernelSubject& subject);

// generators/kernel_prose/kernel_memory_prose.cc
std::string MemoryProse(const KernelSubject& subject);
std::string SharedProse(const KernelSubject& subject);
std::string CooperationProse(const KernelSubject& subject);

// generators/kernel_prose/kernel_launch_prose.cc
std::string LaunchProse(const KernelSubject& subject);
std::string BindingProse(const KernelSubject& subject);

// "`text`", or with more backticks around one that holds them.
std::string Quoted(const std::string& text);

}  // namespace kernelmill
