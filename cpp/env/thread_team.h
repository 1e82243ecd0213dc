#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace schedlab {

// Threads that do one round of equal tasks after another, with the caller among them.
//
// Each thread has a share of the tasks, the same in every round, so that their data stay in its
// cache. A thread that has finished its own share helps the others: one that wakes late finds its
// work done, and a round of a few microseconds never waits for a sleeper.
class ThreadTeam {
  public:
    using Task = std::function<void(std::size_t)>;

    // `threads` counts the caller; `task` is called with every number below `tasks` in each round.
    ThreadTeam(std::size_t threads, std::size_t tasks, Task task);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;

    // Does one round; the first exception of a task is thrown here when all tasks have ended.
    void run();

  private:
    struct alignas(64) Share {  // a cache line each: threads do not disturb each other
        std::atomic<std::size_t> next;  // the first task that no thread has taken
        std::size_t first, last;
    };

    void serve(std::size_t own);
    void work(std::size_t own);
    void take_from(Share& share);
    void perform(std::size_t first, std::size_t last);
    void keep_error();
    void wait_for_round(unsigned seen) const;

    const std::size_t tasks_;
    const Task task_;
    const std::size_t threads_used_;
    std::unique_ptr<Share[]> shares_;  // one per thread

    std::atomic<unsigned> round_{0};  // what sleepers wait for
    std::atomic<bool> closing_{false};
    alignas(64) std::atomic<std::size_t> ended_;  // tasks of this round
    std::mutex error_mutex_;
    std::exception_ptr error_;
    std::vector<std::jthread> threads_;  // the last member: they use all the others
};

}  // namespace schedlab
