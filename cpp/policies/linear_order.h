#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/order.h"

namespace schedlab {

// What a linear order knows of a job, in the order of its weights.
std::vector<std::string> feature_names();
// The smallest sum of weight x feature first; one weight for each feature.
std::shared_ptr<Order> make_linear_order(const std::vector<double>& weights);

}  // namespace schedlab
