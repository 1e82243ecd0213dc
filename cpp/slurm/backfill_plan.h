#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "slurm/site.h"

namespace schedlab::slurm {

// Backfill's table: which nodes no planned job has, from now to the end of bf_window. Running jobs
// are not in it.
class BackfillPlan {
  public:
    BackfillPlan(Second begin, Second end, NodeCount nodes);

    // Whether one of the nodes is planned for another job in that time.
    bool collides(Second begin, Second end, const Nodes& nodes) const;
    // Then the first two records that have become equal are one.
    void reserve(Second begin, Second end, const Nodes& nodes);

    // What a job of some length sees of the plan while its start moves forward. Records enter at
    // one end and leave at the other; what they have in common is kept for both halves, so that a
    // step costs the same however long the job is.
    class Window {
      public:
        explicit Window(const BackfillPlan& plan);

        // Of a job of this length, before its first move.
        void begin(Second length);
        void move_to(Second from);
        std::size_t words() const { return plan_.words_; }
        // The nodes without plans from the start to the end of the job, as bits.
        std::uint64_t word(std::size_t index) const {
            if (first_ == middle_) return second_half_[index];
            return second_half_[index] & first_half_[(middle_ - first_ - 1) * plan_.words_ + index];
        }
        // When it is worth to look again: the end of the first record behind which one of the
        // nodes is free that was not before.
        std::optional<Second> later(const Nodes& allowed);

      private:
        // The records that begin up to this time.
        void take_in(Second last);
        void turn_over();

        const BackfillPlan& plan_;
        Second length_ = 0;
        std::size_t first_ = 0, end_ = 0;  // the records that count
        std::size_t middle_ = 0;
        std::vector<std::uint64_t> first_half_;   // by record before the middle: it and those after
        std::vector<std::uint64_t> second_half_;  // all from the middle on
        std::vector<std::uint64_t> free_;         // while the records are looked at
        Second from_ = 0;
    };

  private:
    struct Record {
        Second begin, end;
        bool is_as_next = false;  // the same nodes are free in the next one
    };

    std::size_t record_at(Second time) const;
    // Makes a record begin at this time, if the plan has it.
    void split(Second time);
    void compare(std::size_t record);
    void merge();
    const std::uint64_t* words_of(std::size_t record) const { return &bits_[record * words_]; }

    std::size_t words_;
    std::size_t equal_ = 0;            // how many records are as their next
    std::vector<Record> records_;      // in order of time
    std::vector<std::uint64_t> bits_;  // free nodes, by record
};

}  // namespace schedlab::slurm
