# transferbench post: rows through an API into a table, what it says, and what it
# does about endpoints that refuse, delay, lose answers or die.
use strict;
use warnings FATAL => 'all';

use JSON::PP ();
use List::Util qw(sum0 uniq);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();
{
	my $output = qx(@{[endpoint_program()]} serve --help 2>&1);
	plan skip_all => 'the loader was built without serve' if $output =~ /built without/;
}

my $node = start_node('post', fsync => 'on');
my $session = TransferBench::Session->new($node);
my $directory = PostgreSQL::Test::Utils::tempdir();
my $scripted = start_http_server();

my $reference_sum = $session->value('SELECT digest FROM bench_extract(20000, verify => true)');

# Digest of a table's rows by the extension, in any order.
sub digest_of
{
	my ($table, $rows) = @_;

	return $session->value("SELECT digest FROM bench_extract($rows, 'SELECT * FROM $table', verify => true)");
}

# `transferbench serve` that writes to public.posted.
sub start_saving
{
	return start_endpoint($node, '--query', 'SELECT 1 AS id', '--save-table', 'public.posted', @_);
}

# Base URL of an endpoint with the scripted server before it; a specification as
# of its /via/, with a key of its own.
my $specifications = 0;
sub via
{
	my ($endpoint, $specification) = @_;

	$specifications++;
	return $scripted->url('/via/' . $endpoint->port . '/' . (defined $specification ? "$specification,key:via$specifications" : '-'));
}

sub post
{
	my ($url, @arguments) = @_;

	return run_loader($node, 'post', '--url', $url, '--format', 'json', @arguments);
}

# Requests with rows that the scripted server saw, without /info and /usage.
sub posts
{
	return grep { $_->{line} =~ /^POST/ && $_->{line} !~ m{/usage } } $scripted->requests;
}

sub ranges
{
	my ($trial, $name) = @_;

	return join ',', map { "$_->{first_row}-$_->{last_row}" } @{ $trial->{$name} };
}

# Rows of a table that a run kept; the table is dropped.
sub take_count
{
	my $count = $session->value('SELECT count(*) FROM posted');

	$session->value('DROP TABLE posted');
	return $count;
}

my $endpoint = start_saving('--create-ledger');
my $url = $endpoint->url('');

# --- each way writes the same rows -------------------------------------------------------------

for my $way (
	['an array'],
	[ 'lines', '--body', 'ndjson' ],
	[ 'an array, gzip', '--gzip' ],
	[ 'lines, gzip', '--body', 'ndjson', '--gzip' ],
	[ '3 jobs', '--jobs', 3, '--batch-rows', 1234 ],
	[ '3 jobs, lines, gzip', '--jobs', 3, '--batch-rows', 1234, '--body', 'ndjson', '--gzip' ],
	[ 'made beforehand', '--pregenerate' ],
	[ 'made beforehand, 2 jobs, gzip', '--pregenerate', '--jobs', 2, '--gzip' ],
	[ 'without keys', '--no-idempotency' ],
	[ 'into a table named as the endpoint says', '--table', 'posted' ],
	[ 'into an unlogged table with a key', '--unlogged', '--primary-key', 'id' ])
{
	my ($name, @arguments) = @$way;
	my $run = post($url, '--rows', 20000, '--keep', @arguments);
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, 0, undef, $name);
	is($trial->{rows}, 20000, "$name: rows");
	is($trial->{status}, 'ok', "$name: status");
	is(digest_of('posted', 20000), $reference_sum, "$name: the rows are the reference rows");
	is(take_count(), 20000, "$name: each once");
}

# --- the table of the endpoint -----------------------------------------------------------------

{
	my $run = post($url, '--rows', '1e4', '--trials', 2);
	my $report = report_of($run);

	loader_ends($run, 0, [qr/rows equal: 10000 rows/], 'the table that the endpoint writes to');
	is($report->{table}, 'public.posted', 'it is named');
	is(our_tables($session), 0, 'it is gone at the end');
	is(join(',', map { $_->{trial} } @{ $report->{trials} }), '0,1,2', 'a warm-up and two trials');
}
$session->value('CREATE TABLE posted (id int)');
loader_ends(post($url, '--rows', 10), 1, [qr/posted exists/, qr/--append/], 'a table that is somebody\'s');
loader_ends(post($url, '--rows', 10, '--table', 'other'), 1, [qr/other/, qr/public\.posted/], '--table other than the endpoint\'s');
loader_ends(post($url, '--rows', 10, '--table', 'other', '--append'), 1, [qr/other/], '--table other than the endpoint\'s, --append');
is(take_count(), 0, 'it was not touched');
{
	my $reading = start_endpoint($node, '--query', 'SELECT 1 AS id', '--read-only');

	loader_ends(post($reading->url(''), '--rows', 10), 1, [qr/does not write|--read-only/], 'an endpoint that only reads');
	$reading->stop;
}
{
	my $run = post($url, '--rows', 10, '--dry-run');

	loader_ends($run, 0, [ qr/public\.posted/, qr/nothing was written/ ], '--dry-run names the table');
	is(our_tables($session), 0, '--dry-run makes no table');
}
$session->value('CREATE TABLE posted AS SELECT * FROM bench_rows(100); ALTER TABLE posted ADD more int DEFAULT 7');
{
	my $run = post($url, '--rows', 1000, '--table', 'public.posted', '--append', '--batch-rows', 300);
	my $report = report_of($run);

	loader_ends($run, 0, [qr/not compared/], 'appending');
	is($report->{trials}[0]{rows}, 1000, 'appending: rows by what the endpoint said');
	is($session->value('SELECT count(*), count(DISTINCT id) FROM posted'), '1100|1000', 'appending: they are there, and what was there too');
}
loader_ends(post($url, '--rows', 10, '--append'), 1, [qr/--append.*--table/], '--append without --table');
loader_ends(post($url, '--rows', 10, '--table', 'missing', '--append'), 1, [qr/missing/], '--append to a table that is missing');
$session->value('DROP TABLE posted');

# --- nothing, one row, more than a batch, batches by bytes -------------------------------------

for my $rows (0, 1, 10001)
{
	my $run = post($url, '--rows', $rows);

	loader_ends($run, 0, undef, "$rows rows");
	is(report_of($run)->{trials}[0]{rows}, $rows, "$rows rows: counted");
}
{
	my $narrow = start_saving('--max-body-bytes', '100000');

	for my $way (
		[ 'bodies as long as /info says', 100_000, via($narrow) ],
		[ 'bodies as long as /info says, gzip', 100_000, via($narrow), '--gzip' ],
		[ 'bodies as long as --max-body-bytes says', 30_000, via($narrow), '--max-body-bytes', '30kB' ],
		[ 'no longer than /info says, whatever --max-body-bytes says', 100_000, via($narrow), '--max-body-bytes', '1GB' ],
		[ 'lines as long as --max-body-bytes says', 30_000, via($narrow), '--max-body-bytes', '30kB', '--body', 'ndjson' ])
	{
		my ($name, $limit, $base, @arguments) = @$way;

		$scripted->forget_requests;
		my $run = post($base, '--rows', 20000, '--keep', @arguments);
		my $trial = report_of($run)->{trials}[0];
		my @lengths = map { $_->{headers}{'content-length'} } posts();

		loader_ends($run, 0, undef, $name);
		cmp_ok((sort { $b <=> $a } @lengths)[0], '<=', $limit, "$name: none is longer");
		is($trial->{requests}, scalar @lengths, "$name: as many requests as are reported");
		cmp_ok($trial->{requests}, '>=', $trial->{bytes} / $limit, "$name: cut");
		is(digest_of('posted', 20000), $reference_sum, "$name: the rows are the reference rows");
		is(take_count(), 20000, "$name: each once");
	}
	my $run = post($narrow->url(''), '--rows', 100, '--max-body-bytes', 100);
	loader_ends($run, 2, [qr/row \d+/, qr/--max-body-bytes/], 'a row longer than a body may be');
	is(our_tables($session), 0, 'a row longer than a body may be: nothing is left behind');
	$narrow->stop;
}

# --- requests, as they are seen by the endpoint ------------------------------------------------

