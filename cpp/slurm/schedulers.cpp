#include "slurm/schedulers.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace schedlab::slurm {
namespace {

// Backfill looks at the ends of running jobs in groups. The first spans this time; it doubles.
constexpr Second kGroup = 30;

// The last multiple of `slot` that is not later.
Second slot_of(Second time, Second slot) {
    const Second rest = time % slot;
    return time - rest - (rest < 0 ? slot : 0);
}

// Whether the job may make others wait: it is old and important enough.
bool may_reserve_at_all(const Settings& settings, const ClusterView& cluster, const TwinJob& job) {
    return job.priority >= settings.bf_min_prio_reserve &&
           cluster.eligible_for(job) >= settings.bf_min_age_reserve_s;
}

}  // namespace

void run_main(const Site& site, ClusterView& cluster, std::int64_t depth) {
    const Settings& settings = site.settings;
    Nodes usable = cluster.usable();
    const Second second = cluster.now_second();
    WaitingJobs waiting = cluster.queue();
    std::vector<bool> closed(site.partitions.size());
    auto open = std::count_if(waiting.in_partition.begin(), waiting.in_partition.end(),
                              [](std::int64_t records) { return records > 0; });
    const auto close = [&](std::int32_t partition) {
        if (!closed[partition]) --open;
        closed[partition] = true;
    };
    // Nothing is left to do once no partition is open and all jobs know that they wait for others.
    // But tasks of a rejected array still get its reason.
    bool may_stop = waiting.reserved == 0;
    std::unordered_set<std::int32_t> closed_reservations;
    std::vector<std::int64_t> by_partition(site.partitions.size());
    std::unordered_map<std::int64_t, WaitReason> rejected;  // arrays, and why their tasks wait
    std::int64_t tested = 0, started = 0;
    for (const QueueRecord& record : waiting.records) {
        const JobRow& job = *record.job->row;
        const std::int32_t partition = record.place->partition;
        if (open == 0 && waiting.unsettled == 0 && may_stop) break;
        if (record.job->stage != Stage::pending) continue;  // started in another of its partitions
        waiting.unsettled -= waiting.unsettled > 0 && is_unsettled(record.job->reason);
        const bool is_reserved = job.reservation != kNobody;
        const bool is_closed =
            is_reserved ? closed_reservations.contains(job.reservation) : closed[partition];
        WaitReason& reason = record.job->reason;
        if (job.task >= 0 && rejected.contains(job.id)) {
            reason = rejected[job.id];
            continue;
        }
        if (is_closed) {
            if (reason == kNoReason || reason == kResources) reason = kPriority;
            continue;
        }
        if (depth && tested >= depth) break;
        ++tested;
        const std::int64_t most = settings.partition_job_depth;
        if (++by_partition[partition] > most && most) continue;
        if (!cluster.has_licences(record)) reason = kLicenses;
        if (!cluster.may_start(record) || !cluster.may_have(record, job.asks)) {
            if (settings.assoc_limit_stop) close(partition);
            continue;
        }
        const Nodes barred = cluster.barred(*record.job, second, second + job.limit_s);
        Nodes allowed = usable;
        allowed.remove(barred);
        const Selector& selector = cluster.selector();
        const ShapeRow& shape = site.shape(*record.place);
        selector.forget_gpus(shape, barred);
        const KeptCores kept = cluster.kept_cores(*record.job, second, second + job.limit_s);
        const Picked nodes = selector.pick(shape, cluster.rooms(), allowed, kept);
        if (!nodes && barred.count() > 0 && !selector.ever(shape, barred)) {
            reason = kReserved;
            continue;
        }
        if (!nodes) {
            reason = cluster.lacks_nodes(record) ? kNotAvailable : kResources;
            cluster.preempt(record, allowed);
            rejected.emplace(job.id, reason);
            may_stop &= job.task < 0;
            waiting.unsettled += job.places.size() - 1;  // its other records may come later
            if (is_reserved) {
                closed_reservations.insert(job.reservation);
            } else if (may_reserve_at_all(settings, cluster, *record.job)) {
                close(partition);
                usable.remove(site.partitions[partition].nodes);
            }
            continue;
        }
        const auto shares = selector.shares(shape, *nodes);
        if (!cluster.may_have(record, selector.holds(shape, shares))) {
            if (settings.assoc_limit_stop) close(partition);
            continue;
        }
        cluster.start(record, *nodes, Scheduler::main);
        if (++started == settings.sched_max_job_start) break;
    }
}

