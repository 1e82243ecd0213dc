// Long, since it is one loop: what the schedulers see and do, and when. The ends of jobs are in
// controller_ends.cpp, orders and failures of nodes in controller_orders.cpp.

#include "slurm/controller.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "slurm/merge_sort.h"

namespace schedlab::slurm {
namespace {

constexpr Second kLimits = 30;  // time limits are tested this often
constexpr Second kLongAgo = 60;
constexpr Moment kDay = 86'400;
constexpr Moment kSameTurn = 0.3;  // log entries within this time belong to one turn of the loop

std::vector<TwinJob> jobs_of(const Site& site) {
    std::vector<TwinJob> jobs;
    for (std::size_t at = 0; at < site.jobs.size(); ++at) {
        const JobRow& row = site.jobs[at];
        TwinJob job{static_cast<JobNumber>(at), &row};
        job.held = row.held;
        job.reason = row.held ? kHeldByUser : kNoReason;
        job.is_bound = !row.conditions.empty() || row.reservation != kNobody;
        job.nice = row.nice;
        job.array_limit = row.array_limit;
        job.submit = job.accrue = row.submit;
        job.begin = row.begin;
        jobs.push_back(std::move(job));
    }
    return jobs;
}

// The last time before the replay at which use was counted.
Moment counted_since(const Site& site, const Phases& phases) {
    return phases.priority - static_cast<double>(site.settings.calc_period_s);
}

}  // namespace

Controller::Controller(Site site, Phases phases)
    : site_(std::move(site)),
      phases_(std::move(phases)),
      jobs_(jobs_of(site_)),
      selector_(site_),
      rooms_(selector_.all_free()),
      queue_(site_),
      limits_(site_, second_of(site_, counted_since(site_, phases_))),
      eligible_(site_, jobs_),
      calendar_(site_),
      preempting_(site_, selector_),
      priorities_(site_, counted_since(site_, phases_)),
      completing_(rooms_.size(), -kNeverEnds),
      drained_(site_.node_count(), {}) {
    for (const PartitionRow& each : site_.partitions) closed_.push_back(!each.is_up);
}

// What the schedulers see and do.

Nodes Controller::in_service() const {
    Nodes found = Nodes::all(site_.node_count());
    found.remove(drained_);
    return found;
}

Nodes Controller::usable() const {
    Nodes found = in_service();
    for (std::size_t at = 0; at < completing_.size(); ++at) {
        const auto node = static_cast<NodeIndex>(at);
        if (completing_[at] > now_ && found.has(node)) found.remove(node);
    }
    return found;
}

Nodes Controller::barred(const TwinJob& job, Second begin, Second end) const {
    return calendar_.barred(*job.row, begin, end);
}

WaitingJobs Controller::queue() {
    const Second now = second(now_);
    const bool all_open = std::find(closed_.begin(), closed_.end(), true) == closed_.end();
    // A job that is withdrawn in this loop may settle the conditions of jobs behind it.
    const std::vector<TwinJob*> pending = pending_;
    for (TwinJob* job : pending) {
        if (all_open && !job->is_bound && !job->array_limit && !job->held && now_ >= job->begin) {
            job->in_queue = true;
            if (goes_by_itself(job->reason)) job->reason = kNoReason;
            continue;
        }
        WaitReason obstacle = eligible_.obstacle(*job, now_);
        job->in_queue = false;
        if (obstacle == kNever && job->row->kill_invalid) {
            withdraw(*job);
            continue;
        }
        if (job->held) continue;
        if (!obstacle && !calendar_.lets(*job->row, now)) obstacle = kReservation;
        if (!obstacle && is_closed(*job->row)) obstacle = kPartitionDown;
        job->in_queue = obstacle == kNoReason;
        if (obstacle || goes_by_itself(job->reason)) job->reason = obstacle;
    }
    WaitingJobs found{{}, 0, 0, std::vector<std::int64_t>(site_.partitions.size())};
    auto& records = found.records;
    const auto take = [&](const QueueRecord& record) {
        const std::int32_t partition = record.place->partition;
        if (!record.job->in_queue || closed_[partition]) return;
        records.push_back(record);
        found.unsettled += is_unsettled(record.job->reason);
        found.reserved += record.job->is_bound && record.job->row->reservation != kNobody;
        ++found.in_partition[partition];
    };
    if (!preempting_.is_on() || preempting_.follows_rank()) {
        records.reserve(queue_.size());
        queue_.for_each(take);
        return found;
    }
    for (TwinJob* job : pending_) {
        for (const PlaceRow& place : job->row->places) take({job, &place});
    }
    merge_sort(records,
               [this](const auto& one, const auto& other) { return comes_before(one, other); });
    return found;
}

bool Controller::is_closed(const JobRow& job) const {
    return std::all_of(job.places.begin(), job.places.end(),
                       [this](const PlaceRow& place) { return closed_[place.partition]; });
}

// A job that may preempt another comes before it, whatever else counts.
bool Controller::comes_before(const QueueRecord& one, const QueueRecord& other) const {
    const bool may = preempting_.may_preempt(*one.job->row, *one.place, *other.job->row);
    const bool may_it = preempting_.may_preempt(*other.job->row, *other.place, *one.job->row);
    return may != may_it ? may : queue_.ranks_before(one, other);
}

bool Controller::may_start(const QueueRecord& record) const {
    TwinJob& job = *record.job;
    if (!eligible_.has_licences(job)) return false;
    if (!eligible_.has_array_room(job)) return !refuse(job, kArrayLimit);
    return !refuse(job, limits_.keeps_from_starting(*job.row, *record.place));
}

bool Controller::could_start(const QueueRecord& record) const {
    const JobRow& job = *record.job->row;
    return eligible_.has_licences(*record.job) && eligible_.has_array_room(*record.job) &&
           !limits_.keeps_from_starting(job, *record.place) &&
           !limits_.keeps_from_having(job, *record.place, job.asks);
}

bool Controller::may_have(const QueueRecord& record, const Amounts& amounts) const {
    TwinJob& job = *record.job;
    return !refuse(job, limits_.keeps_from_having(*job.row, *record.place, amounts));
}

bool Controller::refuse(TwinJob& job, WaitReason reason) {
    if (reason) job.reason = reason;
    return reason != kNoReason;
}

bool Controller::lacks_nodes(const QueueRecord& record) const {
    Nodes out = drained_;
    out.keep(site_.partitions[record.place->partition].nodes);
    return out.count() > 0 && !selector_.could(site_.shape(*record.place), out);
}

void Controller::start(const QueueRecord& record, const std::vector<NodeIndex>& nodes,
                       Scheduler by) {
    TwinJob& job = *record.job;
    job.shares = selector_.shares(site_.shape(*record.place), nodes);
    for (const NodeShare& share : job.shares) rooms_[share.node].take(share);
    job.stage = Stage::running;
    job.reason = kNoReason;
    job.has_started = true;
    job.started_by = by;
    job.start = job.turned = now_;
    job.ran = 0;
    job.suspended = 0;
    job.limit_end = second(now_) + job.row->limit_s;
    job.place = static_cast<std::int32_t>(record.place - job.row->places.data());
    leave_queue(job);
    running_.push_back(&job);
    job.holds = selector_.holds(site_.shape(*record.place), job.shares);
    eligible_.started(job);
    limits_.started(job);
    changed_ = true;
    push(expected_end(job), What::end, static_cast<std::size_t>(job.number));
    share_by_tier();
}

Picked Controller::preempt(const QueueRecord& record, const Nodes& allowed) {
    const Settings& own = site_.settings;
    const auto pause = static_cast<double>(own.kill_wait_s + own.message_timeout_s);
    if (!preempting_.is_on() || own.gangs || now_ - record.job->preempted < pause) return {};
    auto found = preempting_.victims(*record.job, *record.place, rooms_, allowed, running_, now_);
    if (!found) return {};
    const auto shares = selector_.shares(site_.shape(*record.place), found->nodes);
    if (!may_have(record, selector_.holds(site_.shape(*record.place), shares))) return {};
    record.job->preempted = now_;
    for (TwinJob* victim : found->victims) take_room_of(*victim);
    return std::move(found->nodes);
}

// Time.

void Controller::push(Moment time, What what, std::size_t about) {
    if (time < kNeverEnds) events_.push({time, ++count_, what, about});
}

void Controller::begin() {
    begun_ = true;
    to_come_ = jobs_.size() + site_.orders.size();
    Moment first = kNeverEnds;
    for (const TwinJob& job : jobs_) {
        longest_ = std::max(longest_, static_cast<Moment>(job.row->limit_s));
        push(job.submit + phases_.submit_s, What::submit, static_cast<std::size_t>(job.number));
        first = std::min(first, job.submit);
    }
    for (const TwinJob& job : jobs_) {
        const Moment known = std::max(job.row->recorded_start, job.submit + phases_.submit_s);
        push(known, What::recorded, static_cast<std::size_t>(job.number));
    }
    for (std::size_t at = 0; at < site_.orders.size(); ++at) {
        push(site_.orders[at].at, What::order, at);
    }
    for (std::size_t at = 0; at < site_.closings.size(); ++at) {
        push(site_.closings[at].begin, What::close, at);
        push(site_.closings[at].end, What::open, at);
    }
    longest_ += static_cast<Moment>(site_.settings.over_time_limit_s) + 2 * kDay;
    last_full_ = second(phases_.full);
    last_limits_ = second(phases_.limits);
    last_main_ = second(std::min(phases_.tick, first == kNeverEnds ? 0.0 : first)) - kLongAgo;
    push(phases_.tick, What::tick);
    if (site_.settings.backfills) push(phases_.backfill, What::backfill);
    push(phases_.priority, What::priority);
}

bool Controller::run(std::int64_t events, Moment until) {
    if (!begun_) begin();
    for (; events > 0; --events) {
        if (events_.empty() || !is_open()) return false;
        if (events_.top().time > until) return false;
        play_next();
    }
    return true;
}

bool Controller::run_until(Moment until) {
    if (!begun_) begin();
    while (!events_.empty() && is_open()) {
        if (events_.top().time > until) return true;
        play_next();
    }
    return false;
}

void Controller::play_next() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    play(event);
}

