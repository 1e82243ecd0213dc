#include "core/simulator.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/correction.h"
#include "core/view.h"

namespace schedlab {

Simulator::Simulator(JobTable jobs, Options options, std::shared_ptr<Predictor> predictor)
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
    if (predictor_) {
        corrections_.assign(n, 0);
        predictor_->begin();
    }

    if (!table_->depends_on.empty()) {
        dependants_begin_.assign(n + 1, 0);
        for (const JobIndex parent : table_->depends_on) {
            if (parent != kNoJob) ++dependants_begin_[parent + 1];
        }
        for (std::size_t i = 0; i < n; ++i) dependants_begin_[i + 1] += dependants_begin_[i];
        dependants_.resize(dependants_begin_[n]);
        std::vector<std::int32_t> next(dependants_begin_.begin(), dependants_begin_.end() - 1);
        for (std::size_t i = 0; i < n; ++i) {
            const JobIndex parent = table_->depends_on[i];
            if (parent != kNoJob) dependants_[next[parent]++] = static_cast<JobIndex>(i);
        }
    }
    for (std::size_t i = 0; i < table_->cancel_time.size(); ++i) {
        const Time time = table_->cancel_time[i];
        if (time != kNone) cancellations_.push_back({time, static_cast<JobIndex>(i)});
    }
    std::sort(cancellations_.begin(), cancellations_.end(),
              [](const Event& a, const Event& b) { return b > a; });
}

std::span<const NodeRange> Simulator::nodes_of(JobIndex job) const {
    return {ranges_.data() + ranges_begin_[job], static_cast<std::size_t>(ranges_count_[job])};
}

void Simulator::use(Policy& policy) {
    forget_pass();  // what happened since the last pass is in the state that the policy begins with
    order_ = policy.order();
    if (order_) {
        order_->begin();
        teach(*order_);
    }
    if (!queue_.empty()) reorder_queue();
    // It may start jobs that the policy before let wait.
    wake_up_ = queue_.empty() ? kNever : now_;
    policy.begin(View(*this));
}

void Simulator::teach(Order& order) const {
    std::vector<Event> past;
    for (std::size_t i = 0; i < jobs(); ++i) {
        const bool ran = start_[i] != kNone && state_[i] != JobState::waiting;
        if (ran) past.push_back({end_[i], static_cast<JobIndex>(i)});
    }
    std::sort(past.begin(), past.end(), [](const Event& a, const Event& b) { return b > a; });
    for (const auto [end, job] : past) order.job_ended(submitted_job(job), end - start_[job]);
    for (auto at = queue_.first(); at < queue_.end(); at = queue_.next(at)) {
        order.job_submitted(waiting_job(queue_.job(at), queue_.arrival(at)));
    }
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
    for (;;) {
        const Time next = next_event();
        if (next == kNever || next > until) return false;
        now_ = std::max(now_, next);  // a live cluster may tell late
        wake_up_ = kNever;
        complete_jobs();
        if (predictor_) correct_predictions();
        submit_jobs();
        cancel_jobs();
        if (!queue_.empty()) break;
    }
    if (keys_changed()) {
        reorder_queue();
    } else {
        queue_.tidy();
    }
    deciding_ = true;
    return true;
}

void Simulator::forget_pass() {
    completed_.clear();
    submitted_.clear();
    cancelled_.clear();
    started_.clear();
    plan_.reserved.clear();
    plan_.made = false;
    corrected_ = false;
    deciding_ = false;
}

bool Simulator::keys_changed() const {
    if (!order_) return false;
    const KeysChange change = order_->keys_change();
    return change == KeysChange::always ||
           (change == KeysChange::when_jobs_end && !completed_.empty());
}

Time Simulator::next_event() {
    while (next_submission_ < given_ && !table_->depends_on.empty() &&
           table_->depends_on[next_submission_] != kNoJob) {
        ++next_submission_;  // becomes eligible when its dependency ends
    }
    while (!eligibles_.empty() && state_[eligibles_.top().job] == JobState::cancelled) {
        eligibles_.pop();
    }
    while (next_cancellation_ < cancellations_.size() &&
           start_[cancellations_[next_cancellation_].job] != kNone) {
        ++next_cancellation_;
    }
    while (!predicted_ends_.empty() &&
           state_[predicted_ends_.top().job] != JobState::waiting) {
        predicted_ends_.pop();  // it ended in time
    }
    Time next = kNever;
    if (!completions_.empty()) next = std::min(next, seen(completions_.top().time));
    if (next_submission_ < given_) next = std::min(next, seen(table_->submit[next_submission_]));
    if (!eligibles_.empty()) next = std::min(next, seen(eligibles_.top().time));
    if (next_cancellation_ < cancellations_.size()) {
        next = std::min(next, seen(cancellations_[next_cancellation_].time));
    }
    if (!predicted_ends_.empty()) next = std::min(next, predicted_ends_.top().time);
    return std::min(next, wake_up_);
}

void Simulator::require_progress() {
    if (!completions_.empty() || !started_.empty()) idle_wake_ups_ = 0;
    if (++idle_wake_ups_ <= kIdleWakeUps) return;
    throw PolicyError("the policy asked to be woken " + std::to_string(kIdleWakeUps) +
                      " times in a row while no job ran and none started; it must start one");
}

void Simulator::complete_jobs() {
    while (!completions_.empty() && seen(completions_.top().time) <= now_) {
        const JobIndex job = completions_.top().job;
        completions_.pop();
        complete(job);
    }
}

