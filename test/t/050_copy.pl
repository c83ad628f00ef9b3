# transferbench copy: every way of writing natively, what it says, and what it
# leaves behind when it is disturbed.
use strict;
use warnings FATAL => 'all';

use IPC::Run;
use POSIX qw(mkfifo);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();

my $node = start_node('copy', fsync => 'on', settings => "restart_after_crash = on\nwal_level = replica\nmax_wal_senders = 1");
my $session = TransferBench::Session->new($node);
my $directory = PostgreSQL::Test::Utils::tempdir();

my $reference_sum = $session->value('SELECT digest FROM bench_extract(20000, verify => true)');

# Digest of a table's rows by the extension, in any order.
sub digest_of
{
	my ($table, $rows) = @_;

	return $session->value("SELECT digest FROM bench_extract($rows, 'SELECT * FROM $table', verify => true)");
}

# --- each way writes the same rows -------------------------------------------------------------

for my $way (
	[ 'COPY binary', '--format', 'binary' ],
	[ 'COPY text', '--format', 'text' ],
	[ 'INSERT', '--method', 'insert' ],
	[ 'INSERT, statements of 7 rows', '--method', 'insert', '--insert-rows', 7 ],
	[ 'COPY, 3 jobs', '--jobs', 3, '--batch-rows', 1234 ],
	[ 'INSERT, 3 jobs', '--jobs', 3, '--batch-rows', 1234, '--method', 'insert' ],
	[ 'COPY, made beforehand', '--pregenerate' ],
	[ 'COPY text, made beforehand, 2 jobs', '--pregenerate', '--format', 'text', '--jobs', 2 ],
	[ 'INSERT, made beforehand', '--pregenerate', '--method', 'insert' ])
{
	my ($name, @arguments) = @$way;
	my $run = run_loader($node, 'copy', '--rows', 20000, '--table', 'public.written', '--keep', '--format', 'json', @arguments);
	my $report = report_of($run);
	my $trial = $report->{trials}[0];

	loader_ends($run, 0, undef, $name);
	is($trial->{rows}, 20000, "$name: rows");
	is($trial->{status}, 'ok', "$name: status");
	is(digest_of('written', 20000), $reference_sum, "$name: the rows are the reference rows");
	cmp_ok($trial->{elapsed_ms}, '>', 0, "$name: elapsed time");
	$session->value('DROP TABLE written');
}

# --- a table of its own, dropped at the end ----------------------------------------------------

{
	my $run = run_loader($node, 'copy', '--rows', '1e4', '--trials', 2, '--format', 'json');
	my $report = report_of($run);

	loader_ends($run, 0, undef, 'a table of its own');
	is(our_tables($session), 0, 'it is gone at the end');
	like($report->{run_id}, qr/^[0-9a-f]{12}$/, 'the run has an id');
	is(join(',', map { $_->{trial} } @{ $report->{trials} }), '0,1,2', 'a warm-up and two trials');
}

$session->value('CREATE TABLE mine (id int)');
loader_ends(run_loader($node, 'copy', '--rows', 10, '--table', 'mine'),
	1, [qr/mine/, qr/--append/], 'a table that is somebody\'s');
is($session->value('SELECT count(*) FROM mine'), 0, 'it was not touched');

# --- nothing, one row, more than a batch -------------------------------------------------------

for my $rows (0, 1, 10001)
{
	my $run = run_loader($node, 'copy', '--rows', $rows, '--format', 'json');

	loader_ends($run, 0, undef, "$rows rows");
	is(report_of($run)->{trials}[0]{rows}, $rows, "$rows rows: counted");
}

# --- values that go wrong elsewhere (files by psql; and psql reads what was written) -----------

