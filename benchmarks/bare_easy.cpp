// The floor: FCFS with EASY backfilling by node counts and nothing else. No node names, no orders,
// no depth, no kills, no promises recorded. Reads int64: jobs, nodes, then submit, nodes and run
// of every job (request = run) from a file; prints the best of some runs in jobs per second.
#include <algorithm>
#include <ctime>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

using I = std::int64_t;
struct Running {
    I end, nodes;
    bool operator>(const Running& other) const { return end > other.end; }
};

static I simulate(I machine, const std::vector<I>& submit, const std::vector<I>& nodes,
                  const std::vector<I>& run) {
    const std::size_t n = submit.size();
    std::vector<Running> running;  // sorted by end
    std::vector<std::size_t> queue;
    std::size_t next = 0;
    I free = machine, waited = 0;
    const auto start = [&](std::size_t job, I now) {
        const Running entry{now + run[job], nodes[job]};
        running.insert(std::upper_bound(running.begin(), running.end(), entry,
                                        [](const Running& a, const Running& b) {
                                            return a.end < b.end;
                                        }),
                       entry);
        free -= nodes[job];
        waited += now - submit[job];
    };
    while (next < n || !running.empty()) {
        I now = next < n ? submit[next] : running.front().end;
        if (!running.empty()) now = std::min(now, running.front().end);
        std::size_t done = 0;
        while (done < running.size() && running[done].end <= now) free += running[done++].nodes;
        running.erase(running.begin(), running.begin() + done);
        while (next < n && submit[next] <= now) queue.push_back(next++);
        std::size_t head = 0;
        while (head < queue.size() && nodes[queue[head]] <= free) start(queue[head++], now);
        queue.erase(queue.begin(), queue.begin() + head);
        if (queue.empty() || free == 0) continue;
        I shadow = now, extra = free;
        for (std::size_t i = 0; extra < nodes[queue[0]]; ++i) {
            shadow = running[i].end;
            extra += running[i].nodes;
            while (i + 1 < running.size() && running[i + 1].end == shadow) {
                extra += running[++i].nodes;
            }
        }
        extra -= nodes[queue[0]];
        std::size_t kept = 1;
        for (std::size_t i = 1; i < queue.size(); ++i) {
            const std::size_t job = queue[i];
            const bool in_time = now + run[job] <= shadow;
            if (nodes[job] <= free && (in_time || nodes[job] <= extra)) {
                if (!in_time) extra -= nodes[job];
                start(job, now);
            } else {
                queue[kept++] = job;
            }
        }
        queue.resize(kept);
    }
    return waited;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    std::FILE* file = std::fopen(argv[1], "rb");
    I jobs = 0, machine = 0;
    if (!file || std::fread(&jobs, 8, 1, file) != 1 || std::fread(&machine, 8, 1, file) != 1) return 2;
    std::vector<I> submit(jobs), nodes(jobs), run(jobs);
    for (auto* column : {&submit, &nodes, &run}) {
        if (std::fread(column->data(), 8, jobs, file) != static_cast<std::size_t>(jobs)) return 2;
    }
    double best = 1e300;
    I waited = 0;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
        const std::clock_t began = std::clock();
        waited = simulate(machine, submit, nodes, run);
        const std::clock_t took = std::clock() - began;
        best = std::min(best, static_cast<double>(took) / CLOCKS_PER_SEC);
    }
    std::printf("%.1f %lld\n", static_cast<double>(jobs) / best, static_cast<long long>(waited));
}
