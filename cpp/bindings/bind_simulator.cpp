// All of the simulator that Python sees, in one file: the names, their arguments and their help are
// read together, and nothing is computed here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/bindings.h"
#include "bindings/job_arrays.h"
#include "bindings/machine_arrays.h"
#include "bindings/python_view.h"
#include "core/frag_choice.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

std::shared_ptr<Simulator> make_simulator(
    const Column<std::int64_t>& id, const Column<Time>& submit, const Column<std::int64_t>& nodes,
    const Column<Time>& request, const Column<Time>& run, const Column<std::int64_t>& user,
    const std::optional<Rules>& eligibility, const std::optional<Column<Time>>& cancel_time,
    NodeCount total_nodes, Time tick, bool kill_at_request,
    const std::optional<std::shared_ptr<Predictor>>& predictor,
    const std::optional<Demands>& demands,
    const std::optional<std::shared_ptr<NodeChoice>>& place,
    const std::optional<Attempting>& attempting,
    const std::optional<std::shared_ptr<MachineChanges>>& changes, std::int8_t preempt_by) {
    JobTable table;
    table.id = copied<std::int64_t>(id);
    table.submit = copied<Time>(submit);
    table.nodes = copied<NodeCount>(nodes);
    table.request = copied<Time>(request);
    table.run = copied<Time>(run);
    table.user = copied<std::int64_t>(user);
    table.cancel_time = copied_if(cancel_time);
    Options options{total_nodes, tick, kill_at_request};
    options.place = place.value_or(nullptr);
    if (demands) {
        const auto& [machine, counted, parts, guests, of_job] = *demands;
        options.machine = machine;
        options.counted = counted;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            table.demands.push_back({parts_of(parts[i]), guests[i]});
        }
        table.demand = copied<std::int32_t>(of_job);
    }
    if (attempting) {
        const auto& [tier, checkpoint, requeue, when_preempted] = *attempting;
        table.tier = copied<std::int32_t>(tier);
        table.checkpoint = copied<Time>(checkpoint);
        table.requeue = copied<std::uint8_t>(requeue);
        for (const std::int8_t mode : as_span(when_preempted)) {
            table.when_preempted.push_back(static_cast<WhenPreempted>(mode));
        }
    }
    options.changes = changes.value_or(nullptr);
    options.preempt_by = static_cast<PreemptBy>(preempt_by);
    std::optional<EligibilityRules> rules;
    if (eligibility) rules = rules_of(*eligibility);
    return std::make_shared<Simulator>(std::move(table), std::move(options),
                                       predictor.value_or(nullptr), std::move(rules));
}

// (offset, first, last): the node ranges of all jobs, in order of the jobs.
template <typename RangesOf>
auto packed_ranges(std::size_t jobs, RangesOf ranges_of) {
    std::vector<std::int64_t> offset{0};
    std::vector<NodeIndex> first, last;
    offset.reserve(jobs + 1);
    for (std::size_t job = 0; job < jobs; ++job) {
        for (const NodeRange range : ranges_of(static_cast<JobIndex>(job))) {
            first.push_back(range.first);
            last.push_back(range.last);
        }
        offset.push_back(static_cast<std::int64_t>(first.size()));
    }
    return std::make_tuple(to_numpy(std::move(offset)), to_numpy(std::move(first)),
                           to_numpy(std::move(last)));
}

auto node_ranges(const Simulator& simulator) {
    return packed_ranges(simulator.jobs(),
                         [&](JobIndex job) { return simulator.nodes_of(job); });
}

// (job, start, end, why, lost, (offset, first, last)) of the attempts that were interrupted.
auto interrupted_attempts(const Simulator& simulator) {
    std::vector<JobIndex> job;
    std::vector<Time> start, end, lost;
    std::vector<std::int8_t> why;
    const auto attempts = simulator.attempts();
    for (const Attempt& attempt : attempts) {
        job.push_back(attempt.job);
        start.push_back(attempt.start);
        end.push_back(attempt.end);
        why.push_back(static_cast<std::int8_t>(attempt.why));
        lost.push_back(attempt.lost);
    }
    auto nodes = packed_ranges(attempts.size(), [&](JobIndex place) {
        return simulator.nodes_of(attempts[static_cast<std::size_t>(place)]);
    });
    return std::make_tuple(to_numpy(std::move(job)), to_numpy(std::move(start)),
                           to_numpy(std::move(end)), to_numpy(std::move(why)),
                           to_numpy(std::move(lost)), std::move(nodes));
}

