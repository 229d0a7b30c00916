// What an extension may import from other libraries.
#include "stages/verify/legality/allowed_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kernelmill {
namespace {

bool MayImport(const std::string& name) { return IsAllowedImport({name, "", ""}); }

TEST(AllowedSymbols, NamesAreReadUpToTheirTemplateArguments) {
  EXPECT_EQ(ScopedNameOf("_ZNK2at10TensorBase8data_ptrIfEEPT_v"), "at::TensorBase::data_ptr");
  EXPECT_EQ(ScopedNameOf("_ZN3c106detail14torchCheckFailEPKcS2_jS2_"),
            "c10::detail::torchCheckFail");
  EXPECT_EQ(ScopedNameOf("_ZNSolsEi"), "std::ostream::operator");
  EXPECT_EQ(ScopedNameOf("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"),
            "std::operator");
  EXPECT_EQ(ScopedNameOf("_ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv"),
            "std::__cxx11::basic_ostringstream");
  EXPECT_EQ(ScopedNameOf("_ZTISt9exception"), "std::exception");
  EXPECT_EQ(ScopedNameOf("_ZSt9terminatev"), "std::terminate");
  EXPECT_EQ(ScopedNameOf("_Z3foo3Bar"), "foo");
  EXPECT_EQ(ScopedNameOf("memcpy"), "memcpy");
  EXPECT_EQ(ScopedNameOf("_Z99999999999999x"), "");
  EXPECT_EQ(ScopedNameOf("_ZTWN3c104impl4someE"), "");
}

TEST(AllowedSymbols, AreThoseThatHostCodeAroundKernelsNeeds) {
  for (const char* name : {"memcpy",
                           "fprintf",
                           "stderr",
                           "exit",
                           "qsort",
                           "__cxa_throw",
                           "_Znwm",
                           "_ZdlPvm",
                           "__gxx_personality_v0",
                           "pthread_mutex_lock",
                           "pthread_once",
                           "__udivti3",
                           "_ZTIPKc",
                           "_ZN2at4_ops19empty_memory_format4callEv",
                           "_ZN2at4_ops2mm4callERKNS_6TensorES4_",
                           "_ZNK2at6Tensor4itemIfEET_v",
                           "_ZN3c1010IndexErrorC1ENS_14SourceLocationESs",
                           "_ZTVN3c105ErrorE",
                           "_ZN6caffe28TypeMeta13typeMetaDatasEv",
                           "_ZNSt6localeD1Ev",
                           "_ZSt20__throw_length_errorPKc",
                           "_ZTVN10__cxxabiv120__si_class_type_infoE",
                           "_ZSt15__once_callable"}) {
    EXPECT_TRUE(MayImport(name)) << name;
  }
  EXPECT_TRUE(IsAllowedImport({"threadIdx", "KERNELMILL", "km_cuda.so"}));
  EXPECT_TRUE(IsAllowedImport({"lgammaf_r", "GLIBC_2.2.5", "libm.so.6"}));
}

TEST(AllowedSymbols, AreNoOthers) {
  for (const char* name :
       {"dlsym",
        "clock_gettime",
        "_ZNSt6chrono3_V212steady_clock3nowEv",
        "cudaMemGetInfo",
        "system",
        "fopen",
        "open",
        "write",
        "mmap",
        "memfd_create",
        "getenv",
        "setenv",
        "signal",
        "pthread_create",
        "fork",
        "syscall",
        "sgemm_",
        "SGEMM",
        "strsm",
        "VSEXP_",
        "cblas_sgemm",
        "cublasSgemm_v2",
        "PyEval_EvalCode",
        "nobody_knows_it",
        "PyInit_km_cuda",
        "__asan_set_error_report_callback",
        "__asan_poison_memory_region",
        "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
        "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode",
        "_ZNSt10filesystem6removeERKNS_7__cxx114pathE",
        "_ZNSt13random_device7_M_initERKSs",
        "_ZN2at6native4reluERKNS_6TensorE",
        "_ZN2at3cpu4reluERKNS_6TensorE",
        "_ZN2at4_ops4relu10redispatchEN3c1014DispatchKeySetERKNS_6TensorE",
        "_ZN3c1010Dispatcher13realSingletonEv",
        "_ZN3c1010ThreadPoolC1Ei",
        "_ZN2at14RecordFunctionD1Ev",
        "_ZN2at20enableRecordFunctionEb",
        "_ZNK2at6Tensor9_backwardEv",
        "_ZN10kernelmill7OptionsEv",
        "_ZTHN3c104impl26raw_local_dispatch_key_setE",
        "_ZTIN3c1011SymNodeImplE",
        "_ZTIN3c109AllocatorE",
        "_ZTVN3c1011StorageImplE",
        "_ZTISt15basic_streambufIcSt11char_traitsIcEE"}) {
    EXPECT_FALSE(MayImport(name)) << name;
  }
  EXPECT_FALSE(IsAllowedImport({"PyInit_km_cuda", "KERNELMILL_PYTHON", "km_cuda.so"}));
  EXPECT_FALSE(IsAllowedImport({"cublasSgemm_v2", "KERNELMILL_VENDOR", "km_cuda.so"}));
}

TEST(AllowedSymbols, AMessageHasTheNameThatAnAuthorKnows) {
  LibraryImports imports;
  imports.symbols = {{"_ZNSt6thread4joinEv", "GLIBCXX_3.4.11", "libstdc++.so.6"}};
  EXPECT_THAT(ForbiddenImport(imports).value_or(""),
              testing::StartsWith("imports std::thread::join(); extensions may import"));
  imports = {};
  imports.libraries = {"libtorch_cpu.so", "libmkl_rt.so"};
  EXPECT_EQ(ForbiddenImport(imports), "loads the library libmkl_rt.so");
  imports = {};
  imports.executes_data = true;
  EXPECT_NE(ForbiddenImport(imports), std::nullopt);
  EXPECT_EQ(ForbiddenImport({}), std::nullopt);
  imports = {};
  imports.types = {"_ZTIN3c1020intrusive_ptr_targetE", "_ZTI8RowCount"};
  EXPECT_EQ(ForbiddenImport(imports), std::nullopt);
  imports.types.emplace_back("_ZTIN3c1011SymNodeImplE");
  EXPECT_THAT(ForbiddenImport(imports).value_or(""), testing::HasSubstr("c10::SymNodeImpl"));
}

TEST(LibrarySymbols, AreReadFromALibrary) {
  const Result<LibraryImports> imports = ImportsOf("/proc/self/exe");
  ASSERT_TRUE(imports.ok()) << imports.status().message();
  EXPECT_GT(imports->symbols.size(), 10u);
  EXPECT_THAT(imports->libraries, testing::Contains("libc.so.6"));
  EXPECT_FALSE(imports->executes_data);
  bool versioned = false;
  for (const ImportedSymbol& symbol : imports->symbols) {
    versioned = versioned || (symbol.library == "libc.so.6" && symbol.version.starts_with("GLIBC"));
  }
  EXPECT_TRUE(versioned);
  EXPECT_FALSE(ImportsOf("/etc/passwd").ok());
}

}  // namespace
}  // namespace kernelmill