$session->value($_) for (
	'CREATE TABLE origin (id int PRIMARY KEY, t text, v varchar(20), c char(4), n numeric, f float8, g float4, b bool, y bytea,
		d date, ti time, ts timestamp, tz timestamptz, u uuid, j json, jb jsonb, iv interval, a int[], r int4range, i2 int2, i8 int8)',
	q{INSERT INTO origin VALUES (1, E'tab\tback\\\\slash\nline\r\b\f\x0b', '', 'ab', 1.50, '-0', 'NaN', true, '\x00ff5c', '2024-02-29',
		'24:00:00', '0044-03-15 12:00:00.000001 BC', '2024-03-31 01:30:00+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"b": 1, "a": 2}',
		'{"b": 1.50}', '1 mon 2 days', '{1,NULL,3}', '[1,5)', -32768, 9223372036854775807)},
	q{INSERT INTO origin (id, t, v, n, f, d, ts, tz) VALUES (2, '\N', NULL, 'NaN', 'Infinity', 'infinity', '-infinity', 'infinity'),
		(3, '\.', '\.', '123456789012345678901234567890.123456789', 5e-324, '-infinity', '294276-12-31 23:59:59.999999', '0001-01-01 00:00:00+00')},
	q{INSERT INTO origin (id, t, jb) VALUES (4, '', '[]'), (5, NULL, 'null'), (6, 'ü😀"quoted", and ''so''', '"x"')});
my $columns = 'id int, t text, v varchar(20), c char(4), n numeric, f float8, g float4, b bool, y bytea, d date, ti time, '
  . 'ts timestamp, tz timestamptz, u uuid, j json, jb jsonb, iv interval, a int[], r int4range, i2 int2, i8 int8';
my $origin_sum = digest_of('origin', 6);

for my $format ([ 'text', 'text' ], [ 'csv', 'csv' ], [ 'csv-header', 'csv, header' ])
{
	my ($option, $copy) = @$format;
	my $file = "$directory/origin.$option";

	$node->command_ok([ 'psql', '-Xqd', $node->connstr('postgres'), '-c', "\\copy origin to '$file' with (format $copy)" ], "psql writes $option");
	for my $way ([ '--format', 'text' ], [ '--method', 'insert' ])
	{
		my $run = run_loader($node, 'copy', '--file', $file, '--file-format', $option, '--columns', $columns, '--table', 'again', '--keep', @$way);

		loader_ends($run, 0, [qr/rows equal: 6 rows/], "psql's $option by @$way");
		is(digest_of('again', 6), $origin_sum, "psql's $option by @$way: the same values");
		$session->value('DROP TABLE again');
	}
}
{
	my $run = run_loader($node, 'copy', '--from-table', 'origin', '--format', 'text', '--table', 'again', '--keep');

	loader_ends($run, 0, [qr/rows equal: 6 rows/], 'from a table');
	is(digest_of('again', 6), $origin_sum, 'from a table: the same values');
	$node->command_ok([ 'psql', '-Xqd', $node->connstr('postgres'), '-c', "\\copy (SELECT * FROM $_ ORDER BY id) to '$directory/$_'" ], "psql reads $_ back")
	  for qw(origin again);
	is(slurp_file("$directory/again"), slurp_file("$directory/origin"), 'what psql reads back is identical');
	$session->value('DROP TABLE again');
}
loader_ends(run_loader($node, 'copy', '--from-table', 'origin', '--format', 'binary'),
	1, [qr/column "iv" of type interval/, qr/write it as text/], 'a type without a binary form here');
{
	my $narrow = 'SELECT id, t, v, c, n, f, g, b, y, d, ti, ts, tz, u, j, jb, i2, i8 FROM origin';
	my $run = run_loader($node, 'copy', '--from-query', $narrow, '--format', 'binary', '--table', 'again', '--keep');

	loader_ends($run, 0, [qr/rows equal: 6 rows/], 'from a query, binary');
	is(digest_of('again', 6), $session->value("SELECT digest FROM bench_extract(6, '$narrow', verify => true)"), 'from a query, binary: the same values');
	$session->value('DROP TABLE again');
}

# --- files that are none -----------------------------------------------------------------------