// Plays starts and ends in the given order; a job that occurs for the second time ends.
auto name_nodes(const Column<std::int64_t>& events, const Column<std::int64_t>& nodes,
                NodeCount total) {
    NodePool pool(total);
    std::vector<std::vector<NodeRange>> given(nodes.size());
    for (const std::int64_t job : as_span(events)) {
        if (!given[job].empty()) {
            pool.give_back(given[job]);
        } else if (nodes.data()[job] <= pool.free()) {
            pool.take(static_cast<NodeCount>(nodes.data()[job]), given[job]);
        } else {
            throw nb::index_error(std::to_string(job).c_str());
        }
    }
    return packed_ranges(given.size(), [&](JobIndex job) -> const auto& { return given[job]; });
}

Numpy<std::int8_t> state_codes(const Simulator& simulator) {
    std::vector<std::int8_t> codes;
    codes.reserve(simulator.jobs());
    for (const JobState state : simulator.states()) codes.push_back(static_cast<std::int8_t>(state));
    return to_numpy(std::move(codes));
}

template <typename T>
Numpy<T> copy_to_numpy(std::span<const T> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

QueueArrays queue_of(const PythonView& self) {
    const View& view = self.view();
    const WaitingQueue& queue = view.queue();
    std::vector<WaitingJob> jobs;
    jobs.reserve(queue.size());
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        jobs.push_back(view.waiting(at));
    }
    return queue_arrays(jobs, view.machine());
}

RunningArrays running_of(const PythonView& self) {
    const View& view = self.view();
    std::vector<JobIndex> jobs = view.running();
    std::vector<NodeCount> nodes;
    std::vector<Time> start, release;
    std::vector<std::int64_t> user;
    for (const JobIndex job : jobs) {
        nodes.push_back(view.nodes(job));
        start.push_back(view.start_of(job));
        release.push_back(view.expected_release(job));
        user.push_back(view.user(job));
    }
    return {to_numpy(std::move(jobs)), to_numpy(std::move(nodes)), to_numpy(std::move(start)),
            to_numpy(std::move(release)), to_numpy(std::move(user))};
}

std::vector<NodeCount> pools_of(const PythonView& self) {
    const View& view = self.view();
    std::vector<NodeCount> pools;
    if (view.one_pool() || !view.counts_nodes()) return pools;
    for (const NodeSet& set : view.machine_of_nodes()->sets()) pools.push_back(set.count());
    return pools;
}

std::vector<std::pair<std::int32_t, NodeCount>> parts_of_job(const PythonView& self, JobIndex job) {
    const View& view = self.view();
    view.require_job(job);
    if (view.one_pool()) return {{0, view.nodes(job)}};
    std::vector<std::pair<std::int32_t, NodeCount>> parts;
    for (const Part& part : view.parts(job)) parts.emplace_back(part.set, part.count);
    return parts;
}

std::vector<std::pair<NodeIndex, NodeIndex>> nodes_of(const PythonView& self, JobIndex job) {
    self.view().require_started(job);
    std::vector<std::pair<NodeIndex, NodeIndex>> nodes;
    for (const auto [first, last] : self.view().nodes_of(job)) nodes.emplace_back(first, last);
    return nodes;
}

Time release_of(const PythonView& self, JobIndex job) {
    self.view().require_started(job);
    return self.view().expected_release(job);
}

