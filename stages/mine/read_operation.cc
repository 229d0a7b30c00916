#include "stages/mine/read_operation.h"

#include <optional>

#include "manifests/git_id.h"
#include "parsers/copyright_lines.h"
#include "parsers/inline_cuda.h"
#include "parsers/kernel_slices/native_index.h"
#include "parsers/licence_text.h"
#include "stages/mine/file_filter.h"
#include "stages/mine/repository_index.h"
#include "stages/publishable/licence_map.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
namespace {

// What the head of a source says of copyright, as records hold it.
std::vector<std::string> HoldersOf(std::string_view source) {
  std::vector<std::string> lines = CopyrightOfHead(source);
  for (std::string& line : lines) line = QuarantinedText(line);
  return lines;
}

UntrustedReply Read(const Json& request, OpenRepository& repositories) {
  const Result<GitRepository*> repository = repositories.At(request.TextAt("git_dir"));
  if (!repository.ok()) {
    return UntrustedReply::Reject(ReasonNotOpened(repository.status()),
                                  repository.status().message(), "");
  }
  const std::string blob = request.TextAt("blob");
  Result<std::string> bytes = (*repository)->ReadBlob(blob);
  if (!bytes.ok()) {
    return UntrustedReply::Reject(ReasonOf(bytes.status()), bytes.status().message(), "");
  }
  const std::string path = request.TextAt("path");
  if (LicenceFile::Is(path)) {
    if (!IsUtf8(*bytes)) return UntrustedReply::Reject("not_utf8", "", QuarantinedText(*bytes));
    // Datasets hold the text under this name, which libgit2 does not compare with the bytes.
    if (GitBlobId(*bytes) != blob) {
      return UntrustedReply::Reject("corrupt_object", "its bytes are not those of its name",
                                    QuarantinedText(*bytes));
    }
    return UntrustedReply::Keep(LicenceFile::Read(path, blob, *bytes).ToJson().Dump());
  }
  // An empty __init__.py still makes its folder a package.
  const bool package = path.ends_with("__init__.py");
  if (const NotParsed why = WhyNotParsed(path, *bytes);
      !why.reason.empty() && (why.rejected || !package)) {
    if (!why.rejected) return UntrustedReply::Drop(std::string(why.reason));
    return UntrustedReply::Reject(std::string(why.reason), "", QuarantinedText(*bytes));
  }
  if (IsNativeSource(path)) {
    NativeFile file{path, blob, RecognizeHeader(*bytes).value_or(""), HoldersOf(*bytes), {}};
    file.cuda = CudaFile::Parse(*std::move(bytes));
    return UntrustedReply::Keep(file.ToJson().Dump());
  }
  ParsedPythonFile file;
  file.path = path;
  file.blob = blob;
  file.licence = RecognizeHeader(*bytes).value_or("");
  file.copyright = HoldersOf(*bytes);
  std::optional<CudaFile> inline_cuda;
  if (request.Find("kernels")->as_bool() && bytes->find("__global__") != std::string::npos) {
    inline_cuda = ReadInlineCuda(*bytes);
  }
  file.python = PythonFile::Parse(*std::move(bytes));
  if (!inline_cuda) return UntrustedReply::Keep(file.ToJson().Dump());
  const NativeFile native{path, blob, file.licence, file.copyright, *std::move(inline_cuda)};
  const Json both = Json::Object{{"module", file.ToJson()}, {"native", native.ToJson()}};
  return UntrustedReply::Keep(both.Dump());
}

}  // namespace

const UntrustedOperation kReadOperation = {"read", Read};

Result<UntrustedReply> ReadSource(UntrustedChild& child, const std::string& git_dir,
                                  const std::string& blob, const std::string& path, bool kernels) {
  return child.Ask(kReadOperation,
                   {{"git_dir", git_dir}, {"blob", blob}, {"path", path}, {"kernels", kernels}});
}

}  // namespace kernelmill
