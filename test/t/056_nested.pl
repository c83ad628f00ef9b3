# transferbench with arrays and composites: typed values on every path, both ways.
use strict;
use warnings FATAL => 'all';

use JSON::PP ();
use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();

my @NATIVE = qw(copy-text copy-binary select);
my $ALL = join ',', @NATIVE, 'http-json';

my $node = start_node('nested', fsync => 'on');
my $session = TransferBench::Session->new($node);
my $directory = PostgreSQL::Test::Utils::tempdir();
my $server = start_http_server(files => $directory);

my $types = q{
	CREATE TYPE mood AS ENUM ('sad', 'so so', 'NULL');
	CREATE DOMAIN positive AS int CHECK (VALUE > 0);
	CREATE DOMAIN tags AS text[];
	CREATE TYPE pair AS (a int, gone int, "B ""b""" text);
	ALTER TYPE pair DROP ATTRIBUTE gone;
	CREATE TYPE deep AS (p pair, ps pair[], j jsonb, n numeric);
};
my $columns = 'id int PRIMARY KEY, i int[], t text[], n numeric[], tz timestamptz[], jb jsonb[], j json[], y bytea[], c char(3)[], f float8[],'
  . ' po positive[], ta tags, tas tags[], p pair, ps pair[], d deep, ds deep[], m mood, ms mood[]';
$session->value($_) for (
	$types,
	"CREATE TABLE nested ($columns)",
	q{INSERT INTO nested VALUES (1, '{1,NULL,-3}', '{NULL,"NULL","","a b","q\"t","back\\\\slash","{x}","a,b","tab	x"}', '{{1.50,NaN},{2,-0.00100}}',
		'{"2024-03-31 01:30:00+02",infinity,"0044-03-15 12:00:00.000001 BC"}', '{"{\"b\": 1, \"a\": 1.50}","\"x\"",true}',
		'{"{\"b\" : 1,\"a\":2}",1e5}', '{"\\\\x00ff5c","\\\\x"}', '{a,ab,"   "}', '{0.1,-0,NaN,1e20}', '{1,2}', '{a,"b c"}', '{"{a,\"b c\"}",NULL}',
		'(1,"a, ""b"" \\\\")', '{"(1,\"x y\")",NULL,"(,)"}', '("(1,x)","{""(2,)"",NULL}","{""k"": [1, 2.50]}",1.50)',
		'{"(,,\"\"\"j\"\"\",0.0)",NULL}', 'so so', '{sad,"so so","NULL",NULL}')},
	q{INSERT INTO nested VALUES (2, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '(,)', '{}', '(,,,)', '{}', 'sad', '{}')},
	'INSERT INTO nested (id) VALUES (3)',
	q{INSERT INTO nested (id, i, t, n, ps) VALUES (4, '{{{1,2},{3,4}},{{5,6},{7,8}}}', '{{ü😀},{x}}', '{12345678901234567890.123456789,1e-20}',
		'{{"(1,x)"},{"(2,y)"}}')},
	# a type without a binary form here, alone and within others
	'CREATE TYPE held AS (h inet[])',
	'CREATE TABLE others (id int PRIMARY KEY, i int[], iv interval[], h held, v interval)',
	q{INSERT INTO others VALUES (1, '{1}', '{"1 day",NULL}', '("{10.0.0.1,::1}")', '1 mon'), (2, NULL, NULL, NULL, NULL)});

sub fetch
{
	return run_loader($node, 'fetch', '--format', 'json', @_);
}

# Digest of rows as the extension makes it, written as the report writes it.
sub digest_of
{
	my ($query, $rows) = @_;

	return $session->value("SELECT lpad(to_hex(digest), 16, '0') FROM bench_extract($rows, " . literal($query) . ', verify => true)');
}

sub digests_of
{
	my ($run) = @_;

	return { map { $_->{path} => $_->{digest} } grep { $_->{trial} == 0 } @{ report_of($run)->{trials} } };
}