void bind_choices(nb::module_& m) {
    nb::class_<NodeChoice>(m, "NodeChoice",
                           "Which nodes a job takes where more have room than it needs.");
    m.def("choose_by_room",
          [](const std::vector<std::pair<std::vector<std::size_t>, Amount>>& kinds, bool least) {
              std::vector<FitChoice::Kind> counted;
              for (const auto& [resources, most] : kinds) counted.push_back({resources, most});
              return std::shared_ptr<NodeChoice>(
                  std::make_shared<FitChoice>(std::move(counted), least));
          },
          "kinds"_a, "least"_a,
          "Return the choice of the node with the least or the most free. A kind is the resources "
          "that are added, and the most that a node has of them.");
    m.def("choose_by_weight",
          [](const Column<std::int64_t>& weights) {
              return std::shared_ptr<NodeChoice>(
                  std::make_shared<WeightChoice>(copied<std::int64_t>(weights)));
          },
          "weights"_a, "Return the choice of the node of the lowest weight.");
    m.def("choose_by_switch",
          [](const Column<std::int64_t>& switches) {
              return std::shared_ptr<NodeChoice>(
                  std::make_shared<SwitchChoice>(copied<std::int64_t>(switches)));
          },
          "switches"_a, "Return the choice of nodes on as few switches as possible.");
    m.def("choose_by_fragments",
          [](std::shared_ptr<Machine> machine,
             const std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>>& kinds) {
              std::vector<FragChoice::Kind> counted;
              for (const auto& [set, share, jobs] : kinds) counted.push_back({set, share, jobs});
              return std::shared_ptr<NodeChoice>(
                  std::make_shared<FragChoice>(std::move(machine), std::move(counted)));
          },
          "machine"_a, "kinds"_a,
          "Return the choice of the node on which a job leaves the fewest GPUs that others cannot "
          "use. A kind is a set, a share, and how many jobs are of it.");
    m.def("choose_at_random",
          [](std::uint64_t seed) {
              return std::shared_ptr<NodeChoice>(std::make_shared<RandomChoice>(seed));
          },
          "seed"_a, "Return the choice of any node.");
}

// The arrays own their memory; nanobind would otherwise tie properties to their object.
constexpr auto kOwned = nb::rv_policy::automatic;

