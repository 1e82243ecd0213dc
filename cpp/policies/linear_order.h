#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/order.h"

namespace schedlab {

// The features of a job that a linear order weighs, in the order of its weights.
std::vector<std::string> feature_names();
// The order by the sum of weight x feature, smallest first; one weight for each feature.
std::shared_ptr<Order> make_linear_order(const std::vector<double>& weights);

}  // namespace schedlab
