#include "core/eligibility.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace schedlab {

// The rules; conditions are sorted by the job that they depend on.
struct Eligibility::Links {
    EligibilityRules rules;
    std::vector<std::int32_t> begin;               // where the conditions on a job begin
    std::vector<std::vector<JobIndex>> namesakes;  // by group, in order of submission
    std::vector<std::uint8_t> singleton;           // by job

    std::span<const Condition> on(JobIndex job) const {
        return {rules.conditions.data() + begin[job], rules.conditions.data() + begin[job + 1]};
    }
};

Eligibility::Eligibility(EligibilityRules rules, std::span<const Time> submit) {
    const std::size_t n = rules.begin.size();
    auto links = std::make_shared<Links>();
    gated_.assign(n, 0);
    gone_.assign(n, kNone);
    has_started_.assign(n, 0);
    missing_.assign(n, 0);
    place_.assign(n, Place::outside);
    ready_ = rules.begin;
    links->singleton.assign(n, 0);
    for (const Condition& each : rules.conditions) {
        gated_[each.job] = 1;
        ++missing_[each.job];
        if (each.kind == ConditionKind::singleton) links->singleton[each.job] = 1;
    }
    for (std::size_t job = 0; job < n; ++job) {
        if (rules.array[job] >= 0 || rules.begin[job] > submit[job]) gated_[job] = 1;
    }
    for (const std::int32_t limit : rules.array_limit) arrays_.push_back({limit, {}});
    for (std::size_t job = 0; job < n; ++job) {
        const std::int32_t group = rules.namesakes[job];
        if (group < 0) continue;
        if (links->namesakes.size() <= static_cast<std::size_t>(group)) {
            links->namesakes.resize(group + 1);
        }
        links->namesakes[group].push_back(static_cast<JobIndex>(job));
    }
    namesakes_.resize(links->namesakes.size());
    // Singleton conditions come first, since they depend on no job.
    std::stable_sort(rules.conditions.begin(), rules.conditions.end(),
                     [](const Condition& a, const Condition& b) {
                         return a.on != b.on ? a.on < b.on : a.job < b.job;
                     });
    links->begin.assign(n + 1, 0);
    std::int32_t at = 0;
    for (std::size_t job = 0; job <= n; ++job) {
        while (at < static_cast<std::int32_t>(rules.conditions.size()) &&
               rules.conditions[at].on < static_cast<JobIndex>(job)) {
            ++at;
        }
        links->begin[job] = at;
    }
    links->rules = std::move(rules);
    links_ = std::move(links);
}

Eligibility Eligibility::kept(std::span<const JobIndex> jobs) const {
    const EligibilityRules& all = links_->rules;
    Eligibility made;
    auto links = std::make_shared<Links>();
    EligibilityRules& rules = links->rules;
    rules.array_limit = all.array_limit;
    links->namesakes.resize(links_->namesakes.size());
    made.arrays_.resize(arrays_.size());
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        made.arrays_[i].room = arrays_[i].room;
        for (const JobIndex job : arrays_[i].waiting) made.arrays_[i].waiting.insert(place_among(jobs, job));
    }
    made.namesakes_ = namesakes_;
    for (Namesakes& group : made.namesakes_) group.ended = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const JobIndex job = jobs[i];
        const bool known = job < this->jobs();  // else it was added later, and waits for nothing
        const std::int32_t group = known ? all.namesakes[job] : -1;
        links->begin.push_back(static_cast<std::int32_t>(rules.conditions.size()));
        rules.begin.push_back(known ? all.begin[job] : 0);
        rules.array.push_back(known ? all.array[job] : -1);
        rules.namesakes.push_back(group);
        rules.ends_badly.push_back(0);
        links->singleton.push_back(known ? links_->singleton[job] : 0);
        made.gated_.push_back(known ? gated_[job] : 0);
        made.gone_.push_back(known ? gone_[job] : kNone);
        made.has_started_.push_back(known ? has_started_[job] : 0);
        made.missing_.push_back(known ? missing_[job] : 0);
        made.ready_.push_back(known ? ready_[job] : 0);
        made.place_.push_back(known ? place_[job] : Place::outside);
        if (group >= 0) links->namesakes[group].push_back(static_cast<JobIndex>(i));
        if (!known) continue;
        for (const Condition& each : links_->on(job)) {
            const JobIndex place = place_among(jobs, each.job);
            if (place == kNoJob) continue;
            rules.conditions.push_back({place, static_cast<JobIndex>(i), each.kind, each.delay});
        }
    }
    links->begin.push_back(static_cast<std::int32_t>(rules.conditions.size()));
    made.links_ = std::move(links);
    return made;
}

