# bench_process_usage: what backends have used, and whose are shown to whom.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $node      = start_node('process_usage');
my $superuser = TransferBench::Session->new($node);

$superuser->value($_)
  for (
	'CREATE ROLE ordinary LOGIN',
	'CREATE ROLE other LOGIN',
	'CREATE ROLE member LOGIN IN ROLE other',
	'CREATE ROLE watcher LOGIN IN ROLE pg_read_all_stats',
	'GRANT EXECUTE ON FUNCTION bench_process_usage TO PUBLIC');

my %session = map { $_ => TransferBench::Session->new($node, user => $_) } qw(ordinary other member watcher);
my $other   = $session{other}->pid;

# Columns of one backend, as another session sees them; '' for no row.
sub usage
{
	my ($observer, $columns, $pid, $reset_peak) = @_;
	return $observer->value("SELECT $columns FROM bench_process_usage('{$pid}'::int[], " . ($reset_peak ? 'true' : 'false') . ')');
}

# --- who sees whom ------------------------------------------------------------------------

for my $case (
	[ ordinary => 0, 'a role of its own does not see others' ],
	[ other    => 1, 'a role sees its own backends' ],
	[ member   => 1, 'a member of a role sees its backends' ],
	[ watcher  => 1, 'pg_read_all_stats sees all' ])
{
	my ($role, $seen, $name) = @$case;
	succeeds($session{$role}, "SELECT pid FROM bench_process_usage('{$other}')", $seen ? $other : '', $name);
}
succeeds($superuser, "SELECT pid FROM bench_process_usage('{$other}')", $other, 'a superuser sees all');
succeeds(
	$session{ordinary},
	"SELECT pid = pg_backend_pid() FROM bench_process_usage(ARRAY[$other, pg_backend_pid()])",
	't', 'of several those that may be seen');

# --- what is no backend of this server --------------------------------------------------------

my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
for my $case (
	[ $$          => 'a process that is not the server\'s' ],
	[ 1           => 'the first process of the system' ],
	[ $postmaster => 'the postmaster' ],
	[ 0           => 'a pid of 0' ],
	[ -1          => 'a negative pid' ],
	[ 2147483647  => 'the greatest integer' ])
{
	my ($pid, $name) = @$case;
	succeeds($superuser, "SELECT * FROM bench_process_usage('{$pid}')", '', "no row: $name");
}
succeeds($superuser, "SELECT count(*) FROM bench_process_usage('{}')", '0', 'no pids, no rows');
fails_with($superuser, 'SELECT * FROM bench_process_usage(NULL)', { sqlstate => '22004', message => qr/pids/ }, 'pids null');
fails_with(
	$superuser, "SELECT * FROM bench_process_usage('{1,NULL}')",
	{ sqlstate => '22004', message => qr/pids/ },
	'a null among the pids');
fails_with(
	$superuser, "SELECT * FROM bench_process_usage('{{1,2}}')",
	{ sqlstate => '22023', message => qr/pids/ },
	'pids of two dimensions');
fails_with(
	$superuser, "SELECT * FROM bench_process_usage('{1}', NULL)",
	{ sqlstate => '22004', message => qr/reset_peak/ },
	'reset_peak null');

# --- figures --------------------------------------------------------------------------------------

is( usage($superuser, 'cpu_ms > 0, resident_bytes > 0, shared_bytes >= 0, peak_bytes >= resident_bytes', $other),
	't|t|t|t', 'all figures are there');

my $cpu_ms = usage($superuser, 'cpu_ms', $other);
$session{other}->value('SELECT count(*) FROM generate_series(1, 300000)');
cmp_ok(usage($superuser, 'cpu_ms', $other), '>', $cpu_ms, 'what a backend does adds to its CPU');

SKIP:
{
	my $reset = usage($superuser, 'peak_bytes IS NOT NULL', $other, 1);
	skip 'this system resets no high-water mark', 3 if $reset ne 't';

	# 64 MB and more, given back when the statement is over
	$session{other}->value("SELECT length(repeat('x', 64 * 1024 * 1024))");
	is(usage($superuser, 'peak_bytes - resident_bytes > 60000000', $other),
		't', 'memory that was given back is in the peak');
	is(usage($superuser, 'peak_bytes - resident_bytes < 4000000', $other, 1),
		't', 'reset_peak: the peak begins anew');
	is(usage($superuser, 'peak_bytes - resident_bytes < 4000000', $other), 't', 'and stays so');
}

$_->quit for values %session;
$superuser->quit;
done_testing();
