# The same rows have the same digest, whoever wrote the JSON: our endpoint in
# all formats, the server's own functions, Python.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant ROWS => 2000;

my $node = start_node('digests');
my $directory = PostgreSQL::Test::Utils::tempdir();
my $server = start_http_server(files => $directory);
my $session = TransferBench::Session->new($node);

$session->value('SELECT bench_reference_table(' . ROWS . ')');
my $expected = $session->value(
	extract_call('rows, status, digest', 'SELECT * FROM bench_reference', ROWS, verify => 'true'));
like($expected, qr/^@{[ROWS]}\|ok\|-?\d+$/, 'the reference table has a digest');
succeeds($session, extract_call('rows, status, digest', undef, ROWS, verify => 'true'),
	$expected, 'generated rows are those of the table');
succeeds(
	$session,
	extract_call(
		'rows, status, digest',
		'SELECT * FROM bench_rows(' . ROWS . ')',
		ROWS, verify => 'true'),
	$expected,
	'and those of bench_rows');
isnt(
	$session->value(
		extract_call(
			'rows, status, digest',
			'SELECT * FROM bench_rows(' . ROWS . ', 1)',
			ROWS, verify => 'true')),
	$expected,
	'another seed, other rows');

sub same_digest
{
	my ($url, $name, %options) = @_;
	return succeeds($session,
		fetch_call('rows, status, digest', $url, ROWS, verify => 'true', %options),
		$expected, $name);
}

# --- JSON by the server's own functions --------------------------------------------------

# File of a query's output; its URL.
sub publish
{
	my ($name, $text) = @_;

	open my $file, '>:raw', "$directory/$name" or die "could not write $name: $!";
	print $file $text;
	close $file or die "could not write $name: $!";
	return $server->url("/file/$name");
}

my $columns = 'json_build_object('
  . join(', ',
	map { "'$_', json_agg($_ ORDER BY id)" } qw(id code created_at amount ratio active label note))
  . ')';
my %by_server = (
	'row_to_json, one a line' => 'SELECT row_to_json(r) FROM bench_reference AS r',
	'row_to_json, backwards' => 'SELECT row_to_json(r) FROM bench_reference AS r ORDER BY id DESC',
	'row_to_json, pretty' =>
	  "SELECT '[' || string_agg(row_to_json(r, true)::text, ',') || ']' FROM bench_reference AS r",
	'json_agg' => 'SELECT json_agg(r) FROM bench_reference AS r',
	'jsonb_agg' => 'SELECT jsonb_agg(r) FROM bench_reference AS r',
	'jsonb_pretty' => 'SELECT jsonb_pretty(jsonb_agg(r)) FROM bench_reference AS r',
	'to_jsonb, one a line' => 'SELECT to_jsonb(r) FROM bench_reference AS r',
	'json_agg without nulls' =>
	  'SELECT json_agg(json_strip_nulls(row_to_json(r))) FROM bench_reference AS r',
	'json_agg by column' => "SELECT $columns FROM bench_reference");

my $number = 0;
for my $name (sort keys %by_server)
{
	my $url = publish('server_' . ++$number . '.json', $session->value($by_server{$name}));
	same_digest($url, $name);
	same_digest($url . '?encoding=gzip', "$name, gzip");
}

# --- JSON by Python ------------------------------------------------------------------------

publish('rows.json', $session->value('SELECT json_agg(r) FROM bench_reference AS r'));
(my $converter = __FILE__) =~ s{t/[^/]*$}{lib/python_json.py};
system_or_bail('python3', $converter, "$directory/rows.json", $directory);
for my $file (map { s{.*/}{}r } sort glob "$directory/python_*")
{
	same_digest($server->url("/file/$file"), "Python: $file");
}
cmp_ok(scalar(my @written = glob "$directory/python_*"), '>=', 6, 'Python wrote its files');

# --- our endpoint ----------------------------------------------------------------------------