std::vector<const TwinJob*> Controller::movable() const {
    std::vector<const TwinJob*> found;
    for (const TwinJob* job : pending_) {
        if (!job->held && !eligible_.obstacle(*job, now_)) found.push_back(job);
    }
    return found;
}

std::size_t Controller::waiting() const {
    std::size_t found = to_come_;
    for (const TwinJob* job : pending_) {
        found += !job->held && !eligible_.is_stuck(*job);
    }
    return found;
}

bool Controller::is_open() {
    // Jobs may preempt each other for ever, so that none of them ends.
    const bool is_stale = to_come_ == 0 && now_ > progress_ + longest_;
    if (is_stale && !running_.empty()) return false;
    if (!running_.empty() || to_come_ > 0) {
        patience_ = now_ + cycle();
        return true;
    }
    Moment patience = std::max(patience_, calendar_.last_change() + cycle());
    bool waits = false;
    for (const TwinJob* job : pending_) {
        if (job->held || eligible_.is_stuck(*job)) continue;
        waits = true;
        patience = std::max(patience, job->begin + cycle());
        if (limits_.waits_for_minutes(*job->row)) {
            const auto forgets = static_cast<double>(site_.settings.forgets_s);
            patience = std::max(patience, progress_ + forgets + cycle());
        }
    }
    return waits && now_ < patience;
}