void Simulator::complete(JobIndex job) {
    const bool killed = end_[job] - start_[job] < table_->run[job];
    state_[job] = killed ? JobState::killed : JobState::completed;
    release_nodes(job);
    releases_.remove(release_time(job), table_->nodes[job]);
    completed_.push_back(job);
    const Time ran = end_[job] - start_[job];
    if (order_) order_->job_ended(submitted_job(job), ran);
    if (predictor_) predictor_->learn(submitted_job(job), ran);
    ++ended_;
    free_dependants(job, end_[job]);
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
    while (!predicted_ends_.empty() && predicted_ends_.top().time <= now_) {
        const JobIndex job = predicted_ends_.top().job;
        predicted_ends_.pop();
        if (state_[job] == JobState::waiting) correct(job);
    }
}

void Simulator::correct(JobIndex job) {
    const Time request = table_->request[job];
    releases_.remove(release_time(job), table_->nodes[job]);
    if (states_) states_->leave(nodes_of(job), parts(job), job);
    while (release_time(job) <= now_ && expected_run_[job] < request) {
        const Time longer = expected_run_[job] + correction(corrections_[job]);
        if (corrections_[job] < kCorrections) ++corrections_[job];
        expected_run_[job] = std::min(longer, request);
    }
    expect_release(job);
    if (states_) states_->hold(nodes_of(job), parts(job), job, release_time(job), gpus_of(job));
    corrected_ = true;
}

void Simulator::free_dependants(JobIndex job, Time ended) {
    if (dependants_.empty() || job >= given_) return;
    for (auto i = dependants_begin_[job]; i < dependants_begin_[job + 1]; ++i) {
        const JobIndex child = dependants_[i];
        if (state_[child] == JobState::cancelled) continue;
        const Time ready = ended + std::max<Time>(0, table_->think_time[child]);
        eligibles_.push({std::max(table_->submit[child], ready), child});
    }
}

void Simulator::submit_jobs() {
    const std::size_t first_new = submitted_.size();
    for (; next_submission_ < given_ && seen(table_->submit[next_submission_]) <= now_;
         ++next_submission_) {
        const JobIndex job = next_submission_;
        if (!table_->depends_on.empty() && table_->depends_on[job] != kNoJob) continue;
        if (state_[job] == JobState::cancelled) continue;
        eligible_[job] = table_->submit[job];
        submitted_.push_back(job);
    }
    if (!eligibles_.empty()) {
        for (; !eligibles_.empty() && seen(eligibles_.top().time) <= now_; eligibles_.pop()) {
            const auto [time, job] = eligibles_.top();
            if (state_[job] == JobState::cancelled) continue;
            eligible_[job] = time;
            submitted_.push_back(job);
        }
        std::sort(submitted_.begin() + first_new, submitted_.end());
    }
    for (std::size_t i = first_new; i < submitted_.size(); ++i) submit(submitted_[i]);
}

void Simulator::submit(JobIndex job) {
    if (predictor_) predict(job);
    const WaitingJob newcomer = waiting_job(job, arrivals_++);
    if (order_) order_->job_submitted(newcomer);
    // A key that changes with time is computed before the pass; until then the last place will do.
    double key = std::numeric_limits<double>::infinity();
    if (!order_) {
        key = 0;
    } else if (order_->keys_change() != KeysChange::always) {
        order_->keys({&newcomer, 1}, machine(), {&key, 1});
    }
    queue_.insert(newcomer, key);
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
            one_pool() ? 0 : table_->demand[job]};
}

void Simulator::cancel_jobs() {
    for (; next_cancellation_ < cancellations_.size() &&
           seen(cancellations_[next_cancellation_].time) <= now_;
         ++next_cancellation_) {
        const auto [time, job] = cancellations_[next_cancellation_];
        if (start_[job] != kNone || state_[job] == JobState::cancelled) continue;
        if (eligible_[job] == kNone) {
            eligible_[job] = time;
        } else {
            queue_.remove(queue_.find(job));
        }
        state_[job] = JobState::cancelled;
        cancelled_.push_back(job);
        ++ended_;
        free_dependants(job, time);
    }
}

JobIndex Simulator::add_job(const NewJob& job) {
    assert(0 < job.nodes && job.nodes <= nodes() && job.request > 0);
    if (table_.use_count() > 1) table_ = std::make_shared<JobTable>(*table_);
    const auto added = static_cast<JobIndex>(jobs());
    table_->add(job);
    estimate_.push_back(job.request);
    expected_run_.push_back(job.request);
    if (predictor_) corrections_.push_back(0);
    for (auto* column : {&start_, &end_, &eligible_, &promised_}) column->push_back(kNone);
    state_.push_back(JobState::waiting);
    ranges_begin_.push_back(0);
    ranges_count_.push_back(0);
    eligibles_.push({job.submit, added});
    return added;
}

void Simulator::cancel(JobIndex job) {
    if (start_[job] != kNone) {
        if (state_[job] == JobState::waiting) kill(job);
        return;
    }
    const Event event{now_, job};
    const auto later = std::find_if(cancellations_.begin() + next_cancellation_,
                                    cancellations_.end(),
                                    [&](const Event& other) { return other > event; });
    cancellations_.insert(later, event);
}

void Simulator::kill(JobIndex job) {
    completions_.remove_if([job](const Event& completion) { return completion.job == job; });
    end_[job] = now_;
    completions_.push({now_, job});
}

void Simulator::reorder_queue() {
    if (!order_) {
        scratch_keys_.assign(queue_.size(), 0.0);
        queue_.reorder(scratch_keys_);
        return;
    }
    if (order_->keys_change() == KeysChange::when_jobs_end) {
        queue_.jobs(scratch_indices_);
        scratch_keys_.resize(scratch_indices_.size());
        order_->keys_now(scratch_indices_, scratch_keys_);
        queue_.reorder(scratch_keys_);
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
