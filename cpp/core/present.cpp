#include "core/present.h"

#include <algorithm>
#include <cmath>

#include "core/view.h"

namespace schedlab {
namespace {

template <typename T>
std::vector<T> picked(const std::vector<T>& all, std::span<const JobIndex> jobs) {
    std::vector<T> some;
    if (all.empty()) return some;
    some.reserve(jobs.size());
    for (const JobIndex job : jobs) some.push_back(all[static_cast<std::size_t>(job)]);
    return some;
}

// Candidates for the unfinished jobs, in any order; some may occur twice or have ended.
std::vector<JobIndex> unfinished(const JobTable& table, Time now, std::span<const Event> ends,
                                 const WaitingQueue& queue, std::span<const Event> submissions) {
    std::vector<JobIndex> jobs;
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        jobs.push_back(queue.job(at));
    }
    for (const Event& end : ends) jobs.push_back(end.index);
    for (const Event& due : submissions) {
        if (table.submit[due.index] <= now) jobs.push_back(due.index);
    }
    return jobs;
}

// The rows of these jobs, without what is not known yet.
JobTable known_rows(const JobTable& all, std::span<const JobIndex> jobs) {
    JobTable table;
    table.id = picked(all.id, jobs);
    table.submit = picked(all.submit, jobs);
    table.nodes = picked(all.nodes, jobs);
    table.request = picked(all.request, jobs);
    table.run = table.request;
    table.user = picked(all.user, jobs);
    for (const std::int32_t demand : picked(all.demand, jobs)) {
        table.demand.push_back(table.place_of(all.demands[demand]));
    }
    table.tier = picked(all.tier, jobs);
    table.checkpoint = picked(all.checkpoint, jobs);
    table.requeue = picked(all.requeue, jobs);
    table.when_preempted = picked(all.when_preempted, jobs);
    return table;
}

}  // namespace

void Simulator::imagine(std::span<const JobIndex> jobs, std::span<const Time> run) {
    auto imagined = std::make_shared<std::vector<Time>>();
    for (std::size_t i = 0; i < this->jobs(); ++i) {
        const bool ended = state_[i] != JobState::waiting;
        imagined->push_back(ended ? would_run(static_cast<JobIndex>(i)) : table_->request[i]);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) (*imagined)[jobs[i]] = run[i];
    imagined_ = std::move(imagined);
    const std::vector<JobIndex> running = View(*this).running();
    events_[EventKind::end] = {};
    for (const JobIndex job : running) {
        const Time begun = progress_.empty() ? 0 : progress_[job].begun;
        end_[job] = start_[job] + run_time(job) - begun;
        events_[EventKind::end].push({end_[job], job});
    }
    const auto begin = table_->submit.begin();
    given_ = static_cast<JobIndex>(std::upper_bound(begin, begin + given_, now_) - begin);
    events_[EventKind::submission].remove_if(
        [this](const Event& event) { return table_->submit[event.index] > now_; });
    events_[EventKind::withdrawal].remove_if(
        [this](const Event& event) { return event.time > now_; });
    events_[EventKind::failure] = {};
    if (eligibility_) {
        eligibility_->expect_good_ends();
        eligibility_->forget_from(given_);
    }
}

Present::Present(const Simulator& simulation) : from_(simulation) {
    keep_jobs();
    Options options = from_.options_;
    if (options.place) {
        if (auto place = options.place->renumbered(jobs_)) options.place = std::move(place);
    }
    base_ = std::make_shared<Simulator>(known_rows(*from_.table_, jobs_), std::move(options));
    Simulator& base = *base_;
    base.before_ = &from_;
    base.now_ = from_.now_;
    base.pool_ = from_.pool_;
    base.releases_ = from_.releases_;
    base.calendar_ = from_.calendar_;
    base.closed_ = from_.closed_;
    base.arrivals_ = from_.arrivals_;
    base.given_ = 0;  // those to be submitted are events
    if (from_.states_) {
        base.states_ = from_.states_;
        base.states_->renumber(jobs_);
    }
    if (from_.eligibility_) base.eligibility_ = from_.eligibility_->kept(jobs_);
    base.start_ = picked(from_.start_, jobs_);
    base.eligible_ = picked(from_.eligible_, jobs_);
    base.promised_ = picked(from_.promised_, jobs_);
    base.estimate_ = picked(from_.estimate_, jobs_);
    base.expected_run_ = picked(from_.expected_run_, jobs_);
    base.corrections_ = picked(from_.corrections_, jobs_);
    keep_attempts();
    keep_queue();
    keep_events();
    predict_unseen();
}