Moment Controller::cycle() const {
    const Settings& own = site_.settings;
    const auto longest = std::max({own.bf_interval_s, own.sched_interval_s, own.calc_period_s});
    return 2.0 * static_cast<double>(longest);
}

void Controller::play(const Event& event) {
    switch (event.what) {
        case What::submit: return submit(jobs_[event.about]);
        case What::recorded: return start_as_recorded(jobs_[event.about]);
        case What::end: {
            TwinJob& job = jobs_[event.about];
            if (job.stage != Stage::running || expected_end(job) != now_) return;
            finish(job, job.row->ends_well ? Ending::completed : Ending::failed);
            ++asked_;
            return;
        }
        case What::tick: return tick();
        case What::main_now: return run_main(site_, *this, site_.settings.default_queue_depth);
        case What::backfill: return backfill();
        case What::priority:
            priorities_.set_all(running_, pending_, now_);
            limits_.look(running_, second(now_));
            queue_.sort_again();
            changed_ = true;
            return push(now_ + static_cast<double>(site_.settings.calc_period_s), What::priority);
        case What::order:
            --to_come_;
            progress_ = now_;
            obey(site_.orders[event.about]);
            changed_ = true;
            return;
        case What::close:
            return close(site_.closings[event.about].nodes, site_.closings[event.about].is_outage);
        case What::open: return open(site_.closings[event.about].nodes);
        case What::ping: return open(pinged_[event.about]);
    }
}

