# transferbench compare: what it measures, in which order, what its figures are
# made of, and what it leaves behind when it is disturbed.
use strict;
use warnings FATAL => 'all';

use JSON::PP;
use List::Util qw(max min);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();

my $ALL = 'copy-text,copy-binary,select,insert,http-json';

my $node = start_node('compare', fsync => 'on');
my $session = TransferBench::Session->new($node);
my $directory = PostgreSQL::Test::Utils::tempdir();

sub compare
{
	return run_loader($node, 'compare', '--format', 'json', @_);
}

# Nothing of ours is left: tables, sessions, processes.
sub expect_order
{
	my ($name) = @_;

	is(our_tables($session), 0, "$name: no table is left");
	wait_until(sub { $session->value(q{SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'transferbench%'}) == 0 }, "the sessions of $name end");
	is(join(' ', endpoints()), '', "$name: no endpoint is left");
	return;
}

# Process ids of endpoints on this node that are alive.
sub endpoints
{
	my $connection = $node->connstr('postgres');
	my @pids;

	for my $directory (glob '/proc/[0-9]*')
	{
		my $command = eval { slurp_file("$directory/cmdline") } // next;
		my $state = eval { slurp_file("$directory/stat") } // next;
		push @pids, $directory =~ /(\d+)$/
		  if index($command, "\0serve\0") >= 0 && index($command, $connection) >= 0 && $state !~ /\) Z /;
	}
	return @pids;
}

sub comparison_of
{
	my ($report, $direction, $size, $path) = @_;

	return (grep { $_->{direction} eq $direction && $_->{size} == $size && $_->{path} eq $path } @{ $report->{comparisons} })[0];
}

# Timed and whole, by block.
sub samples_of
{
	my ($report, $direction, $size, $path) = @_;

	return grep { $_->{direction} eq $direction && $_->{size} == $size && $_->{path} eq $path && $_->{trial} > 0 && $_->{status} eq 'ok' }
	  @{ $report->{trials} };
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	my $half = int(@sorted / 2);

	return @sorted % 2 ? $sorted[$half] : ($sorted[ $half - 1 ] + $sorted[$half]) / 2;
}

