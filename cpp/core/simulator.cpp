#include "core/simulator.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/correction.h"
#include "core/preemption.h"
#include "core/view.h"

namespace schedlab {

Simulator::Simulator(JobTable jobs, Options options, std::shared_ptr<Predictor> predictor,
                     std::optional<EligibilityRules> rules)
    : table_(std::make_shared<JobTable>(std::move(jobs))),
      options_(std::move(options)),
      predictor_(std::move(predictor)),
      pool_(options_.nodes),
      estimate_(table_->request),
      expected_run_(table_->request) {
    const std::size_t n = table_->size();
    given_ = static_cast<JobIndex>(n);
    start_.assign(n, kNone);
    end_.assign(n, kNone);
    eligible_.assign(n, kNone);
    promised_.assign(n, kNone);
    state_.assign(n, JobState::waiting);
    ranges_begin_.assign(n, 0);
    ranges_count_.assign(n, 0);
    ranges_.reserve(2 * n);
    if (options_.machine) states_.emplace(options_.machine);
    if (!options_.counted) plan_.plan.emplace<NodePlan>();
    if (options_.changes || options_.preempt_by != PreemptBy::nobody) progress_.resize(n);
    if (predictor_) {
        corrections_.assign(n, 0);
        predictor_->begin();
    }

    if (rules) {
        eligibility_.emplace(std::move(*rules), table_->submit);
        eligibility_->begin(events_[EventKind::submission]);
    }
    for (std::size_t i = 0; i < table_->cancel_time.size(); ++i) {
        const Time time = table_->cancel_time[i];
        if (time == kNone) continue;
        events_[EventKind::withdrawal].push({time, static_cast<JobIndex>(i)});
    }
    schedule_changes();
}

std::span<const NodeRange> Simulator::real_nodes(std::size_t begin, std::int32_t count) const {
    while (count > 0 && is_consumable(ranges_[begin + count - 1].first)) --count;
    return {ranges_.data() + begin, static_cast<std::size_t>(count)};
}

std::span<const NodeRange> Simulator::nodes_of(JobIndex job) const {
    return real_nodes(ranges_begin_[job], ranges_count_[job]);
}

std::span<const NodeRange> Simulator::nodes_of(const Attempt& attempt) const {
    return real_nodes(attempt.ranges_begin, attempt.ranges_count);
}

void Simulator::use(Policy& policy) {
    forget_pass();  // what happened since the last pass is in the state that the policy begins with
    order_ = policy.order();
    depth_ = policy.depth();
    if (order_) {
        order_->begin();
        teach(*order_);
    }
    fill_queue();
    // The new policy may start jobs that the previous one let wait.
    wake_up_ = queue_.empty() ? kNever : now_;
    policy.begin(View(*this));
}

void Simulator::teach(Order& order) const {
    if (!order.learns()) return;
    if (before_) before_->teach(order);
    std::vector<Event> past;
    for (std::size_t i = 0; i < jobs(); ++i) {
        const bool ran = start_[i] != kNone && state_[i] != JobState::waiting;
        if (ran) past.push_back({end_[i], static_cast<JobIndex>(i)});
    }
    std::sort(past.begin(), past.end(), [](const Event& a, const Event& b) { return b > a; });
    for (const auto [end, job] : past) order.job_ended(submitted_job(job), work(job));
}

void Simulator::fill_queue() {
    std::vector<std::pair<std::int64_t, JobIndex>> waiting;
    for (auto at = queue_.first(); at < queue_.end(); at = queue_.next(at)) {
        waiting.emplace_back(queue_.arrival(at), queue_.job(at));
    }
    std::sort(waiting.begin(), waiting.end());
    queue_.clear(order_ && order_->keys_change() == KeysChange::by_group);
    for (const auto& [arrival, job] : waiting) {
        if (queue_.is_grouped()) {
            enqueue(job, arrival);
        } else {  // the keys of all are computed at once
            queue_.insert(waiting_job(job, arrival), std::numeric_limits<double>::infinity());
        }
    }
    if (!queue_.empty()) reorder_queue();
}

std::shared_ptr<Simulator> Simulator::fork(const Policy& clone) const {
    auto copy = std::shared_ptr<Simulator>(new Simulator(*this));
    copy->order_ = clone.order();
    if (predictor_) copy->predictor_ = predictor_->clone();
    return copy;
}

bool Simulator::run(Policy& policy, std::int64_t passes, Time until) {
    View view(*this);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        if (!advance(until)) {
            if (until != kNever) now_ = std::max(now_, until);
            return false;
        }
        policy.schedule(view);
    }
    return true;
}

