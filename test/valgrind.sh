#!/bin/sh
#
# Runs tests of the extension with every backend under valgrind.
#
#   test/valgrind.sh [TEST...]     default: the regression tests, values, shapes, hostile peers
#
# The tests find a directory of the server's programs in which postgres is run
# by valgrind. Of what valgrind tells, only stacks that pass through our module
# count; the server's own padding bytes do not. Everything takes 20 to 50 times
# as long, so that tests of timing fail under it: name none of them.
#
# Exit status: 0 when the tests passed and no error, and no lost block, is ours.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
PG_CONFIG=${PG_CONFIG:-pg_config}
bindir=$("$PG_CONFIG" --bindir)
command -v valgrind >/dev/null || {
	echo "valgrind.sh: valgrind is not installed" >&2
	exit 1
}
[ $# -gt 0 ] || set -- 001_regress 010_http_values 011_http_shapes 025_misbehaviours

work=$(mktemp -d "${TMPDIR:-/tmp}/transferbench_valgrind.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$work/bin" "$work/logs"
chmod 755 "$work" "$work/bin"
chmod 1777 "$work/logs"

for program in "$bindir"/*; do
	ln -s "$program" "$work/bin"
done
# pg_ctl looks for postgres where it is itself, behind any symbolic link
rm -f "$work/bin/pg_ctl" "$work/bin/postgres"
cp "$bindir/pg_ctl" "$work/bin/pg_ctl"
cat >"$work/bin/postgres" <<END
#!/bin/sh
[ "\${1:-}" != -V ] || exec "$bindir/postgres" -V
exec valgrind --quiet --leak-check=full --show-leak-kinds=definite --num-callers=40 \\
	--error-limit=no --log-file="$work/logs/%p.log" "$bindir/postgres" "\$@"
END
cat >"$work/pg_config" <<END
#!/bin/sh
[ "\${1:-}" != --bindir ] || { echo "$work/bin"; exit; }
exec "$PG_CONFIG" "\$@"
END
chmod 755 "$work/bin/postgres" "$work/pg_config"

status=0
PG_CONFIG="$work/pg_config" PG_TEST_TIMEOUT_DEFAULT=900 \
	TRANSFERBENCH_TIMEOUT=${TRANSFERBENCH_TIMEOUT:-7200} \
	TRANSFERBENCH_VALGRIND=1 "$top/test/run_tests.sh" "$@" || status=$?

# A report is a paragraph: valgrind sets a line without text before each. With debugging
# information a frame names the source file, without it the library. json-c asks for a locale
# with each document, and glibc's newlocale loses its copy of LOCPATH, which 018_all_types sets.
sources=$(cd "$top" && ls extension/*.c common/*.c | sed 's,.*/,,; s,\.c$,,' | paste -s -d '|')
cat "$work/logs"/*.log 2>/dev/null | sed 's/^==[0-9]*== \{0,1\}//' >"$work/reports"
awk -v RS= -v ours="\\((${sources})\\.c:|pg_transferbench\\.so" \
	'$0 ~ ours && !/argz_add_sep.*newlocale/ { n++; print $0 "\n" } END { print n + 0 >count; print NR + 0 >count }' \
	count="$work/count" "$work/reports"
{ read -r found; read -r all; } <"$work/count"
echo "valgrind: $(find "$work/logs" -name '*.log' | wc -l) processes," \
	"$found reports that pass through the module, $all in all"
[ "$found" -eq 0 ] || status=1
exit "$status"
