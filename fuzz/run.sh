#!/usr/bin/env bash
# Runs every target for the given seconds (default 600), seeded with its regressions. Any finding fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
# The sanitizer's flags are unstable; this lets the project's own stable compiler take them.
export RUSTC_BOOTSTRAP=1
for target in fuzz/regressions/*/; do
  name=$(basename "$target")
  mkdir -p "fuzz/corpus/$name"
  cargo fuzz run "$name" "fuzz/corpus/$name" "$target" -- -max_total_time="$seconds" -max_len=65536 -timeout=25 -rss_limit_mb=4096 -print_final_stats=1
done
