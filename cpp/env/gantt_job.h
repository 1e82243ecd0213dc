#pragma once

#include "core/types.h"

namespace schedlab {

// A job that runs as long as it has reserved its resources; times are whole units.
struct GanttJob {
    Time submit;
    NodeCount resources;
    Time duration;
};

}  // namespace schedlab
