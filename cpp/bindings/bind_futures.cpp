#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/job_arrays.h"
#include "core/rollouts.h"
#include "core/view.h"
#include "policies/lookahead.h"
#include "policies/lookahead_orders.h"
#include "policies/weight_search.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

struct UnfinishedArrays {
    Numpy<JobIndex> job;
    Numpy<std::int64_t> nodes;
    Numpy<Time> request, submit;
    Numpy<std::int64_t> user;
    Numpy<bool> running, waiting;
    Numpy<Time> elapsed, least_run;
};

Numpy<bool> to_flags(const std::vector<std::uint8_t>& values) {
    auto* kept = new std::vector<std::uint8_t>(values);
    return Numpy<bool>(kept->data(), {kept->size()}, owner_of(kept));
}

UnfinishedArrays unfinished(const Simulator& simulator) {
    const Present present(simulator);
    const std::size_t n = present.jobs().size();
    std::vector<std::int64_t> nodes(n), user(n);
    std::vector<Time> request(n), submit(n), elapsed(n), least(n);
    std::vector<std::uint8_t> running(n), waiting(n);
    for (std::size_t i = 0; i < n; ++i) {
        const SubmittedJob job = present.job(i);
        nodes[i] = job.nodes;
        user[i] = job.user;
        request[i] = job.request;
        submit[i] = job.submit;
        elapsed[i] = present.elapsed(i);
        least[i] = present.least_run(i);
        running[i] = present.is_running(i);
        waiting[i] = present.is_waiting(i);
    }
    return {to_numpy(std::vector<JobIndex>(present.jobs().begin(), present.jobs().end())),
            to_numpy(std::move(nodes)),
            to_numpy(std::move(request)),
            to_numpy(std::move(submit)),
            to_numpy(std::move(user)),
            to_flags(running),
            to_flags(waiting),
            to_numpy(std::move(elapsed)),
            to_numpy(std::move(least))};
}

// (like, submit, run) of the jobs that come in one future.
using PlainArrivals = std::tuple<Column<JobIndex>, Column<Time>, Column<Time>>;
// (policy, until) one after the other.
using PlainPlan = std::vector<std::pair<std::shared_ptr<Policy>, Time>>;

auto imagined_starts(const Simulator& simulator, const Matrix<Time>& run,
                     const std::vector<PlainArrivals>& arrivals,
                     const std::vector<PlainPlan>& plans, std::size_t threads) {
    std::vector<Future> futures;
    for (std::size_t i = 0; i < run.shape(0); ++i) {
        const Time* row = run.data() + i * run.shape(1);
        futures.push_back(
            {std::make_shared<const std::vector<Time>>(row, row + run.shape(1)), {}});
        if (arrivals.empty()) continue;
        const auto& [like, submit, runs] = arrivals[i];
        for (std::size_t j = 0; j < like.size(); ++j) {
            futures[i].arrivals.push_back({like(j), submit(j), runs(j)});
        }
    }
    std::vector<Stages> stages;
    for (const PlainPlan& plan : plans) {
        stages.emplace_back();
        for (const auto& [policy, until] : plan) stages.back().push_back({policy, until});
    }
    const std::size_t jobs = run.shape(1);
    auto* starts = new std::vector<Time>(futures.size() * plans.size() * jobs);
    const nb::capsule owner = owner_of(starts);
    {
        const nb::gil_scoped_release unlocked;
        const Present present(simulator);
        for (Future& future : futures) present.expect(future.arrivals);
        run_rollouts(present, futures, stages, threads,
                     [&](std::size_t future, std::size_t plan, const Simulator& done) {
                         std::copy_n(done.start_times().begin(), jobs,
                                     starts->begin() + static_cast<std::ptrdiff_t>(
                                                           (future * stages.size() + plan) * jobs));
                     });
    }
    return nb::ndarray<nb::numpy, Time, nb::ndim<3>, nb::c_contig>(
        starts->data(), {futures.size(), stages.size(), jobs}, owner);
}

// (name, head, backfill, max_priority_gap); without `backfill` jobs are backfilled in the order
// `head`, without `max_priority_gap` all may be.
using PlainCandidate = std::tuple<std::string, std::shared_ptr<Order>,
                                  std::optional<std::shared_ptr<Order>>, std::optional<double>>;

void make_lookahead(Lookahead* self, const std::vector<PlainCandidate>& candidates, Time period,
                    std::size_t forks, double doubt, std::optional<Time> horizon,
                    LookaheadMetric metric, Time patience, std::optional<Time> guard,
                    double fairness, bool review, std::size_t search, std::size_t evolve,
                    std::optional<Time> arrivals, std::int64_t budget, std::uint64_t seed,
                    std::size_t threads) {
    std::vector<LookaheadCandidate> all;
    for (const auto& [name, head, backfill, max_priority_gap] : candidates) {
        all.push_back({name, head, backfill.value_or(nullptr),
                       max_priority_gap.value_or(std::numeric_limits<double>::infinity())});
    }
    new (self) Lookahead(std::move(all),
                         {period, forks, doubt, horizon.value_or(kNever), metric, patience,
                          guard.value_or(kNever), fairness, review, search, evolve,
                          arrivals.value_or(kNever), budget, seed, threads});
}

using PlainSwitch = std::tuple<Time, std::string, std::size_t, double, double>;

std::vector<PlainSwitch> switches_of(const Lookahead& self) {
    std::vector<PlainSwitch> plain;
    for (const Lookahead::Switch& each : self.switches()) {
        plain.emplace_back(each.time, self.candidates()[each.candidate].name, each.waiting,
                           each.gain, each.error);
    }
    return plain;
}

