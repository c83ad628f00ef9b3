# Answers that are legal and mean: huge rows, thousands of columns, strangers
# among the rows, bytes for terminals; and what an ordinary role might plant.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant LIMIT => 4 << 20; # pg_transferbench.max_row_bytes

my $node = start_node('hostile');
my $directory = PostgreSQL::Test::Utils::tempdir();
my $server = start_http_server(files => $directory);
my $session = TransferBench::Session->new($node);

$session->value($_)
  for (
	'CREATE TYPE pair AS (a int, b text)',
	'CREATE TABLE wide (id int, t text, a int[], ta text[], na numeric[], ja jsonb[], p pair[])',
	"CREATE TYPE answer AS ENUM ('NA', 'yes')",
	'CREATE TABLE polls (e answer, j json, x float8)',
	'CREATE TABLE arrays (a int[], id int)',
	'CREATE TABLE points (id bigint, x float8)');

# URL of a body too long for a URL of its own.
sub publish
{
	my ($name, $body) = @_;

	append_to_file("$directory/$name", $body);
	return $server->url("/file/$name", type => 'application/json');
}

sub peak_below
{
	my ($url, $limit, $name) = @_;
	my $fresh = TransferBench::Session->new($node);

	succeeds($fresh, fetch_call("rows, status, peak_memory_bytes < $limit", $url, 1, row_type => "'wide'"), '1|ok|t', $name);
	succeeds($fresh, fetch_call("rows, status, peak_memory_bytes < $limit", $url, 1, row_type => "'wide'", verify => 'true'),
		'1|ok|t', "$name, and verified");
	$fresh->quit;
	return;
}

# --- memory ---------------------------------------------------------------------------------

my $ones = join ',', ('1') x ((LIMIT - 100) / 2);
peak_below(publish('array', qq([{"id":1,"a":[$ones]}])), 32 << 20, 'an array of 4 MB in a row takes less than 32 MB');
peak_below($_->[1], 48 << 20, "$_->[0] of 4 MB in a row take less than 48 MB")
  for (
	[ 'texts', publish('texts', '[{"id":1,"ta":[' . join(',', ('"ab"') x (LIMIT / 5 - 20)) . ']}]') ],
	[ 'numbers', publish('numbers', '[{"id":1,"na":[' . join(',', ('1.5') x (LIMIT / 4 - 20)) . ']}]') ],
	[ 'rows of a matrix', publish('matrix', '[{"id":1,"a":[' . join(',', ('[1,2,3]') x (LIMIT / 8 - 20)) . ']}]') ],
	[ 'nulls', publish('nulls', '[{"id":1,"a":[' . join(',', ('null') x (LIMIT / 5 - 20)) . ']}]') ],
	[ 'json documents', publish('documents', '[{"id":1,"ja":[' . join(',', ('{"k":1}') x (LIMIT / 8 - 20)) . ']}]') ],
	[ 'composites', publish('composites', '[{"id":1,"p":[' . join(',', ('{"a":1,"b":"xyz"}') x (LIMIT / 18 - 20)) . ']}]') ],
	[ 'members of no attribute', publish('strangers', '[{"id":1,"p":[{' . join(',', map { qq("k$_":1) } 1 .. 300_000) . '}]}]') ]);
peak_below(publish('unknown', qq([{"id":1,"z":[$ones]}])), 32 << 20, 'one that no column wants takes less than 32 MB');
my $keys = join ',', map { qq("k$_":1) } 1 .. 250_000;
peak_below(publish('keys', qq([{"id":1,$keys}])), 32 << 20, '250,000 keys that no column wants take less than 32 MB');
my $columns = join ',', map { qq("c$_":[1]) } 1 .. 200_000;
peak_below(publish('columns', qq({"id":[1],$columns})), 8 << 20, '200,000 columns that are not ours take less than 8 MB');
my $doubles = join ',', ('"id":[1]') x 2000;
fails_with($session, fetch_call('rows', publish('doubles', "{$doubles}"), 1, row_type => "'wide'"), { sqlstate => '54000' },
	'a column of ours 2,000 times is refused');

# --- higher limits --------------------------------------------------------------------------

$session->value("SET pg_transferbench.max_row_bytes = '256MB'");
my $long_string = publish('string', '[{"id":1,"t":"' . 'x' x (64 << 20) . '"}]');
for my $name (qw(unknown keys string))
{
	my $url = $server->url("/file/$name", type => 'application/json');

	succeeds($session, fetch_call('rows', $url, 1, row_type => "'wide'"), '1', "$name comes under a higher limit");
}
$session->value('RESET pg_transferbench.max_row_bytes');

