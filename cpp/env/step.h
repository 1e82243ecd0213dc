#pragma once

namespace schedlab {

// The result of one step of an environment.
struct Step {
    double reward = 0;
    bool terminated = false;  // the agent has done its work
    bool truncated = false;   // no steps are left
};

}  // namespace schedlab
