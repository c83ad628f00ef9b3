# transferbench fetch: every way of reading delivers the same values; what an
# API gets wrong is told, and what is disturbed is no sample.
use strict;
use warnings FATAL => 'all';

use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();

my $ROWS = 20000;
my @NATIVE = qw(copy-text copy-binary select);
my $ALL = join ',', @NATIVE, 'http-json';

my $node = start_node('fetch', fsync => 'on');
my $session = TransferBench::Session->new($node);
my $directory = PostgreSQL::Test::Utils::tempdir();
my $server = start_http_server(files => $directory);

$session->value($_) for (
	"SELECT bench_reference_table($ROWS)",
	'CREATE TABLE origin (id int PRIMARY KEY, t text, v varchar(20), c char(4), n numeric, f float8, g float4, b bool, y bytea,
		d date, ti time, ts timestamp, tz timestamptz, u uuid, j json, jb jsonb, iv interval, a int[], r int4range, i2 int2, i8 int8,
		ta text[], m money, "Odd ""name""" text, inet inet, x xml)',
	q{INSERT INTO origin VALUES (1, E'tab\tback\\\\slash\nline\r\b\f\x0b', '', 'ab', 1.50, '-0', 'NaN', true, '\x00ff5c', '2024-02-29',
		'24:00:00', '0044-03-15 12:00:00.000001 BC', '2024-03-31 01:30:00+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"b": 1, "a": 2}',
		'{"b": 1.50}', '1 mon 2 days', '{1,NULL,3}', '[1,5)', -32768, 9223372036854775807, '{"a,b",NULL,"q\"t"}', 12.34, 'odd', '10.0.0.1/8', '<a/>')},
	q{INSERT INTO origin (id, t, v, n, f, d, ts, tz) VALUES (2, '\N', NULL, 'NaN', 'Infinity', 'infinity', '-infinity', 'infinity'),
		(3, '\.', '\.', '123456789012345678901234567890.123456789', 5e-324, '-infinity', '294276-12-31 23:59:59.999999', '0001-01-01 00:00:00+00')},
	q{INSERT INTO origin (id, t, jb) VALUES (4, '', '[]'), (5, NULL, '{}'), (6, 'ü😀"quoted", and ''so''', '"x"')});

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

# Trials of a path by their number; 0 is the warm-up, which carries the digest.
sub trials_of
{
	my ($report, $path, $number) = @_;

	return grep { $_->{path} eq $path && $_->{trial} == $number } @{ $report->{trials} };
}

sub expect_digests
{
	my ($run, $paths, $rows, $digest, $name) = @_;
	my $report = report_of($run);

	for my $path (@$paths)
	{
		my ($pass) = trials_of($report, $path, 0);
		my ($timed) = trials_of($report, $path, 1);

		is($pass->{digest}, $digest, "$name: $path: digest");
		is($pass->{rows}, $rows, "$name: $path: rows of the verification");
		is("$timed->{status} $timed->{rows}", "ok $rows", "$name: $path: the timed trial");
		is($timed->{digest}, undef, "$name: $path: nothing is hashed in the timed trial");
	}
	return $report;
}

# --- each way reads the same rows ----------------------------------------------------------------

my $reference = start_endpoint($node, '--table', 'bench_reference');
my $origin = start_endpoint($node, '--table', 'origin');

