# Whose cost: by which way the cost of backends and of the API is found, for which role, and what is
# said where it cannot be. The meter is driven by build/unit/cost_meter_test.
use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $program = ($ENV{TRANSFERBENCH_TOP} // '.') . '/build/unit/cost_meter_test';
plan skip_all => 'build/unit/cost_meter_test is not built' unless -x $program;

# A process namespace of its own, as a container has: what runs in it cannot see the server.
my @container = qw(unshare --user --map-root-user --pid --fork --mount-proc);
my $has_containers = eval { IPC::Run::run([ @container, 'true' ], '>&', \my $ignored) };

my $node      = start_node('cost', extension => 0);
my $superuser = TransferBench::Session->new($node);

$superuser->value($_)
  for (
	'CREATE ROLE ordinary LOGIN',
	'CREATE ROLE reader LOGIN IN ROLE pg_read_server_files',
	'GRANT EXECUTE ON FUNCTION pg_read_file(text, bigint, bigint, boolean) TO reader',
	qq(CREATE ROLE "a ""b\nc" LOGIN),
	'CREATE ROLE api LOGIN');

# Work of about 100 ms and 64 MB, of which nothing is left.
my $work = "SELECT length(repeat('x', 64 * 1024 * 1024)), (SELECT count(*) FROM generate_series(1, 300000))";

# Runs the meter; its figures by name.
# Options: user, container, all others are arguments of the program.
sub measure
{
	my (%options) = @_;
	my $user      = delete $options{user} // getpwuid $<;
	my @prefix    = delete $options{container} ? @container : ();
	my $conninfo  = $node->connstr('postgres') . " user='$user'";
	my ($output, $errors);

	IPC::Run::run([ @prefix, $program, "conninfo=$conninfo", map { "$_=$options{$_}" } sort keys %options ], '>', \$output, '2>', \$errors)
	  or die "the meter failed: $errors";
	my %figure = $output =~ /^(\w+)=(.*)$/mg;
	die "the meter's work failed: $figure{failed}" if defined $figure{failed};
	return { %figure, errors => $errors };
}

# One assertion: these figures are known and positive.
sub are_known
{
	my ($cost, $name, @figures) = @_;
	my @wrong = grep { $cost->{$_} <= 0 } @figures;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	ok(!@wrong, $name) or diag(join "\n", map { "$_ is $cost->{$_}" } @wrong);
	return;
}

# One assertion: these figures are unknown.
sub are_unknown
{
	my ($cost, $name, @figures) = @_;
	my @wrong = grep { $cost->{$_} != -1 } @figures;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	ok(!@wrong, $name) or diag(join "\n", map { "$_ is $cost->{$_}" } @wrong);
	return;
}

my @backend = qw(backend_cpu_us backend_peak_bytes);
my @api     = qw(api_cpu_us api_peak_bytes);
my @others  = qw(api_backend_cpu_us api_backend_peak_bytes);

# --- without the extension, on this machine ---------------------------------------------------------

{
	my $cost = measure(user => 'ordinary', work => $work, memory => 1);

	is($cost->{source}, 'local', 'an ordinary role, a server that is here: local /proc');
	is($cost->{local}, '1', 'the server is known to be here');
	is($cost->{advice}, '', 'nothing needs to be granted');
	are_known($cost, 'our backend, the machine and its memory', @backend, qw(machine_cpu_us system_memory_bytes));
	are_unknown($cost, 'no API, no figures of one', @api, @others);
	cmp_ok($cost->{client_cpu_user_us}, '>=', 0, 'the client is known');
	cmp_ok($cost->{backend_peak_bytes}, '>', 60e6, 'memory that was given back is in the peak');
}
are_unknown(measure(work => $work), 'memory of the machine, unless it is asked for', 'system_memory_bytes');
is(measure(user => 'reader', work => $work)->{source}, 'local', 'local /proc is finer than pg_read_file');
{
	my $cost = measure(warm => $work, work => 'SELECT 1');

	cmp_ok($cost->{backend_peak_bytes}, '<', 4e6, 'a peak from before the span is not in it');
	cmp_ok($cost->{backend_cpu_us}, '<', 50e3, 'nor its CPU');
}
are_unknown(measure(pids => 'none', work => $work), 'no session of ours, no figure', @backend);
are_unknown(measure(pids => 'foreign', work => $work), 'a pid that is no backend', @backend);

{
	my $cost = measure(lost => 1, work => $work);

	are_unknown($cost, 'the meter\'s connection was cut', 'cut_backend_cpu_us');
	are_known($cost, 'the next span has it again', @backend);
}

# --- a server that is elsewhere ----------------------------------------------------------------------

SKIP:
{
	skip 'no process namespaces here', 14 unless $has_containers;
	my $cost = measure(user => 'ordinary', work => $work, container => 1);

	is($cost->{source}, 'none', 'an ordinary role, a server that is elsewhere: no way');
	is($cost->{local}, '0', 'the server is not taken for here');
	are_unknown($cost, 'our backend and the machine', @backend, 'machine_cpu_us');
	like(
		$cost->{advice},
		qr/CREATE EXTENSION pg_transferbench; GRANT EXECUTE ON FUNCTION bench_process_usage\(integer\[\], boolean\) TO ordinary; or GRANT pg_read_server_files TO ordinary; GRANT EXECUTE ON FUNCTION pg_catalog\.pg_read_file\(text, bigint, bigint, boolean\) TO ordinary$/,
		'what to grant, in one line');
	like(
		measure(user => qq(a "b\nc), container => 1)->{advice},
		qr/ TO "a ""b\?c"$/,
		'a role with quotes and a line break in its name: still one line');

	$cost = measure(user => 'reader', work => $work, container => 1);
	is($cost->{source}, 'read_file', 'a role that may read files of the server');
	are_known($cost, 'our backend by its files', @backend);
	is($cost->{advice}, '', 'nothing needs to be granted: the peak rose');
	$cost = measure(user => 'reader', warm => $work, work => 'SELECT 1', container => 1);
	are_unknown($cost, 'no reset by pg_read_file: a peak of before hides a later one', 'backend_peak_bytes');
	like($cost->{advice}, qr/^peak memory .*: CREATE EXTENSION pg_transferbench; GRANT EXECUTE/, 'and the extension would help');
	is(measure(container => 1)->{source}, 'read_file', 'a superuser may read files');

	$superuser->value('REVOKE pg_read_server_files FROM reader');
	$cost = measure(user => 'reader', container => 1);
	is($cost->{source}, 'none', 'a role that may call pg_read_file, but not for all files');
	like($cost->{advice}, qr/; or GRANT pg_read_server_files TO reader$/, 'only the grant that is missing is named');
	$superuser->value('GRANT pg_read_server_files TO reader');
}

# --- the API's processes -------------------------------------------------------------------------------

# A process that works, with a child that works. They hold nothing of ours, and live a minute at most.
my $api_script = <<'SCRIPT';
open STDERR, '>', '/dev/null';
my $child = fork;
alarm 60;
if ($child) { syswrite STDOUT, "$child\n" }
open STDOUT, '>', '/dev/null';
while (1) { my $x = 0; $x += $_ for 1 .. 10000; select undef, undef, undef, 0.001 }
SCRIPT
my $api = open my $api_output, '-|', $^X, '-e', $api_script or die "could not start a process: $!";
chomp(my $child = <$api_output>);
{
	my $cost = measure(work => 'SELECT pg_sleep(0.3)', api_pid => $api);

	are_known($cost, 'an API process', 'api_cpu_us');
	cmp_ok($cost->{api_peak_bytes}, '>=', 0, 'its peak memory is known');
	is($cost->{errors}, '', 'and nothing is said');
}
{
	my $parent_alone = measure(work => "COPY (SELECT 1) TO PROGRAM 'kill -STOP $api; sleep 0.3'", api_pid => $api);

	are_known($parent_alone, 'its child is counted with it', 'api_cpu_us');
}
{
	# its parent stands still, so that it stays a zombie
	my $cost = measure(work => "COPY (SELECT 1) TO PROGRAM 'kill -KILL $child; sleep 0.1'", api_pid => $api);

	cmp_ok($cost->{api_cpu_us}, '>=', 0, 'a child that ended and was not waited for: its CPU is known');
	are_unknown($cost, 'but not its memory', 'api_peak_bytes');
	are_unknown(
		measure(work => "COPY (SELECT 1) TO PROGRAM 'kill -KILL $api; sleep 0.1'", api_pid => $api),
		'an API process that ended: no memory', 'api_peak_bytes');
	close $api_output;
	$cost = measure(work => 'SELECT 1', api_pid => $api);
	are_unknown($cost, 'an API process that is gone', @api);
	like($cost->{errors}, qr/--api-pid $api: there is no such process/, 'is told at the start');
}

# --- the API's backends ---------------------------------------------------------------------------------

my $api_session = TransferBench::Session->new($node, user => 'api', settings => { application_name => 'plumber' });

$api_session->send('SELECT count(*) FROM (SELECT generate_series(1, 2000000000)) AS endless');
are_known(
	measure(user => 'ordinary', work => 'SELECT pg_sleep(0.3)', api_user => 'api'),
	'the API\'s backends by role, local /proc', 'api_backend_cpu_us');
are_known(
	measure(user => 'ordinary', work => 'SELECT pg_sleep(0.3)', api_name => 'plumber'),
	'the API\'s backends by application_name', 'api_backend_cpu_us');
are_unknown(
	measure(work => 'SELECT pg_sleep(0.1)', api_user => 'nobody_of_that_name'),
	'no backend of the API: unknown, not 0', @others);
are_unknown(
	measure(user => 'api', work => $work, api_name => 'transferbench/000000000000'),
	'our own sessions are never the API\'s', @others);

# --- with the extension -----------------------------------------------------------------------------------

$superuser->value($_) for ('CREATE SCHEMA "a b"', 'CREATE EXTENSION pg_transferbench SCHEMA "a b"');
SKIP:
{
	skip 'no process namespaces here', 2 unless $has_containers;
	my $cost = measure(user => 'ordinary', container => 1);

	is($cost->{source}, 'none', 'the extension is there, and closed');
	like(
		$cost->{advice},
		qr/: GRANT USAGE ON SCHEMA "a b" TO ordinary; GRANT EXECUTE ON FUNCTION "a b"\.bench_process_usage\(integer\[\], boolean\) TO ordinary; or /,
		'both grants are named');
}
$superuser->value($_) for ('GRANT USAGE ON SCHEMA "a b" TO ordinary', 'GRANT EXECUTE ON FUNCTION "a b".bench_process_usage TO ordinary');
for my $where (0, 1)
{
	SKIP:
	{
		skip 'no process namespaces here', 4 if $where && !$has_containers;
		my $cost = measure(user => 'ordinary', warm => $work, work => $work, container => $where);
		my $name = $where ? 'elsewhere' : 'here';

		is($cost->{source}, 'extension', "the extension may be used, a server $name");
		are_known($cost, "our backend, a server $name", @backend);
		is($cost->{advice}, '', "nothing needs to be granted, a server $name");
		cmp_ok($cost->{backend_peak_bytes}, '>', 60e6, "the mark was reset, a server $name");
	}
}
is(measure(work => $work)->{source}, 'extension', 'a superuser may always use it');
are_known(
	measure(user => 'ordinary', work => 'SELECT pg_sleep(0.3)', api_user => 'api'),
	'backends that the extension does not show to this role, by local /proc', 'api_backend_cpu_us');
SKIP:
{
	skip 'no process namespaces here', 3 unless $has_containers;
	my %options = (user => 'ordinary', work => 'SELECT pg_sleep(0.3)', api_user => 'api', container => 1);
	my $cost = measure(%options);

	are_unknown($cost, 'backends that the extension does not show to this role, elsewhere', @others);
	like($cost->{advice}, qr/GRANT pg_read_all_stats TO ordinary$/, 'and the grant that is missing');
	$superuser->value('GRANT pg_read_all_stats TO ordinary');
	are_known(measure(%options), 'with that grant', 'api_backend_cpu_us');
}
{
	# one that leaves within the span
	my $leaving = TransferBench::Session->new($node, user => 'api');
	my $cost = measure(work => 'SELECT pg_terminate_backend(' . $leaving->pid . ', 5000)', api_user => 'api');

	are_unknown($cost, 'a backend of the API that went away makes them unknown', @others);
}

$superuser->value('SELECT pg_terminate_backend(' . $api_session->pid . ')');
$superuser->quit;
done_testing();
