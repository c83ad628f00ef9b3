# transferbench cleanup: what it drops, what it leaves to others, and what it does when a table
# changes, or is held, between the list and the drop.
use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();

my $node = start_node('cleanup', extension => 0);
my $session = TransferBench::Session->new($node);

use constant RUN => '0123456789ab';

# Makes a table as a run does. Options: run, owner, kept, comment.
sub make_table
{
	my ($name, %options) = @_;
	my $run = $options{run} // RUN;
	my $comment = $options{comment}
	  // "made by transferbench run $run for somebody at 2024-01-01T00:00:00Z" . ($options{kept} ? ', kept' : '');

	$session->value("CREATE TABLE $name (id bigint)");
	$session->value("COMMENT ON TABLE $name IS " . literal($comment));
	$session->value("ALTER TABLE $name OWNER TO $options{owner}") if $options{owner};
	return;
}

sub exists_table
{
	my ($name) = @_;
	return $session->value('SELECT to_regclass(' . literal($name) . ') IS NOT NULL') eq 't';
}

# The command line of a clean-up by a role.
sub command
{
	my ($role, @arguments) = @_;
	return (endpoint_program(), 'cleanup', '-d', $node->connstr('postgres'), '-U', $role, @arguments);
}

# Runs it: exit status, standard output, standard error.
sub cleanup
{
	my ($stdout, $stderr) = ('', '');

	IPC::Run::run([ command(@_) ], '<', \undef, '>', \$stdout, '2>', \$stderr,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return ($? >> 8, $stdout, $stderr);
}

# Runs it until it waits for a lock, does something meanwhile, and takes the outcome.
sub cleanup_interrupted_by
{
	my ($meanwhile, @arguments) = @_;
	my ($stdout, $stderr) = ('', '');
	my $run = IPC::Run::start([ command(@arguments) ], '<', \undef, '>', \$stdout, '2>', \$stderr,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));

	wait_until(
		sub {
			$run->pump_nb;
			$session->value(
				q(SELECT count(*) FROM pg_stat_activity WHERE application_name = 'transferbench cleanup' AND wait_event_type = 'Lock')
			) eq '1';
		},
		'the clean-up to wait');
	$meanwhile->();
	$run->finish;
	return ($? >> 8, $stdout, $stderr);
}

# A session of a run, whoever it belongs to.
sub start_run
{
	my ($run, $user) = @_;
	return TransferBench::Session->new($node, user => $user, settings => { application_name => "transferbench/$run" });
}

$session->value($_)
  for (
	'CREATE ROLE tester LOGIN', 'CREATE ROLE stranger LOGIN', 'CREATE ROLE team', 'GRANT team TO tester',
	'CREATE SCHEMA lab', 'GRANT ALL ON SCHEMA lab TO PUBLIC', 'CREATE SCHEMA "My ""Lab""" AUTHORIZATION tester');

# --- nothing to do --------------------------------------------------------------------------------

{
	my ($status, $stdout, $stderr) = cleanup('tester');
	is("$status $stdout", '0 ', 'no tables: exit code 0, and no list');
	like($stderr, qr/no tables of earlier runs in database "postgres"/, 'and says so');
}

# --- which tables ----------------------------------------------------------------------------------

