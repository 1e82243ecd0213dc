#pragma once

namespace schedlab {

// What a step of an environment gave.
struct Step {
    double reward = 0;
    bool terminated = false;  // the agent has done its work
    bool truncated = false;   // no steps are left
};

}  // namespace schedlab