BackfillCycle::BackfillCycle(const Site& site, ClusterView& cluster)
    : site_(site),
      cluster_(cluster),
      now_(cluster.now_second()),
      plan_(slot_of(now_, site.settings.bf_resolution_s), now_ + site.settings.bf_window_s,
            site.node_count()),
      service_(cluster.in_service()),
      usable_(cluster.usable()),
      window_(plan_),
      reserved_(site.partitions.size()),
      waiting_(cluster.queue()),
      last_(waiting_.records.size()) {}

std::int64_t BackfillCycle::go() {
    const Settings& settings = site_.settings;
    std::vector<std::int64_t> users(site_.users);
    std::vector<std::int64_t> partitions(site_.partitions.size());
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> users_there;
    std::unordered_map<std::int32_t, std::int64_t> associations;
    std::int64_t tested = 0, started = 0;
    note_places();
    find_last();
    for (const QueueRecord& record : waiting_.records) {
        const JobRow& job = *record.job->row;
        const std::int32_t partition = record.place->partition;
        ++next_;
        if (record.job->stage != Stage::pending) continue;
        ++tested;
        if (tested > settings.bf_max_job_test) break;
        const std::int64_t of_user = ++users[job.user], of_partition = ++partitions[partition];
        if (settings.bf_max_job_user > 0 && of_user > settings.bf_max_job_user) continue;
        if (settings.bf_max_job_part > 0 && of_partition > settings.bf_max_job_part) continue;
        if (settings.bf_max_job_user_part > 0 &&
            ++users_there[{job.user, partition}] > settings.bf_max_job_user_part) {
            continue;
        }
        if (settings.bf_max_job_assoc > 0 &&
            ++associations[job.association] > settings.bf_max_job_assoc) {
            continue;
        }
        if (job.task >= 0 && is_used_up(job)) continue;
        if (!is_allowed(record)) {
            if (settings.assoc_limit_stop) break;
            continue;
        }
        if (next_ <= last_ && place(record)) {
            if (++started == settings.bf_max_job_start) break;
        } else if (job.task >= 0) {
            ++arrays_[job.id];
            const bool is_last = last_ > next_ && waiting_.records[last_ - 1].job->row->id == job.id;
            if (is_last && is_used_up(job)) find_last();
        }
    }
    return tested;
}

bool BackfillCycle::is_allowed(const QueueRecord& record) const {
    return cluster_.may_start(record) && cluster_.may_have(record, record.job->row->asks);
}

bool BackfillCycle::is_used_up(const JobRow& task) const {
    const auto found = arrays_.find(task.id);
    const std::int64_t planned = found == arrays_.end() ? 0 : found->second;
    return planned >= site_.settings.bf_max_job_array_resv;
}

void BackfillCycle::note_places() {
    const std::int64_t most = site_.settings.bf_max_job_user;
    std::vector<std::int64_t> users(site_.users);
    is_behind_.assign(waiting_.records.size(), false);
    for (std::size_t at = 0; most > 0 && at < is_behind_.size(); ++at) {
        const JobRow& job = *waiting_.records[at].job->row;
        // A job of several partitions may be gone when its turn comes.
        if (job.places.size() == 1) ++users[job.user];
        is_behind_[at] = users[job.user] > most;
    }
}

void BackfillCycle::find_last() {
    if (site_.settings.gangs) return;  // others may make room
    while (last_ > next_ && (is_behind_[last_ - 1] || !may_matter(waiting_.records[last_ - 1]))) {
        --last_;
    }
}

bool BackfillCycle::may_matter(const QueueRecord& record) {
    const Second length = record.job->row->limit_s;
    const ShapeRow& shape = site_.shape(*record.place);
    last_end_ = now_ + length;
    last_needed_ = 0;
    if (record.job->row->task >= 0 && is_used_up(*record.job->row)) return false;
    if (cluster_.may_preempt(record)) return true;
    if (hopeless_.contains({record.place->shape, length})) return false;
    if (!cluster_.could_start(record)) return false;
    // What a plan gives a job may count for its priority.
    const bool gets_what_it_asks = !shape.exclusive && shape.needed_nodes() <= shape.tasks;
    if (shape.gpus > 0 || (!gets_what_it_asks && site_.settings.weight_job_size != 0)) return true;
    window_.begin(length);
    window_.move_to(now_);
    last_nodes_ = useful_now(record.place->shape);
    last_nodes_.keep_words([&](std::size_t index) { return window_.word(index); });
    last_needed_ = shape.needed_nodes();
    if (last_nodes_.count() >= last_needed_) return true;
    hopeless_.insert({record.place->shape, length});
    return false;
}

