# Cancel, terminate and timeout take effect within 100 ms of the signal, in
# every wait and every loop; failing calls leave nothing behind.
use strict;
use warnings FATAL => 'all';

use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;

use constant {
	LIMIT_MS => 100,
	TIMEOUT_MS => 200,
	FAILING_CALLS => 1000,
	MEMORY_TOLERANCE => 1 << 20, };

my $directory = PostgreSQL::Test::Utils::tempdir();
my $resolver = build_resolver($directory);
my $node = start_node(
	'cancel',
	settings => join("\n",
		'max_parallel_workers_per_gather = 1',
		# nothing interrupts PostgreSQL while it compiles an expression
		'jit = off',
		"pg_transferbench.allowed_hosts = '127.0.0.1, *.test'"),
	environment => { $resolver ? (LD_PRELOAD => $resolver) : () });
my $server = start_http_server(files => $directory);
my $observer = TransferBench::Session->new($node);

$observer->value($_)
  for (
	'CREATE TABLE points (id bigint, x float8)',
	'CREATE TABLE texts (id bigint, x text)',

	# seconds of work in 4 MB; a check is nothing that can be interrupted
	"CREATE DOMAIN slow AS int CHECK (md5(lpad(VALUE::text, 300)) <> '')",
	'CREATE TYPE strict_pair AS (a slow, b slow)',
	'CREATE TABLE slow_arrays (id bigint, x slow[])',
	'CREATE TABLE slow_composites (id bigint, x strict_pair[])',
	'CREATE TABLE stored AS SELECT i::bigint AS id, i + 0.5::float8 AS x FROM generate_series(1, 100000) AS i'
  );

# --- where a statement can be --------------------------------------------------------

sub fetch
{
	my ($url, $n, $row_type, %options) = @_;

	return fetch_call('*', $url, $n, row_type => "'$row_type'", %options);
}

# Waits until the backend waits for the other end.
sub until_waiting
{
	my ($session) = @_;
	wait_for_backend($observer, $session->pid, 'Extension');
	return;
}

# Waits until the scripted server has seen a request, and a moment more, so
# that what it sends has been read.
sub until_requested
{
	wait_until(sub { scalar $server->requests }, 'a request');
	sleep 0.05;
	return;
}

# The whole row has come, and its decoding is over.
sub until_converting
{
	until_requested();
	sleep 0.2;
	return;
}

sub until_computing
{
	my ($session) = @_;
	wait_for_backend($observer, $session->pid);
	sleep 0.05;
	return;
}

# One row of 4 MB; its URL.
sub publish_row
{
	my ($name, $element) = @_;
	my $elements = join ',', ($element) x (((4 << 20) - 100) / (1 + length $element));

	append_to_file("$directory/$name", "[{\"id\":1,\"x\":[$elements]}]");
	return $server->url("/file/$name", type => 'application/json');
}

