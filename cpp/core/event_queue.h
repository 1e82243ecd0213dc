#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "core/types.h"

namespace schedlab {

struct Event {
    Time time;
    JobIndex job;
    bool operator>(const Event& other) const {
        return time != other.time ? time > other.time : job > other.job;
    }
};

// Events to come, the earliest first; those of one time in order of the jobs.
class EventQueue {
  public:
    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    const Event& top() const { return heap_.front(); }
    std::span<const Event> all() const { return heap_; }  // in no order

    void push(Event event) {
        heap_.push_back(event);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    void pop() {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        heap_.pop_back();
    }
    template <typename Test>
    void remove_if(Test test) {
        std::erase_if(heap_, test);
        std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    }

  private:
    std::vector<Event> heap_;
};

}  // namespace schedlab