void Present::keep_jobs() {
    const JobTable& table = *from_.table_;
    jobs_ = unfinished(table, from_.now_, from_.events_[EventKind::end].all(), from_.queue_,
                       from_.events_[EventKind::submission].all());
    const auto given = table.submit.begin() + from_.given_;
    const auto submitted = std::upper_bound(table.submit.begin(), given, from_.now_);
    const auto known = static_cast<JobIndex>(submitted - table.submit.begin());
    // Where jobs wait for others, every submitted job must be looked at: it may not be eligible
    // yet.
    const JobIndex first = from_.eligibility_ ? 0 : from_.next_submission_;
    for (JobIndex job = first; job < known; ++job) {
        if (from_.start_[job] == kNone) jobs_.push_back(job);
    }
    std::erase_if(jobs_, [this](JobIndex job) { return from_.state_[job] != JobState::waiting; });
    std::sort(jobs_.begin(), jobs_.end());
    jobs_.erase(std::unique(jobs_.begin(), jobs_.end()), jobs_.end());
}

void Present::keep_queue() {
    const WaitingQueue& queue = from_.queue_;
    std::vector<std::pair<std::int64_t, JobIndex>> waiting;
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        waiting.emplace_back(queue.arrival(at), place_of(queue.job(at)));
    }
    std::sort(waiting.begin(), waiting.end());
    for (const auto& [arrival, job] : waiting) base_->enqueue(job, arrival);
}

void Present::keep_events() {
    EventQueue& events = base_->events_;
    events = {};
    for (const EventKind kind : {EventKind::opening, EventKind::capacity, EventKind::closing}) {
        events[kind] = from_.events_[kind];
    }
    const auto keep = [&](EventKind kind, auto is_known) {
        for (const Event& event : from_.events_[kind].all()) {
            const JobIndex job = place_of(event.index);
            if (job != kNoJob && is_known(event)) events[kind].push({event.time, job});
        }
    };
    keep(EventKind::correction,
         [this](const Event& event) { return !from_.is_void_correction(event); });
    keep(EventKind::submission, [](const Event&) { return true; });
    keep(EventKind::withdrawal, [this](const Event& event) { return event.time <= from_.now_; });
    const auto unseen = std::lower_bound(jobs_.begin(), jobs_.end(), from_.next_submission_);
    for (auto job = unseen; job != jobs_.end() && *job < from_.given_; ++job) {
        if (from_.is_gated(*job)) continue;
        events[EventKind::submission].push(
            {from_.table_->submit[*job], static_cast<JobIndex>(job - jobs_.begin())});
    }
}

void Present::keep_attempts() {
    Simulator& base = *base_;
    base.ranges_begin_ = picked(from_.ranges_begin_, jobs_);
    base.ranges_count_ = picked(from_.ranges_count_, jobs_);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        keep_ranges(base.ranges_begin_[i], base.ranges_count_[i]);
    }
    if (!from_.gpus_.empty()) {
        base.gpus_.resize(jobs_.size());
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const auto job = static_cast<std::size_t>(jobs_[i]);
            if (job < from_.gpus_.size()) base.gpus_[i] = from_.gpus_[job];
        }
    }
    base.progress_ = picked(from_.progress_, jobs_);
    for (std::size_t i = 0; i < base.progress_.size(); ++i) {
        Simulator::Progress& own = base.progress_[i];
        if (own.asked >= 0) own.asked = base.table_->place_of(from_.table_->demands[own.asked]);
        if (own.attempt == Simulator::kNoAttempt) continue;
        Attempt last = from_.attempts_[own.attempt];
        last.job = static_cast<JobIndex>(i);
        keep_ranges(last.ranges_begin, last.ranges_count);
        own.attempt = static_cast<std::int32_t>(base.attempts_.size());
        base.attempts_.push_back(last);
    }
    for (const JobIndex job : from_.suspended_) base.suspended_.push_back(place_of(job));
}