# --- depth ----------------------------------------------------------------------------------

# composites within arrays within composites, as deep as a row may be
$session->value('CREATE TYPE level_0 AS (v int)');
$session->value("CREATE TYPE level_$_ AS (v level_" . ($_ - 1) . '[])') for 1 .. 120;
$session->value('CREATE TABLE deep (v level_120)');
{
	my $deep = '{"v":[' x 120 . '{"v":7}' . ']}' x 120;
	my $fetch = fetch_call('rows, status, digest', publish('deep', qq([{"v":$deep}])), 1, row_type => "'deep'", verify => 'true');
	my $native = extract_call('rows, status, digest', 'SELECT (json_populate_record(NULL::deep, ' . literal(qq({"v":$deep})) . ')).*', 1, verify => 'true');

	succeeds($session, $fetch, $session->value($native), 'composites and arrays 241 deep');
	$session->value("SET max_stack_depth = '100kB'");
	fails_with($session, $fetch, { sqlstate => '54001' }, 'and not enough stack for them');
	$session->value('RESET max_stack_depth');
	succeeds($session, $fetch, $session->value($native), 'and enough again');
}

# --- strangers among the rows ---------------------------------------------------------------

my %stranger = (sqlstate => '38000', message => qr/no row of the expected columns/);
fails_with($session, fetch_call('rows', $server->url('/json', body => '[{"id":1},{"error":"disk full"}]'), 2, row_type => "'wide'"),
	{ %stranger, context => qr/row 2/ }, 'an error object for the second row');
fails_with($session,
	fetch_call('rows', $server->url('/json', body => qq({"id":1}\n{"message":"bye"}\n), type => 'application/x-ndjson'), 2, row_type => "'wide'"),
	\%stranger, 'an error object for the last line');
fails_with($session, fetch_call('rows', $server->url('/json', body => '{"error":["a","b"]}'), 2, row_type => "'wide'"),
	\%stranger, 'an error object that looks like columns');
succeeds($session, fetch_call('rows', $server->url('/json', body => '[{"id":1},{}]'), 2, row_type => "'wide'"), '2',
	'an empty object is a row all of whose values are missing');

# --- shapes that only the endpoint can tell apart ---------------------------------------------

my $by_columns = '{"a":[[1],[2,3]],"id":[1,2]}';
for my $type ('application/json; shape=columns', 'application/json;Shape="columns"', "application/json; charset=utf-8\t;\tshape=COLUMNS ; x=y")
{
	succeeds($session,
		fetch_call('rows, status, digest', $server->url('/json', body => $by_columns, type => $type), 2, row_type => "'arrays'", verify => 'true'),
		$session->value(extract_call('rows, status, digest', q{SELECT * FROM (VALUES ('{1}'::int[], 1), ('{2,3}', 2)) AS v (a, id)}, 2, verify => 'true')),
		"columns whose first one is an array, told by the media type: $type");
}
for my $type ('application/json; shape=columnsets', 'application/json; misshape=columns', 'application/shape=columns', 'application/json; shape="columns')
{
	fails_with($session,
		fetch_call('rows', $server->url('/json', body => $by_columns, type => $type), 2, row_type => "'arrays'"),
		{ sqlstate => '22P02', message => qr/malformed JSON array/ },
		"a media type that does not say so: $type");
}
succeeds($session,
	fetch_call('rows, digest', $server->url('/json', body => '{"e":["NA","yes"],"j":["NA",null],"x":["NA",1]}'), 2, row_type => "'polls'", verify => 'true'),
	$session->value(extract_call('rows, digest',
		q{SELECT * FROM (VALUES ('NA'::answer, '"NA"'::json, NULL::float8), ('yes', NULL, 1)) AS v (e, j, x)}, 2, verify => 'true')),
	'"NA" is null for a number, and a value for an enum and for json');

# --- text from outside ------------------------------------------------------------------------

my %raw_heads = (
	'a content coding' => "Content-Encoding: \xff\xfe\e[31m\r\n\r\n",
	'a media type' => "Content-Type: \xff\xfe\e[31m\r\n\r\nnonsense");
for my $name (sort keys %raw_heads)
{
	my $url = $server->url('/raw', bytes => "HTTP/1.1 200 OK\r\n$raw_heads{$name}");

	succeeds($session, fetch_call("bool_and(status ~ '^[ -~]+\$'), count(*)", $url, 1, row_type => "'wide'", trials => 2),
		't|2', "$name of wild bytes: the status is printable");
	fails_with($session, fetch_call('rows', $url, 1, row_type => "'wide'"), { message => qr/^[ -~]+$/, detail => qr/^[ -~]*$/ },
		"$name of wild bytes: the message is printable");
}
with_setting($session,
	follow_redirects => 'on',
	sub {
		fails_with($session,
			fetch_call('rows', $server->url('/raw', bytes => "HTTP/1.1 302 Go\r\nLocation: http://\xff\xfe.example/\r\n\r\n"), 1),
			{ message => qr/^[ -~]+$/ }, 'a redirect to a host of wild bytes: the message is printable');
	});

