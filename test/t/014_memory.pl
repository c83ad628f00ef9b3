# Memory does not grow with the number of rows, on any path; what is read is
# read whole.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant {
	FEW => 10_000,
	SOME => 200_000,
	MANY => 1_000_000,
	TOLERANCE => 4 << 20, };

# shared_buffers is small for the sake of the first-reading test
my $node = start_node(
	'memory',
	settings => join "\n",
	'shared_buffers = 64MB', 'max_parallel_workers_per_gather = 0',
	"pg_transferbench.max_response_bytes = '1TB'");
my $directory = PostgreSQL::Test::Utils::tempdir();
my $server = start_http_server(files => $directory);
my $observer = TransferBench::Session->new($node);

$observer->value($_)
  for ('CREATE TABLE points (id bigint, x float8)', 'SELECT bench_reference_table(' . MANY . ')');

# One row of figures in a session of its own: the high-water mark is a process's.
sub figures
{
	my ($sql) = @_;
	my $session = TransferBench::Session->new($node);
	my $result = $session->run($sql);

	$session->quit;
	diag($result->{errors}) if $result->{error};
	return split /\|/, $result->{output};
}

# --- flat in the number of rows ------------------------------------------------------

my $endpoint = endpoint_program() ? start_endpoint($node) : undef;
my $columns = 'peak_memory_bytes, rows, status';
my $stored = 'SELECT * FROM bench_reference ORDER BY id';
my @points = (row_type => "'points'");
my @paths = (

	# name, larger size, call
	[ 'in-server-generated', MANY, sub { extract_call($columns, undef, $_[0]) } ],
	[ 'in-server', MANY, sub { extract_call($columns, $stored, $_[0]) } ],
	[   'http-json, row array',
		MANY,
		sub { fetch_call($columns, $server->url('/rows'), $_[0], @points) } ],
	[   'http-json, columns',
		MANY, sub { fetch_call($columns, $server->url('/columns'), $_[0], @points) } ],
	[   'http-json, lines',
		MANY, sub { fetch_call($columns, $server->url('/ndjson'), $_[0], @points) } ],
	[   'http-json, gzip',
		MANY,
		sub { fetch_call($columns, $server->url('/rows', encoding => 'gzip'), $_[0], @points) } ],
	[   'http-json, in pages',
		MANY, sub { fetch_call($columns, $server->url('/rows'), $_[0], @points, page_rows => 5000) }
	]);
push @paths,
  [ 'http-json from the endpoint',
	MANY, sub { fetch_call($columns, $endpoint->url('/load_from_db'), $_[0]) } ]
  if $endpoint;

