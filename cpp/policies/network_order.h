#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/order.h"

namespace schedlab {

// A small network that gives each waiting job its key, the same for every job: a linear part, and
// hidden units with x / (1 + |x|).
struct NetworkWeights {
    std::vector<double> linear;               // by input of a job
    std::vector<std::vector<double>> hidden;  // by unit: a weight for each input, of job and queue
    std::vector<double> bias;                 // by unit
    std::vector<double> out;                  // by unit
};

// The inputs of the network in the order of its weights: first those of a job, then those of the
// queue. None of them depends on the size of the machine.
std::vector<std::string> network_job_inputs();
std::vector<std::string> network_queue_inputs();
std::shared_ptr<Order> make_network_order(const NetworkWeights& weights);

}  // namespace schedlab