void Controller::submit(TwinJob& job) {
    --to_come_;
    progress_ = now_;
    job.stage = Stage::pending;
    for (const PlaceRow& place : job.row->places) {
        selector_.test(site_.shape(place));
        test_nodes(job, place);
    }
    priorities_.set(job, now_);
    enter_queue(job);
    ++asked_;
    changed_ = true;
}

void Controller::test_nodes(TwinJob& job, const PlaceRow& place) {
    if (job.held || job.row->reservation != kNobody) return;
    Nodes out = drained_;
    out.keep(site_.partitions[place.partition].nodes);
    const bool are_closed = out.count() > 0;
    if (has_reservations()) out.add(barred(job, second(now_), second(now_) + job.row->limit_s));
    if (out.count() > 0 && !selector_.could(site_.shape(place), out)) {
        job.reason = are_closed ? kNotAvailable : kReserved;
    }
}

void Controller::start_as_recorded(TwinJob& job) {
    if (job.stage != Stage::pending) return;
    start({&job, &job.row->places[0]}, job.row->recorded_nodes, Scheduler::main);
}

void Controller::enter_queue(TwinJob& job) {
    job.came = ++came_;
    pending_.push_back(&job);
    queue_.add(job);
}

void Controller::leave_queue(TwinJob& job) {
    std::erase(pending_, &job);
    queue_.remove(job);
}

Moment Controller::expected_end(const TwinJob& job) const {
    if (job.is_suspended) return kNeverEnds;
    const Moment late = job.row->is_measured ? 0.0 : phases_.run_s;
    return job.start + job.suspended + job.row->run_s + late;
}

void Controller::tick() {
    const Settings& own = site_.settings;
    const Second now = second(now_ - loop_delay());
    if (tests_limits(now - last_limits_ >= kLimits)) {
        last_limits_ = now;
        test_limits(now);
    }
    if (now - last_full_ >= own.sched_interval_s) {
        last_full_ = last_main_ = now;
        asked_ = 0;
        run_main(site_, *this, 0);
    } else if (asked_ && now - last_main_ >= own.batch_sched_delay_s) {
        last_main_ = now;
        asked_ = 0;
        run_main(site_, *this, own.default_queue_depth);
    }
    push(next_tick(), What::tick);
}

Moment Controller::next_tick() const {
    const auto next = std::upper_bound(phases_.ticks.begin(), phases_.ticks.end(), now_ + kSameTurn);
    if (next == phases_.ticks.end()) return now_ + phases_.tick_period;
    const Moment left = *next - now_;
    const double turns = std::max(1.0, std::nearbyint(left / phases_.tick_period));
    return turns == 1.0 ? *next : now_ + left / turns;
}

Moment Controller::loop_delay() const {
    const bool is_known = std::binary_search(phases_.ticks.begin(), phases_.ticks.end(), now_);
    return is_known ? phases_.known_loop_s : phases_.loop_s;
}

void Controller::backfill() {
    if (!changed_ && pending_.empty()) return push(now_ + 1, What::backfill);
    changed_ = false;
    const std::int64_t tested = BackfillCycle(site_, *this).go();
    const Moment took = static_cast<double>(tested) * phases_.per_test_s;
    const Moment next = now_ + took + static_cast<double>(site_.settings.bf_interval_s);
    push(next_backfill(next), What::backfill);
}

Moment Controller::next_backfill(Moment expected) const {
    const auto& known = phases_.backfills;
    const Moment near = static_cast<double>(site_.settings.bf_interval_s) / 2;
    const auto next = std::upper_bound(known.begin(), known.end(), expected - near);
    return next != known.end() && *next < expected + near ? *next : expected;
}

bool Controller::tests_limits(bool is_due) const {
    const auto& known = phases_.limit_tests;
    const auto next = std::upper_bound(known.begin(), known.end(), now_ - kSameTurn);
    if (next == known.end() || *next > now_ + kLimits / 2.0) return is_due;
    return *next < now_ + kSameTurn;
}

}  // namespace schedlab::slurm