void bind_view(nb::module_& m) {
    nb::class_<QueueArrays>(m, "Queue", "The waiting jobs as columns, in the queue's order.")
        .def_prop_ro("job", [](const QueueArrays& a) { return a.job; }, kOwned,
                     "each job's place in the workload, its handle")
        .def_prop_ro("nodes", [](const QueueArrays& a) { return a.nodes; }, kOwned,
                     "nodes it needs")
        .def_prop_ro("request_s", [](const QueueArrays& a) { return a.request; }, kOwned,
                     "run time its user asked for")
        .def_prop_ro("estimate_s", [](const QueueArrays& a) { return a.estimate; }, kOwned,
                     "predicted run time; the request without a predictor")
        .def_prop_ro("submit_s", [](const QueueArrays& a) { return a.submit; }, kOwned,
                     "when it was submitted")
        .def_prop_ro("wait_s", [](const QueueArrays& a) { return a.wait; }, kOwned,
                     "how long it has waited")
        .def_prop_ro("start_in_s", [](const QueueArrays& a) { return a.start_in; }, kOwned,
                     "how long until enough nodes will be free, if running jobs end as expected")
        .def_prop_ro("user", [](const QueueArrays& a) { return a.user; }, kOwned,
                     "who submitted it")
        .def("__len__", [](const QueueArrays& queue) { return queue.job.size(); });

    nb::class_<RunningArrays>(m, "Running", "The running jobs as columns, in order of start.")
        .def_prop_ro("job", [](const RunningArrays& a) { return a.job; }, kOwned,
                     "each job's place in the workload")
        .def_prop_ro("nodes", [](const RunningArrays& a) { return a.nodes; }, kOwned,
                     "nodes it occupies")
        .def_prop_ro("start_s", [](const RunningArrays& a) { return a.start; }, kOwned,
                     "when it started")
        .def_prop_ro("release_s", [](const RunningArrays& a) { return a.release; }, kOwned,
                     "when it is expected to release its nodes")
        .def_prop_ro("user", [](const RunningArrays& a) { return a.user; }, kOwned,
                     "who submitted it")
        .def("__len__", [](const RunningArrays& running) { return running.job.size(); });

    using V = PythonView;
    nb::class_<V>(m, "View", "All a policy may know and do at a pass; never a true run time.")
        .def_prop_ro("now", [](const V& v) { return v.view().now(); }, "the clock, in seconds")
        .def_prop_ro("nodes", [](const V& v) { return v.view().total_nodes(); },
                     "nodes of the machine")
        .def_prop_ro("free_nodes", [](const V& v) { return v.view().free_nodes(); },
                     "nodes free now")
        .def_prop_ro("queue", &queue_of, "the waiting jobs, as columns")
        .def_prop_ro("running", &running_of, "the running jobs, as columns")
        .def_prop_ro("completed", [](const V& v) { return copy_to_numpy(v.view().completed()); }, kOwned,
                     "jobs that ended since the last pass")
        .def_prop_ro("submitted", [](const V& v) { return copy_to_numpy(v.view().submitted()); }, kOwned,
                     "jobs that became eligible since the last pass")
        .def_prop_ro("cancelled", [](const V& v) { return copy_to_numpy(v.view().cancelled()); }, kOwned,
                     "jobs that were withdrawn since the last pass")
        .def_prop_ro("overdue", [](const V& v) { return v.view().overdue(); },
                     "whether a running job has exceeded its request")
        .def_prop_ro("plans_are_void", [](const V& v) { return v.view().plans_are_void(); },
                     "whether a running job has exceeded its request, or run longer than predicted "
                     "since the last pass")
        .def_prop_ro("clusters", &pools_of,
                     "nodes of each cluster, where jobs name clusters; else empty")
        .def("needs", &parts_of_job, "job"_a,
             "What the job needs, as (cluster, nodes); without clusters all of cluster 0.")
        .def("nodes_of", &nodes_of, "job"_a,
             "The nodes of a job that has started, as (first, last).")
        .def("release_s", &release_of, "job"_a,
             "When a job that has started is, or was, expected to release its nodes.")
        .def("fits", [](const V& v, JobIndex job) { return v.view().fits(job); }, "job"_a,
             "Whether enough nodes are free for it now.")
        .def("can_start", [](V& v, JobIndex job) { return v.view().can_start(job); }, "job"_a,
             "Whether it can start now without moving a reservation of this pass.")
        .def("can_start_at",
             [](V& v, JobIndex job, Time time) { return v.view().can_start_at(job, time); }, "job"_a,
             "time"_a, "Whether it can start then without moving a reservation of this pass.")
        .def("start", [](V& v, JobIndex job) { v.view().start_job(job); }, "job"_a,
             "Starts it now, on the lowest free nodes.")
        .def("reserve",
             [](V& v, JobIndex job, std::optional<Time> at, bool promise) {
                 return v.view().reserve(job, at, promise);
             },
             "job"_a, "at"_a = nb::none(), "promise"_a = true,
             "Reserves that start, or the earliest that moves no reservation of this pass; returns "
             "it. The first start ever reserved as a promise is recorded.")
        .def("give_back", [](V& v, JobIndex job) { v.view().give_back(job); }, "job"_a,
             "Gives back what was reserved for it in this pass.")
        .def("wake_at", [](V& v, Time time) { v.view().wake_at(time); }, "time"_a,
             "Asks for a pass at that time, unless another comes first: then ask again.");
}

}  // namespace