{
	$scripted->forget_requests;
	my $run = post(via($endpoint), '--rows', 40000, '--batch-rows', 20000, '--trials', 2);
	my @requests = posts();
	my @keys = map { $_->{headers}{'idempotency-key'} } @requests;

	loader_ends($run, 0, undef, 'large bodies');
	is(scalar @requests, 6, 'large bodies: two batches, three times');
	cmp_ok($requests[0]{headers}{'content-length'}, '>', 4_000_000, 'large bodies: megabytes');
	is(scalar(grep { defined $_->{headers}{expect} } @requests), 0, 'large bodies: no Expect');
	is(scalar(grep { defined $_->{headers}{'transfer-encoding'} } @requests), 0, 'large bodies: of known length');
	is(scalar(uniq map { $_->{connection} } @requests), 3, 'one connection a trial, kept alive');
	is(scalar(uniq @keys), 6, 'a key for each batch of each trial');
	like($_, qr/^\Q@{[ report_of($run)->{run_id} ]}\E-\d-\d$/, 'it is made of run, trial and batch') for @keys;
	is(join(',', uniq map { $_->{headers}{'content-type'} } @requests), 'application/json', 'Content-Type');

	$scripted->forget_requests;
	loader_ends(post(via($endpoint, 'fault:status,status:503,times:2'), '--rows', 200, '--batch-rows', 100), 0, undef, 'turned away twice');
	my @again = map { $_->{headers}{'idempotency-key'} } posts();
	is(scalar @again, 4, 'turned away twice: four requests for two batches');
	is(scalar(uniq @again[ 0 .. 2 ]), 1, 'the same key for all attempts of a batch');
	isnt($again[3], $again[0], 'another for the next');
	is(scalar(grep { my $key = $_; grep { $_ eq $key } @keys } @again), 0, 'none of another run');
}
{
	$scripted->forget_requests;
	loader_ends(post(via($endpoint), '--rows', 10, '--no-idempotency', '--header', 'X-Load: a test', '--header', 'x-empty:'), 0, undef, 'own headers');
	my ($request) = posts();
	is($request->{headers}{'idempotency-key'}, undef, '--no-idempotency: no key');
	is($request->{headers}{'x-load'}, 'a test', '--header');
	is($request->{headers}{'x-empty'}, '', '--header without a value');
}

# --- values that go wrong elsewhere ------------------------------------------------------------

$session->value($_) for (
	'CREATE TABLE origin (id int PRIMARY KEY, t text, v varchar(20), c char(4), n numeric, f float8, g float4, b bool, y bytea,
		d date, ti time, ts timestamp, tz timestamptz, u uuid, j json, jb jsonb, iv interval, a int[], r int4range, i2 int2, i8 int8)',
	q{INSERT INTO origin VALUES (1, E'tab\tback\\\\slash\nline\r\b\f\x0b', '', 'ab', 1.50, '-0', 'NaN', true, '\x00ff5c', '2024-02-29',
		'24:00:00', '0044-03-15 12:00:00.000001 BC', '2024-03-31 01:30:00+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"b": 1, "a": 2}',
		'{"b": 1.50}', '1 mon 2 days', '{1,NULL,3}', '[1,5)', -32768, 9223372036854775807)},
	q{INSERT INTO origin (id, t, v, n, f, d, ts, tz) VALUES (2, '\N', NULL, 'NaN', 'Infinity', 'infinity', '-infinity', 'infinity'),
		(3, '\.', '\.', '123456789012345678901234567890.123456789', 5e-324, '-infinity', '294276-12-31 23:59:59.999999', '0001-01-01 00:00:00+00')},
	q{INSERT INTO origin (id, t, jb) VALUES (4, '', '[]'), (5, NULL, NULL), (6, 'ü😀"quoted", and ''so''', '"x"')},
	q{INSERT INTO origin (id, t, f, g, n, a, y) VALUES (7, E'\x01\x7f', '-Infinity', '-Infinity', '-Infinity', '{}', ''),
		(8, E'\\n', 0.1, 0.1, 1e100, '{{1,2},{3,4}}', NULL)});
my $columns = 'id int, t text, v varchar(20), c char(4), n numeric, f float8, g float4, b bool, y bytea, d date, ti time, '
  . 'ts timestamp, tz timestamptz, u uuid, j json, jb jsonb, iv interval, a int[], r int4range, i2 int2, i8 int8';
my $origin_sum = digest_of('origin', 8);

sub arrives_equal
{
	my ($name, @arguments) = @_;
	my $run = post($url, '--keep', @arguments);

	loader_ends($run, 0, [qr/rows equal: 8 rows/], $name);
	is(digest_of('posted', 8), $origin_sum, "$name: the same values");
	$node->command_ok([ 'psql', '-Xqd', $node->connstr('postgres'), '-c', "\\copy (SELECT id, t, v FROM $_ ORDER BY id) to '$directory/$_'" ],
		"$name: psql reads $_ back")
	  for qw(origin posted);
	is(slurp_file("$directory/posted"), slurp_file("$directory/origin"), "$name: what psql reads back is identical");
	take_count();
	return;
}

