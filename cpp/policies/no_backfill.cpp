#include "policies/no_backfill.h"

#include "core/view.h"

namespace schedlab {

void NoBackfill::schedule(View& view) {
    const WaitingQueue& queue = view.queue();
    const auto end = queue.end_of_first(depth());
    for (auto at = queue.first(); at < end && view.has_room(queue.job(at));
         at = queue.next(at)) {
        view.start(at);
    }
}

}  // namespace schedlab
