#include "env/thread_team.h"

#include <algorithm>
#include <chrono>

namespace schedlab {
namespace {

// A thread watches this long for the next round before it sleeps: about as long as waking it takes.
constexpr std::chrono::microseconds watch{50};
constexpr std::size_t takes_per_share = 8;  // so that there is something left to help with

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Whether `condition` became true within the time a thread watches.
template <typename Condition>
bool watch_until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + watch;
    do {
        for (int i = 0; i < 32; ++i) {
            if (condition()) return true;
            pause();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

}  // namespace

ThreadTeam::ThreadTeam(std::size_t threads, std::size_t tasks, Task task)
    : tasks_(tasks),
      task_(std::move(task)),
      threads_used_(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(tasks, 1))),
      shares_(std::make_unique<Share[]>(threads_used_)),
      ended_(tasks) {
    for (std::size_t i = 0; i < threads_used_; ++i) {
        Share& share = shares_[i];
        share.first = tasks * i / threads_used_;
        share.last = tasks * (i + 1) / threads_used_;
        share.next = share.last;
    }
    for (std::size_t own = 1; own < threads_used_; ++own) {
        threads_.emplace_back([this, own] { serve(own); });
    }
}

ThreadTeam::~ThreadTeam() {
    closing_ = true;
    round_.fetch_add(1);
    round_.notify_all();
}

void ThreadTeam::run() {
    error_ = nullptr;
    ended_.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < threads_used_; ++i) {
        // Released, so that the thread that takes a task sees what the caller prepared.
        shares_[i].next.store(shares_[i].first, std::memory_order_release);
    }
    if (!threads_.empty()) {
        round_.fetch_add(1);
        round_.notify_all();
    }
    work(0);
    const auto all_ended = [this] { return ended_.load(std::memory_order_acquire) == tasks_; };
    while (!watch_until(all_ended)) std::this_thread::yield();
    if (error_) std::rethrow_exception(error_);
}

void ThreadTeam::serve(std::size_t own) {
    unsigned seen = 0;
    for (;;) {
        wait_for_round(seen);
        seen = round_.load();
        if (closing_) return;
        work(own);
    }
}

void ThreadTeam::wait_for_round(unsigned seen) const {
    if (!watch_until([&] { return round_.load(std::memory_order_acquire) != seen; })) {
        round_.wait(seen);
    }
}

void ThreadTeam::work(std::size_t own) {
    for (std::size_t i = 0; i < threads_used_; ++i) take_from(shares_[(own + i) % threads_used_]);
}

void ThreadTeam::take_from(Share& share) {
    const std::size_t count = std::max<std::size_t>(1, (share.last - share.first) / takes_per_share);
    while (share.next.load(std::memory_order_relaxed) < share.last) {
        const std::size_t first = share.next.fetch_add(count, std::memory_order_acq_rel);
        if (first < share.last) perform(first, std::min(first + count, share.last));
    }
}

void ThreadTeam::perform(std::size_t first, std::size_t last) {
    try {
        for (std::size_t task = first; task < last; ++task) task_(task);
    } catch (...) {
        keep_error();
    }
    ended_.fetch_add(last - first, std::memory_order_acq_rel);
}

void ThreadTeam::keep_error() {
    const std::scoped_lock lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
}

}  // namespace schedlab
