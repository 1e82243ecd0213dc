#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nanobind/trampoline.h>

#include <cmath>
#include <limits>
#include <optional>

#include "bindings/bindings.h"
#include "bindings/python_view.h"
#include "policies/conservative.h"
#include "policies/easy.h"
#include "policies/easy_nodes.h"
#include "policies/linear_order.h"
#include "policies/network_order.h"
#include "policies/no_backfill.h"
#include "policies/orders.h"
#include "policies/pinned.h"
#include "policies/reserving.h"
#include "policies/wrsa_order.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {

QueueArrays queue_arrays(std::span<const WaitingJob> jobs, const MachineState& machine) {
    const std::size_t n = jobs.size();
    std::vector<JobIndex> job(n);
    std::vector<NodeCount> nodes(n);
    std::vector<Time> request(n), estimate(n), submit(n), wait(n), start_in(n);
    std::vector<std::int64_t> user(n);
    for (std::size_t i = 0; i < n; ++i) {
        job[i] = jobs[i].job;
        nodes[i] = jobs[i].nodes;
        request[i] = jobs[i].request;
        estimate[i] = jobs[i].estimate;
        submit[i] = jobs[i].submit;
        wait[i] = machine.now - jobs[i].eligible;
        start_in[i] = machine.time_until_room(jobs[i]);
        user[i] = jobs[i].user;
    }
    return {to_numpy(std::move(job)),      to_numpy(std::move(nodes)),
            to_numpy(std::move(request)),  to_numpy(std::move(estimate)),
            to_numpy(std::move(submit)),   to_numpy(std::move(wait)),
            to_numpy(std::move(start_in)), to_numpy(std::move(user))};
}

namespace {

// Python subclasses of Policy: schedule(view).
class PythonPolicy : public Policy {
  public:
    NB_TRAMPOLINE(Policy);

    std::shared_ptr<Policy> clone() const override {
        const nb::gil_scoped_acquire locked;
        return nb::cast<std::shared_ptr<Policy>>(nb_trampoline.base().attr("clone")());
    }

    void begin(const View&) override {
        const nb::gil_scoped_acquire locked;
        const nb::handle self = nb_trampoline.base();
        if (nb::hasattr(self, "begin")) self.attr("begin")();
    }

    void schedule(View& view) override {
        const nb::gil_scoped_acquire locked;
        nb_trampoline.base().attr("schedule")(PythonView(view.simulator()));
    }
};

// Python subclasses of Order: score(queue) -> one number per job, smaller first.
class PythonOrder : public Order {
  public:
    NB_TRAMPOLINE(Order);

    std::shared_ptr<Order> clone() const override {
        const nb::gil_scoped_acquire locked;
        return nb::cast<std::shared_ptr<Order>>(nb_trampoline.base().attr("clone")());
    }

    KeysChange keys_change() const override { return KeysChange::always; }

    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        if (jobs.empty()) return;
        const nb::gil_scoped_acquire locked;
        const nb::object scores = nb_trampoline.base().attr("score")(queue_arrays(jobs, machine));
        const auto array = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>>(
            nb::module_::import_("numpy").attr("asarray")(scores, "dtype"_a = "float64"));
        if (array.shape(0) != keys.size()) {
            throw PolicyError("score returned " + std::to_string(array.shape(0)) +
                              " numbers for " + std::to_string(keys.size()) + " waiting jobs");
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = array(i);
            if (std::isnan(keys[i])) throw PolicyError("score returned NaN; must be a number");
        }
    }
};

std::size_t depth_or_unlimited(std::optional<std::size_t> depth) {
    return depth.value_or(kUnlimited);
}

// A policy that plans everything at every pass.
template <typename P>
void bind_replanning(nb::module_& m, const char* name, const char* sentence) {
    nb::class_<P, Policy>(m, name, sentence)
        .def(
            "__init__",
            [](P* self, const std::shared_ptr<Order>& order, std::optional<std::size_t> depth,
               Hold reserve) { new (self) P(order, depth_or_unlimited(depth), reserve); },
            "order"_a, "depth"_a = nb::none(), "reserve"_a = Hold::shares);
}

template <typename P>
void bind_ordered(nb::module_& m, const char* name, const char* sentence) {
    nb::class_<P, Policy>(m, name, sentence)
        .def(
            "__init__",
            [](P* self, const std::shared_ptr<Order>& order, std::optional<std::size_t> depth) {
                new (self) P(order, depth_or_unlimited(depth));
            },
            "order"_a, "depth"_a = nb::none());
}

}  // namespace