for my $bad (
	[ 'a text for a number', "1\tone\nx\ttwo\n", qr/row 2, column "id"/ ],
	[ 'a field too many', "1\tone\ttwo\n", qr/row 1/ ],
	[ 'no end', "1\tone\n2\tt", qr/row 2/ ],
	[ 'bad UTF-8', "1\t\xff\xfe\n", qr/row 1, column "t"/ ])
{
	my ($name, $text, $pattern) = @$bad;
	my $file = "$directory/bad";

	append_to_file($file, $text);
	my $run = run_loader($node, 'copy', '--file', $file, '--file-format', 'text', '--columns', 'id int, t text', '--format', 'text', '--table', 'again');
	isnt($run->{status}, 0, "$name: refused");
	like($run->{errors}, $pattern, "$name: says where");
	is(our_tables($session), 0, "$name: nothing is left behind");
	unlink $file;
}

# --- no more than may be written, whatever the rows come from ------------------------------------

$session->value('CREATE TABLE big AS SELECT * FROM bench_rows(20000); ALTER TABLE big ADD PRIMARY KEY (id); CREATE TABLE nothing (LIKE big INCLUDING ALL); CREATE TABLE nulls AS SELECT NULL::int AS x FROM generate_series(1, 20000)');
for my $ending (qw(text csv bin))
{
	my $format = { csv => 'csv, header', bin => 'binary' }->{$ending} // 'text';

	$node->command_ok([ 'psql', '-Xqd', $node->connstr('postgres'), '-c', "\\copy big to '$directory/big.$ending' with (format $format)" ], "psql writes big.$ending");
}
append_to_file("$directory/big.ndjson", $session->value(q{SELECT string_agg(row_to_json(big)::text, E'\n') FROM big}));
append_to_file("$directory/big.json", $session->value('SELECT json_agg(big) FROM big'));
# one object of columns, whose rows come when the last byte was read
append_to_file("$directory/columns.json", '{"id":[' . join(',', 1 .. 20000) . '],"label":["' . join('","', ('abcdefghij') x 20000) . '"]}');
for my $way (
	[ 'a table', '--from-table', 'big' ],
	[ 'a query', '--from-query', 'SELECT * FROM big; ' ],
	[ 'a query that ends with a comment', '--from-query', 'SELECT * FROM big -- all' ],
	[ 'a table of another connection', '--from-dsn', $node->connstr('postgres'), '--from-table', 'big' ],
	(map { [ "a file, $_", '--file', "$directory/big.$_" ] } qw(text csv json ndjson bin)),
	[ 'a file of columns', '--file', "$directory/columns.json", '--columns', 'id int, label text' ])
{
	my ($name, @arguments) = @$way;

	loader_ends(run_loader($node, 'copy', '--max-write-bytes', '1k', @arguments), 1, [qr/about \S+ \S+ would be written, more than --max-write-bytes/], "$name, too much");
	is(our_tables($session), 0, "$name, too much: no table was made");
	# 20000 rows take some 7 MB by estimate, of table and WAL
	loader_ends(run_loader($node, 'copy', '--max-write-bytes', '8MB', @arguments), 0, undef, "$name, as much as may be written");
	loader_ends(run_loader($node, 'copy', '--max-write-bytes', '8MB', '--trials', 3, @arguments), 1, [qr/--max-write-bytes/], "$name, too much in four passes")
	  if $name !~ /columns/;
}
loader_ends(run_loader($node, 'copy', '--max-write-bytes', '1k', '--from-table', 'nothing'), 0, undef, 'no rows at all');
{
	my $fifo = "$directory/fifo";
	mkfifo($fifo, 0600) or die;

	# A copy from a pipe that a shell's command fills; it is let die of what nobody reads.
	my $copy_from = sub {
		my ($command, @arguments) = @_;
		my $filling = IPC::Run::start([ 'sh', '-c', "exec $command >'$fifo'" ], '2>', \my $said);
		my $run = run_loader($node, 'copy', '--file', $fifo, @arguments);

		$filling->finish;
		return $run;
	};
	for my $way (
		[ 'a pipe' ],
		[ 'a pipe, --rows', '--rows', '1M' ],
		[ 'a pipe, one batch', '--batch-rows', '1M' ],
		[ 'a pipe, INSERT', '--method', 'insert' ],
		[ 'a pipe, COPY text, 3 jobs', '--format', 'text', '--jobs', 3 ],
		[ 'a pipe, made beforehand', '--pregenerate' ])
	{
		my ($name, @arguments) = @$way;
		my $run = $copy_from->("cat $directory/big.text", '--table', 'limited', '--keep', '--batch-rows', 1000,
			'--max-write-bytes', '200kB', '--format', 'json', @arguments);

		if ($name =~ /beforehand/)
		{
			loader_ends($run, 1, [qr/stopped by --max-write-bytes/], "$name: too much");
			is($session->value('SELECT count(*) FROM limited'), 0, "$name: nothing is written");
			$session->value('DROP TABLE limited');
			next;
		}
		my $trial = report_of($run)->{trials}[0];
		my $count = $session->value('SELECT count(*) FROM limited');
		loader_ends($run, 2, [ qr/once more than --max-write-bytes 200 kB were to be sent/, qr/stopped by --max-write-bytes/ ], "$name: too much");
		is($trial->{rows}, $count, "$name: what is said to be committed is there");
		cmp_ok($session->value('SELECT coalesce(sum(pg_column_size(limited)), 0) FROM limited'), '<', 300_000, "$name: no more was written");
		$session->value('DROP TABLE limited');
		$run = $copy_from->("cat $directory/big.text", '--max-write-bytes', '20MB', @arguments, $name =~ /--rows/ ? ('--rows', 20000) : ());
		loader_ends($run, 0, [qr/can be read only once/], "$name: as much as may be written");
	}
	# rows without an end: what comes after the limit is not even read
	my $run = $copy_from->('yes 1', '--columns', 'id int', '--max-write-bytes', '1MB', '--batch-rows', '1G');
	loader_ends($run, 2, [qr/stopped by --max-write-bytes/], 'rows without an end');
	is(our_tables($session), 0, 'rows without an end: nothing is left behind');
}
{
	my $run = run_loader($node, 'copy', '--from-table', 'nulls', '--max-write-bytes', '1k', '--format', 'json');
	loader_ends($run, 2, [qr/stopped by --max-write-bytes/], 'rows whose values have no length');
}