void bind_simulator(nb::module_& m) {
    bind_view(m);
    m.def("name_nodes", &name_nodes, "events"_a, "nodes"_a, "total"_a,
          "Names nodes, lowest free first, for jobs in the order of their starts and ends: "
          "(offset, first, last). IndexError names a job for which too few are free.");
    bind_choices(m);
    nb::class_<Simulator>(m, "Simulator", "A steppable simulation of a machine.")
        .def(nb::new_(&make_simulator), "id"_a, "submit"_a, "nodes"_a, "request"_a, "run"_a,
             "user"_a, "eligibility"_a.none(), "cancel_time"_a.none(),
             "total_nodes"_a, "tick"_a, "kill_at_request"_a, "predictor"_a = nb::none(),
             "demands"_a = nb::none(), "place"_a = nb::none(), "attempting"_a = nb::none(),
             "changes"_a = nb::none(), "preempt_by"_a = 0)
        .def("use", &Simulator::use, "policy"_a, nb::keep_alive<1, 2>(),
             "Put the queue in the policy's order from now on; call it before the first pass.")
        .def("run", &Simulator::run, "policy"_a, "passes"_a, "until"_a = kNever,
             nb::call_guard<nb::gil_scoped_release>(),
             "Run up to this many passes; return False when nothing more happens, or not by then.")
        .def("advance", [](Simulator& s, Time until) { return s.advance(until); },
             "until"_a = kNever, nb::call_guard<nb::gil_scoped_release>(),
             "Go on to the next pass without deciding it; return False when there is none.")
        .def("fork", &Simulator::fork, "policy"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Return a simulation that goes on from here by itself, under a clone of the policy.")
        .def(
            "add_job",
            [](Simulator& s, std::int64_t id, Time submit, NodeCount nodes, Time request, Time run,
               std::int64_t user, const std::vector<PlainPart>& parts, std::int32_t guest,
               std::int32_t tier) {
                const Demand demand{parts_of(parts), guest};
                return s.add_job({id, submit, nodes, request, run, user, demand, tier});
            },
            "id"_a, "submit"_a, "nodes"_a, "request"_a, "run"_a, "user"_a,
            "parts"_a = std::vector<PlainPart>{}, "guest"_a = 0, "tier"_a = 0,
            "Add a job that is submitted at its time; return its place.")
        .def("place_of_set",
             [](Simulator& s, const Column<NodeIndex>& nodes) {
                 return s.place_of(node_set(s.options().machine->nodes(), nodes));
             },
             "nodes"_a, "Return the place of a set of nodes, for the parts of added jobs.")
        .def("place_of_share",
             [](Simulator& s, const Column<Amount>& amounts, bool exclusive,
                const PlainGpus& gpus) { return s.place_of(share_of(amounts, exclusive, gpus)); },
             "amounts"_a, "exclusive"_a, "gpus"_a,
             "Return the place of a share, for parts of added jobs.")
        .def("group_of", &Simulator::group_of, "open_to"_a,
             "Return the group of guests to whom these intervals are open, for added jobs.")
        .def("imagine",
             [](Simulator& s, const Column<JobIndex>& jobs, const Column<Time>& run) {
                 s.imagine(as_span(jobs), as_span(run));
             },
             "jobs"_a, "run"_a,
             "Forget what cannot be known now; these unfinished jobs have these run times.")
        .def("cancel", &Simulator::cancel, "job"_a,
             "Withdraw the job now if it has not started; end it now if it runs.")
        .def_prop_ro(
            "view",
            [](const std::shared_ptr<Simulator>& simulator) { return PythonView(simulator); },
            "What a policy sees now.")
        .def_prop_ro("now", &Simulator::now, "the clock, in seconds")
        .def_prop_ro("ended", &Simulator::ended, "jobs that have ended")
        .def_prop_ro("waiting", &Simulator::waiting, "jobs that wait")
        .def("start_times", [](const Simulator& s) { return copy_to_numpy<Time>(s.start_times()); },
             "start of each job, -1 if it has not started")
        .def("end_times", [](const Simulator& s) { return copy_to_numpy<Time>(s.end_times()); },
             "end of each job, -1 if it has not started")
        .def("eligible_times",
             [](const Simulator& s) { return copy_to_numpy<Time>(s.eligible_times()); },
             "when each job could first have started")
        .def("promised_times",
             [](const Simulator& s) { return copy_to_numpy<Time>(s.promised_times()); },
             "first start promised to each job, -1 if none")
        .def("estimates", [](const Simulator& s) { return copy_to_numpy<Time>(s.estimates()); },
             "run time of each job as predicted when it became eligible")
        .def("states", &state_codes, "how each job ended")
        .def("attempts", &interrupted_attempts,
             "the attempts that were interrupted: (job, start, end, why, lost, nodes)")
        .def("node_ranges", &node_ranges, "the nodes of all jobs: (offset, first, last)");
}

}  // namespace schedlab
