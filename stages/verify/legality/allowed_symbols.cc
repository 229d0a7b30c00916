#include "stages/verify/legality/allowed_symbols.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "stages/verify/build/demangled.h"

namespace kernelmill {
namespace {

using Names = std::vector<std::string_view>;

// The words of a text.
Names NamesIn(std::string_view text) {
  Names names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) names.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

bool Skip(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// Whether `name` is an entry of the list or lies within one: "a::b" holds "a::b" and "a::b::c". An
// entry that ends with "*" holds every name that starts with it.
bool IsWithin(std::string_view name, const Names& entries) {
  return std::any_of(entries.begin(), entries.end(), [&](std::string_view entry) {
    if (entry.ends_with('*')) return name.starts_with(entry.substr(0, entry.size() - 1));
    return name.starts_with(entry) &&
           (name.size() == entry.size() || name.substr(entry.size()).starts_with("::"));
  });
}

// Of torch: what allocates, views, checks and describes tensors, streams, types and errors, and
// what registers functions under a name. Not among them, on purpose: the dispatcher and its handles
// (they call any operator by name), kernels without dispatch (at::native, at::cpu), the engine of
// backward passes, thread pools, and all that watches operators (at::RecordFunction).
const Names& OfTorch() {
  static const Names kNames = NamesIn(
      "at::TensorBase at::Tensor::item at::Tensor::index at::Tensor::index_put_ "
      "at::TensorMaker at::tensor at::detail::scalar_tensor_static at::indexing at::print "
      "at::operator at::toString at::check* at::infer_size* at::inferExpandGeometry* "
      "at::TensorGeometry "
      // tensor.type(), which older code hands to AT_DISPATCH_….
      "at::DeprecatedTypeProperties at::DeprecatedTypePropertiesRegistry "
      "at::globalDeprecatedTypePropertiesRegistry at::globalContext "
      "at::Context::deterministicAlgorithms c10::detail c10::warn "
      "c10::warnDeprecatedDataPtr c10::Warning c10::WarningUtils::get_warnAlways "
      "c10::MessageLogger c10::ThrowEnforce* c10::throwNullDataPtrError c10::report_overflow "
      "c10::demangle c10::operator c10::toString c10::SymInt c10::SymBool c10::SymFloat "
      "c10::SymNodeImpl c10::SymbolicShapeMeta c10::ShapeSymbol c10::TensorImpl "
      "c10::UndefinedTensorImpl c10::StorageImpl c10::AutogradMetaInterface c10::Scalar "
      "c10::Device c10::DeviceTypeName c10::isValidDeviceType c10::Stream c10::TensorOptions "
      "c10::SmallVectorBase c10::DispatchKeySet c10::GetAllocator c10::Allocator "
      "c10::DeviceAllocator c10::DataPtr c10::PlacementDeleteContext "
      "c10::InefficientStdFunctionContext c10::get_default_dtype* "
      "c10::initializeFunctionalityOffsetsAndMasks c10::GradMode c10::InferenceMode "
      "c10::AutogradState c10::impl::getGlobalPyInterpreter c10::impl::ExcludeDispatchKeyGuard "
      "c10::impl::device_guard_impl_registry c10::impl::GPUTrace c10::impl::SizesAndStrides "
      "caffe2::TypeMeta "
      // TORCH_LIBRARY.
      "torch::Library torch::CppFunction torch::jit::parseSchema* torch::isCustomClass "
      "c10::RegisterOperators c10::IValue c10::ivalue c10::Type c10::typeKindToString "
      "c10::FunctionSchema c10::Argument c10::OperatorName c10::Symbol c10::QualifiedName "
      "c10::_fastEqualsForContainer c10::isSharedStorageAlias c10::GeneratorImpl "
      "c10::WeakOrStrongTypePtr c10::KernelFunction c10::BoxedKernel c10::OperatorKernel "
      "c10::fallthrough_kernel c10::ambiguous_autogradother_kernel "
      // Functions with a backward pass of their own.
      "torch::autograd::AutogradMeta torch::autograd::Node torch::autograd::SavedVariable "
      "torch::autograd::VariableInfo torch::autograd::AutogradContext "
      "torch::autograd::InputMetadata torch::autograd::impl torch::autograd::AnomalyMode "
      "torch::autograd::ForwardADLevel torch::autograd::_wrap_outputs "
      "torch::autograd::extract_vars torch::autograd::collect_next_edges");
  return kNames;
}

// The classes with virtual functions that honest code makes objects of or derives from: tensors'
// own, errors, functions that are registered under a name, functions with a backward pass and
// objects that operators take and only keep. Torch calls a virtual function of any other class
// inside of its operators: of a SymNodeImpl that is a size, of an Allocator, of a TensorImpl.
const Names& ClassesOfTorch() {
  static const Names kNames = NamesIn(
      "c10::intrusive_ptr_target c10::VariableVersion c10::AutogradMetaInterface "
      "torch::autograd::AutogradMeta torch::autograd::Node torch::autograd::CppNode "
      "torch::CustomClassHolder torch::jit::CustomClassHolder c10::OperatorKernel "
      "c10::impl::detail::WrapFunction* c10::ivalue::ConstantString c10::ivalue::Tuple "
      "c10::ivalue::Object c10::detail::ListImpl c10::detail::DictImpl");
  return kNames;
}

// Of the C++ library: all but threads, files, random devices and memory resources. Mutexes and
// condition variables start no thread; code guards what it computes once with them.
const Names& OfStd() {
  static const Names kNames = NamesIn(
      // Strings and streams in memory or to the terminal.
      "std::allocator std::basic_string std::__cxx11::basic_string std::char_traits "
      "std::string std::__cxx11::basic_stringbuf std::__cxx11::basic_stringstream "
      "std::__cxx11::basic_ostringstream std::__cxx11::basic_istringstream "
      "std::basic_streambuf std::basic_ios std::basic_ostream std::basic_istream "
      "std::basic_iostream std::ostream std::istream std::iostream std::ios_base "
      "std::__ostream_insert std::operator std::cout std::cerr std::clog std::endl std::ends "
      "std::flush std::ws std::getline std::locale std::ctype std::codecvt std::num_put "
      "std::num_get std::numpunct std::__cxx11::numpunct std::use_facet std::has_facet "
      "std::to_chars std::from_chars "
      // Errors.
      "std::exception std::bad_* std::logic_error std::runtime_error std::invalid_argument "
      "std::domain_error std::length_error std::out_of_range std::range_error "
      "std::overflow_error std::underflow_error std::system_error std::error_category "
      "std::_V2::error_category std::_V2::generic_category std::_V2::system_category "
      "std::iostream_category std::nested_exception std::__exception_ptr "
      "std::current_exception std::rethrow_exception std::uncaught_exception "
      "std::uncaught_exceptions std::terminate std::__throw_* std::type_info "
      "std::__glibcxx_assert_fail "
      // Containers and what else the headers leave to the library.
      "std::__detail std::_Rb_tree_* std::_Hash_bytes std::_Fnv_hash_bytes std::hash "
      "std::_Sp_locker std::nothrow std::placeholders std::mutex "
      "std::condition_variable std::__once_callable std::__once_call std::get_new_handler "
      "__cxxabiv1");
  return kNames;
}

// Of the C library and the compiler's: memory, text, numbers, messages, locks, and ways to
// end the program, which checks of CUDA's errors use.
const Names& OfC() {
  static const Names kNames = NamesIn(
      "malloc calloc realloc free aligned_alloc posix_memalign memcpy memmove memset memcmp "
      "memchr memrchr memmem mempcpy bcmp bcopy bzero strlen strnlen strcmp strncmp strcasecmp "
      "strncasecmp strcpy strncpy strcat strncat strchr strrchr strstr strpbrk strspn strcspn "
      "strtok strtok_r strdup strndup strerror strtol strtoll strtoul strtoull strtof strtod "
      "strtold wmemcpy wmemmove wmemset wmemcmp wmemchr wcslen __isoc99_sscanf __isoc23_sscanf "
      "__isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull sscanf atoi atol "
      "atoll atof isalpha isdigit isalnum isspace isupper islower ispunct isprint isxdigit "
      "toupper tolower __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc printf fprintf "
      "vprintf vfprintf sprintf snprintf vsprintf vsnprintf puts fputs putchar putc fputc "
      "fwrite fflush perror stdout stderr abs labs llabs div ldiv lldiv rand srand rand_r "
      "qsort bsearch exit abort __assert_fail "
      "__errno_location __libc_single_threaded __stack_chk_fail __tls_get_addr pthread_mutex_* "
      "pthread_cond_* pthread_once __once_proxy sched_yield nanosleep __cxa_* __dynamic_cast "
      "__gxx_personality_v0 _Unwind_Resume __gmon_start__ _ITM_registerTMCloneTable "
      "_ITM_deregisterTMCloneTable "
      // Arithmetic that the processor lacks.
      "__add* __sub* __mul* __div* __udiv* __mod* __umod* __float* __fix* __extend* __trunc* "
      "__neg* __powi* __popcount* __clz* __ctz*");
  return kNames;
}

// The calls that a compiler inserts in builds that check memory. Functions of the sanitizer that
// change what it reports are not among them.
const Names& OfSanitizer() {
  static const Names kNames = NamesIn(
      "__asan_report_* __asan_load* __asan_store* __asan_memcpy __asan_memmove __asan_memset "
      "__asan_init __asan_version_mismatch_check_* __asan_register_* __asan_unregister_* "
      "__asan_before_dynamic_init __asan_after_dynamic_init __asan_handle_no_return "
      "__asan_stack_malloc_* __asan_stack_free_* __asan_set_shadow_* "
      "__asan_option_detect_stack_use_after_return __asan_poison_cxx_array_cookie "
      "__asan_load_cxx_array_cookie __asan_alloca_poison __asan_allocas_unpoison "
      "__asan_poison_stack_memory __asan_unpoison_stack_memory "
      "__asan_shadow_memory_dynamic_address "
      // Of the library of mathematics, which the sanitizer wraps.
      "sincos sincosf frexp frexpf modf modff remquo remquof lgamma lgammaf lgamma_r lgammaf_r");
  return kNames;
}

// The libraries that the linker is told to use, and those of the compiler.
const Names& Libraries() {
  static const Names kNames = NamesIn(
      "libtorch_cpu.so libc10.so km_cuda.so libstdc++.so.6 libm.so.6 libgcc_s.so.1 libc.so.6 "
      "ld-linux-x86-64.so.2 libclang_rt.asan-x86_64.so libpthread.so.0 librt.so.1 libdl.so.2 "
      "libresolv.so.2");
  return kNames;
}
constexpr std::string_view kExecutorVersion = "KERNELMILL";
constexpr std::string_view kMathLibrary = "libm.so.6";

// Whether the type information is that of a type without a name: _ZTIPKc is that of const char*.
bool IsOfPlainType(std::string_view symbol) {
  return (Skip(&symbol, "_ZTI") || Skip(&symbol, "_ZTS")) &&
         std::all_of(symbol.begin(), symbol.end(),
                     [](char c) { return c == 'P' || c == 'K' || (c >= 'a' && c <= 'z'); });
}

// Whether a class of c10 is an error (c10::IndexError) or a type of the schema language
// (c10::TensorType).
bool IsErrorOrType(std::string_view name) {
  if (!Skip(&name, "c10::")) return false;
  name = name.substr(0, name.find(':'));
  return name.ends_with("Error") || name.ends_with("Type") ||
         name == "ErrorAlwaysShowCppStacktrace";
}

bool IsOfTorch(std::string_view name) {
  return IsWithin(name, NamesIn("at c10 torch caffe2"));
}

// Whether the name is that of an error of the C++ library. Other classes have virtual functions
// that functions of the library call (a buffer of a stream, a facet of a locale).
bool IsErrorOfStd(std::string_view name) {
  return name.ends_with("_error") || name.starts_with("std::bad_") ||
         IsWithin(name, NamesIn("std::exception std::nested_exception std::invalid_argument "
                                "std::out_of_range std::ios_base::failure __cxxabiv1"));
}

// Whether an extension may have objects of the class with this type information, or, if it is
// imported, catch it. A class of its own is defined with that of its bases.
bool IsAllowedClass(std::string_view symbol, bool imported) {
  const std::string name = ScopedNameOf(symbol);
  if (IsOfTorch(name)) return IsWithin(name, ClassesOfTorch()) || IsErrorOrType(name);
  return !imported || IsErrorOfStd(name);
}

// Whether it is an operator that is called as the dispatcher sees it. Examination::JudgeOperators()
// and CandidateLibraries decide on the operator. The other functions of at::_ops call it without
// the observers.
bool IsOperatorCall(std::string_view symbol) {
  const std::string name = OperatorOfSymbol(symbol);
  return !name.empty() && ScopedNameOf(symbol) == "at::_ops::" + name.substr(6) + "::call";
}

// Functions of CUDA's runtime that tell of the time, or of what else the machine does.
bool TellsOfMoment(std::string_view symbol) {
  return IsWithin(symbol, NamesIn("cudaEventElapsedTime cudaEventQuery cudaStreamQuery cudaMemGetInfo"));
}

}  // namespace

std::string ScopedNameOf(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  symbol.remove_prefix(2);
  for (std::string_view special : {"TV", "TI", "TS", "TT"}) {
    if (Skip(&symbol, special)) break;
  }
  const bool nested = Skip(&symbol, "N");
  while (nested &&
         (Skip(&symbol, "K") || Skip(&symbol, "V") || Skip(&symbol, "R") || Skip(&symbol, "O"))) {
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShort = {
      {{"St", "std"},
       {"Sa", "std::allocator"},
       {"Ss", "std::string"},
       {"Sb", "std::basic_string"},
       {"Si", "std::istream"},
       {"So", "std::ostream"},
       {"Sd", "std::iostream"}}};
  std::string name;
  for (const auto& [letters, words] : kShort) {
    if (Skip(&symbol, letters)) name = words;
  }
  while (!symbol.empty() && symbol.front() >= '0' && symbol.front() <= '9') {
    std::size_t length = 0;
    while (!symbol.empty() && symbol.front() >= '0' && symbol.front() <= '9' && length < 1000) {
      length = length * 10 + static_cast<std::size_t>(symbol.front() - '0');
      symbol.remove_prefix(1);
    }
    if (length > symbol.size()) return "";
    name += (name.empty() ? "" : "::") + std::string(symbol.substr(0, length));
    symbol.remove_prefix(length);
    if (!nested) return name;
  }
  const bool is_operator = symbol.size() >= 2 && symbol[0] >= 'a' && symbol[0] <= 'z' &&
                           symbol[1] >= 'a' && symbol[1] <= 'z';
  if (is_operator) name += name.empty() ? "operator" : "::operator";
  return name;
}

bool IsAllowedImport(const ImportedSymbol& symbol) {
  if (TellsOfMoment(symbol.name)) return false;
  if (symbol.version == kExecutorVersion || symbol.library == kMathLibrary) return true;
  const std::string_view text = symbol.name;
  for (std::string_view memory : {"_Znw", "_Zna", "_Zdl", "_Zda"}) {
    if (text.starts_with(memory)) return true;
  }
  if (IsOfPlainType(text) || IsOperatorCall(text)) return true;
  const std::string name = ScopedNameOf(text);
  const bool of_class = text.starts_with("_ZTI") || text.starts_with("_ZTS") ||
                        ((text.starts_with("_ZTV") || text.starts_with("_ZTT")) && IsOfTorch(name));
  if (of_class) return IsAllowedClass(text, /*imported=*/true);
  if (!text.starts_with("_Z")) return IsWithin(name, OfC()) || IsWithin(name, OfSanitizer());
  return IsWithin(name, OfTorch()) || IsWithin(name, OfStd()) || IsErrorOrType(name);
}

std::optional<std::string> ForbiddenImport(const LibraryImports& imports) {
  for (const ImportedSymbol& symbol : imports.symbols) {
    if (!IsAllowedImport(symbol)) {
      return "imports " + Demangled(symbol.name) +
             "; extensions may import CUDA's runtime without what tells of the time or of free "
             "memory, what allocates and describes tensors, and the C and C++ libraries without "
             "clocks, threads, processes and files";
    }
  }
  for (const std::string& type : imports.types) {
    if (IsAllowedClass(type, /*imported=*/false)) continue;
    return "has objects of a class that is derived from " + ScopedNameOf(type) +
           ": torch would call its functions inside of operators";
  }
  for (const std::string& library : imports.libraries) {
    if (!std::count(Libraries().begin(), Libraries().end(), library)) {
      return "loads the library " + library;
    }
  }
  if (imports.changes_loading) return "changes how libraries are loaded";
  if (imports.executes_data) return "places data where the processor executes it";
  return std::nullopt;
}

}  // namespace kernelmill
