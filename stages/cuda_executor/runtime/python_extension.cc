#include "stages/cuda_executor/runtime/python_extension.h"

#include <dlfcn.h>

#include <kernelmill/extension_table.h>

#include <torch/csrc/Exceptions.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/kept_variables.h"
#include "stages/cuda_executor/runtime/python/python_classes.h"
#include "stages/cuda_executor/runtime/python_values.h"

namespace kernelmill {
namespace {

// The arguments of one call in the order of the parameters.
std::vector<c10::IValue> Arguments(const BoundFunction& function, PyObject* positional,
                                   PyObject* named) {
  const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(positional));
  TORCH_CHECK_TYPE(given <= function.parameter_count, function.name, "() takes ",
                   function.parameter_count, " arguments, ", given, " were given");
  std::vector<std::optional<c10::IValue>> values(function.parameter_count);
  for (std::size_t i = 0; i < given; ++i) {
    values[i] = ValueOf(PyTuple_GET_ITEM(positional, static_cast<Py_ssize_t>(i)));
  }
  PyObject *key = nullptr, *object = nullptr;
  for (Py_ssize_t at = 0; named != nullptr && PyDict_Next(named, &at, &key, &object);) {
    const char* const name = PyUnicode_AsUTF8(key);
    std::size_t i = 0;
    while (i < function.parameters.size() && function.parameters[i].name != name) ++i;
    TORCH_CHECK_TYPE(i < function.parameters.size() && i < values.size() && !values[i].has_value(),
                     function.name, "() got an unexpected keyword argument '", name, "'");
    values[i] = ValueOf(object);
  }
  std::vector<c10::IValue> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].has_value() && i < function.parameters.size()) {
      values[i] = function.parameters[i].value;
    }
    TORCH_CHECK_TYPE(values[i].has_value(), function.name, "() misses its argument ", i + 1);
    result.push_back(*std::move(values[i]));
  }
  return result;
}

// `self` is a capsule of the BoundFunction.
PyObject* CallFunction(PyObject* self, PyObject* positional, PyObject* named) {
  HANDLE_TH_ERRORS
  const auto* const function =
      static_cast<const BoundFunction*>(PyCapsule_GetPointer(self, nullptr));
  const std::vector<c10::IValue> arguments = Arguments(*function, positional, named);
  const auto call = [&] {
    const RunningScope host(Running::kHostCode, function->name.c_str());
    return function->call(function->function, arguments.data());
  };
  return ObjectOf(call());
  END_HANDLE_TH_ERRORS
}

// A constructor fills the object that is its first argument.
PyObject* CallConstructor(PyObject* self, PyObject* positional, PyObject* named) {
  HANDLE_TH_ERRORS
  const auto* const function =
      static_cast<const BoundFunction*>(PyCapsule_GetPointer(self, nullptr));
  const PyHandle rest(PyTuple_GetSlice(positional, 1, PyTuple_GET_SIZE(positional)));
  if (rest.get() == nullptr) return nullptr;
  const std::vector<c10::IValue> arguments = Arguments(*function, rest.get(), named);
  const RunningScope host(Running::kHostCode, function->name.c_str());
  FillInstance(PyTuple_GET_ITEM(positional, 0),
               function->call(function->function, arguments.data()));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyHandle CallableOf(const BoundFunction& function) {
  using Call = PyObject* (*)(PyObject*, PyObject*, PyObject*);
  const Call call =
      function.role == BoundRole::kConstructor ? &CallConstructor : &CallFunction;
  // These live as long as the library, which is never unloaded.
  auto* const method = new PyMethodDef{
      function.name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
      METH_VARARGS | METH_KEYWORDS, nullptr};
  const PyHandle capsule(PyCapsule_New(const_cast<BoundFunction*>(&function), nullptr, nullptr));
  if (capsule.get() == nullptr) return PyHandle(nullptr);
  return PyHandle(PyCFunction_New(method, capsule.get()));
}

bool AddFunctions(PyObject* module, const ExtensionTable& table) {
  for (const BoundFunction& function : table.functions()) {
    if (!function.owner.empty()) continue;
    PyHandle callable = CallableOf(function);
    if (callable.get() == nullptr) return false;
    if (PyModule_AddObjectRef(module, function.name.c_str(), callable.get()) != 0) return false;
  }
  for (const BoundClass& bound : table.classes()) {
    const PyHandle made = MakeClass(bound, table, CallableOf);
    if (made.get() == nullptr) return false;
    if (PyModule_AddObjectRef(module, bound.name.c_str(), made.get()) != 0) return false;
  }
  return true;
}

}  // namespace

PyObject* LoadExtension(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    PyErr_Format(PyExc_ImportError, "%s", dlerror());
    return nullptr;
  }
  NoteVariablesOf(path);
  PyObject* const module = PyModule_New("extension");
  if (module == nullptr) return nullptr;
  using Bind = void (*)(ExtensionTable&);
  const auto bind = reinterpret_cast<Bind>(dlsym(library, "kernelmill_bind"));
  if (bind == nullptr) return module;  // It has registered operators with TORCH_LIBRARY instead.
  auto* const table = new ExtensionTable;
  bind(*table);
  if (!AddFunctions(module, *table)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}

}  // namespace kernelmill
