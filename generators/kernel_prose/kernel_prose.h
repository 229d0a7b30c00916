// Paragraphs about one native kernel, rendered from the facts of its syntax tree, which
// WriteKernelKnowledge() (kernel_knowledge.h) puts together to the answer of a row. A function
// returns "" when there are no facts for its paragraph.
#pragma once

#include <string>
#include <utility>

#include "corpora/records/kernel_source.h"
#include "generators/wording/sentence_writer.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

struct KernelSubject {
  const KernelSource& kernel;
  const KernelFacts& facts;
  const Wording& wording;
  std::string row_name;  // Names the row: each row about a kernel chooses its own wording.

  // SentenceWriter::Say() with choices of its own for `purpose`.
  std::string Say(std::string purpose, const SentenceVariants& variants,
                  const SentenceValues& values = {}) const {
    return SentenceWriter(wording, row_name + " " + std::move(purpose)).Say(variants, values);
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

// "`text`", with more backticks when the text contains some.
std::string Quoted(const std::string& text);

}  // namespace kernelmill
