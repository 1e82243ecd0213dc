#pragma once

#include "core/view.h"

namespace schedlab {

// EASY's rule for one head: any other job that starts must end by the shadow time or use only
// extra nodes.
class EasyGuard {
  public:
    // Promises the head the earliest time at which enough nodes will be free.
    void begin(View& view, JobIndex head) {
        head_ = head;
        shadow_ = view.shadow(view.nodes(head));
        view.promise(head, shadow_.time);
    }
    void end() { head_ = kNoJob; }

    bool has_head() const { return head_ != kNoJob; }
    JobIndex head() const { return head_; }
    Time slack(const View& view) const { return shadow_.time - view.now(); }
    NodeCount extra() const { return shadow_.extra; }

    bool allows(const View& view, JobIndex job) const {
        const NodeCount nodes = view.nodes(job);
        return job != head_ && nodes <= view.free_nodes() &&
               (ends_in_time(view, job) || nodes <= shadow_.extra);
    }
    void will_start(const View& view, JobIndex job) {
        if (!ends_in_time(view, job)) shadow_.extra -= view.nodes(job);
    }

  private:
    bool ends_in_time(const View& view, JobIndex job) const {
        return view.estimate(job) <= slack(view);
    }

    JobIndex head_ = kNoJob;
    Shadow shadow_{};
};

}  // namespace schedlab
