#pragma once

#include <memory>
#include <utility>

#include "core/count_plan.h"
#include "core/node_replan.h"
#include "core/view.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// A policy that is written once for both kinds of plan, as Passes<Plan>: begin(view) and
// schedule(view). The machine decides which plan it uses.
template <template <typename Plan> typename Passes, typename NamingPlan>
class Planning : public OrderedPolicy {
  public:
    template <typename... Settings>
    Planning(std::shared_ptr<Order> order, std::size_t depth, Settings... settings)
        : OrderedPolicy(std::move(order), depth),
          counting_(depth, settings...),
          naming_(depth, settings...) {}

    std::shared_ptr<Policy> clone() const override { return std::make_shared<Planning>(*this); }

    void begin(const View& view) override {
        counts_ = view.counts_nodes();
        if (counts_) {
            counting_.begin(view);
        } else {
            naming_.begin(view);
        }
    }

    void schedule(View& view) override {
        if (counts_) {
            counting_.schedule(view);
        } else {
            naming_.schedule(view);
        }
    }

  private:
    bool counts_ = true;
    Passes<CountPlan> counting_;
    Passes<NamingPlan> naming_;
};

}  // namespace schedlab