# --- appending several times ---------------------------------------------------------------------

{
	$session->value('CREATE TABLE twice (LIKE big)');
	my $run = run_loader($node, 'copy', '--table', 'twice', '--append', '--trials', 3, '--rows', 10, '--format', 'json');
	loader_ends($run, 0, [qr/not compared/], '--append --trials 3');
	is(join(',', map { $_->{trial} } @{ report_of($run)->{trials} }), '1,2,3', '--append --trials 3: no warm-up');
	is($session->value('SELECT count(*) FROM twice'), 30, '--append --trials 3: three times the rows');
	like(run_loader(undef, 'copy', '--help')->{output}, qr/no warm-up: the rows are appended --trials times/, 'the help says so');
}
$session->value('DROP TABLE big, nothing, nulls, twice');

# --- disturbed on the way ----------------------------------------------------------------------

# Starts a long copy and waits until its backend is in COPY.
sub start_long_copy
{
	my (@arguments) = @_;
	my $run = start_loader($node, 'copy', '--rows', '20M', '--table', 'long', '--format', 'json', '--max-write-bytes', '1TB', @arguments);

	wait_until(sub { $session->value("SELECT count(*) FROM pg_class WHERE relname = 'long'") > 0 }, 'the table is made');
	wait_until(sub { $session->value('SELECT count(*) FROM long') > 0 && $session->value('SELECT count(*) FROM pg_stat_progress_copy') > 0 },
		'some batches are committed, and another is on its way');
	return $run;
}

sub expect_incomplete
{
	my ($run, $name, @patterns) = @_;

	finish_loader($run);
	my $report = report_of($run);
	my $trial = $report->{trials}[-1];
	my $count = $session->value('SELECT count(*) FROM long');

	loader_ends($run, 2, [@patterns], $name);
	is($trial->{rows}, $count, "$name: what is said to be committed is there ($count rows)");
	cmp_ok($count % 10000, '==', 0, "$name: whole batches");
	$session->value('DROP TABLE long');
}

