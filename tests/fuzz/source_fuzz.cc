// Fuzzes the parsers of Python and CUDA: parsing must not fail, spans must lie in the text, and the
// parsed file must survive encoding and decoding.
#include "manifests/json.h"
#include "parsers/cuda_file.h"
#include "parsers/cuda_kernel_facts.h"
#include "parsers/licence_text.h"
#include "parsers/python_file.h"
#include "tests/fuzz/fuzzer.h"

namespace kernelmill {
namespace {

void FuzzPython(const std::string& source) {
  const PythonFile file = PythonFile::Parse(source);
  const auto size = static_cast<std::int64_t>(source.size());
  for (const PythonStatement& statement : file.statements) {
    KM_PROMISE(0 <= statement.first && statement.first <= statement.last);
    KM_PROMISE(statement.last <= size && statement.first_line <= statement.last_line);
    for (const PythonUse& use : statement.uses) {
      for (std::int64_t offset : use.offsets) KM_PROMISE(0 <= offset && offset < size);
    }
  }
  const Json json = file.ToJson();
  const Result<PythonFile> again = PythonFile::FromJson(json);
  KM_PROMISE(again.ok());
  KM_PROMISE(again->ToJson() == json);
}

void FuzzCuda(const std::string& source) {
  const CudaFile file = CudaFile::Parse(source);
  const auto size = static_cast<std::int64_t>(source.size());
  for (const CudaItem& item : file.items) {
    KM_PROMISE(0 <= item.first && item.first <= item.last && item.last <= size);
    if (item.kernel) static_cast<void>(ReadKernelFacts(source, item.name, item.first_line));
  }
  const Json json = file.ToJson();
  const Result<CudaFile> again = CudaFile::FromJson(json);
  KM_PROMISE(again.ok());
  KM_PROMISE(again->ToJson() == json);
}

}  // namespace

void Fuzz(std::string_view bytes) {
  if (bytes.empty() || !IsUtf8(bytes)) return;
  const std::string source(bytes.substr(1));
  if (!IsUtf8(source)) return;
  if (bytes[0] == 'p') FuzzPython(source);
  if (bytes[0] == 'c') FuzzCuda(source);
  if (bytes[0] == 'l') {
    static_cast<void>(RecognizeLicence(source));
    static_cast<void>(RecognizeHeader(source));
    for (const char* name : {"METADATA", "pyproject.toml", "setup.cfg"}) {
      static_cast<void>(RecognizeMetadata(name, source));
    }
  }
}

std::vector<std::string> Seeds() {
  return {
      "pimport torch\nfrom torch import nn\n\n\nclass Model(nn.Module):\n"
      "    def __init__(self, dim, *, n=3):\n        super().__init__()\n"
      "        self.l = nn.Linear(dim, n)\n\n    def forward(self, x: torch.Tensor):\n"
      "        return [f(y) for y in self.l(x) if (z := y) > 0]\n",
      "p@d\nasync def f(a, /, b=1, *c, **e):\n    global g\n    try:\n        yield lambda: a\n"
      "    except* E as h:\n        del h\n    match a:\n        case {'x': [1, *r]}:\n            "
      "pass\n",
      "pfrom .a import *\nfrom ..b.c import d as e, f\nif TYPE_CHECKING:\n    import g\n",
      "c#include \"a.h\"\n#define N 3\nnamespace n {\ntemplate <typename T>\n__global__ void k(T* "
      "x, "
      "int n) {\n  __shared__ float s[N];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if "
      "(i "
      "< n) x[i] += s[threadIdx.x];\n  __syncthreads();\n}\n}\nvoid f() { n::k<float><<<1, 32, 0, "
      "0>>>(p, 3); }\nPYBIND11_MODULE(m, m) { m.def(\"f\", &f, \"doc\"); }\n",
      "lMIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a "
      "copy",
      "l[project]\nlicense = {text = \"MIT\"}\nclassifiers = [\n  \"License :: OSI Approved\"]\n"};
}

}  // namespace kernelmill
