#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/bindings.h"
#include "bindings/machine_arrays.h"
#include "core/calendar.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {

NodeSet node_set(NodeCount total, const Column<NodeIndex>& nodes) {
    NodeSet set(total, {});
    for (const NodeIndex node : as_span(nodes)) set.add(node);
    return set;
}

Share share_of(const Column<Amount>& amounts, bool exclusive, const PlainGpus& gpus) {
    const auto all = as_span(amounts);
    Share share;
    share.exclusive = exclusive;
    if (exclusive) return share;
    share.amounts.assign(all.begin(), all.end());
    std::tie(share.gpus, share.milli, share.gpu_first, share.gpu_last) = gpus;
    return share;
}

namespace {

Machine make_machine(const Matrix<Amount>& capacity, std::size_t gpus) {
    const std::span<const Amount> amounts(capacity.data(), capacity.size());
    return {static_cast<NodeCount>(capacity.shape(1)), {amounts.begin(), amounts.end()}, gpus};
}

}  // namespace

void bind_machine(nb::module_& m) {
    nb::class_<Machine>(m, "Machine", "Nodes with their resources, and what jobs ask for of them.")
        .def(nb::new_([](const Matrix<Amount>& capacity, std::size_t gpus) {
                 return std::make_shared<Machine>(make_machine(capacity, gpus));
             }),
             "capacity"_a, "gpus"_a = 0)
        .def("add_set",
             [](Machine& machine, const Column<NodeIndex>& nodes) {
                 return machine.add(node_set(machine.nodes(), nodes));
             },
             "nodes"_a, "Return the place of the set of nodes, added if it is new.")
        .def("add_single_nodes", &Machine::add_single_nodes,
             "Add each node as a set, for jobs that are suspended there.")
        .def("add_share",
             [](Machine& machine, const Column<Amount>& amounts, bool exclusive,
                const PlainGpus& gpus) { return machine.add(share_of(amounts, exclusive, gpus)); },
             "amounts"_a, "exclusive"_a, "gpus"_a,
             "Return the place of the share, added if it is new.");
    using Changes = MachineChanges;
    nb::class_<Changes>(m, "MachineChanges", "What happens to a machine by itself.")
        .def(nb::new_([] { return std::make_shared<Changes>(); }))
        .def("add_interval",
             [](Changes& changes, int kind, Time begin, std::optional<Time> end, NodeCount total,
                const Column<NodeIndex>& nodes) {
                 changes.intervals.push_back({static_cast<Interval::Kind>(kind), begin,
                                              end.value_or(kNever), node_set(total, nodes)});
             },
             "kind"_a, "begin"_a, "end"_a.none(), "total"_a, "nodes"_a,
             "Close nodes for a time: outage 0, drain 1, reservation 2; in order of begin.")
        .def("add_guests",
             [](Changes& changes, const OpenTo& open_to) { changes.guests.push_back(open_to); },
             "open_to"_a, "Add a group of guests: which intervals are open to it.")
        .def("add_step",
             [](Changes& changes, Time time, NodeIndex consumable, Amount capacity) {
                 changes.steps.push_back({time, consumable, capacity});
             },
             "time"_a, "consumable"_a, "capacity"_a,
             "Give a consumable another capacity; in order of time.")
        .def("add_failure",
             [](Changes& changes, NodeIndex node, Time time, Time up) {
                 changes.failures.push_back({node, time, up});
             },
             "node"_a, "time"_a, "up"_a, "Let a node fail until it is repaired; in order of time.");
}

}  // namespace schedlab