bool Simulator::advance(Time until) {
    if (wake_up_ != kNever) require_progress();
    if (deciding_) forget_pass();
    do {
        const Time next = next_event();
        if (next == kNever || next > until) return false;
        now_ = std::max(now_, next);  // a live cluster may report late
        wake_up_ = kNever;
        complete_jobs();
        if (options_.changes) change_machine();
        if (!events_[EventKind::correction].empty()) correct_predictions();
        submit_jobs();
        cancel_jobs();
    } while (queue_.empty() || !prepare_queue());
    deciding_ = true;
    return true;
}

bool Simulator::prepare_queue() {
    if (misplaced_ || keys_changed()) {
        reorder_queue();
    } else {
        queue_.tidy();
    }
    if (options_.preempt_by == PreemptBy::nobody) return true;
    Preemption(*this).preempt();
    if (misplaced_ || keys_changed()) reorder_queue();
    return !queue_.empty();
}

void Simulator::forget_pass() {
    completed_.clear();
    submitted_.clear();
    cancelled_.clear();
    started_.clear();
    closings_.clear();
    plan_.reserved.clear();
    plan_.made = false;
    upset_ = false;
    machine_changed_ = false;
    deciding_ = false;
}

bool Simulator::keys_changed() const {
    if (!order_) return false;
    const KeysChange change = order_->keys_change();
    return change == KeysChange::always ||
           (change == KeysChange::by_group && !completed_.empty());
}

Time Simulator::next_event() {
    while (next_submission_ < given_ && is_gated(next_submission_)) ++next_submission_;
    drop_void_events();
    Time next = events_.next();
    if (next_submission_ < given_) next = std::min(next, table_->submit[next_submission_]);
    return std::min(next == kNever ? kNever : seen(next), wake_up_);
}

void Simulator::drop_void_events() {
    EventHeap& submissions = events_[EventKind::submission];
    while (!submissions.empty() && state_[submissions.top().index] == JobState::cancelled) {
        submissions.pop();
    }
    EventHeap& withdrawals = events_[EventKind::withdrawal];
    while (!withdrawals.empty() && is_void_withdrawal(withdrawals.top())) withdrawals.pop();
    EventHeap& corrections = events_[EventKind::correction];
    while (!corrections.empty() && is_void_correction(corrections.top())) corrections.pop();
    EventHeap& ends = events_[EventKind::end];
    while (!ends.empty() && is_void_end(ends.top())) ends.pop();
}

void Simulator::require_progress() {
    if (!events_[EventKind::end].empty() || !started_.empty()) idle_wake_ups_ = 0;
    if (++idle_wake_ups_ <= kIdleWakeUps) return;
    throw PolicyError("the policy asked to be woken " + std::to_string(kIdleWakeUps) +
                      " times in a row while no job ran and none started; it must start one");
}

void Simulator::complete_jobs() {
    EventHeap& ends = events_[EventKind::end];
    while (!ends.empty() && seen(ends.top().time) <= now_) {
        const Event end = ends.top();
        ends.pop();
        if (!is_void_end(end)) complete(end.index);
    }
}

void Simulator::complete(JobIndex job) {
    state_[job] = work(job) < would_run(job) ? JobState::killed : JobState::completed;
    release_nodes(job);
    releases_.remove(release_time(job), table_->nodes[job]);
    finish(job, end_[job]);
}

void Simulator::finish(JobIndex job, Time ended) {
    completed_.push_back(job);
    if (order_) order_->job_ended(submitted_job(job), work(job));
    if (predictor_) predictor_->learn(submitted_job(job), work(job));
    ++ended_;
    let_follow(job, ended);
}

