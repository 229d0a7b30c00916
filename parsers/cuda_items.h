// Reads the definitions of a CUDA source from its syntax tree, one CudaItem for each node at file
// or namespace scope. Called by CudaFile::Parse().
#pragma once

#include <optional>
#include <vector>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_file.h"
#include "parsers/cuda_launches.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Converts syntax nodes at file or namespace scope into CudaItems. Not thread-safe.
class CudaItemReader {
 public:
  // `source` is the original text, and `blanked` the one that was parsed. Both must outlive the
  // reader. Python bindings that it finds are appended to `bindings`.
  CudaItemReader(std::string_view source, const BlankedSource& blanked,
                 std::vector<CudaBinding>* bindings)
      : source_(source),
        blanked_(blanked),
        binding_macros_(BindingMacros(source)),
        bindings_(bindings) {}

  // std::nullopt for a node that defines nothing that a slice could need.
  std::optional<CudaItem> Read(const SyntaxNode& node);

 private:
  bool ReadDefinition(const SyntaxNode& inner, CudaItem* item);
  void ReadFunction(const SyntaxNode& definition, const SyntaxNode& declarator, CudaItem* item);
  bool ReadDeclaration(const SyntaxNode& declaration, CudaItem* item);
  void ReadRecord(const SyntaxNode& record, CudaItem* item);
  void ReadEnum(const SyntaxNode& enumeration, CudaItem* item);
  bool ReadAlias(const SyntaxNode& alias, CudaItem* item);
  bool ReadMacro(const SyntaxNode& macro, CudaItem* item);
  bool ReadInvocation(const SyntaxNode& statement, CudaItem* item);
  bool ReadType(const SyntaxNode& type, CudaItem* item);
  bool IsForDevice(const SyntaxNode& definition) const;
  bool HasAttributeIn(std::size_t first, std::size_t last) const;
  void TakeAttributes(CudaItem* item) const;

  const std::string_view source_;
  const BlankedSource& blanked_;
  const std::set<std::string, std::less<>> binding_macros_;
  std::vector<CudaBinding>* const bindings_;
  std::vector<SyntaxNode> host_nodes_;
  std::size_t own_name_ = 0;
};

}  // namespace kernelmill