for my $path (@paths)
{
	my ($name, $larger, $call) = @$path;
	my ($few, @few) = figures($call->(FEW));
	my ($many, @many) = figures($call->($larger));

	is_deeply([ @few, @many ], [ FEW, 'ok', $larger, 'ok' ], "$name: both sizes arrive");
	like($few // '', qr/^\d+$/, "$name: peak memory is known");
	cmp_ok(($many // 'inf') - ($few // 0),
		'<=', TOLERANCE, "$name: no growth from @{[FEW]} to $larger rows");
}

# the pass that verifies is untimed, so its memory is in no figure: the process tells
for my $path (
	[ 'in-server', sub { extract_call('rows', $stored, $_[0], verify => 'true') } ],
	[   'http-json',
		sub { fetch_call('rows', $server->url('/rows'), $_[0], @points, verify => 'true') } ],
	[   'comparison',
		sub {
			'SELECT n FROM bench_compare('
			  . literal($server->url('/rows'))
			  . ", ARRAY[$_[0]], trials => 1, "
			  . "query => 'SELECT id, id + 0.5::float8 AS x FROM bench_reference ORDER BY id')";
		}
	])
{
	my ($name, $call) = @$path;
	my @peaks;

	for my $rows (FEW, SOME)
	{
		my $session = TransferBench::Session->new($node);
		succeeds($session, $call->($rows), $rows, "$name, verified: $rows rows");
		push @peaks, peak_memory($session->pid);
		$session->quit;
	}
	cmp_ok($peaks[1] - $peaks[0],
		'<=', TOLERANCE, "$name, verified: no growth from @{[FEW]} to @{[SOME]} rows");
}

# bench_rows in SQL streams
{
	my $session = TransferBench::Session->new($node);
	$session->value('SELECT count(label) FROM bench_rows(' . FEW . ')');
	my $before = private_memory($session->pid);
	$session->value('SELECT count(label) FROM bench_rows(' . MANY . ')');
	cmp_ok(private_memory($session->pid) - $before,
		'<', TOLERANCE, 'bench_rows in FROM: memory is flat');
	succeeds($session,
		"SELECT coalesce(sum(temp_bytes), 0) FROM pg_stat_database WHERE datname = 'postgres'",
		qr/^\d+$/, 'temporary bytes are known');
	my $plan = $session->value(
		'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(label) FROM bench_rows('
		  . MANY
		  . ')');
	unlike($plan, qr/temp (read|written)/, 'bench_rows in FROM: nothing goes to temporary files');
}

# --- shared buffers are not the path's memory -------------------------------------------

# a quarter of shared_buffers, larger than the ring of a bulk read leaves alone
$observer->value($_)
  for (
	'CREATE TABLE quarter AS SELECT i::bigint AS id, repeat(md5(i::text), 10) AS x FROM generate_series(1, 45000) AS i',
	'VACUUM (ANALYZE) quarter');
my $quarter = $observer->value("SELECT pg_relation_size('quarter')");
cmp_ok(abs($quarter - (16 << 20)), '<', 2 << 20, 'the table is a quarter of shared_buffers');
$node->restart;
{
	my ($peak, $rows) =
	  figures(extract_call('peak_memory_bytes, rows', 'SELECT * FROM quarter', 45_000));
	is($rows, 45_000, 'first reading of it: all rows');
	cmp_ok($peak, '<', TOLERANCE, 'first reading of it shows less than 4 MiB');
}
$observer = TransferBench::Session->new($node);

# --- column objects go to temporary files -------------------------------------------------

# temp_bytes of the database, after the statistics of a closed session are in
sub temporary_bytes
{
	return $observer->value(
		"SELECT sum(temp_bytes) FROM pg_stat_database WHERE datname = 'postgres'");
}

{
	my $before = temporary_bytes();
	my ($rows) = figures(fetch_call('rows', $server->url('/columns'), MANY, @points));
	is($rows, MANY, 'a large column object arrives');
	wait_until(sub { temporary_bytes() > $before }, 'temporary files in the statistics');
	cmp_ok(temporary_bytes() - $before, '>', 1 << 20, 'and went through temporary files');

	my $session = TransferBench::Session->new($node);
	$session->value("SET temp_file_limit = '1MB'");
	fails_with(
		$session,
		fetch_call('rows', $server->url('/columns'), MANY, @points),
		{ sqlstate => '53400' },
		'temp_file_limit holds for it');
	succeeds($session, fetch_call('rows', $server->url('/columns'), 1000, row_type => "'points'"),
		'1000', 'a small one needs no file');
	$session->value('SELECT * FROM bench_extract(1)');
	with_setting(
		$session,
		max_buffered_bytes => '100MB',
		sub {
			succeeds($session,
				fetch_call('rows', $server->url('/columns'), 100_000, row_type => "'points'"),
				'100000', 'nor does one within max_buffered_bytes');
		});
	$session->quit;
}
is_deeply([ glob $node->data_dir . '/base/pgsql_tmp/*' ], [], 'no temporary file is left');

# --- values stored out of line are fetched on both paths ------------------------------------

$observer->value($_)
  for (
	'CREATE TABLE wide (id bigint PRIMARY KEY, x text)',
	'ALTER TABLE wide ALTER COLUMN x SET STORAGE EXTERNAL',
	"INSERT INTO wide SELECT i, repeat(md5(i::text), 1000) FROM generate_series(1, 100) AS i",
	'CREATE TABLE packed (id bigint PRIMARY KEY, x text)',
	"INSERT INTO packed SELECT i, repeat('x', 1000000) || i FROM generate_series(1, 20) AS i",
	'CHECKPOINT');

sub toast_blocks_read
{
	my ($table) = @_;
	return $observer->value('SELECT pg_stat_clear_snapshot()')
	  . $observer->value(
		"SELECT toast_blks_read + toast_blks_hit FROM pg_statio_user_tables WHERE relname = '$table'"
	  );
}

for my $verify ('false', 'true')
{
	my $before = toast_blocks_read('wide');
	my ($rows, $status) =
	  figures(extract_call('rows, status', 'SELECT * FROM wide', 100, verify => $verify));
	is("$rows|$status", '100|ok', "in-server, verify $verify: a table with out-of-line values");
	my $blocks = $observer->value(
		"SELECT pg_relation_size(reltoastrelid) / 8192 FROM pg_class WHERE relname = 'wide'");
	eval {
		wait_until(sub { toast_blocks_read('wide') - $before >= $blocks },
			'the blocks in the statistics');
	};
	cmp_ok(toast_blocks_read('wide') - $before,
		'>=', $blocks, "in-server, verify $verify: reads all of their blocks");
}

{
	open my $file, '>', "$directory/wide.json" or die;
	print $file $observer->value("SELECT json_agg(w ORDER BY id) FROM wide AS w");
	close $file;
	my ($bytes, @got) = figures(
		fetch_call(
			'bytes, rows, status',
			$server->url('/file/wide.json'),
			100, row_type => "'wide'"));
	is("@got", '100 ok', 'http-json: the same values arrive');
	cmp_ok($bytes, '>', 3_200_000, 'http-json: at full length');
}

# a value that is compressed in its row is unpacked in the backend: the peak holds one
{
	my ($peak, $rows) =
	  figures(extract_call('peak_memory_bytes, rows', 'SELECT * FROM packed', 20));
	is($rows, 20, 'in-server: a table with compressed values');
	cmp_ok($peak, '>', 900_000, 'in-server: a compressed value is unpacked');
	cmp_ok($peak, '<', 6 << 20, 'in-server: one at a time');
}

# --- a body beyond 2 GiB ---------------------------------------------------------------------

SKIP:
{
	skip 'a body of 2.2 GB: takes its time (PG_TEST_EXTRA=slow)', 1
	  unless ($ENV{PG_TEST_EXTRA} // '') =~ /\bslow\b/;

	my ($peak, @got) = figures(
		fetch_call(
			'peak_memory_bytes, rows, bytes > 2200000000, status',
			$server->url('/wide', rows => 220_000, width => 10_000),
			220_000,
			row_type => "'wide'"));
	is("@got", '220000 t ok', 'a body of 2.2 GB arrives');
	cmp_ok($peak, '<', TOLERANCE, 'a body of 2.2 GB: memory is flat');
}

done_testing();
