#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "bindings/bindings.h"
#include "live/live_cluster.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

using Ranges = std::vector<std::pair<NodeIndex, NodeIndex>>;

Ranges nodes_of(const LiveCluster& cluster, JobIndex job) {
    Ranges ranges;
    for (const NodeRange range : cluster.nodes_of(job)) {
        ranges.emplace_back(range.first, range.last);
    }
    return ranges;
}

std::optional<Time> next_pass(LiveCluster& cluster) {
    const Time next = cluster.next_pass();
    return next == kNever ? std::nullopt : std::optional(next);
}

}  // namespace

void bind_live(nb::module_& m) {
    nb::class_<LiveCluster>(m, "LiveCluster",
                            "A cluster that somebody else runs: jobs arrive and end when told.")
        .def("__init__",
             [](LiveCluster* self, NodeCount nodes, Time tick,
                const std::optional<std::shared_ptr<Predictor>>& predictor) {
                 new (self) LiveCluster(nodes, tick, predictor.value_or(nullptr));
             },
             "nodes"_a, "tick"_a, "predictor"_a.none())
        .def("use", &LiveCluster::use, "policy"_a, nb::keep_alive<1, 2>(),
             "Puts the queue in the policy's order; call it before the first job.")
        .def("submit", &LiveCluster::submit, "id"_a, "time"_a, "nodes"_a, "request"_a, "user"_a,
             "A job has been submitted; returns its place, by which it is known from now on.")
        .def("end", &LiveCluster::end, "job"_a, "time"_a, "A running job has ended.")
        .def("decide", &LiveCluster::decide, "policy"_a, "time"_a,
             "Runs the pass that is due at that time, if one is; the jobs that start, in order.")
        .def_prop_ro("next_pass", &next_pass,
                     "when a pass is due next without any message; None if none is")
        .def("nodes_of", &nodes_of, "job"_a, "the nodes of a job that has started, as ranges");
}

}  // namespace schedlab
