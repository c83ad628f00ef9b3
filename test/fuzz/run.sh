#!/bin/sh
#
# Runs fuzz targets under libFuzzer, one after the other.
#
#   test/fuzz/run.sh BUILD SECONDS TARGET...    BUILD/TARGET_fuzz is the program
#
# Each begins with its seeds and what earlier runs left in BUILD/corpus/TARGET. A finding is
# kept in BUILD/findings; the others run all the same, and the exit status is 1.
#
#   FUZZ_FLAGS   for libFuzzer, such as -jobs=2
set -u

build=$1
seconds=$2
shift 2
here=$(dirname "$0")

passed=0
failed=0
findings=$build/findings
mkdir -p "$findings"
export UBSAN_OPTIONS=print_stacktrace=1
echo "1..$#"
for target in "$@"; do
	corpus=$build/corpus/$target
	log=$build/$target.log
	mkdir -p "$corpus"
	dictionary=
	for candidate in "$here/$target.dict" "$here/${target%%_*}.dict"; do
		[ -n "$dictionary" ] || [ ! -f "$candidate" ] || dictionary=-dict=$candidate
	done
	# shellcheck disable=SC2086
	"$build/${target}_fuzz" -max_total_time="$seconds" -max_len=1024 -timeout=20 -rss_limit_mb=2048 \
		-artifact_prefix="$findings/$target-" -print_final_stats=1 $dictionary ${FUZZ_FLAGS:-} \
		"$corpus" "$here/seeds/$target" >"$log" 2>&1
	status=$?
	executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
	coverage=$(sed -n 's/^.* cov: \([0-9]*\) .*$/\1/p' "$log" | tail -n 1)
	figures="${executions:-0} executions, ${rate:-0} per second, ${coverage:-0} edges"
	if [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $target: $figures"
		continue
	fi
	failed=$((failed + 1))
	echo "not ok $((passed + failed)) - $target: $figures"
	grep -v '^#[0-9]' "$log" | tail -n 60 | sed 's/^/# /'
	input=$(sed -n 's/^.*Test unit written to //p' "$log" | tail -n 1)
	[ -z "$input" ] || echo "# again: $build/${target}_fuzz $input"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