void Eligibility::expect_good_ends() {
    auto links = std::make_shared<Links>(*links_);
    std::fill(links->rules.ends_badly.begin(), links->rules.ends_badly.end(), 0);
    links_ = std::move(links);
}

void Eligibility::forget_from(JobIndex first) {
    for (JobIndex job = first; job < jobs(); ++job) {
        missing_[job] = std::numeric_limits<std::int32_t>::max();
    }
}

void Eligibility::begin(EventHeap& ready) {
    for (JobIndex job = 0; job < jobs(); ++job) {
        if (gated_[job] && missing_[job] == 0) ready.push({ready_[job], job});
    }
    for (const auto& group : links_->namesakes) {
        if (links_->singleton[group.front()]) fulfil(group.front(), 0, ready);
    }
}

bool Eligibility::let_in(JobIndex job) {
    if (job >= jobs()) return true;
    const std::int32_t array = links_->rules.array[job];
    if (array < 0 || place_[job] == Place::inside) return true;
    if (arrays_[array].room == 0) {
        arrays_[array].waiting.insert(job);
        place_[job] = Place::waiting;
        return false;
    }
    --arrays_[array].room;
    place_[job] = Place::inside;
    return true;
}

void Eligibility::started(JobIndex job, Time time, EventHeap& ready) {
    if (job >= jobs() || has_started_[job]) return;
    has_started_[job] = 1;
    for (const Condition& each : links_->on(job)) {
        if (each.kind == ConditionKind::after) fulfil(each.job, time + each.delay, ready);
    }
}

void Eligibility::ended(JobIndex job, Time time, bool well, EventHeap& ready,
                        std::vector<JobIndex>& never) {
    if (job >= jobs()) return;
    gone_[job] = time;
    leave_array(job, time, ready);
    well = well && !links_->rules.ends_badly[job];
    for (const Condition& each : links_->on(job)) {
        if (gone_[each.job] != kNone || (each.kind == ConditionKind::after && has_started_[job])) continue;
        const bool failed = each.kind == (well ? ConditionKind::afternotok : ConditionKind::afterok);
        if (failed) {
            never.push_back(each.job);
        } else {
            fulfil(each.job, time + each.delay, ready);
        }
    }
    leave_namesakes(job, ready);
}

void Eligibility::fulfil(JobIndex job, Time time, EventHeap& ready) {
    ready_[job] = std::max(ready_[job], time);
    if (--missing_[job] == 0 && gone_[job] == kNone) ready.push({ready_[job], job});
}

void Eligibility::leave_array(JobIndex job, Time time, EventHeap& ready) {
    const std::int32_t array = links_->rules.array[job];
    if (array < 0) return;
    Array& own = arrays_[array];
    if (place_[job] == Place::waiting) own.waiting.erase(job);
    if (std::exchange(place_[job], Place::outside) != Place::inside) return;
    if (own.waiting.empty()) {
        ++own.room;
        return;
    }
    const JobIndex following = *own.waiting.begin();
    own.waiting.erase(own.waiting.begin());
    place_[following] = Place::inside;
    ready.push({time, following});
}

void Eligibility::leave_namesakes(JobIndex job, EventHeap& ready) {
    const std::int32_t group = links_->rules.namesakes[job];
    if (group < 0) return;
    const std::vector<JobIndex>& members = links_->namesakes[group];
    Namesakes& own = namesakes_[group];
    while (own.ended < members.size() && gone_[members[own.ended]] != kNone) {
        own.last_end = std::max(own.last_end, gone_[members[own.ended]]);
        if (++own.ended == members.size()) return;
        const JobIndex next = members[own.ended];
        if (links_->singleton[next]) fulfil(next, own.last_end, ready);
    }
}

}  // namespace schedlab
