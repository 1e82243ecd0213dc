#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/trampoline.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "predictors/actual.h"
#include "predictors/class_mean.h"
#include "predictors/last_two.h"
#include "predictors/nearest.h"
#include "predictors/regression.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

// Python subclasses of Predictor: predict(job) -> seconds, learn(job, run_s).
class PythonPredictor : public Predictor {
  public:
    NB_TRAMPOLINE(Predictor);

    std::shared_ptr<Predictor> clone() const override {
        const nb::gil_scoped_acquire locked;
        return nb::cast<std::shared_ptr<Predictor>>(nb_trampoline.base().attr("clone")());
    }
    void begin() override {
        const nb::gil_scoped_acquire locked;
        nb_trampoline.base().attr("begin")();
    }
    double predict(const SubmittedJob& job) override {
        const nb::gil_scoped_acquire locked;
        const nb::object predicted = nb_trampoline.base().attr("predict")(job);
        double seconds = 0;
        if (!nb::try_cast(predicted, seconds)) {
            throw PolicyError("predict returned " + nb::cast<std::string>(nb::repr(predicted)) +
                              "; must return a number of seconds");
        }
        return seconds;
    }
    void learn(const SubmittedJob& job, Time run) override {
        const nb::gil_scoped_acquire locked;
        nb_trampoline.base().attr("learn")(job, run);
    }
};

// A predictor of the core. Python may call it too, as a part of a predictor written in Python.
template <typename Native>
nb::class_<Native, Predictor> bind_native(nb::module_& m, const char* name, const char* sentence) {
    return nb::class_<Native, Predictor>(m, name, sentence)
        .def("begin", &Native::begin)
        .def("predict", &Native::predict, "job"_a)
        .def("learn", &Native::learn, "job"_a, "run_s"_a);
}

}  // namespace

void bind_predictors(nb::module_& m) {
    nb::class_<SubmittedJob>(m, "SubmittedJob", "What is known of a job when it is submitted.")
        .def_ro("job", &SubmittedJob::job, "its place in the workload, its handle")
        .def_ro("nodes", &SubmittedJob::nodes, "nodes it needs")
        .def_ro("request_s", &SubmittedJob::request, "run time its user asked for")
        .def_ro("submit_s", &SubmittedJob::submit, "when it was submitted")
        .def_ro("user", &SubmittedJob::user, "who submitted it");

    nb::class_<Predictor, PythonPredictor>(
        m, "Predictor", "Predicts how long jobs run, from those that have ended.")
        .def(nb::init<>())
        .def("clone", &Predictor::clone, "Return a copy with all that it has learnt.")
        .def("__deepcopy__", [](const Predictor& self, nb::handle) { return self.clone(); },
             "memo"_a);
    bind_native<Actual>(m, "Actual", "The oracle: the true run time.")
        .def(
            "__init__",
            [](Actual* self, const Column<Time>& run) {
                new (self) Actual({run.data(), run.data() + run.size()});
            },
            "run"_a);
    bind_native<LastTwo>(m, "LastTwo", "The mean of the user's last two run times.")
        .def(nb::init<>());
    bind_native<ClassMean>(m, "ClassMean",
                           "The mean run time of the jobs most like it that have ended.")
        .def(nb::init<>());
    bind_native<Nearest>(m, "Nearest",
                         "The mean run time of the user's three ended jobs nearest to it.")
        .def(nb::init<>());
    bind_native<Regression>(
        m, "Regression", "Online ridge regression on request, nodes and the user's recent jobs.")
        .def(nb::init<>());
}

}  // namespace schedlab
