# What a run may not do to somebody's staging server, whoever tries to make it.
use strict;
use warnings FATAL => 'all';

use IO::Socket::INET;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();

my $node    = start_node('manners', extension => 0);
my $session = TransferBench::Session->new($node);
my $sockets = $node->host;

$session->value($_) for ('CREATE TABLE big (id int PRIMARY KEY, note text)', q{INSERT INTO big SELECT g, 'note ' || g FROM generate_series(1, 2000) AS g});

# --- what the endpoint names is not run ------------------------------------------------------

$session->value($_) for (
	'CREATE ROLE mallory LOGIN', 'CREATE SCHEMA evil AUTHORIZATION mallory', 'CREATE TABLE witness (who name)', 'GRANT INSERT ON witness TO public',
	'SET ROLE mallory',
	q{CREATE FUNCTION evil.f() RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM pg_notify('evil', current_user); RETURN 1; END$$},
	'CREATE VIEW evil.v AS SELECT evil.f() AS id', 'CREATE TABLE evil.t (id int PRIMARY KEY)', 'INSERT INTO evil.t SELECT generate_series(1, 100)',
	'GRANT USAGE ON SCHEMA evil TO public', 'GRANT SELECT ON evil.v, evil.t TO public', 'RESET ROLE');
{
	my $endpoint = start_endpoint($node, '--query', 'SELECT 1 AS id', '--read-only');
	my $view = start_endpoint($node, '--table', 'evil.v', '--read-only');
	my $table = start_endpoint($node, '--table', 'evil.t', '--read-only');

	for my $command ([ 'compare', '--direction', 'read', '--sizes', 1, '--trials', 1 ], [ 'fetch', '--rows', 1, '--paths', 'copy-binary' ])
	{
		my $run = run_loader($node, @$command, '--url', $view->url(''));

		loader_ends($run, 1, [qr/evil\.v.*--source/], "$command->[0]: a view that only the endpoint names");
	}
	loader_ends(run_loader($node, 'fetch', '--rows', 100, '--url', $table->url(''), '--quiet'), 0, undef, 'a plain table that the endpoint names');
	loader_ends(run_loader($node, 'fetch', '--rows', 1, '--source', 'evil.v', '--paths', 'copy-binary', '--quiet'), 0, undef, 'a view that the user names');
	$_->stop for $endpoint, $view, $table;
}

# --- reading reads ---------------------------------------------------------------------------

$session->value($_) for (
	'CREATE TABLE side (n int)',
	'CREATE FUNCTION writes(n int) RETURNS int LANGUAGE sql VOLATILE AS $$INSERT INTO side VALUES (n) RETURNING n$$');
for my $command ([ 'fetch', '--verify', 'none' ], [ 'compare', '--direction', 'read', '--sizes', 5, '--trials', 1 ], [ 'copy', '--from-query' ])
{
	my $query = 'SELECT writes(i) AS id FROM generate_series(1, 5) AS i';
	my $run = run_loader($node, @$command, $command->[-1] eq '--from-query' ? $query : ('--query', $query));

	isnt($run->{status}, 0, "$command->[0]: a query that writes is refused");
	like($run->{errors}, qr/25006|read-only/, "$command->[0]: because it writes");
	is($session->value('SELECT count(*) FROM side'), 0, "$command->[0]: nothing was written");
}

# --- the endpoint of a comparison is its own -------------------------------------------------

{
	my $run = start_loader($node, 'compare', '--source', 'big', '--sizes', 2000, '--trials', 200);
	my $port;

	# processes of this test: their command line has the cluster's port
	my $endpoints_of_runs = sub {
		my $mine = $node->port;
		return scalar grep { /^transferbench\0serve\0--quiet\0/ && /port=$mine / } map { eval { slurp_file("$_/cmdline") } // '' } glob '/proc/[0-9]*';
	};
	wait_until(sub { $run->{harness}->pump_nb; ($port) = $run->{errors} =~ /endpoint of this run, http:\S+?:(\d+)/; defined $port }, 'the endpoint');
	is($endpoints_of_runs->(), 1, 'it runs');
	for my $request ("GET /load_from_db?row_limit=1", 'POST /save_to_db')
	{
		my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die "could not connect: $@";

		print $socket "$request HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n";
		my $answer = do { local $/; <$socket> };
		like($answer, qr{^HTTP/1.1 401 .*WWW-Authenticate: Bearer}s, "$request by somebody else: asked for a token");
	}
	$run->{harness}->signal('INT');
	finish_loader($run);
	is($run->{status}, 2, 'interrupted');
	is($endpoints_of_runs->(), 0, 'its endpoint is gone');
}
{
	my $run = run_loader($node, 'compare', '--sizes', 1000, '--trials', 1, '--paths', 'copy-binary,insert,select');

	loader_ends($run, 0, [qr/reference rows/], 'native paths only');
	unlike($run->{errors}, qr/endpoint of this run/, 'no endpoint where nothing leads over HTTP');
}

# --- a run is known, and stopped -------------------------------------------------------------

{
	my $named = $node->connstr('postgres') . ' application_name=dba';
	my $run = start_loader(undef, 'copy', '-d', $named, '--rows', '20M', '--table', 'long', '--max-write-bytes', '1TB');

	wait_until(sub { $session->value("SELECT count(*) FROM pg_stat_progress_copy") > 0 }, 'the copy began');
	loader_ends(run_loader($node, 'cleanup'), 0, undef, 'cleanup beside a run whose connection string has a name');
	is(our_tables($session), 1, 'the table of a live run stays');
	$run->{harness}->signal('HUP');
	finish_loader($run);
	is($run->{status}, 2, 'SIGHUP ends a run in order');
	is(our_tables($session), 0, 'and its table is dropped');
}

# --- sizes, and secrets ----------------------------------------------------------------------

loader_ends(run_loader($node, 'compare', '--sizes', '1e3,1000'), 1, [qr/--sizes: 1000 comes twice/], 'a size that comes twice');
for my $secret (
	[ 'copy', '-d', 'postgresql://user:s3cr3t/pw@host/db' ],
	[ 'copy', '--from-table', 'x', '--from-dsn', 'postgresql://user:s3cr3t/pw@host/db' ],
	[ 'copy', '--from-table', 'x', '--from-dsn', 'password=s3c r3tword host=x' ],
	[ 'fetch', '--url', 'http://user:s3cr3t@host/' ])
{
	my $run = run_loader(undef, @$secret);

	is($run->{status}, 1, "@$secret[0,1]: refused");
	unlike("$run->{output}$run->{errors}", qr/s3c|r3t/, "@$secret[0,1]: no part of a password is repeated");
}

done_testing();