const Nodes& BackfillCycle::useful_now(std::int32_t shape) {
    const auto [known, is_new] = useful_now_.try_emplace(shape);
    if (is_new) {
        const ShapeRow& own = site_.shapes[shape];
        const Selector& selector = cluster_.selector();
        Nodes found(site_.node_count(), {});
        selector.capable(own).for_each([&](NodeIndex node) {
            const bool is_useful = selector.is_useful(own, node, cluster_.rooms()[node]);
            if (is_useful && service_.has(node)) found.add(node);
        });
        known->second = std::move(found);
    }
    return known->second;
}

void BackfillCycle::has_planned(Second begin, const Nodes& nodes) {
    if (last_needed_ == 0 || begin > last_end_ || last_ <= next_) return;
    last_nodes_.remove(nodes);
    if (last_nodes_.count() < last_needed_) {
        const QueueRecord& record = waiting_.records[last_ - 1];
        hopeless_.insert({record.place->shape, record.job->row->limit_s});
        find_last();
    }
}

bool BackfillCycle::may_reserve(const QueueRecord& record) const {
    const Settings& settings = site_.settings;
    const std::int64_t most = settings.bf_job_part_count_reserve;
    if (settings.bf_one_resv_per_job && planned_.contains(record.job)) return false;
    if (most && reserved_[record.place->partition] >= most) return false;
    return may_reserve_at_all(settings, cluster_, *record.job);
}

bool BackfillCycle::place(const QueueRecord& record) {
    const JobRow& job = *record.job->row;
    const ShapeRow& shape = site_.shape(*record.place);
    const bool may_wait = may_reserve(record);
    window_.begin(job.limit_s);
    const Outlook* outlook = &outlook_of(record.place->shape);
    inside_ = site_.partitions[record.place->partition].nodes;
    inside_.keep(service_);
    std::optional<Second> begin = now_;
    while (begin) {
        const Second from = *begin;
        if (from > now_ && !may_wait) return false;
        window_.move_to(from);
        there_ = inside_;
        KeptCores kept;
        std::optional<Second> reservation_end;
        if (cluster_.has_reservations()) {
            const Nodes barred = cluster_.barred(*record.job, from, from + job.limit_s);
            there_.remove(barred);
            kept = cluster_.kept_cores(*record.job, from, from + job.limit_s);
            if (barred.count() > 0) reservation_end = next_reservation_end(from);
        }
        begin = window_.later(there_);
        if (reservation_end && (!begin || *reservation_end < *begin)) begin = reservation_end;
        std::optional<Start> found;
        const bool may_preempt = from == now_ && cluster_.may_preempt(record);
        // Each test of a job that wants GPUs leaves a trace. Other tests are skipped if they must
        // fail.
        const bool must_test = may_preempt || shape.gpus > 0;
        const auto has_prospects = [&] {
            const std::size_t ends = begin ? rooms_.ends_by(*begin) : rooms_.ends().size();
            return outlook->count(window_, ends) >= shape.needed_nodes();
        };
        if (must_test || has_prospects()) {
            allowed_ = there_;
            allowed_.keep_words([&](std::size_t index) { return window_.word(index); });
            found = will_run(shape, *outlook, allowed_, kept, begin);
        }
        if (may_preempt && (!found || found->second > now_)) {
            if (Picked taken = cluster_.preempt(record, allowed_)) {
                found = {now_ + 1, std::move(*taken)};
                look_again();
                hopeless_.clear();
                useful_now_.clear();
                last_ = waiting_.records.size();
                last_needed_ = 0;
                outlook = &outlook_of(record.place->shape);
            }
        }
        if (!found) continue;
        Second start = found->second;
        const Nodes nodes = set_of(found->nodes);
        if (start <= now_ && from <= now_) {
            if (usable_.contains(nodes)) {
                // The job starts as in the main scheduler, which chooses nodes again.
                const Selector& selector = cluster_.selector();
                Nodes barred = site_.partitions[record.place->partition].nodes;
                barred.remove(allowed_);
                selector.forget_gpus(shape, barred);
                allowed_.keep(usable_);
                const Picked again = selector.pick(shape, cluster_.rooms(), allowed_, kept);
                cluster_.start(record, again ? *again : found->nodes, Scheduler::backfill);
                has_started(*record.job);
                return true;
            }
            start = now_ + 1;
        }
        start = std::max(start, from);
        if (start > now_ && !may_wait) return false;
        if (begin && start > *begin) continue;
        if (start > now_ + site_.settings.bf_window_s) return false;
        const Second slot = site_.settings.bf_resolution_s;
        const Second first = slot_of(start, slot);
        const Second last = std::max(slot_of(start + job.limit_s, slot), first + slot);
        if (start > now_ && plan_.collides(first, last, nodes)) {
            if (start == from) return false;
            begin = start;
            continue;
        }
        plan_.reserve(first, last, nodes);
        has_planned(first, nodes);
        ++reserved_[record.place->partition];
        record.job->planned_cpus = 0;
        for (const NodeShare& each : cluster_.selector().shares(shape, found->nodes)) {
            record.job->planned_cpus += each.cpus;
        }
        planned_.insert(record.job);
        return false;
    }
    return false;
}

