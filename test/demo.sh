#!/bin/sh
#
# The three answers in one screen: a throw-away cluster with fsync on, the
# reference table, the reference endpoint, and the extension's functions.
#
#   DEMO_KEEP=1   opens psql in the cluster at the end; leaving it ends all
#
# Everything is built and staged before (make demo). Root goes on as an
# ordinary user, on a copy, since a server refuses root.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
stage=${TRANSFERBENCH_STAGE-$top/build/stage}
major=$("${PG_CONFIG:-pg_config}" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')

work=$(mktemp -d "${TMPDIR:-/tmp}/transferbench_demo.XXXXXX")
endpoint=
clean_up()
{
	[ -z "$endpoint" ] || kill "$endpoint" 2>/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- outside: the cluster -----------------------------------------------------

if [ -z "${DEMO_IN_CLUSTER:-}" ]; then
	cp -R "$stage" "$work/stage"
	cp "$top/test/demo.sh" "$top/test/demo.sql" "$work"
	chmod 755 "$work"
	as_user=
	if [ "$(id -u)" -eq 0 ]; then
		chown -R postgres "$work"
		as_user="runuser -u postgres --"
	fi
	export HOME="$work" TMPDIR="$work" TRANSFERBENCH_STAGE="$work/stage" DEMO_IN_CLUSTER="$work"
	cd "$work"
	echo "starting a throw-away cluster (PostgreSQL $major, fsync on) ..."
	$as_user pg_virtualenv -v "$major" -o fsync=on -o shared_buffers=512MB -o max_wal_size=4GB \
		-o "extension_destdir=$work/stage" "$work/demo.sh" 2>"$work/pg_virtualenv.log" || {
		status=$?
		cat "$work/pg_virtualenv.log" >&2
		exit $status
	}
	exit 0
fi

# --- inside: pg_virtualenv has set PGHOST, PGPORT and the rest --------------------

exec 2>&1
outside=$DEMO_IN_CLUSTER
loader=$(find "$stage" -type f -name transferbench)
export PGDATABASE=postgres

psql -qXc 'CREATE EXTENSION pg_transferbench'
echo "making the reference table, 1000000 rows ..."
psql -qXAt -c "SELECT bench_reference_table(1000000)" -c 'CHECKPOINT' >/dev/null

: >"$work/endpoint"
"$loader" serve --port 0 --quiet >"$work/endpoint" 2>"$work/endpoint.log" &
endpoint=$!
url=
for _ in 1 2 3 4 5 6 7 8 9 10; do
	url=$(sed -n 's/^listening on //p' "$work/endpoint")
	[ -z "$url" ] || break
	sleep 0.2
done
if [ -z "$url" ]; then
	cat "$work/endpoint.log"
	echo "the endpoint did not start"
	exit 1
fi

psql -qX -v ON_ERROR_STOP=1 -v url="$url/load_from_db" <"$outside/demo.sql"

if [ "${DEMO_KEEP:-}" = 1 ]; then
	echo "The cluster stays until you leave psql; the endpoint is :url."
	psql -X -v url="'$url/load_from_db'" || true
else
	echo "To keep the cluster and look around: make demo DEMO_KEEP=1"
fi
