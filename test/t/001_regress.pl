# The SQL regression tests (sql/, expected/): one pg_regress run in a throw-away cluster.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $top = $ENV{TRANSFERBENCH_TOP} // '.';
my @scripts = sort map { m{([^/]+)\.sql$} } glob "$top/sql/*.sql";
plan skip_all => 'no scripts in sql/' unless @scripts;

my $node = start_node('regress', extension => 0);
my $output = "$PostgreSQL::Test::Utils::tmp_check/regress";
mkdir $output or die "could not create $output: $!";
chomp(my $bindir = qx(pg_config --bindir));

my ($said, $errors);
IPC::Run::run(
	[   $ENV{PG_REGRESS}, "--bindir=$bindir",
		"--inputdir=$top", "--outputdir=$output",
		'--host=' . $node->host, '--port=' . $node->port,
		'--dbname=contrib_regression', @scripts ],
	'>',
	\$said,
	'2>',
	\$errors);
my $status = $?;
print $said, $errors;

# a line per script: 'test NAME ... ok' up to version 15, TAP from 16 on
for my $script (@scripts)
{
	ok( $said =~ /^(?:test )?\s*\Q$script\E\s+\.\.\. ok\b/m
		  || $said =~ /^ok \d+\s+[-+] \Q$script\E\s/m,
		"sql/$script.sql");
}
is($status, 0, 'pg_regress ends well') or diag($errors);

done_testing();