sub about
{
	my ($got, $expected, $name) = @_;

	ok(defined $got && abs($got - $expected) <= 1e-6 * max(1, abs $expected), $name)
	  or diag('got ' . ($got // 'null') . ", expected $expected");
	return;
}

# "read 100: A B|B A": the order of trials, block by block.
sub orders_of
{
	my ($report) = @_;
	my %order;

	push @{ $order{"$_->{direction} $_->{size}"}[ $_->{block} ] }, $_->{path} for grep { $_->{trial} > 0 } @{ $report->{trials} };
	return { map { my $blocks = $order{$_}; $_ => [ map { join ' ', @$_ } @$blocks[ 1 .. $#$blocks ] ] } keys %order };
}

# --- both directions, with an endpoint of its own ------------------------------------------------

{
	my $run = compare('--sizes', '500,2000', '--trials', 6, '--paths', $ALL, '--order-seed', 7);
	my $report = report_of($run);
	my %paths = (read => [qw(copy-text copy-binary select http-json)], write => [qw(copy-text copy-binary insert http-json)]);

	loader_ends($run, 0, undef, 'all paths');
	expect_order('all paths');
	is($report->{order_seed}, 7, 'the seed is told');
	is(join(',', map { $_->{status} } @{ $report->{trials} }), join(',', ('ok') x (2 * 2 * 4 * 7)), 'all trials are well');
	for my $direction (qw(read write))
	{
		for my $size (500, 2000)
		{
			for my $path (@{ $paths{$direction} })
			{
				my $name = "$direction $size $path";
				my $row = comparison_of($report, $direction, $size, $path);
				my @trials = samples_of($report, $direction, $size, $path);
				my @first = samples_of($report, $direction, $size, 'copy-text');
				my ($time, $first_time) = (median(map { $_->{elapsed_ms} } @trials), median(map { $_->{elapsed_ms} } @first));

				is(scalar @trials, 6, "$name: timed trials");
				is("$row->{trials_ok} $row->{trials_failed} $row->{elapsed_ms}{samples}", '6 0 6', "$name: the warm-up is not counted");
				about($row->{elapsed_ms}{median}, $time, "$name: the median is that of the trials");
				about($row->{elapsed_ms}{minimum}, min(map { $_->{elapsed_ms} } @trials), "$name: the least");
				about($row->{elapsed_ms}{maximum}, max(map { $_->{elapsed_ms} } @trials), "$name: the most");
				about($row->{rows_per_second}, 1000 * $size / $time, "$name: rows per second");
				ok($row->{elapsed_ms}{low} <= $time && $time <= $row->{elapsed_ms}{high}, "$name: the interval holds the median");
				ok($row->{verified} && $row->{rows_equal}, "$name: verified");
				cmp_ok($row->{client_cpu_ms}, '>', 0, "$name: CPU of the client");
				cmp_ok($row->{machine_cpu_ms}, '>=', 0, "$name: CPU of the machine");
				if ($path eq 'http-json')
				{
					cmp_ok($row->{api_cpu_ms}, '>', 0, "$name: CPU of the endpoint and its backend");
					is($row->{backend_cpu_ms}, undef, "$name: no backend of ours has a part in it");
				}
				else
				{
					cmp_ok($row->{backend_cpu_ms}, '>', 0, "$name: CPU of the backend");
					is($row->{api_cpu_ms}, undef, "$name: the endpoint has no part in it");
				}
				if ($path eq 'copy-text')
				{
					is($row->{toll}{ratio}, undef, "$name: no toll against itself");
					is($row->{extra_ms}, undef, "$name: no difference either");
					next;
				}
				about($row->{toll}{ratio}, $time / $first_time, "$name: the toll is the ratio of the medians");
				ok($row->{toll}{low} <= $row->{toll}{high}, "$name: the toll has an interval");
				about($row->{extra_ms}, $time - $first_time, "$name: the difference in ms");
				about($row->{extra_us_per_row}, ($time - $first_time) * 1000 / $size, "$name: the difference per row");
			}
		}
		for my $path (@{ $paths{$direction} })
		{
			my ($cost) = grep { $_->{direction} eq $direction && $_->{path} eq $path } @{ $report->{costs} };

			for my $size (500, 2000)
			{
				my $fitted = $cost->{fixed_ms} + $cost->{per_row_us} * $size / 1000;
				my $median = comparison_of($report, $direction, $size, $path)->{elapsed_ms}{median};

				cmp_ok(abs($median - $fitted) / $fitted, '<=', $cost->{worst_relative_error} * 1.3 + 1e-6, "$direction $path: the fitted cost at $size rows");
			}
			is($cost->{exceeds_budget}{where}, undef, "$direction $path: the first path exceeds no budget") if $path eq 'copy-text';
			like($cost->{exceeds_budget}{where}, qr/^(?:below|within|above)$/, "$direction $path: where the budget is exceeded") if $path eq 'http-json';
		}
	}
	my $orders = orders_of($report);
	for my $what (sort keys %$orders)
	{
		my @blocks = @{ $orders->{$what} };

		is($blocks[ $_ + 1 ], join(' ', reverse split / /, $blocks[$_]), "$what: block " . ($_ + 2) . ' is that before it, reversed') for (0, 2, 4);
	}
	my $position = 0;
	my %first_timed;
	for my $trial (@{ $report->{trials} })
	{
		my $key = "$trial->{direction} $trial->{size}";

		$first_timed{$key} //= $position if $trial->{trial} > 0;
		ok(!defined $first_timed{$key}, "$key $trial->{path}: verified before anything of this size is timed") if $trial->{trial} == 0;
		$position++;
	}
	my $again = compare('--sizes', '500,2000', '--trials', 6, '--paths', $ALL, '--order-seed', 7, '--verify', 'none', '--quiet');
	is_deeply(orders_of(report_of($again)), $orders, 'the same seed, the same order');
	is(scalar(grep { $_->{trial} == 0 && defined $_->{digest} } @{ report_of($again)->{trials} }), 0, '--verify none: nothing is hashed');
	is(scalar(grep { $_->{trial} == 0 } @{ report_of($again)->{trials} }), 16, '--verify none: each path and size is warmed up');
	is(comparison_of(report_of($again), 'read', 500, 'http-json')->{rows_equal}, undef, '--verify none: equality is not known');
	my $other = compare('--sizes', '500,2000', '--trials', 6, '--paths', $ALL, '--order-seed', 8, '--verify', 'none', '--quiet');
	isnt(join(';', map { @$_ } values %{ orders_of(report_of($other)) }), join(';', map { @$_ } values %$orders), 'another seed, another order');
}

# --- one direction, one size, few trials ---------------------------------------------------------

for my $direction (qw(read write))
{
	my $run = compare('--direction', $direction, '--sizes', 1, '--trials', 1);
	my $report = report_of($run);

	loader_ends($run, 0, undef, "$direction alone");
	is(join(',', sort { $a cmp $b } map { "$_->{direction} $_->{path}" } @{ $report->{comparisons} }), "$direction copy-binary,$direction http-json", "$direction alone");
	is($report->{comparisons}[0]{elapsed_ms}{low}, undef, "$direction alone: one trial has no interval");
	is($report->{costs}[1]{per_row_us}, undef, "$direction alone: one size has no fit");
	expect_order("$direction alone");
}

# --- budgets -------------------------------------------------------------------------------------

for my $budget ([ '1000x', 'ratio', 1000, 'above' ], [ '1h', undef ], [ '100s', 'extra_ms', 100000, 'above' ], [ '1.5x', 'ratio', 1.5, undef ])
{
	my ($text, $kind, $value, $where) = @$budget;
	my $run = compare('--direction', 'read', '--sizes', '100,1000', '--trials', 2, '--budget', $text, '--quiet');

	if (!defined $kind)
	{
		loader_ends($run, 1, [qr/--budget.*$text/], "--budget $text");
		next;
	}
	my $report = report_of($run);
	loader_ends($run, 0, undef, "--budget $text");
	is($report->{budget}{$kind}, $value, "--budget $text: told");
	my ($cost) = grep { $_->{path} eq 'http-json' } @{ $report->{costs} };
	is($cost->{exceeds_budget}{where}, $where, "--budget $text: not exceeded in what was measured") if defined $where;
	is($cost->{exceeds_budget}{rows}, undef, "--budget $text: no number outside of what was measured") if defined $where;
}

# --- how rows are written ------------------------------------------------------------------------

{
	my $report = report_of(compare('--direction', 'write', '--sizes', 3500, '--trials', 1, '--batch-rows', 1000, '--quiet'));
	my ($http) = samples_of($report, 'write', 3500, 'http-json');

	is($report->{batch_rows}, 1000, '--batch-rows: told');
	is($http->{requests}, 4, '--batch-rows: requests');
	ok(!$report->{as_shipped}, '--batch-rows: the same for all paths');
}
{
	my $run = run_loader($node, 'compare', '--direction', 'write', '--sizes', 3500, '--trials', 1, '--batch-rows', 1000, '--as-shipped', '--unlogged');

	loader_ends($run, 0, undef, '--as-shipped');
	like($run->{output}, qr/rows per transaction as each path ships them/, '--as-shipped: labelled');
	like($run->{output}, qr/NOT DURABLE: the table is unlogged/, '--unlogged: labelled');
}
{
	my $report = report_of(compare('--direction', 'write', '--sizes', 3000, '--trials', 1, '--pregenerate', '--jobs', 2, '--quiet'));

	for my $path (qw(copy-binary http-json))
	{
		my ($trial) = samples_of($report, 'write', 3000, $path);
		is($trial->{phases}{encode_ms}, 0, "--pregenerate: $path encodes nothing in the timed region");
		cmp_ok($trial->{phases}{read_back_ms}, '>', 0, "--pregenerate: $path reads back");
	}
	is($report->{jobs}, 2, '--jobs: told');
}

# --- a table and a query of somebody's -----------------------------------------------------------

$session->value($_) for (
	'CREATE TABLE "Odd, ""name""" ("Id x" int, "select" text, v numeric, a int[], r int4range, "ümlaut" timestamptz)',
	q{INSERT INTO "Odd, ""name""" SELECT i, 't''"\\' || i, i / 3.0, ARRAY[i, NULL], int4range(0, i), now() FROM generate_series(1, 1500) AS i},
	'CREATE TABLE none (id int)');
{
	my $run = compare('--source', '"Odd, ""name"""', '--trials', 1, '--paths', 'copy-text,insert,select,http-json');
	my $report = report_of($run);

	loader_ends($run, 0, undef, 'odd names');
	is(join(',', sort { $a <=> $b } keys %{ { map { $_->{size} => 1 } @{ $report->{trials} } } }), 1500, 'odd names: all rows that there are');
	is(scalar(grep { $_->{verified} && $_->{rows_equal} } @{ $report->{comparisons} }), 6, 'odd names: rows equal on each path');
	is($session->value(q{SELECT count(*) FROM "Odd, ""name"""}), 1500, 'odd names: nobody wrote to it');
	expect_order('odd names');
}
{
	my $query = q{SELECT "Id x" AS id, "select" FROM "Odd, ""name""" WHERE "Id x" % 2 = 0 ORDER BY 1 DESC};
	my $run = compare('--query', $query, '--sizes', '100,700', '--trials', 1);

	loader_ends($run, 0, undef, 'a query');
	is(scalar(grep { $_->{rows_equal} } @{ report_of($run)->{comparisons} }), 8, 'a query: rows equal');
	expect_order('a query');
}
loader_ends(compare('--source', '"Odd, ""name"""', '--sizes', '100', '--trials', 1, '--paths', 'copy-text,http-json', '--quiet'),
	0, [qr/warning: public\."Odd, ""name""" has no primary key: which 100 rows/], 'rows that are the server\'s choice');
loader_ends(compare('--source', '"Odd, ""name"""', '--sizes', '1e6'), 1, [qr/--sizes: 1000000 .*1500/], 'more rows than there are');
loader_ends(compare('--source', '"Odd, ""name"""', '--sizes', '100'), 1, [ qr/copy-binary: column "r"/, qr/--paths copy-text,http-json/ ], 'a type that a path cannot write');
loader_ends(compare('--source', 'none'), 1, [qr/no rows/], 'a table without rows');
expect_order('refused');

{
	# as wide as a table can be, with names as long as they can be, which JSON makes longer still
	my $long = sub { my ($start) = @_; return '"' . $start . '""' x 20 . 'x' x (43 - length $start) . '"' };
	my $schema = $long->('s');

	$session->value($_) for (
		"CREATE SCHEMA $schema", "CREATE TYPE $schema." . $long->('e') . q( AS ENUM ('a', 'b')),
		'CREATE TABLE widest (' . join(', ', map { $long->("c$_") . " $schema." . $long->('e') } 1 .. 1600) . ')',
		'INSERT INTO widest (' . $long->('c1') . ", " . $long->('c1600') . q{) VALUES ('a', 'b'), ('b', NULL)});
	my $run = compare('--source', 'widest', '--sizes', 2, '--trials', 1, '--paths', 'copy-text,http-json');

	loader_ends($run, 0, undef, 'the widest table');
	is(scalar(grep { $_->{rows_equal} } @{ report_of($run)->{comparisons} }), 4, 'the widest table: rows equal');
}

# --- an endpoint elsewhere -----------------------------------------------------------------------

$session->value('SELECT bench_reference_table(3000)');
{
	my $endpoint = start_endpoint($node, '--table', 'bench_reference', '--save-table', 'public.written');
	my $run = compare('--url', $endpoint->url(''), '--sizes', '1000,3000', '--trials', 2);
	my $report = report_of($run);

	loader_ends($run, 0, undef, 'another endpoint');
	is($report->{table}, 'public.written', 'another endpoint: its table is written to');
	is(scalar(grep { $_->{rows_equal} } @{ $report->{comparisons} }), 8, 'another endpoint: rows equal');
	cmp_ok(comparison_of($report, 'write', 3000, 'http-json')->{api_cpu_ms}, '>', 0, 'another endpoint: tells its CPU');
	is(our_tables($session), 0, 'another endpoint: no table is left');

	$run = compare('--url', $endpoint->url(''), '--api', 'plumber', '--source', 'bench_reference', '--table', 'public.written', '--sizes', 1000,
		'--trials', 1, '--api-pid', $endpoint->pid, '--api-application-name', 'transferbench serve', '--system-memory');
	$report = report_of($run);
	loader_ends($run, 0, undef, 'a dialect without /info');
	for my $direction (qw(read write))
	{
		my ($trial) = samples_of($report, $direction, 1000, 'http-json');
		cmp_ok($trial->{cost}{api_cpu_ms}, '>', 0, "a dialect without /info: $direction: CPU of --api-pid");
		cmp_ok($trial->{cost}{api_backend_cpu_ms}, '>', 0, "a dialect without /info: $direction: CPU of the backends by their name");
		cmp_ok($trial->{cost}{system_memory_bytes}, '>', 0, "a dialect without /info: $direction: memory of the host");
	}
	loader_ends(compare('--url', $endpoint->url(''), '--api', 'plumber', '--source', 'bench_reference', '--sizes', 10), 1, [qr/--table is missing/], 'no table for the endpoint');
	loader_ends(compare('--url', $endpoint->url(''), '--api', 'plumber', '--table', 'public.written', '--sizes', 10), 1, [qr/--source or --query is missing/], 'no source for the endpoint');
	$endpoint->stop;
}
{
	my $endpoint = start_endpoint($node, '--table', 'bench_reference');
	my $run = compare('--url', $endpoint->url(''), '--sizes', 1000, '--trials', 1);

	loader_ends($run, 0, [qr/writes to no table of its own.*reading alone/], 'an endpoint that only reads');
	is(join(',', map { $_->{direction} } @{ report_of($run)->{comparisons} }), 'read,read', 'an endpoint that only reads is compared in reading');
	loader_ends(compare('--url', $endpoint->url(''), '--direction', 'write', '--sizes', 1000), 1, [qr/writes to no table of its own/], 'an endpoint that cannot write');
	$endpoint->stop;
}

my $server = start_http_server(files => $directory);
{
	my $file = "$directory/three.json";
	append_to_file($file, $session->value('SELECT json_agg(r ORDER BY id) FROM (SELECT * FROM bench_reference ORDER BY id LIMIT 3) AS r'));
	my $run = compare('--api', 'postgrest', '--get-url', $server->url('/file/three.json'), '--source', 'bench_reference', '--direction', 'read', '--sizes', 3, '--trials', 2);

	loader_ends($run, 0, undef, 'PostgREST');
	ok(comparison_of(report_of($run), 'read', 3, 'http-json')->{rows_equal}, 'PostgREST: rows equal');

	# amounts without their digits: told with the figures, which are samples all the same
	(my $body = slurp_file($file)) =~ s/"ratio":(-?\d+)\.\d+/"ratio":$1/g;
	append_to_file("$directory/changed.json", $body);
	$run = compare('--api', 'postgrest', '--get-url', $server->url('/file/changed.json'), '--source', 'bench_reference', '--direction', 'read', '--sizes', 3, '--trials', 2);
	my $row = comparison_of(report_of($run), 'read', 3, 'http-json');
	is($run->{status}, 3, 'an API that changes values: exit status');
	is("$row->{rows_equal} $row->{values_changed} $row->{changed_columns}", '0 3 ratio (3)', 'an API that changes values: which');
	is($row->{trials_ok}, 2, 'an API that changes values: its times are samples');

	# rows that were said to be saved, and are not there
	$run = compare('--api', 'template', '--post-url', $server->url('/save'), '--table', 'public.written', '--direction', 'write', '--sizes', 50, '--trials', 2);
	loader_ends($run, 2, [qr/rows are lost/], 'an API that saves nothing');
	is(our_tables($session), 0, 'an API that saves nothing: no table is left');

	$run = compare('--api', 'template', '--get-url', $server->url('/status/500'), '--source', 'bench_reference', '--direction', 'read', '--sizes', '10,100', '--trials', 2);
	loader_ends($run, 2, [qr/HTTP status 500/], 'an API that fails');
	is(comparison_of(report_of($run), 'read', 10, 'http-json')->{elapsed_ms}{median}, undef, 'an API that fails: no time of it');

	# well at first, and not later
	$run = compare('--api', 'template', '--get-url', $server->url('/flaky', key => 'k', fail => '3,4,5,6,7,8,9', n => 3), '--query', 'SELECT i AS id, i + 0.5 AS x FROM generate_series(1, 3) AS i ORDER BY 1',
		'--direction', 'read', '--sizes', 3, '--trials', 20);
	$row = comparison_of(report_of($run), 'read', 3, 'http-json');
	loader_ends($run, 2, [qr/http-json failed 3 times in a row: nothing more is measured/], 'an API that goes on failing');
	is("$row->{trials_ok} $row->{trials_failed}", '1 3', 'an API that goes on failing: its samples and failures');
	$run = compare('--api', 'template', '--get-url', $server->url('/flaky', key => 'l', fail => '4', n => 3), '--query', 'SELECT i AS id, i + 0.5 AS x FROM generate_series(1, 3) AS i ORDER BY 1',
		'--direction', 'read', '--sizes', 3, '--trials', 4);
	$row = comparison_of(report_of($run), 'read', 3, 'http-json');
	loader_ends($run, 2, [qr/trial 3 failed: HTTP status 500/], 'an API that fails once');
	is("$row->{trials_ok} $row->{trials_failed} $row->{elapsed_ms}{samples}", '3 1 3', 'an API that fails once: is no sample, and no end');
}

# --- disturbed on the way ------------------------------------------------------------------------

# Starts a long comparison; waits until trials of the direction are on their way.
sub start_long_compare
{
	my ($direction, @arguments) = @_;
	my $run = start_loader($node, 'compare', '--sizes', '1e5', '--trials', 1000, '--direction', $direction, '--format', 'json', '--max-write-bytes', '10TB', @arguments);

	wait_until(sub { our_tables($session) > 0 && endpoints() == 1 }, 'tables and endpoint');
	wait_until(sub { working($direction) ne '' }, "the $direction direction is measured");
	sleep 1;
	$run->{pid} = $run->{harness}{KIDS}[0]{PID};
	return $run;
}

sub working
{
	my ($direction) = @_;
	my $what = $direction eq 'read' ? '%COPY (SELECT%' : '%COPY %FROM STDIN%';

	return $session->value("SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '$what' AND application_name LIKE 'transferbench/%' LIMIT 1");
}

for my $direction (qw(read write))
{
	for my $signal (qw(INT TERM))
	{
		my $name = "SIG$signal while $direction is measured";
		my $run = start_long_compare($direction);
		my $began = time;
		kill $signal, $run->{pid};
		finish_loader($run);
		my $report = report_of($run);

		is($run->{status}, 2, "$name: exit status");
		cmp_ok(time - $began, '<', 3, "$name: it is prompt");
		is($report->{exit_status}, 2, "$name: the report says so");
		is(scalar(grep { $_->{status} eq 'failed' && $_->{problem} !~ /interrupted/ } @{ $report->{trials} }), 0, "$name: nothing is told as failed");
		is(scalar(map { @{ $_->{in_doubt} } } @{ $report->{trials} }), 0, "$name: nothing is in doubt, since it was counted");
		cmp_ok(scalar @{ $report->{comparisons} }, '>', 0, "$name: what was measured is summarised");
		is($_->{elapsed_ms}{samples}, scalar(samples_of($report, $direction, 100000, $_->{path})), "$name: the samples of $_->{path}")
		  for @{ $report->{comparisons} };
		expect_order($name);
	}
}
{
	my $run = start_long_compare('write');
	my @children = endpoints();
	kill 'KILL', $run->{pid};
	finish_loader($run);
	wait_until(sub { endpoints() == 0 }, 'the endpoint ends when its run was killed');
	is(our_tables($session), 1, 'kill -9: the table stays');
	wait_until(sub { $session->value(q{SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'transferbench%'}) == 0 }, 'the sessions end');
	loader_ends(run_loader($node, 'cleanup'), 0, undef, 'cleanup after kill -9');
	expect_order('kill -9 and cleanup');
}
for my $direction (qw(read write))
{
	my $name = "the endpoint killed while $direction is measured";
	my $run = start_long_compare($direction);
	kill 'KILL', endpoints();
	finish_loader($run);

	loader_ends($run, 2, [qr/the endpoint of this run was ended by signal 9/], $name);
	cmp_ok(scalar(grep { $_->{status} eq 'failed' } @{ report_of($run)->{trials} }), '<=', 1, "$name: no trial after it");
	expect_order($name);
}
{
	my $run = start_long_compare('read');
	my $killed = '';
	wait_until(sub { $killed = working('read') }, 'a native trial');
	$session->value("SELECT pg_terminate_backend($killed)");
	sleep 1;
	kill 'INT', $run->{pid};
	finish_loader($run);
	my $report = report_of($run);
	my $row = comparison_of($report, 'read', 100000, 'copy-binary');

	loader_ends($run, 2, [qr/57P01|server closed the connection/], 'a backend terminated');
	is($row->{elapsed_ms}{samples}, scalar(samples_of($report, 'read', 100000, 'copy-binary')), 'a backend terminated: the trial is no sample');
	cmp_ok($row->{trials_failed}, '>=', 1, 'a backend terminated: counted as failed');
	expect_order('a backend terminated');
}
{
	my $run = start_long_compare('write');
	$node->stop('immediate');
	finish_loader($run);
	is($run->{status}, 2, 'the server stopped: exit status');
	cmp_ok(scalar(split /\n/, $run->{errors}), '<', 20, 'the server stopped: said, and not for each trial that is left');
	$node->start;
	$session = TransferBench::Session->new($node);
	loader_ends(run_loader($node, 'cleanup'), 0, undef, 'the server stopped: cleanup');
	expect_order('the server stopped, and cleanup');
}

# --- reports -------------------------------------------------------------------------------------

{
	my $run = run_loader($node, 'compare', '--sizes', 100, '--trials', 2);

	loader_ends($run, 0, undef, 'a table');
	like($run->{output}, qr/\Q$_\E/, "a table: $_")
	  for ('Reading from the database', 'Writing to the database', '100 rows, 2 trials each, rows equal', 'What it costs', 'fsync on', 'order seed');
}
{
	my $run = run_loader($node, 'compare', '--sizes', 100, '--trials', 2, '--format', 'csv', '--quiet');

	is(scalar(my @lines = split /\r\n/, $run->{output}), 1 + 2 * 2 * 3, 'CSV: a header, a line for each warm-up and trial');
	is($run->{errors}, '', '--quiet');
}
{
	my $run = run_loader($node, 'compare', '--sizes', 100, '--trials', 2, '--format', 'markdown', '--output', "$directory/report.md");

	is($run->{output}, '', '--output: nothing on standard output');
	like(slurp_file("$directory/report.md"), qr/^\| path \|.*\|\n\|---\|/m, 'markdown: a table');
}
{
	my $weak = start_node('compare_weak');
	my $run = run_loader($weak, 'compare', '--sizes', 100, '--trials', 1);

	like($run->{output}, qr/Writing to the database.*NOT DURABLE/s, 'fsync off: writing is headed NOT DURABLE');
	$run = run_loader($weak, 'compare', '--sizes', 100, '--trials', 1, '--direction', 'read');
	unlike($run->{output}, qr/NOT DURABLE/, 'fsync off: reading is not');
	unlike(run_loader($node, 'compare', '--sizes', 100, '--trials', 1)->{output}, qr/NOT DURABLE/, 'fsync on: writing is not');
	$weak->stop;
}

# --- arguments, rights ---------------------------------------------------------------------------

for my $wrong (
	[ [ '--sizes', '0' ], qr/--sizes.*0/ ],
	[ [ '--sizes', '10,' ], qr/--sizes/ ],
	[ [ '--trials', '0' ], qr/--trials/ ],
	[ [ '--paths', 'copy-text' ], qr/--paths.*two/ ],
	[ [ '--paths', 'copy-text,copy-text' ], qr/--paths.*copy-text.*twice/ ],
	[ [ '--paths', 'select,copy-text' ], qr/--direction read/ ],
	[ [ '--paths', 'copy-text,smoke-signals' ], qr/--paths.*smoke-signals/ ],
	[ [ '--paths', '' ], qr/--paths/ ],
	[ [ '--direction', 'up' ], qr/--direction.*up/ ],
	[ [ '--append', '--table', 'x' ], qr/--append/ ],
	[ [ '--api', 'postgrest' ], qr/--api postgrest.*--url/ ],
	[ [ '--api', 'template', '--get-url', 'http://127.0.0.1/' ], qr/--post-url is missing.*--direction read/ ],
	[ [ '--url', 'http://127.0.0.1:1' ], qr/--url/ ],
	[ [ '--source', 'nowhere' ], qr/--source.*nowhere/ ],
	[ [ '--max-write-bytes', '1MB' ], qr/--max-write-bytes/ ])
{
	my ($arguments, $pattern) = @$wrong;

	loader_ends(run_loader($node, 'compare', @$arguments), 1, [$pattern], "compare @$arguments");
}
{
	my $run = run_loader($node, 'compare', '--source', 'bench_reference', '--dry-run');

	loader_ends($run, 0, [ qr/would read 3000 rows by copy-binary, http-json/, qr/would write 3000 rows/, qr/nothing was written/ ], '--dry-run');
	expect_order('--dry-run');
}
$session->value($_) for ('CREATE ROLE poor LOGIN', 'CREATE SCHEMA open', 'GRANT USAGE, CREATE ON SCHEMA open TO poor');
for my $direction (qw(both read))
{
	loader_ends(compare('-U', 'poor', '--sizes', 10, '--direction', $direction), 1, [ qr/GRANT USAGE, CREATE ON SCHEMA public/, qr/--table/ ], "no CREATE in public, $direction");
}
loader_ends(compare('-U', 'poor', '--sizes', 10, '--trials', 1, '--table', 'open.t'), 0, undef, 'both tables in the schema of --table');
expect_order('in the end');

done_testing();