void bind_policies(nb::module_& m) {
    nb::class_<Order, PythonOrder>(
        m, "Order", "The order in which waiting jobs are looked at: smaller scores first.")
        .def(nb::init<>());
    m.def(
        "make_order",
        [](const std::string& name) -> std::optional<std::shared_ptr<Order>> {
            if (auto order = make_order(name)) return order;
            return std::nullopt;
        },
        "name"_a, "The order of that name, or None.");
    nb::class_<WrsaOrder, Order>(m, "WrsaOrder",
                                 "The most accurate user first: descending WRSA + wait / ageing.")
        .def(nb::init<double, double>(), "beta"_a = UserAccuracy::kBeta,
             "ageing"_a = std::numeric_limits<double>::infinity(),
             "beta weighs a user's past, and waiting `ageing` seconds weighs as much as all "
             "accuracy.")
        .def("wrsa", &WrsaOrder::wrsa, "user"_a,
             "How accurate the user's requests have been: 1 before the first job has ended.");
    m.def("order_names", &order_names, "The names of the native orders.");
    m.def(
        "make_linear_order",
        [](const std::vector<double>& weights) {
            return make_linear_order(weights);
        },
        "weights"_a, "The smallest sum of weight x feature first; one weight for each feature.");
    m.def("feature_names", &feature_names, "What a linear order knows of a job, in their order.");
    m.def(
        "make_network_order",
        [](const std::vector<double>& linear, const std::vector<std::vector<double>>& hidden,
           const std::vector<double>& bias, const std::vector<double>& out) {
            return make_network_order({linear, hidden, bias, out});
        },
        "linear"_a, "hidden"_a, "bias"_a, "out"_a,
        "The smallest output first; weights by input, and by hidden unit.");
    m.def("network_job_inputs", &network_job_inputs, "What a network knows of a job.");
    m.def("network_queue_inputs", &network_queue_inputs, "What a network knows of the queue.");

    nb::class_<Policy, PythonPolicy>(m, "Policy",
                                     "Decides at each pass which waiting jobs start.")
        .def(nb::init<>())
        .def("clone", &Policy::clone, "Return a copy with all that it keeps between passes.")
        .def_prop_ro("order", &Policy::order, "the order of the queue; None means arrival");
    bind_ordered<NoBackfill>(m, "NoBackfill",
                             "Starts jobs in order; the first that does not fit blocks.");
    nb::enum_<Hold>(m, "Hold", "What a reservation holds of nodes that jobs share.")
        .value("shares", Hold::shares)
        .value("nodes", Hold::nodes);
    nb::class_<Conservative, Policy>(
        m, "Conservative", "Promises every considered job a start; promises move only earlier.")
        .def(
            "__init__",
            [](Conservative* self, const std::shared_ptr<Order>& order,
               std::optional<std::size_t> depth, bool frozen, bool oldest_first) {
                new (self)
                    Conservative(order, depth_or_unlimited(depth), frozen, oldest_first);
            },
            "order"_a, "depth"_a = nb::none(), "frozen"_a = false, "oldest_first"_a = false);
    bind_replanning<ConservativeRebuild>(
        m, "ConservativeRebuild", "Plans all considered jobs again, in order, at every pass.");
    bind_ordered<EasyNodes>(
        m, "EasyNodes", "EASY in which the head reserves named nodes, as Batsim's easy_bf does.");
    bind_replanning<AllReserved>(
        m, "AllReserved", "Plans the head, then all others in order; none moves another.");
    nb::class_<OneReserved, Policy>(
        m, "OneReserved", "Only the head's reservation is sacred; others may be pushed back.")
        .def(
            "__init__",
            [](OneReserved* self, const std::shared_ptr<Order>& order,
               std::optional<std::size_t> depth, double alpha, bool frozen, Hold reserve) {
                new (self) OneReserved(order, depth_or_unlimited(depth), alpha, frozen, reserve);
            },
            "order"_a, "depth"_a = nb::none(), "alpha"_a = 1.5, "frozen"_a = false,
            "reserve"_a = Hold::shares);
    nb::enum_<Push>(m, "Push", "What becomes of plans in the way of a job that starts in a hole.")
        .value("none", Push::none)
        .value("hole", Push::hole)
        .value("cascade", Push::cascade);
    nb::class_<Pinned, Policy>(
        m, "Pinned", "Plans name nodes and are kept, until a job comes; the head's even then.")
        .def(
            "__init__",
            [](Pinned* self, const std::shared_ptr<Order>& order, std::optional<std::size_t> depth,
               Push push, double alpha) {
                new (self) Pinned(order, depth_or_unlimited(depth), push, alpha);
            },
            "order"_a, "depth"_a = nb::none(), "push"_a = Push::none, "alpha"_a = 1.5);
    nb::class_<Easy, Policy>(
        m, "Easy", "Promises the head a start; others may start if they do not delay it.")
        .def(
            "__init__",
            [](Easy* self, const std::shared_ptr<Order>& order, std::optional<std::size_t> depth,
               std::optional<std::shared_ptr<Order>> candidates,
               std::optional<double> max_priority_gap) {
                new (self) Easy(order, depth_or_unlimited(depth),
                                candidates ? *candidates : nullptr,
                                max_priority_gap.value_or(std::numeric_limits<double>::infinity()));
            },
            "order"_a, "depth"_a = nb::none(), "candidates"_a = nb::none(),
            "max_priority_gap"_a = nb::none());
}

}  // namespace schedlab
