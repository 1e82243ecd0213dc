#!/bin/sh
# A researcher: a trace, several policies beside each other, a policy of one's own, and a picture.
# Run it in an empty folder. It needs: pip install ".[viz]"
set -eu

# A trace. `schedlab workload catalog` lists public ones; this one is drawn from a model.
schedlab workload generate lublin --set nodes=128 --jobs 1000 --seed 1 --out trace.swf
schedlab workload transform trace.swf jobs.swf --transform set_request=random:0.5 --transform load=0.9:128
schedlab workload info jobs.swf

# Which policies are there, and how do they compare?
schedlab policies >policies.txt
schedlab simulate jobs.swf --nodes 128 --policy easy --policy sjf+easy --policy conservative \
    --metric wait --metric bounded_slowdown --metric utilisation --figure gantt.png --report report.html

# A policy of one's own is a class with one method.
cat >mine.py <<'PYTHON'
from schedlab import Order


class HRRN(Order):
    """Serve the job with the longest wait relative to its request first."""

    def score(self, queue):
        return -(queue.wait_s + queue.request_s) / queue.request_s
PYTHON
schedlab simulate jobs.swf --nodes 128 --policy easy --policy mine:HRRN+easy --by size

# Keep the schedule, and let it be judged.
schedlab simulate jobs.swf --nodes 128 --policy easy --out schedule.parquet
schedlab audit schedule.parquet --policy easy
