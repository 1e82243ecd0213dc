#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/order.h"

namespace schedlab {

// The order of that name; null if there is none.
std::shared_ptr<const Order> make_order(const std::string& name);
// The most accurate user first: descending WRSA + wait / ageing.
std::shared_ptr<const Order> make_wrsa_order(double beta, double ageing);
std::vector<std::string> order_names();

}  // namespace schedlab