sub notes_of
{
	my ($run, $pattern) = @_;

	return [ grep { /$pattern/ } @{ report_of($run)->{notes} } ];
}

# --- reading -----------------------------------------------------------------------------------

{
	my $endpoint = start_endpoint($node, '--table', 'nested');
	my $run = fetch('--source', 'nested', '--paths', $ALL, '--url', $endpoint->url(''));
	my $digest = digest_of('SELECT * FROM nested', 4);

	loader_ends($run, 0, [qr/rows equal: copy-text and http-json delivered the same 4 rows/], 'arrays and composites');
	is_deeply(digests_of($run), { map { $_ => $digest } @NATIVE, 'http-json' }, 'arrays and composites: the digest is the extension\'s on each path');
	is_deeply(notes_of($run, qr/^compared as/), [], 'arrays and composites: all compared as they are');
	is(join(',', map { "$_->{status}$_->{rows}" } grep { $_->{trial} == 1 } @{ report_of($run)->{trials} }), join(',', ('ok4') x 4),
		'arrays and composites: the timed trials');
	$endpoint->stop;
}
{
	# arrays that are elements of an array (by a domain) the extension does not take from JSON
	$session->value($_) for ('CREATE TABLE known AS SELECT * FROM nested', 'ALTER TABLE known DROP COLUMN tas');
	my $endpoint = start_endpoint($node, '--table', 'known', '--order-by', 'id');
	my $run = fetch('--source', 'known', '--order-by', 'id', '--paths', 'copy-binary,http-json', '--url', $endpoint->url(''));
	my $digest = $session->value("SELECT lpad(to_hex(digest), 16, '0') FROM bench_http_fetch(" . literal($endpoint->url('/load_from_db'))
		  . ", 4, row_type => 'known', verify => true)");

	loader_ends($run, 0, [qr/rows equal/], 'as the extension reads JSON');
	is_deeply(digests_of($run), { 'copy-binary' => $digest, 'http-json' => $digest }, 'as the extension reads JSON: the same digest');
	$endpoint->stop;
}
{
	my $endpoint = start_endpoint($node, '--table', 'others');
	my $run = fetch('--source', 'others', '--paths', $ALL, '--url', $endpoint->url(''));
	my %digests = reverse %{ digests_of($run) };

	loader_ends($run, 0, [qr/rows equal: copy-text and http-json delivered the same 2 rows/], 'types without a binary form');
	is(scalar keys %digests, 1, 'types without a binary form: the same digest on each path');
	is_deeply(notes_of($run, qr/^compared as/),
		[ 'compared as text, since this program does not know their binary form (column::text): v',
		  'compared as JSON, since this program does not know the binary form of all that is in them: iv, h' ],
		'types without a binary form: tells what is not compared as it is');
	$endpoint->stop;
}

# what only the media type tells
for my $format (qw(rows columns ndjson))
{
	my $query = 'SELECT i, t, id FROM nested ORDER BY id';
	my $endpoint = start_endpoint($node, '--query', $query);
	my $run = fetch('--query', $query, '--rows', 4, '--page-rows', 2, '--paths', 'copy-binary,http-json', '--api', 'template',
		'--get-url', $endpoint->url('/load_from_db') . "?row_limit={n}&offset={offset}&format=$format");

	loader_ends($run, 0, [qr/rows equal: copy-binary and http-json delivered the same 4 rows/], "an array first, as $format");
	$endpoint->stop;
}
for my $case (
	[ 'application/json', '{"i":[1,2]}', 0 ],
	[ 'application/json; shape="columns"', '{"i":[[1,2]]}', 0 ],
	[ 'application/json; reshape=columns', '{"i":[1,2]}', 0 ],
	[ 'application/json; shape=columns', '{"i":[1,2]}', 2, qr/column "i": 1 is no integer\[\]/ ])
{
	my ($type, $body, $status, @patterns) = @$case;
	my $run = fetch('--query', 'SELECT ARRAY[1, 2] AS i', '--rows', 1, '--paths', 'copy-binary,http-json', '--api', 'template',
		'--get-url', $server->url('/json', body => $body, type => $type));

	loader_ends($run, $status, @patterns ? \@patterns : [qr/rows equal/], "$type: $body");
}
for my $case ([ 'application/x-ndjson', 0, qr/rows equal/ ], [ 'application/json', 2, qr/3 rows/ ])
{
	my ($type, $status, $pattern) = @$case;
	my $run = fetch('--query', q{SELECT '["a","b","c"]' AS t}, '--rows', 1, '--paths', 'copy-binary,http-json', '--api', 'template',
		'--get-url', $server->url('/json', body => '{"t":["a","b","c"]}', type => $type));

	loader_ends($run, $status, [$pattern], "an array for a text, $type");
}