make_table('lab.mine', owner => 'tester');
make_table('lab.of_team', owner => 'team', run => 'aaaaaaaaaaaa');
make_table('lab.of_stranger', owner => 'stranger');
make_table('lab.of_superuser');
make_table('lab.alike', owner => 'tester', comment => 'made by transferbench runners, keep');
make_table('lab.quoted', owner => 'tester', comment => 'not made by transferbench run 0123456789ab');
make_table('lab.transferbench_0123456789ab', owner => 'tester', comment => 'precious');
make_table(qq("My ""Lab"""."odd\nname"), owner => 'tester');
$session->value("INSERT INTO lab.mine SELECT generate_series(1, 1000)");
{
	my ($status, $stdout, $stderr) = cleanup('tester', '--dry-run');
	my $rest = qr/ +\S+ k?B +/;

	is("$status $stderr", '0 ', '--dry-run: exit code 0');
	is($stdout =~ tr/\n//, 6, '--dry-run lists a head and five tables');
	like($stdout, qr/^lab\.mine +0123456789ab${rest}would be dropped$/m, '--dry-run: a table of this role');
	like($stdout, qr/^lab\.of_team +aaaaaaaaaaaa${rest}would be dropped$/m, '--dry-run: one of a role that it is a member of');
	like($stdout, qr/^lab\.of_stranger +0123456789ab${rest}left: it belongs to another role$/m, '--dry-run: one of somebody else');
	like($stdout, qr/^"My ""Lab"""\."odd\?name" /m, '--dry-run: a line break in a name is not printed');
	ok(exists_table($_), "--dry-run leaves $_") for qw(lab.mine lab.of_team);
}
{
	my ($status, $stdout, $stderr) = cleanup('tester');

	is("$status $stderr", '0 ', 'exit code 0');
	like($stdout, qr/^lab\.mine .* dropped$/m, 'the list tells what was dropped');
	ok(!exists_table($_), "$_ is gone") for ('lab.mine', 'lab.of_team', qq("My ""Lab"""."odd\nname"));
	ok(exists_table($_), "$_ is left")
	  for qw(lab.of_stranger lab.of_superuser lab.alike lab.quoted lab.transferbench_0123456789ab);
}
{
	my ($status, $stdout) = cleanup($session->value('SELECT current_user'));

	is($status, 0, 'a superuser: exit code 0');
	ok(!exists_table('lab.of_superuser'), 'a superuser drops its own');
	ok(exists_table('lab.of_stranger'), 'and leaves those of others');
	cleanup('stranger');
	ok(!exists_table('lab.of_stranger'), 'which their owner can drop');
}

# --- a run that lives --------------------------------------------------------------------------------

for my $user ('tester', 'stranger')
{
	make_table('lab.live', owner => 'tester');
	my $run = start_run(RUN, $user);
	my ($status, $stdout) = cleanup('tester');

	is($status, 0, "a session of the run, by $user: exit code 0");
	like($stdout, qr/^lab\.live .* left: a session of its run is connected$/m, "a session of the run, by $user: the reason");
	ok(exists_table('lab.live'), "a session of the run, by $user: the table is left");
	$run->quit;
	wait_until(sub { $session->value(q(SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'transferbench/%')) eq '0' }, 'the end of the run');
	cleanup('tester');
	ok(!exists_table('lab.live'), "without the session of $user it is dropped");
}
{
	make_table('lab.other_run', owner => 'tester');
	my $run = start_run('ba9876543210', 'tester');
	cleanup('tester');
	ok(!exists_table('lab.other_run'), 'a session of another run does not matter');
	$run->quit;
}

# --- what is kept ------------------------------------------------------------------------------------

for my $case ([ 'lab.kept', '--keep' ], [ 'lab.made' ])
{
	my ($table, @keep) = @$case;

	# as a run leaves it, and as one that is killed
	IPC::Run::run([ endpoint_program(), 'copy', '-d', $node->connstr('postgres'), '-U', 'tester', '--rows', 10, '--table', $table, '--keep', '--quiet' ],
		'>', \my $stdout, '2>', \my $stderr);
	is($?, 0, "$table is made") or diag($stderr);
	like($session->value("SELECT obj_description('$table'::regclass)"), qr/^made by transferbench run \w{12} for tester at \S+Z, kept$/, "$table: its comment");
	$session->value("COMMENT ON TABLE $table IS " . literal($session->value("SELECT obj_description('$table'::regclass)") =~ s/, kept$//r)) unless @keep;
}
make_table('lab.role', owner => 'tester', comment => 'made by transferbench run ' . RUN . ' for x, kept at 2024-01-01T00:00:00Z');
{
	my $left = qr/left: its run was told to keep it \(--kept drops it\)$/m;
	my ($status, $stdout, $stderr) = cleanup('tester', '--dry-run');

	is("$status $stderr", '0 ', 'a table that is kept, --dry-run: exit code 0');
	like($stdout, qr/^lab\.kept .* $left/m, 'a table that is kept, --dry-run: the list');
	($status, $stdout, $stderr) = cleanup('tester');
	is("$status $stderr", '0 ', 'a table that is kept: exit code 0');
	like($stdout, qr/^lab\.kept .* $left/m, 'a table that is kept: the list');
	ok(exists_table('lab.kept'), 'a table that is kept is left');
	ok(!exists_table('lab.made'), 'one that was made without the mark is dropped');
	ok(!exists_table('lab.role'), 'and one whose role has a name like the mark');
	($status, $stdout) = cleanup('tester', '--kept', '--dry-run');
	like($stdout, qr/^lab\.kept .* would be dropped$/m, 'a table that is kept, --kept --dry-run: the list');
	($status, $stdout) = cleanup('tester', '--kept');
	is($status, 0, 'a table that is kept, --kept: exit code 0');
	like($stdout, qr/^lab\.kept .* dropped$/m, 'a table that is kept, --kept: the list');
	ok(!exists_table('lab.kept'), 'a table that is kept, --kept: it is dropped');
}

# --- what changes between the list and the drop -------------------------------------------------------

for my $case (
	[ 'another comment', q(COMMENT ON TABLE lab.changed IS 'precious'), qr/its comment is no longer that of its run/ ],
	[ 'another run', q(COMMENT ON TABLE lab.changed IS 'made by transferbench run bbbbbbbbbbbb for tester'), qr/its comment is no longer/ ],
	[ 'the mark of what is kept', q(COMMENT ON TABLE lab.changed IS 'made by transferbench run 0123456789ab for tester at 2024-01-01T00:00:00Z, kept'), qr/it is to be kept/ ],
	[ 'no comment', q(COMMENT ON TABLE lab.changed IS NULL), qr/its comment is no longer/ ],
	[ 'a session of its run', undef, qr/a session of its run is connected/ ],
	[ 'the table dropped', 'DROP TABLE lab.changed', qr/it does not exist any more/ ])
{
	my ($name, $change, $reason) = @$case;
	my $holder = TransferBench::Session->new($node);
	my $run;

	make_table('lab.changed', owner => 'tester');
	$holder->value($_) for ('BEGIN', 'SELECT FROM lab.changed');
	my ($status, $stdout, $stderr) = cleanup_interrupted_by(
		sub {
			$run = start_run(RUN, 'stranger') unless $change;
			$holder->value($change) if $change;
			$holder->value('COMMIT');
		},
		'tester');
	is($status, 0, "$name meanwhile: exit code 0");
	like($stdout, qr/^lab\.changed .* left: it changed meanwhile$/m, "$name meanwhile: left");
	like($stderr, $reason, "$name meanwhile: and why");
	ok(exists_table('lab.changed'), "$name meanwhile: the table is there") unless $name =~ /dropped/;
	$_->quit for grep { defined } $holder, $run;
	$session->value('DROP TABLE IF EXISTS lab.changed');
}

# --- what cannot be dropped ---------------------------------------------------------------------------

make_table('lab.base', owner => 'tester');
make_table('lab.later', owner => 'tester');
$session->value('CREATE VIEW lab.report AS SELECT * FROM lab.base');
{
	my ($status, $stdout, $stderr) = cleanup('tester');

	is($status, 2, 'a view depends on the table: exit code 2');
	like($stdout, qr/^lab\.base .* could not be dropped$/m, 'a view depends on it: the list');
	like($stderr, qr/lab\.base could not be dropped: other objects depend on it.*SQLSTATE 2BP01/, 'a view depends on it: the message');
	ok(exists_table('lab.base') && exists_table('lab.report'), 'nothing is dropped in cascade');
	ok(!exists_table('lab.later'), 'the tables after it are dropped all the same');
	$session->value('DROP TABLE lab.base CASCADE');
}
{
	my $holder = TransferBench::Session->new($node);

	make_table('lab.held', owner => 'tester');
	$holder->value($_) for ('BEGIN', 'SELECT FROM lab.held');
	my ($status, $stdout, $stderr) = cleanup('tester');
	is($status, 2, 'a table that somebody reads: exit code 2 after the lock timeout');
	like($stderr, qr/lab\.held could not be dropped: somebody else uses it.*SQLSTATE 55P03/, 'a table that somebody reads: the message');
	ok(exists_table('lab.held'), 'a table that somebody reads is left');

	my $pid = qq(SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'transferbench cleanup');
	($status, $stdout, $stderr) = cleanup_interrupted_by(sub { $session->value($pid) }, 'tester');
	is($status, 2, 'its backend killed: exit code 2');
	like($stderr, qr/lab\.held could not be dropped: terminating connection.*SQLSTATE 57P01/, 'its backend killed: the message');
	ok(exists_table('lab.held'), 'its backend killed: the table is left');
	$holder->quit;
	is((cleanup('tester'))[0], 0, 'nobody reads it any more: exit code 0');
	ok(!exists_table('lab.held'), 'nobody reads it any more: dropped');
}

# --- a search path that misleads ----------------------------------------------------------------------

$session->value($_)
  for (
	'CREATE ROLE planter', 'CREATE SCHEMA planted AUTHORIZATION planter', 'SET ROLE planter',
	map({ my $type = $_;
		qq(CREATE FUNCTION planted.equals($type, $type) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'),
		qq(CREATE OPERATOR planted.= (FUNCTION = planted.equals, LEFTARG = $type, RIGHTARG = $type)) } 'oid', '"char"', 'text', 'name', 'int'),
	q(CREATE FUNCTION planted.starts_with(text, text) RETURNS bool LANGUAGE sql AS 'SELECT true'),
	q(CREATE VIEW planted.pg_description AS SELECT 1 AS one),
	'RESET ROLE', 'ALTER ROLE tester SET search_path = planted, public, pg_catalog');
make_table('lab.mine', owner => 'tester');
{
	my ($status, $stdout, $stderr) = cleanup('tester');

	is("$status $stderr", '0 ', 'planted operators and views are not used');
	ok(!exists_table('lab.mine'), 'and the table is dropped');
	ok(exists_table('lab.alike'), 'that one alone');
}

# --- command line ------------------------------------------------------------------------------------

for my $case (
	[ 'an unknown option', qr/--bogus/, '--bogus' ],
	[ 'an argument', qr/lab\.mine/, 'lab.mine' ],
	[ 'no server', qr/failed/, '-d', 'host=127.0.0.1 port=1 password=secret' ],
	[ 'a malformed connection string', qr/cannot be read/, '-d', 'host=x password=a secret' ])
{
	my ($name, $message, @arguments) = @$case;
	my ($status, $stdout, $stderr) = cleanup('tester', @arguments);

	is("$status $stdout", '1 ', "$name: exit code 1");
	like($stderr, $message, "$name: the message");
	unlike($stderr, qr/secret/, "$name: no password");
}
{
	my ($status, $stdout) = cleanup('tester', '--help');
	is($status, 0, '--help: exit code 0');
	like($stdout, qr/--dry-run.*--kept/s, '--help tells the options');
}

done_testing();
