# Clusters with the extension, and what tests ask of them.
#
# Environment:
#   TRANSFERBENCH_STAGE    root of a staged installation (make install DESTDIR=...);
#                          unset when the extension is installed in the server itself
#   TRANSFERBENCH_PROGRAM  the loader, for `transferbench serve`; tests that want it
#                          are skipped when unset
package TransferBench;

use strict;
use warnings FATAL => 'all';

use Carp;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench::Server;
use TransferBench::Session;

our @EXPORT = qw(
  start_node start_http_server start_endpoint endpoint_program
  literal fetch_call extract_call
  fails_with succeeds
  wait_until wait_for_backend
  private_memory peak_memory memory_within open_descriptors
  make_certificate build_preload build_resolver with_setting
);

# Starts a cluster that can create the extension, and creates it.
#
# Options: fsync (default off), settings (lines for postgresql.conf),
# environment (of the postmaster), extension (0: do not create it).
sub start_node
{
	my ($name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf(
		'postgresql.conf', join "\n",
		'fsync = ' . ($options{fsync} ? 'on' : 'off'),

		# the statements of a test carry bodies of megabytes
		'log_statement = none',
		'log_min_error_statement = panic',
		staged_settings(),
		$options{settings} // '',
		'');
	{
		local %ENV = (%ENV, %{ $options{environment} // {} });
		$node->start;
	}
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_transferbench')
	  if $options{extension} // 1;
	return $node;
}

# Lines for postgresql.conf that make a staged extension visible: Debian's
# extension_destdir, which covers '$libdir' too, or the two settings that
# PostgreSQL has for it since version 18.
sub staged_settings
{
	my $stage = $ENV{TRANSFERBENCH_STAGE};
	return () if !defined $stage || $stage eq '';

	my ($version) = qx(pg_config --version) =~ /(\d+)/;
	return "extension_destdir = '$stage'" if $version < 18;

	chomp(my $share = qx(pg_config --sharedir));
	chomp(my $library = qx(pg_config --pkglibdir));
	return (
		"extension_control_path = '$stage$share:\$system'",
		"dynamic_library_path = '$stage$library:\$libdir'");
}

# The server that misbehaves: scripted_http_server.py.
# Options: files (directory for /file/), certificate and key (TLS).
sub start_http_server
{
	my (%options) = @_;
	(my $program = __FILE__) =~ s{[^/]*$}{scripted_http_server.py};
	my @command = ('python3', $program);

	push @command, '--files', $options{files} if $options{files};
	push @command, '--tls', @options{qw(certificate key)} if $options{certificate};
	my $server = TransferBench::Server->start(
		name => 'scripted_http_server',
		command => \@command,
		lines => 3,
		scheme => $options{certificate} ? 'https' : 'http');
	$server->{unanswered_port} = ($server->first_lines)[1] =~ /unanswered on (\d+)/ ? $1 : die;
	$server->{eager_port} = ($server->first_lines)[2] =~ /eager on (\d+)/ ? $1 : die;
	return $server;
}

# Path of the loader, or nothing.
sub endpoint_program
{
	my $program = $ENV{TRANSFERBENCH_PROGRAM};
	return defined $program && -x $program ? $program : undef;
}

# `transferbench serve` on a node. Further arguments go to the command line.
sub start_endpoint
{
	my ($node, @arguments) = @_;

	return TransferBench::Server->start(
		name => 'serve',
		command => [
			endpoint_program(), 'serve', '--port', '0', '--bind', '127.0.0.1',
			'-d', $node->connstr('postgres'), @arguments ],
		lines => 1);
}

# A text as an SQL literal (standard_conforming_strings).
sub literal
{
	my ($text) = @_;

	return 'NULL' unless defined $text;
	$text =~ s/'/''/g;
	return "'$text'";
}

# Options of a call as named notation; undef is left out.
sub named_arguments
{
	my (%options) = @_;

	return map { ", $_ => $options{$_}" } grep { defined $options{$_} } sort keys %options;
}

# SELECT over bench_http_fetch. Columns come first; options are SQL expressions.
sub fetch_call
{
	my ($columns, $url, $n, %options) = @_;
	return
		"SELECT $columns FROM bench_http_fetch("
	  . literal($url) . ", $n"
	  . join('', named_arguments(%options)) . ')';
}

# SELECT over bench_extract; the query is text.
sub extract_call
{
	my ($columns, $query, $n, %options) = @_;
	return
		"SELECT $columns FROM bench_extract($n, "
	  . literal($query)
	  . join('', named_arguments(%options)) . ')';
}

# Runs code under a setting of the extension, and puts back what it was.
sub with_setting
{
	my ($session, $name, $value, $run) = @_;
	my $before = $session->value("SHOW pg_transferbench.$name");

	$session->value("SET pg_transferbench.$name = " . literal($value));
	$run->();
	$session->value("SET pg_transferbench.$name = " . literal($before));
	return;
}

# One assertion: the statement fails with this SQLSTATE, and with these
# patterns in its message, detail, hint and context.
sub fails_with
{
	my ($session, $sql, $expected, $name) = @_;
	my $result = $session->run($sql);
	my @wrong;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	if (!$result->{error})
	{
		push @wrong, "succeeded, with: $result->{output}";
	}
	else
	{
		for my $field (sort keys %$expected)
		{
			my $got = $result->{error}{$field} // '';
			my $want = $expected->{$field};
			my $fits = ref $want ? $got =~ $want : $got eq $want;
			push @wrong, "$field is '$got', not $want" unless $fits;
		}
	}
	ok(!@wrong, $name)
	  or
	  diag(join "\n", @wrong, 'statement: ' . substr($sql, 0, 500), "psql said: $result->{errors}");
	return $result;
}

# One assertion: the statement succeeds with this output (fields parted by '|').
sub succeeds
{
	my ($session, $sql, $expected, $name) = @_;
	my $result = $session->run($sql);
	my $fits =
	  !$result->{error}
	  && (ref $expected ? $result->{output} =~ $expected : $result->{output} eq $expected);
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	ok($fits, $name)
	  or diag("got: $result->{output}\nexpected: $expected\nstatement: "
		  . substr($sql, 0, 500)
		  . "\npsql said: $result->{errors}");
	return $result;
}

# Polls until the condition holds; dies when it does not for too long.
sub wait_until
{
	my ($condition, $what) = @_;
	my $end = time() + $PostgreSQL::Test::Utils::timeout_default;

	until ($condition->())
	{
		croak "waited in vain for $what" if time() > $end;
		sleep 0.005;
	}
	return;
}

# Waits until a backend is executing and, with a wait event type given, waits
# for such an event ('' for none: it computes).
sub wait_for_backend
{
	my ($observer, $pid, $wait_event_type) = @_;
	my $sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid AND state = 'active'";

	$sql .= " AND coalesce(wait_event_type, '') = " . literal($wait_event_type)
	  if defined $wait_event_type;
	wait_until(sub { $observer->value($sql) eq '1' }, "activity of backend $pid");
	return;
}

# Bytes of a process that no other shares: resident less shared memory.
sub private_memory
{
	my ($pid) = @_;
	my $status = slurp_file("/proc/$pid/status");
	my ($resident) = $status =~ /^VmRSS:\s+(\d+) kB/m;
	my ($shared) = $status =~ /^RssShmem:\s+(\d+) kB/m;

	return ($resident - $shared) * 1024;
}

# The most that was resident since the process began, less the shared memory
# of now: comparable between processes that did the same.
sub peak_memory
{
	my ($pid) = @_;
	my $status = slurp_file("/proc/$pid/status");
	my ($peak) = $status =~ /^VmHWM:\s+(\d+) kB/m;
	my ($shared) = $status =~ /^RssShmem:\s+(\d+) kB/m;

	return ($peak - $shared) * 1024;
}

# One assertion: memory grew by no more than a limit. A loader that was built
# with sanitizers (make sanitize) keeps what is freed, so it is not asked.
sub memory_within
{
	my ($grown, $limit, $name) = @_;

  SKIP:
	{
		skip 'a sanitizer keeps freed memory', 1 if $ENV{TRANSFERBENCH_SANITIZED};
		cmp_ok($grown, '<=', $limit, $name);
	}
	return;
}

sub open_descriptors
{
	my ($pid) = @_;
	opendir(my $directory, "/proc/$pid/fd") or die "could not read descriptors of $pid: $!";
	return scalar grep { /^\d/ } readdir $directory;
}

# Makes a self-signed certificate with openssl(1); returns its path and the
# key's. Options: subject_alternative_name, expired.
sub make_certificate
{
	my ($directory, $name, %options) = @_;
	my ($certificate, $key) = ("$directory/$name.crt", "$directory/$name.key");
	my @request = (
		'openssl', 'req',
		'-x509', '-newkey',
		'rsa:2048', '-nodes',
		'-sha256', '-subj',
		"/CN=$name", '-keyout',
		$key, '-out',
		$certificate, '-addext',
		"subjectAltName=$options{subject_alternative_name}");

	# -days refuses what is over already: sign the request anew, for a past day
	push @request, '-days', '1';
	system_or_bail(@request);
	if ($options{expired})
	{
		system_or_bail('openssl', 'x509', '-in', $certificate, '-signkey', $key, '-days', '-1',
			'-out', "$certificate.expired");
		rename "$certificate.expired", $certificate or die "could not rename: $!";
	}
	return ($certificate, $key);
}

# Compiles a C file of this directory; returns the path of a library to preload,
# or nothing without a compiler.
sub build_preload
{
	my ($directory, $name) = @_;
	(my $source = __FILE__) =~ s{[^/]*$}{$name.c};
	my $library = "$directory/$name.so";

	# the compiler of the server's build, or whatever this system calls cc
	my ($configured) = split ' ', qx(pg_config --cc);

	for my $compiler ($configured, 'cc')
	{
		return $library
		  if
		  eval { IPC::Run::run([ $compiler, qw(-O1 -shared -fPIC -o), $library, $source, '-ldl' ]) };
	}
	return;
}

# The names that tests make up.
sub build_resolver
{
	my ($directory) = @_;
	return build_preload($directory, 'scripted_resolver');
}

1;
