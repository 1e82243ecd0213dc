#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/order.h"

namespace schedlab {

// The order of that name; null if there is none.
std::shared_ptr<Order> make_order(const std::string& name);
std::vector<std::string> order_names();

}  // namespace schedlab
