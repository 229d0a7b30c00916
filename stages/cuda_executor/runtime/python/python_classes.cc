#include "stages/cuda_executor/runtime/python/python_classes.h"

#include <map>
#include <utility>

namespace kernelmill {
namespace {

struct Instance {
  PyObject_HEAD
  c10::IValue* value;  // Null until the constructor has run.
};

// Python calls it from the function of the derived class, which gives up the class itself.
void Free(PyObject* object) {
  delete reinterpret_cast<Instance*>(object)->value;
  Py_TYPE(object)->tp_free(object);
}

// What the classes of extensions derive from.
PyTypeObject* BaseType() {
  static PyTypeObject type = [] {
    PyTypeObject made{PyVarObject_HEAD_INIT(nullptr, 0)};
    made.tp_name = "pybind11_builtins.pybind11_object";
    made.tp_basicsize = sizeof(Instance);
    made.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
    made.tp_new = PyType_GenericNew;
    made.tp_dealloc = Free;
    return made;
  }();
  static const bool ready = PyType_Ready(&type) == 0;
  return ready ? &type : nullptr;
}

std::map<const void*, PyTypeObject*>& Types() {
  static std::map<const void*, PyTypeObject*> types;
  return types;
}

// The attributes of a class: functions, and properties of getters and setters.
bool Fill(PyObject* attributes, const std::string& owner, const ExtensionTable& table,
          PyHandle (*callable_of)(const BoundFunction&)) {
  for (const BoundFunction& function : table.functions()) {
    if (function.owner != owner) continue;
    PyHandle callable = callable_of(function);
    if (callable.get() == nullptr) return false;
    PyObject* const property = reinterpret_cast<PyObject*>(&PyProperty_Type);
    const char* const name = function.name.c_str();
    PyHandle attribute(nullptr);
    switch (function.role) {
      case BoundRole::kGetter:
        attribute = PyHandle(PyObject_CallOneArg(property, callable.get()));
        break;
      case BoundRole::kSetter: {
        PyObject* const known = PyDict_GetItemString(attributes, name);
        if (known == nullptr) return false;
        attribute = PyHandle(PyObject_CallMethod(known, "setter", "O", callable.get()));
        break;
      }
      case BoundRole::kStatic:
        attribute = std::move(callable);
        break;
      default:  // Python passes the object as the first argument.
        attribute = PyHandle(PyInstanceMethod_New(callable.get()));
    }
    if (attribute.get() == nullptr) return false;
    if (PyDict_SetItemString(attributes, name, attribute.get()) != 0) return false;
  }
  return true;
}

}  // namespace

PyHandle MakeClass(const BoundClass& bound, const ExtensionTable& table,
                   PyHandle (*callable_of)(const BoundFunction&)) {
  PyTypeObject* const base = BaseType();
  const PyHandle attributes(PyDict_New()), no_names(PyTuple_New(0));
  if (base == nullptr || attributes.get() == nullptr || no_names.get() == nullptr ||
      PyDict_SetItemString(attributes.get(), "__slots__", no_names.get()) != 0 ||
      !Fill(attributes.get(), bound.name, table, callable_of)) {
    return PyHandle(nullptr);
  }
  PyHandle made(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O)O",
                                      bound.name.c_str(), base, attributes.get()));
  // The class lives as long as the library, which is never unloaded.
  if (made.get() != nullptr) {
    Py_INCREF(made.get());
    Types()[bound.type] = reinterpret_cast<PyTypeObject*>(made.get());
  }
  return made;
}

bool IsBoundInstance(PyObject* object) { return PyObject_TypeCheck(object, BaseType()) != 0; }
c10::IValue ValueOfInstance(PyObject* object) {
  const c10::IValue* const value = reinterpret_cast<Instance*>(object)->value;
  TORCH_CHECK_TYPE(value != nullptr, Py_TYPE(object)->tp_name, ".__init__() has not been called");
  return *value;
}
void FillInstance(PyObject* object, c10::IValue value) {
  TORCH_CHECK_TYPE(IsBoundInstance(object), "__init__() needs an object of its class");
  auto* const instance = reinterpret_cast<Instance*>(object);
  delete std::exchange(instance->value, new c10::IValue(std::move(value)));
}
PyObject* InstanceOf(const c10::IValue& value) {
  const auto held = value.toCapsule();
  PyTypeObject* const type = Types()[static_cast<const BoundObject*>(held.get())->type];
  if (type == nullptr) {
    PyErr_SetString(PyExc_TypeError, "the class of a result is not bound");
    return nullptr;
  }
  PyObject* const object = type->tp_alloc(type, 0);
  if (object != nullptr) reinterpret_cast<Instance*>(object)->value = new c10::IValue(value);
  return object;
}

}  // namespace kernelmill
