#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "slurm/site.h"

namespace schedlab::slurm {

// Backfill's table of the nodes that no planned job has, from now to the end of bf_window. Running
// jobs are not in it.
class BackfillPlan {
  public:
    BackfillPlan(Second begin, Second end, NodeCount nodes);

    // Whether one of the nodes is planned for another job in that time.
    bool collides(Second begin, Second end, const Nodes& nodes) const;
    // Plans the nodes for a job, then merges the first two neighbouring records that are equal.
    void reserve(Second begin, Second end, const Nodes& nodes);

    // The part of the plan that a job of some length covers while its start moves forward. Records
    // enter at one end and leave at the other; the nodes that are free in all of them are kept for
    // both halves, so that a step costs the same however long the job is.
    class Window {
      public:
        explicit Window(const BackfillPlan& plan);

        // Starts with a job of this length. Call it before `move_to`.
        void begin(Second length);
        void move_to(Second from);
        std::size_t words() const { return plan_.words_; }
        // The nodes without plans from the start to the end of the job, as bits.
        std::uint64_t word(std::size_t index) const {
            if (first_ == middle_) return second_half_[index];
            return second_half_[index] & first_half_[(middle_ - first_ - 1) * plan_.words_ + index];
        }
        // When it is worth looking again: the end of the first record behind which one of the
        // nodes is free that was not free before.
        std::optional<Second> later(const Nodes& allowed);

      private:
        // Takes in the records that begin up to this time.
        void take_in(Second last);
        void turn_over();

        const BackfillPlan& plan_;
        Second length_ = 0;
        std::size_t first_ = 0, end_ = 0;  // the records that count
        std::size_t middle_ = 0;
        std::vector<std::uint64_t> first_half_;   // by record before the middle: it and those after
        std::vector<std::uint64_t> second_half_;  // all from the middle on
        std::vector<std::uint64_t> free_;         // scratch
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
    std::size_t equal_ = 0;            // how many records equal their next
    std::vector<Record> records_;      // in order of time
    std::vector<std::uint64_t> bits_;  // free nodes, by record
};

}  // namespace schedlab::slurm
