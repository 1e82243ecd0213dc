#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/bindings.h"
#include "bindings/bound_batch.h"
#include "bindings/python_view.h"
#include "env/queue_env.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

EnvOptions make_options(NodeCount nodes, std::size_t visible, Time tick, Mode mode,
                        Observation observation, Reward reward, int max_failures, bool doubling,
                        std::int64_t max_steps, double time_scale, double node_scale,
                        double largest, double started_weight, double utilisation_weight,
                        double steps_left_weight) {
    return {nodes,        visible,  tick,      mode,       observation,
            reward,       max_failures, doubling, max_steps, time_scale,
            node_scale,   largest,      started_weight, utilisation_weight, steps_left_weight};
}

void bind_options(nb::module_& m) {
    nb::enum_<Mode>(m, "Mode", "What the agent decides.")
        .value("pick", Mode::pick)
        .value("order", Mode::order)
        .value("guard", Mode::guard);
    nb::enum_<Observation>(m, "Observation", "What the agent sees.")
        .value("baseline", Observation::baseline)
        .value("proposal", Observation::proposal)
        .value("jobs", Observation::jobs);
    nb::enum_<Reward>(m, "Reward", "What the agent is rewarded for.")
        .value("terminal", Reward::terminal)
        .value("slowdown", Reward::slowdown)
        .value("utilisation", Reward::utilisation);
    nb::class_<EnvOptions>(m, "EnvOptions", "The rules of an environment.")
        .def(nb::new_(&make_options), nb::kw_only(), "nodes"_a, "visible"_a, "tick"_a, "mode"_a,
             "observation"_a, "reward"_a, "max_failures"_a, "doubling"_a, "max_steps"_a,
             "time_scale"_a, "node_scale"_a, "largest"_a, "started_weight"_a,
             "utilisation_weight"_a, "steps_left_weight"_a);
}

// An agent's decisions at the passes of a simulation that other code runs.
class Passes {
  public:
    explicit Passes(const EnvOptions& options) : env_(options) {}

    const QueueEnv& get() const { return env_; }

    bool enter(const PythonView& view) {
        if (env_.simulator() != view.view().simulator()) env_.attach(view.view().simulator());
        return env_.enter();
    }
    bool decide(std::int64_t action) { return env_.decide(action); }
    void leave() { env_.leave(); }

    void observe(const Values<float>& observation, const Values<std::uint8_t>& mask) const {
        const std::size_t size = QueueEnv::observation_size(env_.options());
        env_.observe(written(observation, size, "observation"));
        env_.mask(written(mask, QueueEnv::actions(env_.options()), "mask"));
    }

  private:
    QueueEnv env_;
};

void bind_passes(nb::module_& m) {
    nb::class_<Passes>(m, "QueuePasses",
                       "An environment's decisions at the passes of a simulation run elsewhere.")
        .def(nb::init<const EnvOptions&>(), "options"_a)
        .def_prop_ro(
            "observation_size",
            [](const Passes& p) { return QueueEnv::observation_size(p.get().options()); },
            "numbers that the agent sees")
        .def_prop_ro("actions",
                     [](const Passes& p) { return QueueEnv::actions(p.get().options()); },
                     "actions that the agent has")
        .def_prop_ro("started", [](const Passes& p) { return p.get().started(); },
                     "jobs started in this simulation")
        .def("enter", &Passes::enter, "view"_a,
             "Begins a pass; whether there is something to decide.")
        .def("observe", &Passes::observe, "observation"_a, "mask"_a,
             "Writes what the agent sees, and which actions make sense.")
        .def("decide", &Passes::decide, "action"_a,
             "Does what the action says; whether there is more to decide in this pass.")
        .def("leave", &Passes::leave,
             "Ends a pass; asks for another after an interval where the rules have intervals.");
}

}  // namespace

void bind_env(nb::module_& m) {
    bind_options(m);
    bind_passes(m);
    using Batch = BoundBatch<QueueEnv>;
    bind_batch<QueueEnv>(m, "QueueBatch")
        .def("reset", &Batch::reset<const std::shared_ptr<Simulator>&>, "index"_a, "simulator"_a,
             "observation"_a, "mask"_a, "Begins an episode of one environment, and writes its rows.")
        .def(
            "times",
            [](const Batch& b, const Values<std::int64_t>& times) {
                const auto now = written(times, b.get().size(), "times");
                for (std::size_t i = 0; i < now.size(); ++i) now[i] = b.env(i).simulator()->now();
            },
            "times"_a, "Writes how far in time each environment is.")
        .def("utilisation", [](const Batch& b, std::size_t i) { return b.env(i).utilisation(); },
             "index"_a,
             "share of the machine that the jobs started so far use until the last of them ends")
        .def("mean_wait", [](const Batch& b, std::size_t i) { return b.env(i).mean_wait(); },
             "index"_a, "mean wait of the jobs started so far")
        .def("mean_bounded_slowdown",
             [](const Batch& b, std::size_t i) { return b.env(i).mean_bounded_slowdown(); },
             "index"_a, "mean bounded slowdown of the jobs started so far");
}

}  // namespace schedlab