SKIP:
{
	skip 'digests through transferbench serve: the loader was built without it', 1
	  unless endpoint_program();

	my $endpoint = start_endpoint($node);
	my $gzip = literal('{"Accept-Encoding":"gzip"}');
	for my $format (qw(rows columns ndjson))
	{
		my $url = $endpoint->url('/load_from_db', format => $format);
		same_digest($url, "endpoint, $format");
		same_digest($url, "endpoint, $format, gzip", headers => $gzip);
		same_digest($url, "endpoint, $format, in pages", page_rows => 300);
	}
	same_digest($endpoint->url('/load_from_db'), 'endpoint, default format');
	succeeds($session,
		fetch_call('wire_bytes < bytes', $endpoint->url('/load_from_db'), ROWS, headers => $gzip),
		't', 'endpoint: compressed when asked for');
	succeeds($session, fetch_call('wire_bytes > bytes', $endpoint->url('/load_from_db'), ROWS),
		't', 'endpoint: not compressed when not asked for');

	for my $setting (
		"TimeZone = 'Asia/Kathmandu'",
		"DateStyle = 'SQL, DMY'",
		'extra_float_digits = -3',
		"bytea_output = 'escape'",
		"lc_monetary = 'C'")
	{
		$session->value("ALTER DATABASE postgres SET $setting");
		my $other = start_endpoint($node);
		same_digest($other->url('/load_from_db'), "endpoint over a database with $setting");
		$other->stop;
		$session->value('ALTER DATABASE postgres RESET ' . ($setting =~ s/ =.*//r));
	}
}

# --- vectors of arrays and composites -----------------------------------------------------------

# made by an implementation of its own of the definition in common/row_digest.c; names of column
# and attributes count
$session->value($_)
  for (
	'CREATE TYPE pair AS (a int, b text)',
	'CREATE TYPE box2 AS (gone int, n int[], p pair)',
	'ALTER TYPE box2 DROP ATTRIBUTE gone',
	'CREATE DOMAIN pairs AS pair[]');
for my $vector (
	[ "'{{1,NULL},{3,-4}}'::bigint[]", '3191579084217531185' ],
	[ "'{{1,NULL},{3,-4}}'::smallint[]", '3191579084217531185' ],
	[ "'{}'::int[]", '-7556263965983011136' ],
	[ "'{}'::text[]", '-7556263965983011136' ],
	[ "'[-5:-4]={a,\xc3\xa9}'::text[]", '7280740644078620228' ],
	[ "'[-5:-4]={a,\xc3\xa9}'::varchar(5)[]", '7280740644078620228' ],
	[ "'(7,)'::pair", '2648642051940970617' ],
	[ "array['(7,x)'::pair, NULL]", '-4134491713281895665' ],
	[ "array['(7,x)'::pair, NULL]::pairs", '-4134491713281895665' ],
	[ "'{1.500,100.0}'::numeric[]", '150180352395108357' ],
	[ q(array['{"aa": [], "b":1.50}'::json, ' "\u0000"']), '-5991212735454292737' ],
	[ 'ROW(array[5], ROW(1, NULL)::pair)::box2', '-4839253333355254217' ],
	[ "'1 2'::int2vector", '1536556452844441715' ],
	[ "'[0:1]={1,2}'::int[]", '572435325062388270' ])
{
	my ($value, $digest) = @$vector;
	succeeds($session, extract_call('digest', "SELECT $value AS v", 1, verify => 'true'),
		$digest, "the digest of $value");
}

# json by its spelling and jsonb by what it keeps come to the same
for my $document (
	'null', 'true', '"text"', '0', '-0', '-0.0', '1.50', '15e-1', '1E+5', '0.00100', '1e-20', '100e-2',
	'123456789012345678901234567890.1234567890', '1e300', '[]', '{}', '[ ]', '[[],{}]', '{"":0}',
	'{"b":1,"a":2}', '{"aa":1,"b":2,"B":3}', '{"a":1,"a":{"b":[1.0,2]}}', '{"a":{"d":1,"c":2},"a":3}',
	'"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\\\"', '"\u001f\u007f"', "\"\xc3\xa9\"", '{"\u0061b":1,"ab":2}',
	'[1,[2,[3,[4,{"k":[5.50]}]]]]')
{
	my $of = sub {
		extract_call('digest', 'SELECT ' . literal($document) . "::$_[0] AS v, ARRAY[" . literal($document) . "]::$_[0]\[] AS a",
			1, verify => 'true');
	};
	succeeds($session, $of->('json'), $session->value($of->('jsonb')), "json and jsonb have one digest: $document");
}

# what has no canonical form is compared as it is spelled, but for white space
for my $case (
	[ q('"a\u0000b"'), q(' "a\u0000b" '), q('"a\u0000c"'), 'a NUL' ],
	[ q('[1e999999, "\ud800"]'), q('[1e999999,"\ud800"]'), q('[1e999999,"\ud801"]'), 'a number and half a pair' ],
	[ q(repeat('[', 1500) || repeat(']', 1500)), q(repeat('[ ', 1500) || repeat(']', 1500)),
		q(repeat('[', 1501) || repeat(']', 1501)), 'nesting 1,500 deep' ])
{
	my ($one, $same, $other, $name) = @$case;
	my ($first, $second, $third) =
	  map { $session->value(extract_call('digest', "SELECT ($_)::json AS v, ARRAY[($_)::json] AS a", 1, verify => 'true')) } $one, $same, $other;

	is($second, $first, "json with $name: white space does not matter");
	isnt($third, $first, "json with $name: anything else does");
}

# --- a table of many types ---------------------------------------------------------------------

$session->value(<<'SQL');
CREATE TABLE zoo AS
SELECT i::smallint AS s, i AS i, i::bigint << 40 AS l, i / 7.0 AS n, (i / 7.0)::float4 AS f, i / 7.0::float8 AS d,
       i % 2 = 0 AS b, chr(64 + i)::"char" AS c, lpad(i::text, 4)::char(6) AS bp, repeat(chr(8364), i) AS t, decode(md5(i::text), 'hex') AS by,
       date '2024-01-01' + i AS da, time '12:00' + i * interval '1 us' AS ti, timestamp '2024-01-01' + i * interval '1 us' AS ts,
       timestamptz '2024-01-01 00:00Z' + i * interval '1 us' AS tz, i * interval '1 day 1 us' AS iv, md5(i::text)::uuid AS u,
       jsonb_build_object('i', i, 'a', ARRAY[i, NULL]) AS j, json_build_array(i, 'x', NULL) AS js, ARRAY[i, NULL, i + 1] AS ia,
       ARRAY['a"b', NULL, E'c\\d', ''] AS ta, ARRAY[[i / 7.0, NULL], [1.50, -i]] AS na,
       ROW(i, repeat('x', i % 5))::pair AS p, ARRAY[NULL, ROW(NULL, i)::pair, ROW(i, NULL)::pair] AS pa, ROW(ARRAY[i], ROW(i, 'y')::pair)::box2 AS bp2,
       ARRAY[json_build_object('b', i, 'a', 1.50), json_build_array(NULL, '')] AS ja, int4range(i, i + 5) AS r, ('10.0.0.' || i)::inet AS inet, B'101' AS bits
  FROM generate_series(1, 50) AS i
SQL
{
	my $zoo = $session->value(
		extract_call('rows, status, digest', 'SELECT * FROM zoo', 50, verify => 'true'));
	for my $case (
		[ 'json_agg', 'SELECT json_agg(z) FROM zoo AS z' ],
		[ 'row_to_json', 'SELECT row_to_json(z) FROM zoo AS z' ])
	{
		my ($name, $sql) = @$case;
		my $url = publish("zoo_$name.json", $session->value($sql));
		succeeds($session,
			fetch_call('rows, status, digest', $url, 50, row_type => "'zoo'", verify => 'true'),
			$zoo, "many types by $name");
	}
	if (endpoint_program())
	{
		my $endpoint = start_endpoint($node, '--table', 'zoo', '--order-by', 'i');
		for my $format (qw(rows columns ndjson))
		{
			succeeds(
				$session,
				fetch_call(
					'rows, status, digest', $endpoint->url('/load_from_db', format => $format), 50,
					row_type => "'zoo'",
					verify => 'true'),
				$zoo,
				"many types by the endpoint, $format");
		}
	}
}

done_testing();