# --- answers that are no end, or not yet ---------------------------------------------------------

with_setting($session,
	follow_redirects => 'on',
	sub {
		for my $to ('/json', $server->url('/json'))
		{
			succeeds($session,
				fetch_call('rows, requests', $server->url('/redirect', to => $to, body => 'x' x 5000, delay_ms => 60), 3, row_type => "'points'"),
				'3|2', 'a redirect is followed before its body has come: ' . ($to =~ /^http/ ? 'a URL' : 'a path'));
		}
		fails_with($session, fetch_call('rows', $server->url('/raw', bytes => "HTTP/1.1 302 Go\r\nContent-Length: 0\r\n\r\n"), 1),
			{ sqlstate => '38000', hint => qr/no location/ }, 'a redirect without a location');
	});
with_setting($session,
	stall_timeout => '1s',
	sub {
		fails_with($session, fetch_call('rows', $server->url('/raw', bytes => "HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx"), 1),
			{ sqlstate => qr/^(38000|08006)$/ }, 'an answer that switches protocols');
	});

# --- what a report shows ---------------------------------------------------------------------------

my $long = 'a' x 300;
for my $case (
	[ "'x'", '"\\u001b[31m\\n"', qr/t: "x" -> "\\u001b\[31m\\n"/, 'control characters, escaped' ],
	[ 'NULL::text', '""', qr/t: null -> ""/, 'null and the empty string, told apart' ],
	[ "'null'", 'null', qr/t: "null" -> null/, 'null and the text null, told apart' ],
	[ "'${long}1'", qq("${long}2"), qr/t: \.\.\.a+1" -> \.\.\.a+2"/, 'where long values differ' ],
	[ "U&'\\+02D800'", '"\\ud876\\udc01"', qr/t: "\x{f0}\x{ad}\x{a0}\x{80}" -> "\x{f0}\x{ad}\x{a0}\x{81}"|\x{2d800}/, 'characters beyond the basic plane' ])
{
	my ($native, $http, $shown, $name) = @$case;
	my $result = succeeds($session,
		'SELECT rows_equal, values_changed FROM bench_compare(' . literal($server->url('/json', body => qq([{"id":1,"t":$http}])))
		  . ", '{1}', trials => 1, query => " . literal("SELECT 1 AS id, $native AS t") . ')',
		'f|1', "a changed value: $name");
	like(join("\n", map { $_->{detail} // '' } @{ $result->{notices} }), $shown, "and shown: $name");
}

# --- what other roles plant ---------------------------------------------------------------------

$session->value($_)
  for (
	'CREATE ROLE planter LOGIN', 'GRANT CREATE ON SCHEMA public TO planter',
	'SET ROLE planter',
	q{CREATE FUNCTION public.bench_rows(int, int) RETURNS SETOF bench_reference_row LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'},
	q{CREATE FUNCTION public.planted(oid, regclass) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'},
	q{CREATE FUNCTION public.planted(oid, regtype) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'},
	'CREATE OPERATOR public.= (FUNCTION = public.planted, LEFTARG = oid, RIGHTARG = regclass)',
	'CREATE OPERATOR public.= (FUNCTION = public.planted, LEFTARG = oid, RIGHTARG = regtype)',
	q{CREATE VIEW public.bench_reference AS SELECT 1 AS id},
	'RESET ROLE');
succeeds($session, q{SELECT bench_reference_table(3, 1, 'honest')}, 'honest', 'a planted bench_rows is not called');
succeeds($session, 'SELECT count(*) FROM (TABLE honest EXCEPT SELECT * FROM bench_rows(3::bigint, 1::bigint)) s', '0', 'and the rows are ours');
fails_with($session, 'SELECT * FROM bench_compare(' . literal($server->url('/rows')) . ')', { sqlstate => '42P01' },
	'a planted view is not taken for the reference table');
SKIP:
{
	skip 'planted operators against transferbench serve: the loader was built without it', 1 unless endpoint_program();

	my $endpoint = start_endpoint($node, '--table', 'honest');
	succeeds($session, fetch_call('rows, status', $endpoint->url('/load_from_db'), 3), '3|ok', 'planted operators are not called by the endpoint');
}

done_testing();
