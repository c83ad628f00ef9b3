#!/bin/sh
#
# Runs unit tests, regression tests and TAP tests with one prove.
#
#   test/run_tests.sh [TEST...]    names or paths: 012_http_protocol, json_frames_test
#
# Everything is built and staged before: the unit programs in build/unit, the
# installation in build/stage. Called by root it goes on as an ordinary user,
# on a copy, since initdb refuses root and the checkout may be closed to others.
#
#   PG_CONFIG             the server's pg_config
#   TRANSFERBENCH_STAGE   the staged installation; empty: the server has the extension
#   TRANSFERBENCH_PROGRAM the loader to be tested (default: the staged one)
#   TRANSFERBENCH_USER    whom root becomes (default: postgres, else nobody)
#   TRANSFERBENCH_KEEP    1: keep the directory with logs and results, and name it
#   TRANSFERBENCH_TIMEOUT seconds for all tests together (default 1800)
#   PROVE_FLAGS           for prove, such as -v or -j2
set -eu

fail()
{
	echo "run_tests.sh: $*" >&2
	exit 1
}

top=$(cd "$(dirname "$0")/.." && pwd)
PG_CONFIG=${PG_CONFIG:-pg_config}
stage=${TRANSFERBENCH_STAGE-$top/build/stage}

pgxs=$("$PG_CONFIG" --pgxs) || fail "$PG_CONFIG does not work; name another with PG_CONFIG="
bindir=$("$PG_CONFIG" --bindir)
pgxs_source=$(dirname "$(dirname "$pgxs")")
server_perl=$pgxs_source/test/perl
PG_REGRESS=$pgxs_source/test/regress/pg_regress
[ -d "$server_perl/PostgreSQL/Test" ] ||
	fail "$server_perl holds no PostgreSQL::Test: install the server's development package"
[ -x "$bindir/initdb" ] || fail "there is no server in $bindir"
[ -z "$stage" ] || [ -d "$stage" ] || fail "$stage is missing: run 'make test' in $top"

work=$(mktemp -d "${TMPDIR:-/tmp}/transferbench_test.XXXXXX")
# Clusters that an interrupted test leaves behind; a postmaster takes QUIT for "at once".
# shellcheck disable=SC2317
stop_clusters()
{
	find "$work" -name postmaster.pid -type f 2>/dev/null | while read -r file; do
		pid=$(head -n 1 "$file" 2>/dev/null) || continue
		kill -QUIT "$pid" 2>/dev/null || continue
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.2
		done
	done
}

# shellcheck disable=SC2317
remove_work()
{
	stop_clusters
	if [ "${TRANSFERBENCH_KEEP:-}" = 1 ]; then
		echo "kept: $work" >&2
	else
		rm -rf "$work"
	fi
}
trap remove_work EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- root: the same on a copy, as somebody else ------------------------------

if [ "$(id -u)" -eq 0 ]; then
	user=${TRANSFERBENCH_USER:-}
	if [ -z "$user" ]; then
		user=nobody
		! id postgres >/dev/null 2>&1 || user=postgres
	fi
	copy=$work/copy
	mkdir -p "$copy/build/unit"
	cp -R "$top/test" "$top/sql" "$top/expected" "$copy"
	for program in "$top"/build/unit/*_test; do
		[ ! -x "$program" ] || cp "$program" "$copy/build/unit"
	done
	[ -z "$stage" ] || cp -R "$stage" "$copy/build/stage"
	if [ -n "${TRANSFERBENCH_PROGRAM:-}" ]; then
		cp "$TRANSFERBENCH_PROGRAM" "$copy/build/transferbench"
		export TRANSFERBENCH_PROGRAM="$copy/build/transferbench"
	fi
	chown -R "$user" "$work"
	chmod 755 "$work"

	export PG_CONFIG PROVE_FLAGS TRANSFERBENCH_KEEP
	export HOME="$work" TMPDIR="$work" TRANSFERBENCH_STAGE="${stage:+$copy/build/stage}"
	cd "$work"
	status=0
	runuser -u "$user" -- "$copy/test/run_tests.sh" "$@" || status=$?
	exit $status
fi

# --- what to run -------------------------------------------------------------

# Path of a test given by path, by name, or by name without its ending.
find_test()
{
	for candidate in "$1" "$top/test/$1" "$top/test/t/$1" "$top/test/t/$1.pl" "$top/build/unit/$1" "$top/$1"; do
		if [ -f "$candidate" ]; then
			echo "$candidate"
			return
		fi
	done
	fail "there is no test \"$1\""
}

if [ $# -gt 0 ]; then
	names=$*
	set --
	for name in $names; do
		path=$(find_test "$name")
		set -- "$@" "${path#"$top"/}"
	done
else
	for path in "$top"/build/unit/*_test "$top"/test/t/*.pl; do
		[ ! -f "$path" ] || set -- "$@" "${path#"$top"/}"
	done
fi

# --- the run -----------------------------------------------------------------

if [ -n "$stage" ] && [ -z "${TRANSFERBENCH_PROGRAM:-}" ]; then
	TRANSFERBENCH_PROGRAM=$(find "$stage" -type f -name transferbench -perm -u+x | head -n 1)
fi
export PG_REGRESS TRANSFERBENCH_PROGRAM="${TRANSFERBENCH_PROGRAM:-}"
export TRANSFERBENCH_STAGE="$stage" TRANSFERBENCH_TOP="$top"
export TESTDIR="$work" PATH="$bindir:$PATH"
export PERL5LIB="$top/test/lib:$server_perl${PERL5LIB:+:$PERL5LIB}"
# a proxy of the environment is for the world outside; tests stay on this host
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY PGSERVICE PGSYSCONFDIR

cd "$top"
echo 1 >"$work/status"
{
	status=0
	# --directives names each test that was skipped, and why
	# shellcheck disable=SC2086
	timeout "${TRANSFERBENCH_TIMEOUT:-1800}" prove --directives ${PROVE_FLAGS:-} "$@" 2>&1 || status=$?
	[ "$status" -ne 124 ] || echo "run_tests.sh: stopped after ${TRANSFERBENCH_TIMEOUT:-1800} s"
	echo $status >"$work/status"
} | tee "$work/prove"
status=$(cat "$work/status")
[ "$status" -ne 0 ] || exit 0

# --- what went wrong ---------------------------------------------------------

logs=$work/tmp_check/log
echo
if [ -s "$work/tmp_check/regress/regression.diffs" ]; then
	echo "==> regression.diffs"
	head -n 500 "$work/tmp_check/regress/regression.diffs"
fi
sed -n 's/^.*\/t\/\([^ ]*\)\.pl .*(Wstat.*/\1/p' "$work/prove" | while read -r name; do
	for log in "$logs/regress_log_$name" "$logs/${name}"_*.log; do
		[ -s "$log" ] || continue
		echo "==> the end of $(basename "$log")"
		tail -n 40 "$log"
	done
done
echo
sed -n '/^Test Summary Report/,$p' "$work/prove"
exit "$status"