std::vector<std::pair<Time, std::string>> base_changes_of(const Lookahead& self) {
    std::vector<std::pair<Time, std::string>> plain;
    for (const Lookahead::BaseChange& each : self.base_changes()) {
        plain.emplace_back(each.time, self.candidates()[each.candidate].name);
    }
    return plain;
}

constexpr auto kOwned = nb::rv_policy::automatic;

}  // namespace

void bind_futures(nb::module_& m) {
    using U = UnfinishedArrays;
    nb::class_<U>(m, "Unfinished",
                  "The jobs that are submitted and have not ended, as columns, in the order of the "
                  "workload.")
        .def_prop_ro("job", [](const U& u) { return u.job; }, kOwned,
                     "each job's place in the workload")
        .def_prop_ro("nodes", [](const U& u) { return u.nodes; }, kOwned, "nodes it needs")
        .def_prop_ro("request_s", [](const U& u) { return u.request; }, kOwned,
                     "run time its user asked for")
        .def_prop_ro("submit_s", [](const U& u) { return u.submit; }, kOwned,
                     "when it was submitted")
        .def_prop_ro("user", [](const U& u) { return u.user; }, kOwned, "who submitted it")
        .def_prop_ro("is_running", [](const U& u) { return u.running; }, kOwned,
                     "whether it runs")
        .def_prop_ro("is_waiting", [](const U& u) { return u.waiting; }, kOwned,
                     "whether it is in the queue; else it runs, or waits for other jobs")
        .def_prop_ro("elapsed_s", [](const U& u) { return u.elapsed; }, kOwned,
                     "how much of its run time has passed, work of earlier attempts included")
        .def_prop_ro("least_run_s", [](const U& u) { return u.least_run; }, kOwned,
                     "the shortest run time that it can still have")
        .def("__len__", [](const U& u) { return u.job.size(); });
    nb::class_<PredictedOrder, Order>(
        m, "PredictedOrder",
        "The smallest log(run time) + nodes x log(nodes) - ageing x log(1 + wait / run time) first, by "
        "what past jobs tell; a candidate of Lookahead.")
        .def("__init__",
             [](PredictedOrder* self, double nodes, double ageing) {
                 new (self) PredictedOrder(PredictedOrder::Weights{nodes, ageing});
             },
             "nodes"_a, "ageing"_a);
    nb::class_<WeightSearch>(m, "WeightSearch",
                             "Improves two weights from generation to generation.")
        .def(nb::init<std::uint64_t>(), "seed"_a)
        .def_prop_ro("mean", &WeightSearch::mean, "the weights that are used")
        .def("ask", &WeightSearch::ask, "count"_a, "Return the weights to try.")
        .def("tell",
             [](WeightSearch& self, const std::vector<WeightSearch::Weights>& tried,
                const std::vector<double>& scores) { self.tell(tried, scores); },
             "tried"_a, "scores"_a, "Learn from the score of each; less is better.");
    nb::enum_<LookaheadMetric>(m, "LookaheadMetric", "What a rollout is judged by.")
        .value("bounded_slowdown", LookaheadMetric::bounded_slowdown)
        .value("wait", LookaheadMetric::wait)
        .value("longest_wait", LookaheadMetric::longest_wait);
    nb::class_<Lookahead, Policy>(m, "Lookahead", "Tries candidates before it decides.")
        .def("__init__", &make_lookahead, "candidates"_a, "period"_a, "forks"_a, "doubt"_a,
             "horizon"_a.none(), "metric"_a, "patience"_a, "guard"_a.none(),
             "fairness"_a, "review"_a, "search"_a, "evolve"_a, "arrivals"_a.none(), "budget"_a,
             "seed"_a, "threads"_a,
             "A candidate is (name, head, backfill, max_priority_gap); the first is the base, or "
             "with `review` the first base, the last the one whose weights are evolved.")
        .def("rehearse",
             [](const Lookahead& self, Simulator& simulator) {
                 const nb::gil_scoped_release unlocked;
                 const Lookahead::Decision made = self.rehearse(simulator);
                 const WaitingQueue& queue = View(simulator).queue();
                 std::vector<JobIndex> moved(made.moved.size());
                 for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
                     const auto found =
                         std::find(made.moved.begin(), made.moved.end(), queue.arrival(at));
                     if (found != made.moved.end()) {
                         moved[found - made.moved.begin()] = queue.job(at);
                     }
                 }
                 return std::make_tuple(self.candidates()[made.chosen].name, made.gain, made.error,
                                        made.sums, moved, self.candidates()[made.base].name);
             },
             "simulator"_a,
             "Return what it would decide in this state if it were for the first time: (candidate, "
             "gain, error, sums by candidate and fork, jobs put first, base).")
        .def_prop_ro("switches", &switches_of,
                     "when another candidate was chosen: (time, name, waiting, gain, error)")
        .def_prop_ro("base_changes", &base_changes_of,
                     "when another candidate became the base: (time, name)")
        .def_prop_ro("decisions", &Lookahead::decisions, "how often it has decided")
        .def_prop_ro("rollouts", &Lookahead::rollouts, "how many forks it has run")
        .def_prop_ro("moves", &Lookahead::moves, "how often it has put a job first")
        .def_prop_ro("weights", &Lookahead::weights,
                     "of nodes and request in the candidate whose weights are evolved")
        .def_prop_ro("guarded", &Lookahead::guarded, "seconds under the guard");
    m.def("unfinished", &unfinished, "simulator"_a,
          "Return the jobs that are submitted and have not ended.");
    m.def("imagined_starts", &imagined_starts, "simulator"_a, "run"_a, "arrivals"_a, "plans"_a,
          "threads"_a,
          "Return when each unfinished job starts, by future and plan; -1 if it does not. A future "
          "is a row of run times and jobs that come, as (like, submit, run); a plan is policies, "
          "each with the time up to which it decides.");
}

}  // namespace schedlab