my $endless_rows = $server->url('/endless_body', start => '[{"id":0}', unit => ',{"id":1,"x":1.5}');
my @places = (

	# name, statement, when to act
	[   'connecting', fetch("http://127.0.0.1:$server->{unanswered_port}/", 1, 'points'),
		\&until_waiting ],

	# the server waits for a request line while the client waits for its greeting
	[   'shaking hands for TLS',
		fetch($server->url('/rows') =~ s/^http/https/r, 1, 'points'),
		\&until_waiting ],
	[   'waiting for the answer',
		fetch($server->url('/accept_only'), 1, 'points'),
		\&until_requested ],
	[   'waiting within the body',
		fetch($server->url('/stall', after => 20), 3, 'points'),
		\&until_requested ],
	[   'a body that drips',
		fetch($server->url('/endless_body', unit => ' ', delay_ms => 1), 1, 'points'),
		\&until_requested ],
	[ 'decoding rows', fetch($endless_rows, 1_000_000_000, 'points'), \&until_requested ],
	[   'decoding rows to be verified',
		fetch($endless_rows, 1_000_000_000, 'points', verify => 'true'),
		\&until_requested ],
	[   'converting an array of 4 MB',
		fetch(publish_row('array', '1'), 1, 'slow_arrays'),
		\&until_converting ],
	[   'converting composites in an array of 4 MB',
		fetch(publish_row('composites', '{"a":1,"b":2}'), 1, 'slow_composites'),
		\&until_converting ],
	# each number is a few bytes, and 50,000 digits
	[   'hashing a long array',
		extract_call(
			'*',
			'SELECT array_fill(i * 1e50000, ARRAY[50000]) FROM generate_series(1, 1000) AS i',
			1000, verify => 'true'),
		\&until_computing ],
	[   'decoding one endless row',
		fetch($server->url('/endless_body', start => '[{"id":1,"x":"', unit => 'x'), 1, 'texts'),
		\&until_requested ],
	[   'white space without end',
		fetch($server->url('/endless_body', unit => ' '), 1, 'points'),
		\&until_requested ],
	[   'unpacking gzip',
		fetch($server->url('/bomb', mb => 1_000_000), 1, 'texts'),
		\&until_requested ],
	[   'spooling a column',
		fetch(
			$server->url('/endless_body', start => '{"id":[0', unit => ',1'), 1_000_000_000,
			'points'),
		\&until_requested ],
	[   'pausing before a retry',
		fetch(
			$server->url('/retry', key => 'cancel', after => 30, times => 1_000_000), 1, 'points'),
		\&until_requested ],
	[ 'generating rows', extract_call('*', undef, 1_000_000_000), \&until_computing ],
	[   'generating rows to be verified',
		extract_call('*', undef, 1_000_000_000, verify => 'true'),
		\&until_computing ],
	[ 'generating rows in SQL', 'SELECT count(*) FROM bench_rows(1000000000)', \&until_computing ],
	[   'running a query',
		extract_call('*', 'SELECT a.* FROM stored AS a, stored AS b', 1_000_000_000),
		\&until_computing ],
	[   'running a parallel query',
		extract_call('*', 'SELECT count(*) FROM stored AS a, stored AS b WHERE a.x <> b.x', 1),
		\&until_computing ],
	[ 'sleeping in a query', extract_call('*', 'SELECT pg_sleep(3600)', 1), \&until_computing ],
	[   'comparing',
		'SELECT * FROM bench_compare('
		  . literal($endless_rows)
		  . ", '{1000000000}', query => 'SELECT id, x FROM stored', row_type => 'points')",
		\&until_requested ],
	[ 'making the reference table', 'SELECT bench_reference_table(1000000000)', \&until_computing ]
);

push @places, [ 'looking up a name', fetch('http://stalled.test/', 1, 'points'), \&until_waiting ]
  if $resolver;

# some queries above are long only when the limits are
my %limits = (
	'pg_transferbench.max_response_bytes' => '1TB',
	'pg_transferbench.max_row_bytes' => '1000MB',
	'temp_file_limit' => '-1');

# --- acting upon it ------------------------------------------------------------------

my %acts = (
	cancel => { sqlstate => '57014', act => sub { kill 'INT', $_[0]->pid } },
	terminate => { sqlstate => '57P01', act => sub { kill 'TERM', $_[0]->pid } },
	interrupt => { sqlstate => '57014', act => sub { $_[0]->interrupt } });

my @latencies;

# Sends the statement, acts when it is where it should be, and asserts: in time,
# by the signal's time, and with its SQLSTATE.
sub act_upon
{
	my ($session, $how, $place) = @_;
	my ($name, $sql, $when) = @$place;

	$server->forget_requests;
	$session->send($sql);
	$when->($session);
	my $start = time();
	$acts{$how}{act}->($session);
	my $result = $session->finish;
	my $latency_ms = (time() - $start) * 1000;
	push @latencies, $latency_ms;

	my $sqlstate = $result->{error}{sqlstate} // 'none';
	ok($sqlstate eq $acts{$how}{sqlstate} && $latency_ms < LIMIT_MS, "$how while $name")
	  or diag(sprintf "%.1f ms, SQLSTATE %s: %s", $latency_ms, $sqlstate, $result->{errors});
	return;
}

sub new_session
{
	return TransferBench::Session->new($node, settings => \%limits);
}

my $session = new_session();
for my $place (@places)
{
	for (1 .. 3)
	{
		act_upon($session, 'cancel', $place);
	}
	succeeds($session, fetch_call('rows, status', $server->url('/rows'), 3, row_type => "'points'"),
		'3|ok', "the next statement works after: $place->[0]");
}
for my $place (@places)
{
	act_upon(new_session(), 'interrupt', $place);
	act_upon(new_session(), 'terminate', $place);
}
cmp_ok(scalar @latencies, '>=', 100, 'a hundred signals were sent');
is((scalar grep { $_ < LIMIT_MS } @latencies), scalar @latencies,
	'all of them took effect in time');
