#!/bin/sh
# Someone who trains policies: train a small network, evolve a formula, compare both.
# Run it in an empty folder. It needs: pip install ".[rl,evolve]"
set -eu

cat >little.toml <<'TOML'
[environment]
nodes = 8
visible_jobs = 8
mode = "order+guard"
observation = "jobs"
reward = "slowdown"
estimate = "request"
sim_step_s = 1

[episodes]
workload = "lublin:nodes=8"
jobs = 32
transforms = ["load=0.9:8"]

[train]
algorithm = "maskable-ppo"
network = "kernel"
envs = 4
steps = 1024
reward_scale = 1e-4

[ppo]
n_steps = 64
batch_size = 128
n_epochs = 4

[evaluation]
episodes = 5
TOML
schedlab learn train little.toml --out little

# A formula in place of a network.
schedlab learn evolve lublin:nodes=8 --transform load=0.9:8 --jobs-per-episode 32 --metric bounded_slowdown \
    --generations 2 --episodes 5 --pool 10 --test 5 --out formula.toml

# Both are policies, beside the usual ones, on jobs that neither has seen.
schedlab workload generate lublin --set nodes=8 --jobs 100 --seed 99 --out jobs.swf
schedlab simulate jobs.swf --nodes 8 --policy easy --policy saf+easy --policy learned:little/model.zip \
    --policy evolved:formula.toml