{
	my $run = fetch('--rows', $ROWS, '--paths', $ALL, '--url', $reference->url(''));

	loader_ends($run, 0, undef, 'reference rows');
	my $report = expect_digests($run, [ @NATIVE, 'http-json' ], $ROWS, digest_of('SELECT * FROM bench_reference', $ROWS), 'reference rows');
	for my $trial (grep { $_->{trial} == 1 } @{ $report->{trials} })
	{
		my $sum = 0;
		$sum += $_ // 0 for values %{ $trial->{phases} };
		cmp_ok(abs($sum - $trial->{elapsed_ms}), '<', 0.01, "$trial->{path}: phases sum to the elapsed time");
		cmp_ok($trial->{bytes}, '>', 100 * $ROWS, "$trial->{path}: bytes");
		cmp_ok($trial->{cost}{client_cpu_user_ms}, '>', 0, "$trial->{path}: CPU of the client");
	}
	my ($http) = trials_of($report, 'http-json', 1);
	is($http->{requests}, 1, 'http-json: one request');
	is($http->{retries}, 0, 'http-json: no retries');
	cmp_ok($http->{wire_bytes}, '>', $http->{bytes}, 'http-json: the head and the chunks are on the wire too');
	is(join('', map { $_ // 'null' } map { (trials_of($report, $_, 1))[0]{requests} } @NATIVE), 'nullnullnull', 'native paths have no requests');
}

{
	my $run = fetch('--source', 'origin', '--paths', $ALL, '--url', $origin->url(''));

	loader_ends($run, 0, [qr/rows equal: copy-text and http-json/], 'each type');
	expect_digests($run, [ @NATIVE, 'http-json' ], 6, digest_of('SELECT * FROM origin', 6), 'each type');
	is_deeply([ grep { /^compared as/ } @{ report_of($run)->{notes} } ],
		['compared as text, since this program does not know their binary form (column::text): iv, r, inet, x'],
		'each type: tells what is not compared as it is');
}
{
	my $query = q{SELECT 1 AS id, 'null'::jsonb AS j};
	my $endpoint = start_endpoint($node, '--query', $query);
	my $run = fetch('--query', $query, '--paths', 'copy-text,http-json', '--url', $endpoint->url(''));

	loader_ends($run, 3, [qr/http-json: 1 value changed, in: j \(1\)/], q{a jsonb null is a plain null over HTTP});
	$endpoint->stop;
}
{
	my $run = fetch('--source', 'origin', '--paths', 'copy-binary', '--verify', 'none');

	loader_ends($run, 0, undef, 'each type, not verified');
	is(join(',', map { "$_->{trial}$_->{status}" } @{ report_of($run)->{trials} }), '1ok', 'each type, not verified: no warm-up');
}

for my $rows (0, 1)
{
	my $run = fetch('--rows', $rows, '--paths', $ALL, '--url', $reference->url(''));

	loader_ends($run, 0, undef, "$rows rows");
	expect_digests($run, [ @NATIVE, 'http-json' ], $rows, digest_of('SELECT * FROM bench_reference ORDER BY id', $rows), "$rows rows");
}
{
	$session->value('CREATE TABLE empty (id int PRIMARY KEY)');
	my $run = fetch('--source', 'empty', '--paths', join(',', @NATIVE));

	loader_ends($run, 0, undef, 'an empty table');
	is(join(',', map { $_->{rows} } @{ report_of($run)->{trials} }), '0,0,0,0,0,0', 'an empty table: no rows');
}

# --- how HTTP is asked ---------------------------------------------------------------------------

{
	my $run = fetch('--rows', 10001, '--page-rows', 1000, '--paths', 'copy-text,http-json', '--url', $reference->url(''));
	my $report = report_of($run);
	my ($http) = trials_of($report, 'http-json', 1);

	loader_ends($run, 0, undef, 'pages');
	is($http->{requests}, 11, 'pages: requests');
	is($http->{rows}, 10001, 'pages: rows');
	is((trials_of($report, 'http-json', 0))[0]{digest}, (trials_of($report, 'copy-text', 0))[0]{digest}, 'pages: digest');
}
{
	$session->value('CREATE VIEW ids AS SELECT i AS id, i + 0.5 AS x FROM generate_series(1, 100) AS i');
	$server->forget_requests;
	my $run = fetch('--source', 'ids', '--order-by', 'id', '--rows', 95, '--page-rows', 20, '--paths', 'http-json', '--verify', 'none',
		'--api', 'plumber', '--url', $server->url(''));
	my @requests = $server->requests;

	loader_ends($run, 0, undef, 'pages of a Plumber API');
	is(join(' ', map { $_->{line} =~ m{^GET /load_from_db\?row_limit=(\d+)&offset=(\d+) } ? "$1+$2" : $_->{line} } @requests),
		'20+0 20+20 20+40 20+60 15+80', 'pages: what is asked for');
	is(join(',', map { $_->{sequence} } @requests), '1,2,3,4,5', 'pages: over one connection');
}
{
	my $run = fetch('--rows', $ROWS, '--gzip', '--paths', 'copy-text,http-json', '--url', $reference->url(''));
	my $report = report_of($run);
	my ($http) = trials_of($report, 'http-json', 1);

	loader_ends($run, 0, [qr/rows equal/], 'gzip');
	cmp_ok($http->{wire_bytes}, '<', $http->{bytes} / 2, 'gzip: fewer bytes on the wire');
}
for my $format (qw(rows columns ndjson))
{
	my $run = fetch('--rows', 5000, '--paths', 'copy-text,http-json', '--api', 'template',
		'--get-url', $reference->url('/load_from_db') . "?row_limit={n}&offset={offset}&format=$format");
	my $report = report_of($run);

	loader_ends($run, 0, undef, "an answer of $format");
	is((trials_of($report, 'http-json', 0))[0]{digest}, digest_of('SELECT * FROM bench_reference ORDER BY id', 5000), "an answer of $format: digest");
}
{
	my $query = 'SELECT id, code, "label" AS "La ""bel" FROM bench_reference WHERE id % 7 = 3 ORDER BY code -- a comment';
	my $endpoint = start_endpoint($node, '--query', $query);
	my $run = fetch('--query', $query, '--paths', $ALL, '--url', $endpoint->url(''));

	loader_ends($run, 0, undef, 'a query');
	expect_digests($run, [ @NATIVE, 'http-json' ], 2857, digest_of($query . "\n", 2857), 'a query');
	$endpoint->stop;
}
{
	my $endpoint = start_endpoint($node, '--table', 'bench_reference', '--order-by', 'code DESC');
	my $run = fetch('--order-by', 'code DESC', '--rows', 100, '--paths', 'copy-binary,http-json', '--url', $endpoint->url(''));

	loader_ends($run, 0, undef, '--order-by');
	expect_digests($run, [qw(copy-binary http-json)], 100, digest_of('SELECT * FROM bench_reference ORDER BY code DESC', 100), '--order-by');
	$endpoint->stop;
}
{
	# what an endpoint says that it serves is what is read natively
	my $run = fetch('--paths', 'copy-text,http-json', '--url', $origin->url(''));

	is($run->{status}, 0, 'the table of the endpoint: exit status') or diag($run->{errors});
	is(report_of($run)->{table}, 'public.origin', 'the table of the endpoint is read');
}

# --- values that an API changes ------------------------------------------------------------------

$session->value($_) for (
	'CREATE TABLE sent (id int PRIMARY KEY, ratio float8, amount numeric(12,2), note text)',
	q{INSERT INTO sent SELECT i, i + 0.123456789, i + 0.5, CASE WHEN i % 10 = 0 THEN NULL ELSE 'note ' || i END FROM generate_series(1, 1000) AS i});

# A body of `sent` with expressions of one's own; fetched against the table.
sub fetch_body
{
	my ($body, @arguments) = @_;
	my $file = "$directory/body.json";

	unlink $file;
	append_to_file($file, $body);
	return fetch('--source', 'sent', '--paths', 'copy-text,http-json', '--api', 'template', '--get-url', $server->url('/file/body.json'), @arguments);
}

sub body_of
{
	my ($row) = @_;

	return $session->value("SELECT json_agg($row ORDER BY id) FROM sent");
}

{
	my $run = fetch_body(body_of(q{json_build_object('id', id, 'ratio', round(ratio::numeric, 4), 'amount', amount, 'note', note)}));

	loader_ends($run, 3, [ qr/http-json: 1000 values changed, in: ratio \(1000\)/, qr/http-json, 1000 rows, changed: row 1, ratio: [\d.e-]{8,} -> [\d.e-]{1,7}; row 2, ratio: .*; row 3, ratio: / ], 'rounded numbers');
	is((trials_of(report_of($run), 'http-json', 1))[0]{status}, 'ok', 'rounded numbers: the trial is a sample all the same');
}
{
	my $run = fetch_body(body_of(q{json_strip_nulls(json_build_object('id', id, 'ratio', ratio, 'amount', amount, 'note', note))}));

	loader_ends($run, 0, [ qr/rows equal/, qr/http-json, 1000 rows: 100 keys were not there, and were read as null/ ], 'keys of nulls left out');
}
{
	my $run = fetch_body(body_of(q{CASE WHEN id <= 3 THEN json_build_object('id', id, 'note', note)
		ELSE json_build_object('id', id, 'ratio', ratio, 'amount', amount, 'note', note) END}));

	loader_ends($run, 3, [ qr/http-json: 6 values changed, in: ratio \(3\), amount \(3\)/, qr/6 keys were not there/, qr/changed: row 1, ratio: [\d.e-]+ -> no such key; row 1, amount: [\d.-]+ -> no such key; row 2, ratio: / ], 'keys of values left out');
}
{
	my $run = fetch_body(body_of(q{json_build_object('id', id, 'ratio', ratio, 'amount', amount::float8, 'note', note)}));

	loader_ends($run, 0, [ qr/rows equal/, qr/http-json, 1000 rows: equal values of another scale .* in: amount$/m ], 'another scale');
}
{
	my $columns = $session->value(q{SELECT json_build_object('id', json_agg(id ORDER BY id), 'ratio', json_agg(CASE WHEN id % 100 = 0 THEN to_json('NA'::text) ELSE to_json(ratio) END ORDER BY id),
		'amount', json_agg(amount ORDER BY id), 'note', json_agg(note ORDER BY id)) FROM sent});
	my $run = fetch_body($columns);

	loader_ends($run, 3, [ qr/http-json: 10 values changed, in: ratio \(10\)/, qr/10 "NA" were read as null/ ], 'missing numbers as a list serializer writes them');
}
{
	# the same rows from another place: without an order only their sum can be compared
	$session->value('CREATE VIEW unordered AS SELECT * FROM sent');
	my $file = "$directory/other.json";
	append_to_file($file, $session->value('SELECT json_agg(s ORDER BY id) FROM (SELECT * FROM sent WHERE id > 500) AS s'));
	my $run = fetch('--source', 'unordered', '--rows', 500, '--paths', 'copy-text,http-json', '--api', 'template', '--get-url', $server->url('/file/other.json'));

	loader_ends($run, 3, [qr/different rows or changed values: order undefined/], 'no order');
	like($run->{errors}, qr/warning: .*no.*order/i, 'no order: warned of');
}
{
	my $run = fetch('--query', 'SELECT * FROM sent', '--rows', 500, '--paths', 'copy-text,http-json', '--api', 'template', '--get-url', $server->url('/file/other.json'));

	loader_ends($run, 3, [ qr/warning: .*ORDER BY/, qr/different rows or changed values: order undefined/ ], 'a query without ORDER BY');
}

{
	# more rows than the log of values holds in memory, and no disk for the rest
	$session->value('CREATE TABLE other AS SELECT * FROM bench_reference');
	$session->value('ALTER TABLE other ADD PRIMARY KEY (id)');
	$session->value('UPDATE other SET ratio = ratio + 1, label = NULL WHERE id % 1000 = 0');
	my $endpoint = start_endpoint($node, '--table', 'other');
	my @arguments = ('--source', 'bench_reference', '--rows', $ROWS, '--paths', 'copy-binary,http-json', '--url', $endpoint->url(''));

	loader_ends(fetch(@arguments), 3, [qr/http-json: 40 values changed, in: ratio \(20\), label \(20\)/], 'values of many rows');
	loader_ends(run_loader({ limits => '-f 500' }, $node, 'fetch', @arguments),
		2, [qr/the temporary file of the comparison cannot be written/], 'a full disk while values are compared');
	$endpoint->stop;
}

# --- answers that are none (CASES 15, 16, 18, 19, 21) --------------------------------------------

sub fetch_url
{
	my ($url, @arguments) = @_;

	return fetch('--source', 'ids', '--order-by', 'id', '--rows', 3, '--paths', 'http-json', '--verify', 'none', '--api', 'template', '--get-url', $url, @arguments);
}

for my $bad (
	[ 'a body that ends within a row', $server->url('/json', body => '[{"id":1},{"id":'), qr/row 2, found the end of the body/ ],
	[ 'text after the end', $server->url('/json', body => '[{"id":1,"x":1}]<html>'), qr/byte 17\b/ ],
	[ 'HTML', $server->url('/json', body => '<html><p>Sign in</p>'), qr/HTTP status 200; the body begins: <html><p>Sign in/ ],
	[ 'status 404', $server->url('/status/404', body => '{"error":"no such table"}'), qr/HTTP status 404: \{"error":"no such table"\}/ ],
	[ 'status 500', $server->url('/status/500'), qr/HTTP status 500: <!DOCTYPE html>/ ],
	[ 'status 502', $server->url('/status/502', body => 'upstream'), qr/HTTP status 502: upstream/ ],
	[ 'an error object', $server->url('/ok_error'), qr/HTTP status 200; the body begins: \{"error":"relation does not exist"\}/ ],
	[ 'a short body', $server->url('/short', length => 1000, send => 600), qr/600|closed|ended/ ],
	[ 'fewer rows', $server->url('/rows', n => 2), qr/2 rows came, 3 were asked for/ ],
	[ 'more rows', $server->url('/rows', n => 4), qr/sent 4 rows where 3 were asked for/ ],
	[ 'a value of another type', $server->url('/json', body => '[{"id":1,"x":1},{"id":"one","x":2}]'), qr/row 2, column "id"/ ],
	[ 'out of range', $server->url('/json', body => '[{"id":9223372036854775808}]'), qr/row 1, column "id"/ ],
	[ 'no UTF-8', $server->url('/json', body => "[{\"id\":1,\"x\":\"\xff\"}]"), qr/UTF-8.*byte|byte.*UTF-8/ ],
	[ 'a cut chunk', $server->url('/chunked', mode => 'cut'), qr/./ ],
	[ 'no connection', 'http://127.0.0.1:1/x', qr/127\.0\.0\.1/, '--retries', 1 ],
	[ 'silence', $server->url('/accept_only'), qr/neither sent nor took a byte for 0.3 s/, '--stall-timeout', '300ms' ],
	[ 'silence in the middle', $server->url('/stall', after => 10), qr/neither sent nor took a byte for 0.3 s/, '--stall-timeout', '300ms' ],
	[ 'a late end', $server->url('/drip', delay_ms => 100), qr/did not answer in full within 0.3 s/, '--request-timeout', '300ms' ],
	[ 'busy for ever', $server->url('/retry', key => 'ever', times => 99, status => 503), qr/HTTP status 503, after 2 retries: \{"error":"busy"\}/, '--retries', 2 ])
{
	my ($name, $url, $pattern, @arguments) = @$bad;
	my $run = fetch_url($url, @arguments);
	my $trial = report_of($run)->{trials}[0];

	is($run->{status}, 2, "$name: exit status") or diag($run->{errors});
	like($run->{errors}, $pattern, "$name: says so");
	isnt($trial->{status}, 'ok', "$name: is no sample");
	like($trial->{problem}, $pattern, "$name: the report says so");
	unlike($run->{errors}, qr/HTTP \d+: HTTP status/, "$name: said once");
}
{
	my $run = fetch_url($server->url('/retry', key => 'twice', times => 2, status => 429, after => 1));
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, 0, undef, 'Retry-After');
	is("$trial->{retries} $trial->{requests}", '2 3', 'Retry-After: retries are counted');
	cmp_ok($trial->{retry_wait_ms}, '>=', 2000, 'Retry-After: honoured');
	cmp_ok($trial->{elapsed_ms}, '<', 1000, 'Retry-After: the wait is not in the sample');
}
{
	my $run = fetch('--source', 'ids', '--order-by', 'id', '--rows', 3, '--paths', 'http-json', '--verify', 'none', '--api', 'postgrest',
		'--get-url', $server->url('/json', body => '[{"id":1},{"id":2},{"id":3}]', header => 'Content-Range: 5-7/*', status => 206));

	loader_ends($run, 2, [qr/Content-Range "5-7\/\*" is not what was asked for/], 'another Content-Range');
}
{
	$server->forget_requests;
	$session->value('CREATE TABLE "Or, der" ("Id x" int, b int, PRIMARY KEY (b, "Id x"))');
	for my $order ([], [ '--order-by', 'b DESC, "Id x" NULLS FIRST' ])
	{
		run_loader($node, 'fetch', '--source', '"Or, der"', '--rows', 0, '--paths', 'http-json', '--verify', 'none', '--api', 'postgrest', '--url', $server->url(''), @$order);
	}
	is(join(' ', map { $_->{line} =~ m{ (\S+) } ? $1 : '' } $server->requests),
		'/Or%2C%20der?limit=0&offset=0&order=b,%22Id%20x%22 /Or%2C%20der?limit=0&offset=0&order=b.desc,%22Id%20x%22.nullsfirst',
		'PostgREST is asked for the order that the native paths have');
	loader_ends(run_loader($node, 'fetch', '--query', 'SELECT 1 AS a', '--paths', 'http-json', '--api', 'postgrest', '--url', $server->url('')),
		1, [ qr/--api postgrest/, qr/--source/ ], 'a query of PostgREST');
}

# --- disturbed on the way ------------------------------------------------------------------------

# rows come at once: a function in FROM would be run to its end first
my $long_query = q{SELECT generate_series(1, 5000000) AS i, repeat('x', 100) AS t};
my $long = start_endpoint($node, '--query', $long_query);

# Starts a long read, and waits until rows are on their way.
sub start_long_fetch
{
	my ($path) = @_;

	wait_until(sub { reading() eq '' }, 'the backend before to end');
	my $run = start_loader($node, 'fetch', '--query', $long_query, '--rows', '5M', '--paths', $path, '--verify', 'none', '--format', 'json', '--url', $long->url(''));

	wait_until(sub { reading() ne '' }, "$path reads");
	return $run;
}

# Backends that have been sending rows for a while.
sub reading
{
	return $session->value(q{SELECT coalesce(string_agg(pid::text, ','), '') FROM pg_stat_activity WHERE state = 'active'
		AND query LIKE '%generate_series(1, 5000000)%' AND query NOT LIKE '%count(*)%' AND clock_timestamp() - query_start > '300 ms' AND pid <> pg_backend_pid()});
}

for my $path (@NATIVE, 'http-json')
{
	my $run = start_long_fetch($path);
	my $began = time;
	$run->{harness}->signal('INT');
	finish_loader($run);
	my $trial = report_of($run)->{trials}[0];

	cmp_ok(time - $began, '<', 1, "$path: SIGINT is prompt");
	is($run->{status}, 2, "$path: SIGINT: exit status");
	is($trial->{status}, 'interrupted', "$path: SIGINT: the trial is told as such");
	wait_until(sub { reading() eq '' }, "no backend goes on for $path");
}
for my $path (@NATIVE)
{
	my $run = start_long_fetch($path);
	$session->value('SELECT pg_terminate_backend(pid) FROM unnest(ARRAY[' . reading() . ']) AS pid');
	finish_loader($run);
	my $trial = report_of($run)->{trials}[0];

	loader_ends($run, 2, [qr/57P01|server closed the connection/], "$path: a backend terminated");
	is($trial->{status}, 'failed', "$path: a backend terminated: no sample");
}
{
	my $run = start_long_fetch('http-json');
	$session->value('SELECT pg_terminate_backend(pid) FROM unnest(ARRAY[' . reading() . ']) AS pid');
	finish_loader($run);

	is($run->{status}, 2, 'http-json: a backend of the endpoint terminated: exit status');
	is(report_of($run)->{trials}[0]{status}, 'failed', 'http-json: a backend of the endpoint terminated: no sample');
}
$long->stop;

# --- arguments -----------------------------------------------------------------------------------

for my $wrong (
	[ [ '--rows', $ROWS + 1 ], qr/--rows.*20001.*20000/ ],
	[ [ '--rows', '10x' ], qr/--rows.*10x/ ],
	[ [ '--rows', '-5' ], qr/--rows.*-5/ ],
	[ [ '--paths', 'insert' ], qr/--paths.*"insert".*copy-text/ ],
	[ [ '--paths', '' ], qr/--paths/ ],
	[ [ '--paths', 'select,select' ], qr/--paths.*select.*twice/ ],
	[ [ '--paths', 'copy-text,,select' ], qr/--paths/ ],
	[ [ '--paths', 'http-json' ], qr/--url/ ],
	[ [ '--source', 'nowhere' ], qr/--source.*nowhere.*42P01/ ],
	[ [ '--query', 'SELECT 1; SELECT 2' ], qr/--query/ ],
	[ [ '--query', 'DELETE FROM sent RETURNING *' ], qr/--query/ ],
	[ [ '--query', 'SELECT 1 AS a', '--source', 'sent' ], qr/--source.*--query/ ],
	[ [ '--order-by', 'nothing' ], qr/--order-by.*nothing/ ],
	[ [ '--url', 'ftp://127.0.0.1/' ], qr/--url/ ],
	[ [ '--url', 'http://me:secret@127.0.0.1/' ], qr/--token-file/ ])
{
	my ($arguments, $pattern) = @$wrong;
	my $run = run_loader($node, 'fetch', @$arguments);

	loader_ends($run, 1, [$pattern], "fetch @$arguments");
	unlike($run->{errors}, qr/secret/, "fetch @$arguments: no secret");
}
is($session->value('SELECT count(*) FROM sent'), 1000, 'nothing was deleted');
{
	my $empty = start_node('fetch_bare', extension => 0);
	loader_ends(run_loader($empty, 'fetch'), 1, [ qr/bench_reference/, qr/--source/ ], 'no table of reference rows');
	$empty->stop;
}
{
	my $run = run_loader($node, 'fetch', '--rows', 100, '--paths', $ALL, '--url', $reference->url(''), '--dry-run');

	loader_ends($run, 0, [qr/would read 100 rows.*nothing was read/], '--dry-run');
	is($run->{output}, '', '--dry-run: no report');
}

# --- whose cost ----------------------------------------------------------------------------------

{
	my $run = fetch('--rows', $ROWS, '--paths', 'copy-text,http-json', '--url', $reference->url(''), '--verify', 'count', '--system-memory');
	my $report = report_of($run);
	my $native = (trials_of($report, 'copy-text', 1))[0]{cost};
	my $http = (trials_of($report, 'http-json', 1))[0]{cost};

	loader_ends($run, 0, undef, 'costs');
	cmp_ok($native->{backend_cpu_ms}, '>', 0, 'native: CPU of the backend');
	cmp_ok($native->{machine_cpu_ms}, '>=', 0, 'native: CPU of the machine');
	cmp_ok($native->{system_memory_bytes}, '>', 0, 'native: memory of the host');
	is($native->{api_cpu_ms}, undef, 'native: the API has no part in it');
	is($http->{backend_cpu_ms}, undef, 'http-json: no backend of ours has');
	cmp_ok($http->{api_cpu_ms}, '>', 0, 'http-json: CPU of the endpoint');
	cmp_ok($http->{api_backend_cpu_ms}, '>', 0, 'http-json: CPU of its backend');
	cmp_ok($http->{machine_cpu_ms}, '>=', 0, 'http-json: CPU of the machine');
}
{
	my $run = fetch('--rows', $ROWS, '--paths', 'http-json', '--verify', 'count', '--api', 'plumber', '--url', $reference->url(''), '--api-pid', $reference->pid);
	my $http = (trials_of(report_of($run), 'http-json', 1))[0]{cost};

	loader_ends($run, 0, undef, '--api-pid');
	cmp_ok($http->{api_cpu_ms}, '>', 0, '--api-pid: CPU of the API');
	is($http->{api_backend_cpu_ms}, undef, '--api-pid: of its backends nothing is known');
}
{
	$session->value('CREATE ROLE poor LOGIN');
	$session->value('GRANT SELECT ON bench_reference TO poor');
	$session->value('DROP EXTENSION pg_transferbench');
	my $run = fetch('-U', 'poor', '--rows', $ROWS, '--paths', 'copy-text', '--verify', 'count');
	my $cost = (trials_of(report_of($run), 'copy-text', 1))[0]{cost};

	is($run->{status}, 0, 'a role without rights: exit status');
	cmp_ok($cost->{client_cpu_user_ms}, '>', 0, 'a role without rights: CPU of the client');
	$session->value('CREATE EXTENSION pg_transferbench');
}

# --- reports -------------------------------------------------------------------------------------

{
	my $run = run_loader($node, 'fetch', '--rows', 100, '--paths', 'copy-text,select', '--trials', 3, '--format', 'csv');
	my @lines = split /\r\n/, $run->{output};

	loader_ends($run, 0, undef, 'CSV');
	is(scalar @lines, 1 + 2 + 6, 'CSV: a header, a line for each warm-up and trial');
	is(scalar(grep { /^"[0-9a-f]{12}","fetch","read","(?:copy-text|select)",100,\d,\d,"ok",/ } @lines), 8, 'CSV: their fields');
}
{
	my $run = run_loader($node, 'fetch', '--rows', 100, '--format', 'markdown');

	like($run->{output}, qr/^## /m, 'markdown: a heading');
	like($run->{output}, qr/^\|---\|/m, 'markdown: a table');
}
{
	my $file = "$directory/report.json";
	my $run = run_loader($node, 'fetch', '--rows', 100, '--format', 'json', '--output', $file);

	is($run->{output}, '', '--output: nothing on standard output');
	is(decode_json(slurp_file($file))->{command}, 'fetch', '--output: the report is there');

	my $before = slurp_file($file);
	$run = run_loader({ limits => '-f 1' }, $node, 'fetch', '--rows', 100, '--trials', 20, '--verify', 'none', '--format', 'json', '--output', $file);
	is($run->{status}, 2, '--output to a full disk: exit status');
	like($run->{errors}, qr/\Q$file\E/, '--output to a full disk: says so');
	is(slurp_file($file), $before, '--output to a full disk: the report before is left');
	is(scalar @{ report_of($run)->{trials} }, 21, '--output to a full disk: it goes to standard output');
	is(join(' ', glob "$directory/report*"), $file, '--output to a full disk: no half of another');

	mkdir "$directory/closed", 0500;
	$run = run_loader($node, 'fetch', '--rows', 100, '--output', "$directory/closed/report");
	loader_ends($run, 1, [qr{--output: "\Q$directory\E/closed/report" cannot be written: Permission denied}], '--output where nothing may be written');
	$run = run_loader($node, 'fetch', '--rows', 100, '--output', "$directory/nowhere/report");
	loader_ends($run, 1, [qr{--output: "\Q$directory\E/nowhere/report" cannot be written: No such file}], '--output in no directory');
	is(decode_json(run_loader($node, 'fetch', '--rows', 100, '--format', 'json', '--output', '/dev/stdout')->{output})->{command}, 'fetch', '--output to a device');
}

# --- memory --------------------------------------------------------------------------------------

# The most that the loader had resident, in kB, while it ran.
sub peak_of
{
	my (@arguments) = @_;
	my $run = start_loader($node, @arguments);
	my $pid = $run->{harness}{KIDS}[0]{PID};
	my $peak = 0;

	while ($run->{harness}->pumpable)
	{
		my $status = eval { slurp_file("/proc/$pid/status") } // '';
		$peak = $1 if $status =~ /^VmHWM:\s+(\d+) kB/m;
		$run->{harness}->pump_nb;
		last if $status =~ /^State:\s+Z/m;
		sleep 0.01;
	}
	finish_loader($run);
	is($run->{status}, 0, "@arguments[0 .. 2]: exit status") or diag($run->{errors});
	return $peak;
}

{
	my $million = q{SELECT i AS id, md5(i::text) AS t, i * 0.5 AS x FROM generate_series(1, 1000000) AS i ORDER BY i};
	my $endpoint = start_endpoint($node, '--query', $million);

	for my $path (@NATIVE, 'http-json')
	{
		my @arguments = ('--query', $million, '--paths', $path, '--url', $endpoint->url(''), '--verify', 'none', '--quiet');
		my $small = peak_of('fetch', '--rows', '1e5', @arguments);
		my $large = peak_of('fetch', '--rows', '1e6', @arguments);

		cmp_ok($small, '>', 0, "$path: the peak of memory was seen");
		memory_within($large - $small, 4096, "$path: a million rows need no more memory than a tenth of them");
	}
	for my $way ([ '--format', 'binary' ], [ '--format', 'text' ], [ '--method', 'insert' ])
	{
		my $small = peak_of('copy', '--rows', '1e5', '--quiet', '--verify', 'count', '--unlogged', @$way);
		my $large = peak_of('copy', '--rows', '1e6', '--quiet', '--verify', 'count', '--unlogged', @$way);

		memory_within($large - $small, 4096, "copy @$way: a million rows need no more memory than a tenth of them");
	}
	$endpoint->stop;
}

done_testing();