# --- bounds of what is looked at ---------------------------------------------------------------

{
	my $attributes = join ', ', map { "a$_ int" } 1 .. 1500;

	$session->value($_) for (
		'CREATE TYPE level1 AS (x int)',
		(map { 'CREATE TYPE level' . ($_ + 1) . " AS (x level$_)" } 1 .. 16),
		"CREATE TYPE broad AS ($attributes)", 'CREATE TYPE broader AS (a broad, b broad, c broad)',
		'CREATE TABLE bounds AS SELECT 1 AS id, NULL::level16 AS deepest, NULL::level17 AS too_deep, NULL::broad AS broad, NULL::broader AS too_broad');
	my $run = fetch('--source', 'bounds', '--paths', 'copy-text,copy-binary');

	loader_ends($run, 0, [qr/rows equal: copy-text and copy-binary/], 'types of many parts');
	is_deeply(notes_of($run, qr/^compared as/),
		['compared as JSON, since this program does not know the binary form of all that is in them: too_deep, too_broad'],
		'types of many parts: those beyond the bounds');
}

# --- what differs --------------------------------------------------------------------------------

# Rows of one query natively, and of another by the endpoint: what is told.
sub expect_difference
{
	my ($name, $native, $other, $status, @patterns) = @_;
	my $endpoint = start_endpoint($node, '--query', $other);
	my $run = fetch('--query', $native, '--paths', 'copy-binary,http-json', '--url', $endpoint->url(''));

	loader_ends($run, $status, \@patterns, $name);
	$endpoint->stop;
}

expect_difference(
	'a changed element',
	q{SELECT 1 AS id, ARRAY['a', 'b'] AS t, 2 AS x}, q{SELECT 1 AS id, ARRAY['a', 'c'] AS t, 2 AS x},
	3, qr/http-json: 1 value changed, in: t \(1\)$/m, qr/changed: row 1, t: "\{a,b\}" -> "\{a,c\}"$/m);
expect_difference(
	'a changed attribute',
	q{SELECT 1 AS id, ARRAY[ROW(1, 'x')::pair] AS ps}, q{SELECT 1 AS id, ARRAY[ROW(2, 'x')::pair] AS ps},
	3, qr/http-json: 1 value changed, in: ps \(1\)$/m, qr/changed: row 1, ps: "\{\\"\(1,x\)\\"\}" -> "\{\\"\(2,x\)\\"\}"$/m);
expect_difference(
	'bounds, which JSON has not',
	q{SELECT 1 AS id, '[2:3]={7,8}'::int[] AS i}, q{SELECT 1 AS id, '[2:3]={7,8}'::int[] AS i},
	3, qr/http-json: 1 value changed, in: i \(1\)$/m, qr/row 1, i: "\[2:3\]=\{7,8\}" -> "\{7,8\}"$/m);
expect_difference(
	'a null of jsonb within an array, which JSON writes as one of SQL',
	q{SELECT 1 AS id, ARRAY['null'::jsonb] AS jb}, q{SELECT 1 AS id, ARRAY['null'::jsonb] AS jb},
	3, qr/http-json: 1 value changed, in: jb \(1\)$/m, qr/row 1, jb: "\{\\"null\\"\}" -> "\{NULL\}"$/m);
