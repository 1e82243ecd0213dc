#include <nanobind/nanobind.h>

#include "bindings/bindings.h"
#include "core/types.h"

namespace nb = nanobind;

namespace schedlab {
namespace {

// The core's PolicyError is Python's schedlab.errors.PolicyError.
void translate(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const PolicyError& broken) {
        const nb::object type = nb::module_::import_("schedlab.errors").attr("PolicyError");
        PyErr_SetString(type.ptr(), broken.what());
    }
}

}  // namespace
}  // namespace schedlab

NB_MODULE(_core, m) {
    m.doc() = "The native core of schedlab: the simulator, its policies and fast readers.";
#ifdef NDEBUG
    // A user's own policy may live until the interpreter ends: that needs no warning.
    nb::set_leak_warnings(false);
#endif
    nb::register_exception_translator(schedlab::translate);
    schedlab::bind_coalloc(m);
    schedlab::bind_io(m);
    schedlab::bind_policies(m);
    schedlab::bind_predictors(m);
    schedlab::bind_machine(m);
    schedlab::bind_simulator(m);
    schedlab::bind_futures(m);
    schedlab::bind_live(m);
    schedlab::bind_env(m);
    schedlab::bind_gantt(m);
    schedlab::bind_slurm(m);
}
