// The plan of free nodes over time, on cases drawn by hand.
#include <cassert>

#include "core/availability_profile.h"

using namespace schedlab;

namespace {

// Ten nodes: six are held until 10, two of the others from 5 to 20.
AvailabilityProfile two_held() {
    AvailabilityProfile profile(10);
    profile.reserve(0, 10, 6);
    profile.reserve(5, 20, 2);
    return profile;
}

void a_window_must_be_free_throughout() {
    const AvailabilityProfile profile = two_held();
    assert(profile.earliest_from(0, 4, 5) == 0);    // until 5 four nodes are free
    assert(profile.earliest_from(0, 4, 6) == 10);   // then two, until 10
    assert(profile.earliest_from(0, 10, 1) == 20);  // all of them at the end
    assert(profile.earliest_from(7, 2, 100) == 7);
}

void reserving_takes_the_first_window() {
    AvailabilityProfile profile = two_held();
    assert(profile.reserve_earliest(4, 6) == 10);
    assert(profile.earliest_from(0, 5, 1) == 16);
}

void a_move_leaves_what_both_places_share() {
    AvailabilityProfile profile = two_held();
    profile.reserve(10, 20, 8);
    profile.move_earlier(10, 6, 10, 2);  // two of the eight begin at 6 and end at 16
    assert(profile.earliest_from(5, 2, 1) == 5);
    assert(profile.earliest_from(5, 2, 2) == 16);
}

void room_before_a_limit_need_last_only_until_then() {
    const AvailabilityProfile profile = two_held();
    assert(profile.earliest_before(5, 4, 100) == 0);
    assert(profile.earliest_before(20, 9, 100) == 20);
    assert(profile.fits_now(4, 5) && !profile.fits_now(4, 6));
}

}  // namespace

int main() {
    a_window_must_be_free_throughout();
    reserving_takes_the_first_window();
    a_move_leaves_what_both_places_share();
    room_before_a_limit_need_last_only_until_then();
}