void Present::keep_ranges(std::size_t& begin, std::int32_t count) {
    const auto first = from_.ranges_.begin() + static_cast<std::ptrdiff_t>(begin);
    begin = base_->ranges_.size();
    base_->ranges_.insert(base_->ranges_.end(), first, first + count);
}

void Present::predict_unseen() {
    if (!from_.predictor_) return;
    std::shared_ptr<Predictor> predictor;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (base_->eligible_[i] != kNone) continue;
        if (!predictor) predictor = from_.predictor_->clone();
        base_->estimate_[i] = predicted(*predictor, job(i));
        base_->expected_run_[i] = base_->estimate_[i];
    }
}

Time Present::predicted(Predictor& predictor, SubmittedJob job) const {
    const double said = predictor.predict(job);
    if (std::isnan(said)) throw PolicyError("the predictor gave NaN; must be a number");
    return static_cast<Time>(std::ceil(std::clamp(said, 1.0, static_cast<double>(job.request))));
}

SubmittedJob Present::job(std::size_t place) const { return from_.submitted_job(jobs_[place]); }

Time Present::elapsed(std::size_t place) const {
    const Simulator& base = *base_;
    if (!is_running(place)) return base.saved(static_cast<JobIndex>(place));
    return (base.progress_.empty() ? 0 : base.progress_[place].begun) + base.now_ -
           base.start_[place];
}

Time Present::least_run(std::size_t place) const {
    const Time done = elapsed(place);
    return is_running(place) || done > 0 ? done + 1 : 0;
}

void Present::expect(std::span<Arrival> arrivals) const {
    const auto predictor = from_.predictor_ ? from_.predictor_->clone() : nullptr;
    auto next = static_cast<JobIndex>(from_.jobs());
    for (Arrival& arrival : arrivals) {
        SubmittedJob job = from_.submitted_job(arrival.like);
        job.job = next++;
        job.submit = arrival.submit;
        arrival.estimate = predictor ? predicted(*predictor, job) : job.request;
    }
}

std::shared_ptr<Simulator> Present::replay(std::span<const Arrival> past) const {
    std::vector<JobIndex> jobs;
    for (const Arrival& each : past) jobs.push_back(each.like);
    JobTable table = known_rows(*from_.table_, jobs);
    for (std::size_t i = 0; i < past.size(); ++i) {
        table.submit[i] = past[i].submit;
        table.run[i] = past[i].run;
    }
    Options options = from_.options_;
    options.place = nullptr;
    options.changes = nullptr;  // a replay may outlast the past, and must not show failures to come
    options.preempt_by = PreemptBy::nobody;
    return std::make_shared<Simulator>(std::move(table), std::move(options));
}

std::shared_ptr<Simulator> Present::imagine(const Future& future) const {
    auto made = std::shared_ptr<Simulator>(new Simulator(*base_));
    made->imagined_ = future.run;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (!is_running(i)) continue;
        const auto job = static_cast<JobIndex>(i);
        const Time begun = made->progress_.empty() ? 0 : made->progress_[i].begun;
        made->end_[i] = made->start_[i] + made->run_time(job) - begun;
        made->events_[EventKind::end].push({made->end_[i], job});
    }
    const JobTable& table = *from_.table_;
    for (const Arrival& arrival : future.arrivals) {
        const JobIndex like = arrival.like;
        NewJob job{table.id[like],   arrival.submit,    table.nodes[like], table.request[like],
                   arrival.run,      table.user[like],  {},
                   table.tier.empty() ? 0 : table.tier[like]};
        if (!table.demand.empty()) job.demand = table.demands[table.demand[like]];
        const JobIndex added = made->add_job(job);
        JobTable& own = *made->table_;
        if (!own.checkpoint.empty()) own.checkpoint[added] = table.checkpoint[like];
        if (!own.requeue.empty()) own.requeue[added] = table.requeue[like];
        if (!own.when_preempted.empty()) own.when_preempted[added] = table.when_preempted[like];
        if (arrival.estimate == kNone) continue;
        made->estimate_[added] = arrival.estimate;
        made->expected_run_[added] = arrival.estimate;
    }
    return made;
}

}  // namespace schedlab