std::optional<Second> BackfillCycle::next_reservation_end(Second from) const {
    const std::optional<Second> end = cluster_.next_reservation_end(from);
    if (!end || *end == kForEver) return {};
    const Second slot = site_.settings.bf_resolution_s;
    const Second found = slot_of(*end + slot - 1, slot) + 1;
    if (found >= now_ + site_.settings.bf_window_s) return {};
    return found;
}

std::optional<BackfillCycle::Start> BackfillCycle::will_run(const ShapeRow& shape,
                                                            const Outlook& outlook,
                                                            const Nodes& allowed,
                                                            const KeptCores& kept,
                                                            std::optional<Second> deadline) {
    const Selector& selector = cluster_.selector();
    able_ = allowed;
    able_.keep(selector.capable(shape));
    const NodeCount needed = shape.needed_nodes();
    if (able_.count() < needed) return {};
    mattering_ = allowed;
    mattering_.keep(selector.capable_but_gpus(shape));
    // Tests of jobs that want no GPUs leave no traces: those that must fail are skipped, and so are
    // nodes without any room.
    const bool is_traceless = shape.gpus == 0;
    std::size_t least = 0;  // the number of ends that must come first
    if (is_traceless) {
        const std::optional<std::size_t> known = outlook.useful().ends_for(needed, able_);
        if (!known) return {};
        least = *known;
    }
    const auto pick_after = [&](std::size_t ends) -> Picked {
        if (ends < least) return {};
        offering_ = able_;
        if (is_traceless) outlook.keep_offering(offering_, ends);
        return selector.pick(shape, offering_, kept, [&](NodeIndex node) -> const Room& {
            return rooms_.after(ends, node);
        });
    };
    if (Picked nodes = pick_after(0)) return Start{now_, std::move(*nodes)};
    const auto& ends = rooms_.ends();
    const Second latest = is_traceless ? deadline.value_or(kForEver) : kForEver;
    std::optional<Second> barrier;
    Second window = kGroup;
    for (std::size_t at = 0;;) {
        const std::size_t first = rooms_.next_freeing(at, mattering_);
        if (first == ends.size() || ends[first].limit > latest) return {};
        // Groups are counted from the first job that matters, and hold at least one. A group stops
        // at the last end within its time if that end matters, otherwise at the next one that does.
        if (!barrier) barrier = slot_of(ends[first].limit, window) + window;
        const std::size_t inside = rooms_.ends_by(*barrier + window);
        std::size_t last = rooms_.next_freeing(std::max(first, inside - 1), mattering_);
        at = last + 1;
        if (last == ends.size()) {
            last = rooms_.last_freeing(mattering_);
            at = ends.size();
        }
        if (Picked nodes = pick_after(at)) return Start{ends[last].counts, std::move(*nodes)};
        const Second linear = site_.settings.bf_window_linear_s;
        do window = linear ? window + linear : 2 * window;
        while (at < ends.size() && ends[at].limit > *barrier + window);
    }
}

void BackfillCycle::look_again() {
    rooms_.set(site_, cluster_.rooms(), cluster_.running(), now_);
    outlooks_.clear();
    knows_rooms_ = true;
}

void BackfillCycle::has_started(const TwinJob& job) {
    if (site_.settings.gangs) return look_again();  // others may have been suspended or resumed
    rooms_.set(site_, cluster_.rooms(), cluster_.running(), now_);
    const std::size_t end = rooms_.end_of(job);
    Nodes nodes(site_.node_count(), {});
    for (const NodeShare& share : job.shares) nodes.add(share.node);
    for (auto& [shape, outlook] : outlooks_) {
        outlook.started(cluster_.selector(), rooms_, end, nodes);
    }
}

const Outlook& BackfillCycle::outlook_of(std::int32_t shape) {
    if (!knows_rooms_) look_again();
    // Made only if it is not there yet.
    const auto [known, is_new] =
        outlooks_.try_emplace(shape, cluster_.selector(), site_.shapes[shape], rooms_);
    known->second.set();
    return known->second;
}

Nodes BackfillCycle::set_of(const std::vector<NodeIndex>& nodes) const {
    Nodes found(site_.node_count(), {});
    for (const NodeIndex node : nodes) found.add(node);
    return found;
}

}  // namespace schedlab::slurm