expect_difference(
	'another scale within',
	q{SELECT 1 AS id, ARRAY[1.50, 2] AS n, 1.5 AS x}, q{SELECT 1 AS id, ARRAY[1.5, 2] AS n, 1.5 AS x},
	0, qr/rows equal/, qr/equal values of another scale \(1\.5 for 1\.50\) in: n$/m);
expect_difference(
	'json that jsonb refuses',
	q{SELECT 1 AS id, '{"a" : 1e999999}'::json AS j, ARRAY['"\u0000"'::json] AS js},
	q{SELECT 1 AS id, '{"a": 1e999999}'::json AS j, ARRAY['"\u0000"'::json] AS js},
	0, qr/rows equal/);
expect_difference(
	'json that jsonb refuses, and another one',
	q{SELECT 1 AS id, '1e999999'::json AS j}, q{SELECT 1 AS id, '1e999998'::json AS j},
	3, qr/http-json: 1 value changed, in: j \(1\)$/m);

# An answer that is none of ours, against rows of (id int, i int[], p pair).
for my $case (
	[ 'numbers by their digits', '[{"id":1,"i":[1e0,2.0,null],"p":{"B \"b\"":"x","a":10e-1,"other":[1]}}]', 0, qr/rows equal/ ],
	[ 'an array as its text', '[{"id":1,"i":"{1,2,NULL}","p":"(1,x)"}]', 0, qr/rows equal/ ],
	[ 'an attribute without its key', '[{"id":1,"i":[1,2,null],"p":{"a":1}}]',
		3, qr/1 value changed, in: p \(1\)/, qr/1 keys were not there, and were read as null/ ],
	[ 'a column of arrays', '{"id":[1],"i":[[1,2,null]],"p":[{"a":1,"B \"b\"":"x"}]}', 0, qr/rows equal/ ],
	[ 'a fraction', '[{"id":1,"i":[1.5],"p":null}]', 2, qr/row 1, column "i": "\[1\.5\]" is no integer\[\]: it has a fraction/ ],
	[ 'beyond the range', '[{"id":1,"i":[2147483648],"p":null}]', 2, qr/row 1, column "i": .* is no integer\[\]: it is out of range/ ],
	[ 'rows of other lengths', '[{"id":1,"i":[[1],[2,3]],"p":null}]', 2, qr/is no integer\[\]: an array's rows are not of one length/ ],
	[ 'too deep', '[{"id":1,"i":[[[[[[[1]]]]]]],"p":null}]', 2, qr/is no integer\[\]: an array has more than 6 dimensions/ ],
	[ 'NA within', '[{"id":1,"i":["NA"],"p":null}]', 2, qr/is no integer\[\]: "NA" within it is no value/ ],
	[ 'an object for an array', '[{"id":1,"i":{"a":1},"p":null}]', 2, qr/is no integer\[\]: it is no array/ ],
	[ 'an array for a composite', '[{"id":1,"i":null,"p":[1]}]', 2, qr/column "p": "\[1\]" is no pair: it is no object/ ],
	[ 'a number for an array', '[{"id":1,"i":1,"p":null}]', 2, qr/column "i": 1 is no integer\[\]: it is a number/ ])
{
	my ($name, $body, $status, @patterns) = @$case;
	my $run = fetch('--query', q{SELECT 1 AS id, ARRAY[1, 2, NULL] AS i, ROW(1, 'x')::pair AS p}, '--paths', 'copy-binary,http-json',
		'--api', 'template', '--get-url', $server->url('/json', body => $body));

	loader_ends($run, $status, \@patterns, "an answer: $name");
}

# --- writing -----------------------------------------------------------------------------------

sub arrives_equal
{
	my ($name, $rows, $digest, $run) = @_;

	loader_ends($run, 0, [qr/rows equal: $rows rows/], $name);
	is(digest_of('SELECT * FROM again', $rows), $digest, "$name: the same values");
	$session->value('DROP TABLE again');
	return;
}

my $digest = digest_of('SELECT * FROM nested', 4);
my $others_digest = digest_of('SELECT * FROM others', 2);
my $endpoint = start_endpoint($node, '--query', 'SELECT 1 AS id', '--save-table', 'public.again');

for my $way ([ '--format', 'text' ], [ '--format', 'binary' ], [ '--method', 'insert' ])
{
	arrives_equal("copied by @$way", 4, $digest, run_loader($node, 'copy', '--from-table', 'nested', '--table', 'again', '--keep', @$way));
}
arrives_equal('copied, types without a binary form', 2, $others_digest,
	run_loader($node, 'copy', '--from-table', 'others', '--table', 'again', '--keep', '--format', 'text'));
loader_ends(run_loader($node, 'copy', '--from-table', 'others', '--format', 'binary'),
	1, [qr/column "iv" of type interval\[\] has no binary form here: write it as text/], 'a type without a binary form cannot be written so');
for my $body (qw(array ndjson))
{
	arrives_equal("posted, $body", 4, $digest,
		run_loader($node, 'post', '--url', $endpoint->url(''), '--from-table', 'nested', '--keep', '--body', $body));
}
arrives_equal('posted, types without a binary form', 2, $others_digest,
	run_loader($node, 'post', '--url', $endpoint->url(''), '--from-table', 'others', '--keep'));
{
	my $bounds = q{SELECT 1 AS id, '[2:3][0:0]={{7},{8}}'::int[] AS i, ROW(1, NULL)::pair AS p, ARRAY['[1, 2]'::jsonb] AS jb};

	for my $way ([ 'copy', '--format', 'text' ], [ 'copy', '--format', 'binary' ], [ 'copy', '--method', 'insert' ], [ 'post', '--url', $endpoint->url('') ])
	{
		arrives_equal("bounds by @$way[0, 1]", 1, digest_of($bounds, 1),
			run_loader($node, @$way, '--from-query', $bounds, '--table', 'again', '--keep'));
	}
}
# a database whose settings make other values of the same text
{
	my @settings = ('array_nulls = off', 'xmloption = document');
	my $file = "$directory/settings.text";

	append_to_file($file, qq~{NULL,"NULL",a}\t{1,NULL}\t{"1 day",NULL}\ta<b/>c\n~);
	$session->value("ALTER DATABASE postgres SET $_") for @settings;
	my $reading = start_endpoint($node, '--query', 'SELECT 1 AS id', '--save-table', 'public.again');
	for my $way ([ 'copy', '--format', 'text' ], [ 'copy', '--method', 'insert' ], [ 'post', '--url', $reading->url('') ])
	{
		my $run = run_loader($node, @$way, '--file', $file, '--columns', 't text[], i int[], iv interval[], x xml', '--table', 'again', '--keep');

		loader_ends($run, 0, [qr/rows equal: 1 rows/], "settings of the database, @$way[0, 1]");
		is($session->value("SELECT concat_ws(';', t, t[1] IS NULL, i, iv, x) FROM again"),
			'{NULL,"NULL",a};t;{1,NULL};{"1 day",NULL};a<b/>c', "settings of the database, @$way[0, 1]: the values");
		$session->value('DROP TABLE again');
	}
	$reading->stop;
	$session->value('ALTER DATABASE postgres RESET ' . s/ = .*//r) for @settings;
}
for my $format ([ 'text', 'text' ], [ 'csv', 'csv' ], [ 'binary', 'binary' ])
{
	my ($option, $copy) = @$format;
	my $file = "$directory/nested.$option";

	$node->command_ok([ 'psql', '-Xqd', $node->connstr('postgres'), '-c', "\\copy nested to '$file' with (format $copy)" ], "psql writes $option");
	arrives_equal("psql's $option", 4, $digest,
		run_loader($node, 'copy', '--file', $file, '--file-format', $option, '--columns', $columns =~ s/ PRIMARY KEY//r, '--table', 'again', '--keep'));
}
{
	append_to_file("$directory/nested.json", $session->value('SELECT json_agg(nested) FROM nested'));
	arrives_equal('a JSON file', 4, $digest,
		run_loader($node, 'copy', '--file', "$directory/nested.json", '--columns', $columns =~ s/ PRIMARY KEY//r, '--table', 'again', '--keep'));
}
{
	# parts of types not known here: no JSON, but PostgreSQL's text in a string
	my $of = 'id int, iv interval[], h held, r int4range';
	my @text = ('--format', 'text');
	my $refused = 'JSON is not read into it, since its parts are of types not known here: give it as PostgreSQL writes it, in a string';
	my $file = "$directory/parts.ndjson";

	for my $case (
		[ '{"id":1,"iv":["1 day"]}', qr/row 1, column "iv": .* is no interval\[\]: \Q$refused\E/ ],
		[ '{"id":1,"h":{"h":["::1"]}}', qr/row 1, column "h": .* is no held: \Q$refused\E/ ])
	{
		my ($row, $pattern) = @$case;
		unlink $file;
		append_to_file($file, "$row\n");
		for my $way ([ 'copy', @text ], [ 'copy', '--method', 'insert' ], [ 'post', '--url', $endpoint->url('') ])
		{
			loader_ends(run_loader($node, @$way, '--file', $file, '--columns', $of, '--table', 'again'), 1, [$pattern], "@$way[0, 1], $row");
		}
	}
	unlink $file;
	append_to_file($file, q~{"id":1,"iv":"{\"1 day\",NULL}","h":"(\"{10.0.0.1,::1}\")","r":"[1,3)"}~ . "\n" . q~{"id":2,"iv":null,"r":null}~ . "\n");
	loader_ends(run_loader($node, 'copy', '--file', $file, '--columns', $of),
		1, [qr/column "iv" of type interval\[\] has no binary form here: write it as text/], 'parts of unknown types, as text in strings, binary');
	for my $way ([ 'copy', @text ], [ 'copy', '--method', 'insert' ], [ 'post', '--url', $endpoint->url('') ])
	{
		my $run = run_loader($node, @$way, '--file', $file, '--columns', $of, '--table', 'again', '--keep');

		arrives_equal("parts of unknown types, as text in strings, @$way[0, 1]", 2,
			digest_of(q~SELECT 1 AS id, '{"1 day",NULL}'::interval[] AS iv, '("{10.0.0.1,::1}")'::held AS h, '[1,3)'::int4range AS r UNION ALL SELECT 2, NULL, NULL, NULL~, 2), $run);
	}
}
{
	# what is sent is what PostgREST makes the same values of, by json_populate_recordset
	$session->value($_) for (
		'CREATE TYPE bits AS (id int, i int[], t text[], n numeric[], tz timestamptz[], y bytea[], f float8[], po positive[], ta tags, tas tags[],'
		  . ' jb jsonb[], p pair, ps pair[], d deep, m mood[])',
		q{CREATE TABLE bit_rows OF bits},
		q{INSERT INTO bit_rows SELECT id, i, t, n, tz, y, f, po, ta, tas FROM nested},
		q{INSERT INTO bit_rows (id, jb, p, ps, d, m) SELECT id + 10, jb, p, ps, d, ms FROM nested},
		q{INSERT INTO bit_rows (id, i, jb) VALUES (21, '[0:1]={1,2}', '{null,"[1, [2]]",NULL}'), (22, NULL, '{{1,2},{"[3]",4}}')});
	$server->get('/reset_saved');
	my $run = run_loader($node, 'post', '--api', 'plumber', '--url', $server->url('/'), '--table', 'again', '--verify', 'none',
		'--batch-rows', 1, '--from-query', 'SELECT * FROM bit_rows ORDER BY id');
	my (undef, $saved) = $server->get('/saved');
	my $bodies = JSON::PP::decode_json($saved)->{bodies};

	loader_ends($run, 0, undef, 'what json_populate_recordset is given');
	is(scalar @$bodies, 10, 'what json_populate_recordset is given: rows');
	for my $body (@$bodies)
	{
		utf8::downgrade(my $json = $body->{start}); # its bytes
		my $populate = 'SELECT * FROM json_populate_recordset(NULL::bits, ' . literal($json) . ')';
		my $id = $session->value("SELECT id FROM ($populate) AS x");

		is($session->value("SELECT count(*) FROM ($populate INTERSECT TABLE bit_rows) AS x"), 1, "what json_populate_recordset makes of row $id");
	}
}
{
	# what is sent
	$server->get('/reset_saved');
	my $run = run_loader($node, 'post', '--api', 'plumber', '--url', $server->url('/'), '--table', 'again', '--verify', 'none', '--from-query',
		q{SELECT 1 AS id, '{{1,NULL}}'::int[] AS i, ROW(1, E'x\n')::pair AS p, '[0:0]={z}'::text[] AS t, '{}'::numeric[] AS n, ARRAY['sad'::mood] AS m});
	my (undef, $saved) = $server->get('/saved');

	loader_ends($run, 0, undef, 'what is sent');
	is(JSON::PP::decode_json($saved)->{bodies}[0]{start},
		'[{"id":1,"i":[[1,null]],"p":{"a":1,"B \"b\"":"x\n"},"t":"[0:0]={z}","n":[],"m":["sad"]}]', 'what is sent: JSON');
}

# --- another database, where types of the same names have other OIDs ---------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE elsewhere');
$node->safe_psql('elsewhere', "CREATE TYPE first AS ENUM ('x'); $types");
for my $format (qw(text binary))
{
	my $run = run_loader(undef, 'copy', '-d', $node->connstr('elsewhere'), '--from-dsn', $node->connstr('postgres'), '--from-table', 'nested', '--format', $format);

	loader_ends($run, 0, [qr/rows equal: 4 rows/], "to another database, $format");
}
{
	$node->safe_psql('elsewhere', 'ALTER TYPE pair ADD ATTRIBUTE more int CASCADE');
	my $run = run_loader(undef, 'copy', '-d', $node->connstr('elsewhere'), '--from-dsn', $node->connstr('postgres'), '--from-table', 'nested');

	loader_ends($run, 1, [qr/column "p": type pair is made of other parts than where the rows come from/], 'to another database, where a type is another one');
}
{
	$session->value($_) for ('CREATE TABLE wide (id int, i bigint[])', 'CREATE TABLE narrow AS SELECT id, i FROM nested');
	loader_ends(run_loader($node, 'copy', '--from-table', 'narrow', '--append', '--table', 'wide'),
		1, [qr/column "i" is bigint\[\] in public\.wide, but the rows have integer\[\]/], 'a table that has another array');
}

# --- both ways -------------------------------------------------------------------------------------

{
	my $run = run_loader($node, 'compare', '--source', 'nested', '--trials', 1, '--paths', 'copy-binary,copy-text,insert,select,http-json', '--format', 'json', '--quiet');

	loader_ends($run, 0, undef, 'compare');
	is(scalar(grep { $_->{verified} && $_->{rows_equal} } @{ report_of($run)->{comparisons} }), 8, 'compare: rows equal on each path, both ways');
}

# --- rights ------------------------------------------------------------------------------------------

{
	$session->value($_) for ('CREATE ROLE plain LOGIN', 'GRANT SELECT ON nested TO plain');
	my $run = run_loader(undef, 'fetch', '-d', $node->connstr('postgres') . ' user=plain', '--source', 'nested', '--paths', 'copy-text,copy-binary', '--format', 'json');

	loader_ends($run, 0, [qr/rows equal: copy-text and copy-binary/], 'a role that may only read the table');
	is_deeply(digests_of($run), { map { $_ => $digest } qw(copy-text copy-binary) }, 'a role that may only read the table: digests');
}

$endpoint->stop;
$session->quit;
done_testing();
