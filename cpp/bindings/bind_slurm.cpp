#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings/bindings.h"
#include "slurm/controller.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {

using namespace slurm;

namespace {

template <typename T>
nb::class_<T> table(nb::module_& m, const char* name, const char* sentence) {
    return nb::class_<T>(m, name, sentence).def("__init__", [](T* self) { new (self) T{}; });
}

void bind_machine_rows(nb::module_& m) {
    nb::class_<NodeSet>(m, "NodeSet", "Some of the nodes of a machine, by their numbers.")
        .def(
            "__init__",
            [](NodeSet* self, NodeCount total, const std::vector<NodeIndex>& nodes) {
                new (self) NodeSet(total, {});
                for (const NodeIndex node : nodes) {
                    if (!self->has(node)) self->add(node);
                }
            },
            "total"_a, "nodes"_a);
    table<NodeRow>(m, "NodeRow", "A node of a Slurm site.")
        .def_rw("cpus", &NodeRow::cpus)
        .def_rw("memory_mb", &NodeRow::memory_mb)
        .def_rw("gpus", &NodeRow::gpus)
        .def_rw("weight", &NodeRow::weight)
        .def_rw("leaf", &NodeRow::leaf)
        .def_rw("rows", &NodeRow::rows);
    table<PartitionRow>(m, "PartitionRow", "A partition of a Slurm site.")
        .def_rw("nodes", &PartitionRow::nodes)
        .def_rw("tier", &PartitionRow::tier)
        .def_rw("billing", &PartitionRow::billing)
        .def_rw("rows", &PartitionRow::rows)
        .def_rw("level", &PartitionRow::level)
        .def_rw("is_up", &PartitionRow::is_up);
    table<AssociationRow>(m, "AssociationRow", "A user in an account, or an account.")
        .def_rw("parent", &AssociationRow::parent)
        .def_rw("is_user", &AssociationRow::is_user)
        .def_rw("shares", &AssociationRow::shares)
        .def_rw("shares_of_parent", &AssociationRow::shares_of_parent)
        .def_rw("usage", &AssociationRow::usage);
    nb::enum_<Measure>(m, "LimitMeasure", "What a limit is set to.")
        .value("jobs", Measure::jobs)
        .value("tres", Measure::tres)
        .value("job_minutes", Measure::job_minutes)
        .value("run_minutes", Measure::run_minutes)
        .value("minutes", Measure::minutes)
        .value("wall", Measure::wall);
    table<LimitRow>(m, "LimitRow", "A limit on what some jobs count together.")
        .def_rw("measure", &LimitRow::measure)
        .def_rw("counter", &LimitRow::counter)
        .def_rw("tres", &LimitRow::tres)
        .def_rw("most", &LimitRow::most)
        .def_rw("reason", &LimitRow::reason)
        .def_rw("ends", &LimitRow::ends);
    table<CounterRow>(m, "CounterRow", "Jobs that count together.")
        .def_rw("decays", &CounterRow::decays)
        .def_rw("used", &CounterRow::used);
    table<ReservationRow>(m, "ReservationRow", "Nodes that are kept for jobs of a reservation.")
        .def_rw("name", &ReservationRow::name)
        .def_rw("begin", &ReservationRow::begin)
        .def_rw("end", &ReservationRow::end)
        .def_rw("nodes", &ReservationRow::nodes)
        .def_rw("cores", &ReservationRow::cores);
    table<ClosingRow>(m, "ClosingRow", "Nodes that get no jobs for a time.")
        .def_rw("begin", &ClosingRow::begin)
        .def_rw("end", &ClosingRow::end)
        .def_rw("nodes", &ClosingRow::nodes)
        .def_rw("is_outage", &ClosingRow::is_outage);
}

void bind_job_rows(nb::module_& m) {
    nb::enum_<Dependency>(m, "Dependency", "What a job waits for.")
        .value("after", Dependency::after)
        .value("afterok", Dependency::afterok)
        .value("afternotok", Dependency::afternotok)
        .value("afterany", Dependency::afterany)
        .value("singleton", Dependency::singleton);
    table<ConditionRow>(m, "ConditionRow", "What a job waits for.")
        .def_rw("kind", &ConditionRow::kind)
        .def_rw("others", &ConditionRow::others)
        .def_rw("delay_s", &ConditionRow::delay_s);
    table<ShapeRow>(m, "ShapeRow", "What a job asks for in a partition.")
        .def_rw("partition", &ShapeRow::partition)
        .def_rw("tasks", &ShapeRow::tasks)
        .def_rw("cpus_per_task", &ShapeRow::cpus_per_task)
        .def_rw("tasks_per_node", &ShapeRow::tasks_per_node)
        .def_rw("min_nodes", &ShapeRow::min_nodes)
        .def_rw("gpus", &ShapeRow::gpus)
        .def_rw("features", &ShapeRow::features)
        .def_rw("exclusive", &ShapeRow::exclusive)
        .def_rw("memory_mb", &ShapeRow::memory_mb)
        .def_rw("memory_per_cpu", &ShapeRow::memory_per_cpu);
    table<PlaceRow>(m, "PlaceRow", "A job in one of its partitions.")
        .def_rw("partition", &PlaceRow::partition)
        .def_rw("shape", &PlaceRow::shape)
        .def_rw("limits", &PlaceRow::limits);
    table<JobRow>(m, "JobRow", "A job, or a task of an array.")
        .def_rw("id", &JobRow::id)
        .def_rw("task", &JobRow::task)
        .def_rw("submit", &JobRow::submit)
        .def_rw("user", &JobRow::user)
        .def_rw("qos", &JobRow::qos)
        .def_rw("association", &JobRow::association)
        .def_rw("places", &JobRow::places)
        .def_rw("limit_s", &JobRow::limit_s)
        .def_rw("minutes", &JobRow::minutes)
        .def_rw("unseen_s", &JobRow::unseen_s)
        .def_rw("run_s", &JobRow::run_s)
        .def_rw("is_measured", &JobRow::is_measured)
        .def_rw("nice", &JobRow::nice)
        .def_rw("begin", &JobRow::begin)
        .def_rw("array_limit", &JobRow::array_limit)
        .def_rw("conditions", &JobRow::conditions)
        .def_rw("one_will_do", &JobRow::one_will_do)
        .def_rw("kill_invalid", &JobRow::kill_invalid)
        .def_rw("licences", &JobRow::licences)
        .def_rw("reservation", &JobRow::reservation)
        .def_rw("grace_s", &JobRow::grace_s)
        .def_rw("may_requeue", &JobRow::may_requeue)
        .def_rw("ends_well", &JobRow::ends_well)
        .def_rw("held", &JobRow::held)
        .def_rw("recorded_start", &JobRow::recorded_start)
        .def_rw("recorded_nodes", &JobRow::recorded_nodes)
        .def_rw("asks", &JobRow::asks)
        .def_rw("partition_part", &JobRow::partition_part)
        .def_rw("qos_part", &JobRow::qos_part)
        .def_rw("association_part", &JobRow::association_part)
        .def_rw("tres_part", &JobRow::tres_part)
        .def_rw("usage_factor", &JobRow::usage_factor);
    using Kind = OrderRow::Kind;
    nb::enum_<Kind>(m, "OrderKind", "What slurmctld is told.")
        .value("cancel", Kind::cancel)
        .value("hold", Kind::hold)
        .value("release", Kind::release)
        .value("suspend", Kind::suspend)
        .value("unsuspend", Kind::unsuspend)
        .value("requeue", Kind::requeue)
        .value("nice", Kind::nice)
        .value("array_limit", Kind::array_limit)
        .value("drain", Kind::drain)
        .value("down", Kind::down)
        .value("resume", Kind::resume)
        .value("create_reservation", Kind::create_reservation)
        .value("delete_reservation", Kind::delete_reservation)
        .value("partition_up", Kind::partition_up)
        .value("partition_down", Kind::partition_down)
        .value("none", Kind::none);
    table<OrderRow>(m, "OrderRow", "A command that slurmctld is given.")
        .def_rw("at", &OrderRow::at)
        .def_rw("kind", &OrderRow::kind)
        .def_rw("jobs", &OrderRow::jobs)
        .def_rw("value", &OrderRow::value)
        .def_rw("nodes", &OrderRow::nodes)
        .def_rw("reservation", &OrderRow::reservation);
}

void bind_settings(nb::module_& m) {
    table<Settings>(m, "SlurmSettings", "The parameters of slurmctld that the twin heeds.")
        .def_rw("backfills", &Settings::backfills)
        .def_rw("assoc_limit_stop", &Settings::assoc_limit_stop)
        .def_rw("batch_sched_delay_s", &Settings::batch_sched_delay_s)
        .def_rw("sched_interval_s", &Settings::sched_interval_s)
        .def_rw("default_queue_depth", &Settings::default_queue_depth)
        .def_rw("partition_job_depth", &Settings::partition_job_depth)
        .def_rw("sched_max_job_start", &Settings::sched_max_job_start)
        .def_rw("bf_interval_s", &Settings::bf_interval_s)
        .def_rw("bf_window_s", &Settings::bf_window_s)
        .def_rw("bf_window_linear_s", &Settings::bf_window_linear_s)
        .def_rw("bf_resolution_s", &Settings::bf_resolution_s)
        .def_rw("bf_max_job_test", &Settings::bf_max_job_test)
        .def_rw("bf_max_job_user", &Settings::bf_max_job_user)
        .def_rw("bf_max_job_part", &Settings::bf_max_job_part)
        .def_rw("bf_max_job_array_resv", &Settings::bf_max_job_array_resv)
        .def_rw("bf_max_job_user_part", &Settings::bf_max_job_user_part)
        .def_rw("bf_max_job_assoc", &Settings::bf_max_job_assoc)
        .def_rw("bf_job_part_count_reserve", &Settings::bf_job_part_count_reserve)
        .def_rw("bf_min_prio_reserve", &Settings::bf_min_prio_reserve)
        .def_rw("bf_min_age_reserve_s", &Settings::bf_min_age_reserve_s)
        .def_rw("bf_one_resv_per_job", &Settings::bf_one_resv_per_job)
        .def_rw("bf_max_job_start", &Settings::bf_max_job_start)
        .def_rw("preempt_reorder_count", &Settings::preempt_reorder_count)
        .def_rw("preempt_youngest_first", &Settings::preempt_youngest_first)
        .def_rw("is_basic", &Settings::is_basic)
        .def_rw("is_fair_tree", &Settings::is_fair_tree)
        .def_rw("weight_age", &Settings::weight_age)
        .def_rw("weight_fairshare", &Settings::weight_fairshare)
        .def_rw("weight_job_size", &Settings::weight_job_size)
        .def_rw("max_age_s", &Settings::max_age_s)
        .def_rw("decay_half_life_s", &Settings::decay_half_life_s)
        .def_rw("calc_period_s", &Settings::calc_period_s)
        .def_rw("is_safe", &Settings::is_safe)
        .def_rw("forgets_s", &Settings::forgets_s)
        .def_rw("dampening", &Settings::dampening)
        .def_rw("favor_small", &Settings::favor_small)
        .def_rw("small_relative_to_time", &Settings::small_relative_to_time)
        .def_rw("bills_most", &Settings::bills_most)
        .def_rw("cpus", &Settings::cpus)
        .def_rw("gangs", &Settings::gangs)
        .def_rw("preempts", &Settings::preempts)
        .def_rw("preempts_by_tier", &Settings::preempts_by_tier)
        .def_rw("preempt_cancels", &Settings::preempt_cancels)
        .def_rw("exempt_time_s", &Settings::exempt_time_s)
        .def_rw("ping_s", &Settings::ping_s)
        .def_rw("kill_wait_s", &Settings::kill_wait_s)
        .def_rw("message_timeout_s", &Settings::message_timeout_s)
        .def_rw("over_time_limit_s", &Settings::over_time_limit_s)
        .def_rw("min_job_age_s", &Settings::min_job_age_s)
        .def_rw("cred_expire_s", &Settings::cred_expire_s)
        .def_rw("returns_by_itself", &Settings::returns_by_itself)
        .def_rw("counts_memory", &Settings::counts_memory)
        .def_rw("has_tree", &Settings::has_tree);
    table<Phases>(m, "SlurmPhases", "When slurmctld's loops run, and what things take.")
        .def_rw("tick", &Phases::tick)
        .def_rw("backfill", &Phases::backfill)
        .def_rw("limits", &Phases::limits)
        .def_rw("priority", &Phases::priority)
        .def_rw("full", &Phases::full)
        .def_rw("tick_period", &Phases::tick_period)
        .def_rw("ticks", &Phases::ticks)
        .def_rw("backfills", &Phases::backfills)
        .def_rw("limit_tests", &Phases::limit_tests)
        .def_rw("after_kills", &Phases::after_kills)
        .def_rw("known_loop_s", &Phases::known_loop_s)
        .def_rw("submit_s", &Phases::submit_s)
        .def_rw("run_s", &Phases::run_s)
        .def_rw("complete_s", &Phases::complete_s)
        .def_rw("after_kill_s", &Phases::after_kill_s)
        .def_rw("per_test_s", &Phases::per_test_s)
        .def_rw("loop_s", &Phases::loop_s);
    table<Site>(m, "SlurmTables", "A Slurm site with its history, names resolved to numbers.")
        .def_rw("epoch", &Site::epoch)
        .def_rw("settings", &Site::settings)
        .def_rw("nodes", &Site::nodes)
        .def_rw("partitions", &Site::partitions)
        .def_rw("features", &Site::features)
        .def_rw("shapes", &Site::shapes)
        .def_rw("limits", &Site::limits)
        .def_rw("counted", &Site::counted)
        .def_rw("counters", &Site::counters)
        .def_rw("qos_priority", &Site::qos_priority)
        .def_rw("qos_preempts", &Site::qos_preempts)
        .def_rw("associations", &Site::associations)
        .def_rw("licences", &Site::licences)
        .def_rw("reservations", &Site::reservations)
        .def_rw("closings", &Site::closings)
        .def_rw("jobs", &Site::jobs)
        .def_rw("orders", &Site::orders)
        .def_rw("users", &Site::users);
}

void bind_controller(nb::module_& m) {
    nb::enum_<Scheduler>(m, "SlurmScheduler", "Who has started a job.")
        .value("main", Scheduler::main)
        .value("backfill", Scheduler::backfill);
    nb::enum_<Ending>(m, "Ending", "How a run of a job ended.")
        .value("none", Ending::none)
        .value("completed", Ending::completed)
        .value("failed", Ending::failed)
        .value("timeout", Ending::timeout)
        .value("cancelled", Ending::cancelled)
        .value("preempted", Ending::preempted)
        .value("requeued", Ending::requeued)
        .value("node_fail", Ending::node_fail);
    nb::class_<JobRun>(m, "NativeRun", "One time that a job ran.")
        .def_ro("start", &JobRun::start)
        .def_ro("end", &JobRun::end)
        .def_ro("nodes", &JobRun::nodes)
        .def_ro("by", &JobRun::by)
        .def_ro("how", &JobRun::how);
    nb::class_<Controller>(m, "NativeController", "A slurmctld that replays a history.")
        .def(nb::init<Site, Phases>(), "site"_a, "phases"_a)
        .def("run", &Controller::run, nb::call_guard<nb::gil_scoped_release>(), "events"_a,
             "until"_a = std::numeric_limits<Moment>::infinity(),
             "Play up to this number of events, none later than that; return whether more are left.")
        .def_prop_ro("waiting", &Controller::waiting,
                     "How many jobs and orders are to come, or wait and may start.")
        .def("run_until", &Controller::run_until, nb::call_guard<nb::gil_scoped_release>(), "time"_a,
             "Play all events up to a time; return whether anything is left.")
        .def(
            "movable",
            [](const Controller& controller) {
                std::vector<std::tuple<JobNumber, std::int64_t, std::int64_t>> found;
                for (const TwinJob* job : controller.movable()) {
                    found.emplace_back(job->number, job->priority, job->nice);
                }
                return found;
            },
            "Return number, priority and nice value of each job that a priority could move.")
        .def(
            "set_nice",
            [](Controller& controller, JobNumber job, std::int64_t nice) {
                if (job < 0 || static_cast<std::size_t>(job) >= controller.jobs().size()) {
                    throw nb::index_error("no such job");
                }
                controller.set_nice(job, nice);
            },
            "job"_a, "nice"_a, "Change the nice value of a job, and its priority at once.")
        .def(
            "wait_reasons",
            [](const Controller& controller) {
                std::vector<std::pair<JobNumber, WaitReason>> found;
                for (const TwinJob& job : controller.jobs()) {
                    if (job.stage == Stage::pending) found.emplace_back(job.number, job.reason);
                }
                return found;
            },
            "Return the number of each job that waits, and why it does.")
        .def(
            "runs",
            [](const Controller& controller) {
                std::vector<std::vector<JobRun>> found;
                for (const TwinJob& job : controller.jobs()) {
                    found.push_back(job.runs);
                    if (job.stage != Stage::running) continue;
                    std::vector<NodeIndex> nodes;
                    for (const NodeShare& share : job.shares) nodes.push_back(share.node);
                    const auto never = std::numeric_limits<Moment>::quiet_NaN();
                    found.back().push_back(
                        {job.start, never, std::move(nodes), job.started_by, Ending::none});
                }
                return found;
            },
            "Return the runs of each job; one that goes on ends at nan.");
}

}  // namespace

void bind_slurm(nb::module_& m) {
    bind_machine_rows(m);
    bind_job_rows(m);
    bind_settings(m);
    bind_controller(m);
}

}  // namespace schedlab
