#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/types.h"

namespace schedlab {

struct Event {
    Time time;
    std::int32_t index;  // of the job or other object that the event concerns
    bool operator>(const Event& other) const {
        return time != other.time ? time > other.time : index > other.index;
    }
};

// Coming events of one kind, the earliest first; of those at one time, the lowest index first.
class EventHeap {
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

// Kinds of events. Those of one instant happen in this order.
enum class EventKind : std::size_t {
    end,         // of a running job
    opening,     // an interval of the calendar or a repair ends
    capacity,    // of a consumable changes
    closing,     // an interval of the calendar begins
    failure,     // of a node
    correction,  // a running job outlives its estimate
    submission,  // a job becomes eligible
    withdrawal,  // of a job that still waits
};
inline constexpr std::size_t kEventKinds = 8;

// All events to come.
class EventQueue {
  public:
    EventHeap& operator[](EventKind kind) { return kinds_[static_cast<std::size_t>(kind)]; }
    const EventHeap& operator[](EventKind kind) const {
        return kinds_[static_cast<std::size_t>(kind)];
    }
    // The time of the next event; kNever if there is none.
    Time next() const {
        Time time = kNever;
        for (const EventHeap& kind : kinds_) {
            if (!kind.empty()) time = std::min(time, kind.top().time);
        }
        return time;
    }

  private:
    std::array<EventHeap, kEventKinds> kinds_;
};

}  // namespace schedlab
