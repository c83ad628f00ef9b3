# The loader's commands, run to their end or meddled with on the way.
package TransferBench::Loader;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;

our @EXPORT = qw(run_loader start_loader finish_loader report_of loader_ends our_tables);

sub command_line
{
	my ($node, $command, @arguments) = @_;

	return [ endpoint_program(), $command, (defined $node ? ('-d', $node->connstr('postgres')) : ()), @arguments ];
}

# Runs a command to its end; a hash of status, output, errors. With a node: on
# its database. An input may be given as { input => ... } in the first place.
sub run_loader
{
	my $options = ref $_[0] eq 'HASH' ? shift : {};
	my $run = start_loader($options, @_);

	return finish_loader($run);
}

# Starts a command and returns at once; to be ended by finish_loader.
# Options: input, environment, limits (of ulimit, such as "-f 100").
sub start_loader
{
	my $options = ref $_[0] eq 'HASH' ? shift : {};
	my %run = (output => '', errors => '', input => $options->{input} // '');
	my $command = command_line(@_);

	local %ENV = (%ENV, %{ $options->{environment} // {} });
	$command = [ 'bash', '-c', "ulimit $options->{limits}; exec \"\$0\" \"\$@\"", @$command ]
	  if $options->{limits};
	$run{timer} = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
	$run{harness} = IPC::Run::start($command, '<', \$run{input}, '>', \$run{output}, '2>', \$run{errors}, $run{timer});
	return \%run;
}

sub finish_loader
{
	my ($run) = @_;

	$run->{harness}->finish;
	# as a shell tells it: a signal is 128 and its number
	my $result = ($run->{harness}->full_results)[0];
	$run->{status} = $result & 127 ? 128 + ($result & 127) : $result >> 8;
	return $run;
}

# The JSON report of a run that was asked for one.
sub report_of
{
	my ($run) = @_;
	my $report = eval { JSON::PP->new->utf8->allow_bignum->decode($run->{output}) };

	diag("no JSON report: $run->{output}\n$run->{errors}") if !defined $report;
	return $report // {};
}

# Two assertions: the exit status, and what stderr says (patterns; none means:
# no warning and no error).
sub loader_ends
{
	my ($run, $status, $patterns, $name) = @_;
	my @patterns = @{ $patterns // [] };

	is($run->{status}, $status, "$name: exit status") or diag($run->{errors});
	if (!@patterns)
	{
		unlike($run->{errors}, qr/(?:error|warning): /, "$name: nothing to complain of");
		return;
	}
	like($run->{errors}, $_, "$name: says so") for @patterns;
	return;
}

# Tables that carry the mark of the loader.
sub our_tables
{
	my ($session) = @_;

	return $session->value(q{SELECT count(*) FROM pg_class WHERE relkind = 'r' AND obj_description(oid, 'pg_class') LIKE 'made by transferbench run %'});
}

1;