{
	my $run = start_long_copy('--keep');
	$session->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_progress_copy");
	expect_incomplete($run, 'a backend terminated in COPY', qr/57P01|closed the connection/);
}
{
	my $run = start_long_copy('--keep', '--jobs', 3);
	sleep 0.3;
	$run->{harness}->signal('INT');
	expect_incomplete($run, 'SIGINT', qr/interrupted/);
}
{
	my $run = start_long_copy('--keep');
	$run->{harness}->signal('TERM');
	expect_incomplete($run, 'SIGTERM', qr/interrupted/);
}
{
	my $run = start_long_copy();
	$run->{harness}->signal('INT');
	finish_loader($run);
	is($run->{status}, 2, 'SIGINT without --keep: exit status');
	is(our_tables($session), 0, 'SIGINT without --keep: the table is dropped');
}
{
	my $run = start_long_copy();
	$run->{harness}->signal('KILL');
	finish_loader($run);
	is(our_tables($session), 1, 'kill -9: the table stays');
	loader_ends(run_loader($node, 'cleanup'), 0, undef, 'cleanup after kill -9');
	is(our_tables($session), 0, 'kill -9: cleanup drops it');
}
{
	my $run = start_long_copy('--keep');
	$node->stop('immediate');
	wait_until(sub { $run->{harness}->pump_nb; $run->{errors} =~ /waiting for the server/ }, 'it is waited for');
	$run->{harness}->signal('INT');
	finish_loader($run);
	is($run->{status}, 2, 'the server stopped: exit status');
	like($run->{errors}, qr/batch \d+/, 'the server stopped: says at which batch');
	$node->start;
	$session = TransferBench::Session->new($node);
	my $trial = report_of($run)->{trials}[-1];
	is($session->value('SELECT count(*) FROM long'), $trial->{rows}, 'the server stopped: what was committed is there');
	$session->value('DROP TABLE long');
}

