// Replaces torch/extension.h for candidates that are compiled for the executor, without Python:
// implements PYBIND11_MODULE and the part of pybind11 that binds functions and classes
// (bound_class.h), on top of ExtensionTable.
#pragma once

#include <torch/library.h>
#include <torch/types.h>

#include <kernelmill/bound_class.h>
#include <kernelmill/extension_table.h>

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif

namespace pybind11 {

struct arg_v {
  std::string name;
  c10::IValue value;
};
struct arg {
  explicit arg(const char* parameter) : name(parameter) {}
  template <typename T>
  arg_v operator=(T&& value) const {
    if constexpr (std::is_same_v<std::decay_t<T>, std::nullopt_t>) {
      return {name, c10::IValue()};
    } else if constexpr (requires { value.has_value(); }) {
      return {name, value.has_value() ? kernelmill::ToResult(*value) : c10::IValue()};
    } else {
      return {name, kernelmill::ToResult(std::forward<T>(value))};
    }
  }
  arg& noconvert(bool = true) { return *this; }
  arg& none(bool = true) { return *this; }
  std::string name;
};
struct none {
  operator c10::IValue() const { return {}; }
};
inline c10::IValue ToValue(none) { return {}; }
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <typename... Guards>
struct call_guard {};
struct kw_only {};
struct pos_only {};
enum class return_value_policy { automatic, move, copy, reference, take_ownership };
namespace literals {
inline arg operator""_a(const char* name, std::size_t) { return arg(name); }
}  // namespace literals

// Notes what comes behind a function in a binding: the names of its parameters and their defaults.
inline void Note(const arg& extra, kernelmill::BoundFunction* bound) {
  bound->parameters.push_back({extra.name, std::nullopt});
}
inline void Note(const arg_v& extra, kernelmill::BoundFunction* bound) {
  bound->parameters.push_back({extra.name, extra.value});
}
template <typename T>
void Note(const T&, kernelmill::BoundFunction*) {}

class module_ {
 public:
  explicit module_(kernelmill::ExtensionTable* table)
      : table_(table), docs_(&table->documentation) {}
  template <typename Function, typename... Extra>
  module_& def(const char* name, Function&& function, const Extra&... extra) {
    kernelmill::BoundFunction& bound = table_->Add(name, +std::forward<Function>(function));
    (Note(extra, &bound), ...);
    return *this;
  }
  class Documentation {
   public:
    explicit Documentation(std::string* text) : text_(text) {}
    Documentation& operator=(const char* text) {
      *text_ = text;
      return *this;
    }

   private:
    std::string* text_;
  };
  Documentation doc() { return Documentation(docs_); }
  struct Attribute {
    template <typename T>
    void operator=(T&&) {}
  };
  Attribute attr(const char*) { return {}; }

  kernelmill::ExtensionTable* Table() { return table_; }

 private:
  kernelmill::ExtensionTable* table_;
  std::string* docs_;
};
using module = module_;
template <typename... Parameters>
struct overload_cast {
  template <typename Result>
  constexpr auto operator()(Result (*function)(Parameters...)) const {
    return function;
  }
};

}  // namespace pybind11
namespace py = pybind11;

#define PYBIND11_MODULE(name, variable)                               \
  static void km_define_module(::pybind11::module_& variable);        \
  KM_BIND_EXTENSION {                                                 \
    ::pybind11::module_ module(&km_table);                            \
    km_define_module(module);                                         \
  }                                                                   \
  __attribute__((optnone)) static void km_define_module(              \
      [[maybe_unused]] ::pybind11::module_& variable)