SubmittedJob Simulator::submitted_job(JobIndex job) const {
    return {job, table_->nodes[job], table_->request[job], table_->submit[job], table_->user[job]};
}

void Simulator::predict(JobIndex job) {
    const double predicted = predictor_->predict(submitted_job(job));
    if (std::isnan(predicted)) throw PolicyError("the predictor gave NaN; must be a number");
    const auto longest = static_cast<double>(table_->request[job]);
    estimate_[job] = static_cast<Time>(std::ceil(std::clamp(predicted, 1.0, longest)));
    expected_run_[job] = estimate_[job];
}

void Simulator::correct_predictions() {
    EventHeap& corrections = events_[EventKind::correction];
    while (!corrections.empty() && corrections.top().time <= now_) {
        const Event due = corrections.top();
        corrections.pop();
        if (!is_void_correction(due)) correct(due.index);
    }
}

void Simulator::correct(JobIndex job) {
    const Time longest = table_->request[job] - saved(job);
    releases_.remove(release_time(job), table_->nodes[job]);
    if (states_) states_->leave(held_by(job), parts(job), job);
    while (release_time(job) <= now_ && expected_run_[job] < longest) {
        const Time longer = expected_run_[job] + correction(corrections_[job]);
        if (corrections_[job] < kCorrections) ++corrections_[job];
        expected_run_[job] = std::min(longer, longest);
    }
    expect_release(job);
    if (states_) states_->hold(held_by(job), parts(job), job, release_time(job), gpus_of(job));
    upset_ = true;
}

WaitingJob Simulator::waiting_job(JobIndex job, std::int64_t arrival) const {
    return {job,
            table_->nodes[job],
            table_->request[job],
            expected_run_[job],
            table_->submit[job],
            eligible_[job],
            table_->user[job],
            arrival,
            one_pool() ? 0 : table_->demand[job],
            table_->tier.empty() ? 0 : table_->tier[job]};
}

JobIndex Simulator::add_job(const NewJob& job) {
    assert(0 < job.nodes && job.nodes <= nodes() && job.request > 0);
    const auto added = static_cast<JobIndex>(jobs());
    own_table().add(job);
    estimate_.push_back(job.request);
    expected_run_.push_back(job.request);
    if (predictor_ || !corrections_.empty()) corrections_.push_back(0);
    if (!progress_.empty()) progress_.emplace_back();
    for (auto* column : {&start_, &end_, &eligible_, &promised_}) column->push_back(kNone);
    state_.push_back(JobState::waiting);
    ranges_begin_.push_back(0);
    ranges_count_.push_back(0);
    events_[EventKind::submission].push({job.submit, added});
    return added;
}

JobTable& Simulator::own_table() {
    if (table_.use_count() > 1) table_ = std::make_shared<JobTable>(*table_);
    return *table_;
}

void Simulator::cancel(JobIndex job) {
    if (is_running(job)) {
        end_[job] = now_;
        events_[EventKind::end].push({now_, job});
    } else if (state_[job] == JobState::waiting && attempted(job)) {
        give_up_waiting(job, false);
        if (!queue_.empty()) wake_up_ = now_;
    } else {
        events_[EventKind::withdrawal].push({now_, job});
    }
}

void Simulator::reorder_queue() {
    misplaced_ = false;
    if (!order_) {
        scratch_keys_.assign(queue_.size(), 0.0);
        queue_.reorder(scratch_keys_);
        return;
    }
    if (queue_.is_grouped()) {
        queue_.set_offsets(order_->group_offsets());
        return;
    }
    scratch_jobs_.clear();
    for (auto at = queue_.first(); at < queue_.end(); at = queue_.next(at)) {
        scratch_jobs_.push_back(waiting_job(queue_.job(at), queue_.arrival(at)));
    }
    scratch_keys_.resize(scratch_jobs_.size());
    order_->keys(scratch_jobs_, machine(), scratch_keys_);
    queue_.reorder(scratch_keys_);
}

}  // namespace schedlab
