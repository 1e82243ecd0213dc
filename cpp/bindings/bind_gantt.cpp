#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "bindings/bindings.h"
#include "bindings/bound_batch.h"
#include "env/bernoulli_jobs.h"
#include "env/gantt_env.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

using Batch = BoundBatch<GanttEnv>;
using Bounds = std::pair<std::int64_t, std::int64_t>;
using JobColumns = std::tuple<Numpy<Time>, Numpy<NodeCount>, Numpy<Time>>;

GanttOptions make_options(NodeCount resources, std::size_t slots, Time window,
                          std::size_t backlog_columns, std::size_t colours, Time arrival_memory,
                          std::int64_t max_steps, GanttObservation observation,
                          GanttReward reward) {
    return {resources,      slots,     window,      backlog_columns, colours,
            arrival_memory, max_steps, observation, reward};
}

BernoulliLaw make_law(double arrivals_per_unit, Time units, double short_share, Bounds short_run,
                      Bounds long_run, double narrow_share, Bounds narrow_nodes,
                      Bounds wide_nodes) {
    const auto range = [](Bounds bounds) { return WholeRange{bounds.first, bounds.second}; };
    return {arrivals_per_unit,
            units,
            {short_share, range(short_run), range(long_run)},
            {narrow_share, range(narrow_nodes), range(wide_nodes)}};
}

JobColumns job_columns(const std::vector<GanttJob>& jobs) {
    std::vector<Time> submit, run;
    std::vector<NodeCount> nodes;
    for (const GanttJob& job : jobs) {
        submit.push_back(job.submit);
        nodes.push_back(job.resources);
        run.push_back(job.duration);
    }
    return {to_numpy(std::move(submit)), to_numpy(std::move(nodes)), to_numpy(std::move(run))};
}

std::vector<GanttJob> jobs_of(const Column<Time>& submit, const Column<NodeCount>& nodes,
                              const Column<Time>& run) {
    const auto widths = written(nodes, submit.size(), "nodes");
    const auto lengths = written(run, submit.size(), "run");
    std::vector<GanttJob> jobs;
    for (std::size_t i = 0; i < submit.size(); ++i) {
        jobs.push_back({submit.data()[i], widths[i], lengths[i]});
    }
    return jobs;
}

// Every job's resources as ranges: (where those of each job begin, first, last).
auto resource_ranges(const GanttEnv& env) {
    std::vector<std::int64_t> offset{0};
    std::vector<NodeIndex> first, last;
    for (std::size_t job = 0; job < env.jobs().size(); ++job) {
        for (const NodeRange range : env.resources_of(static_cast<JobIndex>(job))) {
            first.push_back(range.first);
            last.push_back(range.last);
        }
        offset.push_back(static_cast<std::int64_t>(first.size()));
    }
    return std::make_tuple(to_numpy(std::move(offset)), to_numpy(std::move(first)),
                           to_numpy(std::move(last)));
}

void bind_options(nb::module_& m) {
    nb::enum_<GanttObservation>(m, "GanttObservation", "What the agent sees of the grid.")
        .value("image", GanttObservation::image)
        .value("vector", GanttObservation::vector);
    nb::enum_<GanttReward>(m, "GanttReward", "What a reward on the grid is the fall of.")
        .value("mean", GanttReward::mean)
        .value("total", GanttReward::total);
    nb::class_<GanttOptions>(m, "GanttOptions", "The rules of the grid's environment.")
        .def(nb::new_(&make_options), nb::kw_only(), "resources"_a, "slots"_a, "window"_a,
             "backlog_columns"_a, "colours"_a, "arrival_memory"_a, "max_steps"_a, "observation"_a,
             "reward"_a);
    nb::class_<BernoulliLaw>(m, "BernoulliLaw", "The law of the grid's jobs, in time units.")
        .def(nb::new_(&make_law), nb::kw_only(), "arrivals_per_unit"_a, "units"_a, "short_share"_a,
             "short_run"_a, "long_run"_a, "narrow_share"_a, "narrow_nodes"_a, "wide_nodes"_a)
        .def("draw",
             [](const BernoulliLaw& law, std::uint64_t seed) {
                 return job_columns(draw_jobs(law, seed));
             },
             "seed"_a, "The jobs of one episode, at least one: (submit, nodes, run).");
}

}  // namespace

void bind_gantt(nb::module_& m) {
    bind_options(m);
    bind_batch<GanttEnv>(m, "GanttBatch")
        .def("reset",
             [](Batch& b, std::size_t index, const Column<Time>& submit,
                const Column<NodeCount>& nodes, const Column<Time>& run,
                const Rows<float>& observation, const Rows<std::uint8_t>& mask) {
                 b.reset(index, jobs_of(submit, nodes, run), observation, mask);
             },
             "index"_a, "submit"_a, "nodes"_a, "run"_a, "observation"_a, "mask"_a,
             "Begins an episode with these jobs, which must be feasible, and writes its rows.")
        .def("draw",
             [](Batch& b, std::size_t index, const BernoulliLaw& law, std::uint64_t seed,
                const Rows<float>& observation, const Rows<std::uint8_t>& mask) {
                 b.reset(index, draw_jobs(law, seed), observation, mask);
             },
             "index"_a, "law"_a, "seed"_a, "observation"_a, "mask"_a,
             "Begins an episode with the jobs that the law draws, and writes its rows.")
        .def("now", [](const Batch& b, std::size_t i) { return b.env(i).now(); }, "index"_a,
             "the time unit")
        .def("completed", [](const Batch& b, std::size_t i) { return b.env(i).completed(); },
             "index"_a, "jobs that have ended")
        .def("mean_slowdown",
             [](const Batch& b, std::size_t i) { return b.env(i).mean_slowdown(); }, "index"_a,
             "time in the system so far over requested time, the mean over all submitted jobs")
        .def("jobs", [](const Batch& b, std::size_t i) { return job_columns(b.env(i).jobs()); },
             "index"_a, "the jobs of the episode: (submit, nodes, run)")
        .def("starts",
             [](const Batch& b, std::size_t i) {
                 return to_numpy(std::vector(b.env(i).start_times()));
             },
             "index"_a, "when each job starts, -1 if it is not decided")
        .def("ranges", [](const Batch& b, std::size_t i) { return resource_ranges(b.env(i)); },
             "index"_a, "each job's resources: (offset by job, first, last)")
        .def("slots",
             [](const Batch& b, std::size_t i) { return to_numpy(std::vector(b.env(i).slots())); },
             "index"_a, "the job in each slot, -1 if it is empty")
        .def("backlog", [](const Batch& b, std::size_t i) { return b.env(i).backlog(); },
             "index"_a, "waiting jobs that are in no slot");
}

}  // namespace schedlab