for my $body (qw(array ndjson))
{
	arrives_equal("from a table, $body", '--from-table', 'origin', '--body', $body);
}
arrives_equal('from a query on a second connection', '--from-dsn', $node->connstr('postgres'), '--from-query', 'SELECT * FROM origin');
for my $format ([ 'text', 'text' ], [ 'csv', 'csv' ], [ 'csv-header', 'csv, header' ], [ 'binary', 'binary' ])
{
	my ($option, $copy) = @$format;
	my $file = "$directory/origin.$option";
	my $of = $option eq 'binary' ? '(SELECT id, t, v, c, n, f, g, b, y, d, ti, ts, tz, u, j, jb, i2, i8 FROM origin)' : 'origin';

	$node->command_ok([ 'psql', '-Xqd', $node->connstr('postgres'), '-c', "\\copy $of to '$file' with (format $copy)" ], "psql writes $option");
	if ($option ne 'binary')
	{
		arrives_equal("psql's $option", '--file', $file, '--file-format', $option, '--columns', $columns);
		next;
	}
	my $run = post($url, '--keep', '--file', $file, '--file-format', 'binary', '--columns', $columns =~ s/iv interval, a int\[\], r int4range, //r);
	loader_ends($run, 0, [qr/rows equal: 8 rows/], "psql's binary");
	take_count();
}
{
	# what Python writes by itself: \u escapes, NaN as strings, None
	my $program = <<'PYTHON';
import csv, json, sys
rows = [{"id": 1, "t": "tab\tback\\slash\nline\r\b\f\x0b", "v": ""}, {"id": 2, "t": "\\N", "v": None},
        {"id": 3, "t": "\\.", "v": "\\."}, {"id": 4, "t": "", "v": None}, {"id": 5, "t": None},
        {"id": 6, "t": "ü😀\"quoted\", and 'so'", "v": "x"}]
directory = sys.argv[1]
for name, ascii in (("ascii", True), ("utf8", False)):
    with open(f"{directory}/{name}.json", "w", encoding="utf-8") as out:
        json.dump(rows, out, ensure_ascii=ascii, indent=1)
    with open(f"{directory}/{name}.ndjson", "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=ascii) + "\n")
with open(f"{directory}/python.csv", "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["id", "t", "v"])
    for row in rows[:1] + rows[2:3] + rows[5:]:
        writer.writerow([row["id"], row["t"], row["v"]])
PYTHON
	system_or_bail('python3', '-c', $program, $directory);
	$session->value(q{CREATE TABLE python AS SELECT id, t, CASE id WHEN 6 THEN 'x' ELSE v END AS v FROM origin WHERE id <= 6});
	for my $file (qw(ascii.json utf8.json ascii.ndjson utf8.ndjson))
	{
		my $run = post($url, '--keep', '--file', "$directory/$file", '--columns', 'id int, t text, v varchar(20)');

		loader_ends($run, 0, [qr/rows equal: 6 rows/], "Python's $file");
		is($session->value('SELECT count(*) FROM (TABLE posted EXCEPT TABLE python) AS x'), 0, "Python's $file: the same values");
		is(take_count(), 6, "Python's $file: each once");
	}
	my $run = post($url, '--keep', '--file', "$directory/python.csv", '--file-format', 'csv-header', '--columns', 'id int, t text, v varchar(20)');
	loader_ends($run, 0, [qr/rows equal: 3 rows/], "Python's csv");
	is($session->value('SELECT count(*) FROM (TABLE posted EXCEPT TABLE python) AS x'), 0, "Python's csv: the same values");
	take_count();
}
{
	my $run = post($url, '--from-query', q{SELECT 1 AS id, 'null'::jsonb AS jb, 2 AS other});

	loader_ends($run, 3, [ qr/http-json: 1 value changed, in: jb \(1\)$/m, qr/http-json, 1 rows, changed: row 1, jb: null -> SQL null$/m ], 'a null within JSON is no null of SQL, and the one format cannot tell');
	is(report_of($run)->{exit_status}, 3, 'values changed: reported');
}
{
	my @query = ('--from-query', q{SELECT i AS id, CASE WHEN i % 10 = 0 THEN 'null'::jsonb ELSE '1' END AS jb FROM generate_series(1, 100) AS i ORDER BY i});

	loader_ends(
		post($url, @query), 3,
		[ qr/http-json: 10 values changed, in: jb \(10\)$/m, qr/http-json, 100 rows, changed: row 10, jb: null -> SQL null; row 20, jb: null -> SQL null; row 30, jb: null -> SQL null$/m ],
		'changed values are counted, and the first three shown');
	loader_ends(post($url, @query, '--jobs', 2, '--batch-rows', 7), 3, [qr/http-json: (?:10 )?values changed, in: jb/], 'rows sent by two at once: the column at least');
}
for my $json ('1},{"id":7', '1]', '', 'no', '{"a":1')
{
	my $file = "$directory/json";

	unlink $file;
	append_to_file($file, qq(1\t{"a": 1}\n2\t$json\n));
	for my $type (qw(json jsonb))
	{
		my $run = post($url, '--file', $file, '--file-format', 'text', '--columns', "id int, j $type");

		isnt($run->{status}, 0, "a $type column with '$json': refused");
		like($run->{errors}, qr/row 2, column "j": not one JSON value/, "a $type column with '$json': says where");
	}
}
for my $bad (
	[ 'a text for a number', "1\tone\nx\ttwo\n", qr/row 2, column "id"/ ],
	[ 'a field too many', "1\tone\ttwo\n", qr/row 1/ ],
	[ 'no end', "1\tone\n2\tt", qr/row 2/ ],
	[ 'bad UTF-8', "1\t\xff\xfe\n", qr/row 1, column "t"/ ])
{
	my ($name, $text, $pattern) = @$bad;
	my $file = "$directory/bad";

	append_to_file($file, $text);
	my $run = post($url, '--file', $file, '--file-format', 'text', '--columns', 'id int, t text');
	isnt($run->{status}, 0, "$name: refused");
	like($run->{errors}, $pattern, "$name: says where");
	is(our_tables($session), 0, "$name: nothing is left behind");
	unlink $file;
}
{
	my $run = run_loader({ input => "1\tone\n2\ttwo\n" }, $node, 'post', '--url', $url, '--file', '-', '--columns', 'id int, t text', '--keep', '--format', 'json');

	loader_ends($run, 0, [qr/standard input/], 'from standard input');
	is(take_count(), 2, 'from standard input: rows');
}

# --- token -------------------------------------------------------------------------------------

{
	my $secret = 'f00-very-secret-token';
	my $file = "$directory/token";
	append_to_file($file, "$secret\n");
	chmod 0600, $file;
	append_to_file("$directory/open_token", "$secret\n");
	chmod 0644, "$directory/open_token";
	append_to_file("$directory/wrong_token", "$secret-but-another\n");
	chmod 0600, "$directory/wrong_token";
	my $guarded = start_saving('--token-file', $file);
	my @runs;

	for my $way (
		[ 'a token from a file', 0, undef, '--token-file', $file ],
		[ 'a token from the environment', 0, undef, '--token-env', 'POST_TOKEN' ],
		[ 'no token', 1, [ qr/401/, qr/--token-file/ ] ],
		[ 'a wrong token', 1, [ qr/401/, qr/--token-file/ ], '--token-file', "$directory/wrong_token" ],
		[ 'a token file for all to read', 1, [qr/chmod 600/], '--token-file', "$directory/open_token" ],
		[ 'a token file that is missing', 1, [qr/nonexistent/], '--token-file', "$directory/nonexistent" ],
		[ 'a variable that is unset', 1, [qr/POST_TOKEN_2/], '--token-env', 'POST_TOKEN_2' ],
		[ 'two tokens', 1, [qr/exclude/], '--token-env', 'POST_TOKEN', '--token-file', $file ],
		[ 'a token as an argument', 1, [qr/--token\b/], "--token=$secret" ])
	{
		my ($name, $status, $patterns, @arguments) = @$way;
		my $run = run_loader({ environment => { POST_TOKEN => $secret } }, $node, 'post', '--url', $guarded->url(''), '--rows', 10, @arguments);

		loader_ends($run, $status, $patterns, $name);
		unlike($run->{output} . $run->{errors}, qr/very-secret/, "$name: never said");
	}
	is(our_tables($session), 0, 'nothing is left behind without a token');
	$guarded->stop;
}

# --- TLS ---------------------------------------------------------------------------------------

{
	my ($certificate, $key) = make_certificate($directory, 'localhost', subject_alternative_name => 'IP:127.0.0.1');
	my ($other) = make_certificate($directory, 'other', subject_alternative_name => 'IP:127.0.0.1');
	my $tls = start_http_server(certificate => $certificate, key => $key);
	my @target = ('--api', 'template', '--post-url', $tls->url('/save'), '--table', 'posted', '--rows', 1000, '--verify', 'none');

	for my $way (
		[ 'TLS, a certificate that was given', 0, undef, '--cacert', $certificate ],
		[ 'TLS, unchecked', 0, undef, '--insecure' ],
		[ 'TLS, HTTP/1.1', 0, undef, '--cacert', $certificate, '--http1.1' ],
		[ 'TLS, a certificate that nobody vouches for', 2, [ qr/certificate/, qr/--cacert/, qr/rows 1-1000/ ] ],
		[ 'TLS, the wrong authority', 2, [ qr/certificate/, qr/--cacert/ ], '--cacert', $other ],
		[ 'TLS, a file that is none', 2, [qr/--cacert/], '--cacert', "$directory/token" ],
		[ 'TLS, a missing file', 1, [ qr/--cacert/, qr/nonexistent/ ], '--cacert', "$directory/nonexistent" ],
		[ 'TLS, a key without a certificate', 1, [qr/--key.*--cert/], '--key', $key ])
	{
		my ($name, $status, $patterns, @arguments) = @$way;
		my $run = run_loader($node, 'post', @target, '--format', 'json', @arguments);

		loader_ends($run, $status, $patterns, $name);
		is(report_of($run)->{trials}[0]{rows}, $status == 0 ? 1000 : 0, "$name: rows") if $status != 1;
		is(report_of($run)->{trials}[0]{retries}, 0, "$name: not tried again, as it would be the same") if $status == 2;
	}
	$tls->stop;
}

# --- answers that are no success ---------------------------------------------------------------

# A run of 5 batches of 100 rows by way of a fault; what is checked of its trial,
# the table's count among it.
sub faulty
{
	my ($name, $specification, $status, $patterns, $expected, @arguments) = @_;
	my $run = post(via($endpoint, $specification), '--rows', 500, '--batch-rows', 100, '--keep', @arguments);
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, $status, $patterns, $name);
	is($trial->{$_}, $expected->{$_}, "$name: $_") for grep { exists $expected->{$_} } qw(rows retries requests status);
	is(ranges($trial, $_), $expected->{$_} // '', "$name: $_") for qw(refused in_doubt);
	is(take_count(), $expected->{count} // $expected->{rows}, "$name: rows in the table") if $run->{status} != 1;
	return $trial;
}

for my $code (400, 401, 403, 404, 413, 422)
{
	my $hint = $code == 413 ? qr/--max-body-bytes/ : $code == 401 ? qr/--token-file/ : qr/refused/;

	faulty("status $code at batch 3 of 5", "fault:status,status:$code,skip:2", 2, [ qr/batch 3 \(rows 201-300\).*HTTP $code/, $hint ],
		{ rows => 200, retries => 0, requests => 3, status => 'failed', refused => '201-300' });
}
{
	my $trial = faulty('429 twice', 'fault:status,status:429,after:1,skip:2,times:2', 0, undef, { rows => 500, retries => 2, requests => 7, status => 'ok' });
	cmp_ok($trial->{retry_wait_ms}, '>=', 2000, '429 twice: waited as told');
	cmp_ok($trial->{elapsed_ms}, '<', $trial->{retry_wait_ms}, '429 twice: the waiting is no part of the time');

	# with several jobs one waits while the others go on
	$trial = faulty('429 twice, 4 jobs', 'fault:status,status:429,after:2,skip:2,times:2', 0, undef, { rows => 500, retries => 2, requests => 7, status => 'ok' }, '--jobs', 4);
	cmp_ok($trial->{retry_wait_ms}, '>=', 1000, '429 twice, 4 jobs: the mean of what was waited');
	cmp_ok($trial->{elapsed_ms}, '<', 1000, '429 twice, 4 jobs: the waiting is no part of the time');
	my $sum = sum0(grep { defined } values %{ $trial->{phases} });
	cmp_ok(abs($sum - $trial->{elapsed_ms}), '<', 1, '429 twice, 4 jobs: the phases sum up to the time');

	$trial = faulty('503 with a date', 'fault:status,status:503,after_date:2,times:1', 0, undef, { rows => 500, retries => 1, requests => 6 });
	cmp_ok($trial->{retry_wait_ms}, '>=', 900, '503 with a date: waited until then');

	$trial = faulty('429, longer than is waited', 'fault:status,status:429,after:3600,times:1', 0, undef, { rows => 500, retries => 1 }, '--max-retry-wait', '100ms');
	cmp_ok($trial->{retry_wait_ms}, '<', 3_600_000, '429, longer than is waited: no longer');
}
faulty('429 for ever', 'fault:status,status:429,skip:1', 2, [qr/batch 2 \(rows 101-200\).*429/],
	{ rows => 100, retries => 3, requests => 5, refused => '101-200' }, '--retries', 3, '--max-retry-wait', '10ms');
faulty('503, and no retries wanted', 'fault:status,status:503,skip:1', 2, [qr/503/],
	{ rows => 100, retries => 0, requests => 2, refused => '101-200' }, '--retries', 0);
faulty('500 of an endpoint whose errors are certain', 'fault:status,status:500,times:1', 0, undef, { rows => 500, retries => 1 });

# --- answers that leave it open, or lie ----------------------------------------------------------

# A run of 5 batches of 100 rows, sent to an endpoint that writes nowhere; by template.
sub answered
{
	my ($name, $path, $status, $patterns, $expected, @arguments) = @_;
	my $run = run_loader($node, 'post', '--api', 'template', '--post-url', $path, '--table', 'posted', '--verify', 'none', '--rows', 500,
		'--batch-rows', 100, '--format', 'json', @arguments);
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, $status, $patterns, $name);
	is($trial->{$_}, $expected->{$_}, "$name: $_") for grep { exists $expected->{$_} } qw(rows retries requests status);
	is(ranges($trial, $_), $expected->{$_} // '', "$name: $_") for qw(refused in_doubt);
	return $trial;
}

my $tries = 0;
sub saving
{
	return $scripted->url('/save', 'key', 'saving' . ++$tries, @_);
}

# A URL in full, and no --api: what is known of `serve` is not taken for granted.
{
	my $run = run_loader($node, 'post', '--post-url', saving(fault => 'status', status => 500, skip => 2), '--table', 'posted', '--verify', 'none',
		'--rows', 500, '--batch-rows', 100, '--format', 'json');
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, 2, [qr/HTTP 500/], 'status 500 at a URL in full');
	is(ranges($trial, 'in_doubt') . "/$trial->{retries}", '201-300/0', 'status 500 at a URL in full: nobody knows, and it is not repeated');
}
for my $code (202, 206, 301, 302, 303)
{
	answered("status $code leaves it open", saving(fault => 'status', status => $code, skip => 2), 2, [qr/batch 3 \(rows 201-300\): HTTP $code/],
		{ rows => 200, retries => 0, requests => 3, in_doubt => '201-300' });
}
for my $code (307, 308, 400, 409, 413)
{
	answered("status $code is a refusal", saving(fault => 'status', status => $code, skip => 2), 2, [qr/HTTP $code/],
		{ rows => 200, retries => 0, requests => 3, refused => '201-300' });
}
for my $code (500, 502, 504)
{
	answered("status $code of an API that is not known", saving(fault => 'status', status => $code, skip => 2), 2, [qr/HTTP $code/],
		{ rows => 200, retries => 0, requests => 3, in_doubt => '201-300' });
}
answered('503 without Retry-After of an API that is not known', saving(fault => 'status', status => 503, skip => 2), 2, [qr/HTTP 503/],
	{ rows => 200, retries => 0, requests => 3, in_doubt => '201-300' });
answered('503 with Retry-After of an API that is not known', saving(fault => 'status', status => 503, after => 0, skip => 2, times => 2), 0, undef,
	{ rows => 500, retries => 2, requests => 7 });
answered('429 of an API that is not known', saving(fault => 'status', status => 429, skip => 2, times => 2), 0, undef,
	{ rows => 500, retries => 2, requests => 7 });
answered('fewer rows than were sent', saving(answer => '{"rows":99}'), 2, [qr/wrote 99 rows, 100 were sent/], { rows => 0, requests => 1, in_doubt => '1-100' });
answered("an answer that is $_->[0]", saving(answer => $_->[1], good_status => $_->[2]), 0, undef, { rows => 500, requests => 5 })
  for ([ 'no JSON', 'fine', 200 ], [ 'empty', '', 201 ], [ 'none', '', 204 ], [ 'an array', '[100]', 200 ], [ 'another', '{"rows":[100]}', 200 ]);
# A success in name only; of the reference endpoint an answer without a number of rows is none either.
for my $case (
	[ 'an error object', $scripted->url('/json', body => '{"error":"relation does not exist"}'), qr/HTTP 200, but the answer tells of an error: .*relation does not/ ],
	[ 'errors in an array', $scripted->url('/json', body => '{"errors":[{"title":"no"}]}', status => 201), qr/HTTP 201, but the answer tells of an error/ ],
	[ 'an error in an array, as R boxes it', $scripted->url('/json', body => '{"error":["500 - Internal server error"]}'), qr/tells of an error/ ],
	[ 'a page to log in at', $scripted->url('/json', body => '<html>Log in</html>', type => 'text/html; charset=utf-8'), qr/HTTP 200, but the answer is a page of HTML/ ],
	[ 'a negative number of rows', $scripted->url('/json', body => '{"rows":-5}'), qr/wrote -5 rows, 100 were sent/ ],
	[ 'a body cut by its length', $scripted->url('/short', length => 1000, send => 600), qr/HTTP 200, but the answer broke off/ ],
	[ 'a body cut before its last chunk', $scripted->url('/chunked', mode => 'missing_last', body => '{"rows":100}'), qr/the answer broke off/ ])
{
	my ($name, $path, $pattern) = @$case;

	answered("200 with $name", $path, 2, [$pattern], { rows => 0, retries => 0, requests => 1, in_doubt => '1-100', status => 'failed' });
	answered("200 with $name, reference", $path, 2, [$pattern], { rows => 0, requests => 1, in_doubt => '1-100' }, '--api', 'reference');
}
for my $case ([ 'rows as a text', '{"rows":"100"}' ], [ 'no rows', '{}' ], [ 'an array', '[100]' ], [ 'nothing', '' ], [ 'no JSON', 'fine' ])
{
	my ($name, $body) = @$case;
	my $path = $scripted->url('/json', body => $body);

	answered("200 with $name", $path, 0, undef, { rows => 500, requests => 5 });
	answered("200 with $name, reference", $path, 2, [qr/HTTP 200, but the answer does not say how many rows were written/],
		{ rows => 0, requests => 1, in_doubt => '1-100' }, '--api', 'reference');
}
answered("200 with $_->[0]", $scripted->url('/json', body => $_->[1]), 0, undef, { rows => 500, requests => 5 })
  for ([ 'an error that is none', '{"error":null,"errors":[]}' ], [ 'more than is looked at', '{"echo":"' . 'x' x 70000 . '"}' ]);
answered('an answer that takes its time', $scripted->url('/drip', body => '{"rows":100}', delay_ms => 150), 0, undef, { rows => 100, requests => 1 }, '--rows', 100);
{
	# appending, where nobody counts: the table stays empty, and no success is claimed
	$session->value('CREATE TABLE posted AS SELECT * FROM bench_rows(0)');
	my $run = run_loader($node, 'post', '--post-url', $scripted->url('/json', body => '{"error":"no"}'), '--table', 'posted', '--append', '--rows', 100, '--format', 'json');
	loader_ends($run, 2, [qr/tells of an error/], 'appending to an endpoint that lies');
	is(report_of($run)->{trials}[0]{rows} . '/' . take_count(), '0/0', 'appending to an endpoint that lies: nothing is said to be committed');
}
{
	my $long = 'ü' x 2000;
	utf8::encode($long);
	my $run = run_loader($node, 'post', '--api', 'template', '--post-url', saving(fault => 'status', status => 400, body => "\e[31m\r\n$long"),
		'--table', 'posted', '--verify', 'none', '--rows', 10);
	loader_ends($run, 2, [qr/HTTP 400:/], 'an error of many characters, and of a terminal\'s');
	unlike($run->{errors}, qr/\e|\r/, 'an error of a terminal\'s: not obeyed');
	cmp_ok(length $run->{errors}, '<', 1500, 'an error of many characters: cut');
	ok(utf8::decode(my $copy = $run->{errors}), 'an error of many characters: not within one');
}
for my $detail ('null', '7', '"x"', '[]', '{}')
{
	my $body = '{"error":"x","detail":' . $detail . '}';

	# percent-encoded: a specification has commas and colons of its own
	$body =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ge;
	my $run = run_loader($node, 'post', '--url', $scripted->url("/reference/$body"), '--rows', 10, '--retries', 0);
	isnt($run->{status}, 139, "an error with the detail $detail: no crash");
}

# --- endpoints that say nothing ----------------------------------------------------------------

faulty('no answer', 'fault:silence,skip:2', 2, [qr/batch 3 \(rows 201-300\).*(?:did not answer|1 s)/],
	{ rows => 200, retries => 0, in_doubt => '201-300' }, '--request-timeout', '1s', '--no-idempotency');
faulty('no answer, and none when asked again', 'fault:silence,skip:2', 2, [qr/batch 3/],
	{ rows => 200, retries => 1, requests => 4, in_doubt => '201-300' }, '--stall-timeout', '500ms', '--retries', 1);
faulty('no answer, and then a refusal, which is none of the first request', 'fault:silence,skip:2,times:1,then:400', 2,
	[qr/batch 3.*neither sent nor took a byte.*when sent again: HTTP 400/], { rows => 200, retries => 1, in_doubt => '201-300' }, '--stall-timeout', '500ms');
faulty('no answer at first', 'fault:silence,skip:2,times:1', 0, undef, { rows => 500, retries => 1 }, '--stall-timeout', '500ms');
faulty('closed without an answer, nothing written', 'fault:close,skip:2', 2, [qr/gave no answer/, qr/none of the rows in doubt was there/],
	{ rows => 200, retries => 0, in_doubt => '201-300' }, '--no-idempotency');
faulty('the answer lost after the commit', 'fault:answer_lost,skip:2', 2, [ qr/gave no answer/, qr/rows in doubt were written/ ],
	{ rows => 300, retries => 0, requests => 3 }, '--no-idempotency');
faulty('the answer lost after the commit, with a key', 'fault:answer_lost,skip:2,times:2', 0, undef, { rows => 500, retries => 2, requests => 7 });
faulty('the answer cut after its status, with a key', 'fault:cut,skip:2,times:1', 0, undef, { rows => 500, retries => 1, requests => 6 });
faulty('the answer cut after its status', 'fault:cut,skip:2,times:1', 2, [ qr/HTTP 200, but the answer broke off/, qr/rows in doubt were written/ ],
	{ rows => 300, retries => 0, requests => 3 }, '--no-idempotency');
{
	# with --append nobody can count: what is in doubt stays so
	$session->value('CREATE TABLE posted AS SELECT * FROM bench_rows(0)');
	my $trial = faulty('the answer lost, appending', 'fault:answer_lost,skip:2', 2, [qr/gave no answer/],
		{ rows => 200, retries => 0, in_doubt => '201-300', count => 300 }, '--no-idempotency', '--append', '--table', 'posted');
}
{
	# an endpoint that tells of a ledger, and is asked through something that repeats as it likes
	my $run = post(via($endpoint, 'fault:answer_lost'), '--rows', 100, '--keep', '--retries', 2, '--max-retry-wait', '10ms');
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, 2, [qr/rows in doubt were written/], 'all answers lost');
	is($trial->{requests}, 3, 'all answers lost: asked three times');
	is(take_count(), 100, 'all answers lost: written once');
}

# --- limits of bodies that are not told --------------------------------------------------------

{
	my $trial = answered('closed on a large body', saving(fault => 'close_early', bytes => 100_000), 2,
		[ qr/closed the connection after \d+ of \d{7,} bytes of the body/, qr/probably its limit/, qr/--max-body-bytes/ ],
		{ rows => 0, retries => 0, refused => '1-60000' }, '--rows', 60000, '--batch-rows', 60000, '--max-body-bytes', '64MB');
	$trial = answered('smaller bodies on request', saving(fault => 'close_early', bytes => 100_000, times => 0), 0, undef,
		{ rows => 60000 }, '--rows', 60000, '--max-body-bytes', '90kB');
	cmp_ok($trial->{requests}, '>', 60, 'smaller bodies on request: many');
	answered('reset with the body unread', saving(fault => 'close_early', delay_ms => 200), 2,
		[ qr/closed the connection after (\d+) of \1 bytes/, qr/probably its limit/ ], { rows => 0, retries => 0, in_doubt => '1-1000' },
		'--rows', 1000, '--batch-rows', 1000);
}
# lines may be taken one by one, and some of them be written, when the rest of the body is not
{
	my @lines = ('--body', 'ndjson', '--rows', 60000, '--batch-rows', 60000, '--max-body-bytes', '64MB');

	answered('closed within lines', saving(fault => 'close_early', bytes => 100_000), 2, [qr/closed the connection after \d+ of \d{7,} bytes of the body/],
		{ rows => 0, retries => 0, requests => 1, in_doubt => '1-60000' }, @lines);
	answered('a status within lines', saving(fault => 'early_status', bytes => 100_000, linger => 1), 2, [qr/HTTP 413/],
		{ rows => 0, retries => 0, requests => 1, in_doubt => '1-60000' }, @lines);
	answered('a stall within lines', saving(fault => 'unread'), 2, [qr/batch 1 \(rows 1-60000\)/],
		{ rows => 0, retries => 0, requests => 1, in_doubt => '1-60000' }, @lines, '--stall-timeout', '500ms');
	answered('a stall within an array', saving(fault => 'unread'), 2, [qr/batch 1 \(rows 1-60000\)/],
		{ rows => 0, retries => 1, requests => 2, refused => '1-60000' }, @lines, '--body', 'array', '--stall-timeout', '500ms',
		'--retries', 1, '--max-retry-wait', '10ms');
	faulty('closed within lines, reference', 'fault:close_early,bytes:100000,times:1,skip:0', 2, [qr/closed the connection/],
		{ rows => 0, refused => '1-20000' }, @lines, '--rows', 20000);
}
for my $how ('fault:early_status,status:413', 'fault:early_status,status:413,linger:1')
{
	faulty("413 in the middle of a body ($how)", $how, 2, [ qr/HTTP 413/, qr/--max-body-bytes/ ], { rows => 0, requests => 1, refused => '1-20000' },
		'--rows', 40000, '--batch-rows', 20000);
}

# --- nobody there ------------------------------------------------------------------------------

loader_ends(post('http://127.0.0.1:1', '--rows', 10), 1, [qr/could not connect/], 'no endpoint');
answered('no endpoint, by template', 'http://127.0.0.1:1/save', 2, [qr/could not connect/], { rows => 0, retries => 2, refused => '1-100' },
	'--retries', 2, '--max-retry-wait', '10ms');
answered('an endpoint that does not accept', "http://127.0.0.1:$scripted->{unanswered_port}/save", 2, [qr/could not connect.*within 0.3 s/],
	{ rows => 0, retries => 0, refused => '1-100' }, '--retries', 0, '--connect-timeout', '300ms');
loader_ends(post($scripted->url(''), '--rows', 10), 1, [ qr/info/, qr/404/, qr/--api/ ], 'no reference endpoint');
loader_ends(post($url =~ s/^http/https/r, '--rows', 10), 1, [qr{is it http://}], 'no TLS there');
is(our_tables($session), 0, 'nothing is left behind');

# --- the database stops, and a backend dies ----------------------------------------------------

# Starts a run of 200 batches and waits until some of them are committed.
sub start_many
{
	my ($base, @arguments) = @_;
	my $run = start_loader($node, 'post', '--url', $base, '--rows', 20000, '--batch-rows', 100, '--format', 'json', '--keep', @arguments);

	wait_until(sub { $session->value("SELECT count(*) FROM pg_class WHERE relname = 'posted'") > 0 }, 'the table is made');
	wait_until(sub { $session->value('SELECT count(*) FROM posted') > 1000 }, 'some batches are committed');
	return $run;
}

sub restart
{
	my ($mode, $seconds) = @_;

	$session->quit;
	$node->stop($mode);
	sleep $seconds;
	$node->start;
	$session = TransferBench::Session->new($node);
	return;
}

# Every row that was not sent to its end is said to be refused or in doubt, and
# the table holds what is said to be committed, and nothing twice.
sub accounts_for
{
	my ($run, $name) = @_;
	my $trial = report_of($run)->{trials}[-1];
	my $count = $session->value('SELECT count(*) FROM posted');
	my $doubtful = sum0(map { $_->{last_row} - $_->{first_row} + 1 } @{ $trial->{in_doubt} });
	my $said = sum0(map { $_->{last_row} - $_->{first_row} + 1 } @{ $trial->{refused} }) + $doubtful;

	cmp_ok($count, '>=', $trial->{rows}, "$name: what is said to be committed is there");
	cmp_ok($count, '<=', $trial->{rows} + $doubtful, "$name: and no more than is in doubt");
	is($session->value('SELECT count(*) - count(DISTINCT id) FROM posted'), 0, "$name: nothing twice");
	cmp_ok($said, '>', 0, "$name: the rows of the batch are named");
	for my $range (map { @{ $trial->{$_} } } qw(refused in_doubt))
	{
		is(($range->{first_row} - 1) % 100, 0, "$name: from the first row of a batch");
		is($range->{last_row} % 100, 0, "$name: to the last of one");
	}
	$session->value('DROP TABLE posted');
	return $trial;
}

for my $mode (qw(fast immediate))
{
	for my $jobs (1, 3)
	{
		my $name = "the cluster stopped ($mode) and started, $jobs job(s)";
		my $run = start_many($url, '--jobs', $jobs, '--retries', 100, '--max-retry-wait', '1s');

		restart($mode, 0.5);
		finish_loader($run);
		my $trial = report_of($run)->{trials}[0];
		loader_ends($run, 0, [qr/rows equal: 20000 rows/], $name);
		is($trial->{rows}, 20000, "$name: rows");
		cmp_ok($trial->{retries}, '>', 0, "$name: retried");
		is(digest_of('posted', 20000), $reference_sum, "$name: the rows are the reference rows");
		is(take_count(), 20000, "$name: each once");
	}
}
{
	my $run = start_many($url, '--jobs', 2, '--retries', 20, '--max-retry-wait', '100ms');
	for my $i (1 .. 5)
	{
		$session->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'transferbench serve'");
		sleep 0.05;
	}
	finish_loader($run);
	loader_ends($run, 0, [qr/rows equal: 20000 rows/], 'backends terminated');
	is(digest_of('posted', 20000), $reference_sum, 'backends terminated: the rows are the reference rows');
	is(take_count(), 20000, 'backends terminated: each once');
}
{
	my $run = start_many($url);
	$session->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name ~ '^transferbench/'");
	finish_loader($run);
	loader_ends($run, 0, [qr/rows equal: 20000 rows/], 'our own connection terminated');
	is(take_count(), 20000, 'our own connection terminated: each once');
}
{
	my $careless = start_saving();
	my $bare = $careless->url('');

	$session->value('DROP SCHEMA transferbench CASCADE');
	$careless->stop;
	$careless = start_saving();
	$bare = $careless->url('');
	for my $mode (qw(fast immediate))
	{
		my $name = "without a ledger, the cluster stopped ($mode) for good";
		my $run = start_many($bare, '--jobs', 2, '--retries', 2, '--max-retry-wait', '10ms');

		$session->quit;
		$node->stop($mode);
		wait_until(sub { $run->{harness}->pump_nb; $run->{errors} =~ /waiting for the server/ }, 'it is waited for');
		$run->{harness}->signal('INT');
		finish_loader($run);
		$node->start;
		$session = TransferBench::Session->new($node);
		is($run->{status}, 2, "$name: exit status");
		like($run->{errors}, qr/batch \d+ \(rows \d+-\d+\)/, "$name: says which rows");
		accounts_for($run, $name);
	}
	for my $round (1 .. 3)
	{
		my $name = "without a ledger, backends terminated, round $round";
		my $run = start_many($bare, '--jobs', 2, '--retries', 20, '--max-retry-wait', '100ms');

		for my $i (1 .. 3)
		{
			$session->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'transferbench serve'");
			sleep 0.02;
		}
		finish_loader($run);
		# a COMMIT whose answer was lost is not repeated; all else may be
		like($run->{status}, qr/^[02]$/, "$name: exit status");
		if ($run->{status} == 2)
		{
			accounts_for($run, $name);
			next;
		}
		is(digest_of('posted', 20000), $reference_sum, "$name: the rows are the reference rows");
		is(take_count(), 20000, "$name: each once");
	}
	$careless->stop;
	$endpoint->stop;
	$endpoint = start_saving('--create-ledger');
	$url = $endpoint->url('');
}
{
	my $run = start_many(via($endpoint), '--retries', 0);
	$endpoint->stop;
	finish_loader($run);
	is($run->{status}, 2, 'the endpoint stopped: exit status');
	accounts_for($run, 'the endpoint stopped');
	$endpoint = start_saving();
	$url = $endpoint->url('');
}

# --- signals -----------------------------------------------------------------------------------

for my $signal (qw(INT TERM))
{
	for my $jobs (1, 3)
	{
		my $name = "SIG$signal, $jobs job(s)";
		my $run = start_many($url, '--rows', '2M', '--jobs', $jobs);

		$run->{harness}->signal($signal);
		finish_loader($run);
		my $trial = report_of($run)->{trials}[-1];
		loader_ends($run, 2, [qr/interrupted/], $name);
		is($trial->{status}, 'interrupted', "$name: status");
		is(ranges($trial, 'in_doubt'), '', "$name: requests under way were awaited");
		is($trial->{rows}, take_count(), "$name: what is said to be committed is there");
	}
}
{
	my $run = start_many($url, '--rows', '2M');
	$session->value('BEGIN; LOCK TABLE posted IN SHARE MODE');
	wait_until(sub { $session->value("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'posted'::regclass") > 0 }, 'a request waits for a lock');
	$run->{harness}->signal('INT');
	sleep 0.3;
	$session->value('COMMIT');
	finish_loader($run);
	my $trial = report_of($run)->{trials}[-1];
	loader_ends($run, 2, [qr/interrupted/], 'SIGINT while a request waits for a lock');
	is(ranges($trial, 'in_doubt'), '', 'SIGINT while a request waits: it was awaited');
	is($trial->{rows}, take_count(), 'SIGINT while a request waits: what is said to be committed is there');
}
{
	my $run = start_many(via($endpoint, 'fault:silence,skip:20'), '--rows', '2M');
	sleep 0.5;
	$run->{harness}->signal('INT');
	sleep 0.3;
	$run->{harness}->signal('INT');
	finish_loader($run);
	loader_ends($run, 2, [ qr/a second signal stops at once/, qr/stopped at once/ ], 'a second SIGINT');
	loader_ends(run_loader($node, 'cleanup', '--kept'), 0, undef, 'a second SIGINT: cleanup');
	is(our_tables($session), 0, 'a second SIGINT: cleanup drops the table');
}
{
	my $run = start_loader($node, 'post', '--url', via($endpoint, 'fault:status,status:503,after:3600'), '--rows', 100, '--format', 'json');
	wait_until(sub { $session->value("SELECT count(*) FROM pg_class WHERE relname = 'posted'") > 0 }, 'the table is made');
	sleep 0.5;
	$run->{harness}->signal('INT');
	finish_loader($run);
	my $trial = report_of($run)->{trials}[-1];
	loader_ends($run, 2, [qr/interrupted/], 'SIGINT while waiting for another try');
	is(ranges($trial, 'refused') . '/' . ranges($trial, 'in_doubt'), '1-100/', 'SIGINT while waiting for another try: nothing in doubt');
	is(our_tables($session), 0, 'SIGINT without --keep: the table is dropped');
}
{
	my $run = start_many($url, '--rows', '2M', '--jobs', 2);
	$run->{harness}->signal('KILL');
	finish_loader($run);
	is(our_tables($session), 1, 'kill -9: the table stays');
	wait_until(sub { $session->value("SELECT count(*) FROM pg_stat_activity WHERE application_name ~ '^transferbench/'") == 0 }, 'its connections end');
	loader_ends(run_loader($node, 'cleanup'), 0, undef, 'cleanup after kill -9');
	is(our_tables($session), 1, 'kill -9 with --keep: cleanup leaves the table');
	loader_ends(run_loader($node, 'cleanup', '--kept'), 0, undef, 'cleanup --kept after kill -9');
	is(our_tables($session), 0, 'kill -9: cleanup drops it');
}

# --- dialects ----------------------------------------------------------------------------------

# The requests of one run of three rows in two batches, /info aside.
sub requests_of
{
	my ($name, @arguments) = @_;

	$scripted->forget_requests;
	$scripted->get('/reset_saved');
	my $run = run_loader($node, 'post', '--rows', 3, '--batch-rows', 2, '--verify', 'none', '--format', 'json', @arguments);
	loader_ends($run, 0, undef, $name);
	my (undef, $saved) = $scripted->get('/saved');
	return ([ $scripted->requests ], JSON::PP::decode_json($saved)->{bodies});
}

my @columns = qw(id code created_at amount ratio active label note);
{
	my ($requests, $bodies) = requests_of('plumber', '--api', 'plumber', '--url', $scripted->url('/'), '--table', 'posted');
	is(join('|', map { $_->{line} } @$requests), join('|', ('POST /save_to_db HTTP/1.1') x 2), 'plumber: no /info, and where it goes');
	is($requests->[0]{headers}{'content-type'}, 'application/json', 'plumber: Content-Type');
	is($requests->[0]{headers}{'idempotency-key'}, undef, 'plumber: no key that would be ignored');
	is(join(',', map { $_->{rows} } @$bodies), '2,1', 'plumber: rows');
	like($bodies->[0]{start}, qr/^\[\{"id":1,.*\},?\s*\{"id":2,.*\}\]\s*$/s, 'plumber: an array of objects');
	is(join(',', $bodies->[1]{start} =~ /[{,]"(\w+)":/g), join(',', @columns), 'plumber: all columns, in their order');
}
{
	$session->value($_) for ('CREATE ROLE api', 'LISTEN pgrst');
	my @postgrest = ('--api', 'postgrest', '--url', $scripted->url('/table'));
	my ($requests) = requests_of('postgrest', @postgrest, '--table', 'posted', '--api-role', 'api', '--keep');
	is($requests->[0]{line}, 'GET /table/posted?limit=0&offset=0 HTTP/1.1', 'postgrest: asked first whether it knows the table');
	is($requests->[1]{line}, 'POST /table/posted?columns=' . join(',', @columns) . ' HTTP/1.1', 'postgrest: where it goes');
	is($requests->[1]{headers}{prefer}, 'return=minimal,missing=default', 'postgrest: Prefer');
	is($requests->[1]{headers}{'content-type'}, 'application/json', 'postgrest: Content-Type');
	is($requests->[1]{headers}{'content-profile'}, undef, 'postgrest: its default schema');
	is($requests->[1]{headers}{'idempotency-key'}, undef, 'postgrest: no key that would be ignored');
	is(scalar @$requests, 3, 'postgrest: two batches');
	# psql tells of a notification after whatever statement comes next
	my $said = $session->value("SELECT has_table_privilege('api', 'posted', 'INSERT')") . $session->value('UNLISTEN pgrst');
	like($said, qr/^t/, 'postgrest: granted to --api-role');
	like($said, qr/"pgrst" with payload "reload schema"/, 'postgrest: told of the new table');
	take_count();

	$session->value(q{CREATE SCHEMA shop; CREATE TABLE shop."my table" (id bigint PRIMARY KEY, "it's"" a,b" text)});
	append_to_file("$directory/two", "1\tone\n2\ttwo\n3\tthree\n");
	($requests) = requests_of('postgrest, names', @postgrest, '--table', 'shop."my table"', '--append', '--api-schema', 'shop',
		'--on-conflict', 'id', '--file', "$directory/two");
	is($requests->[0]{line}, 'POST /table/my%20table?columns=id,%22it%27s%5C%22%20a%2Cb%22&on_conflict=id HTTP/1.1',
		'postgrest, names: where it goes; a table that was there is known');
	is($requests->[0]{headers}{prefer}, 'return=minimal,missing=default,resolution=ignore-duplicates', 'postgrest, names: Prefer');
	is($requests->[0]{headers}{'content-profile'}, 'shop', 'postgrest, names: Content-Profile');

	($requests) = requests_of('postgrest, a table of the run', @postgrest, '--gzip');
	like($requests->[1]{line}, qr{^POST /table/transferbench_[0-9a-f]{12}\?}, 'postgrest, a table of the run: where it goes');
	is($requests->[1]{headers}{'content-encoding'}, 'gzip', 'postgrest, gzip: said');
	is(our_tables($session), 0, 'postgrest, a table of the run: gone');
}
{
	my ($requests, $bodies) = requests_of('template', '--api', 'template', '--post-url', $scripted->url('/save', q => 'a b'), '--table', 'posted',
		'--body', 'ndjson', '--header', 'Content-Type: application/x-ndjson; charset=utf-8');
	is(join('|', map { $_->{line} } @$requests), join('|', ('POST /save?q=a%20b HTTP/1.1') x 2), 'template: where it goes, to the letter');
	is($requests->[0]{headers}{'content-type'}, 'application/x-ndjson; charset=utf-8', 'template: a Content-Type of one\'s own');
	is(scalar(split /\n/, $bodies->[0]{start}), 2, 'template: a row a line');
}
for my $wrong (
	[ [ '--api', 'plumber', '--body', 'ndjson' ], qr/--body ndjson.*plumber/ ],
	[ [ '--api', 'postgrest', '--body', 'ndjson' ], qr/--body ndjson.*postgrest/ ],
	[ [ '--on-conflict', 'id' ], qr/--on-conflict.*postgrest/ ],
	[ [ '--api-schema', 'shop' ], qr/--api-schema.*postgrest/ ],
	[ [ '--api', 'template' ], qr/--url.*template.*--post-url/ ],
	[ [ '--api', 'soap' ], qr/--api.*soap/ ],
	[ [ '--api', 'plumber' ], qr/--table is missing/ ],
	[ [ '--append', '--table', 'posted', '--unlogged' ], qr/--append and --unlogged/ ],
	[ [ '--append', '--table', 'posted', '--primary-key', 'id' ], qr/--append and --primary-key/ ],
	[ [ '--file', "$directory/two", '--from-table', 'origin' ], qr/--file and --from-table/ ],
	[ [ '--from-dsn', 'dbname=postgres' ], qr/--from-dsn.*--from-table/ ],
	[ [ '--columns', 'id int' ], qr/--columns.*--file/ ])
{
	my ($arguments, $pattern) = @$wrong;

	loader_ends(post($url, '--rows', 10, @$arguments), 1, [$pattern], "post @$arguments");
}

# --- the report --------------------------------------------------------------------------------

{
	my $run = post($url, '--rows', 20000, '--batch-rows', 5000, '--jobs', 2, '--system-memory');
	my $report = report_of($run);
	my $trial = $report->{trials}[0];

	is($report->{command}, 'post', 'report: command');
	is($report->{schema_version}, 1, 'report: schema_version');
	is($report->{url} =~ s{/$}{}r, $url, 'report: url');
	is($report->{table}, 'public.posted', 'report: table');
	is($report->{jobs}, 2, 'report: jobs');
	is($report->{batch_rows}, 5000, 'report: batch_rows');
	is($trial->{path}, 'http-json', 'report: path');
	is($trial->{direction}, 'write', 'report: direction');
	is($trial->{requests}, 4, 'report: requests');
	is($trial->{retries}, 0, 'report: retries');
	is($trial->{retry_wait_ms}, 0, 'report: retry_wait_ms');
	cmp_ok($trial->{wire_bytes}, '>', $trial->{bytes}, 'report: the wire carries heads, too');
	cmp_ok($trial->{wire_bytes}, '<', 1.01 * $trial->{bytes}, 'report: but not many');
	cmp_ok($trial->{phases}{$_}, '>', 0, "report: $_") for qw(connect_ms generate_ms encode_ms first_byte_ms);
	is($trial->{phases}{$_}, undef, "report: $_, which an API does not tell") for qw(commit_ms decode_ms);
	my $sum = sum0(grep { defined } values %{ $trial->{phases} });
	cmp_ok(abs($sum - $trial->{elapsed_ms}), '<', 0.01 * $trial->{elapsed_ms} + 1, 'report: the phases sum up to the time');
	cmp_ok($trial->{cost}{$_}, '>', 0, "report: $_") for qw(client_cpu_user_ms client_peak_bytes api_cpu_ms api_backend_cpu_ms machine_cpu_ms system_memory_bytes);
	cmp_ok($trial->{cost}{$_}, '>=', 0, "report: $_") for qw(client_cpu_system_ms api_peak_bytes api_backend_peak_bytes);
	is($trial->{cost}{$_}, undef, "report: $_, of which there are none") for qw(backend_cpu_ms backend_peak_bytes);
	is_deeply([ @$trial{qw(refused in_doubt problem)} ], [ [], [], undef ], 'report: nothing refused, nothing in doubt, no problem');

	my $packed = report_of(post($url, '--rows', 20000, '--batch-rows', 5000, '--gzip'))->{trials}[0];
	is($packed->{bytes}, $trial->{bytes}, 'report: bytes are those of the rows, gzip or not');
	cmp_ok($packed->{wire_bytes}, '<', 0.6 * $packed->{bytes}, 'report: fewer on the wire');

	my $made = report_of(post($url, '--rows', 20000, '--pregenerate'))->{trials}[0];
	is($made->{phases}{$_}, 0, "report: $_ is none of what was made beforehand") for qw(generate_ms encode_ms);
	cmp_ok($made->{phases}{read_back_ms}, '>', 0, 'report: read_back_ms of what was made beforehand');
}
for my $format (qw(table csv markdown))
{
	my $run = run_loader($node, 'post', '--url', $url, '--rows', 1000, '--format', $format);

	loader_ends($run, 0, undef, "--format $format");
	like($run->{output}, qr/http-json/, "--format $format: names the path");
}
{
	my $run = post($url, '--rows', 1000, '--output', "$directory/report.json", '--quiet');
	loader_ends($run, 0, undef, '--output');
	is($run->{output} . $run->{errors}, '', '--output, --quiet: not a word');
	like(slurp_file("$directory/report.json"), qr/"rows":1000/, '--output: the report');
}

# --- arguments ---------------------------------------------------------------------------------

for my $wrong (
	[ [ '--rows', '10x' ], qr/--rows.*10x/ ],
	[ [ '--rows', '-5' ], qr/--rows.*-5/ ],
	[ [ '--rows', '99999999999999999999' ], qr/--rows/ ],
	[ [ '--jobs', '0' ], qr/--jobs.*0/ ],
	[ [ '--batch-rows', '0' ], qr/--batch-rows.*0/ ],
	[ [ '--max-body-bytes', '0' ], qr/--max-body-bytes.*0/ ],
	[ [ '--max-body-bytes', 'much' ], qr/--max-body-bytes.*much/ ],
	[ [ '--retries', '-1' ], qr/--retries.*-1/ ],
	[ [ '--stall-timeout', '5 parsecs' ], qr/--stall-timeout.*parsecs/ ],
	[ [ '--body', 'xml' ], qr/--body.*xml/ ],
	[ [ '--format', 'binary' ], qr/--format.*binary/ ],
	[ [ '--append' ], qr/--append.*--table/ ],
	[ [ '--file', '/nonexistent' ], qr{/nonexistent} ],
	[ [ '--nonsense' ], qr/--nonsense/ ],
	[ [ '--header', 'no colon' ], qr/--header/ ],
	[ [ '--header', "X: a\nb" ], qr/--header.*control/ ],
	[ [ '--header', 'Content-Length: 5' ], qr/--header.*Content-Length/ ],
	[ [ '--header', 'Idempotency-Key: mine' ], qr/--header.*Idempotency-Key/ ],
	[ [ '--cert', '/nonexistent' ], qr{--cert.*/nonexistent} ],
	[ [ '--proxy', 'gopher://127.0.0.1:1' ], qr/--proxy.*gopher/ ],
	[ [ '--proxy', '127.0.0.1:1' ], qr/--proxy.*no scheme/ ],
	[ [ '--proxy', 'http://somebody:secret@127.0.0.1:1' ], qr/--proxy.*user name or password/ ],
	[ [ '--output', '/nonexistent/report' ], qr{--output.*/nonexistent/report} ],
	[ ['superfluous'], qr/superfluous/ ])
{
	my ($arguments, $pattern) = @$wrong;

	loader_ends(post($url, @$arguments), 1, [$pattern], "post @$arguments");
}
for my $wrong (
	[ 'file:///etc/passwd', qr/"file"/ ],
	[ 'gopher://127.0.0.1/', qr/"gopher"/ ],
	[ 'FTP://127.0.0.1/', qr/"FTP"/ ],
	[ '127.0.0.1:8000', qr/no scheme/ ],
	[ 'http://', qr/--url/ ],
	[ 'http:///x', qr/no host/ ],
	[ 'http://somebody:s3cr3t@127.0.0.1/', qr/--token-file/ ],
	[ 'http://s3cr3t@127.0.0.1/', qr/--token-file/ ],
	[ 'somebody:s3cr3t@127.0.0.1', qr/no scheme/ ],
	[ 'http://127.0.0.1/?token=s3cr3t', qr/--url.*no query/ ],
	[ 'http://127.0.0.1:99999/', qr/--url/ ],
	[ "http://127.0.0.1/\nx", qr/--url/ ])
{
	my ($bad, $pattern) = @$wrong;
	my $name = $bad =~ s/\n/\\n/r;

	for my $way ([ 'url', '--url', $bad ], [ 'post-url', '--api', 'template', '--table', 'posted', '--post-url', $bad ])
	{
		my ($option, @arguments) = @$way;

		next if $option eq 'post-url' && $bad =~ /\?/;
		my $run = run_loader($node, 'post', '--rows', 10, @arguments);
		loader_ends($run, 1, [ $option eq 'url' ? $pattern : qr/--\Q$option\E/ ], "--$option $name");
		unlike($run->{output} . $run->{errors}, qr/s3cr3t/, "--$option $name: the secret is not repeated");
	}
}
{
	my $run = run_loader($node, 'post', '--api', 'template', '--table', 'posted', '--rows', 10, '--verify', 'none',
		'--post-url', $scripted->url('/save', fault => 'status', status => 500, token => 's3cr3t'), '--format', 'json');
	loader_ends($run, 2, [qr/HTTP 500/], 'a secret in a query');
	unlike($run->{output} . $run->{errors}, qr/s3cr3t/, 'a secret in a query is not repeated');
}
{
	my $run = run_loader({ environment => { http_proxy => 'http://127.0.0.1:1', HTTP_PROXY => 'http://127.0.0.1:1', ALL_PROXY => 'http://127.0.0.1:1' } },
		$node, 'post', '--url', $url, '--rows', 10);
	loader_ends($run, 0, undef, 'a proxy of the environment is not used');
	loader_ends(post($url, '--rows', 10, '--proxy', 'http://127.0.0.1:1'), 1, [qr/could not connect/], 'a proxy that was asked for is');
	loader_ends(run_loader($node, 'post', '--rows', 10), 1, [qr/--url/], 'no URL');
	$run = run_loader(undef, 'post', '--help');
	loader_ends($run, 0, undef, 'post --help');
	like($run->{output}, qr/--$_\b/, "post --help: --$_") for qw(url max-body-bytes token-file retries on-conflict);
}
loader_ends(post($url, '--rows', '1e9', '--max-write-bytes', '1GB'), 1, [ qr/--max-write-bytes/, qr/--unlogged/ ], 'more than may be written');
for my $rows ('1e3', '1k', '1000')
{
	is(report_of(post($url, '--rows', $rows))->{trials}[0]{rows}, 1000, "--rows $rows");
}
loader_ends(post("$url//", '--rows', 10), 0, undef, 'a base URL with slashes at its end');
is(report_of(post($url, '--rows', 200, '--jobs', 120, '--batch-rows', 1))->{trials}[0]{rows}, 200, 'more jobs than the server has connections: the API has its own');

# --- without rights ----------------------------------------------------------------------------

$session->value($_) for (
	'CREATE ROLE poor LOGIN', 'CREATE SCHEMA open', 'GRANT USAGE, CREATE ON SCHEMA open TO poor',
	'CREATE TABLE theirs (id bigint, note text)', 'GRANT INSERT, SELECT ON theirs TO poor');
loader_ends(post($url, '-U', 'poor', '--rows', 10), 1, [ qr/public/, qr/GRANT USAGE, CREATE ON SCHEMA public/ ], 'no CREATE in public');
{
	my $open = start_endpoint($node, '--query', 'SELECT 1 AS id', '--save-table', 'open.t');
	my $appending = start_endpoint($node, '--query', 'SELECT 1 AS id', '--save-table', 'theirs', '-U', 'poor');
	my $file = "$directory/rows";

	loader_ends(post($open->url(''), '-U', 'poor', '--rows', 1000, '--quiet'), 0, undef, 'a schema of its own');
	append_to_file($file, "1\tone\n2\t\\N\n");
	loader_ends(post($appending->url(''), '-U', 'poor', '--file', $file, '--table', 'theirs', '--append', '--quiet'), 0, undef, 'appending with no more than INSERT');
	is($session->value('SELECT string_agg(id || coalesce(note, \'(null)\'), \',\' ORDER BY id) FROM theirs'), '1one,2(null)', 'it is there');
	$_->stop for $open, $appending;
}

done_testing();