note(sprintf 'slowest: %.1f ms', max @latencies);
wait_until(
	sub { $observer->value("SELECT count(*) FROM pg_stat_activity WHERE state = 'active'") eq '1' },
	'the end of all statements');
pass('no statement is left running');
succeeds($observer,
	"SELECT count(*) FROM pg_class WHERE relname LIKE 'bench_reference%' AND relkind = 'r'",
	'0', 'no half-made reference table is left');
is((scalar glob($node->data_dir . '/base/pgsql_tmp/*')), undef, 'no temporary file is left');

# --- the server's own timeout ----------------------------------------------------------

$session->value('SET statement_timeout = ' . TIMEOUT_MS);
for my $place (@places)
{
	my ($name, $sql) = @$place;
	my $start = time();
	my $result = $session->run($sql);
	my $late_ms = (time() - $start) * 1000 - TIMEOUT_MS;
	ok(($result->{error}{sqlstate} // '') eq '57014' && $late_ms < LIMIT_MS,
		"statement_timeout while $name")
	  or diag(sprintf "%.1f ms late: %s", $late_ms, $result->{errors});
}
$session->value('RESET statement_timeout');

# --- several trials: a cancel is no failed trial ------------------------------------------

{
	$server->forget_requests;
	$session->send(fetch($server->url('/accept_only'), 1, 'points', trials => 5));
	until_requested();
	kill 'INT', $session->pid;
	my $result = $session->finish;
	is($result->{error}{sqlstate}, '57014', 'a cancel among several trials ends them all');
	succeeds($session, fetch_call('rows, status', $server->url('/rows'), 3, row_type => "'points'"),
		'3|ok', 'and the next statement works');
}

# --- failing calls leave nothing behind -----------------------------------------------------

my @failing = (
	fetch($server->url('/json', body => '[{"id":1},{"id":'), 3, 'points'),
	fetch($server->url('/json', body => '[{"id":1},{"id":"x"}]'), 3, 'points'),
	fetch($server->url('/json', body => '{"id":[1,2],"x":[1]}'), 3, 'points'),
	fetch($server->url('/json', body => '{"id":[1,2],"x":[1,"b"]}'), 3, 'points'),
	fetch($server->url('/status/500'), 3, 'points'),
	fetch($server->url('/ok_error'), 3, 'points'),
	fetch($server->url('/short'), 3, 'points'),
	fetch($server->url('/close'), 3, 'points'),
	fetch($server->url('/gzip', damage => 1), 3, 'points'),
	fetch($server->url('/json', encoding => 'br'), 3, 'points'),
	fetch($server->url('/rows', extra => 1), 3, 'points'),
	fetch('http://192.0.2.1/', 3, 'points'),
	fetch('http://127.0.0.1:1/', 3, 'points'),
	extract_call('*', 'SELECT 1 / (3 - i) AS x FROM generate_series(1, 5) AS i', 5));
push @failing, fetch('http://unknown.test/', 3, 'points') if $resolver;

sub fail_a_round
{
	my ($rounds) = @_;
	my $failed = 0;

	for (1 .. $rounds)
	{
		for my $sql (@failing)
		{
			my $error = $session->run($sql)->{error};
			$failed++ if $error && $error->{sqlstate} ne '25P02';
		}
	}
	return $failed;
}

my $rounds = int(FAILING_CALLS / @failing);
fail_a_round(10);    # caches fill, the heap takes its shape
my ($memory, $descriptors) = (private_memory($session->pid), open_descriptors($session->pid));
is(fail_a_round($rounds), $rounds * @failing, 'every failing call fails: ' . $rounds * @failing);
cmp_ok(private_memory($session->pid) - $memory,
	'<', MEMORY_TOLERANCE, 'memory is flat over failing calls');
is(open_descriptors($session->pid), $descriptors, 'descriptors are flat over failing calls');
succeeds($session,
	'SELECT count(*) FROM pg_backend_memory_contexts WHERE name ILIKE \'%bench%\' AND level > 1',
	qr/^[0-3]$/, 'no memory context of theirs is left');

$session->run("BEGIN; SAVEPOINT s");
for my $sql (@failing)
{
	my $result = $session->run($sql);
	$session->run('ROLLBACK TO s');
}
succeeds(
	$session, fetch_call('rows, status', $server->url('/rows'), 3, row_type => "'points'"),
	'3|ok', 'after errors under a savepoint the transaction goes on');
succeeds($session, 'COMMIT', '', 'and commits');

done_testing();