# A COMMIT that takes its time, as for a standby that is away, is waited for; also after a stop, for a while.
{
	my $run = start_long_copy('--keep');
	$session->value(q{ALTER SYSTEM SET synchronous_standby_names = 'nobody'});
	$session->value('SELECT pg_reload_conf()');
	wait_until(sub { $session->value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0 }, 'a COMMIT waits');
	$run->{harness}->signal('INT');
	sleep 0.5;
	$session->value('ALTER SYSTEM RESET synchronous_standby_names');
	$session->value('SELECT pg_reload_conf()');
	expect_incomplete($run, 'SIGINT while a COMMIT waits', qr/interrupted/);
	is(join(',', @{ report_of($run)->{trials}[-1]{in_doubt} }), '', 'SIGINT while a COMMIT waits: nothing is in doubt');
}
# A backend that crashes takes all sessions with it, and the server recovers: the table is counted then.
for my $way ([ 'unlogged', qr/holds 0: rows are gone after a crash/, '--unlogged' ], ['logged'])
{
	my ($kind, $pattern, @arguments) = @$way;
	my $name = "a backend killed, $kind";
	my $run = start_long_copy('--keep', @arguments);
	my $pid = $session->value('SELECT pid FROM pg_stat_progress_copy');

	$session->quit;
	kill 'KILL', $pid;
	finish_loader($run);
	# the loader may have counted before the crash reached its connection, and be done sooner
	$node->poll_query_until('postgres', 'SELECT true') or die 'the server did not recover';
	$session = TransferBench::Session->new($node);
	my $report = report_of($run);
	my $trial = $report->{trials}[-1];
	my $count = $session->value('SELECT count(*) FROM long');

	# a COMMIT that was on its way when its backend was killed
	my $doubtful = 0;
	$doubtful += $_->{last_row} - $_->{first_row} + 1 for @{ $trial->{in_doubt} };

	loader_ends($run, 2, [ qr/batch \d+/, $pattern // () ], $name);
	unlike($run->{errors}, qr/not confirmed/, "$name: the table was counted once the server was back");
	cmp_ok($trial->{rows}, '>', 0, "$name: rows were committed");
	my @allowed = $kind eq 'unlogged' ? (0) : ($trial->{rows}, $trial->{rows} + $doubtful);
	ok((grep { $_ == $count } @allowed), "$name: the rows that are there ($count)");
	like(join("\n", @{ $report->{notes} }), $pattern, "$name: the report says so") if defined $pattern;
	$session->value('DROP TABLE long');
}
{
	my $name = 'the server stopped for good';
	my $run = start_long_copy('--keep', '--unlogged');

	$session->quit;
	$node->stop('immediate');
	wait_until(sub { $run->{harness}->pump_nb; $run->{errors} =~ /waiting for the server/ }, 'it is waited for');
	finish_loader($run);
	is($run->{status}, 2, "$name: exit status");
	my $notes = join("\n", @{ report_of($run)->{notes} });
	like($notes, qr/the \d+ rows reported as committed are not confirmed by a count/, "$name: the report says so");
	like($notes, qr/gone after a crash/, "$name: and what becomes of them");
	$node->start;
	$session = TransferBench::Session->new($node);
	$session->value('DROP TABLE long');
}

# --- arguments ---------------------------------------------------------------------------------

for my $wrong (
	[ [ '--rows', '10x' ], qr/--rows.*10x/ ],
	[ [ '--rows', '-5' ], qr/--rows.*-5/ ],
	[ [ '--rows', '99999999999999999999' ], qr/--rows/ ],
	[ [ '--jobs', '0' ], qr/--jobs.*0/ ],
	[ [ '--format', 'xml' ], qr/--format.*xml/ ],
	[ [ '--append' ], qr/--append.*--table/ ],
	[ [ '--file', '/nonexistent' ], qr{/nonexistent} ],
	[ [ '--nonsense' ], qr/--nonsense/ ],
	[ [ '--table', 'no_schema.t' ], qr/no_schema/ ],
	[ ['superfluous'], qr/superfluous/ ])
{
	my ($arguments, $pattern) = @$wrong;

	loader_ends(run_loader($node, 'copy', @$arguments), 1, [$pattern], "copy @$arguments");
}
loader_ends(run_loader($node, 'copy', '--rows', '1e9', '--max-write-bytes', '1GB'),
	1, [qr/--max-write-bytes/, qr/--unlogged/], 'more than may be written');
{
	my $run = run_loader($node, 'copy', '--rows', '1e6', '--dry-run');

	loader_ends($run, 0, [qr/nothing was written/], '--dry-run');
	is(our_tables($session), 0, '--dry-run makes no table');
}
for my $rows ('1e3', '1k', '1000')
{
	my $run = run_loader($node, 'copy', '--rows', $rows, '--format', 'json');
	is(report_of($run)->{trials}[0]{rows}, 1000, "--rows $rows");
}

# --- without rights ----------------------------------------------------------------------------

$session->value($_) for (
	'CREATE ROLE poor LOGIN', 'CREATE SCHEMA open', 'GRANT USAGE, CREATE ON SCHEMA open TO poor',
	'CREATE TABLE theirs (id bigint, note text)', 'GRANT INSERT, SELECT ON theirs TO poor');
loader_ends(run_loader($node, 'copy', '-U', 'poor', '--rows', 10),
	1, [qr/public/, qr/GRANT USAGE, CREATE ON SCHEMA public/, qr/--table/], 'no CREATE in public');
loader_ends(run_loader($node, 'copy', '-U', 'poor', '--rows', 1000, '--table', 'open.t', '--quiet'), 0, undef, 'a schema of its own');
{
	my $file = "$directory/two";
	append_to_file($file, "1\tone\n2\t\\N\n");
	loader_ends(run_loader($node, 'copy', '-U', 'poor', '--file', $file, '--table', 'theirs', '--append', '--format', 'text'),
		0, undef, 'appending with no more than INSERT');
	is($session->value('SELECT string_agg(id || coalesce(note, \'(null)\'), \',\' ORDER BY id) FROM theirs'), '1one,2(null)', 'it is there');
}

done_testing();
